"""Footnote's console: it owns data, rights and decisions."""

from console.celery import app as celery_app

__all__ = ["celery_app"]
