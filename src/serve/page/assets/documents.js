// Documents: what there is and how far it has come; adding, removing, finding, sorting.
import { html, useRef, useState } from "./vendor.js";
import { at, call, get, send } from "./server.js";
import { dollars, number, said, saidIn, t, time } from "./words.js";
import { Button, Dialog, Empty, JobBar, More, Round, say, Skeleton, SortHead, Trouble, useList, useLoad, useRest } from "./parts.js";
import { One, Remove } from "./document.js";

const OPEN = ["queued", "running", "stopping"];
/** How the table was left, by workspace: whoever comes back from a document finds it so. */
const left = new Map();

/** What systems leave in folders, and what is hidden. */
const isHidden = (path) => path.split("/").some((part) => part.startsWith(".") || /^(thumbs\.db|desktop\.ini)$/i.test(part));

/** All files of what was dropped, folders gone through: each with its path from there. */
async function filesOf(transfer) {
  const files = [];
  const walk = async (entry) => {
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      files.push({ file, path: entry.fullPath.replace(/^\/+/, "") });
    } else if (entry.isDirectory) {
      const reader = entry.createReader();
      for (;;) {
        const some = await new Promise((done, failed) => reader.readEntries(done, failed));
        if (!some.length) break;
        for (const one of some) await walk(one);
      }
    }
  };
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return chosen(transfer.files);
  for (const entry of entries) await walk(entry);
  return files;
}

/** Files that were chosen, those of a folder with their paths in it. */
const chosen = (files) => [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));

// two files of one name in two folders are two documents
const formOf = (files) => {
  const form = new FormData();
  for (const { file, path } of files) form.append("file", file, path);
  return form;
};
const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** Before anything is paid: what the files would come to. */
function Upload({ workspace, files, close, started }) {
  const estimate = useLoad(
    (signal) =>
      call(`${at(workspace, "documents")}?dry_run=true`, { method: "POST", body: formOf(files), signal }).then(
        (reply) => reply.json(),
      ),
    [],
  );
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const begin = () => {
    setBusy(true);
    call(at(workspace, "documents"), { method: "POST", body: formOf(files) })
      .then((reply) => reply.json())
      .then(started, (failure) => {
        setError(failure);
        setBusy(false);
      });
  };
  const { value } = estimate;
  return html`<${Dialog} title=${t("upload.title", { n: files.length })} close=${close}>
    <p class="faint">${files
      .slice(0, 6)
      .map(({ path }) => path)
      .join(", ")}${files.length > 6 ? " …" : ""} · ${size(files.reduce((sum, { file }) => sum + file.size, 0))}</p>
    ${estimate.busy && html`<${Skeleton} lines=${3} />`}
    ${estimate.error && html`<${Trouble} error=${estimate.error} />`}
    ${
      value &&
      html`<dl class="facts">
          <div>
            <dt>${t("upload.documents")}</dt>
            <dd>${number(value.documents)}</dd>
          </div>
          <div>
            <dt>${t("upload.unchanged")}</dt>
            <dd>${number(value.documents_unchanged)}</dd>
          </div>
          ${
            value.documents_replaced > 0 &&
            html`<div>
              <dt>${t("upload.replaced")}</dt>
              <dd>${number(value.documents_replaced)}</dd>
            </div>`
          }
          <div>
            <dt>${t("upload.units")}</dt>
            <dd>${number(value.text_units)}</dd>
          </div>
          <div>
            <dt>${t("cost.calls")}</dt>
            <dd>${number(value.calls)}</dd>
          </div>
          <div>
            <dt>${t("tokens.all")}</dt>
            <dd>${number(value.input_tokens + value.output_tokens)}</dd>
          </div>
          <div>
            <dt>${t("cost.price")}</dt>
            <dd>
              ${value.calls === 0 ? t("cost.nothing") : value.without_price.length ? t("cost.unknown", { models: value.without_price.join(", ") }) : dollars(value.cost)}
            </dd>
          </div>
        </dl>
        ${
          value.problems.length > 0 &&
          html`<p>${t("upload.left.out", { n: value.problems.length })}</p>
            <ul class="notes">
              ${value.problems.map((problem) => html`<li key=${problem} lang=${saidIn(problem)}>${said(problem)}</li>`)}
            </ul>`
        }`
    }
    ${error && html`<${Trouble} error=${error} />`}
    <p class="row end"><${Button} onClick=${close}>${t("cancel")}</${Button}><${Button} class="first" disabled=${busy || estimate.busy || !value} onClick=${begin}>${t("upload.begin")}</${Button}></p></${Dialog}>`;
}

