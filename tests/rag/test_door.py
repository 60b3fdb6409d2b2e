import subprocess
import sys

import rag

HEAVY = (
    "torch",
    "transformers",
    "sentence_transformers",
    "tokenizers",
    "bm25s",
    "Stemmer",
    "qdrant_client",
    "qdrant_edge",
    "scipy",
    "django",
    "pypdfium2",
    "openpyxl",
    "docx",
    "lxml",
    "onnxruntime",
)


def test_importing_the_door_loads_nothing_heavy():
    script = f"import sys, rag; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == ""


def test_every_name_of_the_door_is_there_and_said_once():
    assert len(set(rag.__all__)) == len(rag.__all__)
    assert [name for name in rag.__all__ if not hasattr(rag, name)] == []


def test_every_public_thing_has_a_docstring():
    undocumented = [
        name for name in rag.__all__ if callable(getattr(rag, name)) and not getattr(rag, name).__doc__
    ]
    assert undocumented == []
