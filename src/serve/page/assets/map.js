// The map: entities with places and communities with colours, drawn by sigma.js; the server has laid it out.
import { html, useEffect, useMemo, useRef, useState } from "./vendor.js";
import { at, get } from "./server.js";
import { t } from "./words.js";
import { Button, Kind, Quote, Round, Skeleton, Trouble, useLoad } from "./parts.js";

const NONE = "#9a9a9a";
const MANY_EDGES = 20000;
const TITLES = 12;
const NEIGHBOURS = 30;
/** Entities that are drawn at first, those of most relationships: a large map takes its time to be laid out. */
const FIRST = 3000;

let renderer = null;
/** sigma.js is a script of its own, loaded when a map is first looked at. */
const sigma = () =>
  (renderer ??= new Promise((done, failed) => {
    if (globalThis.graphwrightMap) {
      done(globalThis.graphwrightMap);
      return;
    }
    const script = document.createElement("script");
    script.src = "assets/sigma.js";
    script.onload = () => done(globalThis.graphwrightMap);
    script.onerror = () => {
      renderer = null;
      failed({ kind: "offline" });
    };
    document.head.append(script);
  }));

const channel = (text, place) => parseInt(text.slice(place, place + 2), 16);
/** A colour mixed with what lies below it: edges have no true transparency. */
const mixed = (colour, below, share) =>
  `rgb(${[1, 3, 5].map((place) => Math.round(channel(below, place) + (channel(colour, place) - channel(below, place)) * share)).join(",")})`;
