"""Metrics, each defined once."""
