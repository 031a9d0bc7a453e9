"""A small generated world that writes real formats; docs/newsroom.md states its rules."""
