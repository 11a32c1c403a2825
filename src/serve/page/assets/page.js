// The page: ask, read the answer as it comes, and see each cited sentence in its document. It uses the routes of the API
// alone. Whatever comes from documents and models is written as text, never as markup.

const WORDS = {
  en: { workspace: "Workspace", question: "Question", method: "Method", ask: "Ask", stop: "Stop", before: "Previous citation",
    after: "Next citation", close: "Close", token: "Token", enter: "Enter", working: "Working…", done: "Done.", stopped: "Stopped.",
    sources: "Sources", characters: "characters", more: "More text", without: "Made of sentences, without a model.",
    none: "Nothing is indexed yet. Run: graphwright index PATH…", link: "Link to this answer", failed: "It could not be done: " },
  zh: { workspace: "工作区", question: "问题", method: "方法", ask: "提问", stop: "停止", before: "上一条引文", after: "下一条引文",
    close: "关闭", token: "令牌", enter: "进入", working: "正在回答…", done: "完成。", stopped: "已停止。", sources: "来源",
    characters: "字符", more: "更多文字", without: "由原文句子组成，未使用模型。", none: "还没有索引。请运行：graphwright index PATH…",
    link: "此回答的链接", failed: "未能完成：" },
};
/** Characters shown before and behind a marked passage. */
const AROUND = 8000;

const byId = (id) => document.getElementById(id);
let language = read("language") ?? (navigator.language.startsWith("zh") ? "zh" : "en");
let secret = sessionStorage.getItem("token");
let workspace = null;
let running = null;
let answer = null;
let shown = -1;
let opener = null;

function read(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

function word(name) {
  return WORDS[language][name] ?? name;
}

function tell(text) {
  byId("status").textContent = text;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function translate() {
  document.documentElement.lang = language;
  for (const place of document.querySelectorAll("[data-text]")) place.textContent = word(place.dataset.text);
  const other = language === "en" ? "zh" : "en";
  byId("language").textContent = other === "zh" ? "中文" : "English";
  byId("language").lang = other;
}

/** Asks the server; asks for a token where one is needed. */
async function call(path, options = {}) {
  for (;;) {
    const headers = { ...(options.body ? { "content-type": "application/json" } : {}) };
    if (secret) headers.authorization = `Bearer ${secret}`;
    const response = await fetch(path, { ...options, headers });
    if (response.status === 401) {
      secret = await askForToken();
      continue;
    }
    if (!response.ok) {
      const problem = await response.json().catch(() => ({}));
      throw new Error(problem.detail ?? response.statusText);
    }
    return response;
  }
}

function askForToken() {
  const dialog = byId("token");
  byId("secret").value = "";
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    byId("token-form").addEventListener("submit", () => {
      const given = byId("secret").value.trim();
      // for this tab alone, and gone with it
      sessionStorage.setItem("token", given);
      resolve(given);
    }, { once: true });
  });
}

const json = async (path, options) => (await call(path, options)).json();
const base = () => `api/v1/workspaces/${encodeURIComponent(workspace)}`;

