"""Puts a script behind a page of trends that uses it as a reader does and notes what fails: drive.py PAGE DRIVEN."""

import re
import sys

DRIVE = """
(() => {
  const problems = [];
  const check = (what, is) => { if (!is) problems.push(what); };
  const data = JSON.parse(document.getElementById("data").textContent);
  const [search, ...selects] = document.querySelectorAll("#tools input, #tools select");
  const [list, kind, sort] = selects;
  const entries = () => [...document.querySelectorAll("details[data-entry]")];
  const trend = (entry) => data.trends[Number(entry.dataset.entry)];
  const visible = () => entries().filter((entry) => entry.checkVisibility());
  const change = (element, value) => {
    element.value = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const press = (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  check("ready", document.body.dataset.ready === String(data.trends.length) && data.trends.length > 4);
  check("title", document.title === "Trends");
  check("all are shown", visible().length === data.trends.length);
  change(search, "beck eng");
  check("search", visible().length > 0 && visible().every((entry) => entry.textContent.includes("Beck Engine")));
  check("count", document.getElementById("shown").textContent === `${visible().length} of ${data.trends.length}`);
  check("empty sections", [...document.querySelectorAll("section")].some((section) => section.hidden));
  change(search, "");
  change(list, "Gone");
  check("list", visible().length > 0 && visible().every((entry) => trend(entry).list === "Gone"));
  change(list, "");
  change(kind, "kind entity");
  check("kind", visible().length > 0 && visible().every((entry) => trend(entry).kind === "entity"));
  change(kind, "");
  change(sort, "name");
  for (const section of document.querySelectorAll("section")) {
    const names = [...section.querySelectorAll("details[data-entry]")].map((entry) => trend(entry).name);
    check("sort", names.every((name, n) => n === 0 || names[n - 1].localeCompare(name) <= 0));
  }
  change(sort, "score");
  press(document.body, "/");
  check("/ searches", document.activeElement === search);
  const first = visible()[0].querySelector("summary");
  first.focus();
  press(first, "ArrowDown");
  check("arrow", document.activeElement === visible()[1].querySelector("summary"));
  const beck = entries().find((entry) => trend(entry).name === "Beck Engine" && trend(entry).list === "Rising");
  beck.querySelector("summary").click();
  requestAnimationFrame(() => setTimeout(() => {
    const svg = beck.querySelector("figure svg");
    check("curve", beck.open && svg !== null);
    const told = () => beck.querySelector("figcaption").textContent;
    press(svg, "End");
    const last = data.periods.length - 1;
    check("end", told().startsWith(`${data.periods[last]}: ${trend(beck).sentences[last]} sentence`));
    check("spoken", svg.getAttribute("aria-valuetext") === told() && svg.getAttribute("aria-valuenow") === String(last));
    press(svg, "ArrowLeft");
    check("left", told().startsWith(data.periods[last - 1]));
    const box = svg.getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 1, clientY: box.top + 9, bubbles: true }));
    check("pointer", told().startsWith(data.periods[0]));
    press(svg, "End");
    const marked = beck.querySelectorAll("li.here");
    check("source", marked.length === 1 && marked[0].textContent.includes(`${data.periods[last]}.txt`));
    check("address", decodeURIComponent(location.hash) === "#Rising/Beck Engine");
    document.body.dataset.driven = problems.length === 0 ? "passed" : problems.join(", ");
  }, 100));
})();
"""


def main() -> None:
    page, driven = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", text), "the page asks the network"
    nonce = re.search(r'<script nonce="([^"]+)">', text).group(1)
    with open(driven, "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", f'<script nonce="{nonce}">{DRIVE}</script>\n</body>'))


main()
