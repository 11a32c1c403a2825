"""Tests qdrant_server.py as clients see it: the official Python client over gRPC, on a folder and ports of its own."""

import contextlib
import math
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
import warnings
from pathlib import Path

import grpc
from qdrant_client import QdrantClient, models
from qdrant_client import grpc as wire

import qdrant_fields as fields

SERVER = Path(__file__).with_name("qdrant_server.py")
KEY = "check-key"
FIRST_UUID = str(uuid.uuid5(uuid.NAMESPACE_URL, "first"))


class Server:
    """A server on free ports; `start` may run again on the same folder."""

    def __init__(self, data, api_key=""):
        self.data = data
        self.api_key = api_key
        self.port, self.http_port = free_port(), free_port()

    def start(self):
        ports = ["--port", str(self.port), "--http-port", str(self.http_port)]
        environment = os.environ | {"SERVICE_API_KEY": self.api_key}
        self.process = subprocess.Popen(
            [sys.executable, SERVER, "--data", self.data, *ports], env=environment, stdout=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        assert line.startswith("started"), f"the server did not start: {line}"

    def stop(self, sign=signal.SIGTERM):
        self.process.send_signal(sign)
        self.process.wait(timeout=30)

    def client(self, api_key=None):
        return QdrantClient(
            host="localhost",
            port=self.http_port,
            grpc_port=self.port,
            prefer_grpc=True,
            https=False,
            api_key=api_key,
            timeout=30,
            check_compatibility=False,
        )


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def refused(code, words):
    try:
        yield
    except grpc.RpcError as error:
        assert error.code() == code, f"{error.code()}: {error.details()}"
        assert words in error.details(), error.details()
    else:
        raise AssertionError(f"not refused: {words}")


def create(client, name, size=4, **options):
    client.create_collection(
        name,
        **options,
        vectors_config={"dense": models.VectorParams(size=size, distance=models.Distance.COSINE, on_disk=True)},
        sparse_vectors_config={"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )


def point(id_, dense, words, **payload):
    sparse = models.SparseVector(indices=words, values=[1.0] * len(words))
    return models.PointStruct(id=id_, vector={"dense": dense, "bm25": sparse}, payload=payload)


def fill(client, name):
    points = [
        point(FIRST_UUID, [1, 0, 0, 0], [1, 2], word="apple", n=1, tags=["a", "b"], nested={"deep": [1, 2.5, None]}),
        point(2, [0, 1, 0, 0], [2, 3], word="pear", n=2, tags=["b"]),
        point(3, [0, 0, 1, 0], [3, 4], word="苹果", n=3, flag=True),
        point(4, [0.9, 0.1, 0, 0], [5], word="plum", n=4, parts=[{"x": 1, "y": 2}, {"x": 2, "y": 1}]),
    ]
    client.upsert(name, points, wait=True)


def ids(hits):
    return [hit.id for hit in hits]


def field(key, **conditions):
    return models.FieldCondition(key=key, **conditions)


def check_collections(client):
    assert not client.collection_exists("c")
    create(client, "c")
    assert client.collection_exists("c")
    assert [c.name for c in client.get_collections().collections] == ["c"]
    params = client.get_collection("c").config.params
    assert params.vectors["dense"].size == 4
    assert params.vectors["dense"].distance == models.Distance.COSINE
    assert params.sparse_vectors["bm25"].modifier == models.Modifier.IDF
    assert client.get_collection("c").points_count == 0
    with refused(grpc.StatusCode.ALREADY_EXISTS, "Wrong input: Collection `c` already exists!"):
        create(client, "c")
    client.update_collection("c", optimizers_config=models.OptimizersConfigDiff(indexing_threshold=1))
    assert client.delete_collection("c")
    assert not client.delete_collection("c")
    with refused(grpc.StatusCode.NOT_FOUND, "Not found: Collection `c` doesn't exist!"):
        client.get_collection("c")
    create(client, "weird / näme")
    assert client.delete_collection("weird / näme")


def check_settings(client):
    """What a collection is made with is told, changed and kept."""
    create(client, "c", shard_number=3, replication_factor=2, hnsw_config=models.HnswConfigDiff(m=32))
    config = client.get_collection("c").config
    assert (config.params.shard_number, config.params.replication_factor, config.hnsw_config.m) == (3, 2, 32)
    assert config.quantization_config is None and config.params.vectors["dense"].on_disk
    int8 = models.ScalarQuantization(scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8))
    client.update_collection("c", quantization_config=int8, hnsw_config=models.HnswConfigDiff(ef_construct=200))
    client.update_collection("c", vectors_config={"dense": models.VectorParamsDiff(on_disk=False)})
    config = client.get_collection("c").config
    assert config.quantization_config.scalar.type == models.ScalarType.INT8
    assert (config.hnsw_config.m, config.hnsw_config.ef_construct) == (32, 200)
    assert not config.params.vectors["dense"].on_disk
    client.update_collection("c", quantization_config=models.Disabled.DISABLED)
    assert client.get_collection("c").config.quantization_config is None
    client.delete_collection("c")


def check_fields(client):
    """No field is passed over: what is not held to is refused, by name, at any depth, also what is newer."""
    assert fields.misnamed() == [], fields.misnamed()
    create(client, "c")
    fill(client, "c")
    unserved = grpc.StatusCode.UNIMPLEMENTED
    with refused(unserved, "the field sharding_method of CreateCollection"):
        create(client, "other", sharding_method=models.ShardingMethod.CUSTOM)
    acorn = models.SearchParams(acorn=models.AcornSearchParams(enable=True))
    inner = models.Prefetch(query=[1, 0, 0, 0], using="dense", params=acorn)
    with refused(unserved, "the field acorn of SearchParams"):
        client.query_points("c", prefetch=[inner], query=models.FusionQuery(fusion=models.Fusion.RRF))
    count = wire.CountPoints.FromString(wire.CountPoints(collection_name="c").SerializeToString() + b"\xfa\x3f\x01x")
    with refused(unserved, "a field of CountPoints that is newer"):
        client.grpc_points.Count(count)
    client.delete_collection("c")


def check_points(client):
    create(client, "c")
    fill(client, "c")
    fill(client, "c")
    assert client.count("c").count == 4
    assert client.get_collection("c").points_count == 4
    (first,) = client.retrieve("c", [FIRST_UUID], with_payload=True, with_vectors=True)
    assert first.payload == {"word": "apple", "n": 1, "tags": ["a", "b"], "nested": {"deep": [1, 2.5, None]}}
    assert first.vector["dense"] == [1, 0, 0, 0]
    assert first.vector["bm25"].indices == [1, 2]
    assert client.retrieve("c", [99]) == []
    (some,) = client.retrieve("c", [2], with_payload=["n"], with_vectors=["bm25"])
    assert some.payload == {"n": 2} and list(some.vector) == ["bm25"]

    seen, offset = [], None
    while True:
        records, offset = client.scroll("c", limit=3, offset=offset)
        seen += ids(records)
        if offset is None:
            break
    assert seen == [2, 3, 4, FIRST_UUID], seen
    plum = models.Filter(must=[field("word", match=models.MatchValue(value="plum"))])
    assert ids(client.scroll("c", scroll_filter=plum)[0]) == [4]

    client.set_payload("c", {"seen": True}, points=[2])
    assert client.retrieve("c", [2])[0].payload["seen"] is True
    client.overwrite_payload("c", {"only": 1}, points=[2])
    assert client.retrieve("c", [2])[0].payload == {"only": 1}
    client.set_payload("c", {"a": 1, "b": 2}, points=plum)
    client.delete_payload("c", ["a"], points=[4])
    assert "a" not in client.retrieve("c", [4])[0].payload
    client.clear_payload("c", points_selector=[2])
    assert client.retrieve("c", [2])[0].payload == {}

    client.delete("c", points_selector=[2])
    client.delete("c", points_selector=models.FilterSelector(filter=plum))
    assert client.count("c").count == 2
    client.upsert("c", [models.PointStruct(id=9, vector={}, payload={})], wait=False)
    assert client.count("c").count == 3
    client.delete_collection("c")


def check_filters(client):
    create(client, "c")
    fill(client, "c")
    client.create_payload_index("c", "word", models.PayloadSchemaType.KEYWORD)
    client.create_payload_index("c", "n", models.PayloadSchemaType.INTEGER)
    assert client.get_collection("c").payload_schema["word"].data_type == models.PayloadSchemaType.KEYWORD

    def check(expected, **groups):
        filter_ = models.Filter(**groups)
        found = sorted(ids(client.scroll("c", scroll_filter=filter_)[0]), key=str)
        assert found == sorted(expected, key=str), (groups, found)
        assert client.count("c", count_filter=filter_).count == len(expected)

    check([3], must=[field("word", match=models.MatchValue(value="苹果"))])
    check([2], must=[field("n", match=models.MatchValue(value=2))])
    check([3], must=[field("flag", match=models.MatchValue(value=True))])
    check([FIRST_UUID, 2], must=[field("word", match=models.MatchAny(any=["apple", "pear"]))])
    check([3, 4], must=[field("n", match=models.MatchAny(any=[3, 4]))])
    check([], must=[field("word", match=models.MatchAny(any=[]))])
    check([3, 4], must=[field("word", match=models.MatchExcept(**{"except": ["apple", "pear"]}))])
    check([2, 3, 4], must=[field("n", match=models.MatchExcept(**{"except": [1]}))])
    check([FIRST_UUID, 2], must=[field("tags", match=models.MatchValue(value="b"))])
    check([3, 4], must=[field("n", range=models.Range(gt=2))])
    check([2, 3], must=[field("n", range=models.Range(gte=2, lt=4))])
    check([2, FIRST_UUID], must=[models.HasIdCondition(has_id=[2, FIRST_UUID, 77])])
    check([3, 4], must=[models.IsEmptyCondition(is_empty=models.PayloadField(key="tags"))])
    check([2, 3], must_not=[field("n", match=models.MatchValue(value=1)), field("n", match=models.MatchValue(value=4))])
    check([2, 4], should=[field("n", match=models.MatchValue(value=n)) for n in (2, 4)])
    either = models.Filter(should=[field("n", match=models.MatchValue(value=n)) for n in (2, 3)])
    check([2], must=[either, field("tags", match=models.MatchValue(value="b"))])
    check([FIRST_UUID], must=[field("tags", values_count=models.ValuesCount(gte=2))])
    both = models.Filter(must=[field(key, match=models.MatchValue(value=2)) for key in ("x", "y")])
    check([], must=[models.NestedCondition(nested=models.Nested(key="parts", filter=both))])
    check([2, 3, 4, FIRST_UUID])
    client.delete_payload_index("c", "word")
    client.delete_collection("c")


def check_queries(client):
    create(client, "c")
    fill(client, "c")

    def query(vector, using="dense", **options):
        return client.query_points("c", query=vector, using=using, **options).points

    hits = query([1, 0, 0, 0], with_payload=True, limit=2)
    assert ids(hits) == [FIRST_UUID, 4] and hits[0].payload["word"] == "apple"
    assert abs(hits[0].score - 1) < 1e-6 and abs(hits[1].score - 0.9 / math.hypot(0.9, 0.1)) < 1e-6
    assert not query([1, 0, 0, 0], limit=1, with_payload=False)[0].payload
    assert ids(query([1, 0, 0, 0], score_threshold=0.5)) == [FIRST_UUID, 4]
    assert ids(query([1, 0, 0, 0], limit=1, offset=1)) == [4]
    assert ids(query(FIRST_UUID, limit=1)) == [4]
    exact = models.SearchParams(exact=True, hnsw_ef=16, indexed_only=True)
    assert ids(query([1, 0, 0, 0], limit=2, search_params=exact)) == [FIRST_UUID, 4]
    pears = models.Filter(must=[field("word", match=models.MatchValue(value="pear"))])
    assert ids(query([1, 0, 0, 0], query_filter=pears)) == [2]
    assert len(client.query_points("c").points) == 4

    words = models.SparseVector(indices=[2, 3], values=[1.0, 1.0])
    hits = query(words, using="bm25")
    assert ids(hits)[0] == 2 and set(ids(hits)) == {2, 3, FIRST_UUID}
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    assert abs(hits[0].score - 2 * idf) < 1e-6 and abs(hits[1].score - idf) < 1e-6

    dense = models.Prefetch(query=[1, 0, 0, 0], using="dense", limit=3)
    sparse = models.Prefetch(query=words, using="bm25", limit=1)
    for fusion, k in ((models.FusionQuery(fusion=models.Fusion.RRF), 2), (models.RrfQuery(rrf=models.Rrf(k=61)), 61)):
        hits = client.query_points("c", prefetch=[dense, sparse], query=fusion, limit=10).points
        scores = {hit.id: hit.score for hit in hits}
        order = ids(query([1, 0, 0, 0], limit=3))
        expected = {id_: 1 / (k + rank) for rank, id_ in enumerate(order)}
        expected[2] = expected.get(2, 0) + 1 / k
        assert scores.keys() == expected.keys()
        assert all(abs(scores[id_] - expected[id_]) < 1e-6 for id_ in expected), (scores, expected)
    narrow = models.Prefetch(query=[1, 0, 0, 0], using="dense", limit=3, filter=pears)
    fused = models.FusionQuery(fusion=models.Fusion.RRF)
    assert ids(client.query_points("c", prefetch=[narrow], query=fused).points) == [2]
    assert ids(client.query_points("c", prefetch=[dense, sparse], query=fused, query_filter=pears).points) == [2]

    requests = [
        models.QueryRequest(query=[0, 1, 0, 0], using="dense", limit=1),
        models.QueryRequest(query=words, using="bm25", limit=1),
    ]
    assert [ids(answer.points) for answer in client.query_batch_points("c", requests)] == [[2], [2]]
    client.delete_collection("c")


def check_idf(client):
    """Deleted points still count in the engine's IDF, as in Qdrant; the `idf.corpus` parameter counts live points."""
    create(client, "c")
    client.upsert("c", [point(n, [1, 0, 0, 0], [7] if n < 4 else [8]) for n in range(20)])
    client.delete("c", points_selector=[0, 1, 10])
    query = wire.QueryPoints(collection_name="c", using="bm25", limit=1)
    query.query.nearest.sparse.MergeFrom(wire.SparseVector(indices=[7], values=[1.0]))
    stale = client.grpc_points.Query(query).result[0].score
    assert abs(stale - math.log(1 + (20 - 4 + 0.5) / 4.5)) < 1e-6, stale
    query.params.idf.corpus.SetInParent()
    live = client.grpc_points.Query(query).result[0].score
    assert abs(live - math.log(1 + (17 - 2 + 0.5) / 2.5)) < 1e-6, live
    client.delete_collection("c")


def check_bm25_model(client):
    create(client, "c")
    document = wire.Document(text="The cat sat on the cat mat", model="qdrant/bm25")
    vectors = wire.Vectors(vectors=wire.NamedVectors(vectors={"bm25": wire.Vector(document=document)}))
    message = wire.PointStruct(id=wire.PointId(num=1), vectors=vectors)
    client.grpc_points.Upsert(wire.UpsertPoints(collection_name="c", wait=True, points=[message]))
    assert len(client.retrieve("c", [1], with_vectors=True)[0].vector["bm25"].indices) == 3
    query = wire.QueryPoints(collection_name="c", using="bm25")
    query.query.nearest.document.MergeFrom(wire.Document(text="cats", model="qdrant/bm25"))
    assert len(client.grpc_points.Query(query).result) == 1
    client.delete_collection("c")


def check_errors(client):
    create(client, "c")
    fill(client, "c")
    bad = grpc.StatusCode.INVALID_ARGUMENT
    missing = "Not found: Collection `x` doesn't exist!"
    for call in (
        lambda: client.upsert("x", [point(1, [1, 0, 0, 0], [1])]),
        lambda: client.query_points("x", query=[1, 0, 0, 0], using="dense"),
        lambda: client.count("x"),
        lambda: client.scroll("x"),
        lambda: client.delete("x", points_selector=[1]),
    ):
        with refused(grpc.StatusCode.NOT_FOUND, missing):
            call()
    with refused(bad, "Wrong input: Vector dimension error: expected dim: 4, got 3"):
        client.upsert("c", [point(50, [1, 0, 0, 0], [1]), point(51, [1, 0, 0], [1])])
    assert client.retrieve("c", [50]) == [], "a refused request writes nothing"
    with refused(bad, "Wrong input: Vector dimension error: expected dim: 4, got 3"):
        client.query_points("c", query=[1, 0, 0], using="dense")
    with refused(bad, "must be unique"):
        client.upsert("c", [point(1, [1, 0, 0, 0], [1, 1])])
    with refused(bad, "Wrong input: Not existing vector name error: other"):
        client.upsert("c", [models.PointStruct(id=1, vector={"other": [1, 0, 0, 0]}, payload={})])
    with refused(bad, "Wrong input: Not existing vector name error: other"):
        client.query_points("c", query=[1, 0, 0, 0], using="other")
    with refused(bad, "Unable to parse UUID: nonsense"):
        client.grpc_points.Get(wire.GetPoints(collection_name="c", ids=[wire.PointId(uuid="nonsense")]))
    with refused(bad, "limit: value 0 invalid, must be 1 or larger"):
        client.query_points("c", query=[1, 0, 0, 0], using="dense", limit=0)
    with refused(bad, "Wrong input"):
        client.query_points("c", query=models.FusionQuery(fusion=models.Fusion.RRF))
    with refused(grpc.StatusCode.UNIMPLEMENTED, ""):
        client.query_points(
            "c", query=models.RecommendQuery(recommend=models.RecommendInput(positive=[2])), using="dense"
        )
    client.delete_collection("c")


def check_restart(server):
    """What was acknowledged is there after SIGKILL, and after an orderly end."""
    client = server.client()
    create(client, "kept")
    create(client, "gone")
    client.delete_collection("gone")
    client.create_payload_index("kept", "n", models.PayloadSchemaType.INTEGER)
    for start in range(0, 1000, 50):
        client.upsert("kept", [point(n, [1, n, 0, 0], [n % 7], n=n) for n in range(start, start + 50)])
    client.delete("kept", points_selector=list(range(100)))
    for sign in (signal.SIGKILL, signal.SIGTERM):
        server.stop(sign)
        server.start()
        client = server.client()
        assert [c.name for c in client.get_collections().collections] == ["kept"]
        assert client.count("kept").count == 900
        assert client.retrieve("kept", [5, 500])[0].payload == {"n": 500}
        assert client.get_collection("kept").payload_schema["n"].points == 900
        (hit,) = client.query_points("kept", query=[1, 3, 0, 0], using="dense", limit=1).points
        assert hit.id == 100, "the smallest angle of those that are left"
    client.delete_collection("kept")


def check_api_key(data):
    server = Server(data, KEY)
    server.start()
    try:
        denied = grpc.StatusCode.UNAUTHENTICATED
        with refused(denied, "Must provide an API key or an Authorization bearer token"):
            server.client().get_collections()
        with refused(denied, "Invalid API key or JWT"):
            server.client("wrong").get_collections()
        assert server.client(KEY).get_collections().collections == []
        health = wire.QdrantStub(grpc.insecure_channel(f"localhost:{server.port}"))
        assert health.HealthCheck(wire.HealthCheckRequest()).title == "qdrant - vector search engine"
        for path, words in (("/", "qdrant - vector search engine"), ("/readyz", "ready")):
            with urllib.request.urlopen(f"http://localhost:{server.http_port}{path}") as answer:
                assert words in answer.read().decode()
    finally:
        server.stop()


def check_speed(client):
    """Times for a reader, and a limit wide enough for a busy machine."""
    chance = random.Random(1)
    create(client, "big", size=384)
    batches = []
    for start in range(0, 10_000, 256):
        numbers = range(start, min(start + 256, 10_000))
        words = [sorted(chance.sample(range(20_000), 38)) for _ in numbers]
        batches.append(
            [point(n, [chance.gauss(0, 1) for _ in range(384)], w, n=n) for n, w in zip(numbers, words, strict=True)]
        )
    started = time.perf_counter()
    for batch in batches:
        client.upsert("big", batch, wait=True)
    upsert = time.perf_counter() - started

    vector = [chance.gauss(0, 1) for _ in range(384)]
    sparse = models.SparseVector(indices=[1, 2, 3, 4, 5, 6], values=[1.0] * 6)
    prefetch = [
        models.Prefetch(query=vector, using="dense", limit=50),
        models.Prefetch(query=sparse, using="bm25", limit=50),
    ]
    fused = models.FusionQuery(fusion=models.Fusion.RRF)
    started = time.perf_counter()
    for _ in range(50):
        client.query_points("big", prefetch=prefetch, query=fused, limit=10, with_payload=True)
    query = (time.perf_counter() - started) / 50
    print(f"  10,000 x 384 in batches of 256: {upsert:.1f} s; hybrid query: {query * 1000:.1f} ms", flush=True)
    assert upsert < 60 and query < 0.5
    client.delete_collection("big")


def main():
    warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(os.path.join(folder, "open"))
        server.start()
        try:
            client = server.client()
            for check in (
                check_collections,
                check_settings,
                check_fields,
                check_points,
                check_filters,
                check_queries,
                check_idf,
                check_bm25_model,
                check_errors,
                check_speed,
            ):
                check(client)
                print(f"ok {check.__name__}", flush=True)
            check_restart(server)
            print("ok check_restart")
        finally:
            server.stop()
        check_api_key(os.path.join(folder, "closed"))
        print("ok check_api_key")


if __name__ == "__main__":
    main()
