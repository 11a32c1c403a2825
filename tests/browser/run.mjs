// The page in a real browser. Run it by scripts/test-page.sh.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import zlib from "node:zlib";
import { ask, barriers, behindNginx, browse, check, citations, differs, index, indexTree, picture, root, run, same, serve, slowness } from "./support.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "graphwright-page-"));
const only = process.argv[2];
const tests = [];
const test = (name, work) => tests.push([name, work]);
const assets = path.join(root, "src/serve/page/assets");
const SCREENS = ["ask", "documents", "entities", "communities", "map", "library", "trends", "status"];

test("both languages have the same words", async () => {
  const { default: en } = await import(path.join(assets, "en.js"));
  const { default: zh } = await import(path.join(assets, "zh.js"));
  same(Object.keys(zh).filter((key) => !(key in en)), [], "only in Chinese");
  same(Object.keys(en).filter((key) => !(key in zh)), [], "not in Chinese");
  const names = (text) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((hit) => hit[1]))].sort();
  for (const key of Object.keys(en)) for (const name of names(zh[key])) check(names(en[key]).includes(name), `${key}: {${name}} is not in English`);
  const used = new Set();
  for (const file of fs.readdirSync(assets).filter((name) => name.endsWith(".js") && name !== "vendor.js")) {
    for (const hit of fs.readFileSync(path.join(assets, file), "utf8").matchAll(/\bt\("([\w.]+)"/g)) used.add(hit[1]);
  }
  same([...used].filter((key) => !(key in en)), [], "used, and in no file of words");
});

test("what the server says is said in Chinese on a Chinese page", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask", { locale: "zh-CN" });
  await page.waitForSelector("[data-question]");
  // tests/it/said_in_chinese.rs looks up every sentence
  const told = await page.evaluate(async () => {
    const { loadSentences, said } = await import("./assets/words.js");
    await loadSentences();
    return ['no entity is named "Nobody", and no name holds it; look for a part of it', "notes/a.md: has no file type"].map(said);
  });
  same(told, ["没有名为 \"Nobody\" 的实体，也没有名称包含它；请用其中一部分查找", "notes/a.md：没有文件类型"], "with its value, and behind a file's name");
  await site.shut(page);
});

test("the first screen is small and comes at once", async ({ address, site }) => {
  const page = await site.open(address);
  await page.waitForSelector("[data-question]");
  const timing = await page.evaluate(() => performance.getEntriesByType("resource").map((one) => one.name.split("/").pop()).filter((name) => /\.(js|css|svg)$/.test(name)));
  const bytes = ["index.html", ...new Set(timing)].reduce((sum, name) => sum + zlib.gzipSync(fs.readFileSync(path.join(assets, name))).length, 0);
  check(bytes <= 120_000, `the first screen is ${bytes} bytes compressed`);
  // what only an answer or a document needs is not waited for
  await page.addInitScript(() => {
    new MutationObserver(() => { if (document.querySelector("[data-question]")) globalThis.shown ??= performance.getEntriesByType("resource").map((one) => one.name.split("/").pop()); }).observe(document, { childList: true, subtree: true });
  });
  const began = Date.now();
  await page.reload();
  await page.waitForSelector("[data-question]");
  const before = await page.evaluate(() => globalThis.shown);
  same(before.filter((name) => /^(answer|pane|reading|sheet|table)\.js$/.test(name)), [], "loaded before there is something to ask in");
  // the icon of the tab and the picture beside the name are one file, which the browser lists once or twice
  const asked = new Set(before);
  check(asked.size <= 17, `${asked.size} files are asked for before there is something to ask in: ${[...asked].join(" ")}`);
  console.log(`        ${bytes} bytes compressed, ${Date.now() - began} ms to the question`);
  await site.shut(page);
});

for (const language of ["en-GB", "zh-CN"]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`every screen, ${language}, ${colorScheme}: nothing is reported, nobody is kept out`, async ({ address, site }) => {
      const page = await site.open(address, "#/w/book/ask", { locale: language, colorScheme });
      await page.waitForSelector("[data-question]");
      same(await page.evaluate(() => document.documentElement.lang), language === "en-GB" ? "en" : "zh-Hans", "the language");
      const found = [];
      const changed = [];
      const look = async (name) => {
        found.push(...(await barriers(page)).map((told) => `${name}: ${told}`));
        await picture(page, `${name}-${language}-${colorScheme}`);
        // what the machine and the time of day decide is not compared
        const told = name === "status" ? null : await differs(page, `${name}-${language}-${colorScheme}`);
        if (told) changed.push(told);
      };
      await page.waitForSelector(".suggested button");
      await look("ask-start");
      await ask(page, language === "en-GB" ? "Who is Bob Cratchit?" : "刘备、关羽、张飞是什么关系？");
      await page.click(".answer-text button.cite");
      await page.waitForSelector("mark.current");
      await look("ask");
      for (const screen of SCREENS.slice(1)) {
        await page.evaluate((hash) => { location.hash = hash; }, `#/w/book/${screen}`);
        await page.waitForFunction(() => !document.querySelector("main .skeleton"), null, { timeout: 60000 });
        if (screen === "map") await page.waitForSelector(".stage[data-ready]");
        if (screen === "documents") { await look(screen); await page.click("tbody a"); await page.waitForSelector(".text p"); await page.waitForSelector(".outline button"); }
        if (screen === "entities" || screen === "communities") { await page.click(".rows a"); await page.waitForSelector(".detail h1"); await page.waitForFunction(() => !document.querySelector("main .skeleton")); }
        await look(screen === "documents" ? "document" : screen);
      }
      same([...changed, ...found], [], "screens look otherwise, or axe finds");
      await site.shut(page);
    });
  }
}

test("every citation opens its document at exactly its sentence", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  const questions = ["Who is Bob Cratchit?", "What did Marley's Ghost wear?", "Who built the lighthouse of Ys?", "Who lit the lamp of Ys again?", "刘备、关羽、张飞是什么关系？", "董卓是谁？", "What is told of Tiny Tim?", "Where was Hélène Kermarec born?"];
  let count = 0;
  for (const question of questions) {
    await ask(page, question);
    const turn = page.locator(`section[aria-label=${JSON.stringify(question)}]`);
    const id = (await page.evaluate(() => location.hash)).match(/\/a\/(\w+)/)[1];
    const reply = await page.evaluate(async (at) => (await fetch(at)).json(), `api/v1/workspaces/book/answers/${id}`);
    check(reply.citations.length > 0, `${question} is answered without a citation`);
    const quotes = turn.locator(".evidence .quote");
    for (let place = 0; place < (await quotes.count()); place++) {
      const wanted = (await quotes.nth(place).locator("span").last().textContent()).replace(/\s+/g, " ").trim();
      await quotes.nth(place).click();
      await page.waitForFunction((text) => [...document.querySelectorAll("mark.current")].map((one) => one.textContent).join("").replace(/\s+/g, " ").trim() === text, wanted, { timeout: 5000 }).catch(async () => {
        const marked = await page.locator("mark.current").allTextContents();
        check(false, `${question}: “${marked.join("")}” is marked, not “${wanted}”`);
      });
      const isSeen = await page.evaluate(() => { const box = document.querySelector("mark.current").getBoundingClientRect(); return box.top >= 0 && box.top < innerHeight; });
      check(isSeen, `${question}: the marked sentence is out of sight`);
      count++;
    }
  }
  console.log(`        ${count} citations`);
  same(await page.title() === "owned", false, "text of a document was run");
  await site.shut(page);
});

