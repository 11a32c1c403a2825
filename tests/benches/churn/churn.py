"""churn.py SHARED WORK: indexes graphs with the program, replaces 1 % of their relationships in its embedded store, runs
the community stage cold and warm, and compares generations. See scripts/bench-churn.sh."""
import json, os, random, resource, shutil, sqlite3, subprocess, sys, zipfile

from blake3 import blake3

shared, work = sys.argv[1:3]
binary = os.environ["BINARY"]
SEEDS = os.environ.get("SEEDS", "1 2 3").split()
WORKSPACE = "default"


def program(data, *arguments):
    """Runs the program; what it printed, and the CPU seconds it took"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [binary, "--data", data, "--json", "--quiet", *arguments]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | {"RAYON_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(printed.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def content_id(kind, *parts):
    """Ids as the program makes them: BLAKE3 of the parts, each behind its length"""
    hasher = blake3()
    for part in (WORKSPACE, kind, *parts):
        part = part.encode()
        hasher.update(len(part).to_bytes(8, "little") + part)
    return hasher.hexdigest()[:32]


def store(data):
    return sqlite3.connect(f"{data}/{WORKSPACE}.sqlite")


def add_relationships(database, rows):
    """Rows (node, node, weight), as if a document had told of them"""
    ids = dict(database.execute("SELECT node, id FROM entities"))
    names = dict(database.execute("SELECT node, name FROM entities"))
    for one, other, weight in rows:
        low, high = sorted((one, other), key=ids.get)
        told = content_id("relationship", ids[low], ids[high])
        database.execute(
            "INSERT OR IGNORE INTO relationships (id, id_key, low, high, summed, weight, strength, text_unit_count, "
            "kind, description) VALUES (?, ?, ?, ?, 1, ?, ?, ?, 'related', ?)",
            (told, int(told[:15], 16), low, high, weight, weight, weight, f"{names[low]} is told of with {names[high]}."))


def indexed(name):
    """Folder of the indexed graph, made where it is missing"""
    data = f"{work}/{name}"
    if os.path.exists(f"{data}/done"):
        return data
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(data)
    if name == "carol":
        program(data, "index", f"{shared}/data/corpora/a-christmas-carol.txt")
    elif name == "podcasts":
        with zipfile.ZipFile(f"{shared}/data/corpora/podcasts.zip") as archive:
            archive.extractall(f"{work}/podcasts-texts")
        program(data, "index", f"{work}/podcasts-texts")
    else:
        open(f"{work}/nothing.txt", "w").write("Nothing.\n")
        program(data, "index", f"{work}/nothing.txt")
        database = store(data)
        count = int(open(f"{work}/graphs/{name}.n").read())
        database.executemany(
            "INSERT INTO entities (node, id, summed, name, text_unit_count) VALUES (?, ?, 1, ?, 1)",
            [(1000 + node, content_id("entity", f"node {node}"), f"Node {node}") for node in range(count)])
        edges = (map(int, line.split()) for line in open(f"{work}/graphs/{name}.txt"))
        add_relationships(database, [(1000 + u, 1000 + v, w) for u, v, w in edges])
        database.commit()
        database.close()
        program(data, "communities")
    open(f"{data}/done", "w").close()
    return data


def generation(data):
    """The communities that readers see: {(level, members): fingerprint}, of those with reports of their own"""
    database = store(data)
    current = database.execute("SELECT generation FROM workspace").fetchone()[0]
    members = {}
    for community, entity in database.execute(
            "SELECT m.community, m.entity FROM community_members m JOIN community_validity v USING (community) "
            "WHERE v.first <= ?1 AND v.until > ?1", (current,)):
        members.setdefault(community, []).append(entity)
    rows = database.execute(
        "SELECT c.node, c.level, c.fingerprint, c.composed FROM communities c JOIN community_validity v ON v.community = c.node "
        "WHERE v.first <= ?1 AND v.until > ?1", (current,)).fetchall()
    database.close()
    return {(level, frozenset(members[node])): fingerprint for node, level, fingerprint, composed in rows if not composed}


def change(data, seed, near):
    """Replaces 1 % of the relationships: new ones join any two entities, or two with a common neighbour"""
    draw = random.Random(seed)
    database = store(data)
    edges = database.execute("SELECT node, low, high, weight FROM relationships WHERE summed = 1 ORDER BY id").fetchall()
    nodes = [node for node, in database.execute("SELECT node FROM entities WHERE summed = 1 ORDER BY id")]
    beside = {}
    for _, low, high, _ in edges:
        beside.setdefault(low, []).append(high)
        beside.setdefault(high, []).append(low)
    gone = draw.sample(edges, max(1, len(edges) // 100))
    added = []
    while len(added) < len(gone):
        weight = gone[len(added)][3]
        one = draw.choice(nodes)
        other = draw.choice(nodes)
        if near and one in beside:
            other = draw.choice(beside[draw.choice(beside[one])])
        if one != other:
            added.append((one, other, weight))
    database.executemany("DELETE FROM relationships WHERE node = ?", [(edge[0],) for edge in gone])
    add_relationships(database, added)
    database.commit()
    database.close()
    return {frozenset(edge[1:3]) for edge in gone} | {frozenset(edge[:2]) for edge in added}


def touched(data, old, changes):
    """Communities that hold both ends of a changed relationship: their reports cannot stay"""
    database = store(data)
    ids = dict(database.execute("SELECT node, id FROM entities"))
    database.close()
    holders = {}
    for community in old:
        for member in community[1]:
            holders.setdefault(member, set()).add(community)
    hit = set()
    for pair in changes:
        one, other = (ids.get(node) for node in pair)
        hit |= holders.get(one, set()) & holders.get(other, set())
    return len(hit) / len(old)


def mean(values):
    return sum(values) / len(values)


print(f"Means of changes drawn with seeds {' '.join(SEEDS)}. Communities with at least 3 entities.\n")
header = ("graph", "relationships (changed)", "new ones join", "communities", "hold both ends of a changed one", "run",
          "communities changed", "reports paid for again", "CPU s of the stage", "modularity, level 0")
print("| " + " | ".join(header) + " |\n|" + " --- |" * len(header))
for name in os.environ.get("GRAPHS", "carol podcasts kg100k").split():
    base = indexed(name)
    old = generation(base)
    database = store(base)
    count = database.execute("SELECT count(*) FROM relationships WHERE summed = 1").fetchone()[0]
    database.close()
    for near in (False, True):
        results = {}
        share = []
        for seed in SEEDS:
            changed = f"{work}/changed"
            shutil.rmtree(changed, ignore_errors=True)
            shutil.copytree(base, changed)
            share.append(touched(changed, old, change(changed, int(seed), near)))
            for run, flags in (("cold", ["--fresh"]), ("warm", ["--warm"])):
                copy = f"{work}/{run}"
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(changed, copy)
                told, cpu = program(copy, "communities", *flags)
                assert (told["started_from"] is not None) == (run == "warm"), told
                new = generation(copy)
                known = set(old.values())
                results.setdefault(run, []).append((
                    mean([community not in old for community in new]),
                    mean([fingerprint not in known for fingerprint in new.values()]),
                    cpu, told["levels"][0]["modularity"]))
        for run, rows in results.items():
            communities, reports, cpu, modularity = map(mean, zip(*rows))
            print(f"| {name} | {count} ({max(1, count // 100)}) | {'neighbours of neighbours' if near else 'any two'} | {len(old)} "
                  f"| {100 * mean(share):.1f} % | {run} | {100 * communities:.1f} % | {100 * reports:.1f} % | {cpu:.2f} "
                  f"| {modularity:.5f} |", flush=True)
