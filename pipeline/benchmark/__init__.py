"""How long layers and training steps take, how much memory they need, and how much of the arithmetic is theirs."""
