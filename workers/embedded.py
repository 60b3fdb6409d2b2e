"""Celery workers inside the serving process: embedded mode needs no other process and no service.

Three workers, each with its queue and threads: neither a slow document nor a Slack that hangs delays an answer.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery.signals import task_postrun
from celery.worker import WorkController, state
from django.conf import settings
from django.db import close_old_connections

from console.celery import app
from workers import tasks

log = logging.getLogger(__name__)

SWEEP_EVERY_S = 0.5
"""How often pending rows are looked for: also how long a question of `manage.py ask` waits at most."""


class _ThreadedWorker(WorkController):
    """A worker that can be waited for. A bare WorkController in a thread gives no sign of being ready."""

    def __init__(self, **options: Any) -> None:
        self.is_ready = threading.Event()
        super().__init__(**options)

    def on_consumer_ready(self, consumer: object) -> None:  # noqa: ARG002 - Celery's signature
        """Called by Celery when tasks can be received."""
        self.is_ready.set()


class EmbeddedWorkers:
    """The in-process workers and the sweeper that hands them what is pending in the database."""

    def __init__(self) -> None:
        self._sizes = {"questions": settings.ANSWERS_AT_ONCE, "documents": 1, "deliveries": 2}
        self._threads: list[threading.Thread] = []
        self._stopping = threading.Event()

    def start(self) -> None:
        """Start the workers, then queue everything an earlier process left pending.

        Raises:
            RuntimeError: a worker was not ready within 15 seconds.
        """
        app.finalize()
        app.set_current()
        app.set_default()
        task_postrun.connect(_close_connections, weak=False, dispatch_uid="footnote.embedded")
        for name, size in self._sizes.items():
            worker = _ThreadedWorker(
                app=app,
                hostname=f"{name}@footnote",
                queues=[name],
                pool="threads",
                concurrency=size,
                loglevel="WARNING",
                without_heartbeat=True,
                without_mingle=True,
                without_gossip=True,
            )
            thread = threading.Thread(target=worker.start, name=f"worker-{name}", daemon=True)
            thread.start()
            if not worker.is_ready.wait(15):
                raise RuntimeError(f"the in-process worker for {name} did not start")
            self._threads.append(thread)
        tasks.pick_up_pending(at_start=True)
        sweeper = threading.Thread(target=self._sweep, name="sweeper", daemon=True)
        sweeper.start()
        self._threads.append(sweeper)

    def _sweep(self) -> None:
        while not self._stopping.wait(SWEEP_EVERY_S):
            try:
                tasks.pick_up_pending()
            except Exception:
                log.exception("the sweep for pending work failed; it runs again in %s s", SWEEP_EVERY_S)
            finally:
                close_old_connections()

    def stop(self, timeout_s: float = 10.0) -> bool:
        """Stop after the running tasks; False if one still ran at the timeout (it is picked up later)."""
        self._stopping.set()
        state.should_stop = 0  # type: ignore[assignment]
        for thread in self._threads:
            thread.join(timeout_s)
        state.should_stop = None
        return not any(thread.is_alive() for thread in self._threads)


def _close_connections(**_: object) -> None:
    close_old_connections()
