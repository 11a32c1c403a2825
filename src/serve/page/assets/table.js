// A table of an answer: rows that can be sorted, each with the sentences that it rests on.
import { html, useState } from "./vendor.js";
import { number, t } from "./words.js";
import { languageOf } from "./text.js";
import { Button, copy, Icon, Quote, SortHead } from "./parts.js";

const NUMBERS = ["number", "records"];
const value = (row, column) => (column === "said" ? row.said.join("; ") : (row[column] ?? ""));
const shown = (row, column) => (NUMBERS.includes(column) && row[column] !== undefined && row[column] !== null ? number(row[column]) : value(row, column));

/** Rows by a column; those that have nothing in it come last. Without a column they stay as they came. */
export function sorted(rows, { by, down }) {
  if (!by) return rows;
  const isNumber = NUMBERS.includes(by);
  const order = (one, other) => (isNumber ? one - other : String(one).localeCompare(String(other), undefined, { numeric: true }));
  const isEmpty = (row) => value(row, by) === "";
  return [...rows].sort((one, other) => {
    if (isEmpty(one) || isEmpty(other)) return Number(isEmpty(one)) - Number(isEmpty(other));
    return order(value(one, by), value(other, by)) * (down ? -1 : 1);
  });
}

/** A cell of CSV; one that a spreadsheet would compute is marked as text. */
function cell(text) {
  const plain = String(text);
  const safe = /^[=+\-@\t\r]/.test(plain) && !/^-?\d+(\.\d+)?$/.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** All rows as CSV, a line a row and sentence. */
export function asCsv(table, rows) {
  const lines = [[...table.columns, "sure", "document", "start", "end", "sentence"]];
  for (const [list, sure] of [[rows, "yes"], [table.possible, "no"]])
    for (const row of list) {
      const own = [...table.columns.map((column) => value(row, column)), sure];
      const proofs = row.sentences.map(({ sentence }) => [sentence.document.key, sentence.start, sentence.end, sentence.text]);
      for (const proof of proofs.length ? proofs : [["", "", "", ""]]) lines.push([...own, ...proof]);
    }
  return lines.map((line) => line.map(cell).join(",")).join("\r\n");
}

/** The rows as Markdown, with the first sentence of each. */
export function asMarkdownTable(table, rows) {
  const line = (cells) => `| ${cells.map((one) => String(one).replace(/\s+/g, " ").replaceAll("|", "\\|")).join(" | ")} |`;
  const heads = [...table.columns.map((column) => t(`table.${column}`)), t("table.proof")];
  const proof = (row) => (row.sentences.length ? `“${row.sentences[0].sentence.text}” <${row.sentences[0].sentence.url}>` : "");
  return [line(heads), line(heads.map(() => "---")), ...rows.map((row) => line([...table.columns.map((column) => value(row, column)), proof(row)]))].join("\n");
}

function Row({ row, columns, openProof, isOpen, toggle, id }) {
  const has = row.sentences.length > 0;
  const press = (event) => {
    if (!isOpen && has) openProof(row.sentences[0], event.currentTarget.querySelector("button.name") ?? event.currentTarget);
    toggle();
  };
  return html`<tr class=${has ? "row-of can" : "row-of"} onClick=${has ? press : undefined}>
      ${columns.map((column, place) =>
        place === 0
          ? html`<th scope="row" lang=${languageOf(row.name)}>
              ${has ? html`<button type="button" class="name" aria-expanded=${String(isOpen)} aria-controls=${isOpen ? id : undefined}><${Icon} name="forth" />${row.name}</button>` : row.name}
              ${row.superseded?.length > 0 && html` <span class="faint">${t("table.superseded")}</span>`}
            </th>`
          : html`<td key=${column} class=${NUMBERS.includes(column) ? "right" : ""}>${shown(row, column)}</td>`,
      )}
    </tr>
    ${
      isOpen &&
      html`<tr class="proof" id=${id}>
        <td colspan=${columns.length}>
          <ul>
            ${row.sentences.map((of) => html`<li key=${`${of.n} ${of.sentence.start}`}>
              <p class="faint">${of.sentence.document.title || of.sentence.document.key}</p>
              <${Quote} sentence=${of.sentence} n=${of.n} open=${(_, from) => openProof(of, from)} /></li>`)}
          </ul>
        </td>
      </tr>`
    }`;
}

function Rows({ table, rows, sort, setSort, openProof, label, name }) {
  const [open, setOpen] = useState(() => new Set());
  const toggle = (key) => setOpen((old) => {
    const next = new Set(old);
    if (!next.delete(key)) next.add(key);
    return next;
  });
  return html`<div class="scroll">
    <table class="rows-of">
      <caption class="hidden">${label}</caption>
      <thead>
        <tr>${table.columns.map((column) => html`<${SortHead} key=${column} column=${column} label=${t(`table.${column}`)} isNumber=${NUMBERS.includes(column)} sort=${sort} setSort=${setSort} />`)}</tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const key = `${row.id ?? ""} ${row.name}`;
          return html`<${Row} key=${key} row=${row} columns=${table.columns} openProof=${openProof} isOpen=${open.has(key)} toggle=${() => toggle(key)} id=${`${name}-${rows.indexOf(row)}`} />`;
        })}
      </tbody>
    </table>
  </div>`;
}

/** The rows of an answer, with what was taken for what and how complete they can be. */
export function Table({ reply, list, openAt }) {
  const { table } = reply;
  const [sort, setSort] = useState({ by: null, down: false });
  const rows = sorted(table.rows, sort);
  const possible = sorted(table.possible, sort);
  const openProof = ({ n, sentence }, from) => {
    const isSame = (one) => one.n === n && one.sentence.start === sentence.start && one.sentence.document.id === sentence.document.id;
    const place = list.findIndex(isSame);
    if (place >= 0) openAt(place, from);
  };
  const { completeness } = table;
  const own = { table, sort, setSort, openProof };
  return html`<div class="table-of" lang=${languageOf(table.read_as)}>
    <p>
      ${table.count !== undefined && table.count !== null && html`<strong class="figure">${number(table.count)}</strong>`}
      ${(table.totals ?? []).map((sum) => html`<strong class="figure">${`${number(sum.total)} ${sum.unit}`.trim()}</strong>`)}
      <span class="faint">${table.read_as}${table.read_by === "model" && ` · ${t("table.by.model")}`}</span>
    </p>
    ${rows.length ? html`<${Rows} ...${own} rows=${rows} label=${table.read_as} name=${`rows-${reply.id}`} />` : html`<p>${t("table.none")}</p>`}
    ${
      possible.length > 0 &&
      html`<details class="possible">
        <summary>${t("table.possible", { n: possible.length })}</summary>
        <${Rows} ...${own} rows=${possible} label=${t("table.possible", { n: possible.length })} name=${`possible-${reply.id}`} />
      </details>`
    }
    <p class="row">
      <${Button} icon="copy" onClick=${() => copy(asCsv(table, rows))}>${t("table.copy.csv")}</${Button}>
      <${Button} icon="copy" onClick=${() => copy(asMarkdownTable(table, rows))}>${t("table.copy.markdown")}</${Button}>
    </p>
    <ul class="notes">
      ${table.taken_for.map(
        (one) => html`<li key=${one.written}>
          ${t("table.taken", { written: one.written, taken: [...one.taken, ...one.near].join(", ") })}${one.near.length > 0 && ` ${t("table.near", { near: one.near.join(", "), above: (one.near_above ?? 0).toFixed(2) })}`}
        </li>`,
      )}
      ${(table.unread ?? []).length > 0 && html`<li>${t("table.unread", { words: table.unread.join(", ") })}</li>`}
      <li>${t("table.completeness", { documents: completeness.documents, units: completeness.text_units, how: completeness.extraction })}</li>
      ${completeness.not_shown > 0 && html`<li>${t("table.not.shown", { n: completeness.not_shown })}</li>`}
    </ul>
  </div>`;
}