test("every citation of the evaluation sets over both books opens at its sentence", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  await page.waitForSelector("[data-question]");
  const books = ["a-christmas-carol", "three-kingdoms"];
  const sets = ["answerable.jsonl", "plain.jsonl"].flatMap((name) => fs.readFileSync(path.join(root, "tests/fixtures/questions", name), "utf8").trim().split("\n").map((line) => JSON.parse(line)));
  const questions = sets.filter(({ corpus }) => books.includes(corpus.name ?? corpus)).map(({ question }) => question);
  check(questions.length > 40, `${questions.length} questions`);
  let [count, wrong] = [0, []];
  for (const question of new Set(questions)) {
    const found = await citations(page, "book", question);
    count += found.count;
    wrong.push(...found.wrong.map((told) => `${question}: ${told}`));
  }
  console.log(`        ${count} citations of ${questions.length} questions`);
  check(count > questions.length, `${count} citations`);
  same(wrong, [], "citations that lead elsewhere");
  await site.shut(page);
});

test("two methods stand side by side, each with its citations", async ({ address, site }) => {
  for (const [locale, names] of [["en-GB", ["Local", "Basic"]], ["zh-CN", ["局部", "基本"]]]) {
    const page = await site.open(address, "#/w/book/ask", { locale });
    await ask(page, "Who is Bob Cratchit?");
    await page.locator(".actions .menu > button").nth(1).click();
    await page.locator(".popup button", { hasText: names[1] }).first().click();
    await page.waitForSelector(".columns > section:nth-child(2) .evidence .quote", { timeout: 30000 });
    same(await page.locator(".columns > section > h2").allTextContents(), names, "the methods");
    const [left, right] = await Promise.all([0, 1].map((at) => page.locator(".columns > section").nth(at).boundingBox()));
    check(left.y === right.y && left.x + left.width <= right.x, "they stand beside each other");
    for (const at of [0, 1]) {
      const quote = page.locator(".columns > section").nth(at).locator(".evidence .quote").first();
      const wanted = (await quote.locator("span").last().textContent()).replace(/\s+/g, " ").trim();
      await quote.click();
      await page.waitForFunction((text) => document.querySelector("mark.current")?.textContent.replace(/\s+/g, " ").trim() === text, wanted, { timeout: 10000 });
    }
    await picture(page, `compared-${locale}`);
    same(await barriers(page), [], "axe finds");
    await page.keyboard.press("Escape");
    await page.locator(".turn > p .button").first().click();
    await page.waitForSelector(".answer-text button.cite");
    same(await page.locator(".columns").count(), 0, "columns");
    await site.shut(page);
  }
});

test("a question is asked of some pages alone", async ({ address, site }) => {
  const page = await site.open(address, "#/w/paper/ask");
  const places = async (filter) => {
    await page.locator("button[aria-controls=options]").click();
    await page.locator("#options input[type=text]").first().fill(filter);
    await page.locator("button[aria-controls=options]").click();
    await page.evaluate(() => { location.hash = "#/w/paper/ask"; });
    await page.waitForSelector(".welcome");
    await ask(page, "What is told of Scrooge?");
    const id = (await page.evaluate(() => location.hash)).match(/\/a\/(\w+)/)[1];
    const reply = await page.evaluate(async (at) => (await fetch(at)).json(), `api/v1/workspaces/paper/answers/${id}`);
    const spans = reply.citations.filter((one) => one.sentence).map(({ sentence }) => [sentence.document.id, sentence.start, sentence.end]);
    // a filter keeps text units, and a unit may reach over the end of its page
    return Promise.all(spans.map(([document, from]) => page.evaluate(async (at) => (await (await fetch(at)).json()).text_units.flatMap((unit) => unit.places.map((one) => one.label)), `api/v1/workspaces/paper/documents/${document}/text?from=${from}&to=${from + 1}`)));
  };
  const all = await places("");
  check(all.length > 0, "citations");
  const labels = [...new Set(all.flat())];
  check(labels.length > 1, `the answer rests on ${labels.join(", ")}`);
  for (const label of [labels[0], labels.at(-1)]) {
    const some = await places(`page=${label.match(/\d+/)[0]}`);
    check(some.length > 0 && some.every((pages) => pages.includes(label)), `${JSON.stringify(some)} for ${label}`);
  }
  const none = await places("page=999");
  same(none, [], "citations from a page that is not there");
  await site.shut(page);
});

test("a link brings back the answer and the open citation", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  await ask(page, "Who is Bob Cratchit?");
  await page.locator(".answer-text button.cite").nth(1).click();
  await page.waitForSelector("mark.current");
  const [hash, marked] = await page.evaluate(() => [location.hash, document.querySelector("mark.current").textContent]);
  check(hash.includes("?c="), `${hash} names no citation`);
  const other = await site.open(address, hash);
  await other.waitForSelector("mark.current");
  same(await other.locator("mark.current").first().textContent(), marked, "the sentence of the link");
  same(await other.locator("h1.asked").textContent(), "Who is Bob Cratchit?", "the question of the link");
  await site.shut(other);
  await site.shut(page);
});

test("keys go everywhere, and the focus comes back", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  await ask(page, "What is told of Tiny Tim?");
  await page.locator(".answer-text button.cite").first().focus();
  await page.waitForSelector("[role=tooltip]");
  await page.keyboard.press("Enter");
  await page.waitForSelector("mark.current");
  const at = (start) => page.waitForFunction((text) => document.querySelector(".pane .place")?.textContent.startsWith(text), start, { timeout: 5000 });
  await at("1 /");
  await page.keyboard.press("j");
  await at("2 /");
  await page.keyboard.press("k");
  await at("1 /");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".pane", { state: "detached" });
  check(await page.evaluate(() => document.activeElement.classList.contains("cite")), "the focus is back at the citation");
  await page.keyboard.press("/");
  same(await page.evaluate(() => document.activeElement.id), "question", "/ goes to the question");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.waitForSelector(".rows a");
  await page.keyboard.press("/");
  await page.keyboard.type("Fezziwig");
  await page.waitForFunction(() => document.querySelector(".rows .name")?.textContent.includes("Fezziwig"));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".detail h1");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open] kbd");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await site.shut(page);
});

test("Enter that ends a composition sends nothing", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask", { locale: "zh-CN" });
  await page.waitForSelector("[data-question]");
  await page.focus("[data-question]");
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Input.imeSetComposition", { text: "dongzhuo", selectionStart: 8, selectionEnd: 8 });
  await page.keyboard.press("Enter");
  await page.waitForTimeout(150);
  same(await page.locator("h1.asked").count(), 0, "questions that were sent while composing");
  await cdp.send("Input.imeSetComposition", { text: "董卓是谁？", selectionStart: 5, selectionEnd: 5 });
  await cdp.send("Input.insertText", { text: "董卓是谁？" });
  await page.waitForTimeout(50);
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1.asked");
  same(await page.locator("h1.asked").textContent(), "董卓是谁？", "the question");
  await page.waitForSelector(".tabs");
  await site.shut(page);
});

