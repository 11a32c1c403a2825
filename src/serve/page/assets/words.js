// The words of the page, one file a language. `t(key, { n: 3 })` puts values in; `{n|one|many}` chooses by number.
import en from "./en.js";
import zh from "./zh.js";

export const LANGUAGES = { en, zh };
const keep = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch {
    /* not kept, then */
  }
};
const kept = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

let language = LANGUAGES[kept("language")]
  ? kept("language")
  : (navigator.languages ?? [navigator.language]).some((tag) => tag.startsWith("zh")) &&
      !String(navigator.language).startsWith("en")
    ? "zh"
    : "en";

/** What the server says, as [pattern, names of its places, the same in the page's language]; nothing in English, its own. */
let sentences = [];
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Loads the sentences of the server in the page's language. */
export async function loadSentences() {
  if (language === "en" || sentences.length) return;
  const { default: pairs } = await import("./zh-said.js");
  sentences = pairs.map(([english, own]) => {
    const parts = english.split(/\{(\w+)\}/);
    const names = parts.filter((_, place) => place % 2 === 1);
    const pattern = parts.map((part, place) => (place % 2 ? "(.*?)" : escaped(part))).join("");
    return [new RegExp(`^${pattern}$`, "su"), names, own];
  });
}

function translated(text) {
  for (const [pattern, names, own] of sentences) {
    const hit = text.match(pattern);
    if (hit) return own.replace(/\{(\w+)\}/g, (whole, name) => (names.includes(name) ? hit[names.indexOf(name) + 1] : whole));
  }
  return null;
}

/** A sentence of the server in the page's language; as it came where there is no translation of it. */
export function said(text) {
  if (language === "en" || !text) return text;
  const whole = translated(text);
  if (whole !== null) return whole;
  // a reason behind the name of a file
  const border = text.indexOf(": ");
  const reason = border > 0 ? translated(text.slice(border + 2)) : null;
  return reason === null ? text : `${text.slice(0, border)}：${reason}`;
}

/** The language of what {@link said} gives. */
export const saidIn = (text) => (language !== "en" && said(text) === text ? "en" : undefined);

export const languageNow = () => language;
export function setLanguage(wanted) {
  language = wanted;
  keep("language", wanted);
  document.documentElement.lang = wanted === "zh" ? "zh-Hans" : "en";
}
export { keep, kept };

export function t(key, values) {
  const text = LANGUAGES[language][key] ?? en[key] ?? key;
  if (!values) return text;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) => {
    if (!(name in values)) return whole;
    const value = values[name];
    if (one !== undefined) return value === 1 ? one : many;
    return typeof value === "number" ? number(value) : String(value);
  });
}

export const number = (value) => value.toLocaleString(language === "zh" ? "zh-CN" : "en-GB");
export const time = (text) => {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? text
    : date.toLocaleString(language === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
};
export const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
export const lasting = (s) =>
  s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`;
export const dollars = (value) =>
  value === null || value === undefined
    ? "–"
    : value === 0
      ? "0 $"
      : value < 0.01
        ? `${value.toFixed(5)} $`
        : `${value.toFixed(2)} $`;
