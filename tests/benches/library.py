#!/usr/bin/env python3
"""Measures how quickly a server answers from a large library: tests/benches/library.py PROGRAM ENTRIES FOLDER [OPTIONS]

    PROGRAM   the program to measure
    ENTRIES   JSON lines of entries with paraphrases, as `graphwright qa test` reads them
    FOLDER    where data is kept; what is there is used again
    --products N      copies of each entry, each about another product (167: 60 entries become 10,020)
    --words           no embeddings
    --graph, --vectors, --rounds N, --port N

Vectors are hashed words of 384 dimensions from an endpoint of this script. Told are the times of questions that the library
answered: of the whole request over HTTP, without the embedding of the question where there is one; and the server's
processor time a question, searches for what the library does not answer included. Standard library alone.
"""
import argparse
import hashlib
import http.client
import http.server
import json
import math
import os
import pathlib
import re
import subprocess
import threading
import time

DIMENSION = 384


def vector(text):
    values = [0.0] * DIMENSION
    for word in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower()):
        digest = hashlib.blake2b(word.encode(), digest_size=16).digest()
        for at in range(0, 16, 4):
            values[int.from_bytes(digest[at:at + 2], "little") % DIMENSION] += 1.0 if digest[at + 2] & 1 else -1.0
    length = math.sqrt(sum(value * value for value in values)) or 1.0
    return [round(value / length, 6) for value in values]


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        data = [{"index": index, "embedding": vector(text)} for index, text in enumerate(texts)]
        reply = json.dumps({"data": data, "model": "hash", "usage": {"prompt_tokens": 1, "total_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def entries(path, products):
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        for number in range(products):
            # the first ones stay as they are
            product = f" Product{number}" if number else ""
            yield entry | {
                "id": f"{entry['id']}-{number}" if number else entry["id"],
                "question": entry["question"] + product,
                "variants": [variant + product for variant in entry["variants"]],
                "follow_ups": [], "paraphrases": [], "near_misses": [],
            }


def processor_ms(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def memory_mb(pid):
    line = next(line for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def ask(port, questions, pid):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    times, answers, processor = [], [], processor_ms(pid)
    for question in questions:
        begun = time.perf_counter()
        connection.request("POST", "/api/v1/workspaces/default/answers", json.dumps({"question": question, "forget": True}),
                           {"Content-Type": "application/json"})
        reply = connection.getresponse()
        answer = json.loads(reply.read())
        took = (time.perf_counter() - begun) * 1000
        assert reply.status == 200, answer
        library = answer.get("answered_by") == "library"
        known = answer["library"]["entry"] if library else None
        answers.append([question, known, [proposal["id"] for proposal in answer.get("did_you_mean") or []]])
        if library:
            times.append(took - answer["timings_ms"].get("embedding", 0.0))
    times.sort()
    processor = (processor_ms(pid) - processor) / len(questions)
    print(f"{len(times)} of {len(questions)} answered by the library: p50 {times[len(times) // 2]:.1f} ms, "
          f"p95 {times[len(times) * 95 // 100]:.1f} ms, longest {times[-1]:.1f} ms; processor {processor:.1f} ms a question; "
          f"memory {memory_mb(pid):.0f} MB; load {os.getloadavg()[0]:.1f}", flush=True)
    return answers


def main():
    reads = argparse.ArgumentParser()
    reads.add_argument("program", type=pathlib.Path)
    reads.add_argument("entries", type=pathlib.Path)
    reads.add_argument("folder", type=pathlib.Path)
    reads.add_argument("--products", type=int, default=167)
    reads.add_argument("--words", action="store_true")
    reads.add_argument("--graph")
    reads.add_argument("--vectors")
    reads.add_argument("--rounds", type=int, default=3)
    reads.add_argument("--port", type=int, default=18467)
    reads.add_argument("--answers", type=pathlib.Path, help="where to write what was answered")
    said = reads.parse_args()
    program, folder = said.program.resolve(), said.folder.resolve()
    endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", said.port + 1), Endpoint)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    folder.mkdir(parents=True, exist_ok=True)
    settings = "" if said.words else (
        f'[embeddings]\nprovider = "openai"\nmodel = "hash"\napi_key = "none"\n'
        f'base_url = "http://127.0.0.1:{said.port + 1}/v1"\n')
    (folder / "graphwright.toml").write_text(settings)
    stores = [part for name in ("graph", "vectors") if getattr(said, name) for part in (f"--{name}", getattr(said, name))]
    if not (folder / "library.jsonl").exists():
        (folder / "making.jsonl").write_text(
            "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries(said.entries, said.products)))
        begun = time.perf_counter()
        subprocess.run([program, "qa", "import", "making.jsonl", "-q", *stores], cwd=folder, check=True)
        (folder / "making.jsonl").rename(folder / "library.jsonl")
        print(f"imported in {time.perf_counter() - begun:.0f} s", flush=True)
    questions = [question for line in said.entries.read_text().splitlines() for question in json.loads(line)["paraphrases"]]
    server = subprocess.Popen([program, "serve", "--listen", f"127.0.0.1:{said.port}", "-q", *stores],
                              cwd=folder, stderr=(folder / "server.log").open("w"))
    try:
        for _ in range(600):
            try:
                http.client.HTTPConnection("127.0.0.1", said.port).request("GET", "/api/v1/workspaces")
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        answers = [ask(said.port, questions, server.pid) for _ in range(said.rounds)]
        if said.answers:
            said.answers.write_text("".join(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers[-1]))
    finally:
        server.terminate()
        server.wait()


main()
