"""What scripts/test-map.sh asks of a page.

page.py purity MAP.html            share of an entity's nearest that have its community, level by level
page.py many MAP.html OUT.html     a page of 10,000 entities that pans and zooms by itself and says how it went
page.py watch CHROMIUM PAGE FOLDER opens such a page, in real time, and prints frames and the browser's CPU time
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys

NEAREST = 10
LEAST_PURITY = 2.0
ENTITIES, RELATIONSHIPS, COMMUNITIES = 10_000, 30_000, 100
DATA = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.S)

# 5 seconds of dragging to and fro, then 5 seconds of the wheel
DRIVE = """
(() => {
  const SECONDS = 5;
  const canvas = document.querySelector(".sigma-mouse");
  const event = (type, x, y, more) => new MouseEvent(type, { clientX: x, clientY: y, bubbles: true, cancelable: true,
    view: window, ...more });
  const run = (name, turn, after) => {
    let frames = 0, longest = 0, before = performance.now();
    const begun = before;
    const frame = (now) => {
      if (frames) longest = Math.max(longest, now - before);
      before = now;
      frames += 1;
      turn(frames);
      if (now - begun < SECONDS * 1000) { requestAnimationFrame(frame); return; }
      const seconds = (now - begun) / 1000;
      console.log(`measured ${JSON.stringify({ name, frames, seconds, longest_ms: longest })}`);
      after();
    };
    requestAnimationFrame(frame);
  };
  setTimeout(() => {
    console.log("measured start");
    canvas.dispatchEvent(event("mousedown", 700, 450, { buttons: 1 }));
    run("panning", (n) => {
      document.dispatchEvent(event("mousemove", 700 + 300 * Math.sin(n / 20), 450 + 200 * Math.sin(n / 31)));
    }, () => {
      document.dispatchEvent(event("mouseup", 700, 450));
      run("zooming", (n) => {
        canvas.dispatchEvent(new WheelEvent("wheel", { clientX: 700, clientY: 450, deltaY: n % 80 < 40 ? -60 : 60,
          bubbles: true, cancelable: true }));
      }, () => console.log("measured end"));
    });
  }, 1500);
})();
"""


def read(path):
    text = pathlib.Path(path).read_text()
    return text, json.loads(DATA.search(text).group(2))


def purity(path):
    """Fails where colours are not places: a purity that is not far above that of a map whose colours are shuffled."""
    _, data = read(path)
    related = {end for edge in data["edges"] for end in (edge["source"], edge["target"])}
    nodes = [data["nodes"][place] for place in sorted(related)]
    near = []
    for node in nodes:
        apart = lambda other: (other["x"] - node["x"]) ** 2 + (other["y"] - node["y"]) ** 2
        near.append(sorted((place for place in range(len(nodes)) if nodes[place] is not node),
                           key=lambda place: (apart(nodes[place]), place))[:NEAREST])
    for level in range(data["levels"]):
        labels = [node["communities"][level] for node in nodes]
        sizes = {label: labels.count(label) for label in set(labels)}
        share = lambda labels: sum(labels[other] == labels[place] for place in range(len(nodes))
                                   for other in near[place]) / (len(nodes) * NEAREST)
        # a community of three has two others: what the best map of all could reach
        best = sum(min(NEAREST, sizes[label] - 1) for label in labels) / (len(nodes) * NEAREST)
        shuffled = labels[:]
        random.Random(1).shuffle(shuffled)
        by_chance = share(shuffled)
        found = share(labels)
        print(f"level {level}: {len(sizes)} communities, {found:.2f} of an entity's {NEAREST} nearest have its colour "
              f"(at best {best:.2f}, by chance {by_chance:.2f})")
        if found < LEAST_PURITY * by_chance or found < best / 2:
            sys.exit(f"FAILED: the colours of level {level} are not places in the plane")


def many(path, out):
    text, data = read(path)
    source = random.Random(7)
    names = [node["name"] for node in data["nodes"]]
    middles = [(source.uniform(0, 1000), source.uniform(0, 1000)) for _ in range(COMMUNITIES)]
    nodes = []
    for place in range(ENTITIES):
        community = min(int(source.expovariate(3) * COMMUNITIES), COMMUNITIES - 1)
        x, y = (source.gauss(at, 25) for at in middles[community])
        degree = min(int(source.paretovariate(1.2)), 300)
        nodes.append({**data["nodes"][0], "name": names[place % len(names)], "x": x, "y": y, "degree": degree,
                      "size": min(2 + 1.1 * degree ** 0.5, 16), "communities": [community], "sources": [0]})
    members = {}
    for place, node in enumerate(nodes):
        members.setdefault(node["communities"][0], []).append(place)
    edges = []
    for place in range(RELATIONSHIPS):
        one = source.randrange(ENTITIES)
        other = source.choice(members[nodes[one]["communities"][0]]) if place % 4 else source.randrange(ENTITIES)
        edges.append({**data["edges"][0], "source": one, "target": other, "weight": 1 + place % 5})
    colours = [f"#{source.randrange(0x404040, 0xd0d0d0):06x}" for _ in range(COMMUNITIES)]
    communities = [{**data["communities"][0], "level": 0, "size": len(members.get(place, [])), "colour": colour}
                   for place, colour in enumerate(colours)]
    data = {**data, "level": 0, "levels": 1, "nodes": nodes, "edges": edges, "communities": communities}
    escaped = json.dumps(data)
    for character in "<>&":
        escaped = escaped.replace(character, f"\\u{ord(character):04x}")
    nonce = re.search(r'<script nonce="([^"]+)">', text).group(1)
    text = DATA.sub(lambda found: found.group(1) + escaped + found.group(3), text, count=1)
    drive = f'<script nonce="{nonce}">{DRIVE}</script>\n</body>'
    pathlib.Path(out).write_text(drive.join(text.rsplit("</body>", 1)))


def cpu_seconds(group):
    """CPU seconds of a session's page, and of all its other processes: with a graphics card those do next to nothing."""
    page, rest = 0, 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) != group:
            continue
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        if "--type=renderer" in stat.with_name("cmdline").read_text():
            page += used
        else:
            rest += used
    return page, rest


