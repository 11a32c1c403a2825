"""Qdrant for tests where there is no Docker: its real engine (qdrant-edge-py) behind its real protocol (gRPC).

Run by scripts/qdrant.sh. Every search scans, so results are exact. What is not served answers UNIMPLEMENTED.
The environment's SERVICE_API_KEY (an argument would be seen by every user of the machine) turns authentication on.
"""

import argparse
import functools
import hmac
import http.server
import importlib.metadata
import json
import os
import signal
import sys
import threading
import time
import traceback
from concurrent import futures

import grpc
import qdrant_edge as engine
from qdrant_client import grpc as wire

import qdrant_convert as convert
import qdrant_fields as fields
import qdrant_schema as schema
from qdrant_collections import Collections, no_collection

TITLE = "qdrant - vector search engine"
VERSION = importlib.metadata.version("qdrant-client")
LARGEST_MESSAGE_BYTES = 64 << 20
FLUSH_INTERVAL_SECONDS = 5
OPEN_METHODS = ("/qdrant.Qdrant/HealthCheck", "/grpc.health.v1.Health/Check")
UPDATE_MODES = {
    wire.InsertOnly: engine.UpdateMode.InsertOnly,
    wire.UpdateOnly: engine.UpdateMode.UpdateOnly,
}


def rpc(method):
    """Checks the fields of a call, times it, and turns what it raises into the server's status codes."""

    @functools.wraps(method)
    def call(self, request, context):
        started = time.perf_counter()
        try:
            fields.check(request)
            reply = method(self, request)
        except convert.Refused as refusal:
            context.abort(refusal.code, str(refusal))
        except Exception as error:  # the engine raises plain Exception
            if "Shard is not initialized" in str(error):  # deleted while this call ran
                error = no_collection(request.collection_name)
                context.abort(error.code, str(error))
            context.abort(*engine_status(error))
        if "time" in reply.DESCRIPTOR.fields_by_name:
            reply.time = time.perf_counter() - started
        return reply

    return call


def engine_status(error):
    message = str(error)
    if message.startswith("failed to parse ") and " as UUID" in message:
        return grpc.StatusCode.INVALID_ARGUMENT, f"Unable to parse UUID: {message.split()[3]}"
    if message == "Wrong usage of sparse vectors":
        message = "Conversion between sparse and regular vectors failed"
    if type(error) in (Exception, ValueError) and not message.startswith("Service runtime error"):
        return grpc.StatusCode.INVALID_ARGUMENT, f"Wrong input: {message}"
    traceback.print_exc()
    return grpc.StatusCode.INTERNAL, f"Service internal error: {message}"


class Health(wire.QdrantServicer):
    @rpc
    def HealthCheck(self, _request):
        return wire.HealthCheckReply(title=TITLE, version=VERSION)


class CollectionsService(wire.CollectionsServicer):
    def __init__(self, collections):
        self.collections = collections

    @rpc
    def Create(self, request):
        self.collections.create(request)
        return wire.CollectionOperationResponse(result=True)

    @rpc
    def Get(self, request):
        return wire.GetCollectionInfoResponse(result=self.collections.get(request.collection_name).describe())

    @rpc
    def List(self, _request):
        names = [wire.CollectionDescription(name=name) for name in sorted(self.collections.open)]
        return wire.ListCollectionsResponse(collections=names)

    @rpc
    def CollectionExists(self, request):
        exists = request.collection_name in self.collections.open
        return wire.CollectionExistsResponse(result=wire.CollectionExists(exists=exists))

    @rpc
    def Delete(self, request):
        return wire.CollectionOperationResponse(result=self.collections.delete(request.collection_name))

    @rpc
    def Update(self, request):
        self.collections.change(request)
        return wire.CollectionOperationResponse(result=True)


def written(operation_id, request):
    status = wire.Completed if request.wait else wire.Acknowledged
    return wire.PointsOperationResponse(result=wire.UpdateResult(operation_id=operation_id, status=status))


