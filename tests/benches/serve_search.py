#!/usr/bin/env python3
"""Searches of a server by one client, then by 16: tests/benches/serve_search.py PROGRAM DATA WORKSPACE QUESTIONS [ROUNDS]

QUESTIONS is a text with one question a line, DATA the server's folder. In each round a server is started, asked 16 questions that do not
count, then all questions by one client and twice as many by 16, each in words of its own, so that no answer is known. Told are milliseconds
(median, 95th percentile), searches a second, the server's milliseconds of processor a search, and its memory. Standard library alone.
"""
import http.client
import pathlib
import statistics
import sys
import time

import serve
import serve_load
from serve_beside import cpu


def load(pid, workspace, questions, clients, calls, mark):
    times = []

    def client(number):
        connection = http.client.HTTPConnection("127.0.0.1", serve.PORT)
        for call in range(calls // clients):
            question = questions[(number + call) % len(questions)]
            begun = time.perf_counter()
            serve.once(connection, workspace, f"{question} ({mark} {number} {call})", False)
            times.append((time.perf_counter() - begun) * 1000)

    used, begun = cpu(pid), time.perf_counter()
    serve_load.in_parallel(clients, client)
    took = time.perf_counter() - begun
    times.sort()
    return (f"{clients:2} clients: p50 {statistics.median(times):6.1f}, p95 {times[len(times) * 95 // 100]:6.1f} ms, "
            f"{len(times) / took:5.1f} a second, {(cpu(pid) - used) * 1000 / len(times):5.1f} ms of CPU")


def main():
    program, data, workspace, path = sys.argv[1:5]
    questions = pathlib.Path(path).read_text().strip().split("\n")
    for number in range(int(sys.argv[5]) if len(sys.argv) > 5 else 3):
        with serve_load.running(program, data, workspace) as server:
            load(server.pid, workspace, questions, 1, 16, f"warm {number}")
            one = load(server.pid, workspace, questions, 1, len(questions), f"one {number}")
            many = load(server.pid, workspace, questions, 16, 2 * len(questions), f"many {number}")
            print(f"{one} | {many} | {serve_load.state(server.pid)}", flush=True)


main()