def watch(chromium, page, folder):
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--no-first-run", "--window-size=1400,900", "--enable-logging=stderr",
             "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    browser = subprocess.Popen([chromium, *flags, f"file://{pathlib.Path(page).resolve()}"], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, text=True, start_new_session=True)
    signal.alarm(180)
    before, measured = None, 0
    try:
        for line in browser.stderr:
            found = re.search(r'measured (\{.*?\}|start|end)', line.replace('\\"', '"'))
            if "CONSOLE" in line and re.search("Refused|Error|violates", line):
                sys.exit(f"FAILED: {line.strip()}")
            if not found:
                continue
            now = cpu_seconds(browser.pid)
            if found.group(1) == "end":
                break
            if found.group(1) == "start":
                before = now
                continue
            said = json.loads(found.group(1))
            page_ms, rest_ms = (1000 * (now[part] - before[part]) / said["frames"] for part in (0, 1))
            print(f"{said['name']} {ENTITIES} entities and {RELATIONSHIPS} relationships: "
                  f"{said['frames'] / said['seconds']:.1f} frames a second, the longest {said['longest_ms']:.0f} ms; CPU a "
                  f"frame {page_ms:.0f} ms for the page and {rest_ms:.0f} ms for drawing without a graphics card")
            before, measured = now, measured + 1
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()
        shutil.rmtree(folder, ignore_errors=True)
    if measured != 2:
        sys.exit("FAILED: the page of many entities did not tell its frames")


if __name__ == "__main__":
    {"purity": purity, "many": many, "watch": watch}[sys.argv[1]](*sys.argv[2:])