class PointsService(wire.PointsServicer):
    def __init__(self, collections):
        self.collections = collections

    def collection(self, request):
        return self.collections.get(request.collection_name)

    def write(self, request, operation):
        return written(self.collection(request).update(operation), request)

    def write_selected(self, request, selector, by_ids, by_filter, *arguments):
        """An engine operation on points that are selected by ids or by a filter."""
        kind, value = convert.chosen(selector, "points_selector_one_of")
        if kind == "points":
            return self.write(request, by_ids(convert.point_ids(value.ids), *arguments))
        if kind == "filter":
            return self.write(request, by_filter(convert.filter_(value), *arguments))
        raise convert.Refused(grpc.StatusCode.INVALID_ARGUMENT, "PointSelector is missing")

    @rpc
    def Upsert(self, request):
        collection = self.collection(request)
        points = []
        for point in request.points:
            vectors = convert.vectors(point.vectors)
            collection.check_vectors(vectors)
            points.append(engine.Point(convert.point_id(point.id), vectors, convert.payload(point.payload)))
        condition = convert.optional_filter(request, "update_filter")
        mode = UPDATE_MODES.get(request.update_mode)
        return self.write(request, engine.UpdateOperation.upsert_points(points, condition, mode))

    @rpc
    def Delete(self, request):
        update = engine.UpdateOperation
        return self.write_selected(request, request.points, update.delete_points, update.delete_points_by_filter)

    @rpc
    def UpdateVectors(self, request):
        collection = self.collection(request)
        points = []
        for point in request.points:
            vectors = convert.vectors(point.vectors)
            collection.check_vectors(vectors)
            points.append(engine.PointVectors(convert.point_id(point.id), vectors))
        condition = convert.optional_filter(request, "update_filter")
        return self.write(request, engine.UpdateOperation.update_vectors(points, condition))

    @rpc
    def DeleteVectors(self, request):
        update = engine.UpdateOperation
        names = list(request.vectors.names)
        return self.write_selected(
            request, request.points_selector, update.delete_vectors, update.delete_vectors_by_filter, names
        )

    @rpc
    def SetPayload(self, request):
        update = engine.UpdateOperation
        arguments = (convert.payload(request.payload), convert.optional(request, "key"))
        return self.write_selected(
            request, request.points_selector, update.set_payload, update.set_payload_by_filter, *arguments
        )

    @rpc
    def OverwritePayload(self, request):
        update = engine.UpdateOperation
        arguments = (convert.payload(request.payload), convert.optional(request, "key"))
        return self.write_selected(
            request, request.points_selector, update.overwrite_payload, update.overwrite_payload_by_filter, *arguments
        )

    @rpc
    def DeletePayload(self, request):
        update = engine.UpdateOperation
        keys = list(request.keys)
        return self.write_selected(
            request, request.points_selector, update.delete_payload, update.delete_payload_by_filter, keys
        )

    @rpc
    def ClearPayload(self, request):
        update = engine.UpdateOperation
        return self.write_selected(request, request.points, update.clear_payload, update.clear_payload_by_filter)

    @rpc
    def CreateFieldIndex(self, request):
        index = schema.field_schema(request)
        return self.write(request, engine.UpdateOperation.create_field_index(request.field_name, index))

    @rpc
    def DeleteFieldIndex(self, request):
        return self.write(request, engine.UpdateOperation.delete_field_index(request.field_name))

    @rpc
    def Get(self, request):
        records = self.collection(request).shard.retrieve(
            convert.point_ids(request.ids),
            convert.with_payload(request.with_payload),
            convert.with_vectors(request.with_vectors),
        )
        return wire.GetResponse(result=[convert.record_message(record) for record in records])

    @rpc
    def Scroll(self, request):
        scroll = engine.ScrollRequest(
            offset=convert.point_id(request.offset) if request.HasField("offset") else None,
            limit=convert.limit(request),
            filter=convert.optional_filter(request),
            with_payload=convert.with_payload(request.with_payload, default=True),
            with_vector=convert.with_vectors(request.with_vectors),
            order_by=convert.order_by(request.order_by) if request.HasField("order_by") else None,
        )
        records, following = self.collection(request).shard.scroll(scroll)
        return wire.ScrollResponse(
            result=[convert.record_message(record) for record in records],
            next_page_offset=None if following is None else convert.id_message(following),
        )

    @rpc
    def Count(self, request):
        count = engine.CountRequest(exact=True, filter=convert.optional_filter(request))
        return wire.CountResponse(result=wire.CountResult(count=self.collection(request).shard.count(count)))

    @rpc
    def Query(self, request):
        return wire.QueryResponse(result=self.hits(request))

    @rpc
    def QueryBatch(self, request):
        for query in request.query_points:
            query.collection_name = request.collection_name
        batches = [wire.BatchResult(result=self.hits(query)) for query in request.query_points]
        return wire.QueryBatchResponse(result=batches)

    def hits(self, request):
        return [convert.scored_message(point) for point in self.collection(request).query(request)]


