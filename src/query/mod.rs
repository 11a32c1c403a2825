//! question → search → context → answer with citations
