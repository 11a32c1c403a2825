// Status: what there is, what is being done, what it cost, whether it is sound, and how to connect.
import { html, useState } from "./vendor.js";
import { at, get, send } from "./server.js";
import { dollars, lasting, number, said, saidIn, t, time } from "./words.js";
import { Button, copy, JobBar, Round, say, Skeleton, stageOf, Trouble, useLoad } from "./parts.js";

const COUNTS = [
  ["documents", "documents"],
  ["text_units"],
  ["entities", "entities"],
  ["relationships"],
  ["claims"],
  ["communities", "communities"],
  ["reports"],
];
const STALE = ["text_units", "summaries", "reports", "documents"];
const OPEN = ["queued", "running", "stopping"];

function Lines({ title, text, told }) {
  return html`<section>
    <div class="row">
      <h3>${title}</h3>
      <span class="fill"></span
      ><${Round} icon="copy" label=${t("copy.named", { name: title })} onClick=${() => copy(text)} />
    </div>
    ${told && html`<p class="faint">${told}</p>`}
    <pre tabindex="0"><code>${text}</code></pre>
  </section>`;
}

function Connections({ workspace, about }) {
  const base = location.href.split(/[?#]/)[0].replace(/\/$/, "");
  const token = about.needs_token ? " -H 'authorization: Bearer gw_…'" : "";
  return html`<h2>${t("connect")}</h2>
    <p class="faint">${t("connect.told")}</p>
    <${Lines}
      title="curl"
      text=${`curl -s ${base}/api/v1/workspaces/${workspace}/answers -H 'content-type: application/json'${token} \\\n  -d '{"question": "…"}'`}
    />
    <${Lines}
      title=${t("connect.openai")}
      told=${t("connect.openai.told")}
      text=${`base URL  ${base}/w/${workspace}/v1\nmodel     graphwright\nAPI key   ${about.needs_token ? "gw_…" : t("connect.any")}`}
    />
    <${Lines}
      title="MCP"
      told=${t("connect.mcp.told")}
      text=${JSON.stringify({ mcpServers: { graphwright: { url: `${base}/mcp`, ...(about.needs_token && { headers: { Authorization: "Bearer gw_…" } }) } } }, null, 2)}
    />
    <${Lines}
      title=${t("connect.vscode")}
      text=${JSON.stringify({ servers: { graphwright: { type: "http", url: `${base}/mcp`, ...(about.needs_token && { headers: { Authorization: "Bearer gw_…" } }) } } }, null, 2)}
    />
    <${Lines}
      title="Claude Code"
      text=${`claude mcp add --transport http graphwright ${base}/mcp${about.needs_token ? ' --header "Authorization: Bearer gw_…"' : ""}`}
    />
    <${Lines}
      title=${t("connect.link")}
      told=${t("connect.link.told")}
      text=${`${base}/#/w/${encodeURIComponent(workspace)}/ask?q=%s`}
    />`;
}

function Doctor({ workspace }) {
  const [state, setState] = useState({});
  const look = () => {
    setState({ busy: true });
    get(at(workspace, "doctor")).then(
      (value) => setState({ value }),
      (error) => setState({ error }),
    );
  };
  const { value } = state;
  return html`<h2>${t("doctor")}</h2><p class="row"><${Button} onClick=${look} disabled=${state.busy}>${t(state.busy ? "doctor.busy" : "doctor.look")}</${Button}>
      ${value && html`<span class=${value.sound ? "good" : "bad"} role="status">${value.sound ? t("doctor.sound", { n: value.checks }) : t("doctor.damaged")}</span>`}</p>
    ${state.error && html`<${Trouble} error=${state.error} again=${look} />`}
    ${
      value &&
      (!value.sound || value.waiting.length > 0) &&
      html`<ul class="notes">
        ${Object.entries(value.found).map(([check, found]) => html`<li key=${check}>${check.replaceAll("_", " ")}: ${number(found)}</li>`)}${value.waiting.map((what) => html`<li key=${what}>${t(`waiting.${what}`)}</li>`)}
      </ul>`
    }`;
}

/** What was made with other settings, and who writes. */
function Upkeep({ upkeep }) {
  if (upkeep.error) return html`<${Trouble} error=${upkeep.error} again=${upkeep.again} />`;
  const { stale, unfinished, workers } = upkeep.value;
  const old = stale ? STALE.filter((name) => stale[name] > 0) : [];
  return html`<ul class="notes upkeep">
    ${unfinished && html`<li class="bad">${t("unfinished")}</li>`}
    ${old.map((name) => html`<li key=${name}>${t(`stale.${name}`, { n: stale[name] })}</li>`)}
    ${old.length > 0 && html`<li>${t("stale.remedy")}</li>`}
    ${!stale && html`<li>${t("stale.unknown")}</li>`}
    ${stale && old.length === 0 && !unfinished && html`<li>${t("stale.nothing")}</li>`}
    ${workers.map((one) => html`<li key=${one.name}>${t("workers")}: ${one.name} · ${t(`worker.${one.role}`)}${one.text_units > 0 && ` · ${t("worker.units", { n: one.text_units })}`}</li>`)}
    ${workers.length === 0 && html`<li>${t("workers.none")}</li>`}
  </ul>`;
}

export default function Status(props) {
  const { workspace, about, me, may, address } = props;
  const info = useLoad(() => get(at(workspace)), [workspace]);
  const cost = useLoad(() => get(at(workspace, "cost")), [workspace]);
  const jobs = useLoad(() => get(at(workspace, "jobs"), { limit: 50 }), [workspace]);
  const upkeep = useLoad(() => get(at(workspace, "upkeep")), [workspace]);
  const ended = () => {
    info.again();
    jobs.again();
    cost.again();
    upkeep.again();
  };
  const begin = (kind) => send("POST", at(workspace, "jobs"), { kind }).then(jobs.again, (error) => say(error.message));
  const retry = (id) =>
    send("POST", at(workspace, "jobs", id, "retry"), {}).then(jobs.again, (error) => say(error.message));
  const open = (jobs.value?.items ?? []).filter((job) => OPEN.includes(job.state));
  const past = (jobs.value?.items ?? []).filter((job) => !OPEN.includes(job.state));
  // what was tried again is tried again from there
  const retried = new Set((jobs.value?.items ?? []).map((job) => job.retry_of));
  const { value } = info;
  // all at once: what comes later would push down what is read already
  const waits = [info, cost, jobs, upkeep].some((one) => !one.value && !one.error);
  return html`<div class="page">
    <header>
      <h1>${t("screen.status")}</h1>
      <span class="faint"
        >${workspace}${value && ` · ${t("generation", { n: value.generation })}`}${about && ` · graphwright ${about.version}`}${me && me.name !== "local" ? ` · ${me.name} (${t(`role.${me.role}`)})` : ""}${about?.read_only ? ` · ${t("read.only")}` : ""}</span
      >
    </header>
    ${waits ? html`<${Skeleton} lines=${14} />` : html`
    ${info.error && html`<${Trouble} error=${info.error} again=${info.again} />`}
    ${
      value &&
      html`<dl class="tiles">
          ${COUNTS.map(
            ([name, screen]) =>
              html`<div key=${name} class="tile">
                <dt>${screen ? html`<a href=${address(screen)}>${t(`count.${name}`)}</a>` : t(`count.${name}`)}</dt>
                <dd>${number(value[name] ?? 0)}</dd>
              </div>`,
          )}
        </dl>
        ${(value.pending > 0 || value.failed > 0) && html`<p class="notice">${value.pending > 0 && t("status.pending", { n: value.pending })} ${value.failed > 0 && t("status.failed", { n: value.failed })}</p>`}
        <p>
          ${value.has_model ? t("status.model") : t("status.plain")}${" "}
          ${value.unusable_models && html`<span class="bad">${t("status.unusable")}</span>`}
        </p>`
    }
    <${Upkeep} upkeep=${upkeep} />
    <h2>${t("jobs")}</h2>
    ${may("write") && html`<p class="row">${(about?.sources ?? []).length === 0 && html`<${Button} icon="refresh" onClick=${() => begin("refresh")}>${t("job.refresh")}</${Button}>`}<${Button} onClick=${() => begin("communities")}>${t("job.communities")}</${Button}></p>`}
    ${jobs.error && html`<${Trouble} error=${jobs.error} again=${jobs.again} />`}
    ${open.map((job) => html`<${JobBar} key=${job.id} workspace=${workspace} id=${job.id} ended=${ended} />`)}
    ${jobs.value && past.length === 0 && open.length === 0 && html`<p class="faint">${t("jobs.none")}</p>`}
    ${
      past.length > 0 &&
      html`<div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">${t("job")}</th>
              <th scope="col">${t("state")}</th>
              <th scope="col">${t("job.when")}</th>
              <th scope="col" class="right">${t("job.took")}</th>
              <th><span class="hidden">${t("actions")}</span></th>
            </tr>
          </thead>
          <tbody>
            ${past.slice(0, 15).map(
              (job) =>
                html`<tr key=${job.id}>
                  <td>${t(`job.${job.kind}`)}${job.retry_of && html` <span class="faint">${t("job.again")}</span>`}${job.problem && html`<div class="bad" lang=${saidIn(job.problem)}>${said(job.problem)}</div>`}</td>
                  <td><span class=${`state ${job.state}`}>${t(`state.${job.state}`)}</span></td>
                  <td>${time(job.made)}</td>
                  <td class="right">
                    ${job.began && job.ended ? lasting((new Date(job.ended) - new Date(job.began)) / 1000) : ""}
                  </td>
                  <td>
                    ${may("write") && ["failed", "stopped"].includes(job.state) && !retried.has(job.id) && html`<${Button} icon="refresh" onClick=${() => retry(job.id)}>${t("again")}</${Button}>`}
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`
    }
    <h2>${t("cost")}</h2>
    ${cost.error && html`<${Trouble} error=${cost.error} again=${cost.again} />`}
    ${
      cost.value &&
      (cost.value.stages.length === 0
        ? html`<p class="faint">${t("cost.none")}</p>`
        : html`<div class="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">${t("stage")}</th>
                  <th scope="col">${t("model")}</th>
                  <th scope="col" class="right">${t("cost.calls")}</th>
                  <th scope="col" class="right">${t("cost.cached")}</th>
                  <th scope="col" class="right">${t("cost.input")}</th>
                  <th scope="col" class="right">${t("cost.output")}</th>
                  <th scope="col" class="right">${t("cost.failures")}</th>
                  <th scope="col" class="right">${t("cost.price")}</th>
                </tr>
              </thead>
              <tbody>
                ${cost.value.stages.map(
                  (row) =>
                    html`<tr key=${`${row.stage} ${row.model}`}>
                      <td>${stageOf(row.stage)}</td>
                      <td>${row.model}</td>
                      <td class="right">${number(row.calls)}</td>
                      <td class="right">${number(row.cached)}</td>
                      <td class="right">${number(row.input_tokens)}</td>
                      <td class="right">${number(row.output_tokens)}</td>
                      <td class="right">${number(row.failures)}</td>
                      <td class="right">${row.cost > 0 ? dollars(row.cost) : "–"}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`)
    }
    ${
      cost.value?.days.length > 0 &&
      html`<h3>${t("cost.days")}</h3>
        <dl class="facts">
          ${cost.value.days.slice(0, 14).map(
            (day) =>
              html`<div key=${day.day}>
                <dt>${day.day}</dt>
                <dd>${dollars(day.dollars)}</dd>
              </div>`,
          )}
        </dl>`
    }
    <${Doctor} key=${workspace} workspace=${workspace} />
    ${about && html`<${Connections} workspace=${workspace} about=${about} />`}
    <p class="faint licences">
      <a href="assets/LICENSES.txt">${t("licences")}</a> · <a href="api/openapi.json">OpenAPI</a>
    </p>`}
  </div>`;
}