test("files go in, are asked about, and go out", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/documents");
  await page.waitForSelector("tbody tr");
  await page.setInputFiles("input[type=file] >> nth=0", { name: "moon.md", mimeType: "text/markdown", buffer: Buffer.from("# The Moon\n\nCaptain Selene founded Moonbase Alpha in 2031.\n") });
  await page.waitForSelector("dialog .facts");
  same(await page.locator("dialog .facts dd").first().textContent(), "1", "documents of the estimate");
  check((await page.locator("dialog .facts dd").last().textContent()).trim().length > 0, "the estimate names a price");
  await picture(page, "upload");
  // every state of the job that the page shows
  await page.evaluate(() => {
    globalThis.told = new Set();
    new MutationObserver(() => { const job = document.querySelector(".job"); if (job) told.add(`${job.className} ${job.querySelector("progress") ? "bar" : ""}`.trim()); }).observe(document.querySelector("main"), { childList: true, subtree: true, attributes: true });
  });
  await page.click("dialog .button.first");
  await page.waitForSelector("tbody >> text=The Moon", { timeout: 30000 });
  await page.waitForSelector(".job.done");
  const told = await page.evaluate(() => [...told]);
  check(told.some((one) => one.includes("bar")) || told.length > 1, `progress was shown: ${told.join(", ")}`);
  await page.evaluate(() => { location.hash = "#/w/book/ask"; });
  await ask(page, "Who founded Moonbase Alpha?");
  check((await page.locator(".answer-text").textContent()).includes("Selene"), "the answer names Selene");
  await page.evaluate(() => { location.hash = "#/w/book/documents"; });
  await page.waitForSelector("tbody tr");
  await page.locator("tr", { hasText: "The Moon" }).locator("button").click();
  await page.click("dialog .button.danger");
  await page.waitForFunction(() => !document.querySelector("tbody")?.textContent.includes("The Moon"), null, { timeout: 30000 });
  await site.shut(page);
});

test("the table of documents is sorted by every column", async ({ address, site }) => {
  for (const locale of ["en-GB", "zh-CN"]) {
    const page = await site.open(address, "#/w/book/documents", { locale });
    await page.waitForSelector("tbody tr");
    const heads = page.locator("th button.sort");
    const count = await heads.count();
    check(count >= 5, `${count} columns can be sorted`);
    const rows = () => page.evaluate(() => [...document.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.firstElementChild?.textContent ?? cell.textContent)));
    const before = await rows();
    const press = async (at) => {
      const reply = page.waitForResponse((one) => one.url().includes("/documents?") && one.ok());
      await heads.nth(at).click();
      await reply;
      await page.waitForTimeout(60);
      return [await rows(), await page.locator("th").nth(at).getAttribute("aria-sort")];
    };
    for (let at = 0; at < count; at++) {
      const [[first, state], [second, other]] = [await press(at), await press(at)];
      same([state, other].sort(), ["ascending", "descending"], `column ${at}`);
      const column = (list) => list.map((row) => row[at]);
      const [up, down] = state === "ascending" ? [column(first), column(second)] : [column(second), column(first)];
      const value = (text) => Number(text.replace(/[,\s]/g, ""));
      if (up.every((text) => /^[\d,]+$/.test(text))) same(up, [...up].sort((a, b) => value(a) - value(b)), `column ${at}`);
      if (new Set(up).size > 1) same(down, [...up].reverse(), `column ${at} the other way`);
      const [third, none] = await press(at);
      same([third, none], [before, "none"], `column ${at} as it was`);
    }
    const wanted = await press(0);
    await page.click("tbody a");
    await page.waitForSelector(".text p");
    await page.goBack();
    await page.waitForSelector("tbody tr");
    await page.waitForTimeout(300);
    same(await page.locator("th").first().getAttribute("aria-sort"), wanted[1], "the order is kept");
    await picture(page, `sorted-${locale}`);
    same(await barriers(page), [], "axe finds");
    await site.shut(page);
  }
});

test("a summary tree is walked from its root to the passages", async ({ address, site }) => {
  const page = await site.open(address, "#/w/tree/documents");
  await page.click("tbody a");
  await page.waitForSelector(".text p");
  await page.locator("[role=tab]", { hasText: "Summary" }).click();
  await page.waitForSelector(".summaries .tree-line");
  // down by the first branch until passages are there
  for (let depth = 0; depth < 8 && !(await page.locator(".summaries .passage").count()); depth++) await page.locator(".summaries [aria-expanded=false]").first().click();
  const passage = page.locator(".summaries .passage").first();
  const begins = (await passage.textContent()).replace(/ …$/, "").replace(/\s+/g, " ").trim();
  await passage.click();
  await page.waitForFunction((begins) => [...document.querySelectorAll("mark.current")].map((one) => one.textContent).join(" ").replace(/\s+/g, " ").trim().startsWith(begins.slice(0, 40)), begins, { timeout: 10000 });
  check(await page.locator("mark.current").first().isVisible(), "the passage is seen");
  await picture(page, "tree");
  same(await barriers(page), [], "axe finds");
  await page.locator(".summaries [aria-expanded=true]").first().click();
  same(await page.locator(".summaries .passage").count(), 0, "passages of a folded tree");
  await site.shut(page);
});

test("status tells what is stale and who writes", async ({ address, site }) => {
  for (const [locale, words] of [["en-GB", ["Nothing is out of date.", "Nobody writes to this workspace."]], ["zh-CN", ["没有过期内容。", "目前没有进程写入此工作区。"]]]) {
    const page = await site.open(address, "#/w/book/status", { locale });
    await page.waitForSelector(".upkeep li");
    same((await page.locator(".upkeep li").allTextContents()).map((text) => text.trim()), words, "upkeep");
    await site.shut(page);
  }
});

test("a slow network shows skeletons, and nothing jumps", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  await page.context().route("**/api/v1/**", async (route) => { await new Promise((go) => setTimeout(go, 400)); await route.continue(); });
  const jumps = [];
  for (const screen of SCREENS.filter((one) => one !== "map")) {
    await page.evaluate((hash) => { location.hash = hash; }, `#/w/book/${screen}`);
    if (screen === "ask") await page.reload();
    await page.waitForSelector(screen === "ask" ? "[data-question]" : "main h1");
    await page.evaluate(() => {
      globalThis.jumped = 0;
      new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) jumped += one.value; }).observe({ type: "layout-shift", buffered: false });
    });
    if (screen !== "ask" && screen !== "library") await page.waitForSelector("main .skeleton");
    await page.waitForFunction(() => !document.querySelector("main .skeleton"), null, { timeout: 60000 });
    await page.waitForTimeout(300);
    const jumped = await page.evaluate(() => jumped);
    if (jumped > 0.1) jumps.push(`${screen}: ${jumped.toFixed(3)}`);
  }
  same(jumps, [], "screens that jump");
  await site.shut(page);
});