/** What the last run has changed, document by document. */
function Changes({ workspace, job, address }) {
  const { changes } = job.report;
  const count = { added: job.report.documents_added, changed: job.report.documents_changed, removed: job.report.documents_removed };
  // removed ones have no page any more
  const one = (kind, key) => (kind === "removed" ? key : html`<a href=${address("d", key)}>${key}</a>`);
  return html`<div class="changes">
    ${["added", "changed", "removed"]
      .filter((kind) => changes[kind]?.length)
      .map(
        (kind) =>
          html`<section key=${kind}>
            <h2>${t(`report.documents_${kind}`, { n: count[kind] })}</h2>
            <ul>
              ${changes[kind].map((key) => html`<li key=${key}>${one(kind, key)}</li>`)}
              ${count[kind] > changes[kind].length && html`<li class="faint">${t("and.more", { n: count[kind] - changes[kind].length })}</li>`}
            </ul>
          </section>`,
      )}
  </div>`;
}

const REPORT = ["documents_added", "documents_changed", "documents_removed", "documents_unchanged"];

function Table(props) {
  const { workspace, may, address, about } = props;
  const [{ q, state, sort }, setView] = useState(left.get(workspace) ?? { q: "", state: "", sort: { by: null, down: false } });
  const look = (change) =>
    setView((old) => {
      left.set(workspace, { ...old, ...change });
      return left.get(workspace);
    });
  const rested = useRest(q.trim());
  const order = sort.by ? `${sort.down ? "-" : ""}${sort.by}` : undefined;
  const list = useList(at(workspace, "documents"), { q: rested, state, sort: order, limit: 100 });
  const head = { sort, setSort: (wanted) => look({ sort: wanted }) };
  const jobs = useLoad(() => get(at(workspace, "jobs"), { limit: 20 }), [workspace]);
  const [mine, setMine] = useState([]);
  const [closed, setClosed] = useState([]);
  const [files, setFiles] = useState(null);
  const [removing, setRemoving] = useState(null);
  const [isOver, setOver] = useState(false);
  const [isChanges, setChanges] = useState(false);
  const picker = useRef(null);
  const folder = useRef(null);
  const has = (name) => list.items?.some((document) => document[name]);
  const started = (job) => {
    setFiles(null);
    setRemoving(null);
    setMine((old) => [job.id, ...old]);
  };
  const ended = () => {
    list.again();
    jobs.again();
  };
  const open = [
    ...new Set([...mine, ...(jobs.value?.items ?? []).filter((job) => OPEN.includes(job.state)).map((job) => job.id)]),
  ].filter((id) => !closed.includes(id));
  const last = jobs.value?.items.find(
    (job) => job.state === "done" && job.report && ["upload", "sync", "remove", "refresh"].includes(job.kind),
  );
  const begin = (work) => send("POST", at(workspace, "jobs"), work).then(started, (error) => say(error.message));
  const take = (found) => {
    const some = found.filter(({ path }) => !isHidden(path));
    if (some.length) setFiles(some);
  };
  const drop = may("write")
    ? {
        onDragOver: (event) => {
          event.preventDefault();
          setOver(true);
        },
        onDragLeave: (event) => {
          if (event.currentTarget === event.target) setOver(false);
        },
        onDrop: async (event) => {
          event.preventDefault();
          setOver(false);
          take(await filesOf(event.dataTransfer));
        },
      }
    : {};
  return html`<div class="page" ...${drop}>
    <header>
      <h1>${t("screen.documents")}</h1>
      ${about?.sources.length > 0 && may("write") && about.sources.map((source) => html`<${Button} key=${source} icon="refresh" onClick=${() => begin({ kind: "sync", source })}>${t("sync", { source })}</${Button}>`)}
      ${
        may("write") &&
        html`<${Button} icon="plus" class="first" onClick=${() => picker.current.click()}>${t("documents.add")}</${Button}>
        <input type="file" multiple hidden ref=${picker} tabindex="-1" aria-hidden="true" onChange=${(event) => {
          take(chosen(event.target.files));
          event.target.value = "";
        }} />`
      }
    </header>
    ${open.map((id) => html`<${JobBar} key=${id} workspace=${workspace} id=${id} ended=${ended} close=${() => setClosed((old) => [...old, id])} />`)}
    ${
      may("write") &&
      html`<div class=${isOver ? "drop over" : "drop"}>
        ${t("documents.drop")}${" "}
        <button type="button" class="link" onClick=${() => folder.current.click()}>${t("documents.folder")}</button>
        <input
          type="file"
          multiple
          webkitdirectory=${true}
          hidden
          ref=${folder}
          tabindex="-1"
          aria-hidden="true"
          onChange=${(event) => {
            take(chosen(event.target.files));
            event.target.value = "";
          }}
        />
      </div>`
    }
    <div class="row">
      <input
        type="search"
        class="search"
        placeholder=${t("documents.search")}
        aria-label=${t("documents.search")}
        value=${q}
        onInput=${(event) => look({ q: event.target.value })}
      />
      <select aria-label=${t("state")} value=${state} onChange=${(event) => look({ state: event.target.value })}>
        <option value="">${t("state.all")}</option>
        ${["done", "pending", "failed"].map((one) => html`<option key=${one} value=${one}>${t(`state.${one}`)}</option>`)}
      </select>
      <span class="fill"></span>
      ${state === "failed" && may("write") && list.items?.length > 0 && html`<${Button} icon="refresh" onClick=${() => begin({ kind: "refresh" })}>${t("retry.failed")}</${Button}>`}
      ${
        last &&
        html`<span class="faint"
            >${t("last.change", { time: time(last.ended) })}:${" "}
            ${
              REPORT.filter((name) => last.report[name])
                .map((name) => t(`report.${name}`, { n: last.report[name] }))
                .join(", ") || t("report.nothing")
            }</span
          >${last.report.changes && html`<button type="button" class="link" aria-expanded=${String(isChanges)} onClick=${() => setChanges(!isChanges)}>${t("last.change.show")}</button>`}`
      }
    </div>
    ${isChanges && last?.report.changes && html`<${Changes} workspace=${workspace} job=${last} address=${address} />`}
    ${list.error && html`<${Trouble} error=${list.error} again=${list.again} />`}
    ${!list.items && !list.error && html`<${Skeleton} lines=${8} />`}
    ${list.items?.length === 0 && !list.busy && html`<${Empty} title=${q || state ? t("documents.none.found") : t("documents.none")}>${!q && !state && html`<p>${t("documents.none.told")}</p>`}</${Empty}>`}
    ${
      list.items?.length > 0 &&
      html`<div class="scroll">
        <table>
          <thead>
            <tr>
              <${SortHead} ...${head} column="title" label=${t("document")} />
              <${SortHead} ...${head} column="state" label=${t("state")} />
              <${SortHead} ...${head} column="text_units" label=${t("units")} isNumber class="wide-only" />
              <${SortHead} ...${head} column="characters" label=${t("characters.head")} isNumber class="wide-only" />
              ${has("date") && html`<${SortHead} ...${head} column="date" label=${t("document.date")} isLatestFirst class="wide-only" />`}
              ${has("indexed_at") && html`<${SortHead} ...${head} column="indexed_at" label=${t("document.indexed")} isLatestFirst class="wide-only" />`}
              <th scope="col"><span class="hidden">${t("actions")}</span></th>
            </tr>
          </thead>
          <tbody>
            ${list.items.map(
              (document) =>
                html`<tr key=${document.id}>
                  <td>
                    <a href=${address("d", document.id)}>${document.title || document.key}</a
                    >${document.title && document.title !== document.key && html`<div class="faint one-line path" title=${document.key}><bdi>${document.key}</bdi></div>`}${document.error && html`<div class="bad">${document.error}</div>`}
                  </td>
                  <td><span class=${`state ${document.state}`}>${t(`state.${document.state}`)}</span></td>
                  <td class="right wide-only">${number(document.text_units)}</td>
                  <td class="right wide-only">${number(document.characters)}</td>
                  ${has("date") && html`<td class="wide-only time">${document.date ?? ""}</td>`}
                  ${has("indexed_at") && html`<td class="wide-only time">${document.indexed_at ? time(document.indexed_at) : ""}</td>`}
                  <td class="right">
                    ${may("write") && html`<${Round} icon="trash" class="small" label=${t("remove.title", { title: document.title || document.key })} onClick=${() => setRemoving(document)} />`}
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`
    }
    <${More} list=${list} />
    ${files && html`<${Upload} workspace=${workspace} files=${files} close=${() => setFiles(null)} started=${started} />`}
    ${removing && html`<${Remove} workspace=${workspace} document=${removing} close=${() => setRemoving(null)} started=${started} />`}
  </div>`;
}

export default function Documents(props) {
  return props.route.record === "d" && props.route.id
    ? html`<${One} key=${props.route.id} ...${props} />`
    : html`<${Table} ...${props} />`;
}
