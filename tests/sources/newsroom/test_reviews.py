"""Reviews of the newsroom: a plain reader of the rules finds in the text alone what its writer meant."""

import random
import re
from collections import Counter
from itertools import product

import pytest

from pipeline.sources.newsroom import opinions
from pipeline.sources.newsroom.reviews import SLIP, VALUES, Review, write_review
from tests.sources.newsroom.patterns import pattern

MAKERS = ("Aldane", "Orbit", "Pell", "Varo")
TEXTS = 1500
PARTS = ("clause", "set_aside", "good", "bad")


@pytest.fixture(scope="module")
def reviews() -> list[Review]:
    generator = random.Random(1)
    return [write_review(MAKERS, generator) for _ in range(TEXTS)]


def sentences(text: str) -> list[str]:
    return re.split(r'(?<=\.) |(?<=\.") ', text)


def value_of(clause: str, aspect: str) -> int | None:
    """The value of a clause on the aspect, whose first letter may be a capital."""
    clauses = opinions.ASPECTS[aspect].clauses.items()
    return next((value for value, said in clauses if clause.lower() in map(str.lower, said)), None)


def opinion_of(said: str, aspect: str) -> int | None:
    """The value of a sentence's opinion on the aspect, None if it holds none."""
    said = said.rstrip(".")
    if (value := value_of(said, aspect)) is not None:
        return value
    for template in opinions.DENIALS:
        if (match := pattern(template, PARTS).fullmatch(said)) and (value := value_of(match["clause"], aspect)):
            return -1 if value > 0 else 1
    for template, elsewhere, in_use in product(
        (*opinions.CONTRASTS, *opinions.CONCESSIONS), opinions.ELSEWHERE, opinions.IN_USE
    ):
        spelled = template.replace("{elsewhere}", elsewhere).replace("{in_use}", in_use)
        if match := pattern(spelled, PARTS).fullmatch(said):
            value, set_aside = value_of(match["clause"], aspect), value_of(match["set_aside"], aspect)
            if value is not None and set_aside is not None:
                assert value * set_aside < 0
                return value
    for template in opinions.BOTH_WAYS:
        if (match := pattern(template, PARTS).fullmatch(said)) and value_of(match["good"], aspect):
            return 0
    return None


def understood(review: Review) -> int:
    """The stars that a careful reader expects."""
    told = sentences(review.text)
    needed = [
        aspect
        for aspect, entry in opinions.ASPECTS.items()
        if any(pattern(need).search(one) for need in entry.needs for one in told)
    ]
    assert len(needed) == 1
    found = [value for one in told if '"' not in one and (value := opinion_of(one, needed[0])) is not None]
    assert len(found) == 1, review.text
    last = told[-1][0].lower() + told[-1][1:].rstrip(".")
    for shift, verdicts in opinions.VERDICTS.items():
        if last in verdicts or told[-1].rstrip(".") in verdicts:
            found[0] += shift
    return min(max(3 + found[0], 1), 5)


def test_the_text_alone_says_what_was_meant(reviews: list[Review]) -> None:
    assert [understood(review) for review in reviews[:400]] == [review.meant for review in reviews[:400]]


def test_some_reviews_have_a_wrong_number_of_stars(reviews: list[Review]) -> None:
    slips = [review for review in reviews if review.stars != review.meant]
    assert abs(len(slips) / TEXTS - SLIP) < 4 * (SLIP * (1 - SLIP) / TEXTS) ** 0.5
    assert {abs(review.stars - review.meant) for review in slips} == {1}
    assert {review.stars for review in reviews} == {1, 2, 3, 4, 5}


def test_the_stars_are_all_used_and_none_dominates(reviews: list[Review]) -> None:
    counts = Counter(review.stars for review in reviews)
    assert max(counts.values()) < 0.35 * TEXTS
    assert min(counts.values()) > 0.1 * TEXTS


def test_a_few_reviews_are_longer_than_512_tokens_and_most_are_short(reviews: list[Review]) -> None:
    lengths = sorted(len(re.findall(r"\w+|[^\w\s]+", review.text)) for review in reviews)
    assert 0.01 < sum(length > 512 for length in lengths) / TEXTS < 0.05
    assert lengths[TEXTS // 2] < 120
    assert lengths[-1] < 1000


def test_the_prose_is_whole(reviews: list[Review]) -> None:
    for review in reviews:
        assert not re.search(r"[{}\[\]|]|  |\b[Aa] (?!use)[aeiou]| [.,;]|\.\.", review.text), review.text
        told = sentences(review.text)
        assert len(set(told)) == len(told), review.text
        assert all(one[0].isupper() or one[0] == '"' for one in told), review.text


def test_shares_of_values_make_one() -> None:
    assert sum(VALUES.values()) == pytest.approx(1)


def test_no_clause_is_said_of_two_aspects_or_with_two_values() -> None:
    said = [clause for entry in opinions.ASPECTS.values() for clauses in entry.clauses.values() for clause in clauses]
    assert len(said) == len(set(said))
    assert all(set(entry.clauses) == {-2, -1, 1, 2} for entry in opinions.ASPECTS.values())


def test_chance_comes_from_the_given_generator_alone() -> None:
    texts = [[write_review(MAKERS, random.Random(7)).text for _ in range(2)] for _ in range(2)]
    assert texts[0] == texts[1]
    assert write_review(MAKERS, random.Random(8)).text != texts[0][0]
