"""What control words of RTF stand for."""

from __future__ import annotations

# Groups whose text is no part of the document; one that begins with ``\*`` and is not listed below is none either.
SKIPPED = frozenset(
    (
        "colortbl", "pict", "objdata", "objclass", "objname", "fldinst", "datafield", "filetbl", "listtable",
        "listoverridetable", "revtbl", "rsidtbl", "generator", "xmlnstbl", "themedata", "colorschememapping",
        "latentstyles", "nonshppict", "shprslt", "sp", "bkmkstart", "bkmkend", "atnid", "atnauthor", "atndate",
        "atnref", "atnicn", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "xe", "tc", "template",
        "author", "operator", "company", "manager", "category", "keywords", "subject", "doccomm", "comment",
        "hlinkbase", "userprops", "nesttableprops", "nonesttables", "passwordhash", "mmathPr", "private",
    )
)  # fmt: skip
STARRED = frozenset(("shpinst", "shppict", "annotation", "footnote"))
RUNNING = frozenset(("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"))
LABELS = frozenset(("pntext", "listtext"))
FLOWS = frozenset(("footnote", "shptxt", "annotation"))
CHARACTERS = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "tab": " ", "nestcell": " ", "nestrow": "\n", "line": "\n", "softline": "\n", "emspace": " ", "enspace": " ",
    "qmspace": " ",
}  # fmt: skip
SYMBOLS = {"~": " ", "_": "-", "{": "{", "}": "}", "\\": "\\", "\t": " "}
