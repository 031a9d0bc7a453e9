"""params.yaml as typed objects. There are no default values here: every value stands in params.yaml.

Precedence is defaults < data.<set> < variant; `Params.run` applies it. `load` collects all problems, each with its
line and path, and raises them together as one UserError.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from pipeline import registry
from pipeline.attention.options import Interaction, Scoring, Sharing
from pipeline.errors import UserError
from pipeline.section import (
    Count,
    Even,
    FileName,
    Name,
    PositiveFloat,
    Section,
    Seed,
    Size,
    SourceOptions,
    merged,
    overrides_of,
)

PRETRAINED = (
    *(f"glove.6B.{dim}d" for dim in (50, 100, 200, 300)),
    *("glove.42B.300d", "glove.840B.300d"),
    *(f"glove.twitter.27B.{dim}d" for dim in (25, 50, 100, 200)),
    *(f"glove-wiki-gigaword-{dim}" for dim in (50, 100, 200, 300)),
    *(f"glove-twitter-{dim}" for dim in (25, 50, 100, 200)),
    "word2vec-google-news-300",
)
"""Pretrained vectors that have a name; a file of the user's own is named by its path."""

VECTOR_SUFFIXES = (".txt", ".gz", ".zip", ".bin", ".kv")

BASELINES = {
    "classification": ("majority", "tfidf_logreg"),
    "recommendation": ("random", "popularity", "tfidf"),
    "summarization": ("oracle", "lead"),
}
"""Rows of the report that no variant makes, by task; against the last of them every variant is tested."""

CEILING = "ceiling"
"""The row of generated texts that says how well they can be answered at all."""

NO_GPU = "hardware.accelerator is gpu, but there is no CUDA device for torch; set it to auto or cpu"
NO_GPU_FOR_HALF = "training.precision 16-mixed needs a CUDA device; take bf16-mixed or 32-true"
"""What `check` says beforehand, and the stage that needs one if it is called without."""

MONITORS = {
    "classification": ("accuracy", "macro_f1", "loss"),
    "recommendation": ("auc", "mrr", "ndcg5", "ndcg10", "loss"),
    "summarization": ("loss", "rouge_1", "rouge_2", "rouge_l", "rouge_lsum"),
}
"""What of a validation can choose the best epoch, by task."""

READ_BY_TASK = {
    **dict.fromkeys(("category", "negatives", "encoder_lr", "user_attention", "news_encoder"), "recommendation"),
    **dict.fromkeys(
        (
            "batch_tokens",
            "beam",
            "block_trigrams",
            "copy_words",
            "decoder_layers",
            "label_smoothing",
            "length_penalty",
            "min_summary",
            "validation_summaries",
        ),
        "summarization",
    ),
}
"""Keys of `model`, `training` and variants that one task alone reads."""

FASTFORMER_KEYS = {"interaction": get_args(Interaction), "sharing": get_args(Sharing), "scoring": get_args(Scoring)}
"""What a variant says of Fastformer alone, and the legal values."""

KeyPath = tuple[str | int, ...]


class Text(Section):
    """How text becomes ids."""

    tokenizer: str
    lowercase: bool
    min_count: Count
    max_words: Count | None
    max_length: Size


class Model(Section):
    """The network's sizes and parts; attention.options says what a mixer makes of those that it reads."""

    dim: Size
    heads: Size
    layers: Size
    feedforward_dim: Size
    dropout: Annotated[float, Field(ge=0, lt=1)]
    init_std: PositiveFloat
    positions: bool
    feedforward: bool
    residual: bool
    layer_norm: bool
    recompute: bool
    category: bool
    window: Even
    global_tokens: Size
    random_tokens: Size
    block_length: Size
    pooling_window: Even
    projection_dim: Size
    bucket_length: Size
    hash_rounds: Size
    decoder_layers: Size
    copy_words: bool
    beam: Annotated[int, Field(ge=1, le=64)]
    length_penalty: Annotated[float, Field(ge=-10, le=10)]
    min_summary: Annotated[int, Field(ge=0, le=65_536)]
    block_trigrams: bool


