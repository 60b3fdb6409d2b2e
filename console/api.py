"""The JSON API: assembles the features' routers, and nothing else."""

from __future__ import annotations

from ninja import NinjaAPI

from console.api_auth import AUTH
from console.api_keys import refuses_unknown_keys
from console.evaluation.api import router as evaluation_router
from console.index.api import router as index_router
from console.problems import map_errors
from console.questions.api import router as questions_router
from console.sources.api import router as folders_router
from console.sources.document_api import router as documents_router

api = NinjaAPI(
    title="Footnote",
    version="1",
    description="Folders, documents, questions and refusals. Every operation acts with its caller's rights.",
    auth=AUTH,
    urls_namespace="api",
    docs_url=None,
)
map_errors(api)
api.add_decorator(refuses_unknown_keys)
for router in (folders_router, documents_router, questions_router, index_router, evaluation_router):
    api.add_router("", router)
