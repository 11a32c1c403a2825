// Paints the map beside the page: a worker, so that however long a picture takes, the page answers. Each picture goes back
// as a bitmap with the view that it shows.

/** Points of edges drawn where there is no graphics card, the heaviest edges first. */
const EDGE_POINTS = 8e6;
/** Names of drivers that have none. */
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;
const NODE = `attribute vec2 place; attribute float radius; attribute vec3 colour;
  uniform vec2 middle, scale; uniform float growth; varying vec3 paint; varying float size;
  void main() { gl_Position = vec4((place - middle) * scale, 0.0, 1.0); size = 2.0 * radius * growth + 1.0; gl_PointSize = size; paint = colour; }`;
const DISC = `precision mediump float; uniform vec4 weak; varying vec3 paint; varying float size;
  void main() { float cover = clamp(size * (0.5 - distance(gl_PointCoord, vec2(0.5))), 0.0, 1.0);
    vec4 whole = mix(vec4(paint, 1.0), vec4(weak.rgb, 1.0), weak.a); gl_FragColor = vec4(whole.rgb * cover, cover); }`;
const EDGE = `attribute vec2 place; attribute vec4 colour; uniform vec2 middle, scale; varying vec4 paint;
  void main() { gl_Position = vec4((place - middle) * scale, 0.0, 1.0); paint = colour; }`;
const LINE = `precision mediump float; varying vec4 paint; void main() { gl_FragColor = vec4(paint.rgb * paint.a, paint.a); }`;

const canvas = new OffscreenCanvas(1, 1);
let graph = null;
let painter = null;

/** Numbers of the nodes, the largest last, so that it lies above. */
const drawingOrder = ({ radii }) => Uint32Array.from(radii, (_, place) => place).sort((a, b) => radii[a] - radii[b] || b - a);

/** Colours of nodes and edges; an edge within a community has its colour. */
function colours({ ends, order }, { groups, palette, opacity }) {
  const nodes = new Uint8Array(order.length * 3);
  order.forEach((node, at) => nodes.set(palette.subarray(groups[node] * 3, groups[node] * 3 + 3), at * 3));
  const edges = new Uint8Array(ends.length * 4);
  for (let at = 0; at < ends.length; at += 2) {
    const group = groups[ends[at]];
    const isInside = group > 0 && group === groups[ends[at + 1]];
    for (const end of [at, at + 1]) {
      edges.set(isInside ? palette.subarray(group * 3, group * 3 + 3) : [119, 119, 119], end * 4);
      edges[end * 4 + 3] = Math.round(255 * opacity * (isInside ? 1 : 0.6));
    }
  }
  return { nodes, edges };
}

/** By WebGL; nothing where there is none. */
function onGraphicsCard() {
  // looked at on another canvas: one that has given out a context gives no other
  const tried = new OffscreenCanvas(1, 1).getContext("webgl", { failIfMajorPerformanceCaveat: true });
  const driver = tried?.getExtension("WEBGL_debug_renderer_info");
  if (!tried || (driver && SOFTWARE.test(tried.getParameter(driver.UNMASKED_RENDERER_WEBGL)))) return null;
  const gl = canvas.getContext("webgl", { alpha: true, premultipliedAlpha: true, antialias: false, depth: false });
  const program = (...sources) => {
    const made = gl.createProgram();
    sources.forEach((source, place) => {
      const shader = gl.createShader(place ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    });
    gl.linkProgram(made);
    return made;
  };
  const [discs, lines] = [program(NODE, DISC), program(EDGE, LINE)];
  const buffers = {};
  const fill = (name, values) => {
    buffers[name] ??= gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  };
  const feed = (used, name, buffer, size, kind) => {
    const at = gl.getAttribLocation(used, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[buffer]);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, kind, kind === gl.UNSIGNED_BYTE, 0, 0);
  };
  const aim = (used, { x, y, scale, width, height }) => {
    gl.useProgram(used);
    gl.uniform2f(gl.getUniformLocation(used, "middle"), x, y);
    gl.uniform2f(gl.getUniformLocation(used, "scale"), (2 * scale) / width, (2 * scale) / height);
  };
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  return {
    take({ places, radii, ends, order }) {
      fill("places", Float32Array.from({ length: order.length * 2 }, (_, at) => places[order[at >> 1] * 2 + (at & 1)]));
      fill("radii", Float32Array.from(order, (node) => radii[node]));
      fill("ends", Float32Array.from({ length: ends.length * 2 }, (_, at) => places[ends[at >> 1] * 2 + (at & 1)]));
    },
    paintWith({ nodes, edges }) {
      fill("nodes", nodes);
      fill("edges", edges);
    },
    paint({ view, growth, weak, hasEdges }) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (hasEdges) {
        aim(lines, view);
        feed(lines, "place", "ends", 2, gl.FLOAT);
        feed(lines, "colour", "edges", 4, gl.UNSIGNED_BYTE);
        gl.drawArrays(gl.LINES, 0, graph.ends.length);
      }
      aim(discs, view);
      gl.uniform1f(gl.getUniformLocation(discs, "growth"), growth * view.ratio);
      gl.uniform4f(gl.getUniformLocation(discs, "weak"), ...(weak ? [...weak.map((part) => part / 255), 1] : [0, 0, 0, 0]));
      feed(discs, "place", "places", 2, gl.FLOAT);
      feed(discs, "radius", "radii", 1, gl.FLOAT);
      feed(discs, "colour", "nodes", 3, gl.UNSIGNED_BYTE);
      gl.drawArrays(gl.POINTS, 0, graph.order.length);
      // what is only asked for would be waited for by the page
      gl.finish();
    },
  };
}