class ApiKey(grpc.ServerInterceptor):
    """Refuses calls without the key, but for health checks."""

    def __init__(self, key):
        self.key = key

    def intercept_service(self, continuation, call):
        refusal = None if call.method in OPEN_METHODS else self.refusal(dict(call.invocation_metadata))
        if refusal is None:
            return continuation(call)
        return grpc.unary_unary_rpc_method_handler(
            lambda _request, context: context.abort(grpc.StatusCode.UNAUTHENTICATED, refusal)
        )

    def refusal(self, headers):
        given = headers.get("api-key")
        if given is None and headers.get("authorization", "").startswith("Bearer "):
            given = headers["authorization"].removeprefix("Bearer ")
        if given is None:
            return "Must provide an API key or an Authorization bearer token"
        same = hmac.compare_digest(given.encode(), self.key.encode())
        return None if same else "Invalid API key or JWT"


class Probe(http.server.BaseHTTPRequestHandler):
    """The few REST paths that clients and health checks look at; the rest of REST is not served."""

    def do_GET(self):
        if self.path == "/":
            self.answer(200, "application/json", json.dumps({"title": TITLE, "version": VERSION}))
        elif self.path in ("/readyz", "/healthz", "/livez"):
            self.answer(200, "text/plain", "all shards are ready" if self.path == "/readyz" else "healthz check passed")
        else:
            self.answer(404, "text/plain", "this test server speaks gRPC only")

    def answer(self, code, kind, text):
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_arguments):
        pass


def serve(arguments, api_key):
    collections = Collections(os.path.join(arguments.data, "collections"))
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=16),
        interceptors=[ApiKey(api_key)] if api_key else [],
        options=[
            ("grpc.max_receive_message_length", LARGEST_MESSAGE_BYTES),
            ("grpc.max_send_message_length", -1),
            ("grpc.so_reuseport", 0),
        ],
    )
    wire.add_QdrantServicer_to_server(Health(), server)
    wire.add_CollectionsServicer_to_server(CollectionsService(collections), server)
    wire.add_PointsServicer_to_server(PointsService(collections), server)
    server.add_insecure_port(f"127.0.0.1:{arguments.port}")
    probe = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.http_port), Probe)
    threading.Thread(target=probe.serve_forever, daemon=True).start()

    stopped = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopped.set())
    server.start()
    print(
        f"started: gRPC {arguments.port}, HTTP {arguments.http_port}, {len(collections.open)} collections", flush=True
    )
    while not stopped.wait(FLUSH_INTERVAL_SECONDS):
        collections.flush()
    server.stop(grace=2).wait()
    collections.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=6334, help="gRPC")
    parser.add_argument("--http-port", type=int, default=6333)
    parser.add_argument("--data", required=True, help="folder")
    serve(parser.parse_args(), os.environ.get("SERVICE_API_KEY", ""))


if __name__ == "__main__":
    sys.exit(main())
