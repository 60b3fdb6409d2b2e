"""Settings of both ways to run; every value comes from the environment, with safe defaults.

`FOOTNOTE_MODE=embedded` (default): one process, SQLite, Qdrant Edge, nothing else to install.
`FOOTNOTE_MODE=server`: PostgreSQL, Redis and Qdrant; whatever is missing is named at start.
"""

from __future__ import annotations

import base64
import contextlib
import math
import os
import secrets
from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

# Torch's threads wait for their next share of work; by default they do so spinning, and two processes or
# threads that answer and index at once then starve each other (measured on two busy cores: an answer took
# 3.2 s spinning, 0.16 s waiting). Read by the OpenMP library when torch is first imported, which is later.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import rag  # below OMP_WAIT_POLICY, because it loads numpy

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
env.smart_cast = False
if (BASE_DIR / ".env").exists() and not env.bool("FOOTNOTE_IGNORE_DOTENV", False):
    env.read_env(BASE_DIR / ".env")


def _text(name: str, default: str) -> str:
    """Value of `name`; one that is left blank counts as not set."""
    value: str = env.str(name, "").strip()
    return value or default


def _list(name: str, default: list[str]) -> list[str]:
    """Values of `name`, separated by commas; blank counts as not set."""
    return [value.strip() for value in env.list(name, default=[]) if value.strip()] or default


def _number(name: str, default: float) -> float:
    """Value of `name` as a number, blank as not set; what is none stops the start with a sentence."""
    value = _text(name, str(default))
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a number, as {default}.")
    return number


def _whole(name: str, default: int) -> int:
    """Value of `name` as a whole number; see `_number`."""
    number = _number(name, default)
    if number != int(number):
        raise ImproperlyConfigured(f"{name} is {number}; it must be a whole number, as {default}.")
    return int(number)


def _switch(name: str, default: bool) -> bool:
    """Value of `name` as on or off, blank as not set; what is neither stops the start with a sentence."""
    value = _text(name, str(default)).lower()
    if value not in _ON | _OFF:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(sorted(_ON | _OFF))}.")
    return value in _ON


_ON, _OFF = {"true", "on", "yes", "y", "ok", "1"}, {"false", "off", "no", "n", "0"}

MODE = _text("FOOTNOTE_MODE", "embedded")
if MODE not in {"embedded", "server"}:
    raise ImproperlyConfigured(f"FOOTNOTE_MODE is {MODE!r}; it must be 'embedded' or 'server'.")
IS_EMBEDDED = MODE == "embedded"


def _required_in_server_mode(name: str, purpose: str) -> str:
    """Value of `name`; in server mode its absence stops the start with a sentence."""
    value: str = env.str(name, "")
    if not value and not IS_EMBEDDED:
        raise ImproperlyConfigured(f"{name} is not set. Server mode needs it: {purpose}.")
    return value


HOME = Path(_text("FOOTNOTE_HOME", str(BASE_DIR / "var"))).resolve()
HOME.mkdir(parents=True, exist_ok=True)


def _secret_key() -> str:
    """The configured key, or in embedded mode one generated once and kept beside the data."""
    key = _required_in_server_mode("SECRET_KEY", "a long random string that all processes share")
    if key:
        return key
    path = HOME / "secret_key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50))
    return path.read_text().strip()


SECRET_KEY = _secret_key()
DEBUG = _switch("DEBUG", False)
BASE_URL = _text("FOOTNOTE_BASE_URL", "http://127.0.0.1:8000").rstrip("/")
ALLOWED_HOSTS = _list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_FAILURE_VIEW = "console.errors.csrf_failed"
CSRF_TRUSTED_ORIGINS = _list("CSRF_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "channels",
    "csp",
    "axes",
    "console",
    "console.people",
    "console.audit",
    "console.sources",
    "console.index",
    "console.questions",
    "console.evaluation",
    "console.channels",
    "bot",
    "workers",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "bot.urls"  # console.urls plus the Slack endpoint
ASGI_APPLICATION = "console.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "console.context.navigation",
            ],
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "people.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: it stops guessing before a password is looked at
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "console.errors.too_many_attempts"
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "people:sign-in"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "people:sign-in"

