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
    ? "?"
    : value === 0
      ? "0 $"
      : value < 0.01
        ? `${value.toFixed(5)} $`
        : `${value.toFixed(2)} $`;
