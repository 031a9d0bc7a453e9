"""What the report shows of each task: its metrics, the first of them in plots and tests, and the heads of columns."""

METRICS = {
    "classification": {"accuracy": "accuracy", "macro_f1": "macro-F1"},
    "recommendation": {"auc": "AUC", "mrr": "MRR", "ndcg5": "nDCG@5", "ndcg10": "nDCG@10"},
}


def headline(task: str) -> str:
    """The metric that plots, tests of significance and `dvc metrics show` are of."""
    return next(iter(METRICS[task]))


def headline_head(task: str) -> str:
    """Its name for people."""
    return METRICS[task][headline(task)]
