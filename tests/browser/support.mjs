// A server on documents of its own, a browser, and what tests ask of both.
import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const require = createRequire(`${process.env.BROWSER_MODULES}/`);
export const { chromium } = require("playwright-core");
export const axe = require.resolve("axe-core/axe.min.js");
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const program = process.env.GRAPHWRIGHT;
const out = process.env.SCREENSHOTS;

/** A small file with all that offsets can be wrong about: pairs of surrogates, joined emoji, combining marks, CRLF, markup. */
const AWKWARD = ["# The Lighthouse 🗼 of Ys", "", "𠮷野 Tanaka 👩‍👩‍👧 built the lighthouse of Ys in 1891. He\u0301le\u0300ne Kermarec kept its lamp for forty years. 🕯️🕯️", "",
  "Hélène Kermarec was born in Quimper, and Tanaka was her teacher. <img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>", "",
  "The storm of 1903 🌊🌊🌊 put out the lamp of Ys. Hélène Kermarec lit it again, alone. <b>Nobody</b> thanked her.", ""].join("\r\n");

export function run(folder, ...args) {
  const done = spawnSync(program, ["--config", "/dev/null", "--data", path.join(folder, "data"), ...args], { cwd: folder, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`graphwright ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/** Documents in English and Chinese, indexed without a model. */
export function index(folder) {
  const documents = path.join(folder, "documents");
  fs.mkdirSync(documents, { recursive: true });
  for (const name of ["a-christmas-carol.txt", "three-kingdoms.txt"]) fs.copyFileSync(path.join(root, "tests/fixtures/sample", name), path.join(documents, name));
  fs.writeFileSync(path.join(documents, "lighthouse.md"), AWKWARD);
  // as uploads lie where they are, so does a PDF with pages
  fs.mkdirSync(path.join(folder, "paper"), { recursive: true });
  fs.copyFileSync(path.join(root, "tests/fixtures/documents/carol-two-columns.pdf"), path.join(folder, "paper", "columns.pdf"));
  run(folder, "--quiet", "--workspace", "paper", "index", "paper");
  run(folder, "--quiet", "--workspace", "book", "index", "documents");
}

/** A model of embeddings that knows which words a text has. */
const embedding = (text) => {
  const vector = new Array(16).fill(0.01);
  for (const word of text.toLowerCase().match(/\p{L}{4,}/gu) ?? []) vector[[...word].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 65521, 7) % 16] += 1;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};

/** A workspace `tree` with a summary tree over the beginning of the Carol. */
export async function indexTree(folder) {
  const model = http.createServer((request, reply) => {
    let body = "";
    request.on("data", (piece) => { body += piece; });
    request.on("end", () => {
      const data = [JSON.parse(body).input].flat().map((text, index) => ({ object: "embedding", index, embedding: embedding(text) }));
      reply.setHeader("content-type", "application/json");
      reply.end(JSON.stringify({ object: "list", model: "words", data, usage: { prompt_tokens: 0, total_tokens: 0 } }));
    });
  });
  await new Promise((done) => model.listen(0, "127.0.0.1", done));
  fs.mkdirSync(path.join(folder, "tree"), { recursive: true });
  fs.writeFileSync(path.join(folder, "tree", "carol.txt"), fs.readFileSync(path.join(root, "tests/fixtures/sample/a-christmas-carol.txt"), "utf8").slice(0, 20_000));
  const settings = path.join(folder, "tree.toml");
  fs.writeFileSync(settings, `[embeddings]\nprovider = "openai"\nbase_url = "http://127.0.0.1:${model.address().port}/v1"\nmodel = "words"\napi_key = "none"\ndimension = 16\n[raptor]\nleaf_tokens = 60\n`);
  const args = ["--config", settings, "--data", path.join(folder, "data"), "--workspace", "tree", "--quiet", "index", "--raptor", "tree"];
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  child.stderr.on("data", (piece) => { told += piece; });
  const status = await new Promise((done) => { child.on("close", done); });
  model.close();
  if (status !== 0) throw new Error(`graphwright ${args.join(" ")}: ${told}`);
}

/** Starts a server, and says where it is. */
export async function serve(folder, ...args) {
  const child = spawn(program, ["--config", "/dev/null", "--data", path.join(folder, "data"), "--workspace", "book", "serve", "--listen", "127.0.0.1:0", ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((done, failed) => {
    let told = "";
    child.stderr.on("data", (piece) => { told += piece; const found = told.match(/listening at (http:\/\/\S+?);/); if (found) done(found[1]); });
    child.on("exit", () => failed(new Error(`the server ended: ${told}`)));
  });
  return { address, stop: () => new Promise((done) => { child.removeAllListeners("exit"); child.on("exit", done); child.kill("SIGTERM"); }) };
}

const free = () => new Promise((done) => {
  const probe = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});

/** nginx before a server that is started with `prefix`; nothing where there is no nginx. */
export async function behindNginx(folder, prefix, ...args) {
  if (spawnSync("nginx", ["-v"]).error) return null;
  const port = await free();
  const address = `http://127.0.0.1:${port}${prefix}`;
  const server = await serve(folder, "--base-path", prefix, "--public-url", address, ...args);
  const inner = new URL(server.address).origin;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${path.join(folder, name)};`).join(" ");
  const settings = path.join(folder, "nginx.conf");
  fs.writeFileSync(settings, `daemon off; pid ${path.join(folder, "nginx.pid")}; error_log stderr; events {} http { access_log off; ${temporary} server {
    listen 127.0.0.1:${port};
    location ${prefix} { proxy_pass ${inner}; proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Connection ""; client_max_body_size 100m; proxy_read_timeout 360s; }
  } }`);
  const nginx = spawn("nginx", ["-c", settings, "-p", folder], { stdio: "ignore" });
  for (let tries = 0; tries < 200; tries++) {
    if (await fetch(`${address}/health/live`).then((reply) => reply.ok, () => false)) break;
    await new Promise((go) => setTimeout(go, 50));
  }
  return { address, stop: async () => { nginx.kill("SIGTERM"); await server.stop(); } };
}

export class Failure extends Error {}
export function check(truth, told) { if (!truth) throw new Failure(told); }
export const same = (found, wanted, told) => check(JSON.stringify(found) === JSON.stringify(wanted), `${told}: ${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);

/** A browser whose pages may report nothing wrong and ask nobody but their server. */
export async function browse() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
  return {
    browser,
    async open(address, hash = "", options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, locale: "en-GB", reducedMotion: "reduce", ...options });
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const page = await context.newPage();
      if (process.env.PAGE_ASSETS) {
        const whole = path.join(process.env.PAGE_ASSETS, "index.html");
        await context.route((url) => url.pathname.endsWith("/"), async (route) => route.fulfill({ response: await route.fetch(), path: whole }));
        const kinds = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain" };
        await context.route("**/assets/*", (route) => {
          const file = path.join(process.env.PAGE_ASSETS, path.basename(new URL(route.request().url()).pathname));
          return fs.existsSync(file) ? route.fulfill({ path: file, contentType: kinds[path.extname(file)] }) : route.continue();
        });
      }
      page.wrong = [];
      page.bytes = [];
      const { origin } = new URL(address);
      page.on("console", (message) => { if (message.type() === "error" && !/status of (400|401|404|409)/.test(message.text())) page.wrong.push(message.text()); });
      page.on("pageerror", (error) => page.wrong.push(`${error.message} ${error.stack?.split("\n")[1] ?? ""}`));
      page.on("request", (request) => { if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) page.wrong.push(`asked ${request.url()}`); });
      await page.goto(`${address}/${hash}`);
      return page;
    },
    async shut(page) {
      const { wrong } = page;
      await page.context().close();
      same(wrong, [], "the page reports");
    },
  };
}

