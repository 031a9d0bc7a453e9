"""PLM-NR from fetch to scores: a pretrained news encoder below a user encoder."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from pipeline import params as pipeline_params
from pipeline import paths
from pipeline.errors import UserError
from pipeline.files import read_json
from pipeline.models.pretrained import PretrainedTextEncoder
from pipeline.params import Hardware, Params, Run
from pipeline.section import merged
from pipeline.stages import embed, fetch, prepare
from pipeline.tasks import recommendation
from pipeline.text import impressions, ragged
from tests import language_model
from tests.stages import own
from tests.tasks.test_recommendation import direct, ranked

CLICKS = "newsroom_clicks"
SIZES = {"news": 300, "readers": 30, "impressions": 20}


def chosen(pretrained: str = "small", revision: str | None = None) -> Params:
    values = pipeline_params.load(own.REPOSITORY / "params.yaml").model_dump(exclude_unset=True)
    encoder = {"pretrained": pretrained, "revision": revision}
    values["data"][CLICKS]["source"] |= SIZES | {"news_encoder": encoder}
    return Params.model_validate(values)


def run_of(params: Params) -> Run:
    run = params.run(CLICKS, "fastformer_plm_nr", 1)
    model = run.model.model_copy(update={"dim": 8, "heads": 2, "feedforward_dim": 8})
    training = run.training.model_copy(update={"batch_size": 16, "max_epochs": 1, "encoder_lr": 1e-3})
    return merged(run, run.model_copy(update={"model": model, "training": training}))


Copy = Callable[[Path], None]


@pytest.fixture
def prepared(workspace: Path, request: pytest.FixtureRequest) -> Params:  # noqa: ARG001
    """The stages up to `embed`; the test's mark names who writes the model."""
    copy: Copy = getattr(request, "param", language_model.write)
    copy(paths.local(CLICKS) / "small")
    params = chosen()
    fetch.run(params, CLICKS)
    prepare.run(params, CLICKS)
    embed.run(params, CLICKS, "fastformer_plm_nr", "train")
    return params


def test_titles_are_cut_as_the_models_own_tokenizer_cuts_them(prepared: Params) -> None:  # noqa: ARG001
    folder = paths.prepared(CLICKS)
    cut = Tokenizer.from_file(str(folder / "encoder" / "tokenizer.json"))
    cut.no_padding()
    pieces = ragged.read(folder, impressions.pieces_of(impressions.TITLES))
    titles = pq.read_table(folder / "news.parquet").column("title").to_pylist()
    assert len(pieces) == len(titles)
    whole = [cut.encode(title).ids for title in titles]
    longest = 30
    for row, ids in zip((pieces[i].tolist() for i in range(len(pieces))), whole, strict=True):
        assert row == (ids if len(ids) <= longest else [*ids[: longest - 1], ids[-1]])
    report = read_json(folder / "report.json")["news"]["pieces"]["titles"]
    assert report["truncated"] == sum(len(ids) > longest for ids in whole)
    assert impressions.read_info(folder).news_encoder == "small"


@pytest.mark.parametrize(
    "prepared", [language_model.write, language_model.copy_real], indirect=True, ids=["tiny", "real"]
)
def test_cached_evaluation_gives_the_scores_of_direct_evaluation(prepared: Params, hardware: Hardware) -> None:
    values, folder = run_of(prepared), paths.prepared(CLICKS)
    module, _, _ = recommendation.build(
        values, folder, paths.embeddings("train", CLICKS, "fastformer_plm_nr"), hardware
    )
    module.eval()
    cached = ranked(module, folder, values, hardware, "test")
    with torch.no_grad():
        for number, scores in zip(range(6), direct(module, folder, "test"), strict=False):
            torch.testing.assert_close(cached[number], scores, atol=1e-5, rtol=1e-5)


def test_weights_are_the_files_own_until_they_are_trained_at_their_own_rate(
    prepared: Params, hardware: Hardware
) -> None:
    values, folder = run_of(prepared), paths.prepared(CLICKS)
    embeddings = paths.embeddings("train", CLICKS, "fastformer_plm_nr")
    module, data, options = recommendation.build(values, folder, embeddings, hardware)
    text = module.model.news.text
    assert isinstance(text, PretrainedTextEncoder)
    given = load_file(folder / "encoder" / "model.safetensors")
    for name, tensor in text.language_model.state_dict().items():
        assert torch.equal(tensor, given[name]), name
    optimizer = module.configure_optimizers()
    assert [group["lr"] for group in optimizer.param_groups] == [values.training.lr, values.training.encoder_lr]
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(list(module.parameters()))
    before = text.language_model.embeddings.word_embeddings.weight.detach().clone()
    batch = next(iter(data.train_dataloader()))
    module.step(batch).loss.backward()
    optimizer.step()
    moved = (text.language_model.embeddings.word_embeddings.weight.detach() - before).abs().max()
    assert 0 < float(moved) <= 1.01 * values.training.encoder_lr
    again = recommendation.build_recommender(options, pretrained=folder / "encoder", weights=False)
    again.load_state_dict(module.model.state_dict())
    with torch.no_grad():
        assert torch.equal(again.eval()(batch.clicks), module.model.eval()(batch.clicks))


def test_prepared_without_it_names_the_remedy(workspace: Path, hardware: Hardware) -> None:  # noqa: ARG001
    values = chosen().model_dump(exclude_unset=True)
    values["data"][CLICKS]["source"]["news_encoder"] = None
    params = Params.model_validate(values)
    fetch.run(params, CLICKS)
    prepare.run(params, CLICKS)
    embed.run(params, CLICKS, "fastformer_plm_nr", "train")
    with pytest.raises(UserError, match=r"was prepared without; name one in data\.newsroom_clicks\.source\.news_enc"):
        recommendation.build(
            run_of(params), paths.prepared(CLICKS), paths.embeddings("train", CLICKS, "fastformer_plm_nr"), hardware
        )
