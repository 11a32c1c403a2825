// An answer: its text with citation marks, what it rests on, what it took; two beside each other.
import { html, useEffect, useState } from "./vendor.js";
import { at, send } from "./server.js";
import { dollars, number, said, saidIn, seconds, t } from "./words.js";
import { keyBeside, languageOf, markdown, placeIn, shortPath, unasked } from "./text.js";
import { Passage } from "./marked.js";
import { Table } from "./table.js";
import { Button, copy, Dialog, Quote, Round, say, stageOf, Tabs, Trouble } from "./parts.js";

/** Where a citation stands in its document: page, slide or row, and the headings above it. */
const shownPlace = ({ sentence, headings }) => placeIn(sentence, headings).join(" › ");

/** The sentence behind a mark, while the mark is hovered over or has the focus. */
function Hint({ hint }) {
  if (!hint) return null;
  const { citation, box } = hint;
  const width = Math.min(380, innerWidth - 24);
  const left = Math.max(12, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - 12));
  const isBelow = box.top < 190;
  const place = isBelow ? { top: `${box.bottom + 8}px` } : { bottom: `${innerHeight - box.top + 8}px` };
  return html`<div class="hint" role="tooltip" id="hint" style=${{ left: `${left}px`, width: `${width}px`, ...place }}>
    <p lang=${languageOf(citation.sentence.text)}><${Passage} sentence=${citation.sentence} /></p>
    <p class="faint">
      ${[citation.sentence.document.title || citation.sentence.document.key, ...placeIn(citation.sentence, citation.headings.slice(-1))].join(" › ")}
    </p>
  </div>`;
}

/** The text of an answer. */
export function Text({ reply, text, running, list, openAt, current }) {
  const [hint, setHint] = useState(null);
  const cite = (n) => {
    const place = list ? list.findIndex((one) => one.n === n) : -1;
    if (place < 0) return html`<span class="cite idle">${n}</span>`;
    const citation = list[place];
    const show = (event) => setHint({ citation, box: event.currentTarget.getBoundingClientRect() });
    return html`<button
      type="button"
      class="cite"
      data-n=${n}
      aria-current=${current === n ? "true" : undefined}
      aria-label=${t("citation", { n })}
      aria-describedby=${hint?.citation === citation ? "hint" : undefined}
      onMouseEnter=${show}
      onFocus=${show}
      onMouseLeave=${() => setHint(null)}
      onBlur=${() => setHint(null)}
      onClick=${(event) => {
        setHint(null);
        openAt(place, event.currentTarget);
      }}
    >
      ${n}
    </button>`;
  };
  return html`<div class=${running ? "answer-text coming" : "answer-text"} lang=${languageOf(text)}>
      ${markdown(text, cite)}
    </div>
    <${Hint} hint=${hint} />`;
}

/** An answer as Markdown with its sources. */
export function asMarkdown(reply, list) {
  const lines = [`## ${reply.question}`, "", reply.text, ""];
  const seen = new Set();
  for (const { n, sentence, headings } of list) {
    if (seen.has(n)) continue;
    seen.add(n);
    lines.push(
      `[${n}] “${sentence.text.replace(/\s+/g, " ")}” — ${[sentence.document.title || sentence.document.key, ...placeIn(sentence, headings)].join(" › ")} <${sentence.url}>`,
    );
  }
  return lines.join("\n");
}

