// The library: standard answers, drafts that wait, what was asked in vain, and answers whose text has changed.
import { html, useEffect, useState } from "./vendor.js";
import { at, get, send } from "./server.js";
import { number, t } from "./words.js";
import { Button, Dialog, Empty, Kind, More, openInUnit, Quote, Round, say, Skeleton, Tabs, Trouble, useList, useLoad, useRest } from "./parts.js";
import { languageOf } from "./text.js";

function Editor({ workspace, entry, question, close, saved }) {
  const [draft, setDraft] = useState({ question: entry?.question ?? question ?? "", answer: entry?.answer ?? "" });
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const save = (status) => {
    setBusy(true);
    const work = entry
      ? send("POST", at(workspace, "library", "entries", entry.id), { ...draft, ...(status && { status }) })
      : send("POST", at(workspace, "library", "entries"), { ...draft, status: status ?? "draft" });
    work.then(
      (now) => {
        saved(now);
        close();
      },
      (failure) => {
        setError(failure);
        setBusy(false);
      },
    );
  };
  const isWhole = draft.question.trim() && draft.answer.trim();
  return html`<${Dialog} title=${entry ? entry.id : t("library.new")} close=${close} class="wide"><form onSubmit=${(
    event,
  ) => {
    event.preventDefault();
    if (isWhole) save();
  }}>
    <label class="field">${t("question")}<textarea rows="2" maxlength="2000" value=${draft.question} onInput=${(event) => setDraft({ ...draft, question: event.target.value })}></textarea></label>
    <label class="field">${t("answer")}<textarea rows="7" maxlength="20000" value=${draft.answer} onInput=${(event) => setDraft({ ...draft, answer: event.target.value })}></textarea></label>
    ${error && html`<${Trouble} error=${error} />`}
    <p class="row end"><${Button} onClick=${close}>${t("cancel")}</${Button}><button type="submit" class="button" disabled=${busy || !isWhole}>${t(entry ? "save" : "library.draft")}</button>
      ${(!entry || entry.status === "draft") && html`<${Button} class="first" disabled=${busy || !isWhole} onClick=${() => save("approved")}>${t("approve")}</${Button}>`}</p></form></${Dialog}>`;
}

function Entry({ workspace, entry, may, change, edit, open }) {
  const set = (status) =>
    send("POST", at(workspace, "library", "entries", entry.id), { status }).then(
      () => {
        change();
        say(t(`library.${status}`), [
          t("undo"),
          () => send("POST", at(workspace, "library", "entries", entry.id), { status: entry.status }).then(change),
        ]);
      },
      (error) => say(error.message),
    );
  const show = (citation, from) => openInUnit(workspace, citation.text_unit, citation.text, (sentence) => open(sentence, from));
  return html`<li class="card entry">
    <div class="row">
      <span class=${`state ${entry.status}`}>${t(`state.${entry.status}`)}</span
      ><span class="faint">${entry.id}</span>${entry.tags.map((tag) => html`<${Kind} key=${tag} kind=${tag} />`)}<span
        class="fill"
      ></span>
      ${
        may("write") &&
        html`${entry.status === "draft" && html`<${Button} class="first" onClick=${() => set("approved")}>${t("approve")}</${Button}>`}<${Button} icon="edit" onClick=${() => edit(entry)}>${t("edit")}</${Button}>
      ${entry.status === "draft" && html`<${Button} onClick=${() => set("retired")}>${t("discard")}</${Button}>`}${entry.status === "approved" && html`<${Button} onClick=${() => set("retired")}>${t("retire")}</${Button}>`}${entry.status === "retired" && html`<${Button} onClick=${() => set("approved")}>${t("bring.back")}</${Button}>`}`
      }
    </div>
    <h3 lang=${languageOf(entry.question)}>${entry.question}</h3>
    <p lang=${languageOf(entry.answer)}>${entry.answer}</p>
    ${
      entry.variants.length > 0 &&
      html`<details>
        <summary class="faint">${t("variants", { n: entry.variants.length })}</summary>
        <ul>
          ${entry.variants.map((one) => html`<li key=${one}>${one}</li>`)}
        </ul>
      </details>`
    }
    ${entry.rests_on.length > 0 && html`<div>${entry.rests_on.map((citation, place) => html`<${Quote} key=${place} n=${place + 1} sentence=${citation} open=${(_, from) => show(citation, from)} />`)}</div>`}
  </li>`;
}

function Entries(props) {
  const { workspace, status, turn, change, setEditing } = props;
  const [q, setQ] = useState("");
  const wanted = useRest(q.trim());
  const list = useList(at(workspace, "library"), { status, q: wanted, limit: 50 });
  useEffect(() => {
    if (turn) list.again();
  }, [turn]);
  if (list.error) return html`<${Trouble} error=${list.error} again=${list.again} />`;
  if (!list.items) return html`<${Skeleton} lines=${6} />`;
  return html`${(q || list.items.length > 0) && html`<p class="row"><input type="search" class="search" placeholder=${t("library.search")} aria-label=${t("library.search")} value=${q} onInput=${(event) => setQ(event.target.value)} /></p>`}
  ${
    list.items.length === 0
      ? html`<${Empty} title=${t(wanted ? "library.none.found" : `library.none.${status}`)}><p>${t("library.none.told")}</p></${Empty}>`
      : html`<ul class="entries">
          ${list.items.map((entry) => html`<${Entry} key=${entry.id} ...${props} entry=${entry} change=${change} edit=${setEditing} />`)}
        </ul>`
  }
  <${More} list=${list} />`;
}

