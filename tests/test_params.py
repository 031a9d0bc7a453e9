"""params.yaml: what is refused, and in which words; precedence; the schema."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from pipeline import params as module
from pipeline import registry
from pipeline.errors import UserError
from pipeline.params import Params, load

REMOVED = object()


def edit(edits: dict[str, Any]) -> None:
    """Sets or removes values of the current folder's params.yaml by their path, as `training.lr`."""
    yaml, path = YAML(), Path("params.yaml")
    yaml.width = 10_000
    tree = yaml.load(path.read_text(encoding="utf-8"))
    for where, value in edits.items():
        *steps, last = where.split(".")
        section = tree
        for step in steps:
            section = section[step]
        if value is REMOVED:
            del section[last]
        else:
            section[last] = value
    with path.open("w", encoding="utf-8") as file:
        yaml.dump(tree, file)


def line_of(text: str, after: int = 0) -> int:
    """The first line of params.yaml that holds `text` outside a comment."""
    lines = Path("params.yaml").read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if n > after and text in line.partition("#")[0])


def problems(edits: dict[str, Any] | None = None) -> list[str]:
    """The lines of the error that loading the edited params.yaml raises."""
    edit(edits or {})
    with pytest.raises(UserError) as caught:
        load()
    return str(caught.value).splitlines()


def expect(found: list[str], line: int, where: str, *fragments: str) -> None:
    """One of the lines names this line and path, and holds the fragments."""
    start = f"params.yaml:{line}: {where}: "
    (message,) = [text for text in found if text.startswith(start)]
    assert all(fragment in message for fragment in fragments), message


