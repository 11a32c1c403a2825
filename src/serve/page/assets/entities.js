// Entities: found as one types, each with what it rests on; likely duplicates, and edits with a way back.
import { html, useEffect, useRef, useState } from "./vendor.js";
import { at, get } from "./server.js";
import { number, t } from "./words.js";
import { Button, Curve, Empty, Icon, Kind, kindOf, openInUnit, Quote, Skeleton, Tabs, Trouble, useList, useLoad, useRest } from "./parts.js";
import { Duplicates, EDITED, EditMenu, Edits } from "./edits.js";
import { languageOf } from "./text.js";

/** Relationships shown at first. */
const FIRST = 20;

/** The curve over time of an entity; by chapters where no document has a date. */
function OverTime({ workspace, name, open }) {
  const trends = useLoad(
    async (signal) => {
      const about = (every) => get(at(workspace, "trends"), { about: name, top: 1, every }, { signal });
      try {
        return await about();
      } catch (failure) {
        if (failure.status !== 400) throw failure;
        return about("chapter");
      }
    },
    [workspace, name],
  );
  if (trends.error) return html`<p class="faint">${trends.error.message}</p>`;
  if (!trends.value) return html`<${Skeleton} lines=${3} />`;
  const curve = (trends.value.about ?? [])[0];
  if (!curve) return html`<p class="faint">${t("over.time.none")}</p>`;
  if (curve.curve.every((value) => value === 0)) return html`<p class="faint">${t("over.time.undated")}</p>`;
  return html`<${Curve} values=${curve.curve} labels=${curve.periods} tall />
    <p class="faint">${t("trend.span", { since: curve.since, until: curve.until, documents: curve.documents })}</p>
    <ul class="plain-list">
      ${curve.sources.slice(-4).map((source) => html`<li key=${source.start}><${Quote} sentence=${{ ...source, document: { id: source.document, key: source.document, title: "" } }} open=${open} /></li>`)}
    </ul>`;
}

/** A text that may be long: its beginning, and the rest when it is wished for. */
function Long({ text }) {
  const [isWhole, setWhole] = useState(text.length < 420);
  return html`<div class="description">
    <p class=${isWhole ? "" : "clamp"} lang=${languageOf(text)}>${text}</p>
    ${!isWhole && html`<button type="button" class="link" onClick=${() => setWhole(true)}>${t("more")}</button>`}
  </div>`;
}

