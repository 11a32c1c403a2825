#!/usr/bin/env python3
"""Compares Cargo.lock with a copy of RustSec's database: `advisories.py DATABASE [Cargo.lock]`.

DATABASE is a folder or a git directory of github.com/rustsec/advisory-db. Prints each weakness of what we depend on and
ends with 1 where there is any; what is only unmaintained is told and passes.
"""
import pathlib
import re
import subprocess
import sys
import tomllib


def version(text):
    """A version as something that can be compared; what comes before a release is less than it."""
    text = text.strip().split("+")[0]
    numbers, _, before = text.partition("-")
    parts = [int(part) for part in numbers.split(".") if part.isdigit()]
    return tuple(parts + [0] * (3 - len(parts))), (0, before) if before else (1, "")


def caret_end(text):
    """The first version that `^text` does not allow."""
    parts = [int(part) for part in text.split("-")[0].split(".")]
    for place, part in enumerate(parts):
        if part or place == len(parts) - 1:
            return ".".join(map(str, [*parts[:place], part + 1]))


def meets(found, requirement):
    """Whether a version meets a requirement such as `>= 1.2, < 2`."""
    for one in filter(None, (part.strip() for part in requirement.split(","))):
        operator, wanted = re.fullmatch(r"(>=|<=|>|<|=|\^|~)?\s*([0-9].*)", one).groups()
        this, other = version(found), version(wanted)
        fine = {
            ">=": this >= other,
            "<=": this <= other,
            ">": this > other,
            "<": this < other,
            "=": this == other,
            "~": this >= other and this[0][:2] == other[0][:2],
        }.get(operator)
        if fine is None:
            fine = this >= other and this < version(caret_end(wanted))
        if not fine:
            return False
    return True


def advisories(database):
    """Front matter of every advisory on crates."""
    path = pathlib.Path(database)
    if (path / "crates").is_dir():
        texts = [file.read_text() for file in sorted(path.glob("crates/*/RUSTSEC-*.md"))]
    else:
        git = ["git", "--git-dir", str(path)]
        listed = subprocess.run([*git, "ls-tree", "-r", "HEAD", "crates/"], capture_output=True, text=True, check=True)
        rows = [line.split() for line in listed.stdout.splitlines() if line.endswith(".md")]
        wanted = "\n".join(row[2] for row in rows)
        batch = subprocess.run([*git, "cat-file", "--batch"], input=wanted.encode(), capture_output=True, check=True)
        texts, rest = [], batch.stdout
        while rest:
            head, _, rest = rest.partition(b"\n")
            size = int(head.split()[2])
            texts.append(rest[:size].decode())
            rest = rest[size + 1:]
    for text in texts:
        begun = text.index("```toml") + len("```toml")
        yield tomllib.loads(text[begun:text.index("```", begun)]), text


def main():
    database, lock = sys.argv[1], (sys.argv[2:] or ["Cargo.lock"])[0]
    locked = {}
    for package in tomllib.loads(pathlib.Path(lock).read_text())["package"]:
        if package.get("source"):
            locked.setdefault(package["name"], []).append(package["version"])
    count, weak = 0, 0
    for entry, text in advisories(database):
        count += 1
        advisory, versions = entry["advisory"], entry.get("versions", {})
        if advisory.get("withdrawn"):
            continue
        for found in locked.get(advisory["package"], []):
            safe = versions.get("patched", []) + versions.get("unaffected", [])
            if any(meets(found, requirement) for requirement in safe):
                continue
            kind = advisory.get("informational")
            weak += kind not in ("unmaintained", "notice")
            title = re.search(r"^# (.*)$", text, re.M)
            print(f"{advisory['id']} {advisory['package']} {found} ({kind or 'weakness'}): {title and title[1]}")
    print(f"{sum(map(len, locked.values()))} packages, {count} advisories, {weak} weaknesses")
    if not count:
        sys.exit("the database holds no advisory")
    sys.exit(1 if weak else 0)


if __name__ == "__main__":
    main()
