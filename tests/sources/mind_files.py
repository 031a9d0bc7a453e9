"""MIND's two files in a few rows, with the quirks of the real ones."""

from pathlib import Path


def news_row(number: int, title: str, abstract: str = "", category: str = "news") -> str:
    return f"N{number}\t{category}\tnewsworld\t{title}\t{abstract}\thttps://news.example/{number}.html\t[]\t[]\n"


def behavior_row(number: int, user: str, time: str, history: str, candidates: str) -> str:
    return "\t".join((str(number), user, time, history, candidates)) + "\n"


TRAIN_NEWS = (
    news_row(1, "Orlen votes", "Polls opened on Sunday.")
    + news_row(2, '"We won," she said', 'No "quotes" close here', "sports")
    + news_row(3, 'A lone " quote', "", "sports")
    + news_row(4, "Rain ahead", "Rain is likely.", "weather")
)
TRAIN = (
    behavior_row(1, "U1", "11/10/2019 9:03:12 AM", "N1 N2 N1", "N3-1 N4-0")
    + behavior_row(2, "U2", "11/9/2019 12:00:05 PM", "", "N1-0 N2-1 N3-1")
    + behavior_row(3, "U1", "11/9/2019 12:59:59 AM", "N1 N2 N1", "N4-0 N9-1 N1-0")
    + behavior_row(4, "U3", "11/11/2019 1:00:00 AM", "N8 N4", "N1-1 N2-0")
)
TEST_NEWS = news_row(4, "Rain ahead", "Rain is likely.", "weather") + news_row(5, "Snow at last", "", "snow")
TEST = behavior_row(1, "U1", "11/12/2019 7:00:00 PM", "N1 N2 N1 N3", "N5-1 N4-0") + behavior_row(
    2, "U4", "11/12/2019 8:00:00 PM", "N4", "N4-1"
)
UNLABELLED = behavior_row(7, "U1", "11/13/2019 7:00:00 PM", "N1 N2", "N5 N4 N1") + behavior_row(
    8, "U4", "11/13/2019 8:00:00 PM", "", "N4"
)
FOLDERS = ("train", "dev", "test")


def write(local: Path, **changes: str) -> Path:
    """The three folders below `local`; a change is named as `dev_news` or `dev_behaviors`."""
    for folder, news, behaviors in zip(
        FOLDERS, (TRAIN_NEWS, TEST_NEWS, TEST_NEWS), (TRAIN, TEST, UNLABELLED), strict=True
    ):
        (local / folder).mkdir(parents=True, exist_ok=True)
        (local / folder / "news.tsv").write_text(changes.get(f"{folder}_news", news))
        (local / folder / "behaviors.tsv").write_text(changes.get(f"{folder}_behaviors", behaviors))
    return local
