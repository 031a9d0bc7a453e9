"""From records to prepared data, a module for each task."""