test("the page is not held up, and answers at once", async ({ address, site }) => {
  // another program may take the processor: the best of six walks counts, and a walk is judged where nothing else ran;
  // a machine that lays out a page more slowly than a usual one does all of a walk more slowly
  const [began, used] = [performance.now(), process.cpuUsage()];
  while (performance.now() - began < 500);
  const share = process.cpuUsage(used).user / 1000 / (performance.now() - began);
  let best = [Infinity, Infinity];
  for (let tries = 0; tries < 6 && (best[0] > 200 || best[1] > 100); tries++) {
    const slow = await slowness(site.browser);
    const page = await site.open(address, "#/w/book/ask");
    await page.waitForSelector(".suggested button");
    await page.evaluate(() => {
      globalThis.longest = { task: 0, event: 0, where: "" };
      new PerformanceObserver((list) => { for (const one of list.getEntries()) if (one.duration > longest.task) Object.assign(longest, { task: one.duration, where: location.hash }); }).observe({ type: "longtask" });
      new PerformanceObserver((list) => { for (const one of list.getEntries()) longest.event = Math.max(longest.event, one.processingEnd - one.startTime); }).observe({ type: "event", durationThreshold: 16 });
    });
    await ask(page, "Who is Bob Cratchit?");
    await page.click(".answer-text button.cite");
    await page.waitForSelector("mark.current");
    await page.keyboard.press("j");
    await page.keyboard.press("Escape");
    for (const screen of SCREENS.slice(1)) {
      await page.click(`.side nav a[href$="/${screen}"]`);
      await page.waitForFunction(() => document.querySelector("main h1") && !document.querySelector("main .skeleton"), null, { timeout: 60000 });
      if (screen === "map") await page.waitForSelector(".stage[data-ready]");
      if (screen === "documents" || screen === "entities" || screen === "communities") {
        await page.click(screen === "documents" ? "tbody a" : ".rows a");
        await page.waitForFunction(() => !document.querySelector("main .skeleton"), null, { timeout: 60000 });
      }
    }
    await page.waitForTimeout(300);
    const { where, ...found } = await page.evaluate(() => longest);
    console.log(`        longest task ${Math.round(found.task)} ms at ${where}, longest wait for an answer to a key or a click ${Math.round(found.event)} ms, on a machine ${slow.toFixed(1)} times as slow as a usual one`);
    const [task, event] = [found.task / slow, found.event / slow];
    if (Math.max(task / 200, event / 100) < Math.max(best[0] / 200, best[1] / 100)) best = [task, event];
    await site.shut(page);
  }
  if (share < 0.8) { console.log(`        not judged: other programs leave ${Math.round(share * 100)} % of a processor`); return; }
  check(best[0] <= 200, `a task took ${best[0]} ms`);
  check(best[1] <= 100, `an answer to a key or a click took ${best[1]} ms`);
});

test("an entity is renamed and named back, and two become one", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/entities");
  await page.fill(".lookup input", "Fezziwig");
  await page.waitForFunction(() => document.querySelector(".rows .name")?.textContent.includes("Fezziwig"));
  await page.click(".rows a");
  await page.waitForSelector(".detail h1");
  const before = await page.locator(".detail h1").textContent();
  await page.click(".detail .menu > button");
  await page.locator(".popup button").first().click();
  await page.fill("dialog input", "Old Fezziwig");
  await page.waitForSelector("dialog .card >> text=Old Fezziwig");
  await picture(page, "rename");
  await page.click("dialog .button.first");
  await page.waitForSelector(".toast button", { timeout: 30000 });
  await page.waitForSelector(".detail h1 >> text=Old Fezziwig");
  await page.waitForFunction(() => document.querySelector(".rows .name")?.textContent === "Old Fezziwig");
  await page.click(".toast button");
  await page.waitForFunction((name) => document.querySelector(".detail h1")?.textContent === name, before, { timeout: 30000 });
  await page.evaluate(() => { location.hash = "#/w/book/entities?tab=duplicates"; });
  await page.waitForSelector(".detail .pair, .detail .empty");
  await site.shut(page);
});

test("an answer is kept, approved, given at once, and rated", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  await ask(page, "Who built the lighthouse of Ys?");
  await page.click("[aria-label='Keep as a standard answer']");
  await page.waitForSelector(".toast button");
  await page.click("[aria-label='Bad answer']");
  await page.waitForSelector("dialog");
  await page.fill("dialog textarea", "too long");
  await page.click("dialog .button.first");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.evaluate(() => { location.hash = "#/w/book/library?tab=draft"; });
  await page.waitForSelector(".entry >> text=Who built the lighthouse of Ys?");
  await page.click(".entry .button.first");
  await page.waitForFunction(() => !document.querySelector(".entry"));
  await page.click("[role=tab] >> text=Entries");
  await page.waitForSelector(".entry");
  await page.click(".entry .quote");
  await page.waitForSelector("mark.current");
  check((await page.locator("mark.current").allTextContents()).join("").includes("lighthouse"), "the entry's citation is marked");
  await page.click("[role=tab] >> text=Misses");
  await page.waitForSelector("tbody >> text=Who built the lighthouse of Ys?");
  await site.shut(page);
});

test("a phone's width and twice the size lose nothing", async ({ address, site }) => {
  for (const viewport of [{ width: 375, height: 720 }, { width: 640, height: 400 }]) {
    const page = await site.open(address, "#/w/book/ask", { viewport });
    await ask(page, "Who is Bob Cratchit?");
    await page.click(".answer-text button.cite");
    await page.waitForSelector("mark.current");
    await picture(page, `phone-pane-${viewport.width}`);
    for (const screen of SCREENS) {
      await page.evaluate((hash) => { location.hash = hash; }, `#/w/book/${screen}`);
      await page.waitForFunction(() => !document.querySelector("main .skeleton"), null, { timeout: 60000 });
      const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.querySelector("main").scrollWidth) - innerWidth);
      check(wide <= 0, `${screen} is ${wide} pixels wider than a window of ${viewport.width}`);
      await picture(page, `phone-${screen}-${viewport.width}`);
    }
    await site.shut(page);
  }
});