function Evidence({ list, openAt }) {
  const groups = new Map();
  list.forEach((one, place) => {
    const { id } = one.sentence.document;
    if (!groups.has(id)) groups.set(id, { document: one.sentence.document, items: [] });
    // a sentence that several numbers lead to stands once, with all of them
    const { items } = groups.get(id);
    const same = items.find(({ sentence }) => sentence.start === one.sentence.start && sentence.end === one.sentence.end);
    if (same) same.numbers.push(one.n);
    else items.push({ ...one, place, numbers: [one.n] });
  });
  if (!list.length) return html`<p class="faint">${t("evidence.none")}</p>`;
  return html`<div class="evidence">
    ${[...groups.values()].map(
      ({ document, items }) =>
        html`<section key=${document.id}>
          <h2>
            ${document.title || document.key}${keyBeside(document) && html` <span class="faint" title=${keyBeside(document)}>${shortPath(keyBeside(document))}</span>`}
          </h2>
          <ul>
            ${items.map((item, index) => html`<li key=${item.place}>${shownPlace(item) !== (index ? shownPlace(items[index - 1]) : "") && html`<p class="faint">${shownPlace(item) || document.title || document.key}</p>`}<${Quote} sentence=${item.sentence} n=${item.numbers} open=${(_, from) => openAt(item.place, from)} /></li>`)}
          </ul>
        </section>`,
    )}
  </div>`;
}

