#!/usr/bin/env python3
"""Questions that a table answers, asked of one reader's records: how many tables are exact, precision and recall of rows.

    python3 tests/benches/tables/measure.py PROGRAM DATA WORKDIR [-v] [--method auto|local|global] [--cypher BOLT HTTP]

PROGRAM is graphwright, DATA the shared data folder, WORKDIR a new folder. With `--method auto`, it is counted how often the
table is taken. A search that writes texts has no rows: each name of the records that its answer writes and the question
does not counts as one, each of its documents where rows are documents, and a step of a path where a line names both ends.

With --cypher, the guessed statements of the fixture are run, one a question, on a Neo4j whose database belongs to nobody
else: it is emptied. Its first column is the rows, a list of nodes is a path.
"""
import json
import re
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent.parent / "fixtures" / "tables"


def sentences_of_call(data, document):
    text = (data / "corpora/earnings-calls" / document).read_text(encoding="utf-8-sig").replace("\r", "")
    return [one.strip() for one in re.split(r"(?<=[.!?])\s+|\n+", text) if one.strip()]


def sentences_of_podcast(data, prefix):
    """Those of all parts of an episode: each part begins with the name of its transcript."""
    with zipfile.ZipFile(data / "corpora/podcasts.zip") as archive:
        parts = [name for name in archive.namelist() if name.startswith(f"input/{prefix}") and name.endswith(".txt")]
        parts.sort(key=lambda name: int(re.search(r"part(\d+)\.txt$", name)[1]))
        text = "\n".join(re.sub(r"^.*?\.txt ", "", archive.read(name).decode("utf-8-sig")) for name in parts)
    text = text.replace("\r", "")
    return [one.strip() for one in re.split(r"(?<=[.!?])\s+|\n+", text) if one.strip()]


def sentences_of_chapter(data, chapter):
    text = (data / "corpora/three-kingdoms-ch1-20.zh.txt").read_text(encoding="utf-8-sig")
    text = re.sub(r"</?p>|[\s　]", "", text)
    begins = [found.start() for found in re.finditer(r"第[一二三四五六七八九十]+回", text)]
    own = text[begins[chapter - 1]:begins[chapter] if chapter < len(begins) else None]
    return re.findall(r"[^。！？]+[。！？]?[\"”]?", own)


def build(data, language, folder):
    """Writes a document for each record, and the recording that replays what was read from it."""
    records = json.loads((HERE / f"records.{language}.json").read_text(encoding="utf-8"))
    docs = folder / "docs"
    docs.mkdir(parents=True)
    recording = []
    for record in records:
        if language == "podcasts":
            known = sentences_of_podcast(data, record["podcast"])
        elif language == "en":
            known = sentences_of_call(data, record["document"])
        else:
            known = sentences_of_chapter(data, record["chapter"])
        found = []
        for anchor in record["anchors"]:
            fitting = [sentence for sentence in known if anchor in sentence]
            if not fitting:
                print(f"no sentence of {record['document']} holds {anchor!r}", file=sys.stderr)
            found += [one for one in fitting[:1] if one not in found]
        text = "\n".join(found) + "\n"
        (docs / record["document"]).write_text(text, encoding="utf-8")
        names = sorted({end for triple in record["triples"] for end in (triple[0], triple[2])})
        recording.append({"text": text, "extracted_entities": names, "extracted_triples": record["triples"]})
    (folder / "openie.json").write_text(json.dumps({"docs": recording}, ensure_ascii=False), encoding="utf-8")


def run(program, folder, *arguments):
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-500:], file=sys.stderr)
    return done.stdout


def rows_of_table(program, folder, asked, method, records):
    """The rows of a table, or None and why there is none."""
    out = run(program, folder, "query", asked["question"], "--method", method, "--json")
    answer = json.loads(out) if out.strip() else {}
    table = answer.get("table")
    if table is None:
        return None, answer.get("answer", "")[:150]
    return {row["name"].removeprefix("docs/") for row in table["rows"]}, table.get("read_as")


