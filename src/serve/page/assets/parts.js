// What several screens are made of.
import { html, useCallback, useEffect, useLayoutEffect, useRef, useState } from "./vendor.js";
import { at, call, events, get, send } from "./server.js";
import { languageNow, lasting, number, said, saidIn, t } from "./words.js";
import { languageOf } from "./text.js";
import { Passage } from "./marked.js";

const PATHS = {
  ask: "M4 5h16v11H9l-5 4z",
  documents: "M6 3h8l4 4v14H6zM14 3v5h4M9 12h6M9 16h6",
  entities: "M12 8a3.5 3.5 0 1 0 0-.01M5 20c1-4 4-6 7-6s6 2 7 6",
  communities: "M12 4v5M12 9H6v5M12 9h6v5M4 14h4v5H4zM16 14h4v5h-4zM10 14h4v5h-4zM12 9v5",
  map: "M4 6l5-2 6 2 5-2v14l-5 2-6-2-5 2zM9 4v14M15 6v14",
  library: "M5 4h4v16H5zM9 4h4v16H9zM14 5l4-1 3 15-4 1z",
  trends: "M4 19V5M4 19h16M7 15l4-5 3 3 5-7",
  status: "M3 12h4l3-7 4 14 3-7h4",
  close: "M6 6l12 12M18 6L6 18",
  up: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  back: "M15 5l-7 7 7 7",
  forth: "M9 5l7 7-7 7",
  plus: "M12 5v14M5 12h14",
  good: "M7 11v9H4v-9zM7 11l4-8c2 0 3 1 2.5 3.500L13 10h6l1 1-2 8-1 1H7",
  bad: "M7 13V4H4v9zM7 13l4 8c2 0 3-1 2.500-3.500L13 14h6l1-1-2-8-1-1H7",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  columns: "M4 4h16v16H4zM12 4v16",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
  person: "M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 4-7 8-7s8 3 8 7",
  moon: "M20 14a8 8 0 1 1-10-10 6.500 6.500 0 0 0 10 10z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  refresh: "M20 12a8 8 0 1 1-3-6.200M20 3v5h-5",
  menu: "M4 7h16M4 12h16M4 17h16",
  mark: "M7 4h10v16l-5-4-5 4z",
};
export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;

export const Button = ({ icon, children, class: kind = "", ...rest }) =>
  html`<button type="button" class=${`button ${kind}`} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}${children}
  </button>`;

export const Round = ({ icon, label, class: kind = "", ...rest }) =>
  html`<button type="button" class=${`round ${kind}`} aria-label=${label} title=${label} ...${rest}>
    <${Icon} name=${icon} />
  </button>`;

export const Skeleton = ({ lines = 3 }) =>
  html`<div class="skeleton" role="status" aria-label=${t("loading")}>
    ${Array.from({ length: lines }, (_, place) => html`<i key=${place} class=${`w${place % 4}`}></i>`)}
  </div>`;

export const Empty = ({ title, children }) =>
  html`<div class="empty">
    <p class="empty-title">${title}</p>
    ${children}
  </div>`;

/** What went wrong: its kind in the language of the page where that is not English, and the server's own sentence. */
export function Told({ error }) {
  if (error.kind === "offline") return html`<p>${t("offline")}</p>`;
  const kind = languageNow() !== "en" && t(`problem.${error.kind}`);
  return html`${kind && !kind.startsWith("problem.") && html`<p><strong>${kind}</strong></p>`}
    <p lang=${saidIn(error.detail)}>${error.message}</p>`;
}

export function Trouble({ error, again }) {
  if (!error) return null;
  return html`<div class="trouble" role="alert">
    <${Told} error=${error} />
    ${again && html`<${Button} icon="refresh" onClick=${again}>${t("again")}</${Button}>`}
  </div>`;
}

/** Loads something; loads it again when `keys` change. What was there stays until the new is there, unless `fresh`. */
export function useLoad(load, keys, fresh = false) {
  const [state, setState] = useState({ value: null, error: null, busy: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const mine = new AbortController();
    setState((old) => ({ value: fresh ? null : old.value, error: null, busy: true }));
    Promise.resolve(load(mine.signal)).then(
      (value) => {
        if (!mine.signal.aborted) setState({ value, error: null, busy: false });
      },
      (error) => {
        if (!mine.signal.aborted) setState({ value: null, error, busy: false });
      },
    );
    return () => mine.abort();
  }, [...keys, turn]);
  return { ...state, again: useCallback(() => setTurn((old) => old + 1), []) };
}

