// The graph changed by hand: each change is shown before it is made, and can be taken back.
import { Fragment, html, useEffect, useRef, useState } from "./vendor.js";
import { at, get, send } from "./server.js";
import { said, t } from "./words.js";
import { Button, Dialog, Empty, follow, Kind, say, Skeleton, Trouble, useLoad, useRest } from "./parts.js";

/** Why two names may be one, in the language of the page; the server says it in English. */
const WHY = {
  "one name behind its owner's": "why.owned",
  "one surname, perhaps a courtesy name": "why.courtesy",
  "the same words": "why.words",
  "a letter or two apart": "why.letters",
  "one name holds the other": "why.holds",
  "a short form of the given name": "why.short",
};
const told = (why) => (WHY[why] ? t(WHY[why]) : why);

/** What the window is told after an edit and after its undoing: lists beside are read again. */
export const EDITED = "graph-edited";

/** Makes an edit and waits for the graph to follow; then offers the way back. */
export async function makeEdit(workspace, wish, done) {
  const job = await send("POST", at(workspace, "edits"), wish);
  const ended = await follow(workspace, job.id, () => {});
  if (ended?.state !== "done") {
    say(said(ended?.problem) ?? t("edit.failed"));
    return false;
  }
  const edit = ended.report?.edit;
  say(t(`edit.done.${wish.edit}`), edit ? [t("undo"), () => undoEdit(workspace, edit, done)] : undefined);
  dispatchEvent(new Event(EDITED));
  done?.(wish);
  return true;
}

export async function undoEdit(workspace, id, done) {
  try {
    const job = await send("DELETE", at(workspace, "edits", id));
    const ended = await follow(workspace, job.id, () => {});
    say(ended?.state === "done" ? t("undone") : (said(ended?.problem) ?? t("edit.failed")));
    dispatchEvent(new Event(EDITED));
    done?.();
  } catch (error) {
    say(error.message);
  }
}

function Preview({ workspace, wish }) {
  const rested = useRest(JSON.stringify(wish), 250);
  const isWhole = wish && Object.values(wish).every((value) => value.length > 0);
  const preview = useLoad(
    (signal) =>
      isWhole
        ? send("POST", `${at(workspace, "edits")}?dry_run=true`, JSON.parse(rested), { signal })
        : Promise.resolve(null),
    [rested],
  );
  if (!isWhole) return html`<p class="faint">${t("preview.waits")}</p>`;
  if (preview.error) return html`<p class="bad" role="alert">${preview.error.message}</p>`;
  const { value } = preview;
  if (!value) return html`<${Skeleton} lines=${2} />`;
  return html`<div class="card" role="status">
    <p>
      ${value.entities.map((one, place) => html`<${Fragment} key=${one.id}>${place > 0 && " + "}<strong>${one.name}</strong> <${Kind} kind=${one.kind} /></${Fragment}>`)}${value.shown && html` → <strong>${value.shown}</strong>`}
    </p>
    <p class="faint">
      ${t("preview.units", { n: value.text_units })} ·${" "}
      ${t("preview.relationships", { n: value.relationships })}${value.relationships_gone > 0 && html` · <span class="bad">${t("preview.gone", { n: value.relationships_gone })}</span>`}
    </p>
  </div>`;
}

/** Finds another entity by name. */
function Finder({ workspace, chosen, choose, except }) {
  const [q, setQ] = useState("");
  const rested = useRest(q.trim());
  const found = useLoad(
    (signal) =>
      rested ? get(at(workspace, "entities"), { q: rested, limit: 8 }, { signal }) : Promise.resolve({ items: [] }),
    [rested],
  );
  return html`<label class="field"
      >${t("entities.search")}<input
        type="search"
        value=${chosen ? chosen.name : q}
        onInput=${(event) => {
          choose(null);
          setQ(event.target.value);
        }}
        autofocus
    /></label>
    ${
      !chosen &&
      html`<ul class="chips finder">
        ${(found.value?.items ?? [])
          .filter((one) => one.id !== except)
          .map(
            (one) =>
              html`<li key=${one.id}>
                <button type="button" class="button" onClick=${() => choose(one)}>
                  ${one.name} <${Kind} kind=${one.kind} />
                </button>
              </li>`,
          )}
      </ul>`
    }`;
}

