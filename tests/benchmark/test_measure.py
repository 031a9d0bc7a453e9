"""What is measured of a piece of work, against numbers worked out by hand."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.attention.bigbird import BigBirdAttention
from pipeline.attention.longformer import LongformerAttention
from pipeline.attention.operations import Form
from pipeline.attention.operations import operations as fastformer_operations
from pipeline.attention.poolingformer import PoolingformerAttention
from pipeline.attention.reformer import ReformerAttention
from pipeline.benchmark.measure import LEAST_REPEATS, interleaved_seconds, operations, peak_bytes, saved_bytes
from tests.attention.mixers import DIM, HEADS, VARIANTS, Variant, make

CPU = torch.device("cpu")
FLOAT = 4


class Clock:
    """Stands for the module `time`: only works move it on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("pipeline.benchmark.measure.time", self)

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def works(clock: Clock, called: list[int], seconds: list[float]) -> list[Callable[[], None]]:
    def work(number: int) -> None:
        called.append(number)
        clock.now += seconds[number] * (1 if called.count(number) > 1 else 100)  # cold at first

    return [lambda number=number: work(number) for number in range(len(seconds))]  # type: ignore[misc]


def test_each_round_starts_elsewhere_after_one_warm_up_that_is_not_counted(clock: Clock) -> None:
    called: list[int] = []
    seconds = interleaved_seconds(works(clock, called, [1.0, 2.0, 4.0]), CPU, budget=1e-9)
    assert LEAST_REPEATS == 3
    rounds = [tuple(called[start : start + 3]) for start in range(0, len(called), 3)]
    assert [sorted(one) for one in rounds] == [[0, 1, 2]] * 4
    assert len(set(rounds[1:])) > 1
    assert seconds == [[1.0] * 3, [2.0] * 3, [4.0] * 3]


def test_rounds_go_on_until_the_budget_is_used_and_are_whole(clock: Clock) -> None:
    called: list[int] = []
    seconds = interleaved_seconds(works(clock, called, [1.0, 2.0]), CPU, budget=13)
    assert [len(one) for one in seconds] == [5, 5]  # the fifth begins after 12 seconds


class Squares(nn.Module):
    """Keeps its input for the weight, and the product for the square."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(7, 5))

    def forward(self, x: Tensor) -> Tensor:
        return (x @ self.weight.T) ** 2


def test_saved_bytes_are_those_of_activations_without_parameters() -> None:
    module = Squares()
    x = torch.randn(3, 5, requires_grad=True)
    assert saved_bytes(lambda: module(x), list(module.parameters())) == FLOAT * (3 * 5 + 3 * 7)
    assert saved_bytes(lambda: module(x), []) == FLOAT * (3 * 5 + 3 * 7 + 7 * 5)


def test_saved_bytes_count_a_storage_once_and_nothing_without_gradients() -> None:
    x = torch.randn(8, 8, requires_grad=True)
    assert saved_bytes(lambda: x[:4] * x[4:].T.T, []) == FLOAT * 64
    with torch.no_grad():
        assert saved_bytes(lambda: x * x, []) == 0


def test_peak_bytes_are_the_most_at_one_time() -> None:
    def work() -> None:
        first = torch.empty(1000)
        second = torch.empty(500)
        del first
        third = torch.empty(700)
        del second, third

    assert peak_bytes(work, CPU) == pytest.approx(FLOAT * 1500, abs=256)  # allocations are rounded up


def test_peak_bytes_leave_out_what_was_there_before() -> None:
    kept = torch.ones(100_000)
    assert peak_bytes(lambda: kept[:1000].clone(), CPU) == pytest.approx(FLOAT * 1000, abs=256)
    assert peak_bytes(lambda: None, CPU) == 0


def test_operations_of_a_linear_map() -> None:
    module = nn.Linear(5, 7)
    x = torch.randn(2, 3, 5, requires_grad=True)
    assert operations(lambda: module(x)) == 6 * 5 * 7
    assert operations(lambda: module(x).sum().backward()) == 3 * 6 * 5 * 7


@pytest.mark.parametrize("masked", [False, True])
def test_operations_of_fused_attention(masked: bool) -> None:
    batch, heads, queries, keys, size = 2, 3, 8, 6, 4
    query = torch.randn(batch, heads, queries, size, requires_grad=True)
    key, value = (torch.randn(batch, heads, keys, size, requires_grad=True) for _ in range(2))
    mask = torch.ones(batch, 1, 1, keys, dtype=torch.bool) if masked else None

    def forward() -> Tensor:
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)

    product = batch * heads * queries * keys * size
    assert operations(forward) == 2 * product
    # Backwards the scores are computed anew: five products to the two forwards.
    assert operations(lambda: forward().sum().backward()) == 7 * product


def test_operations_of_products_that_are_added_in_place() -> None:
    left, right, out = torch.ones(2, 3, 4), torch.ones(2, 4, 5), torch.zeros(2, 3, 5)
    assert operations(lambda: out.baddbmm_(left, right)) == 2 * 3 * 4 * 5
    assert operations(lambda: out[0].addmm_(left[0], right[0])) == 3 * 4 * 5


@pytest.mark.parametrize("form", ["direct", "short", "long"])
@pytest.mark.parametrize("variant", VARIANTS[:2] + VARIANTS[5:6])
def test_operations_of_fastformer(variant: Variant, form: Form) -> None:
    mixer, mask = make(variant, torch.float32), torch.ones(3, 29, dtype=torch.bool)
    x = torch.randn(3, 29, DIM)

    def train() -> None:
        mixer.mix(x.requires_grad_(), mask, form).sum().backward()

    expected = fastformer_operations(3, 29, DIM, HEADS, form, interaction=variant[0], sharing=variant[1], training=True)
    assert operations(train) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    "mixer",
    [
        LongformerAttention(DIM, HEADS, window=8, global_tokens=2),
        BigBirdAttention(DIM, HEADS, window=8, global_tokens=4, random_tokens=4, block_length=4, layer=0),
        PoolingformerAttention(DIM, HEADS, pooling_window=8),
        ReformerAttention(DIM, HEADS, bucket_length=8, hash_rounds=2, layer=0),
    ],
    ids=lambda mixer: type(mixer).__name__,
)
def test_operations_of_mixers_that_count_their_own(mixer: nn.Module) -> None:
    x, mask = torch.randn(2, 70, DIM), torch.ones(2, 70, dtype=torch.bool)
    with torch.no_grad():
        counted = operations(lambda: mixer.eval()(x, mask))
    assert counted == mixer.operations(2, 70)  # type: ignore[operator]