for (const [locale, colorScheme, width] of [["en-GB", "light", 1280], ["zh-CN", "dark", 375]]) {
  test(`a table is sorted, leads to its sentences and is copied: ${locale}, ${colorScheme}, ${width} pixels`, async ({ address, site }) => {
    const page = await site.open(address, "#/w/book/ask", { locale, colorScheme, viewport: { width, height: 800 } });
    await page.waitForSelector("[data-question]");
    await page.selectOption("#method", "table");
    const question = "Who is mentioned in most documents?";
    await ask(page, question);
    const names = () => page.locator(".table-of > .scroll tbody .name").allTextContents();
    const first = await names();
    check(first.length > 2, `the table has ${first.length} rows`);
    const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.querySelector("main").scrollWidth) - innerWidth);
    check(wide <= 0, `the page is ${wide} pixels wider than its window`);
    // by keys: ascending, descending, as it came
    const head = page.locator(".table-of > .scroll thead th").first();
    await head.locator("button").focus();
    for (const [state, sign] of [["ascending", 1], ["descending", -1]]) {
      await page.keyboard.press("Enter");
      same(await head.getAttribute("aria-sort"), state, "the order");
      const now = await names();
      // how names are ordered is the browser's affair
      const isSorted = await page.evaluate(([list, way]) => list.every((name, at) => at === 0 || way * list[at - 1].localeCompare(name, undefined, { numeric: true }) <= 0), [now, sign]);
      check(isSorted && now.length === first.length && now.join() !== first.join(), `${state}: ${now.slice(0, 6)}`);
    }
    await page.keyboard.press("Enter");
    same([await head.getAttribute("aria-sort"), await names()], ["none", first], "as it came");
    same(await barriers(page), [], "axe finds");
    await picture(page, `table-${locale}-${colorScheme}-${width}`);
    // a row shows its sentences and opens the document at the first of them
    const row = page.locator(".table-of .name").first();
    await row.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("mark.current");
    same(await row.getAttribute("aria-expanded"), "true", "the row is open");
    const said = (await page.locator(".proof .quote span:last-child").first().textContent()).replace(/\s+/g, " ").trim();
    const marked = (await page.locator("mark.current").allTextContents()).join("").replace(/\s+/g, " ").trim();
    same(marked, said, "the sentence that is marked");
    await picture(page, `table-open-${locale}-${colorScheme}-${width}`);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".pane", { state: "detached" });
    check(await page.evaluate(() => document.activeElement.classList.contains("name")), "the focus is back at the row");
    same(await barriers(page), [], "axe finds of an open row");
    // copied as it is shown
    await page.locator(".table-of > .row .button").first().click();
    const csv = await page.evaluate(() => navigator.clipboard.readText());
    check(csv.startsWith("name,") && csv.includes(",sure,document,start,end,sentence\r\n") && csv.includes(first[0]), csv.slice(0, 200));
    await page.locator(".table-of > .row .button").nth(1).click();
    const markdown = await page.evaluate(() => navigator.clipboard.readText());
    check(markdown.split("\n").length === first.length + 2 && markdown.startsWith("| "), markdown.slice(0, 200));
    await site.shut(page);
  });
}

test("a cell of a copied table is no formula", async () => {
  globalThis.navigator ??= {};
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "graphwright-table-"));
  const text = fs.readFileSync(path.join(assets, "table.js"), "utf8").replace(/^import .*$/gm, "").replaceAll("html`", "String.raw`");
  fs.writeFileSync(path.join(folder, "table.mjs"), text);
  const { asCsv, sorted } = await import(path.join(folder, "table.mjs"));
  const row = (name, count) => ({ name, number: count, said: ['a "b"', "c"], records: 1, sentences: [] });
  const rows = [row("=1+1", 2), row("b,c", null), row("@x", -10)];
  const csv = asCsv({ columns: ["name", "number", "said"], possible: [row("-2", 1)] }, rows).split("\r\n");
  same(csv[1], `'=1+1,2,"a ""b""; c",yes,,,,`, "a formula");
  same([csv[2].startsWith('"b,c",,'), csv[3].startsWith("'@x,-10,"), csv[4].endsWith(",no,,,,")], [true, true, true], "the other cells");
  same(sorted(rows, { by: "number", down: true }).map((one) => one.name), ["=1+1", "@x", "b,c"], "what is empty comes last");
  same(sorted(rows, { by: null, down: false }).map((one) => one.name), ["=1+1", "b,c", "@x"], "as they came");
});

test("whoever has a token comes in, with what it allows", async ({ site }) => {
  const inner = path.join(folder, "tokens");
  fs.mkdirSync(inner);
  fs.cpSync(path.join(folder, "data"), path.join(inner, "data"), { recursive: true });
  const secret = (...args) => run(inner, "token", "add", ...args).match(/gw_[\w-]+/)[0];
  const [reader, asker] = [secret("reader", "--role", "read"), secret("asker", "--role", "ask")];
  const server = await serve(inner);
  try {
    for (const [token, mayAsk] of [[reader, false], [asker, true]]) {
      const page = await site.open(server.address, "#/w/book/ask");
      await page.fill("dialog input", "gw_wrong");
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog >> text=not known");
      await page.fill("dialog input", token);
      await page.keyboard.press("Enter");
      await page.waitForSelector(".welcome");
      await page.waitForTimeout(300);
      same(await page.locator("[data-question]").count(), mayAsk ? 1 : 0, "boxes for questions");
      await page.evaluate(() => { location.hash = "#/w/book/documents"; });
      await page.waitForSelector("tbody tr");
      same(await page.locator("input[type=file]").count(), 0, "ways to add files");
      check(!(await page.evaluate(() => location.href)).includes("gw_"), "no token stands in an address");
      await site.shut(page);
    }
    // what is refused only after the token was given asks for no other
    const page = await site.open(server.address, "#/w/book/ask");
    await page.waitForSelector("dialog input");
    let refuse;
    const given = new Promise((done) => { refuse = done; });
    let held = 0;
    await page.route("**/api/v1/workspaces", async (route) => {
      if (held++ > 0) return route.continue();
      const reply = await route.fetch();
      await given;
      return route.fulfill({ response: reply });
    });
    await page.fill("dialog input", "gw_wrong");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog >> text=not known");
    await page.fill("dialog input", asker);
    const known = page.waitForResponse((reply) => reply.ok() && reply.url().endsWith("/api/v1/me"));
    await page.keyboard.press("Enter");
    await known;
    refuse();
    await page.waitForSelector(".welcome");
    same([held > 1, await page.locator("dialog").count()], [true, 0], "asked again, without a dialog");
    await site.shut(page);
  } finally { await server.stop(); }
});

for (const [name, viewport, colorScheme, locale] of [["wide", { width: 1280, height: 820 }, "light", "en-GB"], ["phone", { width: 375, height: 720 }, "dark", "zh-CN"]]) {
  test(`a citation of a PDF shows its page with the sentence marked: ${name}`, async ({ address, site }) => {
    const page = await site.open(address, "#/w/paper/ask", { viewport, colorScheme, locale });
    await ask(page, "What was Scrooge's partner called?");
    await page.locator(".answer-text button.cite").first().click();
    await page.waitForSelector(".sheet-view img[alt]");
    const shown = () => page.evaluate(() => {
      const image = document.querySelector(".sheet-view img");
      const [view, box] = [document.querySelector(".sheet-view").getBoundingClientRect(), image.getBoundingClientRect()];
      return { alt: image.alt, place: document.querySelector(".sheet .place").textContent, isLoaded: image.complete && image.naturalWidth > 500, view: [view.left, view.right, view.top, view.bottom], box: [box.left, box.right, box.top, box.bottom] };
    });
    await page.waitForFunction(() => document.querySelector(".sheet-view img").naturalWidth > 500);
    const first = await shown();
    const sentence = (await page.locator("mark.current").allTextContents()).join("").replace(/\s+/g, " ").trim();
    check(first.alt.replace(/\s+/g, " ").includes(sentence.slice(0, 40)), `the picture is told as ${first.alt}, not with ${sentence}`);
    check(first.view[1] <= viewport.width && first.view[3] <= viewport.height && first.view[3] - first.view[2] > 150, `the page is seen: ${first.view}`);
    // the yellow of the marker is in sight
    const marked = await page.evaluate(async () => {
      const [image, view] = [document.querySelector(".sheet-view img"), document.querySelector(".sheet-view")];
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const rows = [];
      for (let at = 0; at < data.length; at += 4) if (data[at] > 240 && data[at + 2] < 140) rows.push(Math.floor(at / 4 / canvas.width));
      const scale = image.clientHeight / canvas.height;
      return { count: rows.length, top: rows[0] * scale - view.scrollTop, height: view.clientHeight };
    });
    check(marked.count > 500, `${marked.count} pixels are marked`);
    check(marked.top >= -2 && marked.top < marked.height, `the mark is at ${marked.top} of ${marked.height}`);
    await picture(page, `paper-${name}`);
    same(await barriers(page), [], "axe finds");
    const label = (key) => (locale === "en-GB" ? { next: "Next page", before: "Previous page", larger: "Larger", hide: "Hide the printed page", page: "The page as printed" } : { next: "下一页", before: "上一页", larger: "放大", hide: "隐藏印刷页面", page: "印刷页面" })[key];
    const turn = async (key) => {
      const { place } = await shown();
      await page.click(`.sheet [aria-label="${label(key)}"]`);
      await page.waitForFunction((before) => document.querySelector(".sheet .place").textContent !== before, place);
    };
    const isLast = await page.locator(`.sheet [aria-label="${label("next")}"]`).isDisabled();
    await turn(isLast ? "before" : "next");
    check(!(await shown()).alt.includes(sentence.slice(0, 40)), "another page does not hold the sentence");
    await turn(isLast ? "next" : "before");
    same((await shown()).alt, first.alt, "back at the page of the sentence");
    await page.click(`.sheet [aria-label="${label("larger")}"]`);
    check((await shown()).box[1] - (await shown()).box[0] > 1.5 * (first.box[1] - first.box[0]), "the page is larger");
    await picture(page, `paper-${name}-larger`);
    await page.click(`.sheet [aria-label="${label("hide")}"]`);
    await page.waitForSelector(".sheet", { state: "detached" });
    check(await page.locator("mark.current").first().isVisible(), "the text is still there");
    await page.click(`.pane header [aria-label="${label("page")}"]`);
    await page.waitForSelector(".sheet-view img");
    await page.evaluate(() => localStorage.clear());
    await site.shut(page);
  });
}

