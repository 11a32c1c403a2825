//! What a question asks for and which words and names it brings, read from its shape. No model.

mod time;
pub mod names;
pub mod spelling;
pub mod filters;

use crate::domain::{Entity, FiscalCalendar, Period, is_person};
use crate::language::date_spans::DateSpan;
use crate::language::folding::{fold, simplify};
use crate::language::questions::{self, QuantityKind, stem};
use crate::language::synonymous::deed_and_object;
use crate::language::vocabulary::chinese::is_frequent_surname;
use crate::language::vocabulary::synonyms::PHRASES;
use crate::language::words::{is_han, segmenter};
use crate::language::{self, Language, unbroken};
use crate::language::{with_wide_marks, without_inner_spaces};
use std::collections::BTreeSet;
use time::TimeWords;

/// What kind of thing would answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// What someone or something is: "Who is X?", "X是谁？".
    Definition,
    /// Someone: "Who killed X?", "谁杀了X？".
    Person,
    /// Somewhere.
    Place,
    /// A point or span of time.
    Time,
    /// A number or an amount.
    Number,
    /// A cause or purpose.
    Reason,
    /// How several things belong together.
    Relation,
    /// What the whole is about: "What are the main themes?", "主要讲了什么？".
    Overview,
    /// Anything else.
    Thing,
}

/// What "how" may ask for.
const MEASURES: [&str; 8] = ["many", "much", "often", "long", "far", "old", "large", "high"];
/// Verbs that begin what a question says of its subject.
const AUXILIARIES: [&str; 14] =
    ["is", "are", "was", "were", "does", "do", "did", "has", "have", "had", "can", "could", "will", "would"];

/// Verbs that do the same and carry meaning of their own.
const MODALS: [&str; 5] = ["must", "may", "might", "should", "shall"];

/// Words that a question begins with, and what Chinese ones hold.
const ASKING: [&str; 9] = ["who", "whom", "whose", "what", "when", "where", "why", "how", "which"];
const ASKING_IN_CHINESE: [&str; 9] = ["谁", "誰", "什么", "什麼", "哪", "何", "几", "多少", "怎"];

/// Something that the question names, with every way to write it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamePatterns {
    /// Whole names, lower case, white space squeezed: name and aliases.
    pub whole: Vec<String>,
    /// Parts of names that may stand for the whole: surname, given name.
    pub parts: Vec<String>,
    /// The given name of a Chinese person, which stands for the whole where the whole stands nearby: 操 for 曹操.
    pub given: Option<String>,
    /// Whether the question writes it as a plain word: "revenue" is also what "revenues" says, and no one's name.
    pub is_word: bool,
}

/// A part of a year that figures are told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FiscalSpan {
    /// Three months.
    Quarter,
    /// The whole of it.
    Year,
}

impl FiscalSpan {
    /// The one that a flat text names; nothing where it names none or both.
    pub fn of(flat: &str) -> Option<Self> {
        let has = |forms: &[&str]| forms.iter().any(|form| flat.contains(form));
        let quarter = has(&["quarter", "季度", " q1", " q2", " q3", " q4"]);
        let year = has(&["full year", "for the year", "whole year", "full fiscal year", "whole of", "全年"]);
        match (quarter, year) {
            (true, false) => Some(Self::Quarter),
            (false, true) => Some(Self::Year),
            _ => None,
        }
    }
}

/// A question, taken apart.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what a question asks for goes together in any way")]
pub struct Question {
    /// As it was asked.
    pub written: String,
    /// As `fold` reads it.
    pub text: String,
    /// Its language.
    pub language: Language,
    /// What it asks for.
    pub asks: Asks,
    /// Stems of its words that carry meaning, those of names left out; sorted.
    pub stems: BTreeSet<String>,
    /// What is counted or asked for right behind "how many" and 几个, flat; empty where nothing is.
    pub counted: String,
    /// What it names.
    pub names: Vec<NamePatterns>,
    /// When what it asks about was, or was written: "in July 2019", "from 2016 to 2019".
    pub periods: Vec<Period>,
    /// The dates that it names, in the parts that it says, each with its bytes in the flat question: "on 12 March", 三月份.
    pub(in crate::query) dates: Vec<DateSpan>,
    /// Whether the newest counts: "now", "latest".
    pub newest: bool,
    /// Whether it asks how something went on over time.
    pub over_time: bool,
    /// Whether a number tells it, though it asks for none: how something grew, which of two is more.
    pub is_quantity: bool,
    /// What kind of number, where it says so.
    pub measure: Option<QuantityKind>,
    /// Who speaks, where it asks what somebody said: a place among `names`.
    pub speaker: Option<usize>,
    /// Whether it asks what somebody or something is called.
    pub asks_name: bool,
    /// Whether it asks where somebody comes from: 哪里人.
    pub asks_origin: bool,
    /// Which part of a year it asks about.
    pub span: Option<FiscalSpan>,
    /// What it asks of something, flat: the 妻子 of X的妻子是谁, the mayor of "Who is the mayor of X?".
    pub attribute: Option<String>,
    /// Whether it asks for several: "which people", 哪些人.
    pub is_list: bool,
    /// Whether it asks how something is done.
    pub asks_how: bool,
    /// Whether it asks by what means something was done: "How did they get in?".
    pub asks_means: bool,
    /// Whether it asks to compare things: "the difference between X and Y".
    pub compares: bool,
    /// The questions that it is made of, where these are several: "Who is X and what happens to him?".
    pub clauses: Vec<Self>,
}

impl Question {
    /// Takes a question apart; `named` are the entities that it names, `calendar` tells when its fiscal years begin.
    pub fn read(written: &str, named: &[Entity], calendar: FiscalCalendar) -> Self {
        let question = &*fold(written);
        let mut clauses: Vec<Self> = Vec::new();
        for clause in clauses_of(question) {
            let flat = flatten(clause);
            let is_named = |entity: &&Entity| {
                NamePatterns::of(entity).whole.iter().any(|name| questions::find_name(&flat, name).is_some())
            };
            let named: Vec<Entity> = named.iter().filter(is_named).cloned().collect();
            let mut read = Self::read_one(clause, &named, calendar);
            // "him" is whom the clause before named
            if let Some(before) = clauses.last().filter(|_| read.names.is_empty()) {
                read.names.clone_from(&before.names);
            }
            clauses.push(read);
        }
        if clauses.len() < 2 {
            clauses.clear();
        }
        let written = written.to_owned();
        Self { written, clauses, ..Self::read_one(question, named, calendar) }
    }

