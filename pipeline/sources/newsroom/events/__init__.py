"""What happens in the world: a file of kinds of events for every topic."""
