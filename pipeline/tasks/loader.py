"""A data loader that goes on in the middle of an epoch."""

from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data import DataLoader, Dataset

from pipeline.text.batching import LengthBatchSampler


class ResumableLoader(DataLoader[Any]):
    """Delivers the batches of a LengthBatchSampler, and counts them for Lightning's checkpoint.

    Lightning alone starts the epoch anew when it resumes. What is counted is what left the loader, not what its
    workers have prepared.
    """

    def __init__(
        self,
        dataset: Dataset[Any],
        sampler: LengthBatchSampler,
        collate: Callable[[list[Any]], Any],
        workers: int,
        pin_memory: bool,
    ) -> None:
        super().__init__(dataset, batch_sampler=sampler, collate_fn=collate, num_workers=workers, pin_memory=pin_memory)
        self.batches = sampler
        self.delivered = 0

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        # A generator: nothing is drawn before the first batch is asked for, when Lightning has called `set_epoch`.
        self.batches.skip, self.delivered = self.delivered % len(self), self.delivered % len(self)
        for batch in super().__iter__():
            self.delivered += 1
            yield batch

    def state_dict(self) -> dict[str, int]:
        return {"delivered": self.delivered}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.delivered = state["delivered"]
