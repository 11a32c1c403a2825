// The page of a PDF as it was printed: the sentence marked, the pages before and behind it, larger or as wide as there is room.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./vendor.js";
import { at, get, picture } from "./server.js";
import { t } from "./words.js";
import { Round, Skeleton } from "./parts.js";

/** Whether a document has pages that can be shown; one that lies in another file has none. */
export const hasPages = ({ key }) => /^[^#]+\.pdf$/i.test(key);

/** @param span the sentence: { document, start, end, text } */
export function Sheet({ workspace, span, hide }) {
  const { document: source, start, end, text } = span;
  const [state, setState] = useState({});
  const [isLarge, setLarge] = useState(false);
  const box = useRef(null);
  const image = useRef(null);
  const turn = useRef(0);
  const isOf = state.of === `${source.id} ${start} ${end}`;
  const { shown, number, file, error } = isOf ? state : {};

  // what was asked for before and comes late is passed over
  const load = (page, known) => {
    const mine = ++turn.current;
    const of = `${source.id} ${start} ${end}`;
    const found = known
      ? Promise.resolve(known)
      : get(at(workspace, "documents", source.id, "pages"), { from: start, to: end });
    found
      .then(async (found) => {
        const number = page ?? found.pages[0]?.page ?? 1;
        const file = await picture(at(workspace, "documents", source.id, "pages", number), { from: start, to: end });
        if (mine === turn.current) setState({ of, shown: found, number, file });
      })
      .catch((error) => {
        if (mine === turn.current) setState({ of, error });
      });
  };
  useEffect(() => {
    load();
    return () => {
      turn.current++;
    };
  }, [workspace, source.id, start, end]);

  const page = shown?.pages.find((page) => page.page === number);
  const place = () => {
    if (!box.current || !image.current?.naturalWidth) return;
    const scale = image.current.clientHeight / (page?.height ?? 1);
    const left = Math.min(...(page?.boxes.map((box) => box[0]) ?? [0]));
    const top = page?.boxes[0]?.[1] ?? 0;
    box.current.scrollTop = page ? top * scale - box.current.clientHeight / 3 : 0;
    box.current.scrollLeft = page?.boxes.length ? left * scale - 24 : 0;
  };
  useLayoutEffect(place, [file, isLarge]);

  if (error)
    return html`<p class="sheet-trouble faint" role="status">${error.kind === "offline" ? t("offline") : error.message}</p>`;
  const label = page?.label ? `${page.label} (${number})` : number;
  const name = source.title || source.key;
  return html`<section class="sheet" aria-label=${t("page.printed")}>
    <div class="row">
      <span class="faint place" aria-live="polite">${number && t("page.of", { n: String(label), total: shown.page_count })}</span>
      <${Round} icon="back" label=${t("page.before")} disabled=${!number || number <= 1} onClick=${() => load(number - 1, shown)} />
      <${Round}
        icon="forth"
        label=${t("page.after")}
        disabled=${!number || number >= shown.page_count}
        onClick=${() => load(number + 1, shown)}
      />
      ${!page && number && html`<button type="button" class="button" onClick=${() => load(undefined, shown)}>${t("page.back")}</button>`}
      <${Round} icon="search" class="last" label=${t("page.larger")} aria-pressed=${String(isLarge)} onClick=${() => setLarge(!isLarge)} />
      <${Round} icon="close" label=${t("page.hide")} onClick=${hide} />
    </div>
    <div class=${`sheet-view ${isLarge ? "large" : ""}`} ref=${box} tabindex="0" role="region" aria-label=${t("page.of", { n: String(label ?? ""), total: shown?.page_count ?? "" })}>
      ${
        file
          ? html`<img
              ref=${image}
              src=${file}
              width=${page ? Math.round(page.width) : undefined}
              height=${page ? Math.round(page.height) : undefined}
              onLoad=${place}
              alt=${t(page?.boxes.length ? "page.alt" : "page.alt.plain", { n: String(label), name, text })}
            />`
          : html`<${Skeleton} lines=${8} />`
      }
    </div>
  </section>`;
}
