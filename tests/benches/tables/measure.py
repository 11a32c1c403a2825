#!/usr/bin/env python3
"""Questions that a table answers, asked of one reader's records: how many tables are exact, precision and recall of rows.

    python3 tests/benches/tables/measure.py PROGRAM DATA WORKDIR [-v] [--auto]

PROGRAM is graphwright, DATA the shared data folder, WORKDIR a new folder. With --auto, `--method auto` chooses, and it is
counted how often it takes the table.
"""
import json
import re
import subprocess
import sys
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


def measure(program, data, language, folder, verbose, method):
    build(data, language, folder)
    run(program, folder, "init")
    run(program, folder, "index", "docs", "--openie", "openie.json")
    sums = {}
    for line in (HERE / f"questions.{language}.jsonl").read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        out = run(program, folder, "query", asked["question"], "--method", method, "--json")
        answer = json.loads(out) if out.strip() else {}
        table = answer.get("table") or {"rows": [], "possible": []}
        found, true = {row["name"].removeprefix("docs/") for row in table["rows"]}, set(asked["rows"])
        right = len(found & true)
        total = sums.setdefault(asked["half"], dict(questions=0, exact=0, found=0, true=0, right=0, tables=0))
        total["questions"] += 1
        total["exact"] += found == true and bool(answer.get("table"))
        total["found"] += len(found)
        total["true"] += len(true)
        total["right"] += right
        total["tables"] += bool(answer.get("table"))
        if verbose and found != true:
            print(f"{language} {asked['question']}\n   read as: {table.get('read_as')}")
            print(f"   missing {sorted(true - found)}  too many {sorted(found - true)}")
            if not answer.get("table"):
                print(f"   {answer.get('answer', '')[:150]}")
    return sums


def main():
    program, data, folder = (Path(argument).resolve() for argument in sys.argv[1:4])
    verbose, method = "-v" in sys.argv, "auto" if "--auto" in sys.argv else "table"
    print("| questions | exact | precision of rows | recall of rows | tables |\n|---|---|---|---|---|")
    for language in ("en", "podcasts", "zh"):
        for half, total in sorted(measure(str(program), data, language, folder / language, verbose, method).items()):
            precision, recall = total["right"] / max(total["found"], 1), total["right"] / max(total["true"], 1)
            print(f"| {language}, half {half}: {total['questions']} | {total['exact']} | {precision:.1%} | {recall:.1%} | {total['tables']} |")


if __name__ == "__main__":
    main()
