"""Writing texts with a trained model: search.py looks for the best one, writing.py asks the model."""
