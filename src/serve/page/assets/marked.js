// Markdown of a document: its marks are left out of sight and stay in the text, so that each character is where it is counted.
import { html } from "./vendor.js";
import { paragraphs, ranged } from "./text.js";

/** Lines of the longest front matter. */
const LONGEST = 200;
const INLINE =
  /\\(?=[\\`*_{}[\]()#+\-.!|>])|`([^`\n]+)`|\*\*(?=\S)([^*\n]+?)\*\*|__(?=\S)([^_\n]+?)__|(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+?)\*(?!\*)|(?<![\p{L}\p{N}_])_(?=\S)([^_\n]+?)_(?![\p{L}\p{N}_])|!?\[([^\]\n]{1,300})\]\([^)\s]{1,500}(?:\s+"[^"\n]*")?\)/gu;

/** Whether a document's text is Markdown, by its key: `notes.md`, `bundle.zip#notes.md`. */
export const isMarkdown = (key) => /\.(md|markdown|mdown|mkd)$/i.test(key ?? "");

/** Where the front matter of a text ends; 0 where it has none. */
function frontEnd(text) {
  if (!/^---[ \t]*\r?\n/.test(text)) return 0;
  const border = /\r?\n(---|\.\.\.)[ \t]*(?=\r?\n|$)/g;
  border.lastIndex = 2;
  const hit = border.exec(text);
  return hit && text.slice(0, hit.index).split("\n").length <= LONGEST ? hit.index + hit[0].length : 0;
}

/**
 * What a piece of Markdown is made of: blocks { start, end, kind, level, rows } and `hidden` and `styled` ranges for
 * {@link ranged}, all in UTF-16 units.
 * @param isBeginning whether the piece begins the document, for front matter stands there alone
 */
export function markdownBlocks(text, isBeginning) {
  const blocks = [];
  const ranges = [];
  const hide = (start, end) => {
    if (end > start)
      ranges.push({ start, end, wrap: (children, key) => html`<span class="syntax" key=${`s${key}`}>${children}</span>` });
  };
  const style = (start, end, tag) =>
    ranges.push({ start, end, wrap: (children, key) => html`<${tag} key=${`${tag}${key}`}>${children}</${tag}>` });
  const inline = (from, to) => {
    for (const hit of text.slice(from, to).matchAll(INLINE)) {
      const start = from + hit.index;
      const end = start + hit[0].length;
      const inner = hit[1] ?? hit[2] ?? hit[3] ?? hit[4] ?? hit[5] ?? hit[6];
      if (inner === undefined) {
        hide(start, end);
        continue;
      }
      const innerStart = start + hit[0].indexOf(inner);
      hide(start, innerStart);
      hide(innerStart + inner.length, end);
      if (hit[6] === undefined) style(innerStart, innerStart + inner.length, hit[1] ? "code" : (hit[2] ?? hit[3]) ? "strong" : "em");
    }
  };
  let at = 0;
  if (isBeginning) {
    at = frontEnd(text);
    if (at > 0) {
      const first = text.indexOf("\n") + 1;
      const last = text.lastIndexOf("\n", at - 1);
      blocks.push({ start: 0, end: at, kind: "front" });
      hide(0, first);
      hide(last, at);
    }
  }
  let open = -1;
  /** A paragraph that has come to its end. */
  const close = (end) => {
    if (open < 0) return;
    for (const [start, stop, isWrapped] of paragraphs(text.slice(open, end))) {
      blocks.push({ start: open + start, end: open + stop, kind: isWrapped ? "wrapped" : "p" });
      inline(open + start, open + stop);
    }
    open = -1;
  };
  const lineEnd = (from) => {
    const end = text.indexOf("\n", from);
    return end < 0 ? text.length : end;
  };
  const row = (start, end, hasHead) => {
    const cells = [];
    let from = start;
    for (const hit of text.slice(start, end).matchAll(/(?<!\\)\|/g)) {
      const pipe = start + hit.index;
      if (text.slice(from, pipe).trim() || cells.length > 0) cells.push([from, pipe]);
      if (cells.length === 0 && from < pipe) continue;
      hide(pipe, pipe + 1);
      from = pipe;
    }
    if (text.slice(from, end).replace("|", "").trim() || cells.length === 0) cells.push([from, end]);
    else cells.at(-1)[1] = end;
    cells.forEach(([from, to]) => inline(from, to));
    return { cells, hasHead };
  };
  while (at < text.length) {
    const end = lineEnd(at);
    const line = text.slice(at, end).replace(/\r$/, "");
    const next = end + 1;
    const heading = line.match(/^ {0,3}(#{1,6})[ \t]+(.*?)([ \t]+#+[ \t]*)?$/);
    const fence = line.match(/^ {0,3}(```+|~~~+)/);
    const item = line.match(/^([ \t]*)([-*+]|\d{1,4}[.)])[ \t]+(?=\S)/);
    const quote = line.match(/^ {0,3}>[ \t]?/);
    const under = lineEnd(next);
    if (!line.trim()) {
      close(at);
      at = next;
    } else if (heading) {
      close(at);
      blocks.push({ start: at, end: at + line.length, kind: "heading", level: heading[1].length });
      hide(at, at + line.indexOf(heading[2], heading[1].length));
      if (heading[3]) hide(at + line.length - heading[3].length, at + line.length);
      inline(at, at + line.length);
      at = next;
    } else if (open >= 0 && /^ {0,3}(=+|-+)[ \t]*$/.test(line) && !text.slice(open, at).trim().includes("\n")) {
      // a line that is underlined
      blocks.push({ start: open, end: at + line.length, kind: "heading", level: line.includes("=") ? 1 : 2 });
      hide(at - 1, at + line.length);
      open = -1;
      at = next;
    } else if (/^ {0,3}([-*_])([ \t]*\1){2,}[ \t]*$/.test(line)) {
      close(at);
      blocks.push({ start: at, end: at + line.length, kind: "rule" });
      hide(at, at + line.length);
      at = next;
    } else if (fence) {
      close(at);
      let [last, stop] = [text.length, text.length];
      for (let place = next; place < text.length; place = lineEnd(place) + 1) {
        if (!text.slice(place, lineEnd(place)).trim().startsWith(fence[1])) continue;
        [last, stop] = [place, lineEnd(place)];
        break;
      }
      blocks.push({ start: at, end: stop, kind: "code" });
      hide(at, Math.min(next, stop));
      hide(Math.max(next, last - 1), stop);
      at = stop + 1;
    } else if (line.includes("|") && /^[\s|:-]+$/.test(text.slice(next, under)) && /-/.test(text.slice(next, under)) && next < text.length) {
      close(at);
      const start = at;
      const rows = [row(at, at + line.length, true)];
      // the line between head and body belongs to the head's last cell, out of sight
      rows[0].cells.at(-1)[1] = under;
      hide(at + line.length, under);
      let stop = under;
      for (at = under + 1; at < text.length && text.slice(at, lineEnd(at)).includes("|"); at = stop + 1) {
        stop = lineEnd(at);
        rows.push(row(at, stop, false));
      }
      blocks.push({ start, end: stop, kind: "table", rows });
    } else if (quote) {
      close(at);
      blocks.push({ start: at, end: at + line.length, kind: "aside" });
      hide(at, at + quote[0].length);
      inline(at + quote[0].length, at + line.length);
      at = next;
    } else if (item) {
      close(at);
      // lines that go on belong to their point
      let stop = at + line.length;
      for (let place = next; place < text.length; place = lineEnd(place) + 1) {
        const more = text.slice(place, lineEnd(place));
        if (!/^[ \t]+\S/.test(more) || /^[ \t]*([-*+]|\d{1,4}[.)])[ \t]/.test(more)) break;
        stop = lineEnd(place);
      }
      const isNumbered = /\d/.test(item[2]);
      blocks.push({ start: at, end: stop, kind: isNumbered ? "numbered" : "point", level: Math.min(3, Math.floor(item[1].replace(/\t/g, "  ").length / 2)) });
      hide(at, isNumbered ? at + item[1].length : at + item[0].length);
      inline(at + item[0].length, stop);
      at = stop + 1;
    } else {
      if (open < 0) open = at;
      at = next;
    }
  }
  close(text.length);
  return { blocks, ranges };
}

/** A sentence of a document, without the marks of Markdown where its document is in that. */
export function Passage({ sentence: { text, document } }) {
  return isMarkdown(document?.key) ? ranged(text, 0, text.length, markdownBlocks(text, false).ranges) : text;
}

/** A block as a node: `inside(start, end)` gives what stands there. */
export function blockNode(block, key, isTarget, inside) {
  const target = isTarget ? "" : undefined;
  const { start, end, kind, level } = block;
  if (kind === "heading")
    return html`<p key=${key} class=${`heading h${level}`} role="heading" aria-level=${Math.min(6, level + 1)} data-target=${target}>${inside(start, end)}</p>`;
  if (kind === "code") return html`<pre key=${key} tabindex="0" data-target=${target}><code>${inside(start, end)}</code></pre>`;
  if (kind === "table")
    return html`<div class="scroll" key=${key} tabindex="0" data-target=${target}><table><tbody>
      ${block.rows.map(({ cells, hasHead }) => html`<tr>${cells.map(([from, to]) => (hasHead ? html`<th scope="col">${inside(from, to)}</th>` : html`<td>${inside(from, to)}</td>`))}</tr>`)}
    </tbody></table></div>`;
  const name = kind === "p" ? undefined : level === undefined ? kind : `${kind} nest${level}`;
  return html`<p key=${key} class=${name} data-target=${target}>${inside(start, end)}</p>`;
}