/** A list that grows page by page. */
export function useList(path, given) {
  const key = JSON.stringify([path, given]);
  const [state, setState] = useState({ key, items: null, next: null, error: null, busy: true });
  const load = (after, items) => {
    setState((old) => ({ ...old, busy: true, error: null }));
    // a page that comes when another list is shown is not of it
    const mine = (change) => setState((old) => (old.key === key ? { ...old, ...change(), busy: false } : old));
    return get(path, { ...given, after }).then(
      (page) => mine(() => ({ items: [...items, ...page.items], next: page.next ?? null, error: null })),
      (error) => mine(() => ({ error })),
    );
  };
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let left = false;
    setState((old) => ({ ...old, busy: true, error: null }));
    get(path, given).then(
      (page) => {
        if (!left) setState({ key, items: page.items, next: page.next ?? null, error: null, busy: false });
      },
      (error) => {
        if (!left) setState({ key, items: null, next: null, error, busy: false });
      },
    );
    return () => {
      left = true;
    };
  }, [key, turn]);
  return {
    ...state,
    more: () => state.next && !state.busy && load(state.next, state.items ?? []),
    again: () => setTurn((old) => old + 1),
  };
}

export const More = ({ list }) =>
  list.next && html`<p class="more"><${Button} onClick=${list.more} disabled=${list.busy}>${t("more")}</${Button}></p>`;

/** A value that follows another when it has been at rest. */
export function useRest(value, ms = 140) {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

/** A dialog that takes the focus and gives it back. */
export function Dialog({ title, close, children, class: kind = "" }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    box.current.showModal();
    // what is to be filled in, else the dialog itself: not the button that closes it
    (box.current.querySelector("[autofocus]") ?? box.current.firstElementChild).focus();
    return () => opener?.isConnected && opener.focus();
  }, []);
  return html`<dialog
    ref=${box}
    class=${kind}
    aria-labelledby="dialog-title"
    onCancel=${(event) => {
      event.preventDefault();
      close();
    }}
    onClick=${(event) => event.target === box.current && close()}
  >
    <div class="dialog" tabindex="-1">
      <header>
        <h2 id="dialog-title">${title}</h2>
        <${Round} icon="close" label=${t("close")} onClick=${close} />
      </header>
      ${children}
    </div>
  </dialog>`;
}