const isDarkNow = () =>
  (document.documentElement.dataset.scheme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

/** Draws a map; what it gives moves and paints it. */
function draw({ Graph, Sigma }, data, stage, titles, tell) {
  const dark = isDarkNow();
  const paper = dark ? "#232322" : "#ffffff";
  const weak = dark ? "#3a3937" : "#e2e2e4";
  const size = (node) => 3 + 9 * Math.sqrt(node.degree / Math.max(1, ...[data.most]));
  const scale = data.nodes.length > 5000 ? 0.45 : data.nodes.length > 1000 ? 0.65 : 0.85;
  let level = 0,
    selected = null,
    near = new Set(),
    way = null,
    wayEdges = new Set();
  const communityOf = (place) => data.communities[data.nodes[place].communities[level] ?? -1];
  const colourOf = (place) => communityOf(place)?.colour ?? NONE;
  const graph = new Graph({ type: "undirected", multi: true, allowSelfLoops: true });
  data.nodes.forEach((node, place) =>
    graph.addNode(place, { x: node.x, y: node.y, size: size(node) * scale, label: node.name, color: NONE }),
  );
  const heaviest = data.edges.reduce((most, edge) => Math.max(most, edge[2]), 1);
  const opacity = data.edges.length > MANY_EDGES ? 0.16 : data.edges.length > 3000 ? 0.24 : 0.34;
  data.edges.forEach(([source, target, weight], place) =>
    graph.addEdgeWithKey(place, source, target, { size: 0.5 + 2 * Math.sqrt(weight / heaviest), color: NONE }),
  );
  const paint = () => {
    graph.updateEachNodeAttributes(
      (node, attributes) => {
        attributes.color = colourOf(Number(node));
        return attributes;
      },
      { attributes: ["color"] },
    );
    graph.updateEachEdgeAttributes(
      (edge, attributes, source, target) => {
        const same = communityOf(Number(source)) && communityOf(Number(source)) === communityOf(Number(target));
        attributes.color = mixed(same ? colourOf(Number(source)) : "#777777", paper, same ? opacity : opacity * 0.6);
        return attributes;
      },
      { attributes: ["color"] },
    );
  };
  paint();
  const sigma = new Sigma(graph, stage, {
    allowInvalidContainer: true,
    hideEdgesOnMove: data.edges.length > MANY_EDGES,
    labelFont: getComputedStyle(document.body).fontFamily,
    labelSize: 12,
    labelDensity: 0.6,
    labelGridCellSize: 110,
    labelRenderedSizeThreshold: 6 * scale,
    labelColor: { color: dark ? "#e4e3df" : "#222222" },
    minCameraRatio: 0.01,
    maxCameraRatio: 3,
    stagePadding: 60,
    zIndex: true,
    defaultDrawNodeHover: (context, node, settings) => {
      if (!node.label) return;
      context.font = `${settings.labelSize}px ${settings.labelFont}`;
      const width = context.measureText(node.label).width;
      context.fillStyle = paper;
      context.globalAlpha = 0.92;
      context.fillRect(node.x + node.size, node.y - 10, width + 12, 20);
      context.globalAlpha = 1;
      context.fillStyle = node.color;
      context.beginPath();
      context.arc(node.x, node.y, node.size + 2, 0, Math.PI * 2);
      context.fill();
      context.fillStyle = dark ? "#ffffff" : "#111111";
      context.fillText(node.label, node.x + node.size + 6, node.y + 4);
    },
    nodeReducer: (node, attributes) => {
      if (selected === null && way === null) return attributes;
      const place = Number(node);
      if (place === selected || way?.has(place))
        return { ...attributes, highlighted: true, forceLabel: true, zIndex: 2 };
      if (way === null && near.has(place)) return { ...attributes, forceLabel: near.size < 25, zIndex: 1 };
      return { ...attributes, color: weak, label: "", zIndex: 0 };
    },
    edgeReducer: (edge, attributes) => {
      const [source, target] = data.edges[edge];
      if (way !== null)
        return wayEdges.has(Number(edge))
          ? { ...attributes, size: 3, color: dark ? "#a3acff" : "#4450c4", zIndex: 2 }
          : { ...attributes, hidden: true };
      if (selected === null) return attributes;
      if (source !== selected && target !== selected) return { ...attributes, hidden: true };
      return { ...attributes, color: mixed(colourOf(source === selected ? target : source), paper, 0.8), zIndex: 1 };
    },
  });
  const refresh = () => sigma.refresh({ skipIndexation: true });
  let marks = [];
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const mark = () => {
    titles.replaceChildren();
    const groups = new Map();
    data.nodes.forEach((node, place) => {
      const id = node.communities[level];
      if (id === null || id === undefined) return;
      if (!groups.has(id)) groups.set(id, []);
      groups.get(id).push(place);
    });
    marks = [...groups]
      .filter(([, places]) => places.length > 2)
      .sort((a, b) => b[1].length - a[1].length || a[0] - b[0])
      .slice(0, TITLES)
      .map(([id, places]) => {
        const element = document.createElement("span");
        element.textContent = data.communities[id].title;
        element.style.borderColor = data.communities[id].colour;
        titles.append(element);
        return {
          element,
          x: middle(places.map((place) => data.nodes[place].x)),
          y: middle(places.map((place) => data.nodes[place].y)),
        };
      });
    // measured once: reading sizes in every frame would be slow
    for (const one of marks) [one.width, one.height] = [one.element.offsetWidth, one.element.offsetHeight];
    arrange();
  };
  const arrange = () => {
    const taken = [];
    for (const one of marks) {
      const place = sigma.graphToViewport({ x: one.x, y: one.y });
      const [left, top] = [Math.round(place.x - one.width / 2), Math.round(place.y - one.height / 2)];
      const clear =
        selected === null &&
        way === null &&
        taken.every(
          (box) =>
            left > box[0] + box[2] || box[0] > left + one.width || top > box[1] + box[3] || box[1] > top + one.height,
        );
      one.element.style.visibility = clear ? "visible" : "hidden";
      if (!clear) continue;
      one.element.style.transform = `translate(${left}px, ${top}px)`;
      taken.push([left, top, one.width, one.height]);
    }
  };
  sigma.on("afterRender", arrange);
  sigma.on("clickNode", ({ node }) => tell(Number(node)));
  sigma.on("clickStage", () => tell(null));
  sigma.on("enterNode", () => {
    stage.style.cursor = "pointer";
  });
  sigma.on("leaveNode", () => {
    stage.style.cursor = "";
  });
  mark();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 400;
  return {
    order: graph.order,
    size: graph.size,
    level(wanted) {
      level = wanted;
      paint();
      mark();
      refresh();
    },
    colourOf,
    neighbours(place) {
      const found = new Map();
      graph.forEachEdge(String(place), (edge, _, source, target) => {
        const other = Number(source) === place ? Number(target) : Number(source);
        const weight = data.edges[edge][2];
        if (other !== place) found.set(other, Math.max(weight, found.get(other) ?? 0));
      });
      return [...found].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    },
    show(place, move) {
      selected = place;
      way = null;
      near = new Set(place === null ? [] : graph.neighbors(String(place)).map(Number));
      const seen = place !== null && sigma.getNodeDisplayData(String(place));
      if (move && seen)
        sigma
          .getCamera()
          .animate({ x: seen.x, y: seen.y, ratio: Math.min(sigma.getCamera().ratio, 0.5) }, { duration: still });
      refresh();
    },
    path(places) {
      selected = null;
      way = new Set(places);
      wayEdges = new Set();
      for (let place = 0; place + 1 < places.length; place++)
        graph.forEachEdge(String(places[place]), String(places[place + 1]), (edge) => wayEdges.add(Number(edge)));
      refresh();
      sigma.getCamera().animatedReset({ duration: still });
    },
    zoom(by) {
      const camera = sigma.getCamera();
      if (by > 0) camera.animatedZoom({ duration: 200 });
      else if (by < 0) camera.animatedUnzoom({ duration: 200 });
      else camera.animatedReset({ duration: 200 });
    },
    end() {
      sigma.kill();
    },
  };
}

export default function MapScreen(props) {
  const { workspace, route, address, open } = props;
  const [limit, setLimit] = useState(FIRST);
  const {
    value: data,
    error,
    again,
    busy,
  } = useLoad(
    async (signal) => {
      const found = await get(at(workspace, "map"), { limit }, { signal });
      found.most = found.nodes.reduce((most, node) => Math.max(most, node.degree), 1);
      return found;
    },
    [workspace, limit],
  );
  const [trouble, setTrouble] = useState(null);
  const [level, setLevel] = useState(0);
  const [chosen, setChosen] = useState(null);
  const [q, setQ] = useState("");
  const [goal, setGoal] = useState(null);
  const [way, setWay] = useState(null);
  const [scheme, setScheme] = useState(isDarkNow());
  const stage = useRef(null);
  const titles = useRef(null);
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
    const look = () => setScheme(isDarkNow());
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
    let left = false;
    sigma().then((parts) => {
      if (left) return;
      try {
        drawn.current = draw(parts, data, stage.current, titles.current, (place) => tell.current(place));
      } catch (failure) {
        setTrouble({ message: t("map.no.webgl"), cause: failure });
        return;
      }
      if (level) drawn.current.level(level);
      stage.current.dataset.ready = `${drawn.current.order} ${drawn.current.size}`;
      const wanted = data.nodes.findIndex((node) => node.id === route.fields.entity);
      if (wanted >= 0) select(wanted, true);
    }, setTrouble);
    return () => {
      left = true;
      drawn.current?.end();
      drawn.current = null;
    };
  }, [data, scheme]);
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
      role="img"
      aria-label=${data ? t("map.told", { entities: data.nodes.length, relationships: data.edges.length }) : t("loading")}
    ></div>
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
                      ><span class="faint">${data.nodes[place].kind.toLowerCase()}</span>
                    </button>
                  </li>`,
              )}${hits.length === 0 && html`<li class="faint">${t("entities.none")}</li>`}
            </ul>`
          }
          ${data.levels > 1 && html`<div class="levels" role="group" aria-label=${t("levels")}>${Array.from({ length: data.levels }, (_, place) => html`<button type="button" key=${place} aria-pressed=${String(place === level)} title=${t("level", { n: place })} onClick=${() => setLevel(place)}>${place === 0 ? t("level", { n: 0 }) : place}</button>`)}</div>`}
        </div>
        <p class="counts">
          ${t("map.told", { entities: data.nodes.length, relationships: data.edges.length })}${data.left_out > 0 && html` · ${t("map.left.out", { n: data.left_out })}${limit < 20000 && html` · <button type="button" class="link" disabled=${busy} onClick=${() => setLimit(20000)}>${t(busy ? "map.laying" : "map.all")}</button>`}`}
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
                  ([other]) =>
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
