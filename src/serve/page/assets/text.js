// Texts of others, as nodes: nothing that comes from documents, models or people is ever read as markup.
import { html } from "./vendor.js";

const HAN = /[\u3400-\u9fff\uf900-\ufaff]|[\ud840-\ud888][\udc00-\udfff]/;

const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
/** A document's key where its title says something else; nothing where the title was made of the file's name. */
export const keyBeside = ({ title, key }) => (!title || bare(key.split("/").pop().replace(/\.\w{1,5}$/, "")) === bare(title) ? "" : key);

/** Where a sentence stands in its document: the headings above it, and its page, slide or row. */
export const placeIn = ({ place }, headings) => [...headings, ...(place ? [place] : [])];

/** Where a file lies, short: the end of a path that is known from the root of a disk. */
export const shortPath = (key) => {
  const parts = key.split(/[\\/]/);
  return /^([\\/]|[A-Za-z]:[\\/])/.test(key) && parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : key;
};

/** Letters of a question, sorted: questions that ask the same of the same names in another order have the same. */
const lettersOf = (question) => [...bare(question.normalize("NFKC"))].sort().join("");

/** Those of some questions that were not asked already, each once. */
export function unasked(questions, asked) {
  const known = new Set(asked.map(lettersOf));
  return questions.filter((question) => {
    const letters = lettersOf(question);
    return !known.has(letters) && known.add(letters);
  });
}

/** The language of a passage, for screen readers, line breaks and fonts. */
export const languageOf = (text) => (HAN.test(text.slice(0, 400)) ? "zh-Hans" : undefined);

/**
 * Offsets count Unicode characters, strings of a browser count UTF-16 units. Says where a character stands.
 * @param {string} text
 */
export function places(text) {
  const pairs = [];
  for (let at = 0, characters = 0; at < text.length; at++, characters++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length) {
      pairs.push(characters);
      at++;
    }
  }
  return {
    length: text.length - pairs.length,
    unitOf(character) {
      let low = 0,
        high = pairs.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pairs[middle] < character) low = middle + 1;
        else high = middle;
      }
      return Math.min(text.length, character + low);
    },
  };
}

/** What the server makes the sign of a passage of, too. */
const MARK_BASE = 16777619;
const codeOf = (character) => (/\s/u.test(character) ? 32 : character.codePointAt(0));
/** A short sign of a text, by which it is found again in a document that has changed: the server's links bear the same. */
export const markOf = (text) => {
  let mark = 0;
  for (const character of text) mark = (Math.imul(mark, MARK_BASE) + codeOf(character)) >>> 0;
  return mark;
};

/**
 * Where a passage stands in a text: every stretch of its length is held against its sign; of several the one next to where
 * it was. Characters, from the beginning of the text.
 */
export function findMarked(text, { length, mark, near }) {
  const codes = Array.from(text, codeOf);
  if (length < 1 || codes.length < length) return null;
  let highest = 1;
  for (let place = 1; place < length; place++) highest = Math.imul(highest, MARK_BASE);
  let [found, now] = [null, 0];
  for (let end = 0; end < codes.length; end++) {
    if (end >= length) now = (now - Math.imul(codes[end - length], highest)) | 0;
    now = (Math.imul(now, MARK_BASE) + codes[end]) | 0;
    const start = end - length + 1;
    if (start >= 0 && now >>> 0 === mark && (found === null || Math.abs(start - near) < Math.abs(found - near))) found = start;
  }
  return found;
}

/** Paragraphs of a text as [start, end, isWrapped]: lines of one that was broken by hand at a width flow again. */
export function paragraphs(text) {
  const found = [];
  const border = /\r?\n[ \t]*(?:\r?\n[ \t]*)+/g;
  let start = 0;
  const add = (end) => {
    if (end <= start) return;
    const part = text.slice(start, end);
    const lines = part.split("\n");
    const body = lines.slice(0, -1).filter((line) => line.trim());
    if (lines.length > 1 && HAN.test(part)) {
      // a line of Chinese is a paragraph: no lines are broken by hand
      for (let at = start; at < end;) {
        const next = text.indexOf("\n", at);
        const stop = next < 0 || next > end ? end : next;
        if (text.slice(at, stop).trim()) found.push([at, stop, false]);
        at = stop + 1;
      }
      return;
    }
    const isWrapped =
      body.length > 0 && !HAN.test(part) && body.every((line) => line.length >= 45 && line.length <= 110);
    found.push([start, end, isWrapped]);
  };
  for (let hit; (hit = border.exec(text));) {
    add(hit.index);
    start = hit.index + hit[0].length;
  }
  add(text.length);
  return found;
}

/**
 * A piece of text with ranges drawn around parts of it. Ranges: { start, end, wrap(children, key) }, in UTF-16 units; inner
 * ones come later in the list.
 */
