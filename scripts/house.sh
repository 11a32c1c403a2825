#!/usr/bin/env bash
# The house in numbers, of the working tree or of a commit: scripts/house.sh [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/.."
sources=src
if [ $# -gt 0 ]; then
    sources=$(mktemp -d)
    trap 'rm -rf "$sources"' EXIT
    git archive "$1" src | tar -x -C "$sources" --strip-components=1
fi
python3 - "$sources" <<'PYTHON'
import collections, glob, os, re, sys

root = sys.argv[1]
# comments behind code, texts (raw ones as well), characters: a quote in one of them opens nothing
QUOTED = re.compile(
    r'''//[^\n]*|\br(#*)".*?"\1|"(?:\\.|[^"\\])*"|\x27(?:\\u\{[^}]*\}|\\x..|\\.|[^\x27\\\n])\x27''',
    re.S,
)


def source(path):
    """A file without comments, tests and what stands in quotes."""
    text = open(path).read()
    if os.path.basename(path).endswith("tests.rs"):
        return ""
    text = text.split("\n#[cfg(test)]\nmod tests {")[0]
    text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("//"))
    return QUOTED.sub(lambda found: "" if found.group().startswith("//") else '""', text)


files = {os.path.relpath(p, root): source(p) for p in sorted(glob.glob(root + "/**/*.rs", recursive=True))}


def parameters(text, at):
    """How many parameters a function has whose list opens before `at`; self counts."""
    depth, angles, count, part = 1, 0, 0, ""
    while depth:
        c = text[at]
        depth += c in "([{"
        depth -= c in ")]}"
        angles += c == "<"
        angles -= c == ">" and text[at - 1] != "-"
        if c == "," and depth == 1 and angles == 0:
            count, part = count + bool(part.strip()), ""
        elif depth:
            part += c
        at += 1
    return count + bool(part.strip())


def block(text, at):
    """The text of a block whose brace opens before `at`."""
    depth, begin = 1, at
    while depth:
        depth += text[at] == "{"
        depth -= text[at] == "}"
        at += 1
    return text[begin:at]


def named(text, prefix):
    """First names of the paths behind a prefix, lists included."""
    names = set()
    for match in re.finditer(prefix + r"::(\{|\w+)", text):
        if match.group(1) != "{":
            names.add(match.group(1))
            continue
        depth = 1
        parts = [""]
        for c in text[match.end():]:
            depth += c == "{"
            depth -= c == "}"
            if not depth:
                break
            if c == "," and depth == 1:
                parts.append("")
            else:
                parts[-1] += c
        names |= {m.group(1) for m in (re.match(r"\s*(\w+)", part) for part in parts) if m}
    return names


def circles(room):
    """Groups of sibling modules that name each other in a circle."""
    uses = collections.defaultdict(set)
    inside = {p: p[len(room):].lstrip("/") for p in files if p.startswith(room + "/") or not room}
    modules = {p.split("/")[0].removesuffix(".rs") for p in inside.values()} - {"mod", "lib", "main"}
    path = "::".join(["crate"] + [part for part in room.split("/") if part])
    for file, place in inside.items():
        parts = place.split("/")
        module = parts[0].removesuffix(".rs")
        if module not in modules:
            continue
        depth = len(parts) - (parts[-1] == "mod.rs")
        up = "super::" * (depth - 1) + "super"
        names = named(files[file], path) | named(re.sub(r"super::" + up, "", files[file]), up)
        uses[module] |= (names & modules) - {module}
    order, low, stack, groups = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(uses[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            group = [stack.pop()]
            while group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                groups.append(sorted(group))

    for module in sorted(modules):
        if module not in order:
            visit(module)
    return groups


lines = {p: t.count("\n") for p, t in ((p, open(os.path.join(root, p)).read()) for p in files)}
total = sum(lines.values())
rooms = collections.Counter()
for path, count in lines.items():
    if "/" in path:
        rooms[path.split("/")[0]] += count
room, most = rooms.most_common(1)[0]
traits = {
    match.group(1): len(re.findall(r"\bfn\s+\w+", block(text, match.end())))
    for text in files.values()
    for match in re.finditer(r"\btrait (\w+)[^{;]*\{", text)
}
trait = max(sorted(traits), key=traits.get)
long = [
    (path, match.group(1))
    for path, text in files.items()
    for match in re.finditer(r"\bfn\s+(\w+)\s*(?:<[^({]*>)?\s*\(", text)
    if parameters(text, match.end()) >= 6
]
types = collections.Counter(
    name
    for text in files.values()
    for name in re.findall(r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait) (\w+)[^=\n]*$", text, re.M)
)
twice = sorted(name for name, count in types.items() if count > 1)
same = sum(len(re.findall(r"\blet (?:mut )?(\w+) = \1\(", text)) for text in files.values())
rounds = [
    (place, group)
    for place in sorted({os.path.dirname(p) for p in files})
    for group in circles(place)
]
print(f"largest room: {room}, {most * 100 / total:.1f} % of the lines")
print(f"largest trait: {trait}, {traits[trait]} methods")
print(f"functions with six or more parameters: {len(long)}")
print(f"circles of sibling modules: {len(rounds)}")
for place, group in rounds:
    print(f"  {place or 'src'}: {' '.join(group)}")
print(f"type names defined twice or more: {len(twice)}")
print(f"values named as the function that makes them: {same}")
print(f"lines: {total}")
if os.environ.get("VERBOSE"):
    print(*(f"  {path} {name}" for path, name in long), sep="\n")
    print("  " + " ".join(f"{name}×{types[name]}" for name in twice))
PYTHON
