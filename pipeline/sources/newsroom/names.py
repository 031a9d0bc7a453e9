"""Invented names, put together from parts, no two of a world alike."""

import random
from collections.abc import Sequence

Parts = tuple[Sequence[str], Sequence[str]]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WOMEN = _words(
    "Ada Alma Anna Beatrix Bela Carla Cecily Clara Dalia Delphine Edda Elin Elsa Emilia Enid Esther Fiona Flora Freya "
    "Greta Hanna Hazel Helen Ida Ines Irene Isolde Jana Joan Judith Karin Lena Lidia Linnea Lucia Mabel Magda Maren "
    "Marta Mina Mira Nadia Nina Nora Olga Petra Rosa Ruth Sabine Salome Selma Sofia Thea Tilda Ursula Vera Wanda Yara"
)
MEN = _words(
    "Adam Albin Anton Arno Axel Bastian Boris Bruno Caspar Conrad Cyril Daniel David Edgar Elias Emil Erik Felix "
    "Florian Gabriel Georg Gideon Hector Henrik Hugo Ivo Jakob Jasper Joel Jonas Julian Karl Kilian Lars Leo Linus "
    "Lucas Magnus Marek Martin Matteo Milan Nils Noel Oscar Otto Paul Pavel Quentin Rafael Robin Rufus Samuel Simon "
    "Stefan Theo Tobias Viktor Walter Yuri"
)
SURNAMES: Parts = (
    _words(
        "Alt Bren Car Dor Ell Fen Gar Hal Ist Jor Kel Lor Mar Nor Ost Pell Quin Ros Sel Tar Ulm Var Wen Yar Zel Bor "
        "Cal Dram Fal Grim Hest Kos Lam Mer Ned Orl Pren Rav Stan Tor Vel Wes"
    ),
    _words(
        "ack amond anter aby ary eby eck edge elow endal enny ero essen ick ilow inder ing ington ivar ock olan omer "
        "orth ough owan urn usk wick worth yard"
    ),
)
PLACES: Parts = (
    _words(
        "Ald Bram Cray Dun Elm Farn Tarn Hather Vell Kest Lang Mor Orm Stel Pem Quar Hask Sil Thorn Arv Wex Yel Arl "
        "Dray Esk Brel Holm"
    ),
    _words(
        "bourne brook combe cross dale fell gate grove haven hurst ley marsh mere minster moor mouth nock port reach "
        "shaw stead thorpe water wick"
    ),
)
REGIONS: Parts = (PLACES[0], _words("shire land mark vale"))
RIVERS = _words("Arrow Bele Corran Dessa Elver Fanna Garrow Ibble Kerra Lune Marl Neth Orrin Sarn Tavy Ure Wend")
COUNTRIES: Parts = (
    _words("Ar Bel Cor Dal Est Fal Gor Hes Il Kar Lor Mar Nor Or Pel Ros Sar Tir Val Wes"),
    _words("avia adia eland essa ania enia ovia istan undy onia"),
)
BRANDS: Parts = (
    _words("Bre Cal Dru Fen Gri Hol Jun Kel Lom Mar Nor Ost Pla Quo Riv Sol Tre Und Vel Wim Yor Zan Elo Tav"),
    _words("bex dano dora fax gen kova lida lux mark mira nex nova pas rino sett tara tron va vent wen xa zo"),
)


class Names:
    """Draws names of which none is drawn twice, nor one that another begins with."""

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator
        self._taken: set[str] = set()

    def joined(self, parts: Parts) -> str:
        """A beginning and an end, put together; the same letter never meets itself."""
        while True:
            first, last = (self._generator.choice(part) for part in parts)
            if first[-1] != last[0] and self._is_new(first + last):
                return first + last

    def one_of(self, names: Sequence[str]) -> str:
        """One of the names as it stands."""
        while True:
            name = self._generator.choice(names)
            if self._is_new(name):
                return name

    def _is_new(self, name: str) -> bool:
        if any(name.startswith(other) or other.startswith(name) for other in self._taken):
            return False
        self._taken.add(name)
        return True