export function EditMenu({ workspace, entity, done, go }) {
  const [isOpen, setOpen] = useState(false);
  const [action, setAction] = useState(null);
  const [text, setText] = useState("");
  const [other, setOther] = useState(null);
  const [busy, setBusy] = useState(false);
  const box = useRef(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (event) => {
      if (!box.current?.contains(event.target)) setOpen(false);
    };
    addEventListener("pointerdown", leave);
    return () => removeEventListener("pointerdown", leave);
  }, [isOpen]);
  const begin = (name) => {
    setOpen(false);
    setOther(null);
    setText(
      { rename: entity.name, kind: entity.kind, description: entity.description, split: entity.aliases?.[0] ?? "" }[
        name
      ] ?? "",
    );
    setAction(name);
  };
  const { id, name } = entity;
  const wish = {
    rename: { edit: "rename", name: id, to: text.trim() },
    merge: { edit: "merge", names: other ? [id] : [], into: other?.id ?? "" },
    split: { edit: "split", name, from: text },
    delete: { edit: "delete", name: id },
    kind: { edit: "pin", name: id, property: "kind", value: text.trim() },
    description: { edit: "pin", name: id, property: "description", value: text.trim() },
  }[action];
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const isMade = await makeEdit(workspace, wish, done);
      setBusy(false);
      if (isMade) {
        setAction(null);
        if (action === "delete") go("entities");
        else if (action === "merge") go("e", other.id);
      }
    } catch (error) {
      say(error.message);
      setBusy(false);
    }
  };
  const actions = ["rename", "merge", ...(entity.aliases?.length ? ["split"] : []), "kind", "description", "delete"];
  return html`<div class="menu" ref=${box}><${Button} icon="edit" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${t("edit")}</${Button}>
      ${
        isOpen &&
        html`<ul class="popup below">
          ${actions.map((one) => html`<li key=${one}><button type="button" class=${one === "delete" ? "bad" : ""} onClick=${() => begin(one)}>${t(`edit.${one}`)}</button></li>`)}
        </ul>`
      }</div>
    ${
      action &&
      html`<${Dialog} title=${`${t(`edit.${action}`)}: ${name}`} close=${() => setAction(null)}><form onSubmit=${save}>
      ${action === "merge" && html`<${Finder} workspace=${workspace} chosen=${other} choose=${setOther} except=${id} />`}
      ${["rename", "kind"].includes(action) && html`<label class="field">${t(`edit.${action}.label`)}<input type="text" value=${text} maxlength="300" onInput=${(event) => setText(event.target.value)} autofocus /></label>`}
      ${action === "description" && html`<label class="field">${t("edit.description.label")}<textarea rows="6" maxlength="8000" value=${text} onInput=${(event) => setText(event.target.value)}></textarea></label>`}
      ${
        action === "split" &&
        html`<label class="field"
          >${t("edit.split.label")}<select value=${text} onChange=${(event) => setText(event.target.value)}>
            ${entity.aliases.map((alias) => html`<option key=${alias} value=${alias}>${alias}</option>`)}
          </select></label
        >`
      }
      ${action === "delete" && html`<p>${t("edit.delete.told")}</p>`}
      <div class="preview"><${Preview} workspace=${workspace} wish=${wish} /></div>
      <p class="row end">${busy && html`<span class="faint" role="status">${t("edit.working")}</span>`}<${Button} onClick=${() => setAction(null)}>${t("cancel")}</${Button}><button type="submit" class=${action === "delete" ? "button danger" : "button first"} disabled=${busy || !Object.values(wish).every((value) => value.length > 0)}>${t(`edit.${action}`)}</button></p></form></${Dialog}>`
    }`;
}