    /// What it is about, in its own words: without what makes it a question; where a verb of its own is left over, the
    /// question itself between quotation marks.
    pub fn about(&self) -> String {
        let text = self.written.trim().trim_end_matches(['?', '？', '.', '。', '!', '！', ' ']);
        if self.language == Language::Chinese {
            return text.to_owned();
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let carries = |word: &&str| {
            let word = word.to_lowercase();
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            !language::is_stop_word(word) && !ASKING.contains(&word)
        };
        let is = |word: &str, list: &[&str]| list.contains(&word.to_lowercase().as_str());
        // "how many barrels of oil are in stock" is about barrels of oil
        let asked = match words.as_slice() {
            [how, measure, rest @ ..] if is(how, &["how"]) && is(measure, &MEASURES) && !rest.is_empty() => {
                rest
            }
            all => all,
        };
        let first = asked.iter().position(carries).unwrap_or(0);
        // "how much was X fined" says something of X
        let skipped = asked.get(..first).unwrap_or_default();
        let is_passive = skipped.iter().any(|word| is(word, &AUXILIARIES))
            && asked.last().is_some_and(|word| questions::is_participle(word))
            // "the melting point of tungsten" ends in a noun
            && !asked.iter().rev().nth(1).is_some_and(|word| is(word, &["a", "an", "the", "of", "in", "on", "for", "to"]));
        let begins_with_modal =
            asked.get(first).is_some_and(|word| is(word, &MODALS) || first > 0 && is(word, &AUXILIARIES));
        // "how hot" asks for no thing
        let asks_degree = matches!(words.as_slice(), [how, degree, ..] if is(how, &["how"]) && !is(degree, &MEASURES) && !is(degree, &AUXILIARIES));
        let is_clause = is_passive
            || begins_with_modal
            || asks_degree
            || tells_deed(asked, first)
            || skipped.iter().any(|word| is(word, &["do", "does", "did"]))
            || (words.first().is_some_and(|word| is(word, &["who", "what"]))
                && asked
                    .get(first)
                    .is_some_and(|word| word.ends_with("ed") && word.chars().all(char::is_lowercase)));
        if is_clause {
            return format!("“{}”", self.text.trim());
        }
        let about = asked.get(first..).unwrap_or_default();
        let ends = |word: &&str| is(word, &AUXILIARIES) || is(word, &["be"]);
        let end = about.iter().position(ends).filter(|end| *end > 0);
        about.get(..end.unwrap_or(about.len())).unwrap_or_default().join(" ")
    }

    /// Whether it asks of what is yet to come: "When will it open?".
    pub(in crate::query) fn asks_of_plans(&self) -> bool {
        let flat = flatten(&self.text);
        let mut words = flat.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word == "will") || flat.contains(" going to ")
    }

    /// Whether it asks of a letter or a mail itself: who wrote it, to whom and when.
    pub(in crate::query) fn asks_of_letter(&self) -> bool {
        const WORDS: [&str; 14] = [
            "wrote",
            "write",
            "written",
            "writes",
            "sent",
            "send",
            "sender",
            "letter",
            "mail",
            "email",
            "e-mail",
            "subject",
            "signed",
            "addressed",
        ];
        let flat = flatten(&self.text);
        flat.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| WORDS.contains(&word))
            || ["写", "发件", "收件", "寄", "信", "邮件", "主题", "署名"]
                .iter()
                .any(|form| flat.contains(form))
    }

    /// Whether it asks for a day or an hour, or names a day.
    pub(in crate::query) fn asks_day(&self) -> bool {
        self.asks == Asks::Time || questions::tells_day(&flatten(&self.text))
    }

    /// Whether it asks who says something: whoever speaks there is the answer.
    pub(in crate::query) fn asks_who_speaks(&self) -> bool {
        const SPEAKS: [&str; 14] = [
            "asked",
            "asks",
            "ask",
            "wanted to know",
            "wants to know",
            "said",
            "says",
            "mentioned",
            "spoke",
            "thinks",
            "believes",
            "raised",
            "inquired",
            "told",
        ];
        let flat = flatten(&self.text);
        let who = flat.starts_with("who ") || flat.starts_with("which ");
        who && self.language != Language::Chinese
            && SPEAKS.iter().any(|form| questions::find_name(&flat, form).is_some())
    }

    /// Whether it, or one of those that it is made of, asks who, or for several.
    pub fn asks_for_somebody(&self) -> bool {
        let asks = |question: &Self| question.asks == Asks::Person || question.is_list;
        std::iter::once(self).chain(&self.clauses).any(asks)
    }

    fn read_one(question: &str, named: &[Entity], calendar: FiscalCalendar) -> Self {
        let language = language::language_of(question);
        let flat = flatten(question);
        let mut patterns: Vec<NamePatterns> = named
            .iter()
            .map(|entity| NamePatterns {
                is_word: is_plain_word(entity, question),
                ..NamePatterns::of(entity)
            })
            .collect();
        for (entity, pattern) in named.iter().zip(&mut patterns) {
            pattern.whole.extend(longer_name(entity, question));
        }
        patterns.retain(|name| !ends_in_verb(name, &flat));
        let words: Vec<String> = language::words(question);
        let has_meaning = |word: &String| !language::is_stop_word(word) && !questions::is_question_word(word);
        if patterns.is_empty() && language == Language::Chinese {
            patterns.extend(
                unknown_names(question)
                    .into_iter()
                    .map(|name| NamePatterns { whole: vec![name], ..NamePatterns::default() }),
            );
        }
        if patterns.is_empty()
            && let Some(term) = defined_term(&flat)
        {
            patterns.push(NamePatterns { whole: vec![term.to_owned()], ..NamePatterns::default() });
        }
        let in_names: BTreeSet<String> = patterns
            .iter()
            .flat_map(|name| &name.whole)
            .filter(|whole| flat.contains(whole.as_str()))
            .flat_map(|whole| language::words(whole))
            .collect();
        let open: Vec<&String> =
            words.iter().filter(|word| has_meaning(word) && !in_names.contains(*word)).collect();
        // "the CEO of Microsoft" names an office: somebody is asked for
        let office = patterns.len() > 1 && patterns.iter().any(|name| name.short_form().is_some());
        let asks = asks(&flat, patterns.len(), open.is_empty() && !office);
        let wanted = open.into_iter().map(|word| stem(word)).collect();
        let counted = counted(&flat);
        let time = TimeWords::read(question, calendar);
        let speaker = if asks == Asks::Thing { speaker(&flat, &patterns) } else { None };
        let text = question.to_owned();
        Self {
            speaker,
            written: text.clone(),
            asks_name: asks == Asks::Thing && asks_name(&flat),
            asks_origin: ["哪里人", "何处人", "哪儿人", "什么地方人", "老家", "籍贯", "故乡", "家乡"]
                .iter()
                .any(|form| flat.contains(form))
                || asks_whence(&flat),
            span: FiscalSpan::of(&flat),
            attribute: attribute(&flat),
            asks_how: asks == Asks::Thing && asks_how(&flat),
            asks_means: asks == Asks::Thing && !time.went_on && asks_means(&flat),
            compares: asks == Asks::Thing && compares(&flat),
            is_list: matches!(asks, Asks::Thing | Asks::Person | Asks::Place) && is_list(&flat),
            text,
            language,
            asks,
            stems: wanted,
            names: patterns,
            counted,
            newest: time.newest,
            over_time: time.went_on,
            is_quantity: asks == Asks::Thing
                && (is_quantity(&flat, time.went_on || time.periods.len() > 1)
                    || measure(&flat) == Some(QuantityKind::Version)),
            measure: measure(&flat).filter(|measure| match asks {
                Asks::Number | Asks::Thing => true,
                Asks::Time => *measure == QuantityKind::Year,
                _ => false,
            }),
            periods: time.periods,
            dates: time.dates,
            clauses: Vec::new(),
        }
    }
}

/// Whether an English question asks where somebody or something comes from.
fn asks_whence(flat: &str) -> bool {
    let words: Vec<&str> = flat.trim_end_matches(['?', '.', ' ']).split(' ').collect();
    match words.as_slice() {
        ["where", "do" | "does" | "did", .., "come" | "originate", "from"] => true,
        // "Where is the key read from?" asks for a file
        ["where", "is" | "are" | "was" | "were", name @ .., "from"] => {
            !name.iter().any(|word| ["the", "a", "an"].contains(word)) && name.len() <= 3
        }
        _ => false,
    }
}

