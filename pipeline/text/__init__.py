"""From text to padded batches of ids."""