def test_the_shipped_file_is_good_and_loads_without_heavy_libraries(root: Path) -> None:
    code = (
        "import sys; from pipeline import params; params.load(); "
        "heavy = {'torch', 'sklearn', 'pytorch_lightning', 'gensim', 'wandb', 'dvc'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# What is edited; text by which the line is known; path; what the message must hold.
REFUSED: list[tuple[dict[str, Any], str, str, list[str]]] = [
    ({"training.lr": "fast"}, "lr: fast", "training.lr", ["valid number", "'fast'"]),
    ({"training.lr": "1e-3"}, "lr: '1e-3'", "training.lr", ["valid number", "'1e-3'"]),
    ({"training.lr": math.nan}, "lr: .nan", "training.lr", ["finite", "nan"]),
    ({"training.lr": math.inf}, "lr: .inf", "training.lr", ["finite", "inf"]),
    ({"training.lr": -1}, "lr: -1", "training.lr", ["greater than 0", "-1"]),
    ({"training.lr": True}, "lr: true", "training.lr", ["valid number", "not true"]),
    ({"training.lr": None}, "lr:", "training.lr", ["valid number", "not null"]),
    ({"training.monitor": "f1"}, "monitor: f1", "training.monitor", ["accuracy, macro_f1, auc", "rouge_lsum, loss"]),
    ({"training.monitor": "auc"}, "monitor: auc", "training.monitor", ["classification has no auc", "macro_f1, loss"]),
    (
        {"data.mind.training.monitor": "accuracy"},
        "training: {batch_size: 64, lr: 1e-4, max_epochs: 3, monitor: accuracy}",
        "data.mind.training.monitor",
        ["recommendation has no accuracy", "auc, mrr"],
    ),
    (
        {"variants": ["plm_nr"], "datasets": ["newsroom_clicks"], "ablations.datasets": []},
        "variants:",
        "variants",
        ["'plm_nr' reads a pretrained news encoder, and data.newsroom_clicks.source has none"],
    ),
    (
        {"variants": ["plm_nr"], "datasets": ["newsroom_ratings"], "ablations.datasets": []},
        "variants:",
        "variants",
        ["data.newsroom_ratings.source has none; take the variant or the data set out"],
    ),
    ({"variant.nrms.user_attention": "nrsm"}, "nrms:", "variant.nrms.user_attention", ["unknown attention 'nrsm'"]),
    (
        {"variant.nrms.user_attention": "fastformer"},
        "nrms:",
        "variant.nrms.sharing",
        ["missing", "needs one of none, qv"],
    ),
    ({"model.dropout": 2}, "dropout: 2", "model.dropout", ["less than 1", "not 2"]),
    ({"model.dropout": math.nan}, "dropout: .nan", "model.dropout", ["less than 1", "nan"]),
    ({"model.layers": True}, "layers: true", "model.layers", ["valid integer", "not true"]),
    ({"model.layers": 2.0}, "layers: 2.0", "model.layers", ["valid integer", "2.0"]),
    ({"model.layers": -2}, "layers: -2", "model.layers", ["greater than or equal to 1", "-2"]),
    ({"model": 3}, "model: 3", "model", ["must hold keys"]),
    ({"model.heds": 4}, "heds: 4", "model.heds", ["unknown key 'heds'", "dim, heads, layers", "did you mean heads?"]),
    ({"text.min_count": True}, "min_count: true", "text.min_count", ["valid integer", "not true"]),
    ({"text.lowercase": "yes"}, "lowercase: yes", "text.lowercase", ["valid boolean", "'yes'"]),
    ({"text.max_words": 1}, "max_words: 1", "text.max_words", ["at least 2", "null"]),
    ({"text.tokenizer": "wordpunkt"}, "wordpunkt", "text.tokenizer", ["basic_english, treebank", "mean wordpunct?"]),
    ({"data.own.text.tokenizer": "punkt"}, "tokenizer: punkt", "data.own.text.tokenizer", ["wordpunct, basic_english"]),
    ({"data.own.text": 3}, "text: 3", "data.own.text", ["must hold keys", "`{}`"]),
    ({"data.own.text": None}, "text:", "data.own.text", ["must hold keys", "`{}`"]),
    ({"data.own.text.max_length": None}, "max_length:", "data.own.text.max_length", ["valid integer"]),
    ({"data.own.model.heds": 4}, "heds: 4", "data.own.model.heds", ["legal: dim, heads", "did you mean heads?"]),
    ({"data.own.source": 3}, "source: 3", "data.own.source", ["must hold keys"]),
    ({"data.own.source.reader": "tabulator"}, "tabulator", "data.own.source.reader", ["legal: ", "mean tabular?"]),
    ({"data.own.source.reader": ["tabular"]}, "reader:", "data.own.source.reader", ["unknown reader", "tabular"]),
    ({"data.own.source.train": "a.xls"}, "train: a.xls", "data.own.source.train", ["must end in .csv, .tsv, .jsonl"]),
    ({"data.own.source.train": "../a.csv"}, "../a.csv", "data.own.source.train", ["inside data/local", "link"]),
    ({"data.own.source.train": "/a/b.csv"}, "/a/b.csv", "data.own.source.train", ["inside data/local", "link"]),
    ({"data.own.source.rows": 5}, "rows: 5", "data.own.source.rows", ["unknown key 'rows'", "text_column"]),
    ({"data.own.source.splits.test": 0.95}, "test: 0.95", "data.own.source.splits", ["leave nothing to train on"]),
    ({"data.own.source.splits.test": math.nan}, "test: .nan", "data.own.source.splits.test", ["less than 1"]),
    ({"data.a-b": {}}, "a-b: {}", "data.a-b", ["illegal name 'a-b'", "letters, digits and '_'"]),
    ({"data.x/y": {}}, "x/y: {}", "data.x/y", ["illegal name 'x/y'", "letters, digits and '_'"]),
    ({"variant.fast-er": {}}, "fast-er: {}", "variant.fast-er", ["illegal name 'fast-er'"]),
    ({"variant.add.interaction": "multiply"}, "multiply", "variant.add.interaction", ["legal: product, add, concat"]),
    ({"variant.add.interaction": None}, "add: {", "variant.add.interaction", ["missing", "product, add, concat"]),
    ({"variant.add.interaction": REMOVED}, "add: {", "variant.add.interaction", ["missing", "needs one of product"]),
    ({"variant.add.sharing": "heads"}, "sharing: heads", "variant.add.sharing", ["legal: none, qv, qv_head, qv_layer"]),
    ({"variant.add.scoring": "half"}, "scoring: half", "variant.add.scoring", ["legal: full, per_head"]),
    ({"variant.add.scoring": REMOVED}, "add: {", "variant.add.scoring", ["missing", "needs one of full, per_head"]),
    (
        {"variant.transformer.interaction": "add"},
        "transformer: {",
        "variant.transformer.interaction",
        ["attention transformer has no interaction; remove `interaction` here"],
    ),
    (
        {"variant.head_shared.scoring": "full"},
        "head_shared: {",
        "variant.head_shared.scoring",
        ["qv_head", "set scoring to per_head"],
    ),
    ({"variant.mean.sharing": None}, "mean: {", "variant.mean.sharing", ["attention mean has no sharing"]),
    (
        {"variant.no_mixer.scoring": "full"},
        "no_mixer: {",
        "variant.no_mixer.scoring",
        ["attention none has no scoring"],
    ),
    ({"variant.mean.vectors": REMOVED}, "mean: {", "variant.mean.vectors", ["missing; every value stands in"]),
    ({"model.residual": False}, "residual: false", "model.residual", ["no_mixer", "set residual to true"]),
    ({"data.own.model.residual": False}, "residual: false", "data.own.model.residual", ["set residual to true"]),
    ({"model.positions": 1}, "positions: 1", "model.positions", ["valid boolean", "not 1"]),
    ({"model.layer_norm": "no"}, "layer_norm: no", "model.layer_norm", ["valid boolean", "'no'"]),
    ({"model.window": 7}, "window: 7", "model.window", ["multiple of 2", "not 7"]),
    ({"model.window": 0}, "window: 0", "model.window", ["greater than or equal to 2", "not 0"]),
    ({"model.pooling_window": 63}, "pooling_window: 63", "model.pooling_window", ["multiple of 2", "not 63"]),
    ({"model.block_length": 0}, "block_length: 0", "model.block_length", ["greater than or equal to 1"]),
    ({"model.global_tokens": -1}, "global_tokens: -1", "model.global_tokens", ["greater than or equal to 1"]),
    ({"model.random_tokens": 1.5}, "random_tokens: 1.5", "model.random_tokens", ["valid integer"]),
    ({"model.projection_dim": 0}, "projection_dim: 0", "model.projection_dim", ["greater than or equal to 1"]),
    ({"model.bucket_length": None}, "bucket_length:", "model.bucket_length", ["valid integer", "not null"]),
    ({"model.hash_rounds": 0}, "hash_rounds: 0", "model.hash_rounds", ["greater than or equal to 1"]),
    ({"model.projection_dim": REMOVED}, "model:", "model.projection_dim", ["missing"]),
    ({"data.own.model.window": 9}, "window: 9", "data.own.model.window", ["multiple of 2"]),
    ({"variant.add.attention": "fastfomer"}, "fastfomer", "variant.add.attention", ["legal: ", "mean fastformer?"]),
    ({"variant.add.trainig": {}}, "trainig: {}", "variant.add.trainig", ["did you mean training?"]),
    ({"variants": ["fastfomer"]}, "- fastfomer", "variants.0", ["legal: fastformer, transformer", "mean fastformer?"]),
    ({"variants": ["../x"]}, "- ../x", "variants.0", ["illegal name '../x'", "letters, digits and '_'"]),
    ({"variants": []}, "variants: []", "variants", ["name at least one"]),
    ({"seeds": ["one"]}, "- one", "seeds.0", ["valid integer", "'one'"]),
    ({"seeds": [True]}, "- true", "seeds.0", ["valid integer", "not true"]),
    ({"seeds": [-4]}, "- -4", "seeds.0", ["greater than or equal to 0"]),
    ({"seeds": []}, "seeds: []", "seeds", ["name at least one"]),
    ({"seeds": 3}, "seeds: 3", "seeds", ["valid list", "not 3"]),
    ({"datasets": ["review_sentence"]}, "- review_sentence", "datasets.0", ["legal: ", "mean review_sentences?"]),
    ({"datasets": ["a-b"]}, "- a-b", "datasets.0", ["illegal name 'a-b'"]),
    ({"datasets": ["a.b"]}, "- a.b", "datasets.0", ["illegal name 'a.b'"]),
    (
        {"datasets": ["pubmed"], "variants": ["fastformer", "mean"], "ablations.datasets": []},
        "variants:",
        "variants",
        ["attention mean of variant mean has no layers for a decoder to read, so that pubmed can't be summarized"],
    ),
    ({"datasets": []}, "datasets: []", "datasets", ["name at least one"]),
    (
        {"datasets": ["review_sentences"], "ablations.datasets": ["own"]},
        "- own",
        "ablations.datasets.0",
        ["'own' isn't in datasets", "add it there"],
    ),
    ({"ablations.datasets": ["nowhere"]}, "- nowhere", "ablations.datasets.0", ["unknown data set", "legal: "]),
    ({"benchmark.encoders": ["fastformer", "bert"]}, "- bert", "benchmark.encoders.1", ["unknown attention 'bert'"]),
    ({"benchmark.encoders": ["none"]}, "encoders:", "benchmark.encoders", ["lacks fastformer"]),
    ({"ablations.variants": ["addd"]}, "- addd", "ablations.variants.0", ["unknown variant", "did you mean add?"]),
    (
        {"vectors.pretrained": "glove.6B"},
        "pretrained: glove.6B",
        "vectors.pretrained",
        [".txt, .gz, .zip, .bin or .kv"],
    ),
    ({"vectors.pretrained": "../my.txt"}, "../my.txt", "vectors.pretrained", ["inside data/local/vectors"]),
    ({"vectors.pretrained": "/my.txt"}, "/my.txt", "vectors.pretrained", ["inside data/local/vectors"]),
    ({"tracking.mode": "off"}, "mode: off", "tracking.mode", ["legal: offline, online, disabled"]),
]


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(("edits", "text", "where", "fragments"), REFUSED, ids=lambda value: str(value)[:60])
def test_a_bad_value_is_refused_with_line_path_and_remedy(
    edits: dict[str, Any], text: str, where: str, fragments: list[str]
) -> None:
    found = problems(edits)
    section = line_of("  own:") if where.startswith("data.own.") else 0
    expect(found, line_of(text, section), where, *fragments)


def named_where_it_stands(edits: dict[str, Any], fragment: str, message: str) -> None:
    """Of the problems, those with `fragment` must be this one, at the last edit's place."""
    where, value = list(edits.items())[-1]
    found = problems(edits)
    expect(
        [text for text in found if fragment in text], line_of(f"{where.rpartition('.')[2]}: {value}"), where, message
    )


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("where", ["model", "data.own.model", "variant.add.model"])
def test_heads_that_dont_divide_dim_are_named_where_they_stand(where: str) -> None:
    edit({where: {}} if where != "model" else {})
    edits = {"model.dim": 256, f"{where}.heads": 7}
    named_where_it_stands(edits, "dim 256", "heads 7 doesn't divide dim 256; 8 does")


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("where", ["data.pubmed.model", "variant.add.model"])
def test_a_summary_needs_room_for_its_end(where: str) -> None:
    edit({where: {}, "datasets": ["pubmed"], "ablations": {"datasets": [], "variants": []}})
    message = "min_summary 256 leaves no end to a summary of 256 tokens"
    named_where_it_stands({f"{where}.min_summary": 256}, "pubmed", message)


@pytest.mark.usefixtures("workspace")
def test_a_batch_of_the_benchmark_holds_its_longest_text() -> None:
    expect(
        problems({"benchmark.cpu_tokens": 2047}),
        line_of("cpu_tokens: 2047"),
        "benchmark.cpu_tokens",
        "2047 tokens hold no text of 2048, the greatest of lengths; raise it",
    )


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("where", ["seeds", "datasets", "variants", "ablations.datasets", "ablations.variants"])
def test_a_repeated_entry_is_named(where: str) -> None:
    tree: Any = load().model_dump()
    for step in where.split("."):
        tree = tree[step]
    first = tree[0]
    found = problems({where: [first, first]})
    # A block list: `key:` and one entry a line.
    lines = Path("params.yaml").read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.strip() == f"- {first}" == lines[n - 2].strip())
    expect(found, line, f"{where}.1", "stands here twice; remove one")


