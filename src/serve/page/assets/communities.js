// Communities: the hierarchy, and the report of one with the sentences that each finding rests on.
import { html, useEffect, useMemo, useRef, useState } from "./vendor.js";
import { at, get } from "./server.js";
import { number, t } from "./words.js";
import { Empty, Quote, Round, Skeleton, Tabs, Trouble, useLoad } from "./parts.js";
import { languageOf } from "./text.js";

/** Rows drawn at first, and more at a time as one scrolls. */
const ROWS = 80;

/** All rows of the hierarchy, page by page, the coarsest first. */
async function all(workspace, signal) {
  const rows = [];
  let after;
  do {
    const page = await get(at(workspace, "communities"), { limit: 500, after }, { signal });
    rows.push(...page.items);
    after = page.next;
  } while (after && rows.length < 20000);
  return rows;
}

function Branch({ row, children, chosen, address, open, toggle }) {
  const below = children.get(row.id) ?? [];
  const isOpen = open.has(row.id);
  return html`<li>
    <div class="tree-line">
      ${below.length > 0 ? html`<${Round} icon="forth" class="small" label=${t(isOpen ? "fold" : "unfold", { title: row.title })} aria-expanded=${String(isOpen)} onClick=${() => toggle(row.id)} />` : html`<span class="round small" aria-hidden="true"></span>`}
      <a href=${address("c", row.id)} aria-current=${chosen === row.id ? "true" : undefined}
        ><span class="name" title=${row.title} lang=${languageOf(row.title)}
          >${row.title || t("community.untitled")}</span
        ><span class="end">${number(row.size)}</span></a
      >
    </div>
    ${
      isOpen &&
      html`<ul class="tree">
        ${below.map((one) => html`<${Branch} key=${one.id} row=${one} children=${children} chosen=${chosen} address=${address} open=${open} toggle=${toggle} />`)}
      </ul>`
    }
  </li>`;
}

function One(props) {
  const { workspace, route, open, address } = props;
  const { value, error, again } = useLoad(
    () => get(at(workspace, "communities", route.id)),
    [workspace, route.id],
    true,
  );
  const [tab, setTab] = useState("report");
  const history = useLoad(
    () => (tab === "history" ? get(at(workspace, "communities", route.id, "history")) : Promise.resolve(null)),
    [workspace, route.id, tab],
  );
  const title = useRef(null);
  useEffect(() => {
    title.current?.closest(".detail")?.scrollTo(0, 0);
  }, [route.id]);
  if (error) return html`<${Trouble} error=${error} again=${again} />`;
  if (!value) return html`<${Skeleton} lines=${8} />`;
  // one that several records rest on is shown once a finding
  const findings = value.findings.map((finding) => ({
    ...finding,
    sentences: finding.sentences.filter(
      (one, place, all) => all.findIndex((other) => other.text === one.text) === place,
    ),
  }));
  const sentences = findings.flatMap((finding) => finding.sentences);
  const show = (place, from) =>
    open(sentences[place], from, {
      list: sentences.map((sentence, n) => ({ n: n + 1, sentence })),
      place,
      open: (next) => show(next),
    });
  let count = 0;
  const tabs = [
    ["report", t("report")],
    ["members", t("members"), value.size],
    ["history", t("history")],
  ];
  return html`<header ref=${title}><h1 lang=${languageOf(value.title)}>${value.title || t("community.untitled")}</h1></header>
    <p class="faint">${t("level", { n: value.level })} · ${t("size", { n: value.size })}${value.rank > 0 && html` · <span title=${value.rank_explanation}>${t("rank", { n: value.rank.toFixed(1) })}</span>`}${value.composed && ` · ${t("report.composed")}`}
      ${value.parent && html` · <a href=${address("c", value.parent)}>${t("community.above")}</a>`}</p>
    <${Tabs} name=${value.title} tabs=${tabs} chosen=${tab} choose=${setTab}>
      ${
        tab === "report" &&
        html`<p class="description" lang=${languageOf(value.summary)}>${value.summary}</p>
          ${findings.map(
            (finding, place) =>
              html`<section key=${place} class="finding">
                <h2 lang=${languageOf(finding.summary)}>${finding.summary}</h2>
                ${finding.explanation !== finding.summary && html`<p lang=${languageOf(finding.explanation)}>${finding.explanation}</p>`}
                ${finding.sentences.map((sentence) => {
                  const at = count++;
                  return html`<${Quote}
                    key=${at}
                    sentence=${sentence}
                    n=${at + 1}
                    open=${(_, from) => show(at, from)}
                  />`;
                })}
              </section>`,
          )}`
      }
      ${
        tab === "members" &&
        html`<ul class="chips">
            ${value.members.map((one) => html`<li key=${one.id}><a class="button" href=${address("e", one.id)}>${one.name}</a></li>`)}
          </ul>
          ${value.size > value.members.length && html`<p class="faint">${t("members.more", { n: value.size - value.members.length })}</p>`}`
      }
      ${
        tab === "history" &&
        (history.error
          ? html`<${Trouble} error=${history.error} again=${history.again} />`
          : !history.value
            ? html`<${Skeleton} lines=${3} />`
            : history.value.items.length === 0
              ? html`<p class="faint">${t("history.none")}</p>`
              : html`<ol class="plain-list">
                  ${history.value.items.map((step, place) => html`<li key=${place}><strong>${step.period}</strong> ${t(`event.${step.event}`)} · ${t("size", { n: step.size })} <span class="faint">${t("generation", { n: step.generation })}${step.others.length > 0 && `: ${step.others.join("; ")}`}</span></li>`)}
                </ol>`)
      }</${Tabs}>`;
}