class Training(Section):
    """How a run is trained and when it stops."""

    batch_size: Count
    batch_tokens: Count | None
    lr: PositiveFloat
    max_epochs: Count
    patience: Count
    monitor: Literal[
        "accuracy",
        "macro_f1",
        "auc",
        "mrr",
        "ndcg5",
        "ndcg10",
        "rouge_1",
        "rouge_2",
        "rouge_l",
        "rouge_lsum",
        "loss",
    ]
    negatives: Count
    encoder_lr: PositiveFloat
    label_smoothing: Annotated[float, Field(ge=0, lt=1)]
    validation_summaries: Count
    precision: Literal["32-true", "bf16-mixed", "16-mixed"]


class RandomVectors(Section):
    """Word vectors drawn from a normal distribution with mean 0."""

    dim: Size
    std: PositiveFloat


class Word2Vec(Section):
    """Word vectors that gensim trains on the training split."""

    dim: Size
    window: Count
    epochs: Count


class Vectors(Section):
    """Where word vectors come from; `seed` is that of every draw and of word2vec.

    `case`: in which spellings a word is looked for in the pretrained file, each including those before it.
    """

    pretrained: FileName
    case: Literal["exact", "lower", "title"]
    seed: Seed
    random: RandomVectors
    word2vec: Word2Vec


if TYPE_CHECKING:
    TextOverrides = Text
    ModelOverrides = Model
    TrainingOverrides = Training
    AnySource = SourceOptions
else:
    TextOverrides, ModelOverrides, TrainingOverrides = map(overrides_of, (Text, Model, Training))
    AnySource = Annotated[
        Union[tuple(registry.load(registry.SOURCES, name).Options for name in registry.SOURCES)],  # noqa: UP007
        Field(discriminator="reader"),
    ]


class Variant(Section):
    """One row of the comparison; `model` and `training` override single values for this row alone.

    Fastformer's own three stand where `attention` or `user_attention` names it, and nowhere else. `user_attention` is
    that of a recommender's user encoder where it differs; `news_encoder` puts the data set's pretrained one in place of
    the news encoder.
    """

    attention: str
    user_attention: str | None = None
    news_encoder: Literal["pretrained"] | None = None
    interaction: Interaction | None = None
    sharing: Sharing | None = None
    scoring: Scoring | None = None
    vectors: Literal["pretrained", "frozen", "random", "word2vec"]
    model: ModelOverrides = ModelOverrides.model_construct()
    training: TrainingOverrides = TrainingOverrides.model_construct()


class DataSet(Section):
    """One data set: where its records come from, and what it overrides."""

    source: AnySource
    text: TextOverrides
    model: ModelOverrides
    training: TrainingOverrides


class Ablations(Section):
    """Data sets and variants of the ablation grid."""

    datasets: list[Name]
    variants: list[Name]


class Benchmark(Section):
    """What the stage `benchmark` measures, with the sizes of `model`; at least three rounds whatever the seconds."""

    encoders: list[str]
    lengths: Annotated[list[Count], Field(min_length=1)]
    cpu_tokens: Count
    gpu_tokens: Count
    dtypes: Annotated[list[Literal["float32", "bfloat16", "float16"]], Field(min_length=1)]
    layer_seconds: PositiveFloat
    step_texts: Count
    step_seconds: PositiveFloat


class Hardware(Section):
    """Where it runs. No result depends on it, but for the last digits on `threads` and `accelerator`."""

    accelerator: Literal["auto", "cpu", "gpu"]
    threads: Annotated[int, Field(ge=1, le=1024)]
    workers: Annotated[int, Field(ge=0, le=1024)]
    processes: Annotated[int, Field(ge=1, le=1024)] | None
    progress: Literal["auto", "always", "never"]
    checkpoint_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    @property
    def draws_bars(self) -> bool:
        """Whether progress is drawn: as `progress` says, `auto` for a terminal only."""
        return self.progress == "always" or (self.progress == "auto" and sys.stderr.isatty())


