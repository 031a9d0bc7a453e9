"""experiments/paper.yaml: what the paper published, as typed objects."""

from pathlib import Path
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import Field, ValidationError, model_validator

from pipeline.attention.options import Interaction, Sharing
from pipeline.errors import UserError
from pipeline.params import Variant, plain, read_yaml
from pipeline.section import Count, PositiveFloat, Section

Percent = Annotated[float, Field(ge=0, le=100)]
T = TypeVar("T")


class Scores(Section):
    """Of one model on one data set."""

    accuracy: Percent
    macro_f1: Percent


class RepeatedScores(Scores):
    """With the deviation over repeats."""

    accuracy_std: Percent
    macro_f1_std: Percent


class Ablation(Scores):
    """Of one form of Fastformer."""

    interaction: Interaction
    sharing: Sharing


class Ranking(Section):
    """Of one recommender."""

    auc: Percent
    mrr: Percent
    ndcg5: Percent
    ndcg10: Percent


class Rouge(Section):
    """Of one summarizer."""

    rouge_1: Percent
    rouge_2: Percent
    rouge_l: Percent


class Published(Section, Generic[T]):
    """Results by data set, and the table or figure that has them."""

    source: str
    results: dict[str, T]


class Ratios(Section):
    """Time per layer over Fastformer's, by encoder, at each of `lengths`; None where the paper has no point."""

    source: str
    lengths: list[Count]
    inference: dict[str, list[PositiveFloat | None]]
    training: dict[str, list[PositiveFloat | None]]

    @model_validator(mode="after")
    def _one_for_each_length(self) -> Self:
        for phase, curves in (("inference", self.inference), ("training", self.training)):
            for name, values in curves.items():
                if len(values) != len(self.lengths):
                    raise ValueError(f"{phase}.{name} has {len(values)} values for {len(self.lengths)} lengths")
        return self


class Paper(Section):
    """All of experiments/paper.yaml."""

    classification: Published[dict[str, RepeatedScores]]
    ablations: Published[list[Ablation]]
    recommendation: Published[dict[str, Ranking]]
    summarization: Published[dict[str, Rouge]]
    time_over_fastformer: Ratios

    def of(self, task: str) -> Published[dict[str, Any]]:
        """The main results on a task, by data set and model."""
        found: Published[dict[str, Any]] = getattr(self, task)
        return found

    @model_validator(mode="after")
    def _no_ablation_twice(self) -> Self:
        for dataset, rows in self.ablations.results.items():
            forms = [(row.interaction, row.sharing) for row in rows]
            if len(set(forms)) < len(forms):
                raise ValueError(f"ablations.results.{dataset} has a form of Fastformer twice")
        return self

    def ablation(self, variant: Variant, reference: Variant) -> dict[str, Ablation]:
        """What the paper has, by data set, for a variant that changes nothing else of `reference` than it did.

        Empty for another attention, for other vectors, scoring or sizes, and for a form that the paper lacks. Of
        scoring it says nothing; qv_head goes with per_head alone.
        """
        changed = {"interaction", "sharing"} | ({"scoring"} if variant.sharing == "qv_head" else set())
        kept, reference_kept = (one.model_dump(exclude=changed) for one in (variant, reference))
        if variant.attention != "fastformer" or kept != reference_kept:
            return {}
        return {
            dataset: row
            for dataset, rows in self.ablations.results.items()
            for row in rows
            if (row.interaction, row.sharing) == (variant.interaction, variant.sharing)
        }


def read(path: Path) -> Paper:
    """The published numbers. UserError with every problem and its path if the file isn't as it should be."""
    try:
        return Paper.model_validate(plain(read_yaml(path)))
    except ValidationError as error:
        problems = [
            f"{path}: {'.'.join(map(str, details['loc']))}: {details['msg']}, not {details['input']!r:.60}"
            for details in error.errors(include_url=False)
        ]
        raise UserError("\n".join([*problems, f"`git checkout {path}` brings the last good one back"])) from None
