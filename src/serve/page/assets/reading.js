// The text of a document: loaded around a place, more of it as one scrolls, with marked sentences and entities.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor.js";
import { at, get } from "./server.js";
import { t } from "./words.js";
import { findMarked, languageOf, markOf, nameFinder, paragraphs, places, ranged } from "./text.js";
import { blockNode, isMarkdown, markdownBlocks } from "./marked.js";
import { kindOf, Skeleton, Trouble } from "./parts.js";

/** Characters loaded before and behind a place, and more at a time. */
const AROUND = 6000;
const MORE = 12000;

/** The sign of a sentence, where its text is all that stands between its first and last character. */
export const signOf = ({ start, end, text }) => (text && [...text].length === end - start ? markOf(text) : undefined);

/** Whether a document still says at a place what was cited there; true where that cannot be told from this piece. */
function stands(piece, { start, end, sign }) {
  if (sign === undefined || start < piece.from || (end > piece.to && piece.to < piece.total)) return true;
  if (end > piece.total) return false;
  const characters = places(piece.text);
  return markOf(piece.text.slice(characters.unitOf(start - piece.from), characters.unitOf(end - piece.from))) === sign;
}

/** Where a sentence stands that is not where it was; nothing where the document does not say it any more. */
async function foundAnew(workspace, id, { start, end, sign }) {
  const length = end - start;
  let best = null;
  for (let from = 0; ; ) {
    const piece = await get(at(workspace, "documents", id, "text"), { from });
    const place = findMarked(piece.text, { length, mark: sign, near: start - from });
    if (place !== null && (best === null || Math.abs(from + place - start) < Math.abs(best - start))) best = from + place;
    if (piece.next === undefined) break;
    // one that lies over the border is in the next piece as a whole
    from = Math.max(from + 1, piece.next - length + 1);
  }
  return best === null ? null : { start: best, end: best + length };
}

/** What stands at a character: the headings of its text unit, the page or slide, or the place that was told. */
export function placeOf(piece, character, told) {
  const span =
    piece.text_units.findLast((unit) => unit.start <= character && character < unit.end) ?? piece.text_units[0];
  const mark = (span?.places ?? []).findLast((place) => place.start <= character);
  const path = [];
  for (const heading of piece.headings ?? []) {
    if (heading.start > character) break;
    path.length = Math.min(path.length, heading.depth);
    path.push(heading.text);
  }
  const place = told ?? mark?.label;
  return [...path, ...(place ? [place] : [])];
}

function joined(before, after) {
  const units = new Map([...before.text_units, ...after.text_units].map((unit) => [unit.id, unit]));
  return {
    ...before,
    to: after.to,
    text: before.text + after.text,
    next: after.next,
    // those of the second piece begin with what is open at its beginning
    headings: [...before.headings, ...after.headings.filter((one) => one.start >= after.from)],
    text_units: [...units.values()].sort((a, b) => a.start - b.start || a.index - b.index),
  };
}

/**
 * @param marks sentences to mark: { start, end, n, isCurrent, sign }; one whose sign is not that of the text is not marked
 * @param target the character to show first
 * @param moved told where the current sentence stands now, where that is elsewhere: { start, end }, or null
 */
