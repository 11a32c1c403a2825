"""The retrievers of neo4j-graphrag and langchain-neo4j read a graph that graphwright wrote.

    clients.py index GRAPHWRIGHT TEXT    indexes TEXT with this file's embeddings, mirrored into Neo4j
    clients.py check                     asks every retriever and fails where one does not find what stands there

NEO4J_URI and QDRANT_URL name the stores, DATA a folder for the configuration. Embeddings are hashed words, so that no
model is needed: the same words give the same vector here and in the index.
"""

import hashlib
import http.server
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import threading
import warnings

DIMENSION = 128
WORKSPACE = "clients"
QUESTION = "Who is Bob Cratchit, the clerk of Scrooge?"


def embedding(text):
    """Counts of hashed words, unit length."""
    vector = [0.0] * DIMENSION
    for word in re.findall(r"[a-z]+", text.lower()):
        digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
        vector[int.from_bytes(digest, "big") % DIMENSION] += 1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


class Endpoint(http.server.BaseHTTPRequestHandler):
    """An endpoint for embeddings that speaks the OpenAI API."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
        data = [
            {"object": "embedding", "index": place, "embedding": embedding(text)} for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        body = json.dumps({"object": "list", "data": data, "model": "hashed", "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def index(program, text):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    data = pathlib.Path(os.environ["DATA"])
    config = data / "graphwright.toml"
    config.write_text(
        "[graph]\nmirror_vectors = true\n"
        '[embeddings]\nprovider = "openai"\nmodel = "hashed"\napi_key = "none"\n'
        f'base_url = "http://127.0.0.1:{server.server_port}/v1"\ndimension = {DIMENSION}\n'
    )
    command = [program, "--quiet", "--config", str(config), "--data", str(data), "--workspace", WORKSPACE]
    subprocess.run([*command, "index", text], check=True)


def check():
    import neo4j
    import qdrant_client
    from langchain_core.embeddings import Embeddings
    from langchain_neo4j import Neo4jGraph, Neo4jVector
    from neo4j_graphrag.embeddings.base import Embedder
    from neo4j_graphrag.retrievers import HybridCypherRetriever, HybridRetriever, QdrantNeo4jRetriever

    class Hashed(Embedder):
        def embed_query(self, text, **_):
            return embedding(text)

    class HashedTexts(Embeddings):
        def embed_query(self, text):
            return embedding(text)

        def embed_documents(self, texts):
            return [embedding(text) for text in texts]

    uri = os.environ["NEO4J_URI"]
    port = int(os.environ["QDRANT_URL"].rsplit(":", 1)[1])
    driver = neo4j.GraphDatabase.driver(uri, auth=("neo4j", "none"))
    driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    driver.execute_query("CALL db.awaitIndexes(120)")
    client = qdrant_client.QdrantClient(
        host="localhost", grpc_port=port, prefer_grpc=True, check_compatibility=False
    )

    def expect(what, items, *words):
        text = "\n".join(str(item) for item in items)
        missing = [word for word in words if word not in text]
        assert items and not missing, f"{what}: {missing} not in\n{text[:2000]}"
        print(f"ok  {what}: {len(items)} items")

    for kind, label, properties, words in [
        ("text_units", "TextUnit", ["text"], ["Cratchit"]),
        ("entities", "__Entity__", ["name", "description"], ["Bob Cratchit"]),
    ]:
        retriever = QdrantNeo4jRetriever(
            driver=driver,
            client=client,
            collection_name=f"graphwright_{WORKSPACE}_{kind}",
            using="dense",
            id_property_neo4j="id",
            id_property_external="id",
            node_label_neo4j=label,
            embedder=Hashed(),
            return_properties=properties,
        )
        found = retriever.search(query_text=QUESTION, top_k=5).items
        expect(f"QdrantNeo4jRetriever, {kind}", [item.content for item in found], *words)

    around = HybridCypherRetriever(
        driver=driver,
        vector_index_name="vector",
        fulltext_index_name="keyword",
        retrieval_query="MATCH (node)-[:HAS_ENTITY]->(e:__Entity__)-[r:RELATED]-(o:__Entity__) "
        "WITH node, score, e, r, o ORDER BY r.weight DESC "
        "RETURN node.text AS text, score, collect(DISTINCT e.name)[..20] AS entities, "
        "collect(DISTINCT o.name)[..20] AS neighbours",
        embedder=Hashed(),
    )
    found = around.search(query_text="Cratchit Scrooge clerk", top_k=5).items
    expect("HybridCypherRetriever, keyword + vector", [item.content for item in found], "Scrooge", "entities=")
    entities = HybridRetriever(
        driver=driver,
        vector_index_name="entity_vector",
        fulltext_index_name="entities",
        return_properties=["name", "description"],
        embedder=Hashed(),
    )
    found = entities.search(query_text="Bob Cratchit", top_k=5).items
    expect("HybridRetriever, entities + entity_vector", [item.content for item in found], "Bob Cratchit")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = Neo4jGraph(url=uri, username="neo4j", password="none", refresh_schema=False)
        rows = graph.query(
            "MATCH (:Document)<-[:PART_OF]-(u:Chunk) WHERE u.workspace = $workspace "
            "MATCH (u)-[:HAS_ENTITY]->(e:__Entity__) RETURN e.name AS name, count(DISTINCT u) AS units "
            "ORDER BY units DESC LIMIT 5",
            {"workspace": WORKSPACE},
        )
        expect("langchain-neo4j, Neo4jGraph.query", rows, "Scrooge")
        store = Neo4jVector.from_existing_index(
            HashedTexts(),
            url=uri,
            username="neo4j",
            password="none",
            index_name="vector",
            keyword_index_name="keyword",
            search_type="hybrid",
            text_node_property="text",
        )
        documents = store.similarity_search("Cratchit Scrooge clerk", k=5)
        expect("langchain-neo4j, Neo4jVector hybrid", [document.page_content for document in documents], "Cratchit")
    driver.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["index"]:
        index(*sys.argv[2:4])
    else:
        check()