export function ranged(text, from, to, ranges) {
  const cuts = new Set([from, to]);
  const inside = ranges.filter((range) => range.start < to && range.end > from);
  for (const range of inside) {
    cuts.add(Math.max(from, range.start));
    cuts.add(Math.min(to, range.end));
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  const parts = [];
  for (let place = 0; place + 1 < sorted.length; place++) {
    const [start, end] = [sorted[place], sorted[place + 1]];
    let node = text.slice(start, end);
    for (const range of [...inside].reverse())
      if (range.start <= start && range.end >= end) node = range.wrap(node, start);
    parts.push(node);
  }
  return parts;
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Finds names in a text: { start, end, entity }; of two that overlap the longer one counts. */
export function nameFinder(entities) {
  const owner = new Map();
  for (const entity of entities) {
    for (const name of [entity.name, ...entity.aliases]) {
      const flat = name.trim().toLowerCase();
      if (flat.length > 1 && !owner.has(flat)) owner.set(flat, entity);
    }
  }
  const names = [...owner.keys()].sort((a, b) => b.length - a.length).slice(0, 1500);
  if (!names.length) return () => [];
  const one = (name) =>
    HAN.test(name) ? escaped(name) : `(?<![\\p{L}\\p{N}])${escaped(name).replace(/\s+/g, "\\s+")}(?![\\p{L}\\p{N}])`;
  const pattern = new RegExp(names.map(one).join("|"), "giu");
  return (text) => {
    const found = [];
    for (const hit of text.matchAll(pattern)) {
      const entity = owner.get(hit[0].toLowerCase().replace(/\s+/g, " "));
      if (entity) found.push({ start: hit.index, end: hit.index + hit[0].length, entity });
    }
    return found;
  };
}

const INLINE =
  /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|`([^`\n]+)`|\[([^\]\n]{1,200})\]\((https?:\/\/[^\s)]{1,500})\)/g;

function inline(text, cite) {
  const parts = [];
  let at = 0;
  for (const hit of text.matchAll(INLINE)) {
    parts.push(text.slice(at, hit.index));
    at = hit.index + hit[0].length;
    if (hit[1]) parts.push(...hit[1].split(",").map((n) => cite(Number(n))));
    else if (hit[2]) parts.push(html`<strong>${inline(hit[2], cite)}</strong>`);
    else if (hit[3]) parts.push(html`<em>${hit[3]}</em>`);
    else if (hit[4]) parts.push(html`<code>${hit[4]}</code>`);
    else parts.push(html`<a href=${hit[6]} rel="noreferrer noopener" target="_blank">${hit[5]}</a>`);
  }
  parts.push(text.slice(at));
  return parts;
}

const cells = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());

/** Markdown of an answer as nodes: headings, lists, tables, quotes, code, emphasis, links to the web, citation marks. */
export function markdown(text, cite) {
  const lines = text.split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (!line.trim()) {
      at++;
      continue;
    }
    const fence = line.match(/^\s*```/);
    if (fence) {
      const code = [];
      for (at++; at < lines.length && !/^\s*```/.test(lines[at]); at++) code.push(lines[at]);
      at++;
      blocks.push(html`<pre><code>${code.join("\n")}</code></pre>`);
      continue;
    }
    const heading = line.match(/^(#{1,6})\s+(.*)$/);
    if (heading) {
      blocks.push(
        heading[1].length < 3 ? html`<h3>${inline(heading[2], cite)}</h3>` : html`<h4>${inline(heading[2], cite)}</h4>`,
      );
      at++;
      continue;
    }
    if (/^\s*\|.*\|\s*$/.test(line) && /^[\s|:-]+$/.test(lines[at + 1] ?? "x")) {
      const head = cells(line);
      const rows = [];
      for (at += 2; at < lines.length && /^\s*\|/.test(lines[at]); at++) rows.push(cells(lines[at]));
      blocks.push(
        html`<div class="scroll">
          <table>
            <thead>
              <tr>
                ${head.map((cell) => html`<th scope="col">${inline(cell, cite)}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                (row) =>
                  html`<tr>
                    ${row.map((cell) => html`<td>${inline(cell, cite)}</td>`)}
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`,
      );
      continue;
    }
    const point = /^(\s*)(?:[-*•]|(\d+)[.)])\s+(.*)$/;
    if (point.test(line)) {
      const items = [];
      const isOrdered = Boolean(line.match(point)[2]);
      const first = Number(line.match(point)[2] ?? 1);
      for (let hit; at < lines.length && (hit = lines[at].match(point)); at++) {
        if (hit[1].length >= 2 && items.length) items.at(-1).below.push(hit[3]);
        else items.push({ text: hit[3], below: [] });
      }
      const list = items.map(
        (item) =>
          html`<li>
            ${inline(item.text, cite)}${
              item.below.length > 0 &&
              html`<ul>
                ${item.below.map((below) => html`<li>${inline(below, cite)}</li>`)}
              </ul>`
            }
          </li>`,
      );
      blocks.push(
        isOrdered
          ? html`<ol start=${first}>
              ${list}
            </ol>`
          : html`<ul>
              ${list}
            </ul>`,
      );
      continue;
    }
    if (/^\s*>/.test(line)) {
      const quoted = [];
      for (; at < lines.length && /^\s*>/.test(lines[at]); at++) quoted.push(lines[at].replace(/^\s*>\s?/, ""));
      blocks.push(html`<blockquote>${inline(quoted.join(" "), cite)}</blockquote>`);
      continue;
    }
    const body = [];
    for (
      ;
      at < lines.length &&
      lines[at].trim() &&
      !/^(#{1,6}\s|\s*```|\s*>|\s*\|)/.test(lines[at]) &&
      !(body.length && point.test(lines[at]));
      at++
    )
      body.push(lines[at]);
    if (!body.length) {
      body.push(line);
      at++;
    }
    // lines that each end a sentence are paragraphs of their own
    const isParted = body.length > 1 && body.every((one) => /[.!?。！？…\]"”’')]\s*$/.test(one));
    for (const part of isParted ? body : [body.join("\n")]) blocks.push(html`<p>${inline(part, cite)}</p>`);
  }
  return blocks;
}