/// A question cut before each further one that begins behind "and" or a mark between clauses.
fn clauses_of(question: &str) -> Vec<&str> {
    const MOST: usize = 8;
    const BORDERS: usize = 64;
    const BEGINNING: usize = 120;
    let opens = |word: &String| ASKING.contains(&word.as_str());
    let is_chinese_question = |clause: &str| ASKING_IN_CHINESE.iter().any(|form| clause.contains(form));
    let is_question = |clause: &str| language::words(clause).iter().any(opens) || is_chinese_question(clause);
    // each clause is searched for by itself, and whoever asks decides how long a question is
    let begins = |rest: &str| {
        let end = rest.char_indices().nth(BEGINNING).map_or(rest.len(), |(at, _)| at);
        let rest = rest.get(..end).unwrap_or(rest);
        language::words(rest).first().is_some_and(opens) || is_chinese_question(rest)
    };
    let borders = [" and ", "，", "；", "？", "; ", "? "];
    let borders = borders.into_iter().flat_map(|border| question.match_indices(border));
    let mut borders: Vec<(usize, usize)> = borders.map(|(at, found)| (at, at + found.len())).collect();
    borders.sort_unstable();
    let mut clauses = Vec::new();
    let mut start = 0;
    for (end, next) in borders.into_iter().take(BORDERS) {
        if clauses.len() + 1 == MOST {
            break;
        }
        let (Some(clause), Some(rest)) = (question.get(start..end), question.get(next..)) else { continue };
        if is_question(clause) && begins(rest) {
            clauses.push(clause);
            start = next;
        }
    }
    clauses.extend(question.get(start..));
    clauses
}

/// The term that "What is a community?" wants explained, where nothing of that name is known: one or two words.
fn defined_term(flat: &str) -> Option<&str> {
    let bare = flat.trim_end_matches(['?', '.', ' ']);
    let asked = ["what is a ", "what is an ", "what are ", "what's a ", "what's an ", "what is ", "define "];
    let term = asked.iter().find_map(|form| bare.strip_prefix(form))?;
    let words: Vec<&str> = term.split(' ').collect();
    let is_word = |word: &&str| {
        word.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !language::is_stop_word(word)
            && word.len() > 2
    };
    (words.len() <= 2 && words.iter().all(is_word)).then_some(term)
}

/// Whether a name ends in the verb that a flat English question asks with: "a ticket costs 30 crowns" has given the graph a
/// "ticket cost", and "what does a ticket cost?" does not ask for one.
fn ends_in_verb(name: &NamePatterns, flat: &str) -> bool {
    const VERBS: [&str; 4] = [" cost", " earn", " weigh", " mean"];
    const BEHIND: [&str; 8] = ["", "now", "today", "in", "at", "on", "for", "to"];
    let bare = flat.trim_end_matches(['?', '.', ' ']);
    let forms = ["what", "how much"].iter().flat_map(|what| ["does", "did", "do"].map(|verb| (*what, verb)));
    let mut forms = forms.map(|(what, verb)| format!("{what} {verb} "));
    let Some(asked) = forms.find_map(|form| bare.strip_prefix(&form)) else { return false };
    name.whole.iter().any(|whole| {
        let end = questions::find_name(asked, whole).map(|(_, end)| end);
        let behind = end.and_then(|end| asked.get(end..)).map(|rest| rest.split_whitespace().next());
        VERBS.iter().any(|verb| whole.ends_with(verb))
            && behind.is_some_and(|word| BEHIND.contains(&word.unwrap_or_default()))
    })
}

/// Chinese words of a question that may be names: nouns that the segmenter knows, and runs of single characters.
fn unknown_names(question: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let bare = before_counted(&questions::without_superlatives(&questions::without_asking(question)));
    let question = bare.as_str();
    // what is done, how or when it is names nothing
    let acts: BTreeSet<&str> = segmenter()
        .tag(question, false)
        .into_iter()
        .filter(|token| token.tag.starts_with(['v', 'a', 'd', 'p', 'm', 'q', 't', 'r', 'c']))
        .filter(|token| token.word.chars().count() > 1)
        .map(|token| token.word)
        .collect();
    let mut run = String::new();
    let end_run = |run: &mut String, names: &mut Vec<String>| {
        let name = without_verb(run);
        if name.chars().count() > 1 && deed_and_object(name).is_none() {
            names.push(name.to_owned());
        }
        run.clear();
    };
    for word in language::words(question) {
        let counts = word.starts_with(['第', '几', '多', '两', '一']);
        let free = counts
            || ["做", "当", "是", "在", "被", "把", "给", "让", "请", "对", "和", "与", "向", "上", "里"]
                .contains(&word.as_str())
            || language::is_stop_word(&word)
            || questions::is_question_word(&word)
            || acts.contains(word.as_str());
        match (free, word.chars().count()) {
            (false, 1) => match names.last_mut().filter(|_| run.is_empty()) {
                // the dictionary knows 沈文, and the text tells of 沈文远
                Some(name) if is_begun(name, &word, question) => name.push_str(&word),
                _ if question.contains(&format!("{run}{word}")) => run.push_str(&word),
                _ => end_run(&mut run, &mut names),
            },
            (true, _) => end_run(&mut run, &mut names),
            _ => {
                end_run(&mut run, &mut names);
                if deed_and_object(&word).is_none() {
                    names.push(word);
                }
            }
        }
    }
    end_run(&mut run, &mut names);
    // 二号楼 is one thing, and not 二号 as well
    let all = names.clone();
    names.retain(|name| !all.iter().any(|other| other != name && other.contains(name.as_str())));
    names
}

/// A run of single characters without the verb that it ends in, unless it may be somebody's name: 青禾 of 青禾干了十二年.
fn without_verb(run: &str) -> &str {
    const VERBS: &str = "干坐打住吃喝买卖拿找交付租借";
    let may_be_name = run.chars().count() > 2 && run.chars().next().is_some_and(is_frequent_surname);
    if may_be_name {
        return run;
    }
    run.trim_end_matches(|c| VERBS.contains(c))
}

/// A Chinese question with a space before a verb of one character that 了多少 or 了多长时间 stands behind, which is a space by then: the segmenter would join the 花 of
/// 还恩桥花了多少银子 to the name.
fn before_counted(question: &str) -> String {
    let counted = ["了多少", "了几", "了 "].iter().filter_map(|form| question.find(form)).min();
    let verb = counted.and_then(|at| question.get(..at)?.char_indices().next_back());
    match verb.filter(|(_, c)| is_han(*c)) {
        Some((at, _)) => {
            let (before, behind) = question.split_at(at);
            format!("{before} {behind}")
        }
        None => question.to_owned(),
    }
}

/// The name of a Chinese person of whom the graph knows two characters, where the question has a third behind them that
/// stands there in what the texts say of them, too, and is no verb: 沈文 of 沈文远于1921年创办.
fn longer_name(entity: &Entity, question: &str) -> Option<String> {
    let name = &*simplify(&entity.name);
    if name.chars().count() != 2 || !name.chars().next().is_some_and(is_frequent_surname) {
        return None;
    }
    let bare = questions::without_asking(question);
    let next = bare.split_once(name)?.1.chars().next().filter(|c| is_han(*c))?;
    let longer = format!("{name}{next}");
    let token = segmenter().tag(&bare, false).into_iter().find(|token| token.word.chars().eq([next]))?;
    let is_given = ["n", "a", "z", "j"].iter().any(|tag| token.tag.starts_with(tag));
    (is_given && simplify(&entity.description).contains(&longer)).then_some(longer)
}

/// Whether a word of two characters and the one behind it are the name of somebody.
fn is_begun(name: &str, next: &str, question: &str) -> bool {
    name.chars().count() == 2
        && name.chars().next().is_some_and(is_frequent_surname)
        && segmenter().tag(name, false).first().is_some_and(|token| token.tag.starts_with("nr"))
        && question.contains(&format!("{name}{next}"))
}

