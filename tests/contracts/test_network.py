"""The network is closed in tests: the product must pass them offline."""

from __future__ import annotations

import socket

import pytest


def test_no_test_reaches_another_machine() -> None:
    with pytest.raises(UserWarning, match="tried to use socket"):  # an error, since warnings are errors
        socket.create_connection(("192.0.2.1", 80), timeout=0.2)
