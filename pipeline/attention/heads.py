"""Cutting the model's columns into heads."""

from torch import Tensor


def require_equal_heads(dim: int, heads: int) -> None:
    """ValueError if `heads` doesn't divide `dim`."""
    if dim % heads:
        raise ValueError(f"dim {dim} can't be split into {heads} heads of equal size")


def split_heads(x: Tensor, heads: int) -> Tensor:
    """x (B, N, D) -> (B, H, N, D / H)."""
    return x.view(*x.shape[:2], heads, -1).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """x (B, H, N, D / H) -> (B, N, D)."""
    return x.transpose(1, 2).flatten(2)