/** Milliseconds that the work of `slowness` takes where the longest task of the walk takes 103 to 154 ms of its 200. */
const USUAL = 350;

/** How many times as long this machine takes for a page of 10,000 elements as a usual one; never less than 1. */
export async function slowness(browser) {
  const page = await browser.newPage();
  try {
    const taken = await page.evaluate(() => {
      const times = [];
      for (let tries = 0; tries < 5; tries++) {
        const began = performance.now();
        const box = document.createElement("div");
        for (let at = 0; at < 10_000; at++) {
          const line = document.createElement("p");
          line.className = `line-${at % 7}`;
          line.textContent = `line ${at} of a page`;
          box.append(line);
        }
        document.body.append(box);
        if (box.offsetHeight === 0) throw new Error("nothing is laid out");
        box.remove();
        times.push(performance.now() - began);
      }
      return times.sort((a, b) => a - b)[2];
    });
    console.log(`        a page of 10,000 elements takes ${Math.round(taken)} ms`);
    return Math.max(1, taken / USUAL);
  } finally {
    await page.close();
  }
}

/** Serious findings of axe on what is shown. */
export async function barriers(page) {
  if (!(await page.evaluate(() => Boolean(globalThis.axe)))) await page.evaluate(fs.readFileSync(axe, "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any?.[0]?.message ?? ""}`).join(" | ")}`);
}

/** Asks, opens the answer by its link, and presses every citation: how many there are, and which do not lead to what they cite. */
export async function citations(page, workspace, question) {
  const id = await page.evaluate(async ([workspace, question]) => {
    const reply = await fetch(`api/v1/workspaces/${workspace}/answers`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ question }) });
    const { id } = await reply.json();
    location.hash = `#/w/${workspace}/a/${id}`;
    return id;
  }, [workspace, question]);
  check(id, `${question} is not answered`);
  await page.waitForFunction((question) => document.querySelector("h1.asked")?.textContent === question && document.querySelector(".tabs"), question, { timeout: 30000 });
  return page.evaluate(async () => {
    const bare = (text) => text.replace(/\s+/g, "");
    const wrong = [];
    const quotes = () => document.querySelectorAll(".evidence .quote");
    const count = quotes().length;
    for (let at = 0; at < count; at++) {
      const quote = quotes()[at];
      const wanted = bare(quote.lastElementChild.textContent);
      quote.click();
      let [marked, isSeen] = ["", false];
      for (const began = performance.now(); performance.now() - began < 10_000; ) {
        await new Promise((go) => setTimeout(go, 10));
        const marks = [...document.querySelectorAll("mark.current")];
        marked = bare(marks.map((one) => one.textContent).join(""));
        const box = marks[0]?.getBoundingClientRect();
        isSeen = marks.length > 0 && box.top >= 0 && box.top < innerHeight;
        if (marked === wanted && isSeen) break;
      }
      if (marked !== wanted || !isSeen) wrong.push(`“${marked}” for “${wanted}”${isSeen ? "" : ", out of sight"}`);
    }
    return { count, wrong };
  });
}

