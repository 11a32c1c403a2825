"""Translates between Qdrant's protocol (protobuf messages) and its engine (qdrant_edge): pure functions, no state."""

import grpc
import numpy
import qdrant_edge as engine
from qdrant_client import grpc as wire


class Refused(Exception):
    """A request that the real server refuses too: its status code and its words."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def wrong_input(message):
    return Refused(grpc.StatusCode.INVALID_ARGUMENT, f"Wrong input: {message}")


def invalid(message):
    return Refused(grpc.StatusCode.INVALID_ARGUMENT, f"Validation error in body: [{message}]")


def not_served(what):
    return Refused(grpc.StatusCode.UNIMPLEMENTED, f"{what} is not served by this test server: use a real Qdrant")


def chosen(message, group):
    """The set member of a oneof as (name, value), or (None, None)."""
    name = message.WhichOneof(group)
    return (name, getattr(message, name)) if name else (None, None)


def optional(message, field, default=None):
    return getattr(message, field) if message.HasField(field) else default


# Ids and payloads


def point_id(message):
    kind, value = chosen(message, "point_id_options")
    if kind is None:
        raise Refused(grpc.StatusCode.INVALID_ARGUMENT, "No ID options provided")
    return value


def point_ids(messages):
    return [point_id(message) for message in messages]


def id_message(value):
    return wire.PointId(num=value) if isinstance(value, int) else wire.PointId(uuid=str(value))


def json_value(message):
    kind, value = chosen(message, "kind")
    if kind is None or kind == "null_value":
        return None
    if kind == "struct_value":
        return payload(value.fields)
    if kind == "list_value":
        return [json_value(item) for item in value.values]
    return value


def payload(fields):
    return {key: json_value(value) for key, value in fields.items()}


def value_message(value):
    if value is None:
        return wire.Value(null_value=0)
    if isinstance(value, bool):
        return wire.Value(bool_value=value)
    if isinstance(value, int):
        return wire.Value(integer_value=value)
    if isinstance(value, float):
        return wire.Value(double_value=value)
    if isinstance(value, str):
        return wire.Value(string_value=value)
    if isinstance(value, dict):
        return wire.Value(struct_value=wire.Struct(fields=payload_message(value)))
    return wire.Value(list_value=wire.ListValue(values=[value_message(item) for item in value]))


def payload_message(fields):
    return {key: value_message(value) for key, value in (fields or {}).items()}


# Vectors


def sparse(indices, values):
    if len(indices) != len(values):
        raise invalid("values: Validation error: must be the same length as indices [{}]")
    if len(set(indices)) != len(indices):
        raise invalid("indices: Validation error: must be unique [{}]")
    return engine.SparseVector(list(indices), list(values))


def bm25(document, embed):
    """The server's own text model `qdrant/bm25`; `embed` is embed_document or embed_query."""
    if document.model.lower() != "qdrant/bm25":
        raise not_served(f"the model {document.model}")
    options = payload(document.options)
    return getattr(engine.Bm25(engine.Bm25Config(**options)), embed)(document.text)


def vector(message, embed="embed_document"):
    """A stored or a query vector: a list of floats, a list of such lists, or an engine.SparseVector."""
    group = "vector" if isinstance(message, wire.Vector) else "variant"
    kind, value = chosen(message, group)
    if kind == "dense":
        return list(value.data)
    if kind == "sparse":
        return sparse(value.indices, value.values)
    if kind == "multi_dense":
        return [list(row.data) for row in value.vectors]
    if kind == "document":
        return bm25(value, embed)
    if kind is None and group == "vector":
        return deprecated_vector(message)
    raise not_served(f"a vector given as {kind}")


def deprecated_vector(message):
    if message.HasField("indices"):
        return sparse(message.indices.data, message.data)
    return list(message.data)


def vectors(message):
    """What engine.Point takes: one vector, or vectors by name."""
    kind, value = chosen(message, "vectors_options")
    if kind == "vector":
        return vector(value)
    return {name: vector(item) for name, item in value.vectors.items()} if kind else {}


def vector_message(value):
    if isinstance(value, engine.SparseVector):
        return wire.VectorOutput(sparse=wire.SparseVector(indices=value.indices, values=value.values))
    if value and isinstance(value[0], list):
        rows = [wire.DenseVector(data=row) for row in value]
        return wire.VectorOutput(multi_dense=wire.MultiDenseVector(vectors=rows))
    return wire.VectorOutput(dense=wire.DenseVector(data=value))


def vectors_message(value):
    if value is None:
        return None
    if isinstance(value, dict):
        named = {name: vector_message(item) for name, item in value.items()}
        return wire.VectorsOutput(vectors=wire.NamedVectorsOutput(vectors=named))
    return wire.VectorsOutput(vector=vector_message(value))


# Records


def with_payload(message, default=False):
    kind, value = chosen(message, "selector_options")
    if kind == "include":
        return engine.PayloadSelector.Include(list(value.fields))
    if kind == "exclude":
        return engine.PayloadSelector.Exclude(list(value.fields))
    return default if kind is None else value


def with_vectors(message):
    kind, value = chosen(message, "selector_options")
    return list(value.names) if kind == "include" else bool(value)


def order_value(value):
    if value is None:
        return None
    return wire.OrderValue(float=value) if isinstance(value, float) else wire.OrderValue(int=value)


def record_message(record):
    return wire.RetrievedPoint(
        id=id_message(record.id),
        payload=payload_message(record.payload),
        vectors=vectors_message(record.vector),
        order_value=order_value(record.order_value),
    )


