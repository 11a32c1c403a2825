#!/usr/bin/env python3
"""What a server does under load, on a workspace that was indexed without a model. Standard library alone.

  serve_load.py growth PROGRAM DATA WORKSPACE [QUERIES]    memory, files and threads over so many queries (10,000), a fifth of them answers
  serve_load.py burst PROGRAM DATA WORKSPACE [AT_ONCE]     so many questions at once (500): what each was told, and when
  serve_load.py indexing PROGRAM DATA WORKSPACE FILE...    searches of one client at rest, and while uploads of these files are indexed
"""
import collections
import contextlib
import http.client
import json
import os
import subprocess
import sys
import threading
import time

from serve import PORT, QUESTIONS, memory, once


@contextlib.contextmanager
def running(program, data, workspace):
    command = [program, "--config", os.devnull, "--data", data, "--workspace", workspace, "--quiet", "serve", "--listen", f"127.0.0.1:{PORT}"]
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


def state(pid):
    files = len(os.listdir(f"/proc/{pid}/fd"))
    threads = len(os.listdir(f"/proc/{pid}/task"))
    return f"{memory(pid):.0f} MB, {files} files, {threads} threads"


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
    print(f"afterwards: {ask('GET', '/health/ready')[0]}, {state(server.pid)}")


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
    what, program, data, workspace, *rest = sys.argv[1:]
    with running(os.path.abspath(program), os.path.abspath(data), workspace) as server:
        if what == "growth":
            growth(server, workspace, int(rest[0]) if rest else 10_000)
        elif what == "burst":
            burst(server, workspace, int(rest[0]) if rest else 500)
        else:
            indexing(server, workspace, rest)


if __name__ == "__main__":
    main()
