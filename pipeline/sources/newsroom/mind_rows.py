"""Articles as rows of MIND's news.tsv."""

import json
import re
from collections import defaultdict
from typing import Any

from pipeline.sources.newsroom.article import Article
from pipeline.sources.newsroom.entities import Entity, Organisation, Person
from pipeline.sources.newsroom.world import World

FIRST_ID = 10_001

_CAPITALISED = re.compile(r"\b[A-Z]\w*")


class MindRows:
    """Writes rows, with the entities of a world found in title and body."""

    def __init__(self, world: World) -> None:
        self._forms: dict[str, list[tuple[str, Entity]]] = defaultdict(list)
        for entity in world.entities():
            for form in entity.forms:
                self._forms[form.partition(" ")[0]].append((form, entity))
        for forms in self._forms.values():
            forms.sort(key=lambda pair: len(pair[0]), reverse=True)

    def row(self, place: int, article: Article) -> str:
        """The row at a place of the file, counted from 0, with its line end."""
        number = f"N{FIRST_ID + place}"
        fields = (
            number,
            article.topic,
            article.main_event.kind.name,
            article.title,
            article.body,
            f"https://newsroom.example/news/{number}.html",
            json.dumps(self.found(article.title)),
            json.dumps(self.found(article.body)),
        )
        return "\t".join(fields) + "\n"

    def found(self, text: str) -> list[dict[str, Any]]:
        """The entities of a text in the order of their first mention; of several that fit a place, the longest."""
        mentions: dict[Entity, list[tuple[int, str]]] = defaultdict(list)
        end = 0
        for match in _CAPITALISED.finditer(text):
            if match.start() < end:
                continue
            for form, entity in self._forms.get(match[0], ()):
                after = match.start() + len(form)
                if text.startswith(form, match.start()) and not text[after : after + 1].isalnum():
                    mentions[entity].append((match.start(), form))
                    end = after
                    break
        return [
            {
                "Label": entity.forms[0],
                "Type": _type(entity),
                "WikidataId": entity.id,
                "Confidence": 1.0,
                "OccurrenceOffsets": [offset for offset, _ in places],
                "SurfaceForms": [form for _, form in places],
            }
            for entity, places in mentions.items()
        ]


def _type(entity: Entity) -> str:
    """MIND's letter for a person, an organisation or a place."""
    return "P" if isinstance(entity, Person) else "O" if isinstance(entity, Organisation) else "G"