function One(props) {
  const { workspace, route, open, go, may, address } = props;
  const entity = useLoad(() => get(at(workspace, "entities", route.id)), [workspace, route.id], true);
  const [tab, setTab] = useState("relations");
  // few at first: each comes with its sentence, which takes its time
  const [limit, setLimit] = useState(FIRST);
  const relations = useLoad(
    () => get(at(workspace, "entities", route.id, "relationships"), { limit }),
    [workspace, route.id, limit],
  );
  const mentions = useLoad(
    () =>
      tab === "mentions" ? get(at(workspace, "entities", route.id, "mentions"), { limit: 200 }) : Promise.resolve(null),
    [workspace, route.id, tab === "mentions"],
    true,
  );
  const ids = entity.value?.communities ?? [];
  const communities = useLoad(
    async () =>
      tab === "communities"
        ? Promise.all(ids.slice(0, 6).map((id) => get(at(workspace, "communities", id)).catch(() => null)))
        : null,
    [workspace, ids.join(), tab === "communities"],
    true,
  );
  const title = useRef(null);
  useEffect(() => {
    setTab("relations");
    title.current?.closest(".detail")?.scrollTo(0, 0);
  }, [route.id]);
  if (entity.error) return html`<${Trouble} error=${entity.error} again=${entity.again} />`;
  const { value } = entity;
  if (!value) return html`<${Skeleton} lines=${8} />`;
  const trail = (list, place) => ({
    list: list.map((sentence, n) => ({ n: n + 1, sentence })),
    place,
    open: (next) => show(list, next),
  });
  const show = (list, place, from) => open(list[place], from, trail(list, place));
  const again = () => {
    entity.again();
    relations.again();
    mentions.again();
  };
  const tabs = [
    ["relations", t("relationships"), value.degree],
    ["mentions", t("mentions"), value.text_units],
    ...(value.claims?.length ? [["claims", t("claims"), value.claims.length]] : []),
    ["communities", t("screen.communities")],
    ["time", t("over.time")],
  ];
  const ones = mentions.value?.items ?? [];
  return html`<header ref=${title}><h1>${value.name}</h1><${Kind} kind=${value.kind} />
      <a class="button" href=${`${address("map")}?entity=${value.id}`}><${Icon} name="map" />${t("on.map")}</a>
      <a class="button" href=${`${address("ask")}?q=${encodeURIComponent(t("entity.question", { name: value.name }))}`}><${Icon} name="ask" />${t("ask.about")}</a>
      ${may("write") && html`<${EditMenu} ...${props} entity=${value} done=${again} />`}</header>
    ${value.aliases?.length > 0 && html`<p class="faint">${t("also", { names: value.aliases.join(", ") })}</p>`}
    ${value.description ? html`<${Long} key=${value.id} text=${value.description} />` : html`<p class="faint description">${t("description.none")}</p>`}
    <${Tabs} name=${value.name} tabs=${tabs} chosen=${tab} choose=${setTab}>
      ${
        tab === "relations" &&
        (relations.error
          ? html`<${Trouble} error=${relations.error} again=${relations.again} />`
          : !relations.value
            ? html`<${Skeleton} lines=${6} />`
            : relations.value.items.length === 0
              ? html`<p class="faint">${t("relationships.none")}</p>`
              : html`<ul class="plain-list">
                    ${relations.value.items.map((one) => {
                      const isSource = one.source.id === value.id;
                      const other = isSource ? one.target : one.source;
                      return html`<li key=${one.id}>
                        <div class="relation">
                          <span class="faint"
                            >${isSource ? "→" : "←"}${" "}
                            ${one.kind ? one.kind.toLowerCase().replaceAll("_", " ") : t("related")}</span
                          >${" "}
                          <a href=${address("e", other.id)}>${other.name}</a
                          ><span class="end">${t("weight", { n: one.weight })}</span>
                        </div>
                        ${
                          one.sentence &&
                          html`<${Quote}
                            sentence=${one.sentence}
                            open=${(sentence, from) => {
                              const list = relations.value.items.map((each) => each.sentence).filter(Boolean);
                              show(list, list.indexOf(sentence), from);
                            }}
                          />`
                        }
                      </li>`;
                    })}
                  </ul>
                  ${relations.value.items.length < value.degree && limit < 500 && relations.value.items.length >= limit && html`<p class="more"><${Button} disabled=${relations.busy} onClick=${() => setLimit(limit === FIRST ? 100 : 500)}>${t("more")}</${Button}></p>`}`)
      }
      ${
        tab === "mentions" &&
        (mentions.error
          ? html`<${Trouble} error=${mentions.error} again=${mentions.again} />`
          : !mentions.value
            ? html`<${Skeleton} lines=${6} />`
            : html`<div class="evidence">
                ${Object.values(
                  Object.groupBy(
                    ones.map((sentence, place) => ({ sentence, place })),
                    (one) => one.sentence.document.id,
                  ),
                ).map(
                  (group) =>
                    html`<section key=${group[0].sentence.document.id}>
                      <h3>${group[0].sentence.document.title || group[0].sentence.document.key}</h3>
                      <ul>
                        ${group.map(({ sentence, place }) => html`<li key=${place}><${Quote} sentence=${sentence} open=${(_, from) => show(ones, place, from)} /></li>`)}
                      </ul>
                    </section>`,
                )}
              </div>`)
      }
      ${
        tab === "claims" &&
        html`<ul class="plain-list">
          ${value.claims.map(
            (claim) =>
              html`<li key=${claim.id}>
                <div class="relation">
                  <span
                    class=${`state ${claim.status === "true" ? "done" : claim.status === "false" ? "failed" : "pending"}`}
                    >${t(`claim.${claim.status}`)}</span
                  >${" "}
                  <${Kind} kind=${claim.kind} />
                  ${claim.object && html`<a href=${address("e", claim.object.id)}>${claim.object.name}</a>`}<span
                    class="end"
                    >${[claim.start_date, claim.end_date].filter((date) => date && date !== "NONE").join(" – ")}</span
                  >
                </div>
                <p>${claim.description}</p>
                ${claim.holder && html`<p class="faint">${t("claim.holder", { name: claim.holder })}</p>`}
                <button
                  type="button"
                  class="quote"
                  lang=${languageOf(claim.source_text)}
                  onClick=${(event) => {
                    const from = event.currentTarget;
                    openInUnit(workspace, claim.text_unit, claim.source_text, (sentence) => open(sentence, from));
                  }}
                >
                  <span>${claim.source_text || t("claim.open")}</span>
                </button>
              </li>`,
          )}
        </ul>`
      }
      ${
        tab === "communities" &&
        (!communities.value
          ? html`<${Skeleton} lines=${3} />`
          : html`<ul class="plain-list">
              ${communities.value.filter(Boolean).map((one) => html`<li key=${one.id}><a href=${address("c", one.id)}>${one.title || t("community.untitled")}</a> <span class="faint">${t("level", { n: one.level })} · ${t("size", { n: one.size })}</span></li>`)}
            </ul>`)
      }
      ${tab === "time" && html`<${OverTime} key=${value.id} workspace=${workspace} name=${value.name} open=${(sentence, from) => open(sentence, from)} />`}</${Tabs}>`;
}