@pytest.mark.usefixtures("workspace")
def test_a_missing_list_and_its_misspelling_are_two_problems() -> None:
    found = problems({"seeds": REMOVED, "sedes": [1]})
    assert len(found) == 2
    expect(found, 1, "seeds", "missing", "git diff params.yaml")
    expect(found, line_of("sedes:"), "sedes", "unknown key 'sedes'", "legal: datasets, ", "did you mean seeds?")


@pytest.mark.usefixtures("workspace")
def test_a_source_without_a_reader_is_told_the_readers() -> None:
    found = problems({"data.own.source.reader": REMOVED})
    assert len(found) == 1
    assert f"data.own.source.reader: missing; legal: {', '.join(registry.SOURCES)}" in found[0]


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    "edits",
    [
        {"training.lr": "fast", "model.dropout": 2},
        {"variant.add.attention": "fastfomer", "variants": ["fastfomer"]},
    ],
    ids=["types", "contradictions"],
)
def test_all_problems_are_told_in_one_go(edits: dict[str, Any]) -> None:
    found = problems(edits)
    assert len(found) == 2
    assert all(text.startswith("params.yaml:") for text in found)


@pytest.mark.usefixtures("workspace")
def test_lowercase_contradicts_basic_english() -> None:
    found = problems({"text.tokenizer": "basic_english", "text.lowercase": False})
    expect(found, line_of("lowercase: false"), "text.lowercase", "always lower-cases", "set lowercase to true")


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        ("a: 1\nb: [1\nc: 2\n", 3, "line 2, where a bracket or a quote opens"),
        ('a: "open\nb: 2\n', 3, "line 1, where a bracket or a quote opens"),
        ("a: 1\n\tb: 2\n", 2, "cannot start any token; mend that line"),
        ("a: 1\nb: 2\na: 3\n", 3, "duplicate key"),
        ("a: 1\nb: *anchor\n", 2, "undefined alias"),
        ("a: b: c\n", 1, "mapping values are not allowed"),
    ],
)
def test_broken_yaml_is_told_with_its_line(workspace: Path, text: str, line: int, fragment: str) -> None:
    (workspace / "params.yaml").write_text(text)
    with pytest.raises(UserError) as caught:
        load()
    assert str(caught.value).startswith(f"params.yaml:{line}: broken YAML: ")
    assert fragment in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"# only a comment\n", b"- a\n- b\n", b"3\n"])
