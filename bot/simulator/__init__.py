"""Slack for people without a workspace: a local Web API, Slack's deliveries, its limits, and a page to look at.

The tests use the same server that `manage.py slack simulate` starts, so what it refuses there it refuses here.
"""