if IS_EMBEDDED and not env.str("DATABASE_URL", ""):
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": HOME / "footnote.sqlite3",
            # A file: the in-process workers of a test are threads, and have connections of their own.
            "TEST": {"NAME": HOME / "test.sqlite3"},
            "OPTIONS": {
                "timeout": 20,
                # IMMEDIATE takes the write lock at BEGIN, so a read-then-write transaction waits
                # for its turn instead of failing half way with "database is locked".
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
            },
        }
    }
else:
    _required_in_server_mode("DATABASE_URL", "postgres://user:password@host:5432/name")
    DATABASES = {"default": {**env.db("DATABASE_URL"), "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}}

REDIS_URL = _required_in_server_mode("REDIS_URL", "redis://host:6379/0, for the queue and live pages")
QDRANT_URL = _required_in_server_mode("QDRANT_URL", "http://host:6333, where the vectors live")
QDRANT_API_KEY = env.str("QDRANT_API_KEY", "")
LEXICAL = _text("LEXICAL", "local")
if LEXICAL not in {"local", "qdrant"}:
    raise ImproperlyConfigured(f"LEXICAL is {LEXICAL!r}; it must be 'local' or 'qdrant'.")
if LEXICAL == "qdrant" and not QDRANT_URL:
    raise ImproperlyConfigured("LEXICAL is 'qdrant' and QDRANT_URL is not set. Give the server's address.")

if REDIS_URL:
    CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
    }
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"

STATIC_URL = "/static/"
STATIC_ROOT = HOME / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns about a folder that is not there
STATICFILES_DIRS = [BASE_DIR / "console" / "static"]
WHITENOISE_USE_FINDERS = True
DATA_UPLOAD_MAX_NUMBER_FILES = 500
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_TEMP_DIR = str(HOME / "uploads")
(HOME / "uploads").mkdir(exist_ok=True)
MAX_UPLOAD_BYTES = _whole("FOOTNOTE_MAX_UPLOAD_MB", 100) * 1024 * 1024

# A Whisper model's folder (or its name, if it was downloaded to this machine); without one recordings are not read.
SPEECH_MODEL = env.str("SPEECH_MODEL", "")
RECORDING_TIME_S = _number("FOOTNOTE_RECORDING_TIME_S", 3_600.0)
EMBEDDING_MODEL = _text("FOOTNOTE_EMBEDDING_MODEL", "footnote-minilm")
RERANKER = env.str("FOOTNOTE_RERANKER", "footnote-relevance")
SUPPORT_MODEL = env.str("FOOTNOTE_SUPPORT", "footnote-support")
# Who writes: "extractive" quotes, "chat" asks an OpenAI-compatible endpoint, "local:<name or path>" a model here.
GENERATOR = _text("FOOTNOTE_GENERATOR", "extractive")
LLM_URL = env.str("FOOTNOTE_LLM_URL", "")
LLM_MODEL = env.str("FOOTNOTE_LLM_MODEL", "")
LLM_KEY = env.str("FOOTNOTE_LLM_KEY", "")
if GENERATOR == "chat" and not (LLM_URL and LLM_MODEL):
    raise ImproperlyConfigured(
        "FOOTNOTE_GENERATOR is chat; it needs FOOTNOTE_LLM_URL and FOOTNOTE_LLM_MODEL."
    )
if GENERATOR == "chat":
    # Else every question would break on it.
    try:
        rag.ChatEndpoint(LLM_URL, LLM_MODEL, LLM_KEY)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"FOOTNOTE_LLM_URL, FOOTNOTE_LLM_MODEL or FOOTNOTE_LLM_KEY cannot be used: {error}. Set FOOTNOTE_LLM_URL "
            "to the address before /chat/completions, for example http://127.0.0.1:8000/v1."
        ) from error
# In embedded mode; more are worth it where a language model is waited for.
ANSWERS_AT_ONCE = _whole("FOOTNOTE_ANSWERS_AT_ONCE", 2)
if not 1 <= ANSWERS_AT_ONCE <= 64:
    raise ImproperlyConfigured(f"FOOTNOTE_ANSWERS_AT_ONCE is {ANSWERS_AT_ONCE}; it must be 1 to 64.")
