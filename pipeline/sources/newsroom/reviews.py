"""How a review of the newsroom is made; docs/newsroom.md states the same rules in prose."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.sources.newsroom import asides, opinions
from pipeline.sources.newsroom.draws import drawn
from pipeline.sources.newsroom.grammar import capital, expand, sentence

VALUES = {2: 0.28, 1: 0.22, 0: 0.16, -1: 0.17, -2: 0.17}
"""An opinion's value and its probability."""

NEGATION, CONTRAST, CONCESSION = 0.05, 0.04, 0.03
"""How often an opinion is said so; negation for values of 1 and -1 alone, since a denial is mild."""

OTHERS = (0, 1, 2)
OTHER_MAKE = 0.04
INDIFFERENT = 0.1
VERDICT = 0.25
SLIP = 0.08
LONG = 0.02


@dataclass(frozen=True)
class Review:
    """`stars` as the writer gave them, `meant` as the text says; both 1 to 5."""

    maker: str
    kind: str
    text: str
    stars: int
    meant: int


def write_review(makers: Sequence[str], generator: random.Random) -> Review:
    """A review; all chance comes from `generator`."""
    maker, other = generator.sample(makers, 2)
    kind = generator.choice(asides.KINDS)
    needed, *rest = generator.sample(sorted(opinions.ASPECTS), 1 + generator.choice(OTHERS))
    values = {aspect: drawn(VALUES, generator) for aspect in (needed, *rest)}

    told = [_opinion(aspect, value, generator) for aspect, value in values.items()]
    told.append(expand(generator.choice(opinions.NEED_FRAMES), {"need": _need(needed, generator)}, generator))
    if generator.random() < OTHER_MAKE:
        told.append(_other_make(needed, other, generator))
    if generator.random() < INDIFFERENT:
        unneeded = generator.choice([aspect for aspect in sorted(opinions.ASPECTS) if aspect != needed])
        subject = opinions.ASPECTS[unneeded].subject
        told.append(expand(generator.choice(opinions.INDIFFERENCE), {"subject": subject}, generator))
    told += _asides(maker, generator)
    generator.shuffle(told)

    told.insert(0, _about(generator.choice(asides.OPENINGS), maker, kind, generator))
    meant = 3 + values[needed]
    if generator.random() < VERDICT:
        shift = generator.choice((1, -1))
        told.append(generator.choice(opinions.VERDICTS[shift]))
        meant += shift
    meant = min(max(meant, 1), 5)
    stars = meant
    if generator.random() < SLIP:
        stars = generator.choice([near for near in (meant - 1, meant + 1) if 1 <= near <= 5])
    return Review(maker, kind, " ".join(map(sentence, told)), stars, meant)


def _opinion(aspect: str, value: int, generator: random.Random) -> str:
    """A sentence, or two, with an opinion of that value."""
    if value == 0:
        both = {"good": _clause(aspect, generator, good=True), "bad": _clause(aspect, generator, good=False)}
        return expand(generator.choice(opinions.BOTH_WAYS), both, generator)
    said = {
        "clause": generator.choice(opinions.ASPECTS[aspect].clauses[value]),
        "set_aside": _clause(aspect, generator, good=value < 0),
        "elsewhere": generator.choice(opinions.ELSEWHERE),
        "in_use": generator.choice(opinions.IN_USE),
    }
    form = generator.random()
    if form < CONTRAST:
        template = generator.choice(opinions.CONTRASTS)
    elif form < CONTRAST + CONCESSION:
        template = generator.choice(opinions.CONCESSIONS)
    elif form < CONTRAST + CONCESSION + NEGATION and abs(value) == 1:
        template = generator.choice(opinions.DENIALS)
        said["clause"] = said["set_aside"]
    else:
        template = "{clause}"
    return expand(template, said, generator)


def _clause(aspect: str, generator: random.Random, *, good: bool) -> str:
    """A clause of the aspect, strong or mild."""
    value = generator.choice((1, 2)) * (1 if good else -1)
    return generator.choice(opinions.ASPECTS[aspect].clauses[value])


def _need(aspect: str, generator: random.Random) -> str:
    return generator.choice(opinions.ASPECTS[aspect].needs)


def _other_make(aspect: str, other: str, generator: random.Random) -> str:
    clause = _clause(aspect, generator, good=generator.random() < 0.5)
    return expand(generator.choice(opinions.OTHER_MAKES), {"other": other, "clause": capital(clause)}, generator)


def _asides(maker: str, generator: random.Random) -> list[str]:
    """None or one, rarely a whole story of them; none twice."""
    number = generator.randint(36, 60) if generator.random() < LONG else generator.choice((0, 0, 0, 1, 1))
    return [_about(template, maker, "", generator) for template in generator.sample(asides.ASIDES, number)]


def _about(template: str, maker: str, kind: str, generator: random.Random) -> str:
    slots = {name: generator.choice(words) for name, words in asides.WORDS.items()}
    others = [colour for colour in asides.WORDS["colour"] if colour != slots["colour"]]
    return expand(template, slots | {"maker": maker, "kind": kind, "colour_2": generator.choice(others)}, generator)
