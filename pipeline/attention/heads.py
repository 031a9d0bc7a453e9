"""Heads: the maps that most attentions have for them, and cutting the model's columns."""

from torch import Tensor, nn


class AttentionMaps(nn.Module):
    """Query, key, value and output maps D -> D, for `heads` heads of D / H columns; 4 (D * D + D) parameters.

    Raises ValueError if `heads` doesn't divide `dim`.
    """

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        require_equal_heads(dim, heads)
        self.dim = dim
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.output = nn.Linear(dim, dim)


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
