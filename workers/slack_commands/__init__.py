"""Subcommands of `manage.py slack`: a module each, with `HELP`, `add_arguments` and `run`."""