/// The words behind "how many" or 几个 / 多少.
fn counted(flat: &str) -> String {
    for form in ["how many ", "how much ", "number of ", "count of "] {
        if let Some((_, behind)) = flat.split_once(form) {
            return behind.split(' ').next().unwrap_or_default().trim_matches(['?', ',', '.']).to_owned();
        }
    }
    if flat.contains("how old") {
        return "years".to_owned();
    }
    for form in ["几个", "多少个", "几位", "多少", "几", "有多", "多"] {
        if let Some((before, behind)) = flat.split_once(form) {
            let told = behind.chars().take_while(|c| is_han(*c) && !"被在是于给".contains(*c));
            let told: Vec<char> = told.take(3).collect();
            return match told.as_slice() {
                // 走了几天才到 counts days, and nothing of what stands behind them
                [unit, ..] if "天年月日周岁次回遍趟".contains(*unit) => unit.to_string(),
                // 有多大 and 有多深 count nothing
                [size] if "大高长重远宽深久厚".contains(*size) => String::new(),
                [unit] if CLASSIFIERS.contains(*unit) => counted_before(before),
                [unit, noun @ ..] if CLASSIFIERS.contains(*unit) => noun.iter().collect(),
                all => all.iter().take(2).collect(),
            };
        }
    }
    String::new()
}

/// Words of measure that stand between a number and what it counts: 几张桌子.
pub(in crate::query) const CLASSIFIERS: &str = "张条名座家辆只匹本间头艘架台棵颗把件所栋幢扇顶幅篇封枝盏口";

/// What is counted where it stands before the number: the 工人 of 茶厂的工人有几名.
fn counted_before(before: &str) -> String {
    let bare = before.trim_end_matches(['有', '是', '共', '一', '总', '现']);
    let mut last: Vec<char> = bare.chars().rev().take_while(|c| is_han(*c) && *c != '的').take(2).collect();
    last.reverse();
    last.into_iter().collect()
}

/// What a question asks of something: what stands behind the last 的 before the asking word, and between "the" and "of".
fn attribute(flat: &str) -> Option<String> {
    const ASKED: [&str; 6] = ["是谁", "是多少", "有多少", "多少", "叫什么", "是什么名"];
    const LONGEST: usize = 6;
    if let Some(end) = ASKED.iter().filter_map(|form| flat.find(form)).min() {
        let (_, told) = flat.get(..end)?.rsplit_once('的')?;
        let length = told.chars().count();
        return (1..=LONGEST).contains(&length).then(|| told.to_owned());
    }
    // "Ann Lee's father" asks something of whose kin it is
    let mut owned = flat
        .match_indices("'s ")
        .chain(flat.match_indices("’s "))
        .chain(flat.match_indices("s' "))
        .filter_map(|(at, mark)| flat.get(at + mark.len()..)?.split(|c: char| !c.is_alphanumeric()).next());
    if let Some(kin) = owned.find(|word| questions::is_relative(word)) {
        return Some(kin.to_owned());
    }
    let of =
        ["who is the ", "who was the ", "who are the ", "what is the ", "what was the ", "what are the "];
    let told = of.iter().find_map(|form| flat.strip_prefix(form))?.split_once(" of ")?.0;
    let words = told.split(' ').count();
    (words <= 2).then(|| told.rsplit(' ').next().unwrap_or(told).to_owned())
}

/// Who speaks, where a question asks what somebody said: whom it names first.
fn speaker(flat: &str, names: &[NamePatterns]) -> Option<usize> {
    const IN_CHINESE: [&str; 14] = [
        "说了什么",
        "说什么",
        "说了些什么",
        "说过什么",
        "怎么说",
        "讲了什么",
        "讲什么",
        "嘱咐",
        "嘱托",
        "吩咐",
        "遗言",
        "遗命",
        "回答了什么",
        "曰什么",
    ];
    const IN_ENGLISH: [&str; 10] =
        [" say", " tell ", " tell?", " ask ", " reply", " answer", " promise", " shout", " whisper", " cry"];
    let english = (flat.starts_with("what did ") || flat.starts_with("what does "))
        && IN_ENGLISH.iter().any(|form| flat.contains(form));
    if !english && !IN_CHINESE.iter().any(|form| flat.contains(form)) {
        return None;
    }
    let place = |name: &NamePatterns| {
        let at = name.whole.iter().filter_map(|whole| questions::find_name(flat, whole));
        at.map(|(at, _)| at).min()
    };
    let placed = names.iter().enumerate().filter_map(|(index, name)| Some((place(name)?, index)));
    placed.min().map(|(_, index)| index)
}

/// Whether what a question is about, from a word on, is a deed: "Who teaches the willow class", "Where can I leave my car", "How many
/// people work there".
fn tells_deed(asked: &[&str], first: usize) -> bool {
    const WHOM: [&str; 6] = ["i", "we", "you", "they", "he", "she"];
    const PREPOSITIONS: [&str; 8] = ["of", "in", "on", "at", "for", "from", "with", "to"];
    let is = |word: Option<&&str>, list: &[&str]| {
        word.is_some_and(|word| list.contains(&word.to_lowercase().as_str()))
    };
    let (skipped, about) = asked.split_at_checked(first).unwrap_or_default();
    let has_auxiliary = asked.iter().any(|word| is(Some(word), &AUXILIARIES));
    let second = about.get(1);
    is(skipped.first(), &["who"])
        && (skipped.len() == 1 || is(skipped.last(), &["will", "would", "can", "could"]))
        || skipped.len() > 1 && (is(skipped.last(), &WHOM) || is(skipped.last(), &["has", "have", "had"]))
        || is(skipped.first(), &["which"]) && !has_auxiliary && about.len() > 2 && !is(second, &PREPOSITIONS)
        || skipped.is_empty()
            && !has_auxiliary
            && about.len() > 2
            && !is(second, &PREPOSITIONS)
            && is(about.get(2), &PREPOSITIONS)
}

/// Whether a question asks for several of a kind.
fn is_list(flat: &str) -> bool {
    const SEVERAL: [&str; 10] =
        ["哪些", "哪几", "都有谁", "有谁", "有哪", "有什么人", "几位", "分别是谁", "先后", "各是谁"];
    const PLURALS: [&str; 22] = [
        "people",
        "persons",
        "companies",
        "firms",
        "customers",
        "analysts",
        "countries",
        "cities",
        "places",
        "products",
        "children",
        "ghosts",
        "spirits",
        "characters",
        "guests",
        "books",
        "films",
        "songs",
        "games",
        "partners",
        "members",
        "names",
    ];
    let words: Vec<&str> = flat.split(' ').map(|word| word.trim_matches(['?', ',', '.'])).collect();
    let which = match words.as_slice() {
        ["which" | "what", rest @ ..] => rest.iter().take(4).any(|word| PLURALS.contains(word)),
        ["who", "are" | "were", "the", ..] | ["list" | "name", ..] => true,
        _ => false,
    };
    which || SEVERAL.iter().any(|form| flat.contains(form))
}

/// Whether a question asks how something is done: what to type, which steps to take.
fn asks_how(flat: &str) -> bool {
    let begins =
        ["how do i ", "how can i ", "how to ", "how do you ", "how do we ", "how can we ", "how should i "];
    begins.iter().any(|form| flat.starts_with(form))
        || ["怎么", "如何", "怎样"]
            .iter()
            .any(|form| flat.starts_with(form) || flat.contains(&format!("我{form}")))
}

/// Whether a question asks by what means something was done; what somebody died of is a cause.
fn asks_means(flat: &str) -> bool {
    if flat.contains('死') || flat.contains(" die") {
        return false;
    }
    ["how did ", "how was ", "how were ", "how does ", "by what means "]
        .iter()
        .any(|form| flat.starts_with(form))
        || ["是怎么", "是如何", "是怎样"].iter().any(|form| flat.contains(form))
}

