// One document: its outline, its text with entities marked, its summary tree, its facts; and removing it.
import { html, useEffect, useMemo, useState } from "./vendor.js";
import { at, get, send } from "./server.js";
import { keep, kept, number, t, time } from "./words.js";
import { Button, Dialog, Empty, Icon, Round, say, Skeleton, Tabs, Trouble, useLoad } from "./parts.js";
import { languageOf } from "./text.js";
import { Reading } from "./reading.js";

/** Says what goes with a document before it goes. */
export function Remove({ workspace, document, close, started }) {
  const contents = useLoad(() => get(at(workspace, "documents", document.id, "contents")), []);
  const remove = () =>
    send("DELETE", at(workspace, "documents", document.id)).then(started, (error) => say(error.message));
  return html`<${Dialog} title=${t("remove.title", { title: document.title || document.key })} close=${close}>
    <p>${t("remove.takes", { units: document.text_units })} ${t("remove.kept")} ${contents.value && t("remove.entities", { n: contents.value.entities.length })}</p>
    ${document.key.startsWith("uploads/") ? html`<p>${t("remove.original")}</p>` : html`<p class="faint">${t("remove.source")}</p>`}
    <p class="row end"><${Button} onClick=${close}>${t("cancel")}</${Button}><${Button} class="danger" icon="trash" onClick=${remove}>${t("remove")}</${Button}></p></${Dialog}>`;
}

/** A summary; what it sums up is below it when it is unfolded. */
function Branch({ summary, path, byId, open, toggle, show, shown }) {
  const key = `${path} ${summary.id}`;
  const isOpen = open.has(key);
  const below = summary.children.map((id) => byId.get(id)).filter(Boolean);
  const title = summary.text.slice(0, 60);
  return html`<li>
    <div class="tree-line">
      <${Round} icon="forth" class="small" label=${t(isOpen ? "fold" : "unfold", { title })} aria-expanded=${String(isOpen)} onClick=${() => toggle(key)} />
      <p class=${isOpen ? undefined : "clamp"} lang=${languageOf(summary.text)}>${summary.text}</p>
    </div>
    ${
      isOpen &&
      html`<ul class="tree">
        ${below.map((one) => html`<${Branch} key=${one.id} summary=${one} path=${key} byId=${byId} open=${open} toggle=${toggle} show=${show} shown=${shown} />`)}
        ${summary.passages.map(
          (one) =>
            html`<li key=${one.start}>
              <button type="button" class="passage" lang=${languageOf(one.begins)} aria-current=${shown?.start === one.start ? "true" : undefined} onClick=${() => show(one)}>${one.begins} …</button>
            </li>`,
        )}
      </ul>`
    }
  </li>`;
}

/** The summary tree: the root unfolded, each passage leading to its place in the text. */
function Summaries({ summaries, show, shown }) {
  const byId = useMemo(() => new Map(summaries.map((one) => [one.id, one])), [summaries]);
  const [open, setOpen] = useState(new Set([` ${summaries[0].id}`]));
  const toggle = (key) =>
    setOpen((old) => {
      const now = new Set(old);
      if (!now.delete(key)) now.add(key);
      return now;
    });
  return html`<ul class="tree summaries">
    <${Branch} summary=${summaries[0]} path="" byId=${byId} open=${open} toggle=${toggle} show=${show} shown=${shown} />
  </ul>`;
}

/** Entities named in the list beside the text, and those that the server names of one document. */
const [FIRST, MOST] = [200, 500];