/** Tabs by the pattern of ARIA: arrows move, the panel is named by its tab. */
export function Tabs({ name, tabs, chosen, choose, children }) {
  const keys = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const place = (tabs.findIndex(([id]) => id === chosen) + by + tabs.length) % tabs.length;
    choose(tabs[place][0]);
    event.currentTarget.children[place].focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${name} onKeyDown=${keys}>
      ${tabs.map(
        ([id, label, count]) =>
          html`<button
            type="button"
            role="tab"
            key=${id}
            id=${`tab-${id}`}
            aria-selected=${String(id === chosen)}
            aria-controls=${`panel-${id}`}
            tabindex=${id === chosen ? 0 : -1}
            onClick=${() => choose(id)}
          >
            ${label}${count !== undefined && html` <span class="count">${typeof count === "number" ? number(count) : count}</span>`}
          </button>`,
      )}
    </div>
    ${children && html`<div role="tabpanel" id=${`panel-${chosen}`} aria-labelledby=${`tab-${chosen}`}>${children}</div>`}`;
}

/** The head of a column that rows are sorted by: up, down, and by a third press as they came. */
export function SortHead({ column, label, sort, setSort, isNumber = false, isLatestFirst = isNumber, class: kind = "" }) {
  const isBy = sort.by === column;
  const next = !isBy
    ? { by: column, down: isLatestFirst }
    : sort.down === isLatestFirst
      ? { by: column, down: !isLatestFirst }
      : { by: null, down: false };
  const state = isBy ? (sort.down ? "descending" : "ascending") : "none";
  return html`<th scope="col" class=${`${isNumber ? "right" : ""} ${kind}`.trim()} aria-sort=${state}>
    <button type="button" class="sort" onClick=${() => setSort(next)}>
      ${label}<span aria-hidden="true">${isBy ? (sort.down ? "▾" : "▴") : ""}</span>
    </button>
  </th>`;
}

/** A sentence of a document; a click opens it where it stands. */
export function Quote({ sentence, open, n }) {
  return html`<button
    type="button"
    class="quote"
    onClick=${(event) => open(sentence, event.currentTarget)}
    lang=${languageOf(sentence.text)}
  >
    ${n !== undefined && [n].flat().map((one) => html`<span class="cite" key=${one} aria-hidden="true">${one}</span>`)}<span><${Passage} sentence=${sentence} /></span>
  </button>`;
}

/** Opens what a text unit says, marked: citations of the library and claims know their unit and their words. */
export async function openInUnit(workspace, id, text, open) {
  try {
    const unit = await get(at(workspace, "units", id));
    const from = Math.max(0, unit.text.indexOf(text));
    const words = unit.text.startsWith(text, from) ? text : unit.text;
    const start = unit.start + [...unit.text.slice(0, from)].length;
    open({ document: unit.document, start, end: start + [...words].length, text: words });
  } catch (error) {
    say(error.message);
  }
}

/** A curve in a line, or with an axis below it. */
export function Curve({ values, labels, tall }) {
  const [width, height] = tall ? [640, 120] : [110, 24];
  const most = Math.max(...values, 1e-9);
  const x = (place) => (values.length < 2 ? width / 2 : 2 + (place * (width - 4)) / (values.length - 1));
  const y = (value) => height - 2 - (value / most) * (height - 6);
  const points = values.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const told = labels ? `${labels[0]} – ${labels.at(-1)}` : "";
  return html`<figure class=${tall ? "curve tall" : "curve"}>
    <svg
      viewBox=${`0 0 ${width} ${height}`}
      role="img"
      aria-label=${t("curve", { span: told })}
      preserveAspectRatio="none"
    >
      <polygon class="area" points=${`2,${height} ${points} ${width - 2},${height}`} />
      <polyline points=${points} vector-effect="non-scaling-stroke" />
    </svg>
    ${tall && labels && html`<figcaption><span>${labels[0]}</span><span>${labels[Math.floor(labels.length / 2)]}</span><span>${labels.at(-1)}</span></figcaption>`}
  </figure>`;
}

const listeners = new Set();
/** Says something at the edge of the page for a while; `action` is [label, function]. */
export const say = (text, action) => listeners.forEach((listen) => listen({ text, action, id: Math.random() }));
export function Toasts() {
  const [toast, setToast] = useState(null);
  useEffect(() => {
    listeners.add(setToast);
    return () => listeners.delete(setToast);
  }, []);
  useEffect(() => {
    if (!toast) return undefined;
    const timer = setTimeout(() => setToast(null), toast.action ? 12000 : 5000);
    return () => clearTimeout(timer);
  }, [toast]);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${
      toast &&
      html`<div class="toast" key=${toast.id}>
        <span>${toast.text}</span>${
          toast.action &&
          html`<button
            type="button"
            onClick=${() => {
              setToast(null);
              toast.action[1]();
            }}
          >
            ${toast.action[0]}
          </button>`
        }
      </div>`
    }
  </div>`;
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say(t("copied"));
  } catch {
    say(t("copy.failed"));
  }
}

const OVER = ["done", "failed", "stopped"];
/** Follows a job until it is over; tells each change. */
export async function follow(workspace, id, tell, signal) {
  for (let tries = 0; tries < 600 && !signal?.aborted; tries++) {
    try {
      const response = await call(at(workspace, "jobs", id, "events"), { signal });
      let asked = 0;
      for await (const [,] of events(response)) {
        if (signal?.aborted) return null;
        // events come by the hundred; its state is asked for a few times a second, and once more at the end
        if (Date.now() - asked < 200) continue;
        asked = Date.now();
        tell(await get(at(workspace, "jobs", id)));
      }
    } catch (error) {
      if (error.name === "AbortError") return null;
    }
    const job = await get(at(workspace, "jobs", id));
    tell(job);
    if (OVER.includes(job.state)) return job;
    await new Promise((go) => setTimeout(go, 1000));
  }
  return null;
}

