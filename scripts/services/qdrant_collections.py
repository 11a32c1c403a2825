"""The collections of the test server: one folder each, holding how it was created and one shard of Qdrant's engine."""

import os
import shutil
import threading
import urllib.parse
from pathlib import Path

import grpc
import qdrant_edge as engine
from qdrant_client import grpc as wire

import qdrant_convert as convert
import qdrant_schema as schema


def not_found(what):
    return convert.Refused(grpc.StatusCode.NOT_FOUND, f"Not found: {what}")


def no_collection(name):
    return not_found(f"Collection `{name}` doesn't exist!")


class Collection:
    """One collection. Reads run side by side, writes one at a time; the engine guards the one from the other."""

    def __init__(self, created, shard):
        self.created = created
        self.shard = shard
        self.writing = threading.Lock()
        self.unflushed = False
        self.operations = 0
        self.dense = schema.dense_by_name(created)
        self.sparse = set(created.sparse_vectors_config.map)

    def update(self, operation):
        """Applies an engine operation and gives its number."""
        with self.writing:
            self.shard.update(operation)
            self.unflushed = True
            self.operations += 1
            return self.operations

    def flush(self):
        if self.unflushed:
            self.unflushed = False
            self.shard.flush()

    def close(self):
        with self.writing:
            self.flush()
            self.shard.close()

    def check_vectors(self, vectors):
        """Refuses what does not fit before any point of the request is written, as the real server does."""
        named = vectors if isinstance(vectors, dict) else {"": vectors}
        for name, vector in named.items():
            if name in self.dense:
                self.check_dense(name, vector)
            elif name not in self.sparse:
                raise convert.wrong_input(f"Not existing vector name error: {name}")
            elif not isinstance(vector, engine.SparseVector):
                raise convert.wrong_input("Conversion between sparse and regular vectors failed")

    def check_dense(self, name, vector):
        if isinstance(vector, engine.SparseVector):
            raise convert.wrong_input("Conversion between sparse and regular vectors failed")
        expected = self.dense[name].size
        for row in vector if vector and isinstance(vector[0], list) else [vector]:
            if len(row) != expected:
                where = f" for vector '{name}'" if name else ""
                raise convert.wrong_input(f"Vector dimension error: expected dim: {expected}, got {len(row)}{where}")

    def query(self, message):
        self.replace_ids(message)
        return self.shard.query(convert.query(message))

    def replace_ids(self, message):
        """Where a query names a point instead of a vector: takes its vector, and leaves the point out of the hits."""
        for inner in message.prefetch:
            self.replace_ids(inner)
        if message.query.WhichOneof("variant") != "nearest" or not message.query.nearest.HasField("id"):
            return
        wanted = message.query.nearest.id
        records = self.shard.retrieve([convert.point_id(wanted)], False, True)
        if not records:
            raise not_found(f"No point with id {convert.point_id(wanted)} found")
        vector = records[0].vector
        vector = vector.get(message.using) if isinstance(vector, dict) else vector
        if vector is None:
            raise convert.wrong_input(f"Not existing vector name error: {message.using}")
        message.filter.must_not.add().has_id.has_id.append(wanted)
        output = convert.vector_message(vector)
        kind = output.WhichOneof("vector")
        getattr(message.query.nearest, kind).CopyFrom(getattr(output, kind))

    def describe(self):
        """What the server tells about a collection: how it was created, with the server's defaults filled in."""
        state = self.shard.info()
        indexes = {
            name: wire.PayloadSchemaInfo(
                data_type=getattr(wire, str(index.data_type).rpartition(".")[2]), points=index.points
            )
            for name, index in state.payload_schema.items()
        }
        return wire.CollectionInfo(
            status=wire.Green,
            optimizer_status=wire.OptimizerStatus(ok=True),
            segments_count=state.segments_count,
            config=self.config(),
            payload_schema=indexes,
            points_count=state.points_count,
            indexed_vectors_count=state.indexed_vectors_count,
        )

    def config(self):
        created = self.created
        params = wire.CollectionParams(
            shard_number=convert.optional(created, "shard_number", 1),
            on_disk_payload=convert.optional(created, "on_disk_payload", True),
            replication_factor=convert.optional(created, "replication_factor", 1),
            write_consistency_factor=convert.optional(created, "write_consistency_factor", 1),
        )
        for field in ("vectors_config", "sparse_vectors_config"):
            if created.HasField(field):
                getattr(params, field).CopyFrom(getattr(created, field))
        hnsw = wire.HnswConfigDiff(m=16, ef_construct=100, full_scan_threshold=10000, max_indexing_threads=0)
        hnsw.MergeFrom(created.hnsw_config)
        optimizers = wire.OptimizersConfigDiff(
            deleted_threshold=0.2,
            vacuum_min_vector_number=1000,
            default_segment_number=0,
            indexing_threshold=10000,
            flush_interval_sec=5,
        )
        optimizers.MergeFrom(created.optimizers_config)
        wal = wire.WalConfigDiff(wal_capacity_mb=32, wal_segments_ahead=0)
        wal.MergeFrom(created.wal_config)
        config = wire.CollectionConfig(params=params, hnsw_config=hnsw, optimizer_config=optimizers, wal_config=wal)
        if created.HasField("quantization_config"):
            config.quantization_config.CopyFrom(created.quantization_config)
        return config

    def dense_params(self, name):
        config = self.created.vectors_config
        return config.params_map.map[name] if name else config.params

    def change(self, request):
        """Takes an UpdateCollection over; the engine scans, so only what is told changes."""
        created = self.created
        for field in ("replication_factor", "write_consistency_factor"):
            if request.params.HasField(field):
                setattr(created, field, getattr(request.params, field))
        created.hnsw_config.MergeFrom(request.hnsw_config)
        created.optimizers_config.MergeFrom(request.optimizers_config)
        for name, change in schema.dense_by_name(request).items():
            if name not in self.dense:
                raise convert.wrong_input(f"Not existing vector name error: {name}")
            if change.HasField("on_disk"):
                self.dense_params(name).on_disk = change.on_disk
        for name, change in request.sparse_vectors_config.map.items():
            if name not in self.sparse:
                raise convert.wrong_input(f"Not existing vector name error: {name}")
            created.sparse_vectors_config.map[name].MergeFrom(change)
        kind, value = convert.chosen(request.quantization_config, "quantization")
        if kind == "disabled":
            created.ClearField("quantization_config")
        elif kind:
            created.quantization_config.Clear()
            getattr(created.quantization_config, kind).CopyFrom(value)


