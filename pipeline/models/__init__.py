"""Plain torch modules that tasks train."""
