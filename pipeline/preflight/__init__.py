"""What `check` looks at before time is spent, beside params.yaml itself."""