def rows_of_text(program, folder, asked, method, records):
    out = run(program, folder, "query", asked["question"], "--method", method, "--json")
    answer = json.loads(out) if out.strip() else {}
    text, question = answer.get("answer", ""), asked["question"]
    if any("→" in row for row in asked["rows"]):
        lines = text.split("\n")
        ends = [(row, row.split(" → ")) for row in asked["rows"]]
        return {row for row, names in ends if any(all(name in line for name in names) for line in lines)}, text[:150]
    documents = {record["document"] for record in records}
    if set(asked["rows"]) and set(asked["rows"]) <= documents:
        return {source["document"].removeprefix("docs/") for source in answer.get("sources", [])}, text[:150]
    names = {end for record in records for triple in record["triples"] for end in (triple[0], triple[2])}
    names |= {row for row in asked["rows"] if row.isdigit()}
    return {name for name in names if name in text and name not in question}, text[:150]


class Guessed:
    """Statements that were guessed from the questions and the schema, run over HTTP."""

    def __init__(self, language, http):
        lines = (HERE / f"cypher.{language}.jsonl").read_text(encoding="utf-8").splitlines()
        self.statements = {one["question"]: one["statement"] for one in map(json.loads, lines)}
        self.url = f"{http}/db/neo4j/query/v2"

    def run(self, statement):
        body = json.dumps({"statement": statement}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.url, body, headers)) as reply:
            return json.load(reply)["data"]["values"]

    def rows(self, program, folder, asked, method, records):
        statement = self.statements[asked["question"]]
        found = set()
        for first, *_ in self.run(statement):
            if isinstance(first, list):
                found |= {f"{one} → {other}" for one, other in zip(first, first[1:])}
            else:
                found.add(str(first).removeprefix("docs/"))
        return found, statement


def measure(program, data, language, folder, verbose, method, neo4j):
    build(data, language, folder)
    run(program, folder, "init")
    ask, place = (rows_of_table if method in ("table", "auto") else rows_of_text), []
    if neo4j:
        guessed = Guessed(language, neo4j[1])
        guessed.run("MATCH (n) DETACH DELETE n")
        ask, place = guessed.rows, ["--graph", neo4j[0]]
    run(program, folder, "index", "docs", "--openie", "openie.json", *place)
    records = json.loads((HERE / f"records.{language}.json").read_text(encoding="utf-8"))
    sums = {}
    for line in (HERE / f"questions.{language}.jsonl").read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        rows, told = ask(program, folder, asked, method, records)
        found, true = rows or set(), set(asked["rows"])
        right = len(found & true)
        total = sums.setdefault(asked["half"], dict(questions=0, exact=0, found=0, true=0, right=0, tables=0))
        total["questions"] += 1
        total["exact"] += rows is not None and found == true
        total["found"] += len(found)
        total["true"] += len(true)
        total["right"] += right
        total["tables"] += rows is not None
        if verbose and found != true:
            print(f"{language} {asked['question']}\n   {told}")
            print(f"   missing {sorted(true - found)}  too many {sorted(found - true)}")
    return sums


def main():
    program, data, folder = (Path(argument).resolve() for argument in sys.argv[1:4])
    verbose = "-v" in sys.argv
    method = sys.argv[sys.argv.index("--method") + 1] if "--method" in sys.argv else "table"
    at = sys.argv.index("--cypher") if "--cypher" in sys.argv else None
    neo4j = at and sys.argv[at + 1:at + 3]
    print("| questions | exact | precision of rows | recall of rows | tables |\n|---|---|---|---|---|")
    for language in ("en", "podcasts", "zh"):
        sums = measure(str(program), data, language, folder / language, verbose, method, neo4j)
        for half, total in sorted(sums.items()):
            precision, recall = total["right"] / max(total["found"], 1), total["right"] / max(total["true"], 1)
            print(f"| {language}, half {half}: {total['questions']} | {total['exact']} | {precision:.1%} | {recall:.1%} | {total['tables']} |")


if __name__ == "__main__":
    main()
