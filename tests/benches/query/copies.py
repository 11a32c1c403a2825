"""copies.py INDEX OUT N: an index of microsoft/graphrag (parquet) N times over, every copy with names and ids of its own."""

import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

TEXTS = {
    "communities": ["id"],
    "community_reports": ["id"],
    "covariates": ["id", "subject_id", "object_id", "text_unit_id"],
    "documents": ["id", "title"],
    "entities": ["id", "title"],
    "relationships": ["id", "source", "target"],
    "text_units": ["id", "document_id"],
}
LISTS = ["entity_ids", "relationship_ids", "text_unit_ids", "covariate_ids"]
NUMBERS = ["community", "parent", "human_readable_id"]


def copy(name, rows, number, spread):
    for row in rows:
        for column in TEXTS[name]:
            if row.get(column) not in (None, "NONE"):
                row[column] = f"{row[column]} {number}" if number else row[column]
        for column in LISTS:
            if row.get(column) is not None and number:
                row[column] = [f"{one} {number}" for one in row[column]]
        for column in NUMBERS:
            if row.get(column) is not None and row[column] >= 0:
                row[column] += number * spread
        if row.get("children") is not None:
            row["children"] = [child + number * spread for child in row["children"]]
    return rows


def main(source, out, count):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for name in TEXTS:
        table = pq.read_table(pathlib.Path(source) / f"{name}.parquet")
        rows = []
        for number in range(count):
            rows += copy(name, table.to_pylist(), number, 10_000)
        pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), out / f"{name}.parquet")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
