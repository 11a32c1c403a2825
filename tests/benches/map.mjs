// The map of the page with N entities (20,000) and E relationships (60,000) that are made up: how long tasks of the page's main
// thread take, in time and in seconds of CPU. BROWSER_MODULES names a folder with playwright-core (scripts/test-page.sh).
//   node tests/benches/map.mjs [FOLDER OF THE PAGE'S FILES]
import http from "node:http"; import fs from "node:fs"; import path from "node:path"; import os from "node:os"; import process from "node:process"; import { createRequire } from "node:module";
const require = createRequire(`${process.env.BROWSER_MODULES}/`); const { chromium } = require("playwright-core");
const assets = process.argv[2] ?? "src/serve/page/assets";
const trace = path.join(os.tmpdir(), `map-trace-${process.pid}.json`);
const N = Number(process.env.N ?? 20000), E = Number(process.env.E ?? 60000);
let seed = 7; const rnd = () => { seed = (seed + 0x6d2b79f5) | 0; let t = Math.imul(seed ^ (seed >>> 15), 1 | seed); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
const groups = 300; const centre = Array.from({ length: groups }, () => [rnd() * 1000, rnd() * 1000]);
const nodes = [], edges = [], communities = [];
for (let g = 0; g < 12; g++) communities.push({ level: 0, size: N / 12, colour: "#" + [0,0,0].map(() => Math.floor(60 + rnd() * 150).toString(16)).join(""), title: `Area ${g}` });
for (let g = 0; g < groups; g++) communities.push({ level: 1, size: N / groups, colour: "#" + [0,0,0].map(() => Math.floor(60 + rnd() * 150).toString(16)).join(""), title: `Group ${g}` });
for (let i = 0; i < N; i++) { const g = Math.floor(rnd() * groups); nodes.push({ id: i.toString(16).padStart(32, "0"), name: `Entity number ${i}`, kind: "PERSON", degree: 0, x: centre[g][0] + (rnd() - .5) * 60, y: centre[g][1] + (rnd() - .5) * 60, communities: [g % 12, 12 + g] }); }
const inGroup = Array.from({ length: groups }, () => []); nodes.forEach((n, i) => inGroup[n.communities[1] - 12].push(i)); for (let i = 0; i < E; i++) { const a = Math.floor(rnd() * rnd() * N); const g = inGroup[nodes[a].communities[1] - 12]; const b = rnd() < 0.75 ? g[Math.floor(rnd() * g.length)] : Math.floor(rnd() * N); if (a === b) continue; edges.push([a, b, 1 + Math.floor(rnd() * 5)]); nodes[a].degree++; nodes[b].degree++; }
const map = JSON.stringify({ generation: 1, levels: 2, nodes, edges, communities, left_out: 0 });
const kinds = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html" };
const server = http.createServer((req, res) => {
  const p = new URL(req.url, "http://x").pathname;
  const json = (v) => { res.setHeader("content-type", "application/json"); res.end(typeof v === "string" ? v : JSON.stringify(v)); };
  if (p === "/") return res.setHeader("content-type", "text/html").end(fs.readFileSync(path.join(assets, "index.html")));
  if (p.startsWith("/assets/")) { const f = path.join(assets, path.basename(p)); return res.setHeader("content-type", kinds[path.extname(f)] ?? "text/plain").end(fs.readFileSync(f)); }
  if (p === "/api/v1") return json({ version: "0", read_only: false, needs_token: false, sources: [] });
  if (p === "/api/v1/me") return json({ name: "local", role: "admin" });
  if (p === "/api/v1/workspaces") return json({ items: [{ name: "w", is_default: true }] });
  if (p.endsWith("/map")) return json(map);
  res.statusCode = 404; json({ detail: "nothing" });
}).listen(0);
const base = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.on("pageerror", (e) => console.log("ERR", e.message)); page.on("console", (m) => m.type() === "error" && console.log("console", m.text()));
await page.addInitScript(() => { globalThis.tasks = []; new PerformanceObserver((l) => { for (const e of l.getEntries()) globalThis.tasks.push([Math.round(e.startTime), Math.round(e.duration)]); }).observe({ type: "longtask", buffered: true }); });
const took = async (name, work) => { await page.evaluate(() => { globalThis.tasks.length = 0; }); const t = Date.now(); await page.evaluate((n) => console.timeStamp("step " + n), name); await work(); const ms = Date.now() - t; await page.waitForTimeout(1500); console.log(name.padEnd(22), `${ms} ms`, "long tasks", JSON.stringify(await page.evaluate(() => globalThis.tasks))); };
await browser.startTracing(page, { path: trace, categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "blink.console"] });
await page.goto(`${base}/#/w/w/library`); await page.waitForSelector("nav"); await page.waitForTimeout(500);
await took("open map", async () => { await page.evaluate(() => { location.hash = "#/w/w/map"; }); await page.waitForSelector(".stage[data-ready]", { timeout: 60000 }); });
await took("pan", async () => { await page.mouse.move(700, 450); await page.mouse.down(); for (let i = 0; i < 20; i++) { await page.mouse.move(700 + i * 8, 450); } await page.mouse.up(); });
await took("wheel", async () => { for (let i = 0; i < 6; i++) { await page.mouse.wheel(0, -200); await page.waitForTimeout(60); } });
await took("move", async () => { for (let i = 0; i < 20; i++) await page.mouse.move(500 + i * 10, 400); });
await took("search", async () => { await page.fill(".over input", "number 15"); await page.waitForSelector(".found button"); });
await took("pick", async () => { await page.click(".found button"); await page.waitForSelector(".told"); });
await took("neighbour", async () => { await page.click(".told .outline button"); });
await took("level 1", async () => { await page.click(".levels button >> nth=1"); });
await took("deselect", async () => { await page.keyboard.press("Escape"); });
await took("dark", async () => { await page.click(".side-end .round"); });
await browser.stopTracing();
const { traceEvents: ev } = JSON.parse(fs.readFileSync(trace));
const names = ev.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain").map((e) => `${e.pid} ${e.tid}`);
const stamps = ev.filter((e) => e.name === "TimeStamp" && e.args?.data?.message?.startsWith("step ")).map((e) => [e.ts, e.args.data.message.slice(5), `${e.pid} ${e.tid}`]).sort((a, b) => a[0] - b[0]);
const main = stamps[0]?.[2];
for (let i = 0; i < stamps.length; i++) { const [from, name] = stamps[i]; const to = stamps[i + 1]?.[0] ?? Infinity; const tasks = ev.filter((e) => /RunTask$/.test(e.name) && `${e.pid} ${e.tid}` === main && e.ts >= from && e.ts < to && e.tdur > 30000).map((e) => Math.round(e.tdur / 1000)).sort((a, b) => b - a); console.log("CPU of tasks over 30 ms:", name.padEnd(12), tasks.slice(0, 8).join(" ") || "none"); }
fs.rmSync(trace);
await browser.close(); server.close();
