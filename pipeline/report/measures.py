"""What the report shows of each task: its metrics, the first of them in plots and tests, and the heads of columns."""

METRICS = {
    "classification": {"accuracy": "accuracy", "macro_f1": "macro-F1"},
    "recommendation": {"auc": "AUC", "mrr": "MRR", "ndcg5": "nDCG@5", "ndcg10": "nDCG@10"},
    "summarization": {"rouge_2": "ROUGE-2", "rouge_1": "ROUGE-1", "rouge_lsum": "ROUGE-Lsum", "rouge_l": "ROUGE-L"},
}


def headline(task: str) -> str:
    """The metric that plots, tests of significance and `dvc metrics show` are of."""
    return next(iter(METRICS[task]))


def headline_head(task: str) -> str:
    """Its name for people."""
    return METRICS[task][headline(task)]
