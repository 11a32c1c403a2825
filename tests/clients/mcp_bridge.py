#!/usr/bin/env python3
"""Streamable HTTP before a server of the Model Context Protocol on stdio, so that programs which speak HTTP alone can test it.

    mcp_bridge.py PORT COMMAND...

A POST's message goes to a process of COMMAND, and the line with its id comes back as the reply. `initialize` begins a process of its own
with a session id; what names no session goes to one process that all share, as from revision 2026-07-28 on. Only ids are changed on the
way, since clients that know nothing of each other count alike. Standard library alone.
"""
import itertools
import json
import queue
import subprocess
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECONDS = 30
SHARED = ""  # the session of those that name none


class Process:
    """One server on stdio, and the requests that wait for its lines."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.waiting, self.lock, self.ids = {}, threading.Lock(), itertools.count()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            waiting = self.waiting.pop(message.get("id"), None) if "method" not in message else None
            if waiting:
                waiting.put(message)

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def ask(self, message):
        """The reply to a request."""
        number, waiting = next(self.ids), queue.Queue()
        self.waiting[number] = waiting
        self.send(message | {"id": number})
        try:
            return waiting.get(timeout=SECONDS) | {"id": message["id"]}
        except queue.Empty:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": "no reply on stdio"}}


class Bridge(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    program, processes, starting = [], {}, threading.Lock()

    def log_message(self, *_):
        pass

    def give(self, status, reply=None, session=None):
        body = json.dumps(reply).encode() if reply is not None else b""
        self.send_response(status)
        if session not in (None, SHARED):
            self.send_header("Mcp-Session-Id", session)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.give(405)

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        session = self.headers.get("Mcp-Session-Id", SHARED)
        if message.get("method") == "initialize":
            session = uuid.uuid4().hex
        with self.starting:
            if session not in self.processes:
                self.processes[session] = Process(self.program)
        if "id" not in message or "method" not in message:
            self.processes[session].send(message)
            return self.give(202)
        self.give(200, self.processes[session].ask(message), session)


def main():
    Bridge.program = sys.argv[2:]
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Bridge)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        for process in Bridge.processes.values():
            process.process.stdin.close()


if __name__ == "__main__":
    main()
