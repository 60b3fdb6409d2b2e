#!/usr/bin/env python
"""Footnote's command line; `manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        sys.exit(
            f"Footnote is not installed in this Python ({error}). Run `make run`, or activate .venv first."
        )
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
