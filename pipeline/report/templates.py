"""The templates of this folder's pages."""

from pathlib import Path

import jinja2


def environment() -> jinja2.Environment:
    """What fills them in: all values are escaped, and a name that is missing is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