test("a PDF whose file has changed says so, and its text is there", async ({ address, site }) => {
  const file = path.join(folder, "paper", "columns.pdf");
  const was = fs.readFileSync(file);
  fs.copyFileSync(path.join(root, "tests/fixtures/documents/report.pdf"), file);
  try {
    const page = await site.open(address, "#/w/paper/ask");
    await ask(page, "What was Scrooge's partner called?");
    await page.locator(".answer-text button.cite").first().click();
    await page.waitForSelector(".sheet-trouble >> text=has changed since it was indexed");
    await page.locator("mark.current").first().waitFor();
    page.wrong = page.wrong.filter((told) => !told.includes("422"));
    await site.shut(page);
  } finally { fs.writeFileSync(file, was); }
});

test("read-only, and behind a prefix of a proxy", async ({ site }) => {
  const inner = path.join(folder, "prefix");
  fs.mkdirSync(inner);
  fs.cpSync(path.join(folder, "data"), path.join(inner, "data"), { recursive: true });
  const server = await serve(inner, "--read-only", "--base-path", "/graph");
  try {
    const page = await site.open(server.address, "#/w/book/documents");
    await page.waitForSelector("tbody tr");
    same(await page.locator("main button >> text=Add").count(), 0, "ways to add");
    await page.evaluate(() => { location.hash = "#/w/book/ask"; });
    await ask(page, "Who is Bob Cratchit?");
    await page.click(".answer-text button.cite");
    await page.waitForSelector("mark.current");
    await site.shut(page);
  } finally { await server.stop(); }
});

test("behind nginx with a path prefix: answers stream, citations open, files go in", async ({ site }) => {
  const inner = path.join(folder, "nginx");
  fs.mkdirSync(inner);
  fs.cpSync(path.join(folder, "data"), path.join(inner, "data"), { recursive: true });
  const server = await behindNginx(inner, "/kg");
  if (!server) { console.log("        SKIPPED: there is no nginx"); return; }
  try {
    const bare = await fetch(server.address, { redirect: "manual" });
    same([bare.status, bare.headers.get("location")], [308, "/kg/"], "without the slash at its end");
    const packed = await fetch(`${server.address}/assets/app.js`, { headers: { "accept-encoding": "gzip" } });
    same(packed.headers.get("content-encoding"), "gzip", "scripts come compressed");
    const page = await site.open(server.address, "#/w/book/ask");
    await ask(page, "Who is Bob Cratchit?");
    await page.click(".answer-text button.cite");
    await page.waitForSelector("mark.current");
    const { sentence } = (await page.evaluate(async (at) => (await fetch(at)).json(), `api/v1/workspaces/book/answers/${(await page.evaluate(() => location.hash)).match(/\/a\/(\w+)/)[1]}`)).citations.find((one) => one.sentence);
    check(sentence.url.startsWith(`${server.address}/#/w/book/d/`), `${sentence.url} leads through the proxy`);
    await page.goto(sentence.url);
    await page.waitForSelector("mark.current");
    await page.evaluate(() => { location.hash = "#/w/book/documents"; });
    await page.waitForSelector("tbody tr");
    await page.setInputFiles("input[type=file] >> nth=0", { name: "moon.md", mimeType: "text/markdown", buffer: Buffer.from("# The Moon\n\nCaptain Selene founded Moonbase Alpha in 2031.\n") });
    await page.waitForSelector("dialog .facts");
    await page.click("dialog .button.first");
    await page.waitForSelector("tbody >> text=The Moon", { timeout: 30000 });
    await page.click("button >> text=which");
    await page.waitForSelector(".changes >> text=uploads/moon.md");
    await site.shut(page);
  } finally { await server.stop(); }
});

test("the map is walked through by pointer and keys", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/map");
  await page.waitForSelector(".stage[data-ready]");
  const seen = () => page.evaluate(() => { const { width, height } = document.querySelector(".stage canvas"); return width * height; });
  check((await seen()) > 100_000, "a picture is there");
  await page.fill(".over input", "Scrooge");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".told h2 >> text=Scrooge");
  const beside = await page.locator(".told .outline button").allTextContents();
  check(beside.length > 3, `${beside.length} neighbours`);
  await page.click("button >> text=Path to…");
  await page.fill(".over input", "Tiny Tim");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".told ol li");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".told", { state: "detached" });
  // a node under the pointer tells its name by the cursor, and opens by a click
  await page.focus(".stage");
  await page.keyboard.press("0");
  await page.waitForTimeout(300);
  const box = await page.locator(".stage").boundingBox();
  let hit = false;
  for (let at = 0; at < 400 && !hit; at++) {
    await page.mouse.move(box.x + box.width * (0.25 + 0.5 * ((at % 20) / 20)), box.y + box.height * (0.1 + 0.6 * (Math.floor(at / 20) / 20)));
    hit = await page.evaluate(() => document.querySelector(".stage").style.cursor === "pointer");
  }
  check(hit, "an entity is found under the pointer");
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForSelector(".told h2");
  await picture(page, "map-chosen");
  same(await barriers(page), [], "axe finds");
  await site.shut(page);
});

/** Puts texts in, or takes a document out, and waits for the end of the job. */
const change = (page, method, path, body) => page.evaluate(async ([method, path, body]) => {
  const headers = body ? { "content-type": "application/json" } : {};
  let job = await (await fetch(`api/v1/workspaces/book/${path}`, { method, headers, body })).json();
  while (!["done", "failed", "stopped"].includes(job.state)) {
    await new Promise((go) => setTimeout(go, 100));
    job = await (await fetch(`api/v1/workspaces/book/jobs/${job.id}`)).json();
  }
  return job;
}, [method, path, body && JSON.stringify(body)]);

