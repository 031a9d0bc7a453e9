"""Every name of the registry leads to something that exists and answers to that name."""

from typing import get_args

import pytest

from pipeline import registry
from pipeline.section import SourceOptions


@pytest.mark.parametrize("name", registry.SOURCES)
def test_a_source_has_what_the_stages_call_and_reads_under_its_name(name: str) -> None:
    source = registry.load(registry.SOURCES, name)
    assert issubclass(source.Options, SourceOptions)
    assert get_args(source.Options.model_fields["reader"].annotation) == (name,)
    assert all(callable(getattr(source, method)) for method in ("check", "fetch", "read"))


@pytest.mark.parametrize("name", registry.TOKENIZERS)
def test_a_tokenizer_cuts_text(name: str) -> None:
    assert registry.load(registry.TOKENIZERS, name)()("a plain text") == ["a", "plain", "text"]


@pytest.mark.parametrize("name", registry.ATTENTIONS)
def test_an_attention_is_a_module(name: str) -> None:
    from torch import nn

    assert issubclass(registry.load(registry.ATTENTIONS, name), nn.Module)


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nobody"):
        registry.load(registry.SOURCES, "nobody")
