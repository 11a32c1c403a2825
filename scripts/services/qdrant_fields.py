"""Which fields of Qdrant's published protobuf the test server holds to. Any other field that is set is refused, so that a
request that a real server would understand and this one would pass over is found by the test that sends it."""

from google.protobuf.unknown_fields import UnknownFieldSet

import qdrant_convert as convert

# Read by the server: what is asked for happens.
SERVED = {
    "CreateCollection": """collection_name shard_number replication_factor write_consistency_factor hnsw_config
        optimizers_config wal_config on_disk_payload vectors_config quantization_config sparse_vectors_config""",
    "UpdateCollection": """collection_name params hnsw_config optimizers_config vectors_config quantization_config
        sparse_vectors_config""",
    "CollectionParamsDiff": "replication_factor write_consistency_factor",
    "VectorsConfig": "params params_map",
    "VectorsConfigDiff": "params params_map",
    "VectorParamsMap": "map",
    "VectorParamsDiffMap": "map",
    "VectorParams": "size distance on_disk datatype multivector_config",
    "VectorParamsDiff": "on_disk",
    "MultiVectorConfig": "comparator",
    "SparseVectorConfig": "map",
    "SparseVectorParams": "index modifier",
    "SparseIndexConfig": "on_disk datatype",
    "CreateFieldIndexCollection": "collection_name wait field_name field_type field_index_params",
    "PayloadIndexParams": "text_index_params keyword_index_params integer_index_params",
    "TextIndexParams": "tokenizer lowercase min_token_len max_token_len",
    "DeleteFieldIndexCollection": "collection_name wait field_name",
    "UpsertPoints": "collection_name wait points update_filter update_mode",
    "PointStruct": "id payload vectors",
    "DeletePoints": "collection_name wait points",
    "UpdatePointVectors": "collection_name wait points update_filter",
    "PointVectors": "id vectors",
    "DeletePointVectors": "collection_name wait points_selector vectors",
    "SetPayloadPoints": "collection_name wait payload points_selector key",
    "DeletePayloadPoints": "collection_name wait keys points_selector",
    "ClearPayloadPoints": "collection_name wait points",
    "GetPoints": "collection_name ids with_payload with_vectors",
    "ScrollPoints": "collection_name filter offset limit with_payload with_vectors order_by",
    "CountPoints": "collection_name filter exact",
    "QueryPoints": """collection_name prefetch query using filter params score_threshold limit offset with_vectors
        with_payload""",
    "QueryBatchPoints": "collection_name query_points",
    "PrefetchQuery": "prefetch query using filter params score_threshold limit",
    "SearchParams": "exact idf",
    "IdfParams": "corpus",
    "OrderBy": "key direction start_from",
    "Rrf": "k weights",
    "Document": "text model options",
    "FieldCondition": "key match range values_count datetime_range is_empty is_null",
}
# A scan on one machine answers the same with them and without.
WITHOUT_EFFECT = {
    "CreateCollection": "timeout",
    "UpdateCollection": "timeout",
    "CreateFieldIndexCollection": "ordering timeout",
    "UpsertPoints": "ordering timeout",
    "DeletePoints": "ordering timeout",
    "GetPoints": "read_consistency timeout",
    "ScrollPoints": "read_consistency timeout",
    "CountPoints": "read_consistency timeout",
    "QueryPoints": "read_consistency timeout",
    "QueryBatchPoints": "read_consistency timeout",
    "UpdatePointVectors": "ordering timeout",
    "DeletePointVectors": "ordering timeout",
    "SetPayloadPoints": "ordering timeout",
    "DeletePayloadPoints": "ordering timeout",
    "ClearPayloadPoints": "ordering timeout",
    "DeleteFieldIndexCollection": "ordering timeout",
    "SearchParams": "hnsw_ef quantization indexed_only",
}
# Made of what every version has: not looked into, since there are many of them.
PLAIN = {"Value", "Struct", "ListValue", "PointId", "DenseVector", "SparseVector", "MultiDenseVector", "SparseIndices"}
KNOWN = {name: set(fields.split()) for name, fields in SERVED.items()}
for _name, _fields in WITHOUT_EFFECT.items():
    KNOWN[_name] = KNOWN[_name] | set(_fields.split())


def check(message):
    """Refuses a request with a field that is not held to, at any depth."""
    name = message.DESCRIPTOR.name
    if len(UnknownFieldSet(message)):
        raise convert.not_served(f"a field of {name} that is newer than this server's protocol")
    known = KNOWN.get(name)
    for field, value in message.ListFields():
        if known is not None and field.name not in known:
            raise convert.not_served(f"the field {field.name} of {name}")
        if field.message_type is None:
            continue
        for inner in inner_messages(field, value):
            check(inner)


def inner_messages(field, value):
    kind, values = field.message_type, value if field.is_repeated else (value,)
    if kind.GetOptions().map_entry:
        kind, values = kind.fields_by_name["value"].message_type, value.values()
    return () if kind is None or kind.name in PLAIN else values


def misnamed():
    """Names above that the published protobuf does not have."""
    from qdrant_client import grpc as wire

    wrong = []
    for name, fields in KNOWN.items():
        message = getattr(wire, name, None)
        there = {field.name for field in message.DESCRIPTOR.fields} if message else set()
        wrong += [f"{name}.{field}" for field in sorted(fields - there)]
    return wrong
