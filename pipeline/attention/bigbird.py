"""BigBird's attention: Zaheer et al. 2020, arXiv 2007.14062, Section 2, a window, global and random blocks."""

from typing import Self

import torch
from torch import Tensor

from pipeline.attention.heads import AttentionMaps
from pipeline.attention.masking import zero_padding
from pipeline.attention.options import MixerOptions
from pipeline.attention.windows import (
    CHUNK,
    attend_by_chunk,
    attend_to_all,
    band,
    blocks,
    chunked,
    visible_with_first,
    with_first,
)


class BigBirdAttention(AttentionMaps):
    """Token mixer x (B, N, D), mask (B, N) bool, True = keep -> (B, N, D), in time and memory linear in N.

    The text is cut into blocks of `block_length` tokens; `window // 2` on each side, `global_tokens` and
    `random_tokens` are rounded up to whole blocks. A token sees its own block and those beside it, the global blocks,
    which are the first and see all, and random ones outside of these. 4 (D * D + D) parameters.
    Ours: random blocks are spread, one from each of as many equal parts of a text's other blocks, so that none is drawn
    twice; they are fixed for `layer`, and a text's depend on where its last token stands, not on its padding.
    Raises ValueError if `heads` doesn't divide `dim`.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        window: int,
        global_tokens: int,
        random_tokens: int,
        block_length: int,
        layer: int,
    ) -> None:
        super().__init__(dim, heads)
        self.block_length = block_length
        self.side_blocks = blocks(window // 2, block_length)
        self.global_blocks = blocks(global_tokens, block_length)
        self.random_blocks = blocks(random_tokens, block_length)
        self.chunk = blocks(CHUNK, block_length) * block_length
        self.layer = layer

    @classmethod
    def from_options(cls, options: MixerOptions) -> Self:
        """A mixer of these sizes."""
        return cls(
            options.dim,
            options.heads,
            window=options.window,
            global_tokens=options.global_tokens,
            random_tokens=options.random_tokens,
            block_length=options.block_length,
            layer=options.layer,
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, N, D), mask (B, N) -> (B, N, D)."""
        x = zero_padding(x, mask)
        query, key, value = self.query(x), self.key(x), self.value(x)
        first = min(self.global_blocks * self.block_length, x.shape[1])
        of_all = attend_to_all(query[:, :first], key, value, mask, self.heads)
        local = self._local(query, key, value, mask, first)
        mixed: Tensor = self.output(torch.cat([of_all, local[:, first:]], dim=1))
        return mixed

    def operations(self, batch: int, length: int) -> int:
        """Multiply-adds of a forward pass, those of pairs that the mask then drops included."""
        first = min(self.global_blocks * self.block_length, length)
        queries = blocks(length, self.chunk) * self.chunk
        window = self.chunk + 2 * self.side_blocks * self.block_length
        pairs = queries * (first + window + self.chunk * self.random_blocks) + first * length
        return batch * (4 * length * self.dim**2 + 2 * pairs * self.dim)

    def draw(self, mask: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """The random blocks of each text's first `count` blocks, (B, count, R), and (B, count, R) bool which exist.

        A text that is too short for R blocks beside window and global ones has fewer; it has 0 in their place.
        """
        device = mask.device
        # Drawn row by row, so that block i's numbers are the same whatever `count` is.
        generator = torch.Generator().manual_seed(self.layer)
        uniforms = torch.rand(count, self.random_blocks, dtype=torch.float64, generator=generator).to(device)
        extent = (torch.arange(1, mask.shape[1] + 1, device=device) * mask).amax(1)
        own = (extent + self.block_length - 1).div(self.block_length, rounding_mode="floor").view(-1, 1, 1)
        at = torch.arange(count, device=device).view(-1, 1)
        window_start = (at - self.side_blocks).clamp(min=self.global_blocks)
        window = (torch.minimum(at + self.side_blocks + 1, own) - window_start).clamp(min=0)
        others = (own - self.global_blocks).clamp(min=0) - window
        parts = others * torch.arange(self.random_blocks + 1, device=device) // max(self.random_blocks, 1)
        size = parts.diff(dim=2)
        drawn = self.global_blocks + parts[..., :-1] + (uniforms * size).long()
        drawn = drawn + window * (drawn >= window_start)  # numbered without the window so far
        return drawn.where(size > 0, 0), size > 0

    def _local(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor, first: int) -> Tensor:
        """What each token sees in its window, among the first `first` positions and in random blocks: (B, N, D)."""
        batch, length = mask.shape
        chunks = blocks(length, self.chunk)
        count = chunks * self.chunk // self.block_length
        drawn, exists = self.draw(mask, count)
        rows = torch.arange(batch, device=mask.device).view(-1, 1, 1)
        halo = self.side_blocks * self.block_length

        def of_random_blocks(tokens: Tensor) -> Tensor:
            cut = chunked(tokens, count, self.block_length)  # (B, count, block_length, ...)
            return cut[rows, drawn].reshape(batch, chunks, -1, *tokens.shape[2:])

        def around(tokens: Tensor) -> Tensor:
            return torch.cat([with_first(tokens, first, chunks, self.chunk, halo), of_random_blocks(tokens)], dim=2)

        near = band(self.chunk, halo, self.side_blocks, mask.device, block=self.block_length)
        in_random = of_random_blocks(mask) & exists.repeat_interleave(self.block_length, dim=2).view(batch, chunks, -1)
        # A chunk's random keys lie in the order of the blocks that drew them, and each block sees its own alone.
        drawer = torch.arange(self.chunk // self.block_length, device=mask.device)
        own = drawer.repeat_interleave(self.block_length).unsqueeze(1) == drawer.repeat_interleave(
            self.random_blocks * self.block_length
        )
        visible = torch.cat([visible_with_first(mask, first, chunks, near), in_random.unsqueeze(2) & own], dim=3)
        return attend_by_chunk(query, around(key), around(value), visible, mask, self.chunk, self.heads)