export function Reading({ workspace, id, target, turn, marks = [], entities, openEntity, told, moved, label }) {
  const [state, setState] = useState({ piece: null, error: null });
  const box = useRef(null);
  const inner = useRef(null);
  const keepPlace = useRef(null);
  const wantsScroll = useRef(true);
  const loading = useRef(false);
  /** Counts the places that were asked for. */
  const sought = useRef(0);

  const load = (from, to) =>
    get(at(workspace, "documents", id, "text"), { from: Math.max(0, Math.floor(from)), to: Math.ceil(to) });
  const [tries, setTries] = useState(0);
  // what is loaded already is only scrolled to
  const known = state.piece;
  const holds = known && known.documentId === id && target >= known.from && (target < known.to || known.total === 0);
  const piece = holds ? known : null;
  useLayoutEffect(() => {
    wantsScroll.current = true;
    sought.current += 1;
    if (holds) return undefined;
    let left = false;
    const end = Math.max(...marks.map((mark) => mark.end), target);
    load(target - AROUND, Math.min(end, target + AROUND) + AROUND).then(
      (found) => {
        if (!left) {
          setState({ piece: { ...found, documentId: id }, error: null });
          told?.(found);
        }
      },
      (error) => {
        if (!left) setState({ piece: null, error });
      },
    );
    return () => {
      left = true;
    };
  }, [workspace, id, target, turn, tries]);

  const grow = async (isBefore) => {
    if (!piece || loading.current) return;
    if (isBefore ? piece.from <= 0 : piece.next === undefined) return;
    loading.current = true;
    try {
      const wanted = sought.current;
      const found = isBefore ? await load(piece.from - MORE, piece.from) : await load(piece.to, piece.to + MORE);
      // another place was asked for meanwhile: what belongs to the old one must neither show nor move it
      if (wanted !== sought.current || !box.current) return;
      if (isBefore) keepPlace.current = box.current.scrollHeight - box.current.scrollTop;
      const whole = isBefore ? joined({ ...found, next: undefined }, piece) : joined(piece, found);
      setState({ piece: { ...whole, documentId: id }, error: null });
      told?.(whole);
    } catch {
      /* the next scroll tries again */
    } finally {
      loading.current = false;
    }
  };
  const scrolled = () => {
    if (wantsScroll.current || !box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    if (scrollTop < 300) grow(true);
    else if (scrollHeight - scrollTop - clientHeight < 600) grow(false);
  };
  useLayoutEffect(() => {
    if (!piece || !box.current) return;
    const kept = keepPlace.current;
    keepPlace.current = null;
    if (!wantsScroll.current) {
      if (kept !== null) box.current.scrollTop = box.current.scrollHeight - kept;
      return;
    }
    const place = inner.current.querySelector("mark.current") ?? inner.current.querySelector("[data-target]");
    if (place)
      box.current.scrollTop +=
        place.getBoundingClientRect().top - box.current.getBoundingClientRect().top - box.current.clientHeight / 3;
    else box.current.scrollTop = 0;
    // scrolling of our own is no wish for more
    const wanted = sought.current;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (wanted === sought.current) wantsScroll.current = false;
      }),
    );
  });

  const current = marks.find((mark) => mark.isCurrent);
  const isMoved = Boolean(piece && current && !stands(piece, current));
  useEffect(() => {
    if (!isMoved || !moved) return undefined;
    let left = false;
    foundAnew(workspace, id, current).then(
      (span) => {
        if (!left) moved(span);
      },
      () => {},
    );
    return () => {
      left = true;
    };
  }, [isMoved, workspace, id, current?.start, current?.end, turn]);

  const find = useMemo(() => (entities ? nameFinder(entities) : null), [entities]);
  const key = marks.map((mark) => `${mark.start} ${mark.end} ${mark.isCurrent}`).join();
  const body = useMemo(() => {
    if (!piece) return null;
    const { text } = piece;
    const characters = places(text);
    const unit = (offset) => characters.unitOf(Math.max(0, offset - piece.from));
    const inside = marks
      .filter((mark) => mark.end > piece.from && mark.start < piece.to && stands(piece, mark))
      .map((mark) => ({
        start: unit(mark.start),
        end: unit(mark.end),
        wrap: (children, place) =>
          html`<mark key=${`m${place}`} class=${mark.isCurrent ? "current" : ""} data-n=${mark.n}>${children}</mark>`,
      }));
    const names = find
      ? find(text).map(({ start, end, entity }) => ({
          start,
          end,
          wrap: (children, place) =>
            html`<button
              type="button"
              key=${`e${place}`}
              class="entity"
              onClick=${() => openEntity(entity)}
              title=${`${entity.name}${entity.kind ? ` · ${kindOf(entity.kind)}` : ""}`}
            >
              ${children}
            </button>`,
        }))
      : [];
    const shown = isMarkdown(piece.document?.key) ? markdownBlocks(text, piece.from === 0) : null;
    const blocks = shown?.blocks ?? paragraphs(text).map(([start, end, isWrapped]) => ({ start, end, kind: isWrapped ? "wrapped" : "p" }));
    const ranges = [...inside, ...names, ...(shown?.ranges ?? [])];
    const goal = unit(target);
    let isPast = inside.length > 0 || target === 0;
    return blocks.map((block) => {
      const isTarget = !isPast && goal < block.end;
      if (isTarget) isPast = true;
      return blockNode(block, block.start + piece.from, isTarget, (start, end) => ranged(text, start, end, ranges));
    });
  }, [piece, key, find, target]);

  if (state.error?.status === 404) return html`<div class="reading"><p class="notice">${t("document.gone")}</p></div>`;
  if (state.error) return html`<${Trouble} error=${state.error} again=${() => setTries(tries + 1)} />`;
  return html`<div class="reading" ref=${box} tabindex="0" role="region" aria-label=${label} onScroll=${scrolled}>
    ${
      !piece
        ? html`<${Skeleton} lines=${12} />`
        : html`<div class="text" ref=${inner} lang=${languageOf(piece.text)}>
            ${piece.from > 0 && html`<p class="more"><button type="button" class="button" onClick=${() => grow(true)}>${t("text.before", { n: piece.from })}</button></p>`}
            ${body}
            ${piece.next !== undefined && html`<p class="more"><button type="button" class="button" onClick=${() => grow(false)}>${t("text.after", { n: piece.total - piece.to })}</button></p>`}
            ${piece.next === undefined && html`<p class="faint end">${t("text.end", { n: piece.total })}</p>`}
          </div>`
    }
  </div>`;
}