class Collections:
    """All collections of a data folder; what an interrupted create or delete left behind is removed when it opens."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.changing = threading.Lock()
        self.open = {}
        for path in sorted(self.folder.iterdir()):
            if not (path / "created.pb").exists():
                shutil.rmtree(path)
                continue
            created = wire.CreateCollection.FromString((path / "created.pb").read_bytes())
            self.open[created.collection_name] = Collection(created, engine.EdgeShard.load(str(path / "shard")))

    def path(self, name):
        return self.folder / ("c-" + urllib.parse.quote(name, safe=""))

    def get(self, name):
        collection = self.open.get(name)
        if collection is None:
            raise no_collection(name)
        return collection

    def create(self, created):
        name = created.collection_name
        if not 1 <= len(name) <= 255:
            raise convert.invalid(f'collection_name: value "{name}" invalid, must be from 1 to 255 characters')
        with self.changing:
            if name in self.open:
                raise convert.Refused(
                    grpc.StatusCode.ALREADY_EXISTS, f"Wrong input: Collection `{name}` already exists!"
                )
            config = schema.engine_config(created)
            path = self.path(name)
            shutil.rmtree(path, ignore_errors=True)
            shard = engine.EdgeShard.create(str(path / "shard"), config)
            self.keep(created)
            self.open[name] = Collection(created, shard)

    def keep(self, created):
        path = self.path(created.collection_name)
        (path / "created.tmp").write_bytes(created.SerializeToString())
        os.replace(path / "created.tmp", path / "created.pb")

    def change(self, request):
        with self.changing:
            collection = self.get(request.collection_name)
            collection.change(request)
            self.keep(collection.created)

    def delete(self, name):
        """Whether there was one."""
        with self.changing:
            collection = self.open.pop(name, None)
            if collection is None:
                return False
            (self.path(name) / "created.pb").unlink()
            collection.close()
            shutil.rmtree(self.path(name))
            return True

    def flush(self):
        with self.changing:
            for collection in self.open.values():
                collection.flush()

    def close(self):
        with self.changing:
            for collection in self.open.values():
                collection.close()
            self.open.clear()