/** Modules that were loaded after the first screen, by name. */
const loaded = new Map();
/** How long it takes until one that could not be loaded is tried again, in milliseconds. */
const AGAIN = 2000;

/**
 * A module that the first screen does without: loaded when that is shown; nothing until it is there, or
 * without a name.
 */
export function useModule(name) {
  const [module, setModule] = useState(loaded.get(name) ?? null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (module || !name) return undefined;
    let left = false;
    let timer = 0;
    // some browsers remember what could not be loaded: the next try has another address
    import(`./${name}.js${tries ? `?again=${tries}` : ""}`).then(
      (found) => {
        loaded.set(name, found);
        if (!left) setModule(found);
      },
      () => {
        if (!left) timer = setTimeout(() => setTries(tries + 1), AGAIN);
      },
    );
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [name, tries]);
  return module;
}

/** A stage of a job or a step of a search in the language of the page, where that has words for it. */
export const stageOf = (stage) => {
  const key = `stage.${stage}`;
  const word = t(key);
  return word === key ? said(stage) : word;
};

/** A job on its way: stage, share, time left; to cancel, or to try again. */
export function JobBar({ workspace, id, ended, close }) {
  const [job, setJob] = useState(null);
  useEffect(() => {
    const mine = new AbortController();
    let last = 0;
    follow(
      workspace,
      id,
      (now) => {
        if (Date.now() - last > 200 || OVER.includes(now.state)) {
          last = Date.now();
          setJob(now);
        }
      },
      mine.signal,
    )
      .then((job) => job && ended?.(job))
      .catch(() => {});
    return () => mine.abort();
  }, [workspace, id]);
  if (!job) return html`<div class="job"><${Skeleton} lines=${1} /></div>`;
  const share = job.total > 0 ? job.done / job.total : null;
  const isOver = OVER.includes(job.state);
  // what a run could not read or do, told when it is over
  const problems = (isOver && job.report?.problems) || [];
  return html`<div class=${`job ${job.state}`}>
    <div class="job-line">
      <strong>${t(`job.${job.kind}`)}</strong>
      <span class="faint"
        >${isOver ? t(`state.${job.state}`) : job.stage ? stageOf(job.stage) : t(`state.${job.state}`)}${!isOver && share !== null && ` · ${number(job.done)} / ${number(job.total)}`}${!isOver && job.eta_s ? ` · ${t("job.left", { time: lasting(job.eta_s) })}` : ""}</span
      >
      ${
        !isOver &&
        html`<${Button} onClick=${() =>
          send("POST", at(workspace, "jobs", id, "cancel"), {})
            .then(setJob)
            .catch((error) => say(error.message))}>${t("cancel")}</${Button}>`
      }${isOver && close && html`<${Round} icon="close" class="small" label=${t("close")} onClick=${close} />`}
    </div>
    ${!isOver && html`<progress max="1" value=${share ?? undefined} aria-label=${t(`job.${job.kind}`)}></progress>`}
    ${job.problem && html`<p class="bad" lang=${saidIn(job.problem)}>${said(job.problem)}</p>`}
    ${
      problems.length > 0 &&
      html`<p class="bad">${t(job.kind === "upload" ? "job.unread" : "job.problems", { n: problems.length })}</p>
        <ul class="notes">
          ${problems.slice(0, 20).map((problem) => html`<li key=${problem} lang=${saidIn(problem)}>${said(problem)}</li>`)}
          ${problems.length > 20 && html`<li class="faint">${t("and.more", { n: problems.length - 20 })}</li>`}
        </ul>`
    }
  </div>`;
}

/** A type of entities: those that we give have words of their own in each language, others are as they are. */
export const kindOf = (kind) => {
  if (!kind) return t("kind.none");
  const key = `kind.${kind.toLowerCase()}`;
  const word = t(key);
  return word === key ? kind.toLowerCase().replaceAll("_", " ") : word;
};
export const Kind = ({ kind }) => html`<span class="kind">${kindOf(kind)}</span>`;