def scored_message(point):
    return wire.ScoredPoint(
        id=id_message(point.id),
        payload=payload_message(point.payload),
        score=point.score,
        version=point.version,
        vectors=vectors_message(point.vector),
        order_value=order_value(point.order_value),
    )


# Filters


def filter_(message):
    return engine.Filter(
        must=conditions(message.must),
        should=conditions(message.should),
        must_not=conditions(message.must_not),
        min_should=min_should(message.min_should) if message.HasField("min_should") else None,
    )


def optional_filter(message, field="filter"):
    return filter_(getattr(message, field)) if message.HasField(field) else None


def min_should(message):
    return engine.MinShould(conditions(message.conditions) or [], message.min_count)


def conditions(messages):
    return [condition(message) for message in messages] or None


def condition(message):
    kind, value = chosen(message, "condition_one_of")
    if kind == "field":
        return field_condition(value)
    if kind == "filter":
        return filter_(value)
    if kind == "has_id":
        return engine.HasIdCondition(set(point_ids(value.has_id)))
    if kind == "is_empty":
        return engine.IsEmptyCondition(value.key)
    if kind == "is_null":
        return engine.IsNullCondition(value.key)
    if kind == "has_vector":
        return engine.HasVectorCondition(value.has_vector)
    if kind == "nested":
        return engine.NestedCondition(value.key, filter_(value.filter))
    raise not_served(f"the filter condition {kind}")


def field_condition(message):
    for geo in ("geo_bounding_box", "geo_radius", "geo_polygon"):
        if message.HasField(geo):
            raise not_served(f"the filter {geo}")
    return engine.FieldCondition(
        message.key,
        match=match(message.match) if message.HasField("match") else None,
        range=range_(message),
        values_count=values_count(message.values_count) if message.HasField("values_count") else None,
        is_empty=optional(message, "is_empty"),
        is_null=optional(message, "is_null"),
    )


def match(message):
    kind, value = chosen(message, "match_value")
    if kind in ("keyword", "integer"):
        return engine.MatchValue(value)
    if kind == "boolean":
        return engine.MatchValue(numpy.bool_(value))  # the engine takes Python's True for the integer 1
    if kind == "keywords":
        return engine.MatchAny(list(value.strings))
    if kind == "integers":
        return engine.MatchAny(list(value.integers))
    if kind == "except_keywords":
        return engine.MatchExcept(list(value.strings))
    if kind == "except_integers":
        return engine.MatchExcept(list(value.integers))
    texts = {
        "text": engine.MatchText,
        "text_any": engine.MatchTextAny,
        "phrase": engine.MatchPhrase,
        "prefix": engine.MatchPrefix,
        "substring": engine.MatchSubstring,
    }
    if kind in texts:
        return texts[kind](value)
    raise Refused(grpc.StatusCode.INVALID_ARGUMENT, "Malformed Match condition")


def bounds(message):
    return {name: optional(message, name) for name in ("lt", "gt", "gte", "lte")}


def range_(message):
    if message.HasField("range"):
        return engine.RangeFloat(**bounds(message.range))
    if message.HasField("datetime_range"):
        given = bounds(message.datetime_range)
        return engine.RangeDateTime(**{name: stamp and stamp.ToJsonString() for name, stamp in given.items()})
    return None


def values_count(message):
    return engine.ValuesCount(**bounds(message))


# Queries


def order_by(message):
    direction = engine.Direction.Desc if message.direction == wire.Desc else engine.Direction.Asc
    kind, start = chosen(message.start_from, "value")
    if kind == "timestamp":
        start = start.ToJsonString()
    return engine.OrderBy(message.key, direction, start)


def search_params(message):
    """Without hnsw_ef, quantization and indexed_only: every search here scans, so each result is exact."""
    idf = None
    if message.HasField("idf"):
        idf = engine.IdfParams(optional_filter(message.idf, "corpus"))
    return engine.SearchParams(exact=True, idf=idf)


def scoring(message, using):
    """A query as the engine takes it. A vector given as a point's id must have been replaced before."""
    kind, value = chosen(message, "variant")
    if kind is None:
        return None
    if kind == "nearest":
        return engine.Query.Nearest(vector(value, "embed_query"), using or None)
    if kind == "fusion":
        return engine.Fusion.Dbsf() if value == wire.DBSF else engine.Fusion.Rrf(k=2)
    if kind == "rrf":
        weights = list(value.weights) or None
        return engine.Fusion.Rrf(k=optional(value, "k", 2), weights=weights)
    if kind == "order_by":
        return order_by(value)
    if kind == "sample":
        return engine.Sample.Random
    raise not_served(f"the query {kind}")


def limit(message, default=10):
    value = optional(message, "limit", default)
    if value < 1:
        raise invalid(f"limit: value {value} invalid, must be 1 or larger")
    return value


def refuse_lookup(message):
    if message.HasField("lookup_from"):
        raise not_served("lookup_from")


def prefetch(message):
    refuse_lookup(message)
    return engine.Prefetch(
        limit=limit(message),
        query=scoring(message.query, message.using),
        prefetches=[prefetch(inner) for inner in message.prefetch],
        params=search_params(message.params),
        filter=optional_filter(message),
        score_threshold=optional(message, "score_threshold"),
    )


def query(message):
    refuse_lookup(message)
    return engine.QueryRequest(
        limit=limit(message),
        offset=optional(message, "offset", 0),
        query=scoring(message.query, message.using),
        prefetches=[prefetch(inner) for inner in message.prefetch],
        with_vector=with_vectors(message.with_vectors),
        with_payload=with_payload(message.with_payload),
        filter=optional_filter(message),
        score_threshold=optional(message, "score_threshold"),
        params=search_params(message.params),
    )
