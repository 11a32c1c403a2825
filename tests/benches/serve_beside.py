#!/usr/bin/env python3
"""Measures this program's server beside the LightRAG server, in turns, on the same text and the same made model.

  tests/benches/serve_beside.py PROGRAM LIGHTRAG_SERVER TEXT WORKDIR [ROUNDS]

LIGHTRAG_SERVER is the script `lightrag-server` of a Python environment with `lightrag-hku[api]`. Its tokenizer wants the file of
o200k_base under TIKTOKEN_CACHE_DIR. The model is a process of its own and answers at once: chat by rules, embeddings by hashes of
words (256 numbers). What it takes itself is told first. Per server: seconds to healthy, memory, and per call wall time and the server's
own seconds of CPU, at 1 and at 16 clients; of this program also retrieval without embeddings. Standard library alone.
"""
import hashlib
import http.client
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL, OURS, THEIRS = 18470, 18471, 18472
CALLS = 64  # of each kind
QUESTIONS = [
    "Who is Bob Cratchit?", "What did Jacob Marley say to Scrooge?", "Who is Tiny Tim?", "Where does Fezziwig dance?",
    "What does Scrooge's nephew want?", "Who are the three spirits?", "What is in the counting-house?", "Who buys the turkey?",
]
NUMBERS = itertools.count()  # no question comes twice, so that no cache answers it
NAME = re.compile(r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")


def entities(text):
    """Rows as LightRAG wants them: names of the text, and neighbours of one sentence."""
    rows, known = [], {}
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        names = list(dict.fromkeys(NAME.findall(sentence)))[:4]
        for name in names:
            known.setdefault(name, sentence[:160])
        rows += [f"relation<|#|>{a}<|#|>{b}<|#|>mention<|#|>{sentence[:160]}" for a, b in zip(names, names[1:])]
    first = [f"entity<|#|>{name}<|#|>person<|#|>{told}" for name, told in list(known.items())[:40]]
    return "\n".join(first + rows[:60] + ["<|COMPLETE|>"])


def chat(messages):
    text = "\n".join(str(message.get("content")) for message in messages)
    if "Knowledge Graph Specialist" in text:
        return entities(messages[-1]["content"].split("---Input Text---")[-1])
    if "high_level_keywords" in text:
        return json.dumps({"high_level_keywords": ["Christmas"], "low_level_keywords": NAME.findall(messages[-1]["content"])[-3:]})
    return "Scrooge's clerk is Bob Cratchit. " * 8


def vector(text):
    numbers = [0.0] * 256
    for word in re.findall(r"\w+", text.lower()):
        numbers[hashlib.blake2b(word.encode(), digest_size=2).digest()[0]] += 1.0
    length = sum(number * number for number in numbers) ** 0.5 or 1.0
    return [number / length for number in numbers]


class Model(BaseHTTPRequestHandler):
    """Answers at once; what it was asked is at GET."""

    asked = {"chat": 0, "embeddings": 0}
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each reply waits 40 ms for an acknowledgement

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.give(json.dumps(Model.asked))

    def do_POST(self):
        Model.asked["embeddings" if self.path.endswith("/embeddings") else "chat"] += 1
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        if self.path.endswith("/embeddings"):
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            vectors = [vector(str(text)) for text in texts]
            if body.get("encoding_format") == "base64":
                import base64
                import struct
                vectors = [base64.b64encode(struct.pack("<256f", *one)).decode() for one in vectors]
            data = [{"object": "embedding", "index": at, "embedding": one} for at, one in enumerate(vectors)]
            return self.give(json.dumps({"object": "list", "model": "m", "data": data, "usage": usage}))
        text = chat(body["messages"])
        base = {"id": "c", "created": 0, "model": "m"}
        if body.get("stream"):
            pieces = [text[at:at + 40] for at in range(0, len(text), 40)]
            chunks = [{"delta": {"role": "assistant", "content": piece}, "index": 0, "finish_reason": None} for piece in pieces]
            chunks.append({"delta": {}, "index": 0, "finish_reason": "stop"})
            lines = [json.dumps(base | {"object": "chat.completion.chunk", "choices": [chunk]}) for chunk in chunks]
            return self.give("".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]), "text/event-stream")
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        return self.give(json.dumps(base | {"object": "chat.completion", "choices": [choice], "usage": usage}))

    def give(self, text, kind="application/json"):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve_model():
    """The model as a process of its own, so that it shares no interpreter with the clients; what it takes itself is printed."""
    process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--model"])
    for path, body in (("/v1/embeddings", {"input": ["Who is Tiny Tim?"]}), ("/v1/chat/completions", {"stream": True, "messages": [{"content": "Who?"}]})):
        times = []
        while len(times) < 100:
            begun = time.perf_counter()
            try:
                connection = http.client.HTTPConnection("127.0.0.1", MODEL, timeout=10)
                post(connection, path, body)
                times.append((time.perf_counter() - begun) * 1000)
            except ConnectionRefusedError:
                time.sleep(0.01)
        times.sort()
        print(f"the model  {path}: p50 {times[50]:.1f} ms  p95 {times[95]:.1f} ms", flush=True)
    return process


