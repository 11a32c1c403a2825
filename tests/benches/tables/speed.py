"""How long plans take over the graph of large.py: python3 speed.py PROGRAM FOLDER ENTITIES [COUNT] [WORKSPACE]

FOLDER holds the workspace. Each of the shapes is asked COUNT times [20], of other names each time: of a server, one question
after another, by the clock, from the request to the last byte of the answer. What a plan was refused for is told.
"""

import json
import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from large import company, person, town


def shapes(source, people, companies, towns):
    one, other = source.randrange(people), source.randrange(people)
    firm, hub = company(source.randrange(100, companies)), company(source.randrange(100))
    place = town(source.randrange(towns))
    yield "one step", f"Which companies does {person(one)} work for?"
    yield "one step back", f"Who works for {firm}?"
    yield "count", f"How many companies did {firm} acquire?"
    yield "a hub, count", f"How many people work for {hub}?"
    yield "two steps", f"Which people work for companies that {firm} acquired?"
    yield "in common", f"What do {person(one)} and {person(other)} have in common?"
    yield "not", f"Who works for {firm} but does not know {person(one)}?"
    yield "a place", f"Which companies are based in {place}?"
    yield "documents", f"Which documents mention {firm}?"
    yield "time", f"Who works for {firm} since 2010?"
    yield "path", f"How is {person(one)} connected to {firm}?"
    yield "most", "Which company acquired the most companies?"
    yield "most, of hubs", "Which company employs the most people?"


class Server:
    def __init__(self, program, folder, workspace):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [program, "serve", "--read-only", "--listen", f"127.0.0.1:{self.port}", "--workspace", workspace]
        self.workspace = workspace
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/live")
                return
            except OSError:
                time.sleep(0.1)

    def ask(self, question):
        body = json.dumps({"question": question, "method": "table"}).encode()
        url, headers = f"http://127.0.0.1:{self.port}/api/v1/workspaces/{self.workspace}/answers", {"Content-Type": "application/json"}
        used, began = self.cpu(), time.perf_counter()
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as reply:
            answer = json.load(reply)
        return (time.perf_counter() - began) * 1000, self.cpu() - used, answer

    def cpu(self):
        """What the server has computed so far, in ms (steps of the kernel's clock, 10 ms)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def share(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def main():
    program, folder, entities = sys.argv[1], sys.argv[2], int(sys.argv[3])
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    workspace = sys.argv[5] if len(sys.argv) > 5 else "default"
    server, source, taken, used, found, read, refused = Server(program, folder, workspace), random.Random(11), {}, {}, {}, {}, {}
    try:
        server.ask("Who works for nobody?")
        for _ in range(count):
            for shape, question in shapes(source, entities * 84 // 100, entities * 12 // 100, entities * 4 // 100):
                ms, cpu, answer = server.ask(question)
                taken.setdefault(shape, []).append(ms)
                used.setdefault(shape, []).append(cpu)
                table = answer.get("table")
                read.setdefault(shape, []).append(table["completeness"]["rows_read"] if table else 0)
                found.setdefault(shape, []).append(len(table["rows"]) if table else 0)
                if not table:
                    refused.setdefault(shape, answer.get("answer", "")[:160])
    finally:
        server.process.terminate()
        server.process.wait()
    print("| question | median | p95 | longest | CPU, median | CPU, p95 | rows, median | rows read, most |\n|---|---|---|---|---|---|---|---|")
    used["all"] = [ms for times in used.values() for ms in times]
    taken["all"] = [ms for times in taken.values() for ms in times]
    for shape, times in taken.items():
        rows = share(found[shape], 0.5) if shape in found else ""
        cpu = f"{share(used[shape], 0.5):.0f} ms | {share(used[shape], 0.95):.0f} ms"
        print(f"| {shape} | {share(times, 0.5):.0f} ms | {share(times, 0.95):.0f} ms | {max(times):.0f} ms | {cpu} | {rows} | {max(read.get(shape, [0]))} |")
    for shape, told in refused.items():
        print(f"refused: {shape}: {told}")


main()
