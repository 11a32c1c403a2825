// Ask: a question, the answer as it comes, and behind each number the sentence that says it.
import { html, useEffect, useRef, useState } from "./vendor.js";
import { at, call, events, get, Problem, send } from "./server.js";
import { kept, keep, languageNow, t } from "./words.js";
import { Button, Dialog, Icon, Round, say, Skeleton, Trouble, useModule } from "./parts.js";
import { createPortal } from "./portal.js";

const ORDER = ["auto", "local", "global", "basic", "drift", "raptor", "reader", "source", "table"];

/** Characters of a question. */
const LONGEST = 8000;

/** Whether Enter belongs to the input method: some browsers end the composition before the key that ended it. */
function useComposing() {
  const composing = useRef(false);
  return [
    composing,
    {
      onCompositionStart: () => {
        composing.current = true;
      },
      onCompositionEnd: () =>
        setTimeout(() => {
          composing.current = false;
        }),
    },
  ];
}

function Box({ ask, stop, running, methods, method, choose, options, setOptions, isFollowing, hasModel }) {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const area = useRef(null);
  const [composing, listeners] = useComposing();
  useEffect(() => {
    const box = area.current;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, 220)}px`;
  }, [text]);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) area.current.focus({ preventScroll: true });
  }, []);
  const submit = (event) => {
    event?.preventDefault();
    if (!text.trim() || running) return;
    ask(text.trim());
    setText("");
  };
  return html`<form class="box" onSubmit=${submit}>
    <label class="hidden" for="question">${t("question")}</label>
    <textarea
      id="question"
      data-question=""
      ref=${area}
      rows="1"
      maxlength=${LONGEST}
      value=${text}
      placeholder=${t(isFollowing ? "question.next" : "question.hint")}
      onInput=${(event) => setText(event.target.value)}
      ...${listeners}
      onKeyDown=${(event) => {
        if (event.key === "Enter" && !event.shiftKey && !composing.current && !event.isComposing) submit(event);
      }}
    ></textarea>
    <div class="row">
      <label class="hidden" for="method">${t("method")}</label>
      <select
        id="method"
        value=${method}
        onChange=${(event) => choose(event.target.value)}
        title=${t(`method.${method}.told`)}
      >
        ${methods.map((one) => html`<option key=${one} value=${one}>${t(`method.${one}`)}</option>`)}
      </select>
      <button
        type="button"
        class="quiet"
        aria-expanded=${String(isOpen)}
        aria-controls="options"
        onClick=${() => setOpen(!isOpen)}
      >
        ${t("options")}
      </button>
      <span class="fill"></span>
      ${text.length >= LONGEST && html`<span class="bad" role="status">${t("question.long", { n: LONGEST })}</span>`}
      ${running ? html`<${Round} icon="stop" class="first" label=${t("stop")} onClick=${stop} />` : html`<button type="submit" class="round first" aria-label=${t("ask")} title=${t("ask")} disabled=${!text.trim()}><${Icon} name="up" /></button>`}
    </div>
    ${
      isOpen &&
      html`<div id="options" class="options">
        <label class="field"
          >${t("options.filters")}<input
            type="text"
            value=${options.filters}
            placeholder="path=notes/*, date>=2019, page=10-20"
            onInput=${(event) => setOptions({ ...options, filters: event.target.value })}
        /></label>
        <label class="field"
          >${t("options.form")}<input
            type="text"
            value=${options.form}
            placeholder=${t("options.form.hint")}
            onInput=${(event) => setOptions({ ...options, form: event.target.value })}
        /></label>
        ${hasModel && html`<label class="check"><input type="checkbox" checked=${options.plain} onChange=${(event) => setOptions({ ...options, plain: event.target.checked })} />${t("options.plain")}</label>`}
      </div>`
    }
  </form>`;
}

export function Ask(props) {
  const { workspace, route, may, open, close, pane, about } = props;
  const [info, setInfo] = useState(null);
  const [suggested, setSuggested] = useState(null);
  const [turns, setTurns] = useState([]);
  const [conversations, setConversations] = useState([]);
  const [method, setMethod] = useState(kept("method") ?? "auto");
  const [options, setOptions] = useState({ filters: "", form: "", plain: false });
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  /** What screen readers are told: the answer by its sentences as it comes, else as a whole. It is there before there is text. */
  const [spoken, setSpoken] = useState("");
  const [isListed, setListed] = useState(false);
  const conversation = useRef(null);
  const running = useRef(null);
  const foot = useRef(null);
  const answers = useModule("answer");
  // addresses that the page itself has set are not gone to again
  const own = useRef(null);
  const wasHere = useRef(false);
  const isAsking = turns.some((turn) => turn.running);

  useEffect(() => {
    get(at(workspace)).then(setInfo, setError);
    return () => running.current?.abort();
  }, [workspace]);
  const list = () => {
    if (may("ask"))
      get(at(workspace, "conversations")).then(
        ({ items }) => setConversations(items),
        () => {},
      );
  };
  useEffect(list, [workspace]);

  /** The answers of a conversation; of those that are not kept any more what was said. */
  const talk = (id) =>
    get(at(workspace, "conversations", id)).then((found) =>
      Promise.all(
        found.turns.map((turn) =>
          get(at(workspace, "answers", turn.answer)).catch(() => ({
            id: turn.answer,
            question: turn.question,
            text: turn.text,
            citations: [],
            notes: [],
            timings_ms: {},
            tokens: {},
            context: { items: [] },
            calls: 0,
            found: true,
            method: "auto",
          })),
        ),
      ),
    );
  const show = (replies) => setTurns(replies.map((reply) => ({ key: reply.id, question: reply.question, reply })));
  /** The address of an answer, in its conversation where it has one: reloaded, all its turns are there. */
  const addressOf = (id, citation) => {
    const fields = new URLSearchParams();
    if (citation !== undefined) fields.set("c", citation);
    if (conversation.current) fields.set("t", conversation.current);
    return `${props.address("a", id)}${fields.size ? `?${fields}` : ""}`;
  };
  const begin = () => {
    running.current?.abort();
    conversation.current = null;
    setTurns([]);
    setError(null);
    close();
  };
  const setAddress = (hash) => {
    own.current = hash;
    history.replaceState(null, "", hash);
  };

  useEffect(() => {
    const here = location.hash;
    if (own.current === here) return;
    own.current = here;
    setError(null);
    if (route.record === "a" && route.id) {
      if (turns.some((turn) => turn.reply?.id === route.id)) return;
      begin();
      setBusy(true);
      const alone = () => get(at(workspace, "answers", route.id)).then((reply) => [reply]);
      // an answer of a conversation stands among its other turns, for whom the conversation is
      const together = (id) =>
        talk(id).then((replies) => {
          if (!replies.some((reply) => reply.id === route.id)) throw new Error("it is not of this conversation");
          conversation.current = id;
          return replies;
        });
      (route.fields.t ? together(route.fields.t).catch(alone) : alone())
        .then((replies) => {
          show(replies);
          const reply = replies.find((one) => one.id === route.id);
          const list = trailOf(reply);
          const place = list.findIndex((one) => one.index === Number(route.fields.c ?? -1));
          if (place >= 0) openTrail(reply, list, place);
          if (replies.length > 1) setTimeout(() => document.getElementById(`turn-${reply.id}`)?.scrollIntoView({ block: "start" }));
        }, setError)
        .finally(() => setBusy(false));
    } else if (route.record === "t" && route.id) {
      begin();
      setBusy(true);
      conversation.current = route.id;
      talk(route.id)
        .then(show, setError)
        .finally(() => setBusy(false));
    } else if (!route.record && wasHere.current) begin();
    wasHere.current = true;
    if (route.fields.q && may("ask")) ask(route.fields.q);
  }, [route]);

  useEffect(() => {
    if (turns.length || suggested || !may("ask")) return;
    send("POST", at(workspace, "questions"), { n: 6, language: languageNow() }).then(
      ({ questions }) => setSuggested(questions),
      () => setSuggested([]),
    );
  }, [turns.length, workspace, suggested]);
  const language = languageNow();
  useEffect(() => setSuggested(null), [language]);

  const trailOf = (reply) => {
    const seen = new Set();
    // a standard answer has no marks: it rests on its sentences as a whole
    const standard = (reply.library?.entry ? reply.library.rests_on : []).map((sentence, place) => ({ n: place + 1, sentence, headings: [] }));
    return [...reply.citations, ...standard]
      .map((citation, index) => ({ ...citation, index }))
      .filter((one) => {
        if (!one.sentence) return false;
        const key = `${one.sentence.document.id} ${one.sentence.start} ${one.sentence.end} ${one.n}`;
        return !seen.has(key) && seen.add(key);
      });
  };
  const openTrail = (reply, list, place, from) => {
    const chosen = list[place];
    if (reply.id) setAddress(addressOf(reply.id, chosen.index));
    open(chosen.sentence, from, {
      list,
      place,
      reply: reply.id,
      open: (next) => openTrail(reply, list, next),
      closed: () => {
        if (reply.id) setAddress(addressOf(reply.id));
      },
    });
  };

  const change = (key, make) =>
    setTurns((old) => old.map((turn) => (turn.key === key ? { ...turn, ...make(turn) } : turn)));
  async function ask(question, wanted = method, replaced = null) {
    running.current?.abort();
    const mine = (running.current = new AbortController());
    const key = replaced ?? `${Date.now()}`;
    const turn = { key, question, running: true, text: "", steps: [], method: wanted, began: performance.now() };
    setSpoken("");
    setTurns((old) => (replaced ? old.map((one) => (one.key === key ? turn : one)) : [...old, turn]));
    close();
    setTimeout(() =>
      document
        .getElementById(`turn-${key}`)
        ?.scrollIntoView({
          block: "start",
          behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
        }),
    );
    try {
      if (!conversation.current && !replaced)
        conversation.current = await send("POST", at(workspace, "conversations"), {}).then(
          (made) => made.id,
          () => null,
        );
      const filters = options.filters
        .split(",")
        .map((one) => one.trim())
        .filter(Boolean);
      const body = { question, method: wanted, stream: true, filters, without_model: options.plain };
      if (options.form.trim()) body.response_type = options.form.trim();
      if (conversation.current && !replaced) body.conversation = conversation.current;
      const response = await call(at(workspace, "answers"), {
        method: "POST",
        body: JSON.stringify(body),
        signal: mine.signal,
      });
      let text = "",
        drawn = 0,
        timer = null;
      // drawn at most once a frame: tokens may come faster than that
      const draw = () => {
        timer = null;
        drawn = text.length;
        speak(text, false);
        change(key, () => ({ text }));
      };
      let told = 0;
      // finished sentences only, and at the end all that is left: one that comes whole is told whole
      const speak = (now, isOver) => {
        const end = isOver ? now.length : Math.max(now.lastIndexOf(". ") + 1, now.lastIndexOf("。") + 1, now.lastIndexOf("\n") + 1);
        if (end <= told) return;
        const piece = now.slice(told, end).replace(/\[\d+\]/g, "").trim();
        if (piece) setSpoken(told === 0 ? `${t("answer")}: ${piece}` : piece);
        told = end;
      };
      for await (const [name, data] of events(response)) {
        if (name === "progress")
          change(key, (old) => ({
            steps: [
              ...old.steps.filter((step) => step.step !== data.step),
              { ...data, ms: performance.now() - turn.began },
            ],
          }));
        if (name === "text") {
          text += data.delta;
          timer ??= requestAnimationFrame(draw);
        }
        if (name === "error") throw new Problem(data, data.status);
        if (name === "done") {
          if (timer) cancelAnimationFrame(timer);
          change(key, (old) => ({ running: false, reply: data, steps: old.steps }));
          speak(data.text, true);
          if (data.id) setAddress(addressOf(data.id));
          list();
        }
      }
    } catch (failure) {
      change(key, () =>
        mine.signal.aborted || failure.name === "AbortError"
          ? { running: false, stopped: true }
          : { running: false, error: failure },
      );
    }
  }
  async function compare(turn, methods) {
    change(turn.key, () => ({ compared: { methods, busy: true } }));
    try {
      const found = await send("POST", at(workspace, "compare"), { question: turn.question, methods });
      change(turn.key, () => ({ compared: { methods, answers: found.answers } }));
    } catch (failure) {
      change(turn.key, () => ({ compared: null }));
      say(failure.message);
    }
  }

  const methods = info ? ORDER.filter((one) => info.methods.includes(one)) : ["auto"];
  const chosen = methods.includes(method) ? method : "auto";
  const choose = (wanted) => {
    setMethod(wanted);
    keep("method", wanted);
  };
  const isEmpty = info && info.documents === 0;
  const box = (isFollowing) =>
    may("ask") &&
    html`<${Box}
      key="box"
      ask=${(text) => ask(text, chosen)}
      stop=${() => running.current?.abort()}
      running=${isAsking}
      methods=${methods}
      method=${chosen}
      choose=${choose}
      options=${options}
      setOptions=${setOptions}
      isFollowing=${isFollowing}
      hasModel=${info?.has_model}
    />`;
  const side = document.getElementById("side-extra");
  const anew = () => {
    setListed(false);
    begin();
    location.hash = props.address("ask");
    document.querySelector("[data-question]")?.focus();
  };
  const talks = html`<ul>
    ${conversations
      .slice(0, 40)
      .filter((one) => one.title)
      .map(
        (one) =>
          html`<li key=${one.id}>
            <a
              href=${props.address("t", one.id)}
              aria-current=${conversation.current === one.id ? "true" : undefined}
              title=${one.title}
              onClick=${() => setListed(false)}
              >${one.title}</a
            >
            <${Round}
              icon="close"
              class="small"
              label=${t("talks.forget", { title: one.title })}
              onClick=${() => send("DELETE", at(workspace, "conversations", one.id)).then(list, (failure) => say(failure.message))}
            />
          </li>`,
      )}
  </ul>`;
  return html`<div class=${turns.length ? "ask" : "ask start"}>
    <div class="hidden" aria-live="polite" id="spoken">${spoken}</div>
    ${
      side &&
      createPortal(
        html`<div class="talks">
          <div class="row">
            <h2>${t("talks")}</h2>
            <span class="fill"></span><${Round} icon="plus" label=${t("talks.new")} onClick=${anew} />
          </div>
          ${talks}
        </div>`,
        side,
      )
    }
    ${
      may("ask") &&
      html`<p class="row talks-open">
        <${Button} icon="menu" onClick=${() => {
          list();
          setListed(true);
        }}>${t("talks")}</${Button}>${turns.length > 0 && html`<${Round} icon="plus" label=${t("talks.new")} onClick=${anew} />`}
      </p>`
    }
    ${isListed && html`<${Dialog} title=${t("talks")} close=${() => setListed(false)}><div class="talks">${talks}</div></${Dialog}>`}
    ${
      turns.length === 0 &&
      !busy &&
      html`<div class="welcome">
        <h1>${t("welcome")}</h1>
        <p class="faint">${!info ? "\u00a0" : isEmpty ? t("welcome.empty") : t("welcome.holds", { documents: info.documents, entities: info.entities })}${info && !isEmpty && !info.has_model && html` · ${t("welcome.plain")}`}</p>
        ${box(false)}
        ${!may("ask") && props.me && html`<p>${t("may.not.ask")}</p>`}
        ${
          isEmpty
            ? html`<p><a class="button first" href=${props.address("documents")}>${t("documents.add")}</a></p>`
            : html`<ul class="suggested room" aria-label=${t("suggested")}>
                ${suggested ? suggested.map((question) => html`<li key=${question}><button type="button" onClick=${() => ask(question, chosen)}>${question}</button></li>`) : may("ask") && html`<li class="waits"><${Skeleton} lines=${6} /></li>`}
              </ul>`
        }
      </div>`
    }
    ${busy && html`<div class="page"><${Skeleton} lines=${6} /></div>`}
    ${error && html`<div class="page">${error.status === 404 && route.record ? html`<p class="notice" role="alert">${t("answer.gone")}</p>` : html`<${Trouble} error=${error} />`}</div>`}
    ${turns.map(
      (turn) =>
        html`<section
          class=${turn.compared ? "turn wide" : "turn"}
          key=${turn.key}
          id=${`turn-${turn.key}`}
          aria-label=${turn.question}
        >
          <h1 class="asked">${turn.question}</h1>
          ${
            !answers
              ? html`<${Skeleton} lines=${4} />`
              : turn.compared
              ? html`<${answers.Columns}
                  ...${props}
                  turn=${turn}
                  back=${() => change(turn.key, () => ({ compared: null }))}
                  openTrail=${openTrail}
                  trailOf=${trailOf}
                />`
              : html`<${answers.Answer}
                  ...${props}
                  turn=${turn}
                  methods=${methods}
                  trailOf=${trailOf}
                  openTrail=${openTrail}
                  shown=${turn.reply && pane?.trail?.reply === turn.reply.id ? pane.trail : null}
                  again=${(wanted) => ask(turn.question, wanted, turn.key)}
                  compare=${(wanted) => compare(turn, wanted)}
                  ask=${(question) => ask(question, chosen)}
                  isLast=${turn === turns.at(-1)}
                  asked=${turns.map((one) => one.question)}
                  hasModel=${info?.has_model}
                />`
          }
        </section>`,
    )}
    ${turns.length > 0 && html`<div class="foot" ref=${foot}>${box(true)}</div>`}
  </div>`;
}