/** By the processor alone: where WebGL would be drawn by it too, this is quicker and holds up nobody. */
function byHand() {
  const context = canvas.getContext("2d", { willReadFrequently: true });
  let used = null;
  let image = null;
  let pixels = null;
  const lay = (at, red, green, blue, share) => {
    const below = pixels[at];
    const [r, g, b] = [below & 255, (below >> 8) & 255, (below >> 16) & 255];
    pixels[at] =
      0xff000000 | ((b + (((blue - b) * share) >> 8)) << 16) | ((g + (((green - g) * share) >> 8)) << 8) | (r + (((red - r) * share) >> 8));
  };
  /** A line by its points; says how many it has taken. */
  const line = (x, y, toX, toY, colour, at) => {
    const { width, height } = canvas;
    const [wide, high] = [toX - x, toY - y];
    let [begin, end] = [0, 1];
    for (const [by, from, most] of [[wide, x, width - 1], [high, y, height - 1]]) {
      if (by === 0 && (from < 0 || from > most)) return 0;
      if (by === 0) continue;
      const [near, far] = [-from / by, (most - from) / by].sort((a, b) => a - b);
      [begin, end] = [Math.max(begin, near), Math.min(end, far)];
    }
    if (begin > end) return 0;
    const steps = Math.ceil(Math.max(Math.abs(wide), Math.abs(high)) * (end - begin));
    const [stepX, stepY] = [(wide * (end - begin)) / (steps || 1), (high * (end - begin)) / (steps || 1)];
    let [left, top] = [x + wide * begin, y + high * begin];
    const [red, green, blue, share] = [colour[at], colour[at + 1], colour[at + 2], colour[at + 3]];
    for (let step = 0; step <= steps; step++, left += stepX, top += stepY)
      lay((top + 0.5 | 0) * width + (left + 0.5 | 0), red, green, blue, share);
    return steps + 1;
  };
  const disc = (x, y, radius, colour, at) => {
    const { width, height } = canvas;
    for (let top = Math.max(0, Math.ceil(y - radius)); top <= Math.min(height - 1, y + radius); top++)
      for (let left = Math.max(0, Math.ceil(x - radius)); left <= Math.min(width - 1, x + radius); left++) {
        const cover = radius + 0.5 - Math.hypot(left - x, top - y);
        if (cover > 0) lay(top * width + left, colour[at], colour[at + 1], colour[at + 2], Math.min(256, cover * 256));
      }
  };
  return {
    take() {},
    paintWith(given) {
      used = given;
    },
    paint({ view, growth, weak, hasEdges, paper }) {
      const { places, radii, ends, order } = graph;
      const { width, height } = canvas;
      if (image?.width !== width || image?.height !== height) {
        image = context.createImageData(width, height);
        pixels = new Uint32Array(image.data.buffer);
      }
      pixels.fill(0xff000000 | (paper[2] << 16) | (paper[1] << 8) | paper[0]);
      const scale = view.scale * view.ratio;
      const left = (node) => (places[node * 2] - view.x) * scale + width / 2;
      const top = (node) => height / 2 - (places[node * 2 + 1] - view.y) * scale;
      let points = hasEdges ? EDGE_POINTS : 0;
      for (let at = 0; at < ends.length && points > 0; at += 2)
        points -= line(left(ends[at]), top(ends[at]), left(ends[at + 1]), top(ends[at + 1]), used.edges, at * 4);
      order.forEach((node, at) => {
        const [x, y, radius] = [left(node), top(node), radii[node] * growth * view.ratio];
        if (x > -radius && y > -radius && x < width + radius && y < height + radius)
          disc(x, y, radius, weak ?? used.nodes, weak ? 0 : at * 3);
      });
      context.putImageData(image, 0, 0);
    },
  };
}

const work = {
  graph(given) {
    graph = { ...given, order: drawingOrder(given) };
    painter = onGraphicsCard() ?? byHand();
    painter.take(graph);
  },
  colours(given) {
    painter.paintWith(colours(graph, given));
  },
  paint(wish) {
    const began = performance.now();
    const { width, height, ratio } = wish.view;
    const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    painter.paint(wish);
    const bitmap = canvas.transferToImageBitmap();
    postMessage({ bitmap, view: wish.view, ms: performance.now() - began }, [bitmap]);
  },
};
onmessage = ({ data: { kind, ...given } }) => {
  try {
    work[kind](given);
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
