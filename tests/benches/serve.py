#!/usr/bin/env python3
"""Measures a running program as a server: tests/benches/serve.py PROGRAM DATA WORKSPACE [QUESTIONS]

Start to ready, memory, and the time of searches and streamed answers at 1 and at 16 clients. Standard library alone.
"""
import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time

PORT = int(os.environ.get("PORT", 18464))
QUESTIONS = [
    "Who is Bob Cratchit?", "What did Jacob Marley say to Scrooge?", "Who is Tiny Tim?", "Where does Fezziwig dance?",
    "What does Scrooge's nephew want?", "Who are the three spirits?", "刘备、关羽、张飞是什么关系？", "曹操是谁？",
]


def memory(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def once(connection, workspace, question, stream):
    begun = time.perf_counter()
    route = "answers" if stream else "search"
    body = {"question": question}
    if stream:
        body |= {"stream": True, "forget": True}
    connection.request("POST", f"/api/v1/workspaces/{workspace}/{route}", json.dumps(body),
                       {"Content-Type": "application/json"})
    reply = connection.getresponse()
    first = None
    while stream and first is None:
        line = reply.readline()
        assert line, "the stream ended without text"
        if line.startswith(b"event: text"):
            first = time.perf_counter() - begun
    reply.read()
    assert reply.status == 200, reply.status
    return first if stream else time.perf_counter() - begun


def load(workspace, clients, calls, stream=False):
    times, lock = [], threading.Lock()

    def client(number):
        connection = http.client.HTTPConnection("127.0.0.1", PORT)
        for call in range(calls // clients):
            took = once(connection, workspace, QUESTIONS[(number + call) % len(QUESTIONS)], stream)
            with lock:
                times.append(took * 1000)

    begun = time.perf_counter()
    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    took = time.perf_counter() - begun
    times.sort()
    what = "first text" if stream else "search"
    print(f"{what:10} {clients:3} clients: p50 {statistics.median(times):7.1f} ms  "
          f"p95 {times[int(len(times) * 0.95)]:7.1f} ms  {len(times) / took:6.1f} a second  ({len(times)} calls)")


def main():
    program, data, workspace = sys.argv[1:4]
    calls = int(sys.argv[4]) if len(sys.argv) > 4 else 200
    begun = time.perf_counter()
    server = subprocess.Popen([program, "--data", data, "--workspace", workspace, "--quiet", "serve", "--listen",
                               f"127.0.0.1:{PORT}"], stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", PORT)
                connection.request("GET", "/health/ready")
                if connection.getresponse().read() and True:
                    break
            except OSError:
                time.sleep(0.002)
        print(f"start to ready {(time.perf_counter() - begun) * 1000:.0f} ms, memory {memory(server.pid):.0f} MB")
        begun = time.perf_counter()
        once(http.client.HTTPConnection("127.0.0.1", PORT), workspace, QUESTIONS[0], False)
        print(f"first search   {(time.perf_counter() - begun) * 1000:.0f} ms (opens the workspace)")
        for clients in (1, 16):
            load(workspace, clients, calls)
            load(workspace, clients, calls, stream=True)
        before = memory(server.pid)
        load(workspace, 16, calls * 4)
        print(f"memory {before:.0f} MB, after {calls * 4} searches more {memory(server.pid):.0f} MB")
        begun = time.perf_counter()
        server.terminate()
        server.wait(30)
        print(f"stopped in {(time.perf_counter() - begun) * 1000:.0f} ms, exit {server.returncode}")
    finally:
        server.kill()


if __name__ == "__main__":
    main()
