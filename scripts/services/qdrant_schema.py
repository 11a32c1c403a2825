"""How a collection is made: vectors, datatypes and payload indexes, from Qdrant's protocol to its engine."""

import grpc
import qdrant_edge as engine
from qdrant_client import grpc as wire

import qdrant_convert as convert

DISTANCES = {
    wire.Cosine: engine.Distance.Cosine,
    wire.Euclid: engine.Distance.Euclid,
    wire.Dot: engine.Distance.Dot,
    wire.Manhattan: engine.Distance.Manhattan,
}
DATATYPES = {
    wire.Float32: engine.VectorStorageDatatype.Float32,
    wire.Float16: engine.VectorStorageDatatype.Float16,
    wire.Uint8: engine.VectorStorageDatatype.Uint8,
}
FIELD_TYPES = {
    wire.FieldTypeKeyword: engine.PayloadSchemaType.Keyword,
    wire.FieldTypeInteger: engine.PayloadSchemaType.Integer,
    wire.FieldTypeFloat: engine.PayloadSchemaType.Float,
    wire.FieldTypeGeo: engine.PayloadSchemaType.Geo,
    wire.FieldTypeText: engine.PayloadSchemaType.Text,
    wire.FieldTypeBool: engine.PayloadSchemaType.Bool,
    wire.FieldTypeDatetime: engine.PayloadSchemaType.Datetime,
    wire.FieldTypeUuid: engine.PayloadSchemaType.Uuid,
}
TOKENIZERS = {
    wire.Prefix: engine.TokenizerType.Prefix,
    wire.Whitespace: engine.TokenizerType.Whitespace,
    wire.Word: engine.TokenizerType.Word,
    wire.Multilingual: engine.TokenizerType.Multilingual,
}


def field_schema(message):
    """The index that a CreateFieldIndex asks for. Of its parameters only those of text change what is found."""
    if message.field_index_params.HasField("text_index_params"):
        text = message.field_index_params.text_index_params
        return engine.TextIndexParams(
            tokenizer=TOKENIZERS.get(text.tokenizer),
            lowercase=convert.optional(text, "lowercase"),
            min_token_len=convert.optional(text, "min_token_len"),
            max_token_len=convert.optional(text, "max_token_len"),
        )
    if not message.HasField("field_type"):
        raise convert.Refused(grpc.StatusCode.INVALID_ARGUMENT, "field type is missing")
    return FIELD_TYPES[message.field_type]


def dense_params(message):
    if not 1 <= message.size <= 65536:
        raise convert.invalid(f"vectors_config.size: value {message.size} invalid, must be from 1 to 65536")
    if message.distance not in DISTANCES:
        raise convert.Refused(grpc.StatusCode.INVALID_ARGUMENT, "Malformed distance parameter: unknown")
    multi = None
    if message.HasField("multivector_config"):
        multi = engine.MultiVectorConfig(engine.MultiVectorComparator.MaxSim)
    return engine.EdgeVectorParams(
        size=message.size,
        distance=DISTANCES[message.distance],
        on_disk=convert.optional(message, "on_disk"),
        multivector_config=multi,
        datatype=DATATYPES.get(message.datatype),
    )


def sparse_params(message):
    return engine.EdgeSparseVectorParams(
        on_disk=convert.optional(message.index, "on_disk"),
        modifier=engine.Modifier.Idf if message.modifier == wire.Idf else None,
        datatype=DATATYPES.get(message.index.datatype),
    )


def dense_by_name(message):
    """The dense vectors of a CreateCollection by name; the unnamed one is ''."""
    kind, value = convert.chosen(message.vectors_config, "config")
    if kind == "params":
        return {"": value}
    return dict(value.map) if kind else {}


def engine_config(message):
    return engine.EdgeConfig(
        vectors={name: dense_params(item) for name, item in dense_by_name(message).items()},
        sparse_vectors={name: sparse_params(item) for name, item in message.sparse_vectors_config.map.items()},
    )