/** Pairs that may be one, decided by two keys; the next one comes while the graph follows. */
export function Duplicates({ workspace, may, actions, address }) {
  const pairs = useLoad(() => get(at(workspace, "duplicates"), { limit: 100 }), [workspace]);
  const [place, setPlace] = useState(0);
  const [queue, setQueue] = useState(0);
  const chain = useRef(Promise.resolve());
  const list = pairs.value?.items ?? [];
  const pair = list[place];
  // edits of one workspace go one after the other
  const put = (wish) => {
    setQueue((old) => old + 1);
    chain.current = chain.current
      .then(() => makeEdit(workspace, wish))
      .catch((error) => say(error.message))
      .finally(() => setQueue((old) => old - 1));
    setPlace((old) => old + 1);
  };
  const [stay, go] = pair
    ? pair.low.text_units >= pair.high.text_units
      ? [pair.low, pair.high]
      : [pair.high, pair.low]
    : [];
  const join = () => pair && may("write") && put({ edit: "merge", names: [go.key], into: stay.name });
  const apart = () => pair && may("write") && put({ edit: "split", name: pair.low.key, from: pair.high.key });
  const skip = (by) => setPlace((old) => Math.max(0, Math.min(list.length, old + by)));
  useEffect(() => {
    Object.assign(actions.current, { y: join, n: apart, j: () => skip(1), k: () => skip(-1) });
    return () => {
      for (const key of ["y", "n", "j", "k"]) delete actions.current[key];
    };
  });
  if (pairs.error) return html`<${Trouble} error=${pairs.error} again=${pairs.again} />`;
  if (!pairs.value) return html`<${Skeleton} lines=${6} />`;
  const card = (one) =>
    html`<div class=${one === stay ? "card current" : "card"} key=${one.id}>
      <h3><a href=${address("e", one.id)}>${one.name}</a></h3>
      <p><${Kind} kind=${one.kind} /></p>
      <p class="faint">${t("units.in", { n: one.text_units })} · ${t("relationships.n", { n: one.degree })}</p>
      ${one.description && html`<p>${one.description.slice(0, 280)}</p>`}
    </div>`;
  return html`<header>
      <h1>${t("duplicates")}</h1>
      ${pair && html`<span class="faint">${place + 1} / ${list.length}</span>`}${queue > 0 && html`<span class="faint" role="status">${t("edit.queue", { n: queue })}</span>`}
    </header>
    <p class="faint">${t("duplicates.told")}</p>
    ${
      !pair
        ? html`<${Empty} title=${list.length ? t("duplicates.done") : t("duplicates.none")}>${
            list.length > 0 &&
            html`<${Button} onClick=${() => {
              setPlace(0);
              pairs.again();
            }}>${t("again")}</${Button}>`
          }</${Empty}>`
        : html`<div class="pair">${card(pair.low)}<div class="between"><p>${told(pair.why)}</p>${pair.score !== undefined && html`<p>${Math.round(pair.score * 100)} %</p>`}${pair.reason && html`<p>${pair.reason}</p>`}</div>${card(pair.high)}</div>
      <p class="row"><${Button} class="first" disabled=${!may("write")} onClick=${join}>${t("duplicates.join")} <kbd>y</kbd></${Button}><${Button} disabled=${!may("write")} onClick=${apart}>${t("duplicates.apart")} <kbd>n</kbd></${Button}><${Button} onClick=${() => skip(1)}>${t("skip.pair")} <kbd>j</kbd></${Button}></p>`
    }`;
}

export function Edits({ workspace, may }) {
  const edits = useLoad(() => get(at(workspace, "edits")), [workspace]);
  const [busy, setBusy] = useState(null);
  if (edits.error) return html`<${Trouble} error=${edits.error} again=${edits.again} />`;
  if (!edits.value) return html`<${Skeleton} lines=${5} />`;
  const undo = async (id) => {
    setBusy(id);
    await undoEdit(workspace, id, edits.again);
    setBusy(null);
  };
  return html`<header><h1>${t("edits")}</h1></header>
    ${
      edits.value.items.length === 0
        ? html`<${Empty} title=${t("edits.none")}><p>${t("edits.none.told")}</p></${Empty}>`
        : html`<ul class="plain-list">
            ${[...edits.value.items]
              .reverse()
              .map(
                (edit) =>
                  html`<li key=${edit.id} class="row">
                    <${Kind} kind=${t(`edit.${edit.edit}`)} /><span
                      >${edit.names.join(" + ")}${edit.to && html` → <strong>${edit.to}</strong>`}</span
                    ><span class="fill"></span>
                    ${may("write") && html`<${Button} disabled=${busy === edit.id} onClick=${() => undo(edit.id)}>${t("undo")}</${Button}>`}
                  </li>`,
              )}
          </ul>`
    }`;
}
