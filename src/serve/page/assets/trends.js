// Trends: what is named more and more, less and less, for the first time and no more; each with its sentences.
import { html, useState } from "./vendor.js";
import { at, get } from "./server.js";
import { t } from "./words.js";
import { Button, Curve, Empty, Kind, Quote, Skeleton, Told, useLoad } from "./parts.js";
import { languageOf, shortPath } from "./text.js";

const LISTS = ["about", "rising", "falling", "new", "gone", "steady"];
const EVERY = ["", "day", "week", "month", "quarter", "year", "chapter"];
const sentenceOf = (source) => ({ ...source, document: { id: source.document, key: source.document, title: "" } });

const sourceOf = (sentence) => [sentence.date?.written, shortPath(sentence.document.key)].filter(Boolean).join(" · ");

function Row({ trend, every, open, isOpen, toggle, address, choose }) {
  const sentences = trend.sentences.reduce((sum, count) => sum + count, 0);
  const list = trend.sources.map(sentenceOf);
  const shown = list.slice(-6);
  const show = (place, from) =>
    open(list[place], from, {
      list: list.map((sentence, n) => ({ n: n + 1, sentence })),
      place,
      open: (next) => show(next),
    });
  return html`<li>
    <button type="button" class="trend" aria-expanded=${String(isOpen)} onClick=${toggle}>
      <span class="trend-name" lang=${languageOf(trend.name)}>${trend.name}</span
      ><${Kind} kind=${trend.type || t(`trend.${trend.kind}`)} /><span class="fill"></span>
      <span class="faint wide-only"
        >${trend.since === trend.until ? trend.since : `${trend.since} – ${trend.until}`}</span
      ><span class="faint wide-only">${t("sentences", { n: sentences })}</span
      ><${Curve} values=${trend.curve} labels=${trend.periods} />
    </button>
    ${
      isOpen &&
      html`<div class="trend-more">
        <${Curve} values=${trend.curve} labels=${trend.periods} tall />
        <p class="faint">
          ${t("trend.sure", { share: (trend.false_discovery * 100).toFixed(trend.false_discovery < 0.01 ? 2 : 0) })} ·${" "}
          ${t(every === "chapter" ? "trend.chapters" : "trend.documents", { n: trend.documents })}${" "}
          ${trend.bursts?.map((burst) => t(burst.from === burst.to ? "trend.burst.in" : "trend.burst", { from: burst.from, to: burst.to })).join(", ")}
          ${trend.kind === "entity" && html` · <a href=${address("e", trend.name)}>${t("show")}</a> · <button type="button" class="link" onClick=${() => choose(trend.name)}>${t("trend.about")}</button>`}
        </p>
        ${shown.map(
          (sentence, place) =>
            html`<div key=${place}>
              ${sourceOf(sentence) !== (place > 0 ? sourceOf(shown[place - 1]) : "") && html`<p class="faint source">${sourceOf(sentence)}</p>`}
              <${Quote}
                sentence=${sentence}
                open=${(_, from) => show(list.length - shown.length + place, from)}
              />
            </div>`,
        )}
      </div>`
    }
  </li>`;
}

export default function Trends(props) {
  const { workspace, open, address, route } = props;
  const [form, setForm] = useState({
    every: route.fields.every ?? "",
    from: "",
    to: "",
    about: route.fields.about ?? "",
  });
  const [asked, setAsked] = useState(form);
  const { value, error, busy, again } = useLoad(
    (signal) => get(at(workspace, "trends"), asked, { signal }),
    [workspace, JSON.stringify(asked)],
  );
  const [chosen, setChosen] = useState(null);
  const field = (name, size) =>
    html`<label class="field inline"
      >${t(`trends.${name}`)}<input
        type="text"
        size=${size}
        value=${form[name]}
        onInput=${(event) => setForm({ ...form, [name]: event.target.value })}
    /></label>`;
  const choose = (about) => {
    setForm({ ...form, about });
    setAsked({ ...form, about });
  };
  const lists = value ? LISTS.filter((name) => value[name]?.length > 0) : [];
  return html`<div class="page">
    <header><h1>${t("screen.trends")}</h1></header>
    <form
      class="row trend-form"
      onSubmit=${(event) => {
        event.preventDefault();
        setAsked({ ...form });
      }}
    >
      <label class="field inline"
        >${t("trends.every")}<select
          value=${form.every}
          onChange=${(event) => {
            const every = event.target.value;
            setForm({ ...form, every });
            setAsked({ ...form, every });
          }}
        >
          ${EVERY.map((one) => html`<option key=${one} value=${one}>${t(`every.${one || "auto"}`)}</option>`)}
        </select></label
      >
      ${field("from", 9)}${field("to", 9)}${field("about", 18)}<button type="submit" class="button">
        ${t("trends.show")}
      </button>
    </form>
    ${
      error &&
      html`<div class="empty">
        <p class="empty-title">${t("trends.cannot")}</p>
        ${error.detail?.startsWith("no document has a date") ? html`<p>${t("trends.no.dates")}</p>` : html`<${Told} error=${error} />`}
        ${
          asked.every !== "chapter" &&
          html`<p><${Button} onClick=${() => {
            setForm({ ...form, every: "chapter", from: "", to: "" });
            setAsked({ ...form, every: "chapter", from: "", to: "" });
          }}>${t("trends.by.chapter")}</${Button}></p>`
        }${asked.every === "chapter" && html`<p><${Button} onClick=${again}>${t("again")}</${Button}></p>`}
      </div>`
    }
    ${
      busy &&
      !value &&
      html`<p class="faint" role="status">${t("trends.counting")}</p>
        <${Skeleton} lines=${10} />`
    }
    ${
      value &&
      html`<p class="faint">
          ${t("trends.span", { from: value.periods[0]?.label ?? "", to: value.periods.at(-1)?.label ?? "", n: value.periods.length, every: t(`every.${value.every}`), tested: value.tested.entities })}${value.undated.count > 0 && ` · ${t("trends.undated", { n: value.undated.count })}`}
        </p>
        ${lists.length === 0 && html`<${Empty} title=${t("trends.none")} />`}
        ${(value.watched ?? []).map((fired) => html`<p class="notice" key=${fired.name}><strong>${fired.name}</strong> (${fired.when}): ${fired.says}</p>`)}
        ${lists.map(
          (name) =>
            html`<section key=${name}>
              <h2>${t(`trends.${name}.title`)} <span class="count">${value[name].length}</span></h2>
              <p class="faint">${t(`trends.${name}.told`)}</p>
              <ul class="trends">
                ${value[name].map((trend) => {
                  const id = `${name} ${trend.name}`;
                  return html`<${Row}
                    key=${id}
                    trend=${trend}
                    every=${value.every}
                    open=${open}
                    address=${address}
                    choose=${choose}
                    isOpen=${chosen === id || (name === "about" && chosen === null)}
                    toggle=${() => setChosen(chosen === id ? "" : id)}
                  />`;
                })}
              </ul>
            </section>`,
        )}
        ${
          value.changes?.length > 0 &&
          html`<section>
            <h2>${t("trends.changes")}</h2>
            <ul class="plain-list">
              ${value.changes.map((change, place) => html`<li key=${place}><strong>${change.period}</strong> ${t(`change.${change.what}`, { name: change.name })}${change.source && html`<${Quote} sentence=${sentenceOf(change.source)} open=${(sentence, from) => open(sentence, from)} />`}</li>`)}
            </ul>
          </section>`
        }`
    }
  </div>`;
}
