#!/usr/bin/env python3
"""A copy of an x86-64 program or library that learns what the processor can do from without_avx512.c.

    without_avx512.py FILE COPY      needs objdump

Each instruction cpuid (0F A2) becomes one that is illegal in 64 bits (06) and a nop (90): the handler that the preloaded library
sets answers it. So both sides of embed_beside.py choose the kernels that they have for processors with AVX2 alone."""

import subprocess
import sys
from pathlib import Path


def sections(file):
    """(address, size, offset) of each section that holds code."""
    told = subprocess.run(["objdump", "-h", "-w", file], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in told.splitlines() if "CODE" in line)
    return [(int(row[3], 16), int(row[2], 16), int(row[5], 16)) for row in rows if row[0].isdigit()]


def main():
    file, copy = sys.argv[1:3]
    data, places, count = bytearray(Path(file).read_bytes()), sections(file), 0
    listing = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", file], stdout=subprocess.PIPE, text=True)
    for line in listing.stdout:
        if not line.rstrip().endswith("cpuid"):
            continue
        address = int(line.split(":")[0], 16)
        at = next(offset + address - begin for begin, size, offset in places if begin <= address < begin + size)
        assert data[at:at + 2] == b"\x0f\xa2", f"no cpuid at {address:x}"
        data[at:at + 2] = b"\x06\x90"
        count += 1
    Path(copy).write_bytes(data)
    Path(copy).chmod(0o755)
    print(f"{count} places of cpuid replaced")


if __name__ == "__main__":
    main()