def test_a_file_without_keys_is_refused(workspace: Path, content: bytes) -> None:
    (workspace / "params.yaml").write_bytes(content)
    with pytest.raises(UserError, match=r"^params\.yaml: holds no keys; `git checkout params\.yaml`"):
        load()


def test_a_missing_file_and_one_that_isnt_utf8_are_refused(workspace: Path) -> None:
    (workspace / "params.yaml").write_bytes("seeds: [1] # Größe\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"^params\.yaml: not UTF-8 .*; save it as UTF-8$"):
        load()
    (workspace / "params.yaml").unlink()
    with pytest.raises(UserError, match=r"^params\.yaml: not found; run this in the folder that holds params\.yaml$"):
        load()


@pytest.mark.parametrize(("written", "value"), [("1e-3", 0.001), ("1", 1.0), ("5.0e-4", 0.0005)])
def test_numbers_of_yaml_1_2_are_numbers(workspace: Path, written: str, value: float) -> None:
    edit({"training.lr": 0.125})
    path = workspace / "params.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("lr: 0.125", f"lr: {written}"), encoding="utf-8")
    lr = load().training.lr
    assert (lr, type(lr)) == (value, float)


@pytest.mark.usefixtures("workspace")
def test_data_set_overrides_defaults_and_variant_overrides_both() -> None:
    edit(
        {
            "model.layers": 2,
            "model.dropout": 0.2,
            "model.feedforward_dim": 32,
            "data.own.model": {"layers": 3, "dropout": 0.3},
            "variant.add.model": {"layers": 4},
            "training.batch_size": 64,
            "data.own.training": {"batch_size": 16},
            "variant.add.training": {"batch_size": 8},
        }
    )
    params = load()
    add, fastformer = params.run("own", "add", 5), params.run("own", "fastformer", 5)
    assert (add.model.layers, add.model.dropout, add.model.feedforward_dim) == (4, 0.3, 32)
    assert (fastformer.model.layers, fastformer.model.dropout) == (3, 0.3)
    assert (add.training.batch_size, fastformer.training.batch_size) == (8, 16)
    assert (add.dataset, add.variant_name, add.seed, add.variant.interaction) == ("own", "add", 5, "add")


@pytest.mark.usefixtures("workspace")
def test_an_override_can_take_a_limit_away() -> None:
    edit({"text.max_words": 500, "data.own.text": {"max_words": None}})
    params = load()
    assert params.text_of("own").max_words is None
    assert params.text_of("review_sentences").max_words == 500


def test_loaded_params_cant_be_changed(root: Path) -> None:
    params = load(root / "params.yaml")
    with pytest.raises(ValueError, match="frozen"):
        params.training.lr = 1.0


def test_unknown_without_a_near_name_or_any_name() -> None:
    assert module.unknown("reader", "zzz", ["tabular"]) == "unknown reader 'zzz'; legal: tabular"
    assert module.unknown("reader", "zzz", []) == "unknown reader 'zzz'; legal: none"


def test_the_schema_for_editors_is_the_classes(root: Path) -> None:
    schema = Params.model_json_schema()
    assert (root / "params.schema.json").read_text(encoding="utf-8") == json.dumps(schema, indent=2) + "\n", (
        "stale; `python -m pipeline schema > params.schema.json`"
    )
    assert set(schema["required"]) == set(Params.model_fields)
    assert not schema["additionalProperties"]
