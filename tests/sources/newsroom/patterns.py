"""What the sentences of a template look like, for tests that read a text back."""

import re
from functools import cache


@cache
def pattern(template: str, captured: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Matches a template's sentences whatever its slots hold, in either case; `captured` slots are named groups."""

    def slot(match: re.Match[str]) -> str:
        return f"(?P<{match[1]}>.+?)" if match[1] in captured else ".+?"

    text = re.sub(r"\\\{(\w+)\\\}", slot, re.escape(template))
    text = text.replace(r"\[", "(?:").replace(r"\]", ")").replace(r"\|", "|")
    text = re.sub(r"\b([Aa])\\ ", r"\1n?\\ ", text)
    return re.compile(text, re.IGNORECASE)
