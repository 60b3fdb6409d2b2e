"""Slack's side of Footnote: takes questions in, posts what became of them."""
