"""Token mixers: `forward(x (B, N, D), mask (B, N) bool, True = keep) -> (B, N, D)`."""