/// Whether a question asks how things differ.
fn compares(flat: &str) -> bool {
    let english =
        ["compare ", "difference", "differ ", "differ?", "differ from", "compared to", " versus ", " vs "];
    let chinese = ["区别", "差别", "有何不同", "有什么不同", "不同之处", "比较", "对比", "相比"];
    let begins = flat.starts_with("compare ") || flat.starts_with("how do") || flat.starts_with("how does");
    english.iter().any(|form| flat.contains(form))
        && (begins || flat.starts_with("what ") || flat.contains(" vs "))
        || chinese.iter().any(|form| flat.contains(form))
}

/// Whether a question asks for a name.
fn asks_name(flat: &str) -> bool {
    let forms = [
        "name of",
        "first name",
        "last name",
        "surname",
        "called",
        "full name",
        "叫什么",
        "姓什么",
        "字什么",
        "字是什么",
        "名字",
        "号什么",
        "号是什么",
        "名是什么",
        "绰号",
        "什么名",
    ];
    forms.iter().any(|form| flat.contains(form))
}

/// What is paid and earned.
const MONEY: [&str; 54] = [
    "revenue",
    "cost",
    "pay ",
    "pay?",
    "paid",
    "price",
    "spend",
    "spent",
    "earn",
    "salary",
    "worth",
    "money",
    "charge",
    "sell for",
    "profit",
    "income",
    "run rate",
    "wage",
    "reward",
    "rent",
    "budget",
    "debt",
    "toll",
    " fee",
    " fare",
    "tuition",
    "premium",
    "deposit",
    "pension",
    "subsidy",
    "deficit",
    "surplus",
    "赤字",
    "盈余",
    "结余",
    "多少钱",
    "多少元",
    "多少块",
    "多少银",
    "多少大洋",
    "收入",
    "利润",
    "费用",
    "费是多少",
    "费多少",
    "价是多少",
    "价格",
    "工资",
    "薪水",
    "月薪",
    "薪酬",
    "租金",
    "挣多少",
    "赚多少",
];

/// What is paid for something, each time.
const PRICES: [&str; 7] = ["price", "salary", "wage", "tuition", " fare", " fee", " rent"];

/// What is high without being a thing that has a height.
const FIGURES: [&str; 38] = [
    "charge",
    "cost",
    "price",
    "revenue",
    "rate",
    "tax",
    "salary",
    "share",
    "dividend",
    "profit",
    "wage",
    "fee",
    "fine",
    "budget",
    "debt",
    "rent",
    "bill",
    "income",
    "reward",
    "loss",
    "percentage",
    "number",
    "dues",
    " duty",
    " duties",
    "tariff",
    " fare",
    "premium",
    "pension",
    "deposit",
    "subsid",
    "penalt",
    "inflation",
    "unemployment",
    "turnout",
    "deficit",
    "surplus",
    "balance",
];

/// Whether a flat text holds a form; an English one at the beginning of a word, a short one as the word itself or a form of
/// it: no "rent" is in "parents", and no "fee" in "feed".
fn begins_word(flat: &str, form: &str) -> bool {
    const SHORT: usize = 4;
    const ENDINGS: [&str; 9] = ["", "s", "es", "ed", "ing", "ings", "th", "n", "ies"];
    let form = form.trim_start();
    let is_word = form.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_short = is_word && form.len() <= SHORT && form.chars().all(|c| c.is_ascii_alphabetic());
    flat.match_indices(form).any(|(at, _)| {
        let before = flat.get(..at).unwrap_or_default().chars().next_back();
        let behind = flat.get(at + form.len()..).unwrap_or_default();
        let rest = behind.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        (!is_word || before.is_none_or(|c| !c.is_alphanumeric())) && (!is_short || ENDINGS.contains(&rest))
    })
}

/// What kind of number a question asks for; nothing where it counts things, or does not say.
fn measure(flat: &str) -> Option<QuantityKind> {
    let has = |forms: &[&str]| forms.iter().any(|form| begins_word(flat, form));
    if has(&["how old", "what age", "多大年纪", "几岁", "多少岁", "多大岁数"]) {
        return Some(QuantityKind::Age);
    }
    if has(&["what year", "which year", "哪一年", "哪年", "何年"]) {
        return Some(QuantityKind::Year);
    }
    let is_long = flat.contains("多长") && !flat.contains("多长时间");
    if has(&["how tall", "how far", "how deep", "how wide", "多高", "多远", "多宽", "多深", "身高"])
        || is_long
        || has(&["how high"]) && !has(&FIGURES) && !has(&MONEY)
    {
        return Some(QuantityKind::Length);
    }
    if has(&["which version", "what version", "哪个版本", "什么版本", "哪一版"]) {
        return Some(QuantityKind::Version);
    }
    if has(&["how heavy", " weigh", "多重", "重多少", "多少斤"]) {
        return Some(QuantityKind::Weight);
    }
    if has(&["what temperature", "which temperature", "boiling point", "melting point", "多少度"]) {
        return Some(QuantityKind::Temperature);
    }
    // a list is as long as what stands on it
    let is_count = has(&[" list", " queue", " line of ", " backlog"]);
    let is_due =
        has(&["how soon", "how quickly must", "how quickly do", "how quickly will", "how quickly should"]);
    if has(&["how long"]) && !is_count
        || is_due
        || has(&["how many years", "多久", "多长时间"])
        || asks_span(flat)
    {
        return Some(QuantityKind::Duration);
    }
    if has(&["percent", "share of", "what share", "how fast", "growth", "grow", "margin", "百分之", "增长"])
    {
        return Some(QuantityKind::Share);
    }
    (has(&[
        "how much",
        "what price",
        "which price",
        "how large",
        "how big",
        "how high",
        "what was",
        "what did",
        "trend",
        "多少",
    ]) && has(&MONEY)
        || flat.starts_with("what does")
            && [" cost", " earn", " charge"].iter().any(|form| flat.contains(form))
        || ["what is ", "what's ", "what are "].iter().any(|form| flat.starts_with(form)) && has(&PRICES)
        || ["what", "which"].iter().any(|form| {
            flat.strip_prefix(form).is_some_and(|rest| {
                PRICES.iter().any(|price| rest.trim_start().starts_with(price.trim_start()))
            })
        }))
    .then_some(QuantityKind::Money)
}

/// Whether a Chinese question asks how long something took in a unit of time: 几天, 多少年, 几个小时.
fn asks_span(flat: &str) -> bool {
    const UNITS: [&str; 12] =
        ["天", "年", "个月", "周", "个星期", "星期", "小时", "个小时", "分钟", "个钟头", "钟头", "日"];
    let behind = ["几", "多少"].iter().flat_map(|form| flat.match_indices(form));
    let mut behind = behind.filter_map(|(at, form)| flat.get(at + form.len()..));
    behind.any(|rest| {
        UNITS
            .iter()
            .any(|unit| rest.strip_prefix(unit).is_some_and(|rest| !rest.starts_with(['级', '前', '后'])))
    })
}

/// Whether a question that asks for a thing is answered by a number.
fn is_quantity(flat: &str, over_time: bool) -> bool {
    let has = |forms: &[&str]| forms.iter().any(|form| begins_word(flat, form));
    let amount = has(&[
        "revenue",
        "growth",
        "grow",
        "rate",
        "margin",
        "income",
        "profit",
        "sales",
        "number of",
        "share",
        "price",
        "salary",
        "wage",
        "budget",
        "debt",
        "deficit",
        "surplus",
        "spending",
        "population",
        "earn",
        "faster",
        "slower",
        "larger",
        "增长",
        "收入",
        "利润",
        "人口",
        "产量",
        "销量",
        "数量",
        "人数",
        "金额",
        "价格",
    ]);
    let compares = flat.contains(" or ")
        && flat
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "more" || questions::GREATER.contains(&word));
    let asks = has(&["what is the price", "what was the price", "what price", "what share", "what did"]);
    compares || amount && (over_time || asks)
}