class Tracking(Section):
    """Weights & Biases."""

    mode: Literal["offline", "online", "disabled"]
    project: Annotated[str, Field(pattern=r"^[^/\\#?%:]{1,128}$")]
    entity: str | None
    log_every_steps: Count


class Run(Section):
    """The values of one training, overrides applied."""

    dataset: str
    variant_name: str
    seed: int
    variant: Variant
    model: Model
    training: Training


class Params(Section):
    """The whole of params.yaml."""

    datasets: Annotated[list[Name], Field(min_length=1)]
    variants: Annotated[list[Name], Field(min_length=1)]
    seeds: Annotated[list[Seed], Field(min_length=1)]
    ablations: Ablations
    text: Text
    model: Model
    training: Training
    vectors: Vectors
    variant: dict[Name, Variant]
    data: dict[Name, DataSet]
    benchmark: Benchmark
    hardware: Hardware
    tracking: Tracking

    def text_of(self, dataset: str) -> Text:
        """The text section of a data set, its overrides applied."""
        return merged(self.text, self.data[dataset].text)

    def task_of(self, dataset: str) -> str:
        """What a data set is for."""
        return self.data[dataset].source.task

    def run(self, dataset: str, variant_name: str, seed: int) -> Run:
        """The values of one training, overrides applied."""
        data, variant = self.data[dataset], self.variant[variant_name]
        return Run(
            dataset=dataset,
            variant_name=variant_name,
            seed=seed,
            variant=variant,
            model=merged(self.model, data.model, variant.model),
            training=merged(self.training, data.training, variant.training),
        )

    def trainings(self) -> list[tuple[str, str, str, int]]:
        """Stage, data set, variant and seed of all trainings that the lists span."""
        ablations = self.ablations
        return [
            (grid, dataset, variant, seed)
            for grid, datasets, variants in (
                ("train", self.datasets, self.variants),
                ("ablate", ablations.datasets, ablations.variants),
            )
            for dataset in datasets
            for variant in variants
            for seed in self.seeds
        ]

    def runs(self) -> list[Run]:
        """The values of all those trainings."""
        return [self.run(dataset, variant, seed) for _, dataset, variant, seed in self.trainings()]


def load(path: Path = Path("params.yaml")) -> Params:
    """params.yaml as objects. Raises UserError that lists every problem with its line, its path and the remedy."""
    tree = read_yaml(path)
    try:
        params = Params.model_validate(plain(tree))
    except ValidationError as error:
        problems = [_problem(details) for details in error.errors(include_url=False)]
    else:
        problems = list(dict.fromkeys(contradictions(params)))
        if not problems:
            return params
    lines = [f"{path}:{_line(tree, where)}: {'.'.join(map(str, where))}: {message}" for where, message in problems]
    raise UserError("\n".join(lines))


def read_yaml(path: Path) -> CommentedMap:
    """The file as ruamel reads it: YAML 1.2, as DVC reads it. UserError if it is missing, broken or no mapping."""
    try:
        tree = YAML().load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: not found; run this in the folder that holds {path.name}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from None
    except YAMLError as error:
        mark, began = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        # A bracket or a quote that isn't closed shows only later, often at the end of the file.
        remedy = "mend that line"
        if mark and began and began.line != mark.line and re.search("flow|quoted", str(getattr(error, "context", ""))):
            remedy += f", or line {began.line + 1}, where a bracket or a quote opens"
        raise UserError(f"{path}{line}: broken YAML: {what}; {remedy}") from None
    except (RecursionError, ValueError) as error:  # thousands of brackets, a number of thousands of digits
        raise UserError(f"{path}: unreadable YAML: {error}; mend it") from None
    if not isinstance(tree, CommentedMap):
        raise UserError(f"{path}: holds no keys; `git checkout {path}` brings back the last good one")
    return tree


