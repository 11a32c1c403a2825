// The page of the map. All that comes from the data goes into text nodes and, as colours, into styles; never into
// markup. The part behind the # of the address says level and entity, so that a view can be linked to.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const { Graph, Sigma } = graphwrightMap;
  const at = (id) => document.getElementById(id);
  const NONE = "#b5b5b5";
  const FOUND = 30;
  const NEIGHBOURS = 40;
  const TITLES = 12;
  const MANY_EDGES = 20000;

  const make = (tag, text, name) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    return element;
  };
  const dot = (colour) => {
    const element = make("span", "", "dot");
    element.style.background = colour;
    return element;
  };

  let level = data.level;
  let selected = null;
  let near = new Set();
  let members = null;

  const communityOf = (node) => data.communities[data.nodes[node].communities[level]];
  const colourOf = (node) => (communityOf(node) || { colour: NONE }).colour;
  // a colour mixed with the white below it: sigma's edges have no true transparency
  const thin = (colour, share) => {
    const mixed = [1, 3, 5].map((start) => Math.round(255 - (255 - parseInt(colour.slice(start, start + 2), 16)) * share));
    return `rgb(${mixed.join(",")})`;
  };

  // many entities are drawn smaller, or they would hide each other
  const scale = data.nodes.length > 5000 ? 0.45 : data.nodes.length > 1000 ? 0.65 : 0.85;
  const graph = new Graph({ type: "undirected", multi: true, allowSelfLoops: true });
  data.nodes.forEach((node, place) => {
    graph.addNode(place, { x: node.x, y: node.y, size: node.size * scale, label: node.name, color: NONE });
  });
  const heaviest = data.edges.reduce((most, edge) => Math.max(most, edge.weight), 1);
  const opacity = data.edges.length > MANY_EDGES ? 0.16 : data.edges.length > 3000 ? 0.22 : 0.3;
  data.edges.forEach((edge, place) => {
    const size = 0.5 + 2 * Math.sqrt(edge.weight / heaviest);
    graph.addEdgeWithKey(place, edge.source, edge.target, { size, color: NONE });
  });

  const paint = () => {
    graph.updateEachNodeAttributes((node, attributes) => {
      attributes.color = colourOf(node);
      return attributes;
    }, { attributes: ["color"] });
    graph.updateEachEdgeAttributes((edge, attributes, source, target) => {
      const same = communityOf(source) && communityOf(source) === communityOf(target);
      attributes.color = thin(same ? colourOf(source) : "#777777", same ? opacity : opacity * 0.6);
      return attributes;
    }, { attributes: ["color"] });
  };
  paint();

  const renderer = new Sigma(graph, at("stage"), {
    allowInvalidContainer: true,
    hideEdgesOnMove: data.edges.length > MANY_EDGES,
    labelFont: "system-ui, sans-serif",
    labelSize: 12,
    labelDensity: 0.6,
    labelGridCellSize: 110,
    labelRenderedSizeThreshold: 6 * scale,
    minCameraRatio: 0.01,
    maxCameraRatio: 3,
    stagePadding: 60,
    zIndex: true,
    nodeReducer: (node, attributes) => {
      if (selected === null && members === null) return attributes;
      const place = Number(node);
      if (place === selected) return { ...attributes, highlighted: true, forceLabel: true, zIndex: 2 };
      if (near.has(place)) return { ...attributes, forceLabel: near.size < 25, zIndex: 1 };
      if (members !== null && members.has(place)) return { ...attributes, zIndex: 1 };
      return { ...attributes, color: "#e4e4e7", label: "", zIndex: 0 };
    },
    edgeReducer: (edge, attributes) => {
      const { source, target } = data.edges[edge];
      if (selected !== null) {
        if (source !== selected && target !== selected) return { ...attributes, hidden: true };
        return { ...attributes, color: thin(colourOf(source === selected ? target : source), 0.8), zIndex: 1 };
      }
      if (members !== null && !(members.has(source) && members.has(target))) return { ...attributes, hidden: true };
      return attributes;
    },
  });

  // the largest communities' titles stand in the middle of their members
  const titles = at("titles");
  let marks = [];
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const mark = () => {
    titles.replaceChildren();
    const groups = new Map();
    data.nodes.forEach((node, place) => {
      const community = node.communities[level];
      if (community === null || community === undefined) return;
      if (!groups.has(community)) groups.set(community, []);
      groups.get(community).push(place);
    });
    const largest = [...groups].filter(([, places]) => places.length > 2)
      .sort((a, b) => b[1].length - a[1].length || a[0] - b[0]).slice(0, TITLES);
    marks = largest.map(([community, places]) => {
      const { title, colour } = data.communities[community];
      const element = make("span", title);
      element.style.borderColor = colour;
      titles.append(element);
      const x = middle(places.map((place) => data.nodes[place].x));
      const y = middle(places.map((place) => data.nodes[place].y));
      return { element, x, y };
    });
    // measured once: reading sizes in every frame would be slow
    for (const m of marks) [m.width, m.height] = [m.element.offsetWidth, m.element.offsetHeight];
    arrange();
  };
  const arrange = () => {
    const taken = [];
    for (const m of marks) {
      const place = renderer.graphToViewport({ x: m.x, y: m.y });
      const left = Math.round(place.x - m.width / 2);
      const top = Math.round(place.y - m.height / 2);
      const clear = selected === null && members === null && taken.every((box) => left > box[0] + box[2] ||
        box[0] > left + m.width || top > box[1] + box[3] || box[1] > top + m.height);
      m.element.style.visibility = clear ? "visible" : "hidden";
      if (!clear) continue;
      m.element.style.transform = `translate(${left}px, ${top}px)`;
      taken.push([left, top, m.width, m.height]);
    }
  };
  renderer.on("afterRender", arrange);

  const neighbours = (node) => {
    const found = new Map();
    graph.forEachEdge(String(node), (edge, _, source, target) => {
      const other = Number(source) === node ? Number(target) : Number(source);
      if (!found.has(other)) found.set(other, data.edges[edge]);
    });
    return [...found].sort((a, b) => b[1].weight - a[1].weight || a[0] - b[0]);
  };
  const link = (colour, name, told, action) => {
    const button = make("button", undefined, "link");
    button.type = "button";
    button.append(dot(colour), make("span", name, "name"), make("span", told, "faint"));
    button.addEventListener("click", action);
    return button;
  };
  const open = (parts) => {
    at("content").replaceChildren(...parts);
    at("panel").hidden = false;
    at("panel").scrollTop = 0;
  };
  const number = (count, one, many) => `${count} ${count === 1 ? one : many}`;

  const showCommunity = (place) => {
    const community = data.communities[place];
    selected = null;
    near = new Set();
    members = new Set();
    const leading = [];
    data.nodes.forEach((node, index) => {
      if (!node.communities.includes(place)) return;
      members.add(index);
      leading.push(index);
    });
    leading.sort((a, b) => data.nodes[b].degree - data.nodes[a].degree || a - b);
    const parts = [make("h1", community.title),
      make("p", `Community of level ${community.level} · ${number(community.size, "entity", "entities")}`, "faint"),
      make("p", community.summary)];
    for (const [summary, explanation] of community.findings) {
      parts.push(make("h3", summary));
      if (explanation !== summary) parts.push(make("p", explanation));
    }
    parts.push(make("h2", "Entities"));
    for (const index of leading.slice(0, NEIGHBOURS)) {
      parts.push(link(community.colour, data.nodes[index].name, data.nodes[index].kind, () => show(index, true)));
    }
    open(parts);
    renderer.refresh({ skipIndexation: true });
  };

  const show = (place, move) => {
    const node = data.nodes[place];
    selected = place;
    members = null;
    const beside = neighbours(place);
    near = new Set(beside.map(([other]) => other));
    const told = [node.kind, number(node.degree, "relationship", "relationships")].filter(Boolean).join(" · ");
    const parts = [make("h1", node.name), make("p", told, "faint")];
    if (node.description) parts.push(make("p", node.description));
    const communities = [...new Set(node.communities)].filter((c) => c !== null);
    if (communities.length) parts.push(make("h2", "Communities"));
    for (const c of communities) {
      const community = data.communities[c];
      parts.push(link(community.colour, community.title, `level ${community.level}`, () => showCommunity(c)));
    }
    const own = communityOf(place);
    if (own) {
      parts.push(make("h2", "Report of its community"), make("p", own.summary));
    }
    if (beside.length) parts.push(make("h2", "Relationships"));
    for (const [other, edge] of beside.slice(0, NEIGHBOURS)) {
      parts.push(link(colourOf(other), data.nodes[other].name, edge.kind || `weight ${edge.weight}`,
        () => show(other, true)));
    }
    if (beside.length > NEIGHBOURS) parts.push(make("p", `and ${beside.length - NEIGHBOURS} more`, "faint"));
    if (node.sources.length) parts.push(make("h2", "Sources"));
    for (const s of node.sources) {
      const source = data.sources[s];
      parts.push(make("p", [source.place ? `${source.document}, ${source.place}` : source.document, ...source.headings].join(" › "), "faint"), make("blockquote", source.text));
    }
    open(parts);
    const seen = renderer.getNodeDisplayData(String(place));
    if (move && seen) {
      const ratio = Math.min(renderer.getCamera().ratio, 0.5);
      renderer.getCamera().animate({ x: seen.x, y: seen.y, ratio }, { duration: 400 });
    }
    renderer.refresh({ skipIndexation: true });
    remember();
  };
  const clear = () => {
    selected = null;
    members = null;
    near = new Set();
    at("panel").hidden = true;
    renderer.refresh({ skipIndexation: true });
    remember();
  };

  const remember = () => {
    const parts = new URLSearchParams({ level });
    if (selected !== null) parts.set("entity", data.nodes[selected].name);
    try { history.replaceState(null, "", `#${parts}`); } catch { /* some browsers forbid it for files */ }
  };
  const setLevel = (wanted) => {
    level = wanted;
    for (const button of at("levels").children) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.level) === level));
    }
    paint();
    const count = new Set(data.nodes.map((node) => node.communities[level]).filter((c) => c != null)).size;
    at("counts").textContent = [data.workspace, number(data.nodes.length, "entity", "entities"),
      number(data.edges.length, "relationship", "relationships"), number(count, "community", "communities"),
      ...(data.left_out ? [`${data.left_out} entities left out`] : [])].join(" · ");
    renderer.refresh({ skipIndexation: true });
    mark();
    if (selected !== null) show(selected, false); else remember();
  };
  for (let place = 0; place < data.levels; place++) {
    const button = make("button", place === 0 ? "Level 0" : String(place));
    button.type = "button";
    button.dataset.level = place;
    button.title = place === 0 ? "The largest communities" : `Communities of level ${place}`;
    button.addEventListener("click", () => setLevel(place));
    at("levels").append(button);
  }

  const names = data.nodes.map((node) => node.name.toLowerCase());
  const search = () => {
    const wanted = at("search").value.trim().toLowerCase();
    const hits = [];
    if (wanted) names.forEach((name, place) => { if (name.includes(wanted)) hits.push(place); });
    const rank = (place) => (names[place] === wanted ? 0 : names[place].startsWith(wanted) ? 1 : 2);
    hits.sort((a, b) => rank(a) - rank(b) || data.nodes[b].degree - data.nodes[a].degree || a - b);
    at("found").replaceChildren(...hits.slice(0, FOUND).map((place) => {
      const row = make("li");
      const button = make("button");
      button.type = "button";
      button.append(dot(colourOf(place)), make("span", data.nodes[place].name, "name"),
        make("span", data.nodes[place].kind, "faint"));
      button.addEventListener("click", () => { at("found").hidden = true; show(place, true); });
      row.append(button);
      return row;
    }));
    if (wanted && !hits.length) at("found").append(make("li", "No entity has this in its name", "faint"));
    at("found").hidden = !wanted;
    return hits;
  };
  at("search").addEventListener("input", search);
  at("search").addEventListener("keydown", (event) => {
    if (event.key === "Escape") { at("search").value = ""; search(); }
    if (event.key !== "Enter") return;
    const hits = search();
    if (hits.length) { at("found").hidden = true; show(hits[0], true); }
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") clear(); });
  at("close").addEventListener("click", clear);
  at("in").addEventListener("click", () => renderer.getCamera().animatedZoom({ duration: 200 }));
  at("out").addEventListener("click", () => renderer.getCamera().animatedUnzoom({ duration: 200 }));
  at("whole").addEventListener("click", () => renderer.getCamera().animatedReset({ duration: 200 }));
  renderer.on("clickNode", ({ node }) => show(Number(node), false));
  renderer.on("clickStage", clear);
  renderer.on("enterNode", () => { at("stage").style.cursor = "pointer"; });
  renderer.on("leaveNode", () => { at("stage").style.cursor = ""; });
  window.addEventListener("resize", arrange);

  const asked = new URLSearchParams(location.hash.slice(1));
  const first = Number(asked.get("level") ?? level);
  const entity = data.nodes.findIndex((node) => node.name === asked.get("entity"));
  setLevel(Number.isInteger(first) && first >= 0 && first < Math.max(1, data.levels) ? first : level);
  if (entity >= 0) show(entity, false);
  document.documentElement.dataset.ready = `${graph.order} ${graph.size}`;
})();