impl NamePatterns {
    /// Whether a flat name shares a word with it.
    pub(in crate::query) fn shares_word(&self, flat: &str) -> bool {
        let mut own = self.whole.iter().chain(&self.parts).flat_map(|name| name.split(' '));
        own.any(|word| flat.split(' ').any(|other| other == word))
    }

    /// Its short form, where it is an office or the like that has one: "ceo".
    pub(in crate::query) fn short_form(&self) -> Option<&'static str> {
        let is = |form: &str| self.whole.iter().any(|whole| whole == form);
        PHRASES.iter().find(|(short, long)| is(short) || is(long)).map(|(short, _)| *short)
    }

    /// Every way to write an entity.
    pub(in crate::query) fn of(entity: &Entity) -> Self {
        let mut whole: Vec<String> =
            std::iter::once(&entity.name).chain(&entity.aliases).map(|name| flatten(name)).collect();
        // one Chinese character alone stands in too many words; `given` says where it is a name
        let own = flatten(&entity.name);
        let says = |name: &str| name == own || name.chars().nth(1).is_some() || !name.chars().all(is_han);
        whole.retain(|name| !name.is_empty() && !language::is_stop_word(name) && says(name));
        whole.dedup();
        let mut parts = Vec::new();
        if let Some(name) = whole.first().filter(|name| name.is_ascii() || name.contains(' ')) {
            let words: Vec<String> = name.split(' ').map(|word| word.trim_matches('.').to_owned()).collect();
            if words.len() > 1 && words.len() <= 3 {
                // a title stands before a name: the King of "Stephen King" is none
                let last = words.len() - 1;
                parts.extend(words.into_iter().enumerate().filter_map(|(place, word)| {
                    let is_title = place < last && questions::is_title(&word);
                    let counts = word.chars().count() > 2 && !language::is_stop_word(&word) && !is_title;
                    counts.then_some(word)
                }));
            }
        }
        parts.retain(|part| !whole.contains(part));
        let han: Vec<char> = own.chars().collect();
        let given =
            (is_person(&entity.kind) && (2..=3).contains(&han.len()) && han.iter().all(|c| is_han(*c)))
                .then(|| han.iter().skip(1).collect());
        Self { whole, parts, given, is_word: false }
    }
}

/// Whether an entity is one word in lower letters, or a concept whose word the question writes so.
fn is_plain_word(entity: &Entity, question: &str) -> bool {
    let is_lower = |text: &str| text.chars().all(|c| c.is_ascii_lowercase());
    let name = entity.name.as_str();
    if is_lower(name) {
        return !name.is_empty();
    }
    let is_concept = matches!(entity.kind.as_str(), "Concept" | "concept");
    is_concept
        && name.chars().all(|c| c.is_ascii_alphabetic())
        && question
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| is_lower(word) && name.eq_ignore_ascii_case(word))
}

/// Lower case, white space squeezed, Chinese as `fold` reads it.
pub fn flatten(text: &str) -> String {
    with_wide_marks(without_inner_spaces(unbroken(&fold(text)))).to_lowercase()
}

/// The kind of place that an English question asks for and a text need not say: the town of "In which town was it built?". A
/// street is said.
pub(in crate::query) fn kind_of_place(flat: &str) -> Option<&'static str> {
    const KINDS: [&str; 8] = ["place", "city", "country", "town", "village", "county", "province", "state"];
    let asked = |kind: &&str| {
        ["which", "what"].iter().any(|form| questions::find_name(flat, &format!("{form} {kind}")).is_some())
    };
    KINDS.into_iter().find(asked)
}

/// Whether a question is about the whole, and not about what it names.
fn is_overview(flat: &str, name_count: usize) -> bool {
    let bare = flat.trim_end_matches(['?', '？', '.', '。', ' ']);
    let asked = [
        "main theme",
        "main topic",
        "key theme",
        "key topic",
        "major theme",
        "major topic",
        "central theme",
        "themes of",
        "topics of",
        "what themes",
        "what topics",
        "which topics",
        "which themes",
        "overview of th",
        "summarize",
        "summarise",
        "summary of th",
        "gist of",
        "主要讲",
        "主要内容",
        "主题",
        "大意",
        "概要",
        "梗概",
        "总结",
        "概括",
    ];
    // what somebody said is no overview
    let told = [
        "讲了什么",
        "讲了些什么",
        "讲的是什么",
        "说了什么",
        "说了些什么",
        "说的是什么",
        "写了什么",
        "写了些什么",
        "写的是什么",
        "谈了什么",
        "谈到了什么",
        "有什么内容",
        "有哪些内容",
        "内容是什么",
    ];
    let texts = ["文件", "文档", "资料", "材料", "文章", "语料", "这些书", "这本书", "全书", "全文"];
    let names_texts =
        texts.iter().any(|form| flat.starts_with(form) || flat.contains(&format!("这些{form}")))
            || flat.starts_with('这') && texts.iter().any(|form| flat.contains(form));
    asked.iter().any(|form| flat.contains(form))
        || (name_count == 0 || names_texts) && told.iter().any(|form| flat.contains(form))
        || (bare.starts_with("what ") && (bare.ends_with(" about") || bare.ends_with(" all about")))
}

/// Whether "when" only tells the time of something else that a question asks: "What did she write when he was five?",
/// "Was he glad when they came?".
fn asks_before_when(flat: &str) -> bool {
    const OPENINGS: [&str; 24] = [
        "what", "which", "who", "whom", "whose", "where", "how", "had", "has", "have", "did", "does", "do",
        "was", "were", "is", "are", "can", "could", "will", "would", "at", "in", "on",
    ];
    let opens = flat.split(' ').next().is_some_and(|first| OPENINGS.contains(&first));
    // "Do you know when it opened?" and "In Berlin, when did it open?" ask when
    let asks_it = [
        "know when",
        "tell me when",
        "say when",
        "clear when",
        "since when",
        "recorded when",
        "when did ",
        "when was ",
        "when were ",
        "when is ",
        "when are ",
        "when does ",
        "when do ",
        "when has ",
        "when will ",
    ];
    opens && !asks_it.iter().any(|form| flat.contains(form))
}