test("a citation whose document has changed is found anew, or said to be gone", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  const told = "Harriet Blom paints the lighthouse of Norvik on Tuesdays.";
  const put = (text) => change(page, "POST", "documents", { items: [{ key: "blom.md", text }] });
  await put(`The house is old. ${told} Nobody helps her.`);
  await ask(page, "Who is Harriet Blom?");
  const id = (await page.evaluate(() => location.hash)).match(/\/a\/(\w+)/)[1];
  const { sentence } = (await page.evaluate(async (at) => (await fetch(at)).json(), `api/v1/workspaces/book/answers/${id}`)).citations.find((one) => one.sentence?.text.includes("paints"));
  await put(`The weather was cold 🌊 in the whole of March, and so it was in April. Boats stayed in the harbour. The house is old. ${told} Nobody helps her.`);
  await page.goto(`${address}/#/w/book/a/${id}`);
  await page.reload();
  const marked = () => page.evaluate(() => [...document.querySelectorAll("mark.current")].map((one) => one.textContent).join(""));
  await page.locator(".evidence .quote", { hasText: "paints" }).first().click();
  await page.waitForSelector(".pane .notice");
  await page.waitForSelector("mark.current");
  same(await marked(), sentence.text, "what is marked in the pane");
  same(await barriers(page), [], "axe finds");
  await page.goto(sentence.url);
  await page.reload();
  await page.waitForSelector("mark.current");
  same(await marked(), sentence.text, "what the link marks");
  await put("The weather was cold in the whole of March, and so it was in April. Boats stayed in the harbour.");
  await page.reload();
  await page.waitForSelector(".document .notice");
  same(await page.locator("mark").count(), 0, "nothing else is marked");
  await page.goto(`${address}/#/w/book/a/${id}`);
  await page.reload();
  await page.locator(".evidence .quote", { hasText: "paints" }).first().click();
  await page.waitForSelector(".pane .notice blockquote");
  same(await page.locator(".pane mark.current").count(), 0, "marks in the pane");
  await picture(page, "citation-gone");
  const { document } = sentence;
  same((await change(page, "DELETE", `documents/${document.id}`)).state, "done", "the removal");
  await page.reload();
  await page.waitForSelector("main .notice");
  check((await page.textContent("main .notice")).includes("not kept"), "the answer went with its document, and that is said");
  await page.goto(`${address}/#/w/book/d/${document.id}`);
  await page.waitForSelector(".empty >> text=removed");
  await site.shut(page);
});

test("a screen that could not be loaded breaks no other, and comes again", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  await page.waitForSelector("[data-question]");
  await page.fill("[data-question]", "half a question");
  await page.route("**/assets/communities.js*", (route) => route.abort());
  await page.evaluate(() => { location.hash = "#/w/book/communities"; });
  await page.waitForSelector(".trouble");
  await page.evaluate(() => { location.hash = "#/w/book/ask"; });
  await page.waitForSelector("[data-question]");
  await page.evaluate(() => { location.hash = "#/w/book/communities"; });
  await page.waitForSelector(".trouble button");
  await page.unroute("**/assets/communities.js*");
  await page.click(".trouble button");
  await page.waitForSelector(".rows a", { timeout: 30000 });
  page.wrong = page.wrong.filter((told) => !/Failed to load resource|communities/.test(told));
  await site.shut(page);
});

test("an answer is told to screen readers, and a reload keeps all turns", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask");
  await page.waitForSelector("[data-question]");
  same(await page.locator("#spoken").getAttribute("aria-live"), "polite", "the region is there before");
  await ask(page, "Who is Bob Cratchit?");
  const [said, shown] = await Promise.all(["#spoken", ".answer-text"].map((place) => page.textContent(place)));
  const bare = (text) => text.replace(/\[?\d+\]?/g, "").replace(/[\s#*]+/g, "");
  check(said.startsWith("Answer") && bare(shown).includes(bare(said.slice(8)).slice(-60)), `“${said}” is said of “${shown}”`);
  await ask(page, "Who is Tiny Tim?");
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll("h1.asked").length === 2, null, { timeout: 30000 });
  same(await page.locator("h1.asked").allTextContents(), ["Who is Bob Cratchit?", "Who is Tiny Tim?"], "the turns");
  const link = (await page.evaluate(() => location.hash)).replace(/t=[^&]+/, "t=nobodys");
  await page.goto(`${address}/${link}`);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll("h1.asked").length === 1, null, { timeout: 30000 });
  await page.goto(`${address}/#/w/book/a/zzz`);
  await page.reload();
  await page.waitForSelector("main .notice");
  await site.shut(page);
  const phone = await site.open(address, "#/w/book/ask", { viewport: { width: 360, height: 740 } });
  await phone.click(".talks-open button");
  await phone.click("dialog .talks a >> nth=0");
  await phone.waitForSelector("h1.asked");
  same(await barriers(phone), [], "axe finds on a phone");
  await picture(phone, "phone-talks");
  await site.shut(phone);
});

test("a folder goes in with its paths; what cannot be read is named, and not kept", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/documents");
  await page.waitForSelector("tbody tr");
  const top = path.join(folder, "given");
  for (const [name, text] of [["a/readme.md", "# Alpha\n\nAgnes Fell keeps bees in Alphaville.\n"], ["b/readme.md", "# Beta\n\nBruno Hale keeps goats in Betatown.\n"], ["b/broken.docx", "no archive"], ["b/photo.xyz", "x"], [".DS_Store", "x"]]) {
    fs.mkdirSync(path.dirname(path.join(top, name)), { recursive: true });
    fs.writeFileSync(path.join(top, name), text);
  }
  await page.setInputFiles("input[webkitdirectory]", top);
  await page.waitForSelector("dialog .notes");
  check((await page.textContent("dialog .notes")).includes("photo.xyz"), "what is left out is named");
  await page.click("dialog .button.first");
  await page.waitForSelector(".job.done .notes", { timeout: 60000 });
  const told = await page.textContent(".job.done .notes");
  check(told.includes("broken.docx") && told.includes("photo.xyz") && !told.includes(folder), told);
  await page.fill("input[type=search]", "readme");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 2);
  const keys = await page.evaluate(async () => (await (await fetch("api/v1/workspaces/book/documents?q=readme")).json()).items.map((one) => one.key));
  same(keys, ["uploads/given/a/readme.md", "uploads/given/b/readme.md"], "their keys");
  await page.click(".job.done button[aria-label]");
  await page.waitForSelector(".job", { state: "detached" });
  await site.shut(page);
});

test("questions are proposed once, and none that was asked", async () => {
  const { shortPath, unasked } = await import(path.join(assets, "text.js"));
  const asked = ["吕布和貂蝉是什么关系?", "Who is Reid Hoffman?"];
  const proposed = ["貂蝉和吕布是什么关系？", "What is the relationship between A and B?", "What is the relationship between B and A?", "who is Reid Hoffman", "刘备是谁？"];
  same(unasked(proposed, asked), ["What is the relationship between A and B?", "刘备是谁？"], "proposed");
  const paths = ["/home/ann/notes/2024/plan.md", "C:\\Users\\ann\\notes\\plan.md", "notes/2024/old/plan.md", "/plan.md", "uploads/a.md"];
  same(paths.map(shortPath), ["…/2024/plan.md", "…/notes/plan.md", "notes/2024/old/plan.md", "/plan.md", "uploads/a.md"], "paths");
});

