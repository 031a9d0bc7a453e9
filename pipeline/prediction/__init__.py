"""Trained models on texts of the user's own; apart from `tasks`, so that a change here trains nothing anew."""
