"""CPU seconds, wall seconds and peak memory of a command: python measure.py [--server PID] COMMAND...

Prints one line: user+sys, wall, peak MB, and with --server the server's user+sys meanwhile.
"""

import os
import resource
import subprocess
import sys
import time


def server_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


arguments = sys.argv[1:]
server = None
if arguments[0] == "--server":
    server, arguments = arguments[1], arguments[2:]
before = server_seconds(server) if server else 0.0
begun = time.monotonic()
code = subprocess.run(arguments, stdout=subprocess.DEVNULL).returncode
wall = time.monotonic() - begun
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
line = [f"{usage.ru_utime + usage.ru_stime:.1f}", f"{wall:.1f}", f"{usage.ru_maxrss / 1000:.0f}"]
if server:
    line.append(f"{server_seconds(server) - before:.1f}")
print(" ".join(line))
sys.exit(0 if code in (0, 4) else code)