#[expect(clippy::too_many_lines, reason = "a list of forms for each kind, in the order in which they decide")]
fn asks(flat: &str, name_count: usize, only_names: bool) -> Asks {
    let has = |forms: &[&str]| forms.iter().any(|form| flat.contains(form));
    if is_overview(flat, name_count) {
        return Asks::Overview;
    }
    let padded = format!(" {flat}");
    let word = |forms: &[&str]| {
        forms.iter().any(|form| {
            padded.match_indices(&format!(" {form}")).any(|(at, found)| {
                padded.get(at + found.len()..).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            })
        })
    };
    // what a question begins with decides: "How old was he when he began?"
    if ["what is", "what was", "what's"].iter().any(|form| flat.starts_with(form))
        && has(&["number of ", "count of ", "amount of ", "percentage of "])
    {
        return Asks::Number;
    }
    let first = [
        "how many ",
        "how much ",
        "how old ",
        "how long ",
        "how far ",
        "how tall ",
        "how high ",
        "how big ",
        "how large ",
        "how often ",
        "how deep ",
        "how wide ",
        "how heavy ",
        "how thick ",
    ];
    if first.iter().any(|form| flat.starts_with(form)) {
        return Asks::Number;
    }
    if has(&["关系", "關係", "relationship"])
        || word(&["related", "relation", "relations", "connection", "connected"])
        || (name_count > 1 && word(&["what are", "who are"]) && word(&["to each other"]))
        || (name_count > 1 && has(&["的什么人", "是什么人", "的谁", "何人"]))
        || flat.split_once('是').is_some_and(|(who, whose)| !who.is_empty() && whose.contains("的什么人"))
    {
        return Asks::Relation;
    }
    // 封为什么侯 asks for no reason
    let becomes =
        ["封为什么", "改为什么", "拜为什么", "称为什么", "立为什么", "命名为什么", "元为什么", "名为什么"];
    let why = !becomes.iter().any(|form| flat.contains(form));
    if why && has(&["为什么", "为何", "何故", "為什麼", "為何", "缘何", "因何", "何以", "因什么", "原因"])
        || word(&["why", "what caused", "reason", "the cause of", "what made", "what killed"])
        || flat.starts_with("what ") && word(&["die of", "die from", "died of", "died from"])
    {
        return Asks::Reason;
    }
    if has(&["什么时候", "何时", "哪年", "哪一年", "几时", "哪天", "哪一天", "何年"])
        || has(&["星期几", "周几", "礼拜几", "几点", "几月", "哪个月"])
        || word(&["when"]) && !asks_before_when(flat)
        || word(&[
            "what year",
            "which year",
            "what day",
            "which day",
            "what date",
            "which date",
            "what time",
            "what month",
            "which month",
            "which quarter",
        ])
    {
        return Asks::Time;
    }
    if has(&[
        "哪里",
        "何处",
        "哪儿",
        "何地",
        "什么地方",
        "在哪",
        "哪个地方",
        "哪国",
        "哪个县",
        "哪里人",
        "何方人",
    ]) || word(&["where"])
        || kind_of_place(flat)
            .is_some_and(|kind| kind != "state" || word(&["in which state", "in what state"]))
    {
        return Asks::Place;
    }
    if has(&[
        "多少", "几个", "几人", "几次", "几年", "几岁", "多大", "多重", "多长", "多高", "多远", "多宽",
        "多深", "几",
    ]) || word(&[
        "how many",
        "how much",
        "how old",
        "how long",
        "how far",
        "how tall",
        "how big",
        "how often",
        "what age",
        "which age",
    ]) {
        return Asks::Number;
    }
    // "the editor of Linux Format" names an office, whatever else is of that name
    let office = ["who is the ", "who was the ", "who's the "].iter().any(|form| flat.starts_with(form))
        && word(&["of", "at", "for", "in"]);
    let who =
        has(&["谁", "何人", "什么人", "哪位", "哪些人", "哪几个人", "誰"]) || word(&["who", "whom", "whose"]);
    let what = has(&["什么是", "是什么", "何为", "何谓", "介绍"])
        || word(&[
            "what is",
            "what are",
            "what was",
            "what were",
            "what's",
            "define",
            "describe",
            "tell me about",
        ]);
    // "What is the name of X's dog?" asks for no more of X
    let is_definition = only_names && name_count > 0 && !office && !asks_name(flat);
    match (who, what, is_definition) {
        (true, _, true) | (_, true, true) => Asks::Definition,
        (true, _, false) => Asks::Person,
        _ => Asks::Thing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    fn entity(name: &str) -> Entity {
        Entity { id: Ids::new("w").entity(name), name: name.to_owned(), ..Entity::default() }
    }

    #[test]
    fn a_question_of_very_many_is_taken_apart_into_few() {
        for piece in ["Who is Bob and ", "Who? ", "谁是刘备？", "What; where, "] {
            let question = piece.repeat(8_000 / piece.len());
            let read = Question::read(&question, &[entity("Bob"), entity("刘备")], FiscalCalendar::default());
            assert!(read.clauses.len() <= 8, "{piece}: {}", read.clauses.len());
            assert!(read.clauses.len() != 1);
        }
    }

    #[test]
    fn questions_are_read_by_their_shape() {
        let check = |question: &str, names: &[&str], expected: Asks| {
            let named: Vec<Entity> = names.iter().map(|name| entity(name)).collect();
            assert_eq!(
                Question::read(question, &named, FiscalCalendar::default()).asks,
                expected,
                "{question}"
            );
        };
        check("Who is Bob Cratchit?", &["Bob Cratchit"], Asks::Definition);
        check("Who is Scrooge's nephew?", &["Scrooge"], Asks::Person);
        check("Who is the CEO of Microsoft?", &["CEO", "Microsoft"], Asks::Person);
        check("Who killed Hua Xiong?", &["Hua Xiong"], Asks::Person);
        check("What is the Treaty?", &["Treaty"], Asks::Definition);
        check("Where does Scrooge live?", &["Scrooge"], Asks::Place);
        check("In which town did Ida Brook grow up?", &["Ida Brook"], Asks::Place);
        check("In which state did Ida Brook grow up?", &["Ida Brook"], Asks::Place);
        check("What state was the bridge left in?", &["bridge"], Asks::Thing);
        check("When did Marley die?", &["Marley"], Asks::Time);
        check("How many spirits visit Scrooge?", &["Scrooge"], Asks::Number);
        check("Why does Scrooge weep?", &["Scrooge"], Asks::Reason);
        check("How are Fred and Scrooge related?", &["Fred", "Scrooge"], Asks::Relation);
        check("刘备、关羽、张飞是什么关系？", &["刘备", "关羽", "张飞"], Asks::Relation);
        check("石毅是石敢的什么人？", &["石敢"], Asks::Relation);
        check("曹操是谁？", &["曹操"], Asks::Definition);
        check("谁杀了华雄？", &["华雄"], Asks::Person);
        check("刘备是哪里人？", &["刘备"], Asks::Place);
        check("青龙偃月刀有多重？", &[], Asks::Number);
        check("董卓为什么要废少帝？", &["董卓"], Asks::Reason);
        check("蔡邕因何下狱？", &["蔡邕"], Asks::Reason);
        check("What did Scrooge buy?", &["Scrooge"], Asks::Thing);
        check("What did Scrooge buy when he was five?", &["Scrooge"], Asks::Thing);
        check("In London, when did Scrooge die?", &["Scrooge"], Asks::Time);
        check("At what age did Scrooge marry?", &["Scrooge"], Asks::Number);
        check("What is the name of Scrooge's nephew?", &["Scrooge", "nephew"], Asks::Thing);
        check("What is the latest count of spirits?", &[], Asks::Number);
        check("这些文件讲了什么？", &["文件"], Asks::Overview);
        check("曹操讲了什么？", &["曹操"], Asks::Thing);
    }

    #[test]
    fn a_question_reads_alike_in_both_scripts_and_widths() {
        let read = |text: &str| Question::read(text, &[], FiscalCalendar::default());
        for (traditional, simplified) in [
            ("儲德潤為什麼遷居荊溪？", "储德润为什么迁居荆溪？"),
            ("文昭有幾個兒子？", "文昭有几个儿子？"),
            ("家驊是哪年出生的？", "家骅是哪年出生的？"),
            ("誰來代音樂課？", "谁来代音乐课？"),
            ("這些資料主要講了什麼？", "这些资料主要讲了什么？"),
            ("２０２３年罰了多少錢？", "2023年罚了多少钱？"),
        ] {
            let (one, other) = (read(traditional), read(simplified));
            assert_eq!((one.asks, &one.stems, &one.counted), (other.asks, &other.stems, &other.counted));
            assert_eq!(
                (one.measure, one.periods.len()),
                (other.measure, other.periods.len()),
                "{traditional}"
            );
            assert_eq!(one.names, other.names, "{traditional}");
            assert!(traditional.starts_with(&one.about()), "it is told as it was asked");
        }
        let known = [entity("儲德潤")];
        let named = Question::read("储德润是谁？", &known, FiscalCalendar::default());
        assert_eq!((named.asks, named.names[0].whole[0].as_str()), (Asks::Definition, "储德润"));
    }

    #[test]
    fn the_verb_of_a_question_ends_no_name() {
        let read = |text: &str| Question::read(text, &[entity("ticket cost")], FiscalCalendar::default());
        for asked in ["What does a ticket cost?", "How much did the ticket cost in 1931?"] {
            assert!(read(asked).names.is_empty(), "{asked}");
            assert_eq!(read(asked).measure, Some(QuantityKind::Money), "{asked}");
        }
        for named in ["What does the ticket cost include?", "What is the ticket cost?"] {
            assert_eq!(read(named).names.len(), 1, "{named}");
        }
    }

    #[test]
    fn times_and_parts_of_names_are_no_names() {
        let names = |text: &str| {
            let read = Question::read(text, &[], FiscalCalendar::default());
            read.names.into_iter().flat_map(|name| name.whole).collect::<Vec<_>>()
        };
        assert!(names("现在的会计是谁？").is_empty());
        assert_eq!(names("二号楼有多高？"), ["二号楼"]);
        assert!(!names("老秦做门卫做了多少年？").iter().any(|name| name.contains('做')));
        let asks = |text: &str| Question::read(text, &[], FiscalCalendar::default()).asks;
        assert_eq!(asks("茶馆星期几不开门？"), Asks::Time);
        assert_eq!(asks("茶馆几点关门？"), Asks::Time);
    }

    #[test]
    fn a_chinese_verb_is_no_name() {
        let names = |text: &str| {
            let read = Question::read(text, &[], FiscalCalendar::default());
            read.names.into_iter().flat_map(|name| name.whole).collect::<Vec<_>>()
        };
        let known = Entity {
            name: "沈文".to_owned(),
            kind: "人物".to_owned(),
            description: "茶厂由商人沈文远于1921年创办。".to_owned(),
            ..Entity::default()
        };
        let read = Question::read("沈文远哪一年去世？", &[known], FiscalCalendar::default());
        assert_eq!(read.names.first().map(|name| name.whole.join(" ")).as_deref(), Some("沈文 沈文远"));
        assert_eq!(names("分馆设在哪里？"), ["分馆"]);
        assert_eq!(names("沈文远哪一年去世？").first().map(String::as_str), Some("沈文远"));
        assert_eq!(names("谁发现仓库温度升高？"), ["仓库", "温度"]);
        let read = Question::read("谁发现仓库温度升高？", &[], FiscalCalendar::default());
        assert_eq!(read.asks, Asks::Person);
    }

    #[test]
    fn what_is_counted_stands_behind_the_word_of_measure_or_before_the_number() {
        let check = |text: &str, wanted: &str| assert_eq!(counted(text), wanted, "{text}");
        check("酒楼现在有几张桌子？", "桌子");
        check("酒楼的伙计有几名？", "伙计");
        check("有多少个学生？", "学生");
        check("有多少匹马被偷了？", "马");
        check("他走了几年？", "年");
        check("how many tables are there?", "tables");
    }

    #[test]
    fn what_is_asked_of_something_is_known() {
        let check = |text: &str, wanted: Option<&str>| {
            let read = Question::read(text, &[], FiscalCalendar::default());
            assert_eq!(read.attribute.as_deref(), wanted, "{text}");
        };
        check("石匠周三的妻子叫什么名字？", Some("妻子"));
        check("维县的县长是谁？", Some("县长"));
        check("谁是县长？", None);
        check("Who is the mayor of Velm?", Some("mayor"));
        check("What are the first signs of rust?", Some("signs"));
        check("Who is Ann Lee?", None);
    }

    #[test]
    fn high_figures_and_long_lists_are_no_lengths() {
        let check = |text: &str, wanted: Option<QuantityKind>| {
            assert_eq!(Question::read(text, &[], FiscalCalendar::default()).measure, wanted, "{text}");
        };
        check("How high is the toll now?", Some(QuantityKind::Money));
        check("How high is the tower?", Some(QuantityKind::Length));
        check("How high are the harbour dues now?", None);
        check("How long is the waiting list?", None);
        check("How long is the voyage?", Some(QuantityKind::Duration));
        check("what is the keeper's salary", Some(QuantityKind::Money));
    }

    #[test]
    fn what_is_compared_is_known() {
        let compares = |text: &str| Question::read(text, &[], FiscalCalendar::default()).compares;
        assert!(compares("Compare oak and pine"));
        assert!(compares("What is the difference between oak and pine?"));
        assert!(compares("How does oak differ from pine?"));
        assert!(compares("松木和橡木有什么区别？"));
        assert!(!compares("What did the oak cost?"));
    }

    #[test]
    fn a_question_of_several_is_read_in_clauses() {
        let check = |question: &str, names: &[&str], expected: &[(Asks, &[&str])]| {
            let named: Vec<Entity> = names.iter().map(|name| entity(name)).collect();
            let clauses = Question::read(question, &named, FiscalCalendar::default()).clauses;
            let read: Vec<(Asks, Vec<&str>)> = clauses
                .iter()
                .map(|clause| (clause.asks, clause.names.iter().map(|name| name.whole[0].as_str()).collect()))
                .collect();
            let expected: Vec<(Asks, Vec<&str>)> =
                expected.iter().map(|(asks, names)| (*asks, names.to_vec())).collect();
            assert_eq!(read, expected, "{question}");
        };
        check(
            "Who is Tiny Tim and what happens to him?",
            &["Tiny Tim"],
            &[(Asks::Definition, &["tiny tim"]), (Asks::Thing, &["tiny tim"])],
        );
        check(
            "Where did Fred live, and when did Marley die?",
            &["Fred", "Marley"],
            &[(Asks::Place, &["fred"]), (Asks::Time, &["marley"])],
        );
        check(
            "曹操是谁？他是哪里人？",
            &["曹操"],
            &[(Asks::Definition, &["曹操"]), (Asks::Place, &["曹操"])],
        );
        check("How are Fred and Scrooge related?", &["Fred", "Scrooge"], &[]);
        check("刘备、关羽、张飞是什么关系？", &["刘备", "关羽", "张飞"], &[]);
    }

    #[test]
    fn what_a_question_is_about_is_told_in_its_own_words() {
        let check = |text: &str, expected: &str| {
            let about = Question::read(text, &[], FiscalCalendar::default()).about();
            assert_eq!(about, expected, "{text}");
        };
        check("How many barrels of lamp oil are in stock?", "barrels of lamp oil");
        check("What is the melting point of tungsten?", "melting point of tungsten");
        check("Who won the 1998 World Cup?", "1998 World Cup");
        check("lamp oil", "lamp oil");
        check("How much does Bob Cratchit earn?", "“How much does Bob Cratchit earn?”");
        check("Why did Marley die?", "“Why did Marley die?”");
        check("What caused the fire?", "“What caused the fire?”");
        check("When will the big generator be available again?", "big generator");
        check("Who killed 华雄?", "“Who killed 华雄?”");
        check("How much was Marley fined?", "“How much was Marley fined?”");
        check("How often must the key be turned?", "“How often must the key be turned?”");
        check("谁杀了董卓？", "谁杀了董卓");
    }

    #[test]
    fn names_are_known_by_their_parts_but_not_by_titles() {
        let names = NamePatterns::of(&entity("Mrs. Cratchit"));
        assert_eq!(names.whole, ["mrs. cratchit"]);
        assert_eq!(names.parts, ["cratchit"]);
        assert_eq!(NamePatterns::of(&entity("Stephen King")).parts, ["stephen", "king"]);
        assert_eq!(NamePatterns::of(&entity("King Arthur")).parts, ["arthur"]);
    }
}