ANSWER_LEASE_S = _whole("FOOTNOTE_ANSWER_LEASE_S", 120)
INGEST_LEASE_S = _whole("FOOTNOTE_INGEST_LEASE_S", 600)

SLACK_BOT_TOKEN = env.str("SLACK_BOT_TOKEN", "")
SLACK_APP_TOKEN = env.str("SLACK_APP_TOKEN", "")
SLACK_SIGNING_SECRET = env.str("SLACK_SIGNING_SECRET", "")
# Several workspaces: installed by OAuth at /slack/install instead of by one token.
SLACK_CLIENT_ID = env.str("SLACK_CLIENT_ID", "")
SLACK_CLIENT_SECRET = env.str("SLACK_CLIENT_SECRET", "")
if bool(SLACK_CLIENT_ID) != bool(SLACK_CLIENT_SECRET):
    raise ImproperlyConfigured("SLACK_CLIENT_ID and SLACK_CLIENT_SECRET are only of use together. Set both.")


def _own_token_key() -> str:
    """A key that is made once and kept beside the data; whichever process is first makes it."""
    path = HOME / "slack_token_key"
    if not path.exists():
        draft = HOME / f"slack_token_key.{secrets.token_hex(4)}"
        draft.touch(mode=0o600)
        draft.write_bytes(base64.urlsafe_b64encode(secrets.token_bytes(32)))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text().strip()


def _slack_token_keys() -> list[str]:
    """Keys that seal the workspaces' tokens, the newest first; in embedded mode one is made and kept."""
    keys = _list("SLACK_TOKEN_KEYS", [])
    if not keys and SLACK_CLIENT_ID and not IS_EMBEDDED:
        raise ImproperlyConfigured(
            "SLACK_TOKEN_KEYS is not set. Tokens of workspaces are kept sealed: "
            "`manage.py slack rotate-keys --new` prints a key."
        )
    if not keys and IS_EMBEDDED:
        keys = [_own_token_key()]
    for number, key in enumerate(keys, start=1):
        try:
            n_bytes = len(base64.urlsafe_b64decode(key))
        except ValueError:
            n_bytes = 0
        if n_bytes != 32:
            raise ImproperlyConfigured(
                f"Key {number} of SLACK_TOKEN_KEYS is not 32 bytes in URL-safe base64."
            )
    return keys


SLACK_TOKEN_KEYS = _slack_token_keys()
# Slack repeats an event for a day at most ("Delayed Events"); that long its id has to be known.
SLACK_EVENT_DAYS = _whole("FOOTNOTE_SLACK_EVENT_DAYS", 7)
if not 2 <= SLACK_EVENT_DAYS <= 3_650:
    raise ImproperlyConfigured(f"FOOTNOTE_SLACK_EVENT_DAYS is {SLACK_EVENT_DAYS}; it must be 2 to 3650.")
SLACK_API_URL = _text("SLACK_API_URL", "https://slack.com/api/")

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BASE_URL.startswith("https://")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BASE_URL.startswith("https://") else None
X_FRAME_OPTIONS = "DENY"
_SOCKETS = BASE_URL.replace("http", "ws", 1)
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF, _SOCKETS],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": _text("LOG_LEVEL", "INFO")},
    "loggers": {
        # These log request bodies, which hold people's questions.
        "slack_bolt": {"level": "WARNING"},
        "slack_bolt.App": {"level": "WARNING"},
        "slack_bolt.middleware": {"level": "ERROR"},
        # On an answer that is no JSON it logs the body, in which Slack repeats the posted text.
        "slack_sdk": {"level": "CRITICAL"},
        # One line by the page itself; anybody can send a wrong Host header or ask for what is not theirs.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "axes": {"level": "WARNING"},
        "bm25s": {"level": "WARNING"},
        "sentence_transformers": {"level": "WARNING"},
        "RapidOCR": {"level": "WARNING"},
        "celery": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "pypdfium2": {"level": "ERROR"},
    },
}