export default function Communities(props) {
  const { workspace, route, address } = props;
  const rows = useLoad((signal) => all(workspace, signal), [workspace]);
  const [open, setOpen] = useState(new Set());
  const [q, setQ] = useState("");
  const [count, setCount] = useState(ROWS);
  const { children, byId } = useMemo(() => {
    const children = new Map();
    const byId = new Map();
    for (const row of rows.value ?? []) {
      byId.set(row.id, row);
      const key = row.parent ?? null;
      if (!children.has(key)) children.set(key, []);
      children.get(key).push(row);
    }
    return { children, byId };
  }, [rows.value]);
  // the way to the one that is shown is open
  useEffect(() => {
    if (!route.id || !byId.size) return;
    setOpen((old) => {
      const now = new Set(old);
      for (let row = byId.get(route.id); row?.parent; row = byId.get(row.parent)) now.add(row.parent);
      return now;
    });
  }, [route.id, byId]);
  const toggle = (id) =>
    setOpen((old) => {
      const now = new Set(old);
      if (!now.delete(id)) now.add(id);
      return now;
    });
  const wanted = q.trim().toLowerCase();
  const hits = wanted
    ? (rows.value ?? []).filter((row) => row.title.toLowerCase().includes(wanted)).slice(0, 100)
    : null;
  const roots = children.get(null) ?? [];
  const grow = (event) => {
    const box = event.currentTarget;
    if (!hits && count < roots.length && box.scrollHeight - box.scrollTop - box.clientHeight < 600) setCount(count + ROWS);
  };
  // the branch that is shown is drawn however far down it stands
  const rootOf = (id) => {
    let row = byId.get(id);
    while (row?.parent && byId.has(row.parent)) row = byId.get(row.parent);
    return row;
  };
  const drawn = Math.max(count, route.id ? roots.indexOf(rootOf(route.id)) + 1 : 0);
  return html`<div class=${route.id ? "split has-record" : "split"}>
    <div class="list">
      <header>
        <h1>${t("screen.communities")}</h1>
        <input
          type="search"
          placeholder=${t("communities.search")}
          aria-label=${t("communities.search")}
          value=${q}
          onInput=${(event) => setQ(event.target.value)}
        />
      </header>
      ${
        rows.error
          ? html`<${Trouble} error=${rows.error} again=${rows.again} />`
          : !rows.value
            ? html`<${Skeleton} lines=${8} />`
            : html`<ul class="rows tree" onScroll=${grow}>
                ${
                  hits
                    ? hits.map(
                        (row) =>
                          html`<li key=${row.id}>
                            <a href=${address("c", row.id)} aria-current=${route.id === row.id ? "true" : undefined}
                              ><span class="name">${row.title}</span><span class="end">${number(row.size)}</span
                              ><span class="told">${t("level", { n: row.level })}</span></a
                            >
                          </li>`,
                      )
                    : roots
                        .slice(0, drawn)
                        .map(
                          (row) =>
                            html`<${Branch}
                              key=${row.id}
                              row=${row}
                              children=${children}
                              chosen=${route.id}
                              address=${address}
                              open=${open}
                              toggle=${toggle}
                            />`,
                        )
                }
                ${(hits ?? roots).length === 0 && html`<li class="empty">${t("communities.none")}</li>`}${!hits && roots.length > drawn && html`<li><button type="button" class="link" onClick=${() => setCount(drawn + ROWS)}>${t("communities.more", { n: roots.length - drawn })}</button></li>`}
              </ul>`
      }
    </div>
    <div class="detail">
      <p class="narrow-only"><a href=${address("communities")}>${t("back")}</a></p>
      ${route.id ? html`<${One} ...${props} />` : html`<${Empty} title=${t("communities.choose")}><p>${t("communities.choose.told")}</p></${Empty}>`}
    </div>
  </div>`;
}
