#!/usr/bin/env python3
"""What a server does under load, on a workspace that was indexed without a model. Standard library alone.

  serve_load.py growth PROGRAM DATA WORKSPACE [QUERIES]    memory, files and threads over so many queries (10,000), a fifth of them answers
  serve_load.py burst PROGRAM DATA WORKSPACE [AT_ONCE]     so many questions at once (500): what each was told, and when
  serve_load.py streams PROGRAM DATA WORKSPACE [STREAMS]   so many open answers (200) of a model that writes 50 tokens a second: memory, searches beside
                                                           them, and how soon calls of the model end when all readers leave
  serve_load.py indexing PROGRAM DATA WORKSPACE FILE...    searches of one client at rest, and while uploads of these files are indexed
  serve_load.py slow PROGRAM DATA WORKSPACE [MINUTES]      eight answers of a model that writes two words a second stay open for so long (60), half of
                                                           them read by somebody slow, while another process indexes 60 texts again and again: the log
"""
import asyncio
import collections
import contextlib
import http.client
import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time

from serve import PORT, QUESTIONS, memory, once
from serve_beside import cpu


MODEL = PORT + 1


CHUNK = {"id": "c", "created": 0, "model": "m", "object": "chat.completion.chunk",
         "choices": [{"index": 0, "delta": {"content": "one more word and another "}, "finish_reason": None}]}


