// The map: entities with places and communities with colours; the server has laid it out, drawing.js shows it.
import { html, useEffect, useMemo, useRef, useState } from "./vendor.js";
import { at, get } from "./server.js";
import { t } from "./words.js";
import { Button, Kind, kindOf, Quote, Round, Skeleton, Trouble, useLoad } from "./parts.js";
import { draw } from "./drawing.js";

const NEIGHBOURS = 30;
/** Entities that are drawn at first, those of most relationships: a large map takes its time to be laid out. */
const FIRST = 3000;
/** How often a newer map is looked for, in milliseconds. */
const LOOK = 3000;

export default function MapScreen(props) {
  const { workspace, route, address, open } = props;
  const [limit, setLimit] = useState(FIRST);
  const {
    value,
    error,
    again,
    busy,
  } = useLoad(
    (signal) => get(at(workspace, "map"), { limit }, { signal }),
    [workspace, limit],
  );
  const [newer, setNewer] = useState({ than: null, map: null, isShown: false });
  const data = newer.than === value && newer.isShown ? newer.map : value;
  // the one before is there at once; the one of the present graph is shown when somebody wants it, for it begins anew
  useEffect(() => {
    if (!value?.is_old) return undefined;
    let timer = 0;
    const look = () =>
      get(at(workspace, "map"), { limit }).then(
        (map) => {
          if (map.is_old) timer = setTimeout(look, LOOK);
          else setNewer({ than: value, map, isShown: false });
        },
        () => {
          timer = setTimeout(look, LOOK);
        },
      );
    timer = setTimeout(look, LOOK);
    return () => clearTimeout(timer);
  }, [value]);
  const [trouble, setTrouble] = useState(null);
  const [level, setLevel] = useState(0);
  const [chosen, setChosen] = useState(null);
  const [q, setQ] = useState("");
  const [goal, setGoal] = useState(null);
  const [way, setWay] = useState(null);
  const stage = useRef(null);
  const [picture, writing, titles] = [useRef(null), useRef(null), useRef(null)];
  const drawn = useRef(null);
  const select = (place, move) => {
    setChosen(place);
    setWay(null);
    setQ("");
    drawn.current?.show(place, move);
  };
  const tell = useRef(null);
  tell.current = (place) => (goal === "wanted" && place !== null ? find(place) : (setGoal(null), select(place, false)));
  useEffect(() => {
    const look = () => drawn.current?.scheme();
    const watch = new MutationObserver(look);
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-scheme"] });
    const query = matchMedia("(prefers-color-scheme: dark)");
    query.addEventListener("change", look);
    return () => {
      watch.disconnect();
      query.removeEventListener("change", look);
    };
  }, []);
  useEffect(() => {
    if (!data) return undefined;
    const canvases = { picture: picture.current, names: writing.current, titles: titles.current };
    drawn.current = draw(
      data,
      stage.current,
      canvases,
      (place) => tell.current(place),
      (failure) => setTrouble({ message: t("map.failed"), cause: failure }),
    );
    if (level) drawn.current.level(level);
    const wanted = data.nodes.findIndex((node) => node.id === route.fields.entity);
    if (wanted >= 0) select(wanted, true);
    return () => {
      drawn.current?.end();
      drawn.current = null;
    };
  }, [data]);
  useEffect(() => {
    drawn.current?.level(level);
  }, [level]);
  const names = useMemo(() => data?.nodes.map((node) => node.name.toLowerCase()), [data]);
  const wanted = q.trim().toLowerCase();
  const hits = useMemo(() => {
    if (!wanted || !names) return [];
    const rank = (place) => (names[place] === wanted ? 0 : names[place].startsWith(wanted) ? 1 : 2);
    return names
      .map((_, place) => place)
      .filter((place) => names[place].includes(wanted))
      .sort((a, b) => rank(a) - rank(b) || data.nodes[b].degree - data.nodes[a].degree || a - b)
      .slice(0, 30);
  }, [wanted, names]);
  const pick = (place) => (goal === "wanted" ? find(place) : select(place, true));
  /** The way from the entity that is chosen to another one. */
  async function find(place) {
    setGoal(null);
    setQ("");
    try {
      const found = await get(at(workspace, "paths"), {
        from: data.nodes[chosen].id,
        to: data.nodes[place].id,
        max_hops: 6,
      });
      const byId = new Map(data.nodes.map((node, index) => [node.id, index]));
      setWay({ ...found, from: chosen, to: place });
      if (found.found)
        drawn.current.path(found.nodes.map((node) => byId.get(node.id)).filter((index) => index !== undefined));
    } catch (failure) {
      setTrouble(failure);
    }
  }
  if (error)
    return html`<div class="page">
      <header><h1>${t("screen.map")}</h1></header>
      <${Trouble} error=${error} again=${again} />
    </div>`;
  const node = chosen === null ? null : data?.nodes[chosen];
  const beside = node && drawn.current ? drawn.current.neighbours(chosen) : [];
  return html`<div
    class="map"
    onKeyDown=${(event) => {
      if (event.key === "Escape" && (chosen !== null || q)) {
        event.preventDefault();
        setGoal(null);
        select(null);
      }
    }}
  >
    <h1 class="hidden">${t("screen.map")}</h1>
    <div
      class="stage"
      ref=${stage}
      role="application"
      tabindex="0"
      aria-label=${data ? `${t("map.told", { entities: data.nodes.length, relationships: data.edges.length })}. ${t("map.keys")}` : t("loading")}
    >
      <canvas ref=${picture} aria-hidden="true"></canvas><canvas ref=${writing} aria-hidden="true"></canvas>
    </div>
    <div class="titles" ref=${titles} aria-hidden="true"></div>
    ${
      !data &&
      html`<div class="page">
        <p class="faint" role="status">${t("map.laying")}</p>
        <${Skeleton} lines=${4} />
      </div>`
    }
    ${trouble && html`<div class="page"><${Trouble} error=${trouble} /></div>`}
    ${
      data &&
      html`<div class="over">
          <input
            type="search"
            placeholder=${t(goal === "wanted" ? "map.goal" : "entities.search")}
            aria-label=${t(goal === "wanted" ? "map.goal" : "entities.search")}
            value=${q}
            onInput=${(event) => setQ(event.target.value)}
            onKeyDown=${(event) => {
              if (event.key === "Enter" && hits.length) pick(hits[0]);
            }}
          />
          ${
            wanted &&
            html`<ul class="found">
              ${hits.map(
                (place) =>
                  html`<li key=${place}>
                    <button type="button" onClick=${() => pick(place)}>
                      <span>${data.nodes[place].name}</span
                      ><span class="faint">${kindOf(data.nodes[place].kind)}</span>
                    </button>
                  </li>`,
              )}${hits.length === 0 && html`<li class="faint">${t("entities.none")}</li>`}
            </ul>`
          }
          ${data.levels > 1 && html`<div class="levels" role="group" aria-label=${t("levels")}>${Array.from({ length: data.levels }, (_, place) => html`<button type="button" key=${place} aria-pressed=${String(place === level)} title=${t("level", { n: place })} onClick=${() => setLevel(place)}>${place === 0 ? t("level", { n: 0 }) : place}</button>`)}</div>`}
        </div>
        <p class="counts" aria-live="polite">
          ${
            value.is_old &&
            data === value &&
            (newer.than === value
              ? html`<button type="button" class="link" onClick=${() => {
                  setChosen(null);
                  setWay(null);
                  setGoal(null);
                  setNewer({ ...newer, isShown: true });
                }}>${t("map.newer")}</button> · `
              : html`<span>${t("map.old")}</span> · `)
          }${t("map.told", { entities: data.nodes.length, relationships: data.edges.length })}${data.left_out > 0 && html` · ${t("map.left.out", { n: data.left_out })}${limit < 20000 && html` · <button type="button" class="link" disabled=${busy} onClick=${() => setLimit(20000)}>${t(busy ? "map.laying" : "map.all")}</button>`}`}
        </p>
        <div class="zoom">
          <${Round} icon="plus" label=${t("zoom.in")} onClick=${() => drawn.current?.zoom(1)} /><button
            type="button"
            class="round"
            aria-label=${t("zoom.out")}
            title=${t("zoom.out")}
            onClick=${() => drawn.current?.zoom(-1)}
          >
            −</button
          ><${Round} icon="refresh" label=${t("zoom.all")} onClick=${() => drawn.current?.zoom(0)} />
        </div>`
    }
    ${
      node &&
      html`<aside class="told" aria-label=${node.name}><div class="row"><h2>${node.name}</h2><span class="fill"></span><${Round} icon="close" label=${t("close")} onClick=${() => {
        setGoal(null);
        select(null);
      }} /></div>
      <p><${Kind} kind=${node.kind} /> <span class="faint">${t("relationships.n", { n: node.degree })}</span></p>
      <p class="row"><a class="button first" href=${address("e", node.id)}>${t("map.open")}</a><${Button} aria-pressed=${String(goal === "wanted")} onClick=${() => {
        setGoal(goal === "wanted" ? null : "wanted");
        setTimeout(() => document.querySelector(".map .over input")?.focus());
      }}>${t("map.path")}</${Button}></p>
      ${goal === "wanted" && html`<p class="notice">${t("map.path.told", { name: node.name })}</p>`}
      ${
        way
          ? html`<h3>${t("map.way", { from: data.nodes[way.from].name, to: data.nodes[way.to].name })}</h3>
              ${
                way.found
                  ? html`<ol class="plain-list">
                      ${way.steps.map((step, place) => html`<li key=${place}><strong>${way.nodes[place].name}</strong> <span class="faint">${step.kind ? step.kind.toLowerCase().replaceAll("_", " ") : t("related")}</span> <strong>${way.nodes[place + 1].name}</strong>${step.sentence && html`<${Quote} sentence=${step.sentence} open=${(sentence, from) => open(sentence, from)} />`}</li>`)}
                    </ol>`
                  : html`<p>${t("map.way.none")}</p>`
              }`
          : html`<h3>${t("relationships")}</h3>
              <ul class="outline">
                ${beside.slice(0, NEIGHBOURS).map(
                  ({ node: other }) =>
                    html`<li key=${other}>
                      <button type="button" onClick=${() => select(other, true)}>
                        <span class="dot" style=${{ background: drawn.current.colourOf(other) }}></span
                        >${data.nodes[other].name}
                      </button>
                    </li>`,
                )}
              </ul>
              ${beside.length > NEIGHBOURS && html`<p class="faint">${t("and.more", { n: beside.length - NEIGHBOURS })}</p>`}`
      }</aside>`
    }
  </div>`;
}