function List({ workspace, route, address }) {
  const [q, setQ] = useState("");
  const [kind, setKind] = useState("");
  const rested = useRest(q.trim());
  const list = useList(at(workspace, "entities"), { q: rested, type: kind, limit: 100 });
  const kinds = useLoad(() => get(at(workspace, "kinds")), [workspace]);
  // names beside follow what was edited
  useEffect(() => {
    addEventListener(EDITED, list.again);
    return () => removeEventListener(EDITED, list.again);
  }, []);
  const grow = (event) => {
    const box = event.currentTarget;
    if (box.scrollHeight - box.scrollTop - box.clientHeight < 400) list.more();
  };
  // arrows go from the box to the list and through it
  const keys = (event) => {
    const rows = [...event.currentTarget.querySelectorAll(".rows a")];
    const place = rows.indexOf(document.activeElement);
    if (event.key === "ArrowDown") {
      event.preventDefault();
      rows[Math.min(rows.length - 1, place + 1)]?.focus();
    } else if (event.key === "ArrowUp" && place >= 0) {
      event.preventDefault();
      (place === 0 ? event.currentTarget.querySelector("input") : rows[place - 1]).focus();
    } else if (event.key === "Enter" && place < 0 && rows[0]) rows[0].click();
  };
  return html`<div onKeyDown=${keys} style=${{ display: "contents" }}>
    <div class="row lookup">
      <input
        type="search"
        class="search"
        placeholder=${t("entities.search")}
        aria-label=${t("entities.search")}
        value=${q}
        onInput=${(event) => setQ(event.target.value)}
      />
      <select aria-label=${t("kind")} value=${kind} onChange=${(event) => setKind(event.target.value)}>
        <option value="">${t("kind.all")}</option>
        ${(kinds.value?.items ?? []).filter((one) => one.kind).map((one) => html`<option key=${one.kind} value=${one.kind}>${kindOf(one.kind)} (${one.count})</option>`)}
      </select>
    </div>
    ${list.error && html`<${Trouble} error=${list.error} again=${list.again} />`}
    ${
      !list.items && !list.error
        ? html`<${Skeleton} lines=${10} />`
        : html`<ul class="rows" onScroll=${grow}>
            ${(list.items ?? []).map(
              (one) =>
                html`<li key=${one.id}>
                  <a href=${address("e", one.id)} aria-current=${route.id === one.id ? "true" : undefined}>
                    <span class="name" lang=${languageOf(one.name)}>${one.name}</span
                    ><span class="end" title=${t("mentions")}>${number(one.text_units)}</span
                    ><span class="told">${kindOf(one.kind)}</span></a
                  >
                </li>`,
            )}
            ${list.items?.length === 0 && !list.busy && html`<li class="empty">${t("entities.none")}</li>`}
          </ul>`
    }
  </div>`;
}

export default function Entities(props) {
  const { route, may, go } = props;
  const tab = route.id ? "all" : (route.fields.tab ?? "all");
  const tabs = [
    ["all", t("all")],
    ["duplicates", t("duplicates")],
    ["edits", t("edits")],
  ];
  const choose = (id) => {
    location.hash = `${props.address("entities")}${id === "all" ? "" : `?tab=${id}`}`;
  };
  return html`<div class=${route.id || tab !== "all" ? "split has-record" : "split"}>
    <div class="list">
      <header>
        <h1>${t("screen.entities")}</h1>
        <${Tabs} name=${t("screen.entities")} tabs=${tabs} chosen=${tab} choose=${choose} />
      </header>
      <${List} ...${props} />
    </div>
    <div class="detail" id="panel-all" tabindex="-1">
      <p class="narrow-only"><a href=${props.address("entities")}>${t("back")}</a></p>
      ${route.id ? html`<${One} key=${route.id} ...${props} />` : tab === "duplicates" ? html`<${Duplicates} ...${props} />` : tab === "edits" ? html`<${Edits} ...${props} />` : html`<${Empty} title=${t("entities.choose")}><p>${t("entities.choose.told")}</p></${Empty}>`}
    </div>
  </div>`;
}
