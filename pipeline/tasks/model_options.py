"""From a run's values to what a text model is built from."""

from pipeline.models.options import ModelOptions
from pipeline.params import READ_BY_TASK, Run


def model_options(run: Run, vocabulary_size: int, max_length: int, vector_dim: int) -> ModelOptions:
    """The values of the run's variant and of `model`, and the sizes of its data."""
    return ModelOptions.from_flat(
        {
            **run.variant.model_dump(exclude={*READ_BY_TASK, "vectors", "model", "training"}),
            **run.model.model_dump(exclude={*READ_BY_TASK}),
            "vocabulary_size": vocabulary_size,
            "vector_dim": vector_dim,
            "max_length": max_length,
            "frozen": run.variant.vectors == "frozen",
        }
    )
