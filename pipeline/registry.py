"""The names that params.yaml may use, and the class or function behind each: one line per choice.

The targets are text, so that this file imports nothing and a name can be checked in milliseconds.
"""

import importlib
from typing import Any

SOURCES = {
    "review_sentences": "pipeline.sources.review_sentences:ReviewSentences",
    "imdb_maas": "pipeline.sources.imdb_maas:ImdbMaas",
    "imdb": "pipeline.sources.imdb:Imdb",
    "amazon": "pipeline.sources.amazon:Amazon",
    "ag_news": "pipeline.sources.ag_news:AgNews",
    "mind_topics": "pipeline.sources.mind_topics:MindTopics",
    "mind": "pipeline.sources.mind:Mind",
    "cnn_dailymail": "pipeline.sources.cnn_dailymail:CnnDailymail",
    "pubmed": "pipeline.sources.pubmed:Pubmed",
    "newsroom_topics": "pipeline.sources.newsroom.topics:NewsroomTopics",
    "newsroom_ratings": "pipeline.sources.newsroom.ratings:NewsroomRatings",
    "newsroom_clicks": "pipeline.sources.newsroom.clicks:NewsroomClicks",
    "newsroom_briefs": "pipeline.sources.newsroom.briefs:NewsroomBriefs",
    "tabular": "pipeline.sources.tabular:Tabular",
}

TOKENIZERS = {
    "wordpunct": "pipeline.text.tokenizer:wordpunct",
    "basic_english": "pipeline.text.tokenizer:basic_english",
    "treebank": "pipeline.text.tokenizer:treebank",
}

ATTENTIONS = {
    "fastformer": "pipeline.attention.fastformer:FastformerAttention",
    "transformer": "pipeline.attention.transformer:SoftmaxAttention",
    "longformer": "pipeline.attention.longformer:LongformerAttention",
    "bigbird": "pipeline.attention.bigbird:BigBirdAttention",
    "linformer": "pipeline.attention.linformer:LinformerAttention",
    "linear_transformer": "pipeline.attention.linear_transformer:LinearAttention",
    "poolingformer": "pipeline.attention.poolingformer:PoolingformerAttention",
    "reformer": "pipeline.attention.reformer:ReformerAttention",
    "query_only": "pipeline.attention.query_only:QueryOnlyAttention",
    "none": "pipeline.attention.none:NoMixer",
}

WITHOUT_LAYERS = {
    "mean": "pipeline.models.mean:MeanClassifier",
}
"""What `attention` may name beside the mixers: models that have no layers for one to sit in."""


def load(table: dict[str, str], name: str) -> Any:
    """The object that `name` stands for in one of the tables above; KeyError if it is in none."""
    module, _, attribute = table[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