function Misses({ workspace, may, misses, answer, address }) {
  if (misses.error) return html`<${Trouble} error=${misses.error} again=${misses.again} />`;
  if (!misses.value) return html`<${Skeleton} lines=${5} />`;
  const forget = (group) =>
    send("POST", at(workspace, "library", "misses", "forget"), { questions: group.questions }).then(misses.again, (error) =>
      say(error.message),
    );
  return misses.value.items.length === 0
    ? html`<${Empty} title=${t("misses.none")}><p>${t("misses.none.told")}</p></${Empty}>`
    : html`<div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col" class="right">${t("misses.times")}</th>
              <th scope="col">${t("question")}</th>
              <th scope="col">${t("misses.last")}</th>
              <th><span class="hidden">${t("actions")}</span></th>
            </tr>
          </thead>
          <tbody>
            ${misses.value.items.map(
              (group) =>
                html`<tr key=${group.questions[0]}>
                  <td class="right">${number(group.count)}</td>
                  <td>
                    <strong>${group.questions[0]}</strong
                    >${group.questions.slice(1, 6).map((question) => html`<div class="faint" key=${question}>${question}</div>`)}
                  </td>
                  <td>${group.last}</td>
                  <td>
                    <div class="row">
                      <a class="button" href=${`${address("ask")}?q=${encodeURIComponent(group.questions[0])}`}
                        >${t("ask")}</a
                      >${may("write") && html`<${Button} onClick=${() => answer(group.questions[0])}>${t("misses.answer")}</${Button}><${Round} icon="trash" class="small" label=${t("misses.forget")} onClick=${() => forget(group)} />`}
                    </div>
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
}

function Stale({ workspace, may, stale, change }) {
  if (stale.error) return html`<${Trouble} error=${stale.error} again=${stale.again} />`;
  if (!stale.value) return html`<${Skeleton} lines=${5} />`;
  const act = (entry, what) =>
    send("POST", at(workspace, "library", "entries", entry.id, ...(what ? [] : ["cite"])), what ?? {}).then(
      () => {
        stale.again();
        change();
      },
      (error) => say(error.message),
    );
  return stale.value.items.length === 0
    ? html`<${Empty} title=${t("stale.none")}><p>${t("stale.none.told")}</p></${Empty}>`
    : html`<ul class="entries">
        ${stale.value.items.map(
          (entry) =>
            html`<li class="card entry" key=${entry.id}>
              <div class="row">
                <span class="faint">${entry.id}</span
                ><span class="fill"></span>
                ${may("write") && html`<${Button} onClick=${() => act(entry)}>${t("stale.holds")}</${Button}><${Button} onClick=${() => act(entry, { status: "retired" })}>${t("retire")}</${Button}>`}
              </div>
              <h3>${entry.question}</h3>
              <p>${entry.answer}</p>
              ${entry.stale.map(
                (citation, place) =>
                  html`<div key=${place}>
                    <p class="faint">${citation.document}</p>
                    <div class="changed">
                      <div class="was">
                        <p class="faint">${t("stale.was")}</p>
                        <p lang=${languageOf(citation.was)}>${citation.was}</p>
                      </div>
                      <div class="now">
                        <p class="faint">${t("stale.now")}</p>
                        <p>${citation.now ?? t("stale.gone")}</p>
                      </div>
                    </div>
                  </div>`,
              )}
            </li>`,
        )}
      </ul>`;
}

export default function Library(props) {
  const { workspace, may, route, address } = props;
  const summary = useLoad(() => get(at(workspace, "library", "summary")), [workspace]);
  const misses = useLoad(() => get(at(workspace, "library", "misses"), { limit: 200 }), [workspace]);
  const stale = useLoad(() => get(at(workspace, "library", "stale")), [workspace]);
  const [editing, setEditing] = useState(null);
  const tab = route.fields.tab ?? "approved";
  // counts the changes made here: each lets the list be read again
  const [turn, setTurn] = useState(0);
  const change = () => {
    setTurn((old) => old + 1);
    summary.again();
  };
  const count = (list) => (list ? list.length : undefined);
  const tabs = [
    ["approved", t("library.entries"), summary.value?.approved],
    ["draft", t("library.drafts"), summary.value?.drafts],
    ["misses", t("misses"), count(misses.value?.items)],
    ["stale", t("stale"), count(stale.value?.items)],
    ["retired", t("library.retired.entries"), summary.value?.retired],
  ];
  return html`<div class="page"><header><h1>${t("screen.library")}</h1>${may("write") && html`<${Button} icon="plus" class="first" onClick=${() => setEditing({ isNew: true })}>${t("library.new")}</${Button}>`}</header>
    <p class="faint">${t("library.told")}</p>
    <${Tabs} name=${t("screen.library")} tabs=${tabs} chosen=${tab} choose=${(id) => {
      location.hash = `${address("library")}?tab=${id}`;
    }}>
      ${
        tab === "misses"
          ? html`<${Misses}
              ...${props}
              misses=${misses}
              answer=${(question) => setEditing({ isNew: true, question })}
            />`
          : tab === "stale"
            ? html`<${Stale} ...${props} stale=${stale} change=${change} />`
            : html`<${Entries}
                key=${tab}
                ...${props}
                status=${tab}
                turn=${turn}
                change=${change}
                setEditing=${setEditing}
              />`
      }</${Tabs}>
    ${
      editing &&
      html`<${Editor}
        workspace=${workspace}
        entry=${editing.isNew ? null : editing}
        question=${editing.question}
        close=${() => setEditing(null)}
        saved=${() => {
          change();
          stale.again();
        }}
      />`
    }</div>`;
}
