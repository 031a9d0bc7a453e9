"""From word vectors as published, or learned, to the rows of a vocabulary."""