def unknown(kind: str, name: object, legal: Sequence[str]) -> str:
    """A sentence that refuses a name, lists the legal ones and guesses what was meant."""
    close = get_close_matches(str(name), legal, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"unknown {kind} {name!r}; legal: {', '.join(legal) or 'none'}{hint}"


def contradictions(params: Params) -> Iterator[tuple[KeyPath, str]]:
    """What types can't say: names that must exist, and values that must fit each other."""
    data, variants = list(params.data), list(params.variant)
    yield from _names(("datasets",), params.datasets, "data set", data)
    yield from _names(("variants",), params.variants, "variant", variants)
    yield from _names(("ablations", "variants"), params.ablations.variants, "variant", variants)
    for index, name in enumerate(params.ablations.datasets):
        if name in data and name not in params.datasets:
            yield ("ablations", "datasets", index), f"{name!r} isn't in datasets; add it there, or remove it here"
        elif name not in data:
            yield ("ablations", "datasets", index), unknown("data set", name, data)
    for where, values in (
        (("seeds",), params.seeds),
        (("datasets",), params.datasets),
        (("variants",), params.variants),
        (("ablations", "datasets"), params.ablations.datasets),
        (("ablations", "variants"), params.ablations.variants),
        (("benchmark", "encoders"), params.benchmark.encoders),
        (("benchmark", "lengths"), params.benchmark.lengths),
        (("benchmark", "dtypes"), params.benchmark.dtypes),
    ):
        yield from (
            ((*where, index), f"{value!r} stands here twice; remove one")
            for index, value in enumerate(values)
            if value in values[:index]
        )
    yield from _names(("benchmark", "encoders"), params.benchmark.encoders, "attention", list(registry.ATTENTIONS))
    for key in ("cpu_tokens", "gpu_tokens"):
        if (tokens := getattr(params.benchmark, key)) < (longest := max(params.benchmark.lengths)):
            yield ("benchmark", key), f"{tokens} tokens hold no text of {longest}, the greatest of lengths; raise it"
    if "fastformer" not in params.benchmark.encoders:
        yield ("benchmark", "encoders"), "lacks fastformer, beside which the others stand; add it"
    pretrained = params.vectors.pretrained
    if pretrained not in PRETRAINED and not pretrained.endswith(VECTOR_SUFFIXES):
        suffixes = f"{', '.join(VECTOR_SUFFIXES[:-1])} or {VECTOR_SUFFIXES[-1]}"
        legal = [*PRETRAINED, f"a file below data/local/vectors ({suffixes})"]
        yield ("vectors", "pretrained"), unknown("vectors", pretrained, legal)
    elif Path(pretrained).is_absolute() or ".." in Path(pretrained).parts:
        yield ("vectors", "pretrained"), "must be a path inside data/local/vectors; copy or link your file there"
    for name, variant in params.variant.items():
        if name in (*chain.from_iterable(BASELINES.values()), CEILING):
            yield ("variant", name), f"{name!r} is the name of a row of the report that no variant makes; take another"
        yield from _variant_contradictions(name, variant)
    for dataset in data:
        yield from _text_contradictions(params, dataset)
        for name in variants:
            yield from _model_contradictions(params, dataset, name)
            yield from _training_contradictions(params, dataset, name)
    yield from _spanned_contradictions(params)


def _names(where: KeyPath, names: list[str], kind: str, legal: list[str]) -> Iterator[tuple[KeyPath, str]]:
    for index, name in enumerate(names):
        if name not in legal:
            yield (*where, index), unknown(kind, name, legal)


def _variant_contradictions(name: str, variant: Variant) -> Iterator[tuple[KeyPath, str]]:
    legal = [*registry.ATTENTIONS, *registry.WITHOUT_LAYERS]
    named = {"attention": variant.attention}
    if variant.user_attention is not None:
        named["user_attention"] = variant.user_attention
    unnamed = {key: value for key, value in named.items() if value not in legal}
    yield from ((("variant", name, key), unknown("attention", value, legal)) for key, value in unnamed.items())
    if unnamed:
        return
    for key, values in FASTFORMER_KEYS.items():
        if "fastformer" not in named.values() and key in variant.model_fields_set:
            yield ("variant", name, key), f"attention {variant.attention} has no {key}; remove `{key}` here"
        elif "fastformer" in named.values() and getattr(variant, key) is None:
            yield ("variant", name, key), f"missing; attention fastformer needs one of {', '.join(values)}"
    if variant.sharing == "qv_head" and variant.scoring == "full":
        message = "sharing qv_head has one vector to score each head's own part with; set scoring to per_head"
        yield ("variant", name, "scoring"), message


def _text_contradictions(params: Params, dataset: str) -> Iterator[tuple[KeyPath, str]]:
    text, overrides = params.text_of(dataset), params.data[dataset].text.model_fields_set
    where: KeyPath = ("data", dataset, "text") if {"tokenizer", "lowercase"} & overrides else ("text",)
    if text.tokenizer not in registry.TOKENIZERS:
        yield (*where, "tokenizer"), unknown("tokenizer", text.tokenizer, list(registry.TOKENIZERS))
    if text.tokenizer == "basic_english" and not text.lowercase:
        yield (*where, "lowercase"), "tokenizer basic_english always lower-cases; set lowercase to true"
    if 0 < (text.max_words or 0) < 2:
        yield (*where, "max_words"), "one word is no vocabulary; take at least 2, or null for no limit"


def _training_contradictions(params: Params, dataset: str, name: str) -> Iterator[tuple[KeyPath, str]]:
    task, monitor = params.task_of(dataset), params.run(dataset, name, 0).training.monitor
    if monitor in (legal := MONITORS[task]):
        return
    where: KeyPath = ("training",)
    if "monitor" in params.variant[name].training.model_fields_set:
        where = ("variant", name, "training")
    elif "monitor" in params.data[dataset].training.model_fields_set:
        where = ("data", dataset, "training")
    yield (*where, "monitor"), f"{task} has no {monitor}; legal: {', '.join(legal)}; data.<set>.training may name one"


def _spanned_contradictions(params: Params) -> Iterator[tuple[KeyPath, str]]:
    """What a variant can't be trained for, of those that the lists span."""
    for grid, dataset, name, _ in params.trainings():
        if dataset not in params.data or name not in params.variant:
            continue
        source, variant = params.data[dataset].source, params.variant[name]
        where: KeyPath = ("variants",) if grid == "train" else ("ablations", "variants")
        if variant.news_encoder is not None and getattr(source, "news_encoder", None) is None:
            message = f"{name!r} reads a pretrained news encoder, and data.{dataset}.source has none"
            remedy = "name one in its news_encoder, or " if source.task == "recommendation" else ""
            yield where, f"{message}; {remedy}take the variant or the data set out"
        if source.task == "summarization" and variant.attention in registry.WITHOUT_LAYERS:
            message = f"attention {variant.attention} of variant {name} has no layers for a decoder to read"
            yield where, f"{message}, so that {dataset} can't be summarized with it; remove one of the two"


def _model_contradictions(params: Params, dataset: str, name: str) -> Iterator[tuple[KeyPath, str]]:
    model = params.run(dataset, name, 0).model

    def where(*keys: str) -> KeyPath:
        """The section that has the last word on one of these keys of `model`."""
        found: KeyPath = ("model",)
        for path, override in (
            (("data", dataset, "model"), params.data[dataset].model),
            (("variant", name, "model"), params.variant[name].model),
        ):
            if set(keys) & override.model_fields_set:
                found = path
        return found

    source = params.data[dataset].source
    longest: int | None = getattr(source, "summary_length", None)
    if longest is not None and model.min_summary >= longest:
        message = f"min_summary {model.min_summary} leaves no end to a summary of {longest} tokens, the most that"
        yield (*where("min_summary"), "min_summary"), f"{message} data.{dataset}.source.summary_length allows; lower it"
    if params.variant[name].attention == "none" and not model.residual:
        message = f"variant {name}: attention none adds nothing to a token, so that without residual nothing is left"
        yield (*where("residual"), "residual"), f"{message}; set residual to true"
    if model.dim % model.heads:
        divisors = [d for d in range(1, model.dim + 1) if model.dim % d == 0]
        nearest = min(divisors, key=lambda divisor: abs(divisor - model.heads))
        yield (*where("dim", "heads"), "heads"), f"heads {model.heads} doesn't divide dim {model.dim}; {nearest} does"


def plain(tree: Any) -> Any:
    """ruamel's containers and numbers as Python's own, which strict validation asks for."""
    if isinstance(tree, Mapping):
        return {str(key): plain(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [plain(item) for item in tree]
    if isinstance(tree, bool):
        return tree
    return next((kind(tree) for kind in (int, float, str) if isinstance(tree, kind)), tree)


def _problem(details: ErrorDetails) -> tuple[KeyPath, str]:
    """One of pydantic's errors in the words of this project."""
    # A discriminated union puts the reader's name into the path: data.<set>.source.<reader>.<key>.
    where = tuple(p for i, p in enumerate(details["loc"]) if not (i == 3 and details["loc"][2] == "source"))
    kind, value = details["type"], details["input"]
    if where == ("tracking", "project"):
        return where, f"illegal name {value!r}; up to 128 characters without / \\ # ? % :"
    if kind == "string_pattern_mismatch":
        # pydantic marks a key as (..., <key>, "[key]").
        where = where[:-1] if where[-1] == "[key]" else where
        return where, f"illegal name {value!r}; letters, digits and '_' only, '_' not first"
    if kind == "extra_forbidden":
        legal = _legal_keys(details["loc"])
        return where, unknown("key", where[-1], legal)
    if kind == "missing":
        return where, "missing; every value stands in params.yaml, `git diff params.yaml` shows what was removed"
    if kind == "literal_error":
        legal = [word.strip("'") for word in details["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        return where, unknown("value", value, legal)
    if kind == "union_tag_not_found":
        return (*where, "reader"), f"missing; legal: {', '.join(registry.SOURCES)}"
    if kind == "union_tag_invalid":
        return (*where, "reader"), unknown("reader", value["reader"], list(registry.SOURCES))
    if kind in ("dict_type", "model_type", "model_attributes_type"):
        return where, "must hold keys, each as `key: value`; where none is needed, `{}`"
    if kind == "value_error":
        return where, str(details["ctx"]["error"])
    if kind == "too_short":
        return where, "empty; name at least one"
    message = details["msg"].removeprefix("Input ")
    if not isinstance(value, dict | list):
        message += f", not {_as_yaml(value)}"
    if isinstance(value, str) and kind in ("float_type", "int_type") and re.fullmatch(r"[-+.\deE]*\d", value):
        message += "; remove the quotes"
    return where, message


def _as_yaml(value: object) -> str:
    """A scalar as a YAML file spells it."""
    return (
        {True: "true", False: "false"}[value] if isinstance(value, bool) else "null" if value is None else repr(value)
    )


def _legal_keys(loc: KeyPath) -> list[str]:
    """The keys that the section at a validation path has."""
    schema = Params.model_json_schema()
    node = schema
    for step in loc[:-1]:
        node = _resolve(schema, node)
        if "discriminator" in node:
            node = {"$ref": node["discriminator"]["mapping"][step]}
        elif "properties" in node and step in node["properties"]:
            node = node["properties"][step]
        else:
            node = node.get("additionalProperties") or next(iter(node.get("patternProperties", {}).values()), {})
    return list(_resolve(schema, node).get("properties", {}))


def _resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return node


def _line(tree: Any, where: KeyPath) -> int:
    """The line of params.yaml that a path leads to, or that of its nearest parent; 1 for the root."""
    line = 1
    for step in where:
        try:
            line = (tree.lc.item(step)[0] if isinstance(step, int) else tree.lc.key(step)[0]) + 1
            tree = tree[step]
        except (KeyError, IndexError, AttributeError, TypeError):
            break
    return line
