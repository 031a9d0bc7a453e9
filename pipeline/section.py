"""The building stones of params.yaml's classes, which a source's own options share."""

from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model, model_validator

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]*$", max_length=60)]
"""A name that is also a folder and part of a DVC stage's name, as `ag_news`; DVC takes a dot for the end of a key."""

Share = Annotated[float, Field(gt=0, lt=1)]
Seed = Annotated[int, Field(ge=0, lt=2**31)]
Count = Annotated[int, Field(ge=1, lt=2**31)]
Size = Annotated[int, Field(ge=1, le=65_536)]
Even = Annotated[int, Field(ge=2, le=65_536, multiple_of=2)]
FileName = Annotated[str, Field(min_length=1, max_length=200)]
PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Section(BaseModel):
    """A part of params.yaml: unknown keys, and text where a number belongs, are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


S = TypeVar("S", bound=Section)


class Splits(Section):
    """The shares of the records that become validation and test where upstream has no such splits."""

    validation: Share
    test: Share
    seed: Seed

    @model_validator(mode="after")
    def _leaves_training(self) -> Self:
        if self.validation + self.test >= 1:
            raise ValueError(f"validation {self.validation} and test {self.test} leave nothing to train on")
        return self


Task = Literal["classification", "recommendation", "summarization"]


class SourceOptions(Section):
    """What the `source` section of every data set holds; a reader's own class adds its options.

    `task` is what the records are for; it is the reader's, and no key of params.yaml.
    """

    task: ClassVar[Task] = "classification"
    reader: str


class SplitOptions(SourceOptions):
    """What the `source` section holds where the pipeline cuts a split that upstream doesn't have.

    With `drop_repeated` a text that stood before is dropped, and so is a training text that stands in a validation or
    test set of upstream's; those sets stay whole, so that figures compare with published ones.
    """

    splits: Splits
    drop_repeated: bool


def inside_local(value: str) -> str:
    """A file name that stays below data/local/<data set>, in its shortest form. ValueError where it leads out of it."""
    if Path(value).is_absolute() or ".." in Path(value).parts:
        raise ValueError("must be a path inside data/local/<data set>; `python -m pipeline link` puts it there")
    return str(PurePosixPath(value)) if value else value


def overrides_of(section: type[S]) -> type[S]:
    """The same section with every key optional, for a place that overrides single values."""
    fields: dict[str, Any] = {
        name: (field.rebuild_annotation(), Field(default=None)) for name, field in section.model_fields.items()
    }
    # Not a subclass, since its keys are optional; but what reads a key of an override expects the section's type.
    model = create_model(f"{section.__name__}Overrides", __base__=Section, __doc__=section.__doc__, **fields)
    return cast(type[S], model)


def merged(base: S, *overrides: Section) -> S:
    """`base` with the values that the overrides set, the last one winning."""
    values = base.model_dump()
    for override in overrides:
        values |= override.model_dump(exclude_unset=True)
    return type(base).model_validate(values)