/** The events of a reply, as they come. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    let end;
    while ((end = rest.indexOf("\n\n")) >= 0) {
      const block = rest.slice(0, end);
      rest = rest.slice(end + 2);
      let name = "", data = "";
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        if (line.startsWith("data:")) data += line.slice(5).trim();
      }
      if (data) yield [name, JSON.parse(data)];
    }
  }
}

/** Writes a text with its citation marks as buttons; blank lines part paragraphs, "- " begins a point, "#" a heading. */
function write(place, text) {
  place.replaceChildren();
  let list = null;
  for (const line of text.split("\n")) {
    if (!line.trim()) { list = null; continue; }
    const heading = line.match(/^(#{1,4})\s+(.*)$/);
    const point = line.match(/^\s*(?:[-*]|\d+\.)\s+(.*)$/);
    if (point) {
      list ??= place.appendChild(element("ul"));
      inline(list.appendChild(element("li")), point[1]);
    } else {
      list = null;
      inline(place.appendChild(element(heading ? "h3" : "p")), heading ? heading[2] : line);
    }
  }
}

function inline(place, text) {
  let at = 0;
  for (const found of text.matchAll(/\[(\d{1,3})\]|\*\*([^*]+)\*\*/g)) {
    place.append(text.slice(at, found.index));
    at = found.index + found[0].length;
    place.append(found[1] ? mark(Number(found[1])) : element("strong", {}, found[2]));
  }
  place.append(text.slice(at));
}

function mark(n) {
  const button = element("button", { type: "button", class: "cite", "data-n": n, onclick: () => {
    const place = answer?.citations.findIndex((citation) => citation.n === n && citation.sentence);
    if (place >= 0) openCitation(place, button);
  } }, `[${n}]`);
  return button;
}

function showAnswer(reply) {
  answer = reply;
  const place = byId("answer");
  place.hidden = false;
  const text = element("div", {});
  write(text, reply.text);
  const sources = element("ol", { class: "sources" });
  const seen = new Set();
  reply.citations.forEach((citation, index) => {
    if (!citation.sentence || seen.has(citation.n)) return;
    seen.add(citation.n);
    const { document: source, text: quote } = citation.sentence;
    const button = element("button", { type: "button", onclick: (event) => openCitation(index, event.currentTarget) }, quote);
    sources.append(element("li", { value: citation.n }, button, " ", element("span", { class: "faint" }, source.title || source.key)));
  });
  for (const button of text.querySelectorAll(".cite")) {
    const citation = reply.citations.find(({ n, sentence }) => n === Number(button.dataset.n) && sentence);
    if (citation) button.title = citation.sentence.text;
  }
  const notes = [...reply.notes];
  if (reply.calls === 0) notes.push(word("without"));
  const last = element("p", { class: "faint" }, `${reply.method} · ${Math.round(reply.timings_ms.total ?? 0)} ms · ${notes.join(" ")} `);
  if (reply.id) last.append(element("a", { href: `#/w/${encodeURIComponent(workspace)}/a/${reply.id}` }, word("link")));
  place.replaceChildren(element("h2", {}, reply.question), text, element("h3", {}, word("sources")), sources, last);
}

async function ask(question, method) {
  running?.abort();
  const mine = (running = new AbortController());
  closePane();
  byId("suggestions").replaceChildren();
  byId("stop").hidden = false;
  tell(word("working"));
  const place = byId("answer");
  place.hidden = false;
  const text = element("div", {});
  place.replaceChildren(element("h2", {}, question), text);
  let whole = "";
  try {
    const body = JSON.stringify({ question, method, stream: true });
    const response = await call(`${base()}/answers`, { method: "POST", body, signal: mine.signal });
    for await (const [name, data] of events(response)) {
      if (name === "progress") tell(data.total ? `${data.step} ${data.done}/${data.total}` : data.step);
      if (name === "text") write(text, (whole += data.delta));
      if (name === "error") throw new Error(data.detail);
      if (name === "done") {
        showAnswer(data);
        history.replaceState(null, "", `#/w/${encodeURIComponent(workspace)}/a/${data.id}`);
        tell(word("done"));
      }
    }
  } catch (error) {
    tell(mine.signal.aborted ? word("stopped") : word("failed") + error.message);
  } finally {
    if (running === mine) byId("stop").hidden = true;
  }
}

function openCitation(index, from) {
  const citation = answer.citations[index];
  shown = index;
  opener = from ?? opener;
  for (const button of document.querySelectorAll(".cite")) {
    button.setAttribute("aria-current", String(Number(button.dataset.n) === citation.n));
  }
  const { document: source, start, end } = citation.sentence;
  if (answer.id) history.replaceState(null, "", `#/w/${encodeURIComponent(workspace)}/a/${answer.id}?c=${index}`);
  return openDocument(source.id, start, end, citation.headings);
}

/** Shows a document beside the answer, scrolled to the marked passage. Offsets count Unicode characters, as Array.from does. */
async function openDocument(id, start, end, headings = []) {
  const pane = byId("pane");
  try {
    const from = Math.max(0, start - AROUND);
    const found = await json(`${base()}/documents/${id}/text?from=${from}&to=${end + AROUND}`);
    const characters = Array.from(found.text);
    const part = (first, last) => characters.slice(Math.max(0, first - found.from), last - found.from).join("");
    const marked = element("mark", {}, part(start, end));
    const place = byId("pane-text");
    place.replaceChildren(part(found.from, start), marked, part(end, found.to));
    if (found.from > 0) place.prepend(more(id, start, end, headings, Math.max(0, found.from - AROUND)), "\n");
    if (found.next) place.append("\n", more(id, start, end, headings, found.next));
    byId("pane-title").textContent = found.document.title || found.document.key;
    byId("pane-place").textContent = [...headings, `${word("characters")} ${start}–${end}`].join(" › ");
    pane.hidden = false;
    byId("panes").classList.add("two");
    const hasCitations = answer !== null && shown >= 0;
    byId("before").hidden = byId("after").hidden = !hasCitations;
    if (end > start) place.scrollTop = marked.offsetTop - place.offsetTop - place.clientHeight / 3;
    byId("pane-title").focus({ preventScroll: true });
  } catch (error) {
    tell(word("failed") + error.message);
  }
}

/** A button that shows the text around another place. */
function more(id, start, end, headings, at) {
  return element("button", { type: "button", onclick: async (event) => {
    const found = await json(`${base()}/documents/${id}/text?from=${at}&to=${at + AROUND}`);
    event.currentTarget?.remove();
    const place = byId("pane-text");
    if (at < start) place.prepend(found.text);
    else place.append(found.text);
  } }, word("more"));
}

function closePane() {
  byId("pane").hidden = true;
  byId("panes").classList.remove("two");
  shown = -1;
  for (const button of document.querySelectorAll(".cite")) button.setAttribute("aria-current", "false");
  opener?.focus();
  opener = null;
}

function step(by) {
  const count = answer?.citations.length ?? 0;
  for (let place = shown + by; place >= 0 && place < count; place += by) {
    if (answer.citations[place].sentence) return openCitation(place);
  }
}

async function suggest() {
  try {
    const { questions } = await json(`${base()}/questions`, { method: "POST", body: "{}" });
    byId("suggestions").replaceChildren(...questions.map((question) => element("li", {}, element("button", { type: "button",
      onclick: () => { byId("question").value = question; ask(question, byId("method").value); } }, question))));
  } catch { /* a page without suggestions is a page */ }
}

async function choose(name) {
  workspace = name;
  byId("workspace").value = name;
  const { methods } = await json(base());
  const order = ["auto", "local", "global", "basic", "drift", "raptor", "reader", "source"];
  byId("method").replaceChildren(...order.filter((method) => methods.includes(method)).map((method) => element("option", { value: method }, method)));
}

/** Goes where the address says: an answer, with a citation open, or a document. */
async function go() {
  const [path, fields] = location.hash.replace(/^#\/?/, "").split("?");
  const [, name, kind, id] = path.split("/").map(decodeURIComponent);
  const given = new URLSearchParams(fields);
  const { items } = await json("api/v1/workspaces");
  byId("workspace").replaceChildren(...items.map((item) => element("option", { value: item.name }, item.name)));
  const known = items.find((item) => item.name === name) ?? items.find((item) => item.is_default) ?? items[0];
  if (!known) return tell(word("none"));
  await choose(known.name);
  if (kind === "a") {
    showAnswer(await json(`${base()}/answers/${encodeURIComponent(id)}`));
    const place = Number(given.get("c") ?? -1);
    if (answer.citations[place]?.sentence) await openCitation(place);
  } else if (kind === "d") {
    await openDocument(encodeURIComponent(id), Number(given.get("from") ?? 0), Number(given.get("to") ?? 0));
  } else {
    await suggest();
  }
}

let composing = false;
const question = byId("question");
question.addEventListener("compositionstart", () => { composing = true; });
// one task later: some browsers end the composition before the key that ended it
question.addEventListener("compositionend", () => setTimeout(() => { composing = false; }));
question.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !composing && !event.isComposing) {
    event.preventDefault();
    byId("ask").requestSubmit();
  }
});
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (question.value.trim() && workspace) ask(question.value.trim(), byId("method").value);
});
byId("stop").addEventListener("click", () => running?.abort());
byId("close").addEventListener("click", closePane);
byId("before").addEventListener("click", () => step(-1));
byId("after").addEventListener("click", () => step(1));
byId("workspace").addEventListener("change", async (event) => {
  closePane();
  byId("answer").hidden = true;
  await choose(event.target.value);
  history.replaceState(null, "", `#/w/${encodeURIComponent(workspace)}`);
  await suggest();
});
byId("language").addEventListener("click", () => {
  language = language === "en" ? "zh" : "en";
  try { localStorage.setItem("language", language); } catch { /* not kept, then */ }
  translate();
});
document.addEventListener("keydown", (event) => {
  const inField = event.target.matches("textarea, input, select");
  if (event.key === "Escape" && !byId("pane").hidden) closePane();
  if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") { event.preventDefault(); question.focus(); }
  if (event.key === "j") step(1);
  if (event.key === "k") step(-1);
});
window.addEventListener("hashchange", () => go().catch((error) => tell(word("failed") + error.message)));

translate();
go().catch((error) => tell(word("failed") + error.message));
