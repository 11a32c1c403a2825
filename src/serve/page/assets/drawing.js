// The map as it is seen: where one looks, what is under the pointer, names, and what was chosen. The picture itself is
// painted by painter.js, beside the page.

/** What lies over the map: the search and the levels, as left, top, width and height. No title is written under them. */
const CORNER = [0, 0, 330, 92];
const NONE = [154, 154, 154];
const MANY_EDGES = 20000;
const TITLES = 12;
/** Names shown at once, and nodes that are looked at for them. */
const [NAMES, LOOKED_AT] = [120, 1500];
/** Pictures that take longer are shown without edges while one moves. */
const SLOW_MS = 40;
/** Neighbours that are drawn when one of very many is chosen. */
const LIT = 2000;
const EDGE_OF_PLANE = 60;

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
export const isDarkNow = () =>
  (document.documentElement.dataset.scheme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const middleOf = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/** Numbers of each node's edges, behind each other, and where those of a node begin. */
function edgesByNode({ nodes, edges }) {
  const starts = new Uint32Array(nodes.length + 1);
  for (const [source, target] of edges) {
    starts[source + 1]++;
    if (source !== target) starts[target + 1]++;
  }
  for (let at = 0; at < nodes.length; at++) starts[at + 1] += starts[at];
  const next = starts.slice();
  const list = new Uint32Array(starts[nodes.length]);
  edges.forEach(([source, target], place) => {
    list[next[source]++] = place;
    if (source !== target) list[next[target]++] = place;
  });
  return (node) => list.subarray(starts[node], starts[node + 1]);
}

/**
 * Draws a map into a box.
 * @param parts the canvases for the picture and for names, and the box for titles
 * @param tell what is called with the node that was clicked, or null
 */
export function draw(data, box, { picture, names, titles }, tell, failed) {
  const { nodes, edges } = data;
  const most = nodes.reduce((found, node) => Math.max(found, node.degree), 1);
  const share = nodes.length > 5000 ? 0.45 : nodes.length > 1000 ? 0.65 : 0.85;
  const radii = Float32Array.from(nodes, (node) => (3 + 9 * Math.sqrt(node.degree / most)) * share);
  const byDegree = nodes.map((_, place) => place).sort((a, b) => nodes[b].degree - nodes[a].degree || a - b);
  const heaviest = [...edges].sort((a, b) => b[2] - a[2]);
  const edgesOf = edgesByNode(data);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const [shown, pen] = [picture.getContext("bitmaprenderer"), names.getContext("2d")];
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  let dark, level, groups, palette, marks = [];
  let selected = null, near = [], way = null, hovered = null;
  const view = { x: 500, y: 500, scale: 1, width: 1, height: 1, ratio: 1 };
  let painted = null, wanted = false, busy = false, moving = 0, slow = false, ended = false, animation = 0;
  const worker = new Worker("assets/painter.js");

  const bounds = nodes.reduce((found, { x, y }) => [Math.min(found[0], x), Math.min(found[1], y), Math.max(found[2], x), Math.max(found[3], y)], [Infinity, Infinity, -Infinity, -Infinity]);
  const whole = () => {
    const [width, height] = [Math.max(bounds[2] - bounds[0], 1), Math.max(bounds[3] - bounds[1], 1)];
    const scale = Math.min((view.width - 2 * EDGE_OF_PLANE) / width, (view.height - 2 * EDGE_OF_PLANE) / height);
    return { x: (bounds[0] + bounds[2]) / 2, y: (bounds[1] + bounds[3]) / 2, scale: Math.max(scale, 0.01) };
  };
  /** Nodes grow more slowly than the plane. */
  const growth = (seen = view) => Math.sqrt(Math.min(60, Math.max(0.4, seen.scale / whole().scale)));
  const seenAt = (place, seen = view) => [
    (nodes[place].x - seen.x) * seen.scale + seen.width / 2,
    seen.height / 2 - (nodes[place].y - seen.y) * seen.scale,
  ];
  const groupOf = (place) => groups[place];
  const colourOf = (place) => `rgb(${palette.subarray(groupOf(place) * 3, groupOf(place) * 3 + 3).join()})`;

  worker.onmessage = ({ data: reply }) => {
    if (ended) return;
    if (reply.failed) {
      failed(new Error(reply.failed));
      return;
    }
    busy = false;
    slow = reply.ms > SLOW_MS;
    painted = reply.view;
    for (const canvas of [picture, names]) {
      const [wide, high] = [Math.round(painted.width * painted.ratio), Math.round(painted.height * painted.ratio)];
      if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    }
    shown.transferFromImageBitmap(reply.bitmap);
    place();
    write();
    box.dataset.ready ??= `${nodes.length} ${edges.length}`;
    if (wanted) paint();
  };
  /** Until a new picture is there the last one is moved. */
  const place = () => {
    if (!painted) return;
    const by = view.scale / painted.scale;
    const [left, top] = [(painted.x - view.x) * view.scale, (view.y - painted.y) * view.scale];
    const isThere = by === 1 && left === 0 && top === 0;
    const move = isThere ? "" : `translate(${left.toFixed(2)}px, ${top.toFixed(2)}px) scale(${by.toFixed(4)})`;
    for (const canvas of [picture, names]) canvas.style.transform = move;
    arrange();
  };
  const paint = () => {
    wanted = true;
    place();
    if (busy || ended) return;
    [busy, wanted] = [true, false];
    const weak = selected === null && way === null ? null : dark ? [58, 57, 55] : [226, 226, 228];
    worker.postMessage({ kind: "paint", view: { ...view }, growth: growth(), weak, hasEdges: !weak && !(moving && slow), paper: dark ? [35, 35, 34] : [255, 255, 255] });
  };
  /** Something moves: edges come back when it rests. */
  const moved = () => {
    clearTimeout(moving);
    moving = setTimeout(() => {
      moving = 0;
      paint();
    }, 160);
    paint();
  };
  const dye = () => {
    const used = [...new Set(nodes.map((node) => node.communities[level] ?? -1))].filter((id) => id >= 0);
    const placeOf = new Map(used.map((id, at) => [id, at + 1]));
    groups = Uint32Array.from(nodes, (node) => placeOf.get(node.communities[level] ?? -1) ?? 0);
    palette = Uint8Array.from([NONE, ...used.map((id) => rgb(data.communities[id].colour))].flat());
    const opacity = edges.length > MANY_EDGES ? 0.12 : edges.length > 3000 ? 0.24 : 0.34;
    worker.postMessage({ kind: "colours", groups, palette, opacity });
  };

  /** Names and what was chosen, over the picture. */
  const write = () => {
    const seen = painted;
    const large = growth(seen);
    pen.setTransform(seen.ratio, 0, 0, seen.ratio, 0, 0);
    pen.clearRect(0, 0, seen.width, seen.height);
    pen.font = font;
    pen.textBaseline = "middle";
    const disc = (at, wide) => {
      const [x, y] = seenAt(at, seen);
      pen.fillStyle = colourOf(at);
      pen.beginPath();
      pen.arc(x, y, radii[at] * large + wide, 0, Math.PI * 2);
      pen.fill();
    };
    const line = (at, colour, width) => {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.beginPath();
      pen.moveTo(...seenAt(edges[at][0], seen));
      pen.lineTo(...seenAt(edges[at][1], seen));
      pen.stroke();
    };
    // names keep clear of the communities' titles
    const taken = marks.filter((one) => one.isShown).map((one) => [one.left, one.top + one.height / 2, one.width]);
    const name = (at, isMarked) => {
      const [x, y] = seenAt(at, seen);
      const left = x + radii[at] * large + 4;
      if (x < -200 || y < -20 || x > seen.width + 20 || y > seen.height + 20 || taken.length > NAMES) return;
      const width = pen.measureText(nodes[at].name).width + 6;
      if (!isMarked && taken.some((other) => left < other[0] + other[2] && other[0] < left + width && Math.abs(y - other[1]) < 20)) return;
      taken.push([left, y, width]);
      if (isMarked) {
        pen.fillStyle = dark ? "rgba(35,35,34,.88)" : "rgba(255,255,255,.9)";
        pen.fillRect(left - 3, y - 10, width, 20);
      }
      pen.fillStyle = dark ? "#e4e3df" : "#222222";
      pen.fillText(nodes[at].name, left, y);
    };
    const accent = dark ? "#a3acff" : "#4450c4";
    if (way) {
      for (const at of way.edges) line(at, accent, 3);
      for (const at of way.nodes) disc(at, 2);
      for (const at of way.nodes) name(at, true);
    } else if (selected !== null) {
      const lit = near.slice(0, LIT);
      for (const { edge, node } of lit) line(edge, colourOf(node), 1 + 2 * Math.sqrt(edges[edge][2] / (heaviest[0]?.[2] ?? 1)));
      for (const { node } of lit) disc(node, 0);
      disc(selected, 2);
      name(selected, true);
      for (const { node } of lit.slice(0, LOOKED_AT)) name(node, false);
    } else {
      let looked = 0;
      for (const at of byDegree) {
        if (radii[at] * large < 3.2 || taken.length >= NAMES || looked > LOOKED_AT) break;
        const [x, y] = seenAt(at, seen);
        if (x < 0 || y < 0 || x > seen.width || y > seen.height) continue;
        looked++;
        name(at, false);
      }
    }
    if (hovered !== null && hovered !== selected) {
      disc(hovered, 2);
      name(hovered, true);
    }
  };
  const mark = () => {
    titles.replaceChildren();
    const found = new Map();
    nodes.forEach((node, at) => {
      const id = node.communities[level];
      if (id === null || id === undefined) return;
      if (!found.has(id)) found.set(id, []);
      found.get(id).push(at);
    });
    marks = [...found]
      .filter(([, places]) => places.length > 2)
      .sort((a, b) => b[1].length - a[1].length || a[0] - b[0])
      .slice(0, TITLES)
      .map(([id, places]) => {
        const element = document.createElement("span");
        element.textContent = data.communities[id].title;
        element.style.borderColor = data.communities[id].colour;
        titles.append(element);
        return { element, x: middleOf(places.map((at) => nodes[at].x)), y: middleOf(places.map((at) => nodes[at].y)) };
      });
    // measured once: reading sizes in every frame would be slow
    for (const one of marks) [one.width, one.height] = [one.element.offsetWidth, one.element.offsetHeight];
  };
  const arrange = () => {
    const taken = [CORNER];
    for (const one of marks) {
      const left = Math.round((one.x - view.x) * view.scale + view.width / 2 - one.width / 2);
      const top = Math.round(view.height / 2 - (one.y - view.y) * view.scale - one.height / 2);
      const clear =
        selected === null &&
        way === null &&
        taken.every(
          (other) =>
            left > other[0] + other[2] || other[0] > left + one.width || top > other[1] + other[3] || other[1] > top + one.height,
        );
      Object.assign(one, { isShown: clear, left, top });
      one.element.style.visibility = clear ? "visible" : "hidden";
      if (!clear) continue;
      one.element.style.transform = `translate(${left}px, ${top}px)`;
      taken.push([left, top, one.width, one.height]);
    }
  };

  const goTo = (goal) => {
    cancelAnimationFrame(animation);
    if (still) {
      Object.assign(view, goal);
      moved();
      return;
    }
    const [from, began] = [{ ...view }, performance.now()];
    const step = (now) => {
      const done = Math.min(1, Math.max(0, (now - began) / 300));
      const part = 1 - (1 - done) ** 3;
      for (const key of ["x", "y"]) view[key] = from[key] + (goal[key] - from[key]) * part;
      view.scale = from.scale * (goal.scale / from.scale) ** part;
      moved();
      if (done < 1 && !ended) animation = requestAnimationFrame(step);
    };
    animation = requestAnimationFrame(step);
  };
  /** Larger or smaller, what lies at a place of the box stays there. */
  const zoomAt = (left, top, by) => {
    const scale = Math.min(Math.max(view.scale * by, whole().scale / 3), whole().scale * 200);
    view.x += ((left - view.width / 2) * (1 / view.scale - 1 / scale));
    view.y -= ((top - view.height / 2) * (1 / view.scale - 1 / scale));
    view.scale = scale;
    moved();
  };
  /** The node at a place of the box; the one that lies above. */
  const under = (left, top) => {
    const large = growth();
    let found = null, least = Infinity;
    for (let at = 0; at < nodes.length; at++) {
      const [x, y] = [(nodes[at].x - view.x) * view.scale + view.width / 2, view.height / 2 - (nodes[at].y - view.y) * view.scale];
      const far = Math.hypot(x - left, y - top) - radii[at] * large;
      if (far < 4 && far < least) [found, least] = [at, far];
    }
    return found;
  };
  const measure = () => {
    const isFirst = view.width === 1;
    [view.width, view.height, view.ratio] = [box.clientWidth, box.clientHeight, Math.min(devicePixelRatio || 1, 2)];
    if (!view.width || !view.height) return;
    if (isFirst) Object.assign(view, whole());
    paint();
  };

  // one pointer moves, two make it larger
  const pointers = new Map();
  let travelled = 0;
  const inBox = (event) => {
    const { left, top } = box.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const listen = {
    pointerdown(event) {
      if (event.button) return;
      cancelAnimationFrame(animation);
      box.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, inBox(event));
      if (pointers.size === 1) travelled = 0;
    },
    pointermove(event) {
      const [now, before] = [inBox(event), pointers.get(event.pointerId)];
      if (!before) {
        const found = under(...now);
        if (found === hovered) return;
        hovered = found;
        box.style.cursor = found === null ? "" : "pointer";
        if (painted) write();
        return;
      }
      const others = [...pointers].filter(([id]) => id !== event.pointerId);
      if (others.length) {
        const [, other] = others[0];
        const far = (point) => Math.max(10, Math.hypot(point[0] - other[0], point[1] - other[1]));
        zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, far(now) / far(before));
        travelled = 99;
      } else {
        view.x -= (now[0] - before[0]) / view.scale;
        view.y += (now[1] - before[1]) / view.scale;
        travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
        moved();
      }
      pointers.set(event.pointerId, now);
    },
    pointerup(event) {
      if (!pointers.delete(event.pointerId) || pointers.size || travelled > 4) return;
      tell(under(...inBox(event)));
    },
    pointercancel(event) {
      pointers.delete(event.pointerId);
    },
    pointerleave() {
      if (hovered === null) return;
      hovered = null;
      if (painted) write();
    },
    wheel(event) {
      event.preventDefault();
      cancelAnimationFrame(animation);
      zoomAt(...inBox(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)));
    },
    dblclick(event) {
      const [left, top] = inBox(event);
      zoomAt(left, top, 2);
    },
    keydown(event) {
      const step = 80 / view.scale;
      const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
      const larger = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 }[event.key];
      if (!by && !larger && event.key !== "0") return;
      event.preventDefault();
      if (by) goTo({ x: view.x + by[0], y: view.y + by[1], scale: view.scale });
      else goTo(larger ? { x: view.x, y: view.y, scale: view.scale * larger } : whole());
    },
  };
  for (const [name, work] of Object.entries(listen)) box.addEventListener(name, work, { passive: false });
  const observer = new ResizeObserver(measure);

  worker.postMessage({
    kind: "graph",
    places: Float32Array.from(nodes.flatMap(({ x, y }) => [x, y])),
    radii,
    ends: Uint32Array.from(heaviest.flatMap(([source, target]) => [source, target])),
  });
  /** A view that has all of these in it, beside what is told of them. */
  const around = (places) => {
    const [wide, high] = view.width > 700 ? [view.width - 360, view.height] : [view.width, view.height * 0.55];
    const ends = (values) => [Math.min(...values), Math.max(...values)];
    const [left, right] = ends(places.map((at) => nodes[at].x));
    const [low, top] = ends(places.map((at) => nodes[at].y));
    const scale = Math.min((0.7 * wide) / (right - left), (0.7 * high) / (top - low), 3 * whole().scale);
    return { x: (left + right) / 2 + (view.width - wide) / 2 / scale, y: (low + top) / 2 - (view.height - high) / 2 / scale, scale };
  };
  const surface = {
    order: nodes.length,
    size: edges.length,
    level(wish) {
      level = wish;
      dye();
      mark();
      paint();
    },
    scheme() {
      dark = isDarkNow();
      paint();
    },
    colourOf,
    neighbours(at) {
      const found = new Map();
      for (const edge of edgesOf(at)) {
        const [source, target, weight] = edges[edge];
        const other = source === at ? target : source;
        if (other !== at && weight > (found.get(other)?.weight ?? -1)) found.set(other, { node: other, edge, weight });
      }
      return [...found.values()].sort((a, b) => b.weight - a.weight || a.node - b.node);
    },
    show(at, isToMove) {
      [selected, way] = [at, null];
      near = at === null ? [] : surface.neighbours(at);
      const scale = Math.max(view.scale, 2 * whole().scale);
      // what is told of it lies at the right, on a narrow screen below
      const [left, top] = view.width > 700 ? [170, 0] : [0, view.height / 5];
      if (isToMove && at !== null) goTo({ x: nodes[at].x + left / scale, y: nodes[at].y - top / scale, scale });
      else paint();
    },
    path(places) {
      selected = null;
      const between = (from, to) => edgesOf(from).filter((edge) => edges[edge].slice(0, 2).includes(to));
      way = { nodes: places, edges: places.slice(1).flatMap((to, at) => [...between(places[at], to)]) };
      goTo(places.length ? around(places) : whole());
    },
    zoom(by) {
      goTo(by === 0 ? whole() : { x: view.x, y: view.y, scale: view.scale * (by > 0 ? 1.6 : 1 / 1.6) });
    },
    end() {
      ended = true;
      observer.disconnect();
      clearTimeout(moving);
      cancelAnimationFrame(animation);
      for (const [name, work] of Object.entries(listen)) box.removeEventListener(name, work);
      worker.terminate();
      delete box.dataset.ready;
    },
  };
  dark = isDarkNow();
  surface.level(0);
  observer.observe(box);
  return surface;
}
