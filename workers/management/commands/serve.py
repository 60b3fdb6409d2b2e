"""`manage.py serve`: the whole product in one process."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from argparse import ArgumentParser

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from bot import socket_mode
from bot.client import is_set_up
from console import engine, sockets
from console.index.services import prepare_active_version
from console.index.words import rebuild_outdated_words
from workers.embedded import EmbeddedWorkers
from workers.first_start import ADMIN, FirstStart, set_up
from workers.ownership import DataFolderOwnership

log = logging.getLogger(__name__)

ANY_ADDRESS = {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound


class Command(BaseCommand):
    """Serve console, worker, vectors and, when tokens are set, Slack."""

    help = "Serve the whole product in one process: console, API, worker, Qdrant Edge; Slack when tokens are set."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to listen, and whether a first start loads the sample."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--no-sample", action="store_true", help="do not load the sample handbook on a first start"
        )

    def handle(self, *, host: str, port: int, no_sample: bool, **_: object) -> None:
        """Run until interrupted."""
        if not settings.IS_EMBEDDED:
            raise CommandError(
                "`serve` is the embedded way to run. In server mode start `uvicorn console.asgi:application` and "
                "`celery -A console worker` (see compose.yaml), or unset FOOTNOTE_MODE."
            )
        owner = DataFolderOwnership()
        if not owner.claim():
            raise CommandError(
                f"Footnote already runs with the data in {settings.HOME}. Stop that process first, or set "
                "FOOTNOTE_HOME to another folder."
            )
        _refuse_taken_port(host, port)
        _settle_address(host, port)
        first = set_up(with_sample=not no_sample)
        workers = EmbeddedWorkers()
        workers.start()
        threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()
        slack = socket_mode.start_socket_mode()
        self._greet(host, port, first, has_slack=slack is not None)
        try:
            asyncio.run(_serve(host, port))
        except KeyboardInterrupt:
            pass
        finally:
            self.stdout.write("Stopping; what is pending is picked up at the next start.")
            if slack is not None:
                slack.close()
            workers.stop()
            engine.close()
            owner.release()

    def _greet(self, host: str, port: int, first: FirstStart, *, has_slack: bool) -> None:
        lines = ["", f"Footnote serves on {_address(host, port)}"]
        if host in ANY_ADDRESS and "ALLOWED_HOSTS" not in os.environ:
            lines += [
                "It listens on every address, but answers only to localhost: name the others in ALLOWED_HOSTS."
            ]
        if first.password:
            lines += [f"Sign in as {ADMIN} with the password {first.password} (shown only now; "]
            lines[-1] += "`manage.py changepassword admin` sets another)"
        if first.has_loaded_sample:
            lines += [
                'The sample handbook is being indexed; `manage.py ask "…"` and the Ask page answer from it.'
            ]
        if has_slack:
            lines += ["Slack is connecting by Socket Mode."]
        elif settings.SLACK_SIGNING_SECRET and is_set_up():
            lines += [
                f"Slack delivers to {settings.BASE_URL}/slack/events (as Slack reaches it: docs/slack.md)."
            ]
        else:
            lines += ["Slack is not connected: set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (docs/slack.md)."]
        lines += ["Stop with Ctrl+C.", ""]
        self.stdout.write("\n".join(lines))
        # Into a file or a pipe it would stay in the buffer for as long as the server runs, password and all.
        self.stdout.flush()


def _refuse_taken_port(host: str, port: int) -> None:
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except socket.gaierror as error:
        raise CommandError(
            f"{host} is no address of this machine. Leave --host out, or give an IP address."
        ) from error
    except OverflowError as error:
        raise CommandError("The port is a number from 1 to 65535.") from error
    except OSError as error:
        raise CommandError(
            f"Port {port} on {host} cannot be used ({error.strerror}). Choose another: `make run PORT=8001`, or "
            "`manage.py serve --port 8001`."
        ) from error


def _address(host: str, port: int) -> str:
    named = "127.0.0.1" if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}"


def _settle_address(host: str, port: int) -> None:
    """Links that leave the console (Slack, API) start with the address it is really served on."""
    if "FOOTNOTE_BASE_URL" not in os.environ:
        settings.BASE_URL = _address(host, port)
        directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
        directives["connect-src"] = [directives["connect-src"][0], settings.BASE_URL.replace("http", "ws", 1)]
    if host not in ANY_ADDRESS and host not in settings.ALLOWED_HOSTS:
        settings.ALLOWED_HOSTS.append(host)


def _warm_up() -> None:
    """Load the model before the first question, so that the first answer is as fast as the second."""
    try:
        version = prepare_active_version()
        if settings.IS_EMBEDDED:  # nobody else has the index open
            rebuild_outdated_words(version)
        engine.index_of(version).embedder.encode_question("warm up")
        engine.reranker_for_answers()
    except Exception:
        log.exception("the model could not be loaded; `manage.py doctor` says what to do")


async def _serve(host: str, port: int) -> None:
    sockets.register_server_loop(asyncio.get_running_loop())
    config = uvicorn.Config(
        "console.asgi:application",
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    await uvicorn.Server(config).serve()