/** Cells of a screen that its look is told by, across and down. */
const CELLS = [20, 12];
const LOOKS = path.join(root, "tests/browser/looks.json");
/** Levels of brightness (of 16) that a cell may differ by, and the share of cells that may differ by more. */
const LEVELS = 2;
const SHARE = 0.1;

/** How a screen looks from afar: the brightness of each cell, a hexadecimal digit a cell. */
async function look(page) {
  const data = (await page.screenshot()).toString("base64");
  const blank = await page.context().browser().newPage();
  try {
    return await blank.evaluate(async ([data, [across, down]]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const pen = canvas.getContext("2d");
      pen.drawImage(image, 0, 0);
      const { data: bytes } = pen.getImageData(0, 0, image.width, image.height);
      const sums = new Array(across * down).fill(0);
      const counts = new Array(across * down).fill(0);
      for (let at = 0, place = 0; at < bytes.length; at += 4, place++) {
        const cell = Math.floor((Math.floor(place / image.width) * down) / image.height) * across + Math.floor(((place % image.width) * across) / image.width);
        sums[cell] += 0.2126 * bytes[at] + 0.7152 * bytes[at + 1] + 0.0722 * bytes[at + 2];
        counts[cell]++;
      }
      return sums.map((sum, cell) => Math.min(15, Math.floor(sum / counts[cell] / 16)).toString(16)).join("");
    }, [data, CELLS]);
  } finally {
    await blank.close();
  }
}

/** What of a screen does not look as it did when its look was noted (LOOKS=write); nothing where it does. */
export async function differs(page, name) {
  const known = fs.existsSync(LOOKS) ? JSON.parse(fs.readFileSync(LOOKS, "utf8")) : {};
  const found = await look(page);
  if (process.env.LOOKS === "write") {
    fs.writeFileSync(LOOKS, `${JSON.stringify(Object.fromEntries(Object.entries({ ...known, [name]: found }).sort()), null, 1)}\n`);
    return null;
  }
  if (!known[name]) return `${name}: its look is not noted; run with LOOKS=write and look at the picture`;
  const digits = (text) => [...text].map((digit) => Number.parseInt(digit, 16));
  const [then, now] = [digits(known[name]), digits(found)];
  const share = then.filter((level, cell) => Math.abs(level - now[cell]) > LEVELS).length / then.length;
  return share > SHARE ? `${name}: ${Math.round(share * 100)} % of the screen look otherwise than noted` : null;
}

export async function picture(page, name) { if (out) await page.screenshot({ path: path.join(out, `${name}.png`) }); }

/** Asks, and waits for the whole answer. */
export async function ask(page, question) {
  await page.fill("[data-question]", question);
  await page.keyboard.press("Enter");
  await page.waitForSelector(`section[aria-label=${JSON.stringify(question)}] .tabs`, { timeout: 30000 });
}
