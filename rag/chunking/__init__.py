"""The parts of chunking: strategy, budget, packing and the encoder's window; `rag.chunk` puts them together."""