class SlowModel:
    """Writes five tokens every tenth of a second for three minutes; in `slow`, every other second for two hours. GET tells how many answers are
    being written. One thread and one clock for all, a tenth of the answers at each tick, so that what is measured has the processors."""

    def __init__(self, pause=0.1, lines=1800):
        self.pause, self.lines, self.open, self.number = pause, lines, {}, 0

    async def talk(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next((int(line.split(":")[1]) for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0)
        await reader.readexactly(length)
        if head.startswith("GET"):
            body = str(len(self.open)).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n")
            self.number += 1
            mine, end = self.number, asyncio.Event()
            self.open[mine] = [writer, end, self.lines]
            # a reader that left is seen at once, not at the next write
            ends = [asyncio.create_task(reader.read(1)), asyncio.create_task(end.wait())]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            [one.cancel() for one in ends]
            del self.open[mine]
        writer.close()

    async def write(self):
        line, tick = f"data: {json.dumps(CHUNK)}\n\n".encode(), 0
        while True:
            tick += 1
            for number, answer in self.open.items():
                if number % 10 == tick % 10:
                    answer[0].write(line)
                    answer[2] -= 1
                    if answer[2] <= 0:
                        answer[1].set()
            await asyncio.sleep(self.pause / 10)

    async def serve(self):
        server = await asyncio.start_server(self.talk, "127.0.0.1", MODEL, backlog=512)
        await asyncio.gather(server.serve_forever(), self.write())


@contextlib.contextmanager
def running(program, data, workspace, config=os.devnull):
    command = [program, "--config", config, "--data", data, "--workspace", workspace, "--quiet", "serve", "--listen", f"127.0.0.1:{PORT}"]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        while ask("GET", "/health/ready")[0] != 200:
            time.sleep(0.01)
        yield server
    finally:
        server.terminate()
        server.wait(60)


def ask(method, path, body=None, connection=None):
    connection = connection or http.client.HTTPConnection("127.0.0.1", PORT, timeout=120)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, reply.read(), reply.headers
    except ConnectionRefusedError:
        return 0, b"", {}


def own(pid):
    """Memory without files that are mapped: their pages are counted once a reader, though they are there once."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon:"))


def state(pid):
    files = len(os.listdir(f"/proc/{pid}/fd"))
    threads = len(os.listdir(f"/proc/{pid}/task"))
    return f"{memory(pid):.0f} MB ({own(pid):.0f} of its own), {files} files, {threads} threads"


def in_parallel(count, work):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def growth(server, workspace, queries):
    def some(client, calls):
        connection = http.client.HTTPConnection("127.0.0.1", PORT)
        for call in range(calls):
            question = f"{QUESTIONS[(client + call) % len(QUESTIONS)]} {client} {call}"
            once(connection, workspace, question, call % 5 == 4)

    print(f"at start: {state(server.pid)}", flush=True)
    in_parallel(8, lambda client: some(client, 50))
    print(f"after 400 queries: {state(server.pid)}", flush=True)
    for part in range(1, 11):
        in_parallel(8, lambda client: some(client, queries // 80))
        if part % 2 == 0:
            print(f"after {400 + part * (queries // 80) * 8} queries: {state(server.pid)}", flush=True)


def burst(server, workspace, at_once):
    told, times, lock = collections.Counter(), collections.defaultdict(list), threading.Lock()
    together = threading.Barrier(at_once)

    def one(number):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=120)
        connection.connect()
        together.wait()
        begun = time.perf_counter()
        try:
            body = {"question": QUESTIONS[number % len(QUESTIONS)], "forget": True}
            status, _, headers = ask("POST", f"/api/v1/workspaces/{workspace}/answers", body, connection)
            what = f"{status}{' with Retry-After' if headers.get('retry-after') else ''}"
        except OSError as error:
            what = type(error).__name__
        with lock:
            told[what] += 1
            times[what].append((time.perf_counter() - begun) * 1000)

    in_parallel(at_once, one)
    for what, count in sorted(told.items()):
        took = sorted(times[what])
        print(f"{count:4} times {what}: p50 {took[count // 2]:.0f} ms, longest {took[-1]:.0f} ms")
    refused = [line for line in ask("GET", "/metrics")[1].decode().splitlines() if "/answers\"" in line and "503" in line]
    count = next((float(line.split()[-1]) for line in refused if "_count{" in line), 0)
    within_10_ms = next((float(line.split()[-1]) for line in refused if 'le="0.01"' in line), 0)
    print(f"by the server's own clock {within_10_ms:.0f} of {count:.0f} refusals took at most 10 ms")
    print(f"afterwards: {ask('GET', '/health/ready')[0]}, {state(server.pid)}")


def writing():
    connection = http.client.HTTPConnection("127.0.0.1", MODEL, timeout=30)
    connection.request("GET", "/")
    return int(connection.getresponse().read())


def readers(workspace, count):
    """So many open answers in one thread, which only counts bytes. A line at the input: what was read is told, and at the second line all leave."""
    ready, got, ended = selectors.DefaultSelector(), collections.Counter(), 0
    for number in range(count):
        body = json.dumps({"question": QUESTIONS[number % len(QUESTIONS)], "method": "local", "stream": True, "forget": True}).encode()
        one = socket.create_connection(("127.0.0.1", PORT))
        one.sendall(f"POST /api/v1/workspaces/{workspace}/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        ready.register(one, selectors.EVENT_READ)
    ready.register(sys.stdin, selectors.EVENT_READ)
    is_told = False
    while True:
        for key, _ in ready.select():
            if key.fileobj is sys.stdin:
                sys.stdin.readline()
                if is_told:
                    os._exit(0)
                print(f"{ended} ended early, least bytes read of a stream: {min(got.values())}", flush=True)
                is_told = True
                continue
            piece = key.fileobj.recv(65536)
            got[key.fd] += len(piece)
            if not piece:
                ready.unregister(key.fileobj)
                ended += 1


def streams(server, workspace, count):
    """Readers and model are processes of their own: here nothing but the searches is waited for."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT)

    def some():
        connection.close()
        used, begun = cpu(server.pid), time.perf_counter()
        told = searches(workspace, within(20), connection)
        return f"{told}, {(cpu(server.pid) - used) * 100 / (time.perf_counter() - begun):.0f} % of a core"

    some()  # what is used for the first time
    print("at rest:", some(), state(server.pid), flush=True)
    before = own(server.pid)
    command = [sys.executable, os.path.abspath(__file__), "--readers", workspace, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        while writing() < count:
            time.sleep(0.1)
        print(f"{writing()} streams: {state(server.pid)}, {(own(server.pid) - before) * 1024 / count:.0f} kB of its own each", flush=True)
        used, begun = cpu(server.pid), time.perf_counter()
        time.sleep(5)
        print(f"they take {(cpu(server.pid) - used) / (time.perf_counter() - begun) * 100:.0f} % of a core", flush=True)
        print("beside them:", some(), flush=True)
        reader.stdin.write("told\n")
        reader.stdin.flush()
        print(f"{reader.stdout.readline().strip()}, {state(server.pid)}")
        reader.stdin.write("leave\n")
        reader.stdin.flush()
        reader.wait(60)
        closed = time.perf_counter()
        while writing():
            time.sleep(0.005)
        print(f"all readers left; the model's last call ended {(time.perf_counter() - closed) * 1000:.0f} ms later; {state(server.pid)}")
    print("at rest:", some(), f"load {os.getloadavg()[0]:.1f}")


def slow(server, program, data, workspace, minutes):
    """Every reader begins anew when its answer ends. A slow one reads 64 bytes each 20 seconds."""
    over, ends = threading.Event(), collections.Counter()

    def reader(number):
        body = json.dumps({"question": QUESTIONS[number % len(QUESTIONS)], "method": "local", "stream": True, "forget": True}).encode()
        while not over.is_set():
            with socket.create_connection(("127.0.0.1", PORT)) as one:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                one.sendall(f"POST /api/v1/workspaces/{workspace}/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                            f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                while not over.is_set():
                    if number % 2:
                        over.wait(20)
                    try:
                        if not one.recv(64 if number % 2 else 65536):
                            break
                    except OSError:
                        break
            ends[number % 2] += 1

    readers = [threading.Thread(target=reader, args=(number,), daemon=True) for number in range(8)]
    [one.start() for one in readers]
    end, largest, rounds = time.time() + minutes * 60, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.time() < end:
            for number in range(60):
                with open(f"{folder}/{number}.txt", "w") as text:
                    text.write(f"Round {rounds}. Ada Quill of Harbour {number} met Bo Lind in {1900 + (rounds + number) % 120}. " * 40)
            subprocess.run([program, "--data", data, "--workspace", workspace, "--quiet", "index", folder], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            rounds += 1
            logs = sum(os.path.getsize(os.path.join(data, name)) for name in os.listdir(data) if name.endswith("-wal")) / 2**20
            largest = max(largest, logs)
            if rounds % 5 == 1:
                print(f"{time.strftime('%H:%M:%S')} round {rounds}: log {logs:.0f} MB (largest {largest:.0f}), {writing()} answers open, "
                      f"{ends[0]} and {ends[1]} ended, {state(server.pid)}", flush=True)
            time.sleep(10)
        print(f"{minutes} minutes, {rounds} rounds: log at most {largest:.0f} MB, {writing()} answers open, {state(server.pid)}", flush=True)
    over.set()


def within(seconds):
    end = time.perf_counter() + seconds
    return lambda done: done >= 200 or time.perf_counter() > end


def searches(workspace, until, connection):
    times = []
    while not until(len(times)):
        begun = time.perf_counter()
        status, reply, _ = ask("POST", f"/api/v1/workspaces/{workspace}/search", {"question": QUESTIONS[len(times) % len(QUESTIONS)]}, connection)
        assert status == 200, (status, reply[:300])
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    return f"{len(times)} searches, p50 {times[len(times) // 2]:.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms, longest {times[-1]:.1f} ms"


def indexing(server, workspace, files):
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    jobs = f"/api/v1/workspaces/{workspace}/jobs"
    print("at rest:", searches(workspace, lambda done: done == 300, connection), flush=True)
    for file in files:
        with open(file, encoding="utf-8-sig") as text:
            items = [{"key": os.path.basename(file), "text": text.read()}]
        status, reply, _ = ask("POST", f"/api/v1/workspaces/{workspace}/documents", {"items": items})
        assert status == 202, (status, reply[:300])
        job, begun = json.loads(reply)["id"], time.perf_counter()
        asking = http.client.HTTPConnection("127.0.0.1", PORT)
        states = {"state": "queued"}

        def over(done):
            if done % 10 == 0:
                states.update(json.loads(ask("GET", f"{jobs}/{job}", connection=asking)[1]))
            return states["state"] not in ("queued", "running", "waiting")

        told = searches(workspace, over, connection)
        print(f"while {os.path.basename(file)} is indexed ({time.perf_counter() - begun:.1f} s, {states['state']}): {told}", flush=True)
        print("at rest:", searches(workspace, lambda done: done == 300, connection), flush=True)


def main():
    if sys.argv[1:2] == ["--model"]:
        asyncio.run((SlowModel(2, 3600) if sys.argv[2:] == ["slow"] else SlowModel()).serve())
    if sys.argv[1:2] == ["--readers"]:
        readers(sys.argv[2], int(sys.argv[3]))
    what, program, data, workspace, *rest = sys.argv[1:]
    program, data = os.path.abspath(program), os.path.abspath(data)
    if what in ("streams", "slow"):
        command = [sys.executable, os.path.abspath(__file__), "--model", *([what] if what == "slow" else [])]
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as config, subprocess.Popen(command) as model:
            config.write(f"[llm]\nprovider = 'openai'\nmodel = 'm'\napi_key = 'x'\nbase_url = 'http://127.0.0.1:{MODEL}/v1'\ncache = false\nconcurrency = 256\n"
                         f"[serve]\nanswers = 256\nanswers_per_minute = 0\nanswer_s = {3600 if what == 'slow' else 300}\n")
            config.flush()
            try:
                with running(program, data, workspace, config.name) as server:
                    if what == "slow":
                        slow(server, program, data, workspace, int(rest[0]) if rest else 60)
                    else:
                        streams(server, workspace, int(rest[0]) if rest else 200)
            finally:
                model.terminate()
        return
    with running(program, data, workspace) as server:
        if what == "growth":
            growth(server, workspace, int(rest[0]) if rest else 10_000)
        elif what == "burst":
            burst(server, workspace, int(rest[0]) if rest else 500)
        else:
            indexing(server, workspace, rest)


if __name__ == "__main__":
    main()
