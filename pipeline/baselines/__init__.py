"""The answers that need no neural network, a module for each task."""