/** A document by its id or key. */
export function One(props) {
  const { workspace, route, go, address, may } = props;
  const document = useLoad(() => get(at(workspace, "documents", route.id)), [workspace, route.id], true);
  const contents = useLoad(() => get(at(workspace, "documents", route.id, "contents")), [workspace, route.id], true);
  const [place, setPlace] = useState({ at: Number(route.fields.from ?? 0), turn: 0 });
  const [hasEntities, setHasEntities] = useState(kept("entities") === "yes");
  const [tab, setTab] = useState("entities");
  const [removing, setRemoving] = useState(false);
  const [passage, setPassage] = useState(null);
  const [from, to] = [Number(route.fields.from ?? 0), Number(route.fields.to ?? 0)];
  // links say what their passage was by a short sign: where the document has changed, it is looked for anew
  const sign = /^[0-9a-f]{8}$/.test(route.fields.mark ?? "") ? parseInt(route.fields.mark, 16) : undefined;
  const linked = `${route.id} ${from} ${to}`;
  const [anew, setAnew] = useState({ of: null, span: null });
  const isAnew = anew.of === linked;
  const goTo = (start) => setPlace((old) => ({ at: start, turn: old.turn + 1 }));
  useEffect(() => {
    setPassage(null);
    goTo(from);
  }, [route.fields.from, route.id]);
  const marks = useMemo(() => {
    const span = passage ?? (isAnew ? anew.span && { ...anew.span, sign } : to > from ? { start: from, end: to, sign } : null);
    return span ? [{ ...span, isCurrent: true }] : [];
  }, [from, to, sign, passage, anew, isAnew]);
  const moved = (span) => {
    setAnew({ of: linked, span });
    if (span) goTo(span.start);
  };
  if (document.error?.status === 404) return html`<div class="page"><${Empty} title=${t("document.gone")}><p><a href=${address("documents")}>${t("documents.back")}</a></p></${Empty}></div>`;
  if (document.error)
    return html`<div class="page"><${Trouble} error=${document.error} again=${document.again} /></div>`;
  const { value } = document;
  const found = contents.value;
  const outline = found
    ? found.headings.length
      ? found.headings
      : found.places.map((one) => ({ depth: 0, text: one.label, start: one.start }))
    : contents.error
      ? []
      : null;
  const tabs = [
    ["entities", t("screen.entities"), found && (found.entities.length < MOST ? found.entities.length : `${MOST}+`)],
    ...(found?.summaries.length ? [["summary", t("summary")]] : []),
    ...(found?.facts.length ? [["facts", t("facts"), found.facts.length]] : []),
    ["about", t("about")],
  ];
  // without headings and pages there is no outline, and the text has its room
  return html`<div class=${outline?.length === 0 ? "document flat" : "document"}>
    <header><a class="round" href=${address("documents")} aria-label=${t("documents.back")} title=${t("documents.back")}><${Icon} name="back" /></a><h1>${value ? value.title || value.key : " "}</h1>
      ${value && html`<span class=${`state ${value.state}`}>${t(`state.${value.state}`)}</span>`}<span class="fill"></span>
      <${Button} icon="entities" aria-pressed=${String(hasEntities)} onClick=${() => {
        keep("entities", hasEntities ? "no" : "yes");
        setHasEntities(!hasEntities);
      }}>${t(hasEntities ? "entities.unmark" : "entities.mark")}</${Button}>
      ${may("write") && value && html`<${Round} icon="trash" label=${t("remove")} onClick=${() => setRemoving(true)} />`}</header>
    ${isAnew && html`<p class="notice" role="status">${t(anew.span ? "citation.moved" : "citation.gone")}</p>`}
    ${outline?.length !== 0 && html`<nav aria-label=${t("outline")}>${
      !outline
        ? html`<${Skeleton} lines=${6} />`
        : html`<ol class="outline">
              ${outline.map((one, index) => html`<li key=${index} class=${`deep${Math.min(3, one.depth)}`}><button type="button" onClick=${() => goTo(one.start)}>${one.text}</button></li>`)}
            </ol>`
    }</nav>`}
    ${
      // the text comes with its outline: it would be moved by one that comes later, or not at all
      found || contents.error
        ? html`<${Reading} workspace=${workspace} id=${route.id} target=${place.at} turn=${place.turn} marks=${marks} moved=${moved} label=${value?.title || value?.key || t("document")} entities=${hasEntities && found ? found.entities : null} openEntity=${(entity) => go("e", entity.id)} />`
        : html`<div class="reading"><div class="text"><${Skeleton} lines=${12} /></div></div>`
    }
    <aside aria-label=${t("about")}><${Tabs} name=${t("about")} tabs=${tabs} chosen=${tab} choose=${setTab}>
      ${
        tab === "about"
          ? value &&
            html`<dl class="trace">
              <div>
                <dt>${t("key")}</dt>
                <dd>${value.key}</dd>
              </div>
              <div>
                <dt>${t("units")}</dt>
                <dd>${number(value.text_units)}</dd>
              </div>
              <div>
                <dt>${t("characters.head")}</dt>
                <dd>${number(value.characters)}</dd>
              </div>
              ${[
                ["document.date", value.date],
                ["document.indexed", value.indexed_at && time(value.indexed_at)],
              ]
                .filter(([, text]) => text)
                .map(
                  ([word, text]) =>
                    html`<div key=${word}>
                      <dt>${t(word)}</dt>
                      <dd>${text}</dd>
                    </div>`,
                )}
              ${Object.entries(value.metadata).map(
                ([name, text]) =>
                  html`<div key=${name}>
                    <dt>${name}</dt>
                    <dd>${text}</dd>
                  </div>`,
              )}${
                value.error &&
                html`<div>
                  <dt>${t("state.failed")}</dt>
                  <dd class="bad">${value.error}</dd>
                </div>`
              }
            </dl>`
          : contents.error
            ? html`<${Trouble} error=${contents.error} again=${contents.again} />`
            : !found
              ? html`<${Skeleton} lines=${8} />`
              : tab === "entities"
                ? html`<ul class="outline">
                    ${found.entities.slice(0, FIRST).map(
                      (entity) =>
                        html`<li key=${entity.id}>
                          <button type="button" onClick=${() => go("e", entity.id)}>
                            ${entity.name} <span class="count">${entity.text_units}</span>
                          </button>
                        </li>`,
                    )}
                    ${found.entities.length > FIRST && html`<li class="faint">${t("and.more", { n: found.entities.length - FIRST })}</li>`}
                  </ul>`
                : tab === "summary"
                  ? html`<${Summaries}
                      key=${route.id}
                      summaries=${found.summaries}
                      shown=${passage}
                      show=${(one) => {
                        setPassage(one);
                        goTo(one.start);
                      }}
                    />`
                  : html`<ul class="plain-list">
                      ${found.facts.map((fact, index) => html`<li key=${index}>${fact}</li>`)}
                    </ul>`
      }</${Tabs}></aside>
    ${removing && html`<${Remove} workspace=${workspace} document=${value} close=${() => setRemoving(false)} started=${() => go("documents")} />`}</div>`;
}

