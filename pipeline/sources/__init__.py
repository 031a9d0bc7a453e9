"""One file per data set: where its files come from, and how a raw file becomes records."""