test("a sentence that two numbers lead to stands once, and what is pressed stays in its place", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask", { viewport: { width: 1280, height: 560 } });
  await ask(page, "What happens to the lamp of Ys?");
  const id = await page.evaluate(() => location.hash.match(/\/a\/([^?]+)/)[1]);
  await page.route(`**/answers/${id}`, async (route) => {
    const reply = await (await route.fetch()).json();
    const last = Math.max(...reply.citations.map((one) => one.n)) + 1;
    await route.fulfill({ json: { ...reply, citations: [...reply.citations, { ...reply.citations[0], n: last }] } });
  });
  await page.reload();
  await page.waitForSelector(".evidence .quote");
  const quotes = await page.$$eval(".evidence .quote", (list) => list.map((one) => one.lastElementChild.textContent));
  same(new Set(quotes).size, quotes.length, "sentences that stand there once");
  same(await page.$$eval(".evidence .quote", (list) => list.filter((one) => one.querySelectorAll(".cite").length === 2).length), 1, "sentences with two numbers");
  // the text gets narrow beside the pane, and what is above gets longer
  const quote = page.locator(".evidence .quote").last();
  await quote.scrollIntoViewIfNeeded();
  const before = (await quote.boundingBox()).y;
  await quote.click();
  await page.waitForSelector("mark.current");
  const beside = (await quote.boundingBox()).y;
  check(Math.abs(beside - before) < 3, `the sentence that was pressed went from ${before} to ${beside}`);
  await page.keyboard.press("Escape");
  await page.waitForSelector(".pane", { state: "detached" });
  await site.shut(page);
});

test("types of entities are said in the language of the page, in lists too", async ({ address, site }) => {
  const page = await site.open(address, "#/w/paper/entities", { locale: "zh-CN" });
  await page.waitForSelector(".rows .told");
  await page.waitForFunction(() => document.querySelectorAll(".lookup option").length > 1);
  const said = await page.$$eval(".rows .told, .lookup option", (list) => list.map((one) => one.textContent));
  check(said.some((one) => one.startsWith("人物")), `types are ${said.slice(0, 6).join(", ")}`);
  same(said.filter((one) => /^(person|place|organization|concept)\b/i.test(one)), [], "types in English");
  await site.shut(page);
});

test("questions for a Chinese page are Chinese", async ({ address, site }) => {
  const page = await site.open(address, "#/w/book/ask", { locale: "zh-CN" });
  await page.waitForSelector(".suggested button");
  const questions = await page.locator(".suggested button").allTextContents();
  check(questions.slice(0, 3).every((question) => /^[^A-Za-z]+$/.test(question)), questions.join(" | "));
  await site.shut(page);
});

test("Markdown is shown as it is meant, each character where it is counted", async ({ address, site }) => {
  const text = ["---", 'title: "A guide"', "---", "# Guide", "", "The *ferry* sails from **Varnby** 🌊; see [times](https://example.org).", "", "- One", "- Two", "  goes on",
    "", "| Ticket | Price |", "|---|---:|", "| Adult | 45 kr |", "", "> Not in a storm.", "", "```", "# no heading", "```", "", "Winter", "------", "", "Snake_case_name stays, 2*3*4 as well."].join("\n");
  await fetch(`${address}/api/v1/workspaces/book/documents`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ items: [{ key: "guide.md", text }] }) });
  const page = await site.open(address);
  for (let tries = 0; tries < 300; tries++) {
    if ((await fetch(`${address}/api/v1/workspaces/book/documents/uploads%2Fguide.md`)).ok) break;
    await page.waitForTimeout(100);
  }
  const start = [...text].findIndex((_, at, all) => all.slice(at, at + 8).join("") === "The *fer");
  const sentence = "The *ferry* sails from **Varnby** 🌊; see [times](https://example.org).";
  await page.evaluate((hash) => { location.hash = hash; }, `#/w/book/d/uploads%2Fguide.md?from=${start}&to=${start + [...sentence].length}`);
  await page.waitForSelector("mark.current");
  const found = await page.evaluate(() => {
    const shown = (name) => [...document.querySelectorAll(`.text ${name}`)].map((one) => one.innerText.trim());
    return {
      headings: shown(".heading"), points: shown(".point"), cells: shown(":is(td, th)"), quotes: shown(".aside"), code: shown("pre"), strong: shown("strong"), em: shown("em"),
      marked: [...document.querySelectorAll("mark.current")].map((one) => one.textContent).join(""), seen: [...document.querySelectorAll("mark.current")].map((one) => one.innerText).join(""),
      plain: shown("p:not([class])"), all: document.querySelector(".text").textContent,
    };
  });
  same(found.headings, ["Guide", "Winter"], "headings");
  same(found.points, ["One", "Two goes on"], "points");
  same(found.cells, ["Ticket", "Price", "Adult", "45 kr"], "cells");
  same([found.quotes, found.code, found.strong, found.em], [["Not in a storm."], ["# no heading"], ["Varnby"], ["ferry"]], "the rest");
  same(found.seen, "The ferry sails from Varnby 🌊; see times.", "what is seen of the sentence");
  same(found.marked, sentence, "the sentence with its marks");
  check(found.plain.includes("Snake_case_name stays, 2*3*4 as well."), `names and sums keep their signs: ${found.plain}`);
  const bare = (one) => one.replace(/\s+/g, "");
  check(bare(found.all).startsWith(bare(text)), "no character is lost");
  await picture(page, "markdown");
  await site.shut(page);
  await fetch(`${address}/api/v1/workspaces/book/documents/uploads%2Fguide.md`, { method: "DELETE" });
});

test("the sign of a text is the one that the server makes", async () => {
  const { markOf, findMarked } = await import(path.join(assets, "text.js"));
  // what asking.rs expects
  same(markOf("Harriet Blom paints lighthouses on Tuesdays."), 0x76b9699e, "the sign");
  same(findMarked("🌊 ab ab", { length: 2, mark: markOf("ab"), near: 9 }), 5, "the nearest one, in characters");
  same(findMarked("🌊 ba", { length: 2, mark: markOf("ab"), near: 0 }), null, "none");
});

index(folder);
await indexTree(folder);
const server = await serve(folder);
const site = await browse();
let failed = 0;
for (const [name, work] of tests) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  try {
    await work({ address: server.address, site });
    console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.message}`);
    const open = site.browser.contexts().flatMap((context) => context.pages());
    for (const page of open) { if (page.wrong.length) console.log(`        reported: ${page.wrong.join("; ")}`); await picture(page, `failed-${tests.findIndex((one) => one[0] === name)}`).catch(() => {}); await page.context().close(); }
  }
}
await site.browser.close();
await server.stop();
fs.rmSync(folder, { recursive: true, force: true });
console.log(failed ? `${failed} of ${tests.length} failed` : "all passed");
process.exit(failed ? 1 : 0);
