"""Reformer's attention against full attention among the tokens that met in a bucket, and what its hashes promise."""

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from pipeline.attention.reformer import ReformerAttention
from tests.attention import dense

DIM, HEADS = 6, 2


def make(bucket_length: int, hash_rounds: int = 4, layer: int = 0) -> ReformerAttention:
    mixer = ReformerAttention(DIM, HEADS, bucket_length=bucket_length, hash_rounds=hash_rounds, layer=layer)
    return dense.spread(mixer).eval()


def met(buckets: list[int], kept: list[bool], run: int) -> list[list[bool]]:
    """Who sees whom in one round of one head: of one bucket, in one run of the sorted tokens or in adjacent ones."""
    order = sorted((place for place, is_kept in enumerate(kept) if is_kept), key=lambda place: (buckets[place], place))
    run_of = {place: rank // run for rank, place in enumerate(order)}
    pairs = [[False] * len(kept) for _ in kept]
    for i in order:
        for j in order:
            pairs[i][j] = buckets[i] == buckets[j] and run_of[i] - run_of[j] in (0, 1)
    return pairs


def reference(mixer: ReformerAttention) -> dense.Reference:
    """A softmax over all that a token met in any round, each once, and itself only if it met no other."""

    def of_text(x: Tensor, kept: list[bool]) -> Tensor:
        mask = torch.tensor(kept)
        query = mixer.query_key(x.masked_fill(~mask.unsqueeze(1), 0.0))
        value = mixer.value(x)
        by_head = query.view(1, len(kept), HEADS, -1).transpose(1, 2)
        buckets = mixer.hash(by_head, mask.unsqueeze(0), mixer.layer)
        parts = []
        for head, columns in enumerate(torch.arange(DIM).chunk(HEADS)):
            rounds = [met(of_round, kept, mixer.bucket_length) for of_round in buckets[:, 0, head].tolist()]
            allowed = [[any(pairs[i][j] for pairs in rounds) for j in range(len(kept))] for i in range(len(kept))]
            for i, seen in enumerate(allowed):
                seen[i] = kept[i] and sum(seen) == 1
            own = query[:, columns]
            length = (own.square().mean(1, keepdim=True) + 1e-6).sqrt() * len(columns) ** 0.5
            key = own / length * len(columns) ** 0.5  # dense.attention divides by this root, Reformer doesn't
            parts.append(dense.attention(own, key, value[:, columns], allowed, 1))
        out: Tensor = mixer.output(torch.cat(parts, dim=1))
        return out

    return of_text


@settings(derandomize=True, deadline=None, max_examples=25)
@given(masks=dense.MASKS, bucket_length=st.integers(1, 80), hash_rounds=st.integers(1, 5), layer=st.integers(0, 3))
@example(masks=[[True]], bucket_length=64, hash_rounds=4, layer=0)
@example(masks=[[True] * 75, [True] * 20, [False]], bucket_length=8, hash_rounds=4, layer=0)
@example(masks=[[True] * 75, [True] * 3], bucket_length=80, hash_rounds=4, layer=0)
def test_outputs_and_gradients_equal_dense_attention(
    masks: list[list[bool]], bucket_length: int, hash_rounds: int, layer: int
) -> None:
    mixer = make(bucket_length, hash_rounds, layer)
    dense.assert_follows(mixer, reference(mixer), *dense.batch_of(masks, DIM))


def test_one_bucket_that_holds_all_is_full_attention_without_oneself() -> None:
    mixer = make(bucket_length=40)
    x, mask = dense.batch_of([dense.draw_mask(40, 0.8, 0)], DIM)
    query, value = mixer.query_key(x[0]), mixer.value(x[0])
    outs = []
    for columns in torch.arange(DIM).chunk(HEADS):
        own = query[:, columns]
        key = own / (own.square().mean(1, keepdim=True) + 1e-6).sqrt() / len(columns) ** 0.5
        hidden = ~mask | torch.eye(40, dtype=torch.bool)
        outs.append((own @ key.T).masked_fill(hidden, -torch.inf).softmax(1) @ value[:, columns])
    torch.testing.assert_close(mixer(x, mask)[mask], mixer.output(torch.cat(outs, 1))[mask[0]], atol=1e-11, rtol=0)


def test_a_text_of_one_token_sees_itself() -> None:
    mixer = make(bucket_length=8)
    x, mask = dense.batch_of([[True], dense.draw_mask(60, 1.0, 0)], DIM)
    torch.testing.assert_close(mixer(x, mask)[0, 0], mixer.output(mixer.value(x[0, 0])), atol=1e-12, rtol=0)


@pytest.mark.parametrize(("tokens", "buckets"), [(1, 1), (8, 1), (9, 2), (16, 2), (17, 4), (70, 16), (128, 16)])
def test_a_texts_buckets_follow_from_its_tokens_alone(tokens: int, buckets: int) -> None:
    mixer = make(bucket_length=8)
    query = torch.randn(2, HEADS, 640, DIM // HEADS, generator=torch.Generator().manual_seed(0))
    mask = torch.zeros(2, 640, dtype=torch.bool)
    mask[0, 5 : 5 + tokens] = True
    mask[1] = True
    found = mixer.hash(query, mask, 0)
    assert found[:, 0][..., mask[0]].max() < buckets
    assert (found[:, 0][..., ~mask[0]] > found[:, 1].max()).all()
    alone = mixer.hash(query[:1, :, : 5 + tokens], mask[:1, : 5 + tokens], 0)
    assert torch.equal(alone[:, 0][..., 5:], found[: len(alone), 0][..., 5 : 5 + tokens])


def test_buckets_are_used_evenly_and_near_vectors_share_one() -> None:
    mixer = make(bucket_length=64)
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(1, 16, 4096, 16, generator=generator)
    mixer.heads = 16
    mask = torch.ones(1, 4096, dtype=torch.bool)
    buckets = mixer.hash(query, mask, 0)
    sizes = torch.stack([of_head.bincount(minlength=64) for of_head in buckets.flatten(0, 2)])
    assert sizes.shape[1] == 64
    assert sizes.float().mean() == 64
    assert (sizes > 256).float().mean() < 0.01
    near = mixer.hash(query + 0.05 * torch.randn(query.shape, generator=generator), mask, 0)
    scaled = mixer.hash(query * 3, mask, 0)
    assert (buckets == near).float().mean() > 0.8
    assert (buckets == scaled).float().mean() > 0.999


def test_training_draws_rotations_by_torchs_seed_and_evaluation_has_its_own() -> None:
    mixer = make(bucket_length=4)
    x, mask = dense.batch_of([dense.draw_mask(60, 1.0, 0)], DIM)
    torch.manual_seed(0)
    state = torch.random.get_rng_state()
    evaluated = mixer(x, mask)
    assert torch.equal(torch.random.get_rng_state(), state)
    mixer.train()
    trained = [mixer(x, mask), mixer(x, mask)]
    torch.manual_seed(0)
    assert torch.equal(mixer(x, mask), trained[0])
    assert not torch.equal(trained[0], trained[1])
    assert not torch.equal(trained[0], evaluated)
    mixer.eval()
    assert torch.equal(mixer(x, mask), evaluated)
    assert not torch.equal(make(bucket_length=4, layer=1)(x, mask), evaluated)


def test_padding_moves_no_draw_of_training() -> None:
    mixer = make(bucket_length=4).train()
    x, mask = dense.batch_of([dense.draw_mask(30, 1.0, 0), dense.draw_mask(90, 0.0, 0)], DIM)
    outs, draws = [], []
    for length in (30, 90):
        torch.manual_seed(0)
        outs.append(mixer(x[:1, :length], mask[:1, :length])[0, :30])
        draws.append(torch.rand(()))
    torch.testing.assert_close(outs[0], outs[1], atol=1e-12, rtol=0)
    assert draws[0] == draws[1]


def test_parameter_count() -> None:
    mixer = ReformerAttention(256, 16, bucket_length=64, hash_rounds=4, layer=0)
    assert sum(parameter.numel() for parameter in mixer.parameters()) == 3 * (256**2 + 256)


def test_heads_must_divide_dim() -> None:
    with pytest.raises(ValueError, match=r"10.*4"):
        ReformerAttention(10, 4, bucket_length=64, hash_rounds=4, layer=0)