def asked():
    connection = http.client.HTTPConnection("127.0.0.1", MODEL, timeout=10)
    connection.request("GET", "/")
    return json.loads(connection.getresponse().read())


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid):
    return next(int(line.split()[1]) / 1024 for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS:"))


def post(connection, path, body, first=None):
    """Calls, reads to the end; gives the seconds to what `first` finds, or to the end."""
    begun = time.perf_counter()
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    reply, seen = connection.getresponse(), None
    while first and seen is None:
        line = reply.readline()
        assert line, "the stream ended without text"
        if first in line:
            seen = time.perf_counter() - begun
    rest = reply.read()
    assert reply.status == 200, (reply.status, rest[:300])
    return seen or time.perf_counter() - begun


class Server:
    def __init__(self, name, port, health, command, env, retrieval, streaming):
        self.name, self.port, self.health, self.command, self.env = name, port, health, command, env
        self.retrieval, self.streaming, self.process = retrieval, streaming, None

    def start(self, log):
        begun = time.perf_counter()
        self.process = subprocess.Popen(self.command, env=os.environ | self.env, stdout=log, stderr=log, cwd=self.env["WORK"])
        while True:
            assert self.process.poll() is None, f"{self.name} ended"
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                connection.request("GET", self.health)
                if connection.getresponse().status == 200:
                    return time.perf_counter() - begun
            except OSError:
                time.sleep(0.005)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)

    def live(self):
        times = []
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for _ in range(200):
            begun = time.perf_counter()
            connection.request("GET", self.health)
            connection.getresponse().read()
            times.append((time.perf_counter() - begun) * 1000)
        print(f"{self.name:12} {self.health}: p50 {statistics.median(times):.1f} ms", flush=True)

    def load(self, clients, calls, is_stream):
        """Calls by so many clients at once; what they took, as a line."""
        path, make, first = self.streaming if is_stream else (*self.retrieval, None)
        times, lock = [], threading.Lock()

        def client(number):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
            for call in range(calls // clients):
                took = post(connection, path, make(f"{QUESTIONS[(number + call) % len(QUESTIONS)]} ({next(NUMBERS)})"), first)
                with lock:
                    times.append(took * 1000)

        before, used, begun = asked(), cpu(self.process.pid), time.perf_counter()
        threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        took, times = time.perf_counter() - begun, sorted(times)
        used = (cpu(self.process.pid) - used) * 1000 / len(times)
        what = "first text" if is_stream else "retrieval"
        model = " ".join(f"{(count - before[kind]) / len(times):.1f} {kind}" for kind, count in asked().items())
        print(f"{self.name:12} {what:10} {clients:2} clients: p50 {statistics.median(times):7.1f} ms  p95 {times[int(len(times) * 0.95)]:7.1f} ms"
              f"  {len(times) / took:6.1f} a second  CPU of the server {used:6.1f} ms, model calls {model}", flush=True)


def settings(work, name, has_model):
    """A configuration with the model for embeddings, and where wanted for answers too: the records are read by rules."""
    path, model = os.path.join(work, name), f"provider = 'openai'\nmodel = 'm'\nbase_url = 'http://127.0.0.1:{MODEL}/v1'\n"
    with open(path, "w") as file:
        file.write(f"[embeddings]\n{model}" + (f"[llm]\n{model}cache = false\n" if has_model else ""))
    return path


def main():
    if sys.argv[1:] == ["--model"]:
        ThreadingHTTPServer(("127.0.0.1", MODEL), Model).serve_forever()
    program, lightrag, text, work = (os.path.abspath(one) for one in sys.argv[1:5])
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 2
    os.makedirs(work, exist_ok=True)
    model = serve_model()
    try:
        measure(program, lightrag, text, work, rounds)
    finally:
        model.terminate()


def measure(program, lightrag, text, work, rounds):
    env = {"WORK": work, "OPENAI_API_KEY": "x"}
    base = lambda path, workspace: [program, "--config", path, "--data", os.path.join(work, "data"), "--workspace", workspace, "--quiet"]

    def ours(name, path, workspace):
        route = f"/api/v1/workspaces/{workspace}"
        return Server(name, OURS, "/health/ready", [*base(path, workspace), "serve", "--listen", f"127.0.0.1:{OURS}"], env,
                      (f"{route}/search", lambda question: {"question": question, "method": "local"}),
                      (f"{route}/answers", lambda question: {"question": question, "method": "local", "stream": True, "forget": True}, b"event: text"))

    indexing, serving = settings(work, "index.toml", False), settings(work, "serve.toml", True)
    servers = [ours("graphwright", serving, "carol"), ours("without model", "/dev/null", "words")]
    url = f"http://127.0.0.1:{MODEL}/v1"
    theirs = Server("LightRAG", THEIRS, "/health", [lightrag, "--host", "127.0.0.1", "--port", str(THEIRS), "--working-dir", os.path.join(work, "lightrag")],
                    env | {"LLM_BINDING": "openai", "LLM_MODEL": "m", "LLM_BINDING_HOST": url, "LLM_BINDING_API_KEY": "x", "EMBEDDING_BINDING": "openai",
                           "EMBEDDING_MODEL": "m", "EMBEDDING_BINDING_HOST": url, "EMBEDDING_BINDING_API_KEY": "x", "EMBEDDING_DIM": "256",
                           "ENABLE_LLM_CACHE": "false", "RERANK_BY_DEFAULT": "false", "COSINE_THRESHOLD": "0", "SUMMARY_LANGUAGE": "English"},
                    ("/query", lambda question: {"query": question, "mode": "mix", "only_need_context": True, "enable_rerank": False}),
                    ("/query/stream", lambda question: {"query": question, "mode": "mix", "stream": True, "enable_rerank": False}, b'"response"'))
    with open(os.path.join(work, "log"), "ab") as log:
        for path, workspace in ((indexing, "carol"), ("/dev/null", "words")):
            subprocess.run([*base(path, workspace), "index", text], check=True, stdout=log, stderr=log, env=os.environ | env, cwd=work)
        theirs.start(log)
        connection = http.client.HTTPConnection("127.0.0.1", THEIRS, timeout=600)
        post(connection, "/documents/text", {"text": open(text, encoding="utf-8-sig").read(), "file_source": "carol.txt"})
        state = {}
        while state.get("busy", True) or not state.get("processed"):
            time.sleep(1)
            connection.request("GET", "/documents/pipeline_status")
            state["busy"] = json.loads(connection.getresponse().read())["busy"]
            connection.request("GET", "/documents/status_counts")
            state["processed"] = json.loads(connection.getresponse().read())["status_counts"].get("processed", 0)
        theirs.stop()
        for _ in range(rounds):
            for server in [*servers, theirs]:
                seconds = server.start(log)
                print(f"{server.name:12} healthy in {seconds * 1000:.0f} ms, {memory(server.process.pid):.0f} MB", flush=True)
                server.live()
                for clients in (1, 16):
                    server.load(clients, CALLS, False)
                    server.load(clients, CALLS, True)
                print(f"{server.name:12} {memory(server.process.pid):.0f} MB after {4 * CALLS} calls, load {os.getloadavg()[0]:.1f}", flush=True)
                server.stop()


if __name__ == "__main__":
    main()
