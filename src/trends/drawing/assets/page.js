// The page of trends. The entries stand in the page already; this filters and sorts them and draws the curve of an open one
// with its counts. All that comes from the data goes into text nodes and attributes that run nothing, never into markup. The
// part behind the # of the address names the open entry, so that it can be linked to.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const WIDTH = 720;
  const HEIGHT = 144;
  const LEFT = 40;
  const BOTTOM = 22;
  const entries = [...document.querySelectorAll("details[data-entry]")].map((element) => ({
    element,
    trend: data.trends[Number(element.dataset.entry)],
    section: element.closest("section"),
  }));

  const make = (tag, text) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const shape = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
  const total = (trend) => trend.sentences.reduce((sum, count) => sum + count, 0);
  const rate = (trend, place) => trend.sentences[place] / Math.max(data.documents[place], 1);

  // the sentences told are those of the periods that have any, in order; where some have none, nobody knows which
  const sourcesOf = (trend, element) => {
    const list = [...element.querySelectorAll("li")];
    const periods = trend.sentences.flatMap((count, place) => (count > 0 ? [place] : []));
    return list.length === periods.length ? new Map(periods.map((place, n) => [place, list[n]])) : new Map();
  };

  const draw = ({ element, trend }) => {
    if (element.querySelector("figure")) return;
    const last = data.periods.length - 1;
    const most = Math.max(...data.periods.map((_, place) => rate(trend, place)), Number.MIN_VALUE);
    const x = (place) => LEFT + (WIDTH - LEFT - 8) * (last > 0 ? place / last : 0.5);
    const y = (value) => 8 + (HEIGHT - BOTTOM - 8) * (1 - value / most);
    const figure = make("figure");
    const svg = shape("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, tabindex: 0, role: "slider",
      "aria-label": `${trend.name}, by period`, "aria-valuemin": 0, "aria-valuemax": last,
    });
    for (const value of [0, most / 2, most]) {
      svg.append(shape("line", { x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }));
      svg.append(shape("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value.toFixed(most < 2 ? 2 : 1)));
    }
    const ends = [...new Set([0, Math.round(last / 2), last])];
    for (const place of ends) {
      const anchor = place === 0 && last > 0 ? "start" : place === last && last > 0 ? "end" : "middle";
      svg.append(shape("text", { x: x(place), y: HEIGHT - 4, "text-anchor": anchor }, data.periods[place]));
    }
    const points = data.periods.map((_, place) => `${x(place)},${y(rate(trend, place))}`).join(" ");
    svg.append(shape("polyline", { points, fill: "none", "stroke-width": 2, "stroke-linejoin": "round" }));
    const line = shape("line", { class: "here", y1: 8, y2: HEIGHT - BOTTOM });
    const mark = shape("circle", { class: "here", r: 5 });
    svg.append(line, mark);
    const told = make("figcaption");
    const sources = sourcesOf(trend, element);
    let here = 0;
    const show = (place) => {
      here = Math.max(0, Math.min(last, place));
      for (const [shape, name] of [[line, "x1"], [line, "x2"], [mark, "cx"]]) shape.setAttribute(name, String(x(here)));
      mark.setAttribute("cy", String(y(rate(trend, here))));
      const mood = (trend.sentiment || [])[here];
      const text = `${data.periods[here]}: ${plural(trend.sentences[here], "sentence")} in ${plural(data.documents[here], "document")}, ${rate(trend, here).toFixed(2)} a document${typeof mood === "number" ? `, sentiment ${mood.toFixed(2)}` : ""}`;
      told.textContent = text;
      svg.setAttribute("aria-valuenow", String(here));
      svg.setAttribute("aria-valuetext", text);
      for (const [period, source] of sources) source.classList.toggle("here", period === here);
    };
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const inside = ((event.clientX - box.left) / box.width) * WIDTH - LEFT;
      show(Math.round((inside / (WIDTH - LEFT - 8)) * last));
    });
    svg.addEventListener("click", () => sources.get(here)?.scrollIntoView({ block: "nearest" }));
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -here, End: last - here }[event.key];
      if (event.key === "Enter") sources.get(here)?.scrollIntoView({ block: "nearest" });
      if (step === undefined) return;
      event.preventDefault();
      show(here + step);
    });
    figure.append(svg, told);
    element.querySelector("summary").after(figure);
    show(trend.sentences.indexOf(Math.max(...trend.sentences)));
  };

  const tools = at("tools");
  const field = (name, element) => {
    const label = make("label", name);
    label.append(element);
    tools.append(label);
    return element;
  };
  const choice = (name, options) => {
    const select = make("select");
    for (const [value, text] of options) {
      const option = make("option", text);
      option.value = value;
      select.append(option);
    }
    return field(name, select);
  };
  const search = make("input");
  search.type = "search";
  search.placeholder = "name or sentence  ( / )";
  field("Find", search);
  const lists = [...new Set(entries.map((entry) => entry.trend.list))];
  const list = choice("List", [["", "all"], ...lists.map((name) => [name, name])]);
  const counted = (key) => {
    const counts = new Map();
    for (const { trend } of entries) counts.set(trend[key], (counts.get(trend[key]) || 0) + 1);
    return [...counts].filter(([name]) => name).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  };
  const kinds = counted("kind").map(([name, count]) => [`kind ${name}`, `${name} (${count})`]);
  const types = counted("type").map(([name, count]) => [`type ${name}`, `– ${name} (${count})`]);
  const kind = choice("Kind", [["", "all"], ...kinds, ...types]);
  const sort = choice("Sort", [["score", "surest first"], ["sentences", "most sentences"], ["name", "name"],
    ["first", "first period"], ["last", "last period"]]);
  const shown = make("output");
  shown.id = "shown";
  tools.append(shown);

  for (const entry of entries) entry.text = entry.element.textContent.toLowerCase();
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let count = 0;
    for (const { element, trend, text } of entries) {
      const isIn = text.includes(wanted) && (!list.value || list.value === trend.list) &&
        (!kind.value || kind.value === `kind ${trend.kind}` || kind.value === `type ${trend.type}`);
      element.hidden = !isIn;
      const title = element.previousElementSibling;
      if (title?.dataset.topic !== undefined) title.hidden = !isIn;
      count += isIn ? 1 : 0;
    }
    for (const section of new Set(entries.map((entry) => entry.section))) {
      section.hidden = entries.every((entry) => entry.section !== section || entry.element.hidden);
    }
    shown.textContent = `${count} of ${entries.length}`;
  };
  const place = (label) => data.periods.indexOf(label);
  const orders = {
    score: (a, b) => b.score - a.score,
    sentences: (a, b) => total(b) - total(a),
    name: (a, b) => a.name.localeCompare(b.name),
    first: (a, b) => place(a.since) - place(b.since),
    last: (a, b) => place(b.until) - place(a.until),
  };
  const arrange = () => {
    const order = orders[sort.value];
    // where nothing tells two apart they stand as they were written
    const sorted = entries.map((entry, n) => [entry, n]).sort(([a, n], [b, m]) => order(a.trend, b.trend) || n - m);
    for (const [{ element, section }] of sorted) {
      const title = element.previousElementSibling;
      if (title?.dataset.topic !== undefined) section.append(title);
      section.append(element);
    }
  };
  for (const element of [search, list, kind]) element.addEventListener("input", filter);
  sort.addEventListener("input", arrange);

  const linkOf = ({ trend }) => `#${encodeURIComponent(trend.list)}/${encodeURIComponent(trend.name)}`;
  for (const entry of entries) {
    entry.element.addEventListener("toggle", () => {
      if (!entry.element.open) return;
      draw(entry);
      history.replaceState(null, "", linkOf(entry));
    });
  }
  const follow = () => {
    const entry = entries.find((entry) => linkOf(entry) === location.hash);
    if (!entry) return;
    entry.element.open = true;
    draw(entry);
    entry.element.scrollIntoView({ block: "nearest" });
  };
  addEventListener("hashchange", follow);
  addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key === "/" && !target.matches("input, select")) {
      event.preventDefault();
      search.focus();
    }
    if (event.key === "Escape" && target === search) {
      search.value = "";
      filter();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && target.matches("summary")) {
      event.preventDefault();
      const visible = [...document.querySelectorAll("details[data-entry]:not([hidden]) > summary")]
        .filter((summary) => !summary.closest("section").hidden);
      visible[visible.indexOf(target) + step]?.focus();
    }
  });
  tools.hidden = entries.length === 0;
  filter();
  follow();
  document.body.dataset.ready = String(entries.length);
})();
