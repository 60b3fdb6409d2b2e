"""Where vectors live: in-process on disk (Qdrant Edge) or on a Qdrant server, behind one protocol."""

from rag.vectors.edge import EdgeStore, open_edge_store
from rag.vectors.protocol import VectorStore
from rag.vectors.server import ServerStore, open_server_store

__all__ = ["EdgeStore", "ServerStore", "VectorStore", "open_edge_store", "open_server_store"]
