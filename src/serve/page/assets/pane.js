// The document beside: the sentence in its place, what stands around it, and the way to the next citation.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor.js";
import { at, get } from "./server.js";
import { keep, kept, t } from "./words.js";
import { copy, Round } from "./parts.js";
import { placeOf, Reading, signOf } from "./reading.js";
import { hasPages, Sheet } from "./sheet.js";
import { keyBeside, languageOf, placeIn, shortPath } from "./text.js";

export function Pane({ workspace, shown, open, close, go, actions, address }) {
  const { sentence, trail } = shown;
  const { document: source } = sentence;
  // where a sentence stands now whose document has changed since it was cited
  const [anew, setAnew] = useState({ of: null, span: null });
  const isAnew = anew.of === shown;
  const isGone = isAnew && !anew.span;
  const { start, end } = (isAnew && anew.span) || sentence;
  const title = useRef(null);
  const [piece, setPiece] = useState(null);
  const [hasEntities, setHasEntities] = useState(kept("entities") === "yes");
  const [contents, setContents] = useState(null);
  const [isPrinted, setPrinted] = useState(kept("printed") !== "no");
  const print = (wanted) => {
    keep("printed", wanted ? "yes" : "no");
    setPrinted(wanted);
  };
  // sentences of the same document are marked with it, the one that was asked for stands out
  const marks = useMemo(() => {
    const others = (trail?.list ?? [])
      .filter(
        (one) =>
          one.sentence.document.id === source.id &&
          (one.sentence.start !== sentence.start || one.sentence.end !== sentence.end),
      )
      .map(({ n, sentence: other }) => ({ start: other.start, end: other.end, n, isCurrent: false, sign: signOf(other) }));
    if (isGone) return others;
    const current = { start, end, n: trail?.list[trail.place]?.n, isCurrent: true, sign: signOf(sentence) };
    return [...others, current].sort((a, b) => Number(a.isCurrent) - Number(b.isCurrent));
  }, [shown, anew]);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => setPiece(null), [source.id]);
  useEffect(() => {
    if (!hasEntities || contents?.document.id === source.id) return;
    get(at(workspace, "documents", source.id, "contents")).then(setContents, () => setContents(null));
  }, [hasEntities, source.id]);

  const move = (by) => {
    if (!trail) return;
    const place = trail.place + by;
    if (place >= 0 && place < trail.list.length) trail.open(place);
  };
  useLayoutEffect(() => {
    actions.current.j = () => move(1);
    actions.current.k = () => move(-1);
    actions.current.o = () => go("d", source.id);
    return () => {
      for (const key of ["j", "k", "o"]) delete actions.current[key];
    };
  });
  const headed = trail?.list[trail.place]?.headings ?? [];
  // the page may be another one since the document has changed
  const told = isAnew ? {} : sentence;
  const place = isGone || !piece ? placeIn(told, headed) : placeOf(piece, start, told.place);
  const current = trail?.list[trail.place];
  return html`<aside class="pane" aria-labelledby="pane-title">
    <header>
      <div class="pane-name">
        <h2 id="pane-title" tabindex="-1" ref=${title}>
          ${current && html`<span class="cite" aria-label=${t("citation", { n: current.n })}>${current.n}</span>`}${source.title || source.key}
        </h2>
        <p class="faint" id="pane-place" title=${keyBeside(source) || undefined}>
          ${[...(keyBeside(source) ? [shortPath(keyBeside(source))] : []), ...place].join(" › ") || " "}
        </p>
      </div>
      <div class="row">
        ${
          trail &&
          html`<span class="faint place">${trail.place + 1} / ${trail.list.length}</span
            ><${Round}
              icon="back"
              label=${t("citation.before")}
              disabled=${trail.place === 0}
              onClick=${() => move(-1)}
            />
            <${Round}
              icon="forth" class="forth"
              label=${t("citation.after")}
              disabled=${trail.place + 1 >= trail.list.length}
              onClick=${() => move(1)}
            />`
        }
        ${
          hasPages(source) &&
          html`<${Round}
            icon="documents"
            label=${t("page.printed")}
            aria-pressed=${String(isPrinted)}
            onClick=${() => print(!isPrinted)}
          />`
        }
        <${Round}
          icon="entities"
          label=${t("entities.mark")}
          aria-pressed=${String(hasEntities)}
          onClick=${() => {
            keep("entities", hasEntities ? "no" : "yes");
            setHasEntities(!hasEntities);
          }}
        />
        <${Round}
          icon="copy"
          label=${t("sentence.copy")}
          onClick=${() => copy(`“${sentence.text}” — ${[source.title || source.key, ...place].join(", ")}`)}
        />
        <a
          class="round"
          href=${isGone ? address("d", source.id) : `${address("d", source.id)}?from=${start}&to=${end}`}
          aria-label=${t("document.open")}
          title=${t("document.open")}
          ><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M14 4h6v6M20 4l-9 9M18 14v6H4V6h6" /></svg
        ></a>
        <${Round} icon="close" label=${t("close")} onClick=${close} />
      </div>
    </header>
    ${isAnew && html`<div class="notice" role="status">
      <p>${t(isGone ? "citation.gone" : "citation.moved")}</p>
      ${isGone && html`<blockquote lang=${languageOf(sentence.text)}>${sentence.text}</blockquote>`}
    </div>`}
    ${hasPages(source) && isPrinted && !isGone && html`<${Sheet} workspace=${workspace} span=${{ ...sentence, start, end }} hide=${() => print(false)} />`}
    <${Reading}
      workspace=${workspace}
      id=${source.id}
      target=${start}
      turn=${shown}
      marks=${marks}
      told=${setPiece}
      moved=${(span) => setAnew({ of: shown, span })}
      label=${source.title || source.key}
      entities=${hasEntities && contents?.document.id === source.id ? contents.entities : null}
      openEntity=${(entity) => go("e", entity.id)}
    />
  </aside>`;
}