function Context({ reply, go }) {
  const { items, tokens, budget_tokens: budget } = reply.context;
  if (!items?.length) return html`<p class="faint">${t("context.none")}</p>`;
  return html`<p class="faint">${t("context.used", { tokens: tokens ?? 0, budget: budget ?? 0 })}</p>
    <div class="scroll">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">${t("context.kind")}</th>
            <th scope="col">${t("context.name")}</th>
            <th scope="col" class="right">${t("context.score")}</th>
            <th scope="col" class="right">${t("context.tokens")}</th>
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (item) =>
              html`<tr key=${`${item.kind} ${item.number}`}>
                <td class="faint">${t(`record.${item.kind}`)}</td>
                <td>
                  ${
                    item.kind === "Entities" || item.kind === "entities"
                      ? html`<a
                          href="#"
                          onClick=${(event) => {
                            event.preventDefault();
                            go("e", item.id);
                          }}
                          >${item.name}</a
                        >`
                      : item.name
                  }
                </td>
                <td class="right">${item.score.toFixed(3)}</td>
                <td class="right">${number(item.tokens)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** A trace as it came: names and values, deeper ones folded. */
function Trace({ value }) {
  if (value === null || typeof value !== "object") return html`<span>${String(value)}</span>`;
  if (Array.isArray(value))
    return html`<ol>
      ${value.map((one, place) => html`<li key=${place}><${Trace} value=${one} /></li>`)}
    </ol>`;
  return html`<dl class="trace">
    ${Object.entries(value)
      .filter(([, inner]) => !(Array.isArray(inner) && !inner.length) && inner !== null && inner !== "")
      .map(
        ([name, inner]) =>
          html`<div key=${name}>
            <dt>${name.replaceAll("_", " ")}</dt>
            <dd>
              ${
                typeof inner === "object" && JSON.stringify(inner).length > 160
                  ? html`<details>
                      <summary>${Array.isArray(inner) ? inner.length : "…"}</summary>
                      <${Trace} value=${inner} />
                    </details>`
                  : html`<${Trace} value=${inner} />`
              }
            </dd>
          </div>`,
      )}
  </dl>`;
}

function Steps({ turn }) {
  const { reply } = turn;
  // as they happened: a search first, the answer last
  const order = (name) => (name === "answer" ? 1 : 0);
  const timings = Object.entries(reply.timings_ms)
    .filter(([name]) => name !== "total")
    .sort(([one], [other]) => order(one) - order(other));
  return html`${reply.read_as?.length > 0 && html`<p>${reply.read_as.map((one) => t("read.as", { written: one.written, read: one.read_as })).join(" ")}</p>`}
    ${
      reply.rewritten?.length > 0 &&
      html`<p>${t("rewritten")}</p>
        <ul>
          ${reply.rewritten.map((one) => html`<li>${one}</li>`)}
        </ul>`
    }
    <dl class="facts">
      ${timings.map(
        ([name, ms]) =>
          html`<div key=${name}>
            <dt>${stageOf(name.replaceAll("_", " "))}</dt>
            <dd>${seconds(ms)}</dd>
          </div>`,
      )}
    </dl>
    ${reply.trace && html`<${Trace} value=${reply.trace} />`}`;
}

/** What an answer cost, where the price of its model is known. */
const priced = ({ cost }) => (cost === null || cost === undefined ? [] : [dollars(cost)]);

function Cost({ reply }) {
  const rows = [
    ["cost.calls", number(reply.calls ?? 0)],
    ...Object.entries(reply.tokens).map(([name, count]) => [`cost.${name}`, number(count)]),
    ["cost.price", dollars(reply.cost)],
    ["cost.time", seconds(reply.timings_ms.total ?? 0)],
    ["cost.generation", reply.generation],
  ];
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div key=${name}>
          <dt>${t(name)}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function Rating({ workspace, reply }) {
  const [given, setGiven] = useState(null);
  const [why, setWhy] = useState(null);
  const rate = (good, comment = "") =>
    send("POST", at(workspace, "answers", reply.id, "feedback"), { good, comment }).then(
      () => {
        setGiven(good);
        if (comment || good) {
          setWhy(null);
          say(t("rated"));
        }
      },
      (error) => say(error.message),
    );
  return html`<${Round}
      icon="good"
      label=${t("rate.good")}
      aria-pressed=${String(given === true)}
      onClick=${() => rate(true)}
    />
    <${Round}
      icon="bad"
      label=${t("rate.bad")}
      aria-pressed=${String(given === false)}
      onClick=${() => {
        rate(false);
        setWhy("");
      }}
    />
    ${
      why !== null &&
      html`<${Dialog} title=${t("rate.why")} close=${() => setWhy(null)}><form onSubmit=${(event) => {
        event.preventDefault();
        rate(false, why.trim());
        setWhy(null);
      }}>
      <p class="faint">${t("rate.told")}</p><label class="field">${t("rate.comment")}<textarea rows="3" maxlength="2000" value=${why} onInput=${(event) => setWhy(event.target.value)}></textarea></label>
      <p class="row end"><button class="button first" type="submit">${t("send")}</button></p></form></${Dialog}>`
    }`;
}

function HandOver({ about, reply, list, close }) {
  const to = about.hand_over;
  const isAddress = /^(mailto:|https?:\/\/)/.test(to);
  const text = asMarkdown(reply, list);
  const address = to.startsWith("mailto:")
    ? `${to}${to.includes("?") ? "&" : "?"}subject=${encodeURIComponent(reply.question)}&body=${encodeURIComponent(text.slice(0, 1500))}`
    : to;
  return html`<${Dialog} title=${t("person")} close=${close}><p>${isAddress ? t("person.address") : to}</p>
    <p class="row end"><${Button} icon="copy" onClick=${() => copy(text)}>${t("copy.markdown")}</${Button}>${isAddress && html`<a class="button first" href=${address} target="_blank" rel="noreferrer noopener">${t("person.go")}</a>`}</p></${Dialog}>`;
}

/** Keeps a good answer as a standard answer that waits for approval. */
function keepAnswer(workspace, reply, go) {
  send("POST", at(workspace, "answers", reply.id, "keep"), {}).then(
    () => say(t("library.kept"), [t("show"), () => go("library")]),
    (error) => say(error.message),
  );
}

/** How many of them. */
const NEXT = 3;

/** Questions that may come next; where a model makes them, they are made when they are wished for. */
function FollowUps({ workspace, asked, hasModel, ask }) {
  const [isWanted, setWanted] = useState(!hasModel);
  const [questions, setQuestions] = useState(null);
  useEffect(() => {
    if (!isWanted) return undefined;
    const mine = new AbortController();
    send("POST", at(workspace, "questions"), { n: hasModel ? NEXT : NEXT * 2, after: asked }, { signal: mine.signal }).then(
      (found) => setQuestions(unasked(found.questions, asked).slice(0, NEXT)),
      () => {},
    );
    return () => mine.abort();
  }, [isWanted, asked.join()]);
  if (!isWanted) return html`<p class="next"><button type="button" class="link" onClick=${() => setWanted(true)}>${t("next.suggest")}</button></p>`;
  if (!questions?.length) return null;
  return html`<section class="next" aria-label=${t("next")}>
    <h2>${t("next")}</h2>
    <ul class="suggested">
      ${questions.map((question) => html`<li key=${question}><button type="button" onClick=${() => ask(question)}>${question}</button></li>`)}
    </ul>
  </section>`;
}

export function Answer(props) {
  const { workspace, turn, methods, trailOf, openTrail, shown, again, compare, about, may, go, address } = props;
  const { isLast, asked, hasModel, ask } = props;
  const { reply } = turn;
  const [tab, setTab] = useState("evidence");
  const [menu, setMenu] = useState(null);
  const [handing, setHanding] = useState(false);
  if (turn.error) return html`<${Trouble} error=${turn.error} again=${() => again(turn.method)} />`;
  if (!reply) {
    const last = turn.steps?.at(-1);
    return html`${turn.text ? html`<${Text} text=${turn.text} running=${turn.running} />` : null}
    ${
      turn.running &&
      html`<p class="working" role="status">
        <span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>${" "}
        ${last ? `${stageOf(last.step)}${last.total ? ` ${last.done}/${last.total}` : ""}` : t("working")}
      </p>`
    }
    ${turn.running && turn.steps.length > 1 && html`<ol class="notes">${turn.steps.slice(0, -1).map((step) => html`<li key=${step.step}>${stageOf(step.step)}${step.total ? ` ${step.done}/${step.total}` : ""} · ${seconds(step.ms)}</li>`)}</ol>`}
    ${turn.stopped && html`<p class="faint">${t("stopped")} <${Button} icon="refresh" onClick=${() => again(turn.method)}>${t("again")}</${Button}></p>`}`;
  }
  const list = trailOf(reply);
  const openAt = (place, from) => openTrail(reply, list, place, from);
  const others = methods.filter((one) => one !== reply.method && one !== "auto");
  const notes = [...reply.notes];
  const tabs = [
    ["evidence", t("evidence"), list.length],
    ["context", t("context"), reply.context.items?.length ?? 0],
    ["steps", t("steps")],
    ["cost", t("cost")],
  ];
  const standard = reply.library?.entry;
  return html`${standard && html`<p class="notice">${t("standard")} <a href=${`${address("library")}`}>${standard.id}</a>${reply.library.stale.length > 0 && html` · <span class="bad">${t("standard.stale")}</span>`}</p>`}
    ${!reply.found && html`<p class="notice">${t(list.length ? "not.found" : "not.found.at.all")}${about?.hand_over && html` <button type="button" class="link" onClick=${() => setHanding(true)}>${t("person")}</button>`}</p>`}
    ${
      reply.table
        ? html`<${Table} key=${reply.id} reply=${reply} list=${list} openAt=${openAt} />`
        : html`<${Text} reply=${reply} text=${reply.text} list=${list} openAt=${openAt} current=${shown ? shown.list[shown.place].n : null} />`
    }
    ${
      notes.length > 0 &&
      html`<ul class="notes">
        ${notes.map((note) => html`<li key=${note} lang=${saidIn(note)}>${said(note)}</li>`)}
      </ul>`
    }
    <div class="row actions">
      <${Round} icon="copy" label=${t("copy.markdown")} onClick=${() => copy(asMarkdown(reply, list))} />
      ${reply.id && html`<${Round} icon="link" label=${t("copy.link")} onClick=${() => copy(location.href.split("#")[0] + address("a", reply.id))} />`}
      ${
        may("ask") &&
        html`<div class="menu">
            <${Round}
              icon="refresh"
              label=${t("again.other")}
              aria-expanded=${String(menu === "again")}
              onClick=${() => setMenu(menu === "again" ? null : "again")}
            />
            ${
              menu === "again" &&
              html`<ul class="popup">
                ${[reply.method, ...others].map(
                  (one) =>
                    html`<li key=${one}>
                      <button
                        type="button"
                        onClick=${() => {
                          setMenu(null);
                          again(one);
                        }}
                      >
                        ${t(`method.${one}`)}<span class="faint">${t(`method.${one}.told`)}</span>
                      </button>
                    </li>`,
                )}
              </ul>`
            }
          </div>
          <div class="menu">
            <${Round}
              icon="columns"
              label=${t("compare")}
              aria-expanded=${String(menu === "compare")}
              onClick=${() => setMenu(menu === "compare" ? null : "compare")}
            />
            ${
              menu === "compare" &&
              html`<ul class="popup">
                ${others.map(
                  (one) =>
                    html`<li key=${one}>
                      <button
                        type="button"
                        onClick=${() => {
                          setMenu(null);
                          compare([reply.method === "auto" ? "local" : reply.method, one]);
                        }}
                      >
                        ${t(`method.${reply.method}`)} | ${t(`method.${one}`)}
                      </button>
                    </li>`,
                )}
              </ul>`
            }
          </div>`
      }
      ${reply.id && may("ask") && html`<${Rating} workspace=${workspace} reply=${reply} />`}
      ${reply.id && may("write") && html`<${Round} icon="mark" label=${t("library.keep")} onClick=${() => keepAnswer(workspace, reply, go)} />`}
      ${about?.hand_over && html`<${Round} icon="person" label=${t("person")} onClick=${() => setHanding(true)} />`}
      <span class="fill"></span>
      <span class="faint meta">${[t(`method.${reply.method}`), seconds(reply.timings_ms.total ?? 0), ...(reply.calls ? [t("tokens", { n: (reply.tokens.input ?? 0) + (reply.tokens.output ?? 0) }), ...priced(reply)] : [t("without.model")])].join(" · ")}</span></div>
    <${Tabs} name=${t("proof")} tabs=${tabs} chosen=${tab} choose=${setTab}>
      ${tab === "evidence" ? html`<${Evidence} list=${list} openAt=${openAt} />` : tab === "context" ? html`<${Context} reply=${reply} go=${go} />` : tab === "steps" ? html`<${Steps} turn=${turn} />` : html`<${Cost} reply=${reply} />`}</${Tabs}>
    ${
      reply.library?.did_you_mean?.length > 0 &&
      html`<section class="next" aria-label=${t("did.you.mean")}>
        <h2>${t("did.you.mean")}</h2>
        <ul class="suggested">
          ${reply.library.did_you_mean.map((one) => html`<li key=${one.id}><button type="button" onClick=${() => ask(one.question)}>${one.question}</button></li>`)}
        </ul>
      </section>`
    }
    ${isLast && may("ask") && html`<${FollowUps} key=${reply.id} workspace=${workspace} asked=${asked} hasModel=${hasModel} ask=${ask} />`}
    ${handing && html`<${HandOver} about=${about} reply=${reply} list=${list} close=${() => setHanding(false)} />`}`;
}

/** Two methods beside each other. */
export function Columns(props) {
  const { turn, back, trailOf, openTrail, pane } = props;
  const { methods, answers, busy } = turn.compared;
  return html`<p class="row"><${Button} icon="back" onClick=${back}>${t("compare.back")}</${Button}></p><div class="columns">${methods.map(
    (method, place) => {
      const found = answers?.[place];
      const list = found?.answer ? trailOf(found.answer) : [];
      return html`<section key=${method} aria-label=${t(`method.${method}`)}>
        <h2>${t(`method.${method}`)}</h2>
        ${
          busy
            ? html`<p class="working" role="status">
                <span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> ${t("working")}
              </p>`
            : found?.answer
              ? html`<${Text}
                    reply=${found.answer}
                    text=${found.answer.text}
                    list=${list}
                    openAt=${(at, from) => openTrail(found.answer, list, at, from)}
                    current=${pane?.trail && list.includes(pane.trail.list[pane.trail.place]) ? pane.trail.list[pane.trail.place].n : null}
                  />
                  <p class="faint">
                    ${[seconds(found.answer.timings_ms.total ?? 0), t("cited", { n: list.length }), ...(found.answer.calls ? priced(found.answer) : [])].join(" · ")}
                  </p>
                  <${Evidence} list=${list} openAt=${(at, from) => openTrail(found.answer, list, at, from)} />`
              : html`<p class="bad">${said(found?.problem)}</p>`
        }
      </section>`;
    },
  )}</div>`;
}
