"""What the attentions over windows share: a text cut into chunks of queries, and the keys around each chunk.

A window per query would be products of one row with a handful of others. Here CHUNK queries meet the union of their
windows in one product, and a mask keeps each query to its own: more arithmetic, in pieces that a CPU is fast at.
Measured on one core, forward and backward, 16 heads of 16 columns, a window of 8 and 8 global tokens, in microseconds a
token at 1,024 and at 16,384 tokens: 9 and 11 in chunks of 32; 10 and 11 in chunks of 64, 14 and 18 in chunks of 8, 13
and 15 in chunks of 128; 15 and 22 in chunks of 32 with a softmax between two products in place of torch's fused
attention; 57 and 48 with a window per query, by `unfold`.
"""

import torch
from torch import Tensor
from torch.nn import functional

CHUNK = 32


def blocks(tokens: int, length: int) -> int:
    """How many blocks of `length` tokens it takes to hold `tokens`."""
    return -(-tokens // length)


def chunked(x: Tensor, chunks: int, length: int, *, start: int = 0) -> Tensor:
    """x (B, N, ...) -> (B, chunks, length, ...): positions from `start` on, zeros where x has no such position."""
    padding = [0, 0] * (x.dim() - 2) + [-start, start + chunks * length - x.shape[1]]
    return functional.pad(x, padding).view(len(x), chunks, length, *x.shape[2:])


def surroundings(x: Tensor, chunks: int, length: int, halo: int) -> Tensor:
    """x (B, N, ...) -> (B, chunks, halo + length + halo, ...): each chunk with `halo` positions before and after it.

    Slices joined by `cat`, not `unfold` or an index: their gradient is a sum of slices, without a scatter.
    """
    wide = length + 2 * halo
    offsets = range(0, wide, length)
    padded = chunked(x, chunks + len(offsets) - 1, length, start=-halo)
    return torch.cat([padded[:, skip : skip + chunks, : wide - offset] for skip, offset in enumerate(offsets)], dim=2)


def band(length: int, halo: int, reach: int, device: torch.device, *, block: int = 1) -> Tensor:
    """(length, halo + length + halo) bool: which of a chunk's surroundings each of its queries may see.

    Those whose block of `block` positions lies at most `reach` blocks away from the query's.
    """
    query = torch.arange(length, device=device).unsqueeze(1) // block
    key = torch.arange(-halo, length + halo, device=device) // block
    return (key - query).abs() <= reach


def with_first(x: Tensor, first: int, chunks: int, length: int, halo: int) -> Tensor:
    """x (B, N, ...) -> (B, chunks, first + halo + length + halo, ...): the first positions, then the surroundings."""
    shared = x[:, None, :first].expand(-1, chunks, *[-1] * (x.dim() - 1))
    return torch.cat([shared, surroundings(x, chunks, length, halo)], dim=2)


def visible_with_first(mask: Tensor, first: int, chunks: int, near: Tensor) -> Tensor:
    """Which keys of `with_first` a query sees, (B, chunks, length, first + halo + length + halo).

    The first positions, and by `near`, which is `band`'s, the surroundings; no token twice.
    """
    length, wide = near.shape
    later = mask.clone()
    later[:, :first] = False
    window = surroundings(later, chunks, length, (wide - length) // 2).unsqueeze(2) & near
    shared = mask[:, None, None, :first].expand(-1, chunks, length, -1)
    return torch.cat([shared, window], dim=3)


def attend(query: Tensor, key: Tensor, value: Tensor, visible: Tensor, kept: Tensor, heads: int) -> Tensor:
    """Softmax attention inside each chunk: query (B, C, Q, D), key and value (B, C, K, D) -> (B, C, Q, D).

    `visible` (B or 1, C or 1, Q or 1, K) bool says which keys a query sees, `kept` (B, C, Q) which queries are tokens.
    A kept query must see a key. The others see all keys: what torch's kernels make of a softmax over none isn't said.
    """
    batch, chunks, queries, dim = query.shape
    visible = (visible | ~kept.unsqueeze(-1)).flatten(0, 1).unsqueeze(1)

    def by_heads(x: Tensor) -> Tensor:
        return x.reshape(batch * chunks, -1, heads, dim // heads).transpose(1, 2)

    mixed = functional.scaled_dot_product_attention(by_heads(query), by_heads(key), by_heads(value), attn_mask=visible)
    return mixed.transpose(1, 2).reshape(batch, chunks, queries, dim)


def attend_by_chunk(
    query: Tensor, key: Tensor, value: Tensor, visible: Tensor, mask: Tensor, length: int, heads: int
) -> Tensor:
    """`attend` for query (B, N, D) and mask (B, N), cut into the C chunks of `length` whose keys stand in `key`.

    key, value (B, C, K, D), visible (B or 1, C or 1, Q or 1, K) -> (B, N, D).
    """
    chunks = key.shape[1]
    mixed = attend(chunked(query, chunks, length), key, value, visible, chunked(mask, chunks, length), heads)
    return mixed.flatten(1, 2)[:, : query.shape[1]]


def attend_to_all(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, heads: int) -> Tensor:
    """Softmax attention of the first Q positions to all: query (B, Q, D), key and value (B, N, D) -> (B, Q, D)."""
    query, key, value = (part.unsqueeze(1) for part in (query, key, value))
    return attend(query, key, value, mask[:, None, None], mask[:, None, : query.shape[2]], heads).squeeze(1)
