//! What a sentence has to tell that a question asks for, so that it can be its answer: a number of the kind, a name of
//! the kind, the one deed that is asked about, whose relative somebody is.

use super::candidates::AnswerCandidate;
use super::clauses::tells_of_another_object;
use super::concepts::{Concept, same};
use super::doers::{others_in, others_who_act, plans};
use super::features::{Features, WeightedQuestion, value_of};
use crate::language::is_stop_word;
use crate::language::opposites::{lacks_label, tells_opposite};
use crate::language::questions::{
    QuantityKind, bears_name, continues, dates, find_name, holds_verb, is_path, is_relative, is_role,
    is_title, is_unit_word, leaves_doer_open, measures, refers_back, says_name, stem, tells_amount,
    tells_count, tells_origin, tells_other_chinese_relative, tells_other_relative,
};
use crate::language::synonymous::{CHARACTER, is_known, known_at_start, pieces};
use crate::language::tenses::{last_year, only_leaves};
use crate::language::vocabulary::calendar::is_month;
use crate::language::words::{is_han, segmenter, whole_tag};
use crate::query::question::{Asks, Question, flatten};

/// How sure a sentence that lacks what the question asks of something is, at most.
pub(super) const UNTOLD: f64 = 0.3;
/// How well a sentence tells a cause where it only may, and how much of the deed is said of whom the question names where
/// it is said of another.
const MAY_CAUSE: f64 = 0.2;
const OF_ANOTHER: f64 = 0.5;

/// Whether a sentence lacks one thing.
type Check = fn(&WeightedQuestion<'_>, &AnswerCandidate<'_>, &Features) -> bool;

/// What a sentence may lack, by the names that `tests/benches/questions/fit.py` reads: it holds no number of a kind that
/// cannot be told otherwise; does not speak of what is asked of something, as of the wife in 马三的妻子是谁; neither tells a
/// cause nor says the deed of whom it is asked of; and the like.
const CHECKS: [(&str, Check); 32] = [
    ("unsaid", |asked, this, _| says_nothing_of_it(asked.concepts, this)),
    ("plain", |asked, _, features| has_plain_measure(asked.question) && is_empty(features)),
    // "how many" wants a number, a price an amount; a name somebody who is named beside what it is asked of
    ("counts", |asked, this, _| {
        asked.question.asks == Asks::Number
            && asked.question.measure.is_none()
            && !tells_count(&this.indexed.flat)
    }),
    ("costs", |asked, this, features| {
        asked.question.measure == Some(QuantityKind::Money)
            && is_empty(features)
            && !tells_amount(&this.indexed.flat)
    }),
    ("pay", |asked, this, _| {
        asked.question.measure == Some(QuantityKind::Money)
            && asks_pay(&flatten(&asked.question.text))
            && !tells_pay(&this.indexed.flat)
    }),
    ("aged", |asked, this, _| {
        asked.question.measure == Some(QuantityKind::Age) && is_age_of_another(asked.concepts, this)
    }),
    ("cause", |asked, this, features| {
        asked.question.asks == Asks::Reason
            && value_of("reason", features) <= MAY_CAUSE
            && (value_of("bound", features) < OF_ANOTHER
                || is_caption(this)
                || is_bare_title(asked.question, this))
    }),
    ("nobody", |asked, this, _| names_nobody(asked, this)),
    ("kind", |asked, this, _| names_none_of_its_kind(asked.question, this)),
    ("kin", |asked, this, _| is_of_no_kin(asked.question, asked.concepts, this)),
    ("owner", |asked, this, _| tells_of_another_of_its_owner(asked.question, this)),
    ("open", |asked, this, _| asked.question.asks == Asks::Person && leaves_doer_open(&this.indexed.flat)),
    ("deed", |asked, this, _| {
        !tells_what_was_paid(asked.question, this) && tells_no_deed(asked.question, asked.concepts, this)
    }),
    ("verb", |asked, this, _| {
        !tells_what_was_paid(asked.question, this) && tells_no_verb(asked.question, asked.concepts, this)
    }),
    ("doer", |asked, this, _| {
        misses_its_doer(asked.question, asked.concepts, this)
            || tells_of_another_doer(asked.question, asked.concepts, this)
    }),
    ("object", |asked, this, _| tells_of_another_object(asked.question, this)),
    ("untimely", |asked, _, features| !asked.question.over_time && value_of("untimely", features) > UNTIMELY),
    ("attribute", |asked, this, _| {
        asked.question.attribute.as_ref().is_some_and(|attribute| lacks(attribute, asked.concepts, this))
    }),
    ("owned", |asked, this, _| lacks_what_is_owned(asked.question, asked.concepts, this)),
    // an amount is told of what stands right before it
    ("other", |asked, this, _| {
        this.is_of_other_thing && (asked.question.asks == Asks::Number || asked.question.measure.is_some())
    }),
    ("relative", |asked, this, _| {
        let attribute = asked.question.attribute.as_ref();
        attribute.is_some_and(|attribute| tells_other_relative(&this.indexed.flat, attribute))
            || this.indexed.is_han() && is_of_other_relative(asked.question, &this.indexed.flat)
    }),
    ("gender", |asked, this, _| {
        asked.question.asks == Asks::Time
            && is_of_other_gender(&flatten(&asked.question.text), &this.indexed.flat)
    }),
    ("left", |asked, this, _| asked.asks_holder && only_leaves(&this.indexed.flat)),
    // who got gold is not who got silver
    ("opposite", |asked, this, _| tells_opposite(&flatten(&asked.question.text), &this.indexed.flat)),
    ("label", |asked, this, _| lacks_label(&flatten(&asked.question.text), &this.indexed.flat)),
    ("planned", |asked, this, features| {
        let asks_plan = plans(&flatten(&asked.question.text)) || asked.question.text.contains(['将', '要']);
        !asks_plan && value_of("wished", features) > 0.0 && plans(&this.indexed.flat)
    }),
    ("order", |asked, this, features| {
        names_nobody_beside(asked.question, this, features) || tells_nothing_earlier(asked.question, this)
    }),
    ("birthday", |asked, this, _| lacks_birthday(&flatten(&asked.question.text), this)),
    ("place", |asked, this, features| {
        value_of("place", features) <= 0.0 && lacks_place(&flatten(&asked.question.text), this)
    }),
    ("numbered", |asked, this, _| tells_other_number(&flatten(&asked.question.text), &this.indexed.flat)),
    ("home", |asked, this, _| asked.question.asks_origin && tells_origin(&this.indexed.flat) < HOME),
    ("unnamed", |asked, this, features| {
        let is_named = says_name(&this.indexed.flat);
        asked.question.asks_name && !is_named && (is_empty(features) || names_elsewhere(asked, this))
            // 丁家的妻子姓什么 wants 姓 or 氏
            || asked.question.text.contains("姓什么") && !this.indexed.flat.contains(['姓', '氏'])
    }),
];

/// The names of what a sentence lacks.
pub(super) fn untold(
    asked: &WeightedQuestion<'_>,
    this: &AnswerCandidate<'_>,
    features: &Features,
) -> Vec<&'static str> {
    let lacking = CHECKS.iter().filter(|(_, lacks)| lacks(asked, this, features));
    lacking.map(|(name, _)| *name).collect()
}

/// Whether a sentence lacks any of that.
pub(super) fn is_untold(
    asked: &WeightedQuestion<'_>,
    this: &AnswerCandidate<'_>,
    features: &Features,
) -> bool {
    CHECKS.iter().any(|(_, lacks)| lacks(asked, this, features))
}

/// Whether a question asks what somebody is paid: what a course costs does not answer.
fn asks_pay(asked: &str) -> bool {
    const PAY: [&str; 4] = ["earn", "earns", "salary", "wage"];
    const HAN_PAY: [&str; 5] = ["工资", "薪水", "月薪", "年薪", "薪酬"];
    let mut words = asked.split(|c: char| !c.is_alphanumeric());
    words.any(|word| PAY.contains(&word)) || HAN_PAY.iter().any(|word| asked.contains(word))
}

/// Whether a sentence speaks of somebody's pay: by name, or as so much a time.
fn tells_pay(flat: &str) -> bool {
    const PAY: [&str; 26] = [
        "earn",
        "earns",
        "earned",
        "earning",
        "salary",
        "salaries",
        "wage",
        "wages",
        "pay",
        "pays",
        "paid",
        "payroll",
        "income",
        "stipend",
        "allowance",
        "remuneration",
        "compensation",
        "hourly",
        "weekly",
        "monthly",
        "yearly",
        "annually",
        "gets",
        "got",
        "receives",
        "makes",
    ];
    const BY_TIME: [&str; 10] = [
        "a day",
        "a week",
        "a month",
        "a year",
        "an hour",
        "per hour",
        "per day",
        "per week",
        "per month",
        "per year",
    ];
    const PRICES: [&str; 8] = ["rent", "rented", "rents", "cost", "costs", "price", "fee", "charge"];
    const HAN_PAY: [&str; 8] = ["工资", "薪", "报酬", "收入", "酬劳", "补贴", "挣", "每月"];
    let says = |words: &[&str]| flat.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    says(&PAY)
        || HAN_PAY.iter().any(|form| flat.contains(form))
        || BY_TIME.iter().any(|form| flat.contains(form)) && !says(&PRICES)
}

/// Whether a sentence tells the age of somebody else than the person who is asked for: of a relative who stands between the name
/// and the age, or of nobody whom it calls by that name or "he" or 她.
fn is_age_of_another(concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    const AGES: [&str; 4] = ["岁", "aged ", "years old", "year-old"];
    const KIN: [&str; 16] = [
        "儿子",
        "女儿",
        "孙子",
        "孙女",
        "侄",
        "弟弟",
        "妹妹",
        "哥哥",
        "姐姐",
        " son ",
        " daughter ",
        " brother ",
        " sister ",
        " child ",
        " mother ",
        " father ",
    ];
    let flat = &this.indexed.flat;
    let names: Vec<&Concept> = concepts.iter().filter(|concept| concept.is_name).collect();
    let Some(age) = AGES.iter().filter_map(|mark| flat.rfind(mark)).max() else { return false };
    let before = flat.get(..age).unwrap_or("");
    let name = names.iter().filter_map(|name| before.rfind(name.text.as_str())).max();
    if let Some(between) = name.and_then(|name| before.get(name..)) {
        return KIN.iter().any(|kin| between.contains(kin));
    }
    let is_pronoun = |word: &str| matches!(word, "he" | "she" | "his" | "her" | "it");
    let refers = flat.split(|c: char| !c.is_alphanumeric()).any(is_pronoun)
        || ['他', '她'].iter().any(|pronoun| {
            let mut places = flat.match_indices(*pronoun);
            places.any(|(at, one)| !flat.get(at + one.len()..).is_some_and(|rest| rest.starts_with('们')))
        });
    let says_name = concepts
        .iter()
        .zip(&this.found)
        .any(|(concept, found)| concept.is_name && found.strength >= SAYS_PART);
    !names.is_empty() && this.field.is_none() && !says_name && !refers
}

/// Words of what says no more than a title does: "Accident of 17 October."
const TITLE_WORDS: usize = 8;

/// Whether a short sentence names what a question asks the cause of, and says nothing of it: "What caused the accident?" is not
/// answered by the paragraph that begins with "Accident of 17 October."
fn is_bare_title(question: &Question, this: &AnswerCandidate<'_>) -> bool {
    let asked = flatten(&question.text);
    ["what caused ", "what was the cause ", "what led to "].iter().any(|form| asked.starts_with(form))
        && this.field.is_none()
        && !this.indexed.is_han()
        && this.indexed.length <= TITLE_WORDS
        && !this.quote.2.starts_with('|')
        && !holds_verb(&this.indexed.flat)
}

/// Whether a line is a title or a caption: no sentence, no row of a table, no field.
fn is_caption(this: &AnswerCandidate<'_>) -> bool {
    let said = this.quote.2.trim_end_matches(['"', '”', '’', ')', '）', '*', '_', ' ']);
    !said.ends_with(['.', '!', '?', '…', ':', ';', '。', '！', '？', '；', '：'])
        && !said.starts_with(['|', '-', '*', '•'])
        && this.field.is_none()
        && !holds_verb(&this.indexed.flat)
}

/// Whether a sentence says itself nothing of the things that are asked about, and one of them stands nowhere around it: "Motorbikes cost
/// £12" says what something costs, and nothing of bicycles on the ferry.
fn says_nothing_of_it(concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    let things =
        || concepts.iter().zip(this.found.iter().zip(&this.around)).filter(|(concept, _)| !concept.is_light);
    let says_none = things().all(|(_, (found, _))| found.strength < SAYS_PART);
    says_none && things().any(|(_, (_, around))| *around < STANDS_AROUND)
}

/// How well a sentence says a thing that it says in part, and how well what stands around it says one.
const SAYS_PART: f64 = 0.5;
const STANDS_AROUND: f64 = 0.3;

/// Whether a question asks of one of several things by its number, and a sentence speaks of another of them alone: hive 4 is
/// not hive 3, 四号楼 not 三号楼.
fn tells_other_number(asked: &str, flat: &str) -> bool {
    if asked.chars().any(is_han) {
        let numbers = |text: &str| -> Vec<(String, String)> {
            let found = text.match_indices('号').filter_map(|(at, mark)| {
                let before = text.get(..at)?;
                let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
                let number = before.get(before.len() - digits..).filter(|number| !number.is_empty())?;
                let thing =
                    text.get(at + mark.len()..)?.chars().next().filter(|c| "楼院桌库房车门".contains(*c))?;
                Some((thing.to_string(), number.to_owned()))
            });
            found.collect()
        };
        return is_numbered_otherwise(&numbers(asked), &numbers(flat));
    }
    let asked = numbered_things(asked);
    !asked.is_empty() && is_numbered_otherwise(&asked, &numbered_things(flat))
}

/// What bears a number of up to three digits, with it: "hive 3", "boat no. 2". A number that counts or measures what stands behind
/// it is none: "scored 3 goals", "weighs 5 kg".
fn numbered_things(flat: &str) -> Vec<(String, String)> {
    const NO_THINGS: [&str; 14] = [
        "about", "almost", "around", "before", "between", "least", "most", "nearly", "over", "past", "since",
        "than", "under", "until",
    ];
    const DIGITS: usize = 3;
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let written: Vec<&str> = flat.split(' ').filter(|word| !["no", "no.", "number"].contains(word)).collect();
    let words: Vec<String> = written.iter().map(|word| bare(word)).collect();
    let pairs = words.windows(2).enumerate().filter_map(|(at, pair)| {
        let [thing, number] = pair else { return None };
        let ends = written.get(at + 1).is_some_and(|word| word.ends_with(|c: char| !c.is_alphanumeric()));
        let is_number =
            (1..=DIGITS).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        let behind = words.get(at + 2).map_or("", String::as_str);
        let is_plural = behind.ends_with('s') && !is_stop_word(behind) && behind.len() > DIGITS;
        let counts = !ends && (is_plural || is_unit_word(behind));
        let is_thing = thing.len() > DIGITS - 1
            && thing.chars().all(char::is_alphabetic)
            && !is_stop_word(thing)
            && !is_month(thing)
            && !NO_THINGS.contains(&thing.as_str());
        (is_number && is_thing && !counts).then(|| (stem(thing), number.clone()))
    });
    pairs.collect()
}

fn is_numbered_otherwise(asked: &[(String, String)], told: &[(String, String)]) -> bool {
    asked.iter().any(|(thing, number)| {
        let mut same = told.iter().filter(|(other, _)| other == thing).peekable();
        same.peek().is_some() && same.all(|(_, other)| other != number)
    })
}

/// Whether an English question asks where something is, and nothing of a sentence leads to a place: "The new oars arrived today."
fn lacks_place(asked: &str, this: &AnswerCandidate<'_>) -> bool {
    const ASKS: [&str; 5] = ["where is ", "where are ", "where's ", "where can i find ", "where do i find "];
    const LEADS: [&str; 26] = [
        "in",
        "at",
        "on",
        "under",
        "behind",
        "beside",
        "near",
        "to",
        "between",
        "above",
        "below",
        "inside",
        "outside",
        "by",
        "opposite",
        "over",
        "along",
        "from",
        "into",
        "here",
        "there",
        "upstairs",
        "downstairs",
        "with",
        "via",
        "off",
    ];
    let mut words = this.indexed.flat.split(|c: char| !c.is_alphanumeric());
    ASKS.iter().any(|form| asked.starts_with(form))
        && !this.indexed.is_han()
        && !this.quote.2.starts_with('|')
        && this.field.is_none()
        && !words.any(|word| LEADS.contains(&word))
        && !this.indexed.flat.split(' ').any(is_path)
}

/// Whether a question asks for a birthday, and neither a sentence nor what stands beside it speaks of a birth.
fn lacks_birthday(asked: &str, this: &AnswerCandidate<'_>) -> bool {
    const ASKS: [&str; 5] = ["birthday", "date of birth", "生日", "生辰", "诞辰"];
    const TELLS: [&str; 13] = [
        "birth", "born", "turns ", "turned ", "生日", "生辰", "诞", "出生", "生于", "降生", "年生", "月生",
        "日生",
    ];
    if !ASKS.iter().any(|form| asked.contains(form)) {
        return false;
    }
    let (before, behind) = this.beside();
    let flat = this.indexed.flat.as_str();
    let beside = [before, behind].map(|text| text.to_lowercase());
    let tells = |text: &str| TELLS.iter().any(|form| text.contains(form));
    !tells_life("born", flat) && !tells(flat) && !beside.iter().any(|text| tells(text))
}

/// How well a sentence tells a home where it says anything of one.
const HOME: f64 = 0.5;

/// Whether a question asks for the name of a plain thing, and an English sentence that speaks of it names others further off
/// alone: "the cat slept. The crossing took four hours, and Ann was ill" gives the cat no name.
fn names_elsewhere(asked: &WeightedQuestion<'_>, this: &AnswerCandidate<'_>) -> bool {
    let [thing] = asked.concepts else { return false };
    if this.indexed.is_han() || thing.is_name || thing.is_named() {
        return false;
    }
    let told: Vec<usize> = this.found.iter().flat_map(|found| found.at.iter().copied()).collect();
    let others = others_in(asked.question, this);
    !told.is_empty() && !others.iter().any(|at| told.iter().any(|thing| thing.abs_diff(*at) <= NAMED_NEAR))
}

/// Whether an English question asks what somebody or something did or was before, and a sentence tells of no earlier time.
fn tells_nothing_earlier(question: &Question, this: &AnswerCandidate<'_>) -> bool {
    const EARLIER: [&str; 13] = [
        "before",
        "formerly",
        "former",
        "previously",
        "previous",
        "earlier",
        "until",
        "once",
        "used",
        "had",
        "originally",
        "then",
        "since",
    ];
    let asked = flatten(&question.text);
    let words: Vec<&str> = asked.split(' ').collect();
    let asks = matches!(words.as_slice(), ["what" | "where", "did" | "was" | "were" | "had", ..])
        && words.iter().any(|word| *word == "before" || *word == "before?");
    let is_earlier = |word: &str| EARLIER.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
    asks && !this.indexed.is_han()
        && question.asks != Asks::Time
        && !this.indexed.flat.split(' ').any(|word| is_earlier(word) || last_year(word).is_some())
}

/// Whether a question asks who was somebody before or after whom it names, and no part of a sentence that names that one
/// names anybody else: "Ann Lee stays treasurer" tells of nobody before Ann Lee.
fn names_nobody_beside(question: &Question, this: &AnswerCandidate<'_>, features: &Features) -> bool {
    if !matches!(question.asks, Asks::Person | Asks::Definition) {
        return false;
    }
    let asked = flatten(&question.text);
    let names = || question.names.iter().flat_map(|name| &name.whole);
    let is_ordered = |name: &String| {
        let at = find_name(&asked, name);
        at.is_some_and(|(begin, end)| {
            let (before, behind) =
                (asked.get(..begin).unwrap_or_default(), asked.get(end..).unwrap_or_default());
            before.ends_with("before ")
                || before.ends_with("after ")
                || ["之前", "以前", "之后", "以后", "的前任", "的继任"]
                    .iter()
                    .any(|form| behind.starts_with(form))
        })
    };
    if !names().any(is_ordered) {
        return question.names.is_empty() && names_only_whom_it_follows(question, this);
    }
    if this.indexed.is_han() {
        return others_who_act(question, this).is_empty();
    }
    if question.asks == Asks::Person && value_of("person", features) <= 0.0 {
        return true;
    }
    let others = others_in(question, this);
    // each sentence of several by itself
    let mut begins = 0;
    let words: Vec<&str> = this.indexed.flat.split(' ').collect();
    let is_end = |at: usize| {
        at + 1 == words.len() || words.get(at).is_some_and(|word| word.ends_with(['.', '!', '?']))
    };
    for end in (0..words.len()).filter(|at| is_end(*at)) {
        let text = words.get(begins..=end).unwrap_or_default().join(" ");
        let parts = question.names.iter().flat_map(|name| name.whole.iter().chain(&name.parts));
        let is_named = parts.into_iter().any(|part| find_name(&text, part).is_some()) || continues(&text);
        if is_named && others.iter().any(|at| (begins..=end).contains(at)) {
            return false;
        }
        begins = end + 1;
    }
    true
}

/// Whether a question that ends in "before" or "after" and a name that no record has is told of by an English sentence that names
/// nobody else: "Who was registrar before Dora Falkenrath?"
fn names_only_whom_it_follows(question: &Question, this: &AnswerCandidate<'_>) -> bool {
    const ORDERS: [&str; 2] = [" before ", " after "];
    let named = ORDERS.iter().find_map(|order| question.text.rsplit_once(order)).map(|(_, name)| name);
    let is_name = |name: &str| {
        let mut words = name.split_whitespace().peekable();
        words.peek().is_some() && words.all(|word| word.starts_with(char::is_uppercase))
    };
    !this.indexed.is_han() && named.is_some_and(is_name) && {
        let words: Vec<&str> = this.quote.2.split_whitespace().collect();
        let others = others_in(question, this);
        // the first word of a sentence, a title, and what a label says name nobody
        others.into_iter().all(|at| {
            let word =
                words.get(at).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
            let is_labelled = words.get(at).is_some_and(|word| word.ends_with(':'));
            at == 0 || is_labelled || word.is_some_and(|word| is_title(&word))
        })
    }
}

fn has_plain_measure(question: &Question) -> bool {
    question.measure.is_some_and(|measure| {
        matches!(
            measure,
            QuantityKind::Year | QuantityKind::Length | QuantityKind::Weight | QuantityKind::Temperature
        )
    })
}

fn is_empty(features: &Features) -> bool {
    value_of("empty", features) > 0.0
}

/// Whether a sentence tells what was paid by the amount: "were fined 400 pounds", 一共两千银元.
fn tells_what_was_paid(question: &Question, this: &AnswerCandidate<'_>) -> bool {
    question.measure == Some(QuantityKind::Money)
        && (tells_amount(&this.indexed.flat) || measures(&this.indexed.flat, QuantityKind::Money))
}

/// Words between a relative, or a surname, and the name that is told of them.
const NAMED_NEAR: usize = 5;

/// Whether a question asks for the name of a relative, or for a first name, and a sentence names nobody there: "my wife
/// likes to say" names no wife, and "Mrs. Hudson" no first name.
fn names_nobody(asked: &WeightedQuestion<'_>, this: &AnswerCandidate<'_>) -> bool {
    let question = asked.question;
    if !question.asks_name || this.indexed.is_han() {
        return false;
    }
    let others = || others_in(question, this).into_iter();
    let places = |of: &dyn Fn(&Concept) -> bool| -> Vec<usize> {
        let found = this.found.iter().zip(asked.concepts).filter(|(_, concept)| of(concept));
        found.flat_map(|(found, _)| found.at.iter().copied()).collect()
    };
    if let Some(kin) = question.attribute.as_ref().filter(|attribute| is_relative(attribute)) {
        let told = places(&|concept| concept.text == *kin);
        return !told.is_empty() && !others().any(|at| told.iter().any(|kin| kin.abs_diff(at) <= NAMED_NEAR));
    }
    if !question.text.to_lowercase().contains("first name") {
        return false;
    }
    let words: Vec<&str> = this.indexed.flat.split(' ').collect();
    let is_title = |at: &usize| {
        let word = words.get(*at).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        word.is_none_or(is_title)
    };
    let named = places(&|concept| concept.is_name);
    !others().filter(|at| !is_title(at)).any(|at| named.iter().any(|name| name.abs_diff(at) <= NAMED_NEAR))
}

/// Whether neither a sentence nor what stands around it says an attribute that a question asks for.
fn lacks(attribute: &str, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    let is_of = |concept: &Concept| {
        !concept.is_light && (attribute.contains(&concept.text) || concept.text.contains(attribute))
    };
    let told = this.around.iter().zip(concepts).filter(|(_, concept)| is_of(concept));
    told.map(|(strength, _)| *strength).reduce(f64::max).is_some_and(|most| most <= CHARACTER)
}

/// Whether an English question asks what something of somebody is, as "What is Ann's telephone number?", and a word of that
/// stands neither in a sentence nor around it. What is told without its own name is left out: a job, an age.
fn lacks_what_is_owned(question: &Question, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    const TOLD_OTHERWISE: [&str; 26] = [
        "job",
        "work",
        "profession",
        "occupation",
        "role",
        "position",
        "rank",
        "age",
        "name",
        "nationality",
        "opinion",
        "view",
        "reaction",
        "answer",
        "reply",
        "reason",
        "plan",
        "fate",
        "purpose",
        "relation",
        "relationship",
        "problem",
        "attitude",
        "advice",
        "secret",
        "task",
    ];
    if this.indexed.is_han() || question.asks_name || question.measure.is_some() {
        return false;
    }
    let flat = flatten(&question.text);
    let Some(thing) = what_is_owned(&flat) else { return false };
    let words: Vec<&str> = thing.split(' ').collect();
    if words.last().is_none_or(|head| TOLD_OTHERWISE.contains(head) || is_relative(head) || is_role(head)) {
        return false;
    }
    let told = this.around.iter().zip(concepts);
    let told = told.filter(|(_, concept)| {
        !concept.is_light && !concept.is_name && words.contains(&concept.text.as_str())
    });
    told.into_iter().any(|(around, _)| *around <= CHARACTER)
}

/// What a flat question asks for of its owner: "home address" of "what is mr lee's home address?".
fn what_is_owned(flat: &str) -> Option<&str> {
    const ASKS: [&str; 5] = ["what is ", "what was ", "what are ", "what were ", "what's "];
    const MOST: usize = 3;
    let asked = ASKS.iter().find_map(|form| flat.strip_prefix(form))?;
    let at = ["'s ", "’s ", "s' "].iter().filter_map(|mark| Some(asked.rfind(mark)? + mark.len())).max()?;
    let thing = asked.get(at..)?.trim_end_matches(|c: char| !c.is_alphanumeric());
    let words = thing.split(' ').count();
    let is_plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-');
    ((1..=MOST).contains(&words) && thing.chars().all(is_plain)).then_some(thing)
}

/// How far a document may be from the time that a question asks about.
const UNTIMELY: f64 = 0.9;

/// Whether a word that the question writes with a capital stands in the texts without one only: the film Inception is no
/// "inception of the project".
pub(super) fn is_unwritten(
    question: &Question,
    concepts: &[Concept],
    candidates: &[AnswerCandidate<'_>],
) -> bool {
    const THE: [&str; 5] = ["the", "a", "an", "this", "our"];
    let asked = flatten(&question.text);
    let asked: Vec<&str> =
        asked.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // who asks for "the Mayor" or "the Board" may write it so
    let is_common = |word: &str| {
        let behind = |pair: &[&str]| matches!(pair, [the, noun] if *noun == word && THE.contains(the));
        is_title(word) || is_role(word) || asked.windows(2).any(behind)
    };
    let is_lower = |(place, concept): (usize, &Concept)| {
        let asked = stem(&concept.text);
        let mut is_told = false;
        for this in candidates.iter().filter(|this| this.found.get(place).is_some_and(|f| f.strength > 0.0)) {
            // a text without capitals tells nothing
            let begins = this.quote.2.trim_start_matches(|c: char| !c.is_alphanumeric());
            let words = this.quote.2.split(|c: char| !c.is_alphanumeric());
            for word in words.filter(|word| stem(&word.to_lowercase()) == asked) {
                if begins.starts_with(char::is_lowercase) || word.chars().any(|c| !c.is_lowercase()) {
                    return false;
                }
                is_told = true;
            }
        }
        is_told
    };
    if is_nowhere(&flatten(&question.text), concepts, candidates) {
        return true;
    }
    let words = concepts.iter().enumerate();
    words
        .filter(|(_, concept)| concept.is_name && !concept.is_named())
        .filter(|(_, concept)| concept.text.bytes().all(|byte| byte.is_ascii_lowercase()))
        .filter(|(_, concept)| !is_common(&concept.text))
        .any(is_lower)
}

/// Whether the parts of an English text that tell a time are about a man by a pronoun where a woman is asked about, or the other
/// way round: "He died in 1949" tells nothing of Aunt Dorothy.
fn is_of_other_gender(asked: &str, flat: &str) -> bool {
    const WOMEN: [&str; 10] =
        ["aunt", "mrs", "ms", "miss", "lady", "mother", "grandmother", "sister", "daughter", "wife"];
    const MEN: [&str; 9] =
        ["uncle", "mr", "lord", "sir", "father", "grandfather", "brother", "son", "husband"];
    let says = |words: &[&str]| asked.split(|c: char| !c.is_alphabetic()).any(|word| words.contains(&word));
    let other = match (says(&WOMEN), says(&MEN)) {
        (true, false) => "he ",
        (false, true) => "she ",
        _ => return false,
    };
    let mut dated = flat.split(". ").filter(|part| dates(part) > 0.0).peekable();
    dated.peek().is_some() && dated.all(|part| part.trim_start().starts_with(other))
}

/// Whether a Chinese sentence, or of two those that tell when something was where that is asked, are about another relative.
fn is_of_other_relative(question: &Question, flat: &str) -> bool {
    let asked = flatten(&question.text);
    let mut dated = flat.split(['。', '！', '；']).filter(|part| dates(part) > 0.0).peekable();
    if question.asks == Asks::Time && dated.peek().is_some() {
        return dated.all(|part| tells_other_chinese_relative(&asked, part));
    }
    tells_other_chinese_relative(&asked, flat)
}

/// Whether a question asks of something of which no text speaks: "Is there wifi in the hall?", "Does it work with an app?",
/// "What is the delivery fee?", 总经理叫什么名字.
fn is_nowhere(flat: &str, concepts: &[Concept], candidates: &[AnswerCandidate<'_>]) -> bool {
    const ASKS: [&str; 6] =
        ["is there ", "are there ", "was there ", "were there ", "do you have ", "have you got "];
    const SPOKEN_OF: f64 = 0.2;
    let is_spoken_of = |(at, concept): (usize, &Concept)| {
        // one character of a word says another word
        let least = if concept.text.contains(is_han) { CHARACTER + SPOKEN_OF / 2.0 } else { SPOKEN_OF };
        candidates.iter().any(|this| this.around.get(at).is_some_and(|strength| *strength >= least))
    };
    let things =
        || concepts.iter().enumerate().filter(|(_, concept)| !concept.is_light && !concept.is_date());
    let mut asked = things().filter(|(_, concept)| is_thing_asked_for(flat, &concept.text)).peekable();
    if asked.peek().is_some() {
        return !asked.any(is_spoken_of);
    }
    let Some(asked) = ASKS.iter().find_map(|form| flat.strip_prefix(form)) else { return false };
    let place = |concept: &Concept| asked.find(concept.text.as_str()).unwrap_or(usize::MAX);
    let thing = things().min_by_key(|(_, concept)| place(concept));
    thing.is_some_and(|thing| !is_spoken_of(thing))
}

/// Whether a word of a flat question is the thing without which nothing answers it: the app of "Does it work with an app?", the
/// delivery of "What is the delivery fee?", the office or the kin of 总经理叫什么名字.
fn is_thing_asked_for(flat: &str, word: &str) -> bool {
    const WHETHER: [&str; 16] = [
        "is ", "are ", "was ", "were ", "do ", "does ", "did ", "can ", "could ", "may ", "will ", "would ",
        "has ", "have ", "had ", "should ",
    ];
    const WHAT: [&str; 5] =
        ["what is the ", "what's the ", "what was the ", "what are the ", "how much is the "];
    let bare = flat.trim_end_matches(|c: char| !c.is_alphanumeric());
    if word.contains(is_han) {
        return ["叫什么", "是谁", "姓什么"].iter().any(|form| bare.contains(&format!("{word}{form}")))
            || bare.contains(&format!("有{word}吗"));
    }
    let behind_article = || {
        ["a", "an", "any", "or"].iter().any(|article| {
            let form = format!(" {article} {word}");
            bare.ends_with(&form)
                || bare.contains(&format!("{form} or "))
                || bare.contains(&format!("{form} and "))
        })
    };
    let is_modifier = || {
        let rest = WHAT.iter().find_map(|form| bare.strip_prefix(form));
        let words: Vec<&str> = rest.into_iter().flat_map(|rest| rest.split(' ')).collect();
        matches!(words.as_slice(), [modifier, _] if *modifier == word)
    };
    let is_priced = || {
        const PRICES: [&str; 8] = [
            " charge for ",
            " charges for ",
            " charged for ",
            " pay for ",
            " paid for ",
            " cost of ",
            " price of ",
            " fee for ",
        ];
        let priced = PRICES.iter().find_map(|form| bare.split_once(form)).map(|(_, priced)| priced);
        priced.is_some_and(|priced| {
            priced.split(' ').count() <= PRICED && priced.split(' ').next_back() == Some(word)
        })
    };
    WHETHER.iter().any(|form| bare.starts_with(form)) && behind_article() || is_modifier() || is_priced()
}

/// Most words of a thing whose price is asked.
const PRICED: usize = 4;

/// Whether the only thing that a question asks of what it names stands neither in a sentence nor around it: "Walmart
/// chose Azure" tells nothing of its leaving.
fn tells_no_deed(question: &Question, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    if matches!(question.asks, Asks::Definition | Asks::Relation | Asks::Overview)
        || question.compares
        || question.speaker.is_some()
    {
        return false;
    }
    let all = || this.found.iter().zip(&this.around).zip(concepts);
    let names = all().filter(|(_, concept)| concept.is_name);
    let spoken_of = names.filter(|((found, _), _)| found.strength >= 1.0).count();
    let deeds = all().filter(|(_, concept)| !concept.is_name && !concept.is_light && !concept.is_named());
    let mut deeds: Vec<_> = deeds.collect();
    // a plain noun is what something is done to
    if this.indexed.is_han() && deeds.len() > 1 {
        deeds.retain(|(_, concept)| !is_plain_noun(&concept.text));
    }
    let [((_, around), deed)] = deeds.as_slice() else { return false };
    if this.indexed.is_han() && !is_sure(&deed.text) {
        return false;
    }
    // what speaks of all of several names tells of them in other words
    spoken_of < SEVERAL
        && !tells_life(&deed.text, &this.indexed.flat)
        && **around <= CHARACTER
        && concepts.len() > 1
}

/// Whether the dictionary has a Chinese word of several characters as a noun.
fn is_plain_noun(word: &str) -> bool {
    word.chars().count() > 1 && whole_tag(word) == Some("n")
}

/// Whether what a question asks that its name did or was done to is said neither in a sentence nor around it, whatever
/// else it says: "When did Victor Hatherley marry?", 谁养大的赤兔马.
fn tells_no_verb(question: &Question, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    let flat = flatten(&question.text);
    if this.indexed.is_han() {
        return tells_no_chinese_verb(&flat, concepts, this);
    }
    let Some(verb) = verb_behind_name(question, &flat) else { return false };
    if lacks_particle(&flat, verb, concepts, this) {
        return true;
    }
    // "Which company did Ann found?": where all else is a common word, the verb is what is asked for
    let is_all =
        concepts.iter().all(|concept| concept.is_name || concept.is_light) && !SAYING.contains(&verb);
    let told = this.around.iter().zip(concepts);
    let mut told =
        told.filter(|(_, concept)| concept.text == verb && (is_all || !concept.is_light) && !concept.is_name);
    !tells_life(verb, &this.indexed.flat) && told.next().is_some_and(|(around, _)| *around <= AROUND)
}

/// Verbs of questions that what is said answers without them.
const SAYING: [&str; 9] = ["say", "think", "talk", "tell", "mention", "believe", "feel", "happen", "mean"];

/// Whether a sentence tells the verb of a question without the particle that makes it another: "growth" of "Where did Ann grow
/// up?", "gave" of "Why did Ann give up?".
fn lacks_particle(asked: &str, verb: &str, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    const PARTICLES: [&str; 5] = ["up", "down", "out", "off", "away"];
    let mut behind = asked.split(|c: char| !c.is_alphanumeric()).skip_while(|word| *word != verb).skip(1);
    let Some(particle) = behind.next().filter(|word| PARTICLES.contains(word)) else { return false };
    let Some(place) = concepts.iter().position(|concept| concept.text == verb && !concept.is_name) else {
        return false;
    };
    let words: Vec<&str> = this.indexed.flat.split_whitespace().collect();
    let ends = |word: &str| word.trim_end_matches(|c: char| !c.is_alphanumeric()).ends_with(particle);
    // in another word, or in its own with the particle
    let tells = |at: &usize| {
        let own = words.get(*at..).unwrap_or_default();
        let is_other = own.first().is_none_or(|word| word.chars().next() != verb.chars().next());
        is_other || own.iter().take(PARTICLE_WITHIN).any(|word| ends(word))
    };
    let at = this.found.get(place).map_or(&[][..], |found| found.at.as_slice());
    !at.is_empty() && !at.iter().any(tells)
}

/// Words within which a particle stands behind the first letter of its verb: "gave it all up".
const PARTICLE_WITHIN: usize = 4;

/// Whether an English question asks what somebody did, and a sentence tells it of another, who did it to whom is asked
/// about: of "What did Amy write?" it tells that Ann wrote to Amy.
fn tells_of_another_doer(question: &Question, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    const TOWARDS: [&str; 6] = ["to", "for", "from", "with", "about", "against"];
    let flat = flatten(&question.text);
    let asks_doer = flat.split(' ').any(|word| matches!(word, "did" | "does" | "do"));
    if this.indexed.is_han() || !asks_doer {
        return false;
    }
    let Some(verb) = verb_behind_name(question, &flat) else { return false };
    let places = |is: &dyn Fn(&Concept) -> bool| -> Vec<usize> {
        let told = this.found.iter().zip(concepts).filter(|(_, concept)| is(concept));
        told.flat_map(|(found, _)| found.at.iter().copied()).collect()
    };
    let verbs = places(&|concept| concept.text == verb && !concept.is_name);
    let names = places(&|concept| concept.is_name);
    let words: Vec<&str> = this.indexed.flat.split_whitespace().collect();
    let others = others_in(question, this);
    // only the first word of a name has another before it
    let mut begins =
        names.iter().filter(|at| at.checked_sub(1).is_none_or(|before| !names.contains(&before)));
    let is_towards = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|word| TOWARDS.contains(word))
            && verbs.iter().any(|verb| verb < at && at - verb <= TOWARDS_WITHIN)
            && verbs.iter().all(|verb| verb < at && others.iter().any(|other| other < verb))
    };
    !names.is_empty() && begins.all(is_towards)
}

/// Words from a verb to whom it is done to.
const TOWARDS_WITHIN: usize = 4;

/// The same of a Chinese question. A verb that the vocabulary tells no other words for may be told in any.
fn tells_no_chinese_verb(asked: &str, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    if let Some(verb) = verb_behind_asking(asked) {
        let words: Vec<(String, f64)> = pieces(verb);
        let says = |text: &str| {
            words.iter().any(|(word, weight)| *weight > CHARACTER && text.contains(word.as_str()))
        };
        let (before, behind) = this.beside();
        return !says(&this.indexed.flat) && !says(&before) && !says(&behind);
    }
    let Some(verb) = verb_beside_asking(asked, concepts).filter(|verb| is_known(verb)) else { return false };
    let place = concepts.iter().position(|concept| concept.text == verb);
    let Some(place) = place else { return false };
    let of = |values: &[f64]| values.get(place).copied().unwrap_or_default();
    let said = this.found.get(place).map_or(0.0, |found| found.strength);
    let is_above = of(&this.above) > CHARACTER;
    said <= CHARACTER && !is_above && (of(&this.around) <= AROUND || tells_another_deed(verb, concepts, this))
}

/// Whether a sentence tells another deed of what a Chinese question names than the one that it asks for.
pub(super) fn tells_another(question: &Question, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    if !this.indexed.is_han() {
        return false;
    }
    let verb = verb_beside_asking(&flatten(&question.text), concepts).filter(|verb| is_known(verb));
    let place = verb.and_then(|verb| concepts.iter().position(|concept| concept.text == verb));
    let says = place.and_then(|place| this.found.get(place)).is_some_and(|found| found.strength > CHARACTER);
    verb.is_some_and(|verb| !says && tells_another_deed(verb, concepts, this))
}

/// Whether a sentence that names itself what is asked about, by no pronoun, tells another deed of it than a verb: 修复 of
/// 松雪 is not the 偷走 of the sentence before.
fn tells_another_deed(verb: &str, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    let flat = &this.indexed.flat;
    let mut names = this.found.iter().zip(concepts).filter(|(_, concept)| concept.is_name);
    let is_of_itself = names.any(|(found, _)| found.strength >= 1.0);
    if !is_of_itself || refers_back(flat) || continues(flat) {
        return false;
    }
    let words = pieces(verb);
    let is_other = |word: &str| word.chars().count() > 1 && words.iter().all(|(known, _)| known != word);
    segmenter()
        .tag(flat, false)
        .iter()
        .any(|token| token.tag.starts_with('v') && is_other(token.word) && is_known(token.word))
}

/// Whether a Chinese word is one whose absence tells something: a noun, or a verb with other words that are sought, too.
fn is_sure(word: &str) -> bool {
    whole_tag(word).is_some_and(|tag| tag.starts_with('n')) || is_known(word)
}

/// The known verb right behind the 为什么 or 哪一年 of a Chinese question; none where what is asked is that something is no
/// more: 为什么不再当社长.
fn verb_behind_asking(flat: &str) -> Option<&'static str> {
    const ASKING: [&str; 13] = [
        "为什么",
        "为何",
        "为啥",
        "因何",
        "哪一年",
        "哪年",
        "何年",
        "什么时候",
        "何时",
        "哪一天",
        "哪天",
        "哪个月",
        "几月",
    ];
    let (at, form) = ASKING.iter().filter_map(|form| Some((flat.find(form)?, *form))).min()?;
    let behind = flat.get(at + form.len()..)?;
    let behind = ["突然", "才", "就", "会", "要", "被", "又", "发生", "出现"]
        .iter()
        .find_map(|adverb| behind.strip_prefix(adverb))
        .unwrap_or(behind);
    known_at_start(behind)
}

/// Whether a text tells when somebody was born and died in brackets alone: "Ann Lee (1921–2004)".
fn tells_life(verb: &str, flat: &str) -> bool {
    let years = flat.split(|c: char| !c.is_ascii_digit()).filter(|number| number.len() == 4).count();
    match verb {
        "born" => years > 0 && flat.contains('('),
        "die" | "died" => years > 1 && flat.contains('('),
        _ => false,
    }
}

/// What stands of a verb in the sentence behind, or in the text's heading, tells no deed of this one.
const AROUND: f64 = 0.36;

/// The verb of an English question behind the name of whom it asks: "marry" of "When did Victor Hatherley marry?".
fn verb_behind_name<'a>(question: &Question, flat: &'a str) -> Option<&'a str> {
    const ASKING: [&str; 10] = ["did", "does", "do", "has", "have", "had", "was", "were", "is", "are"];
    // which say nothing themselves
    const EMPTY: [&str; 8] = ["got", "meant", "supposed", "going", "able", "used", "helped", "said"];
    if question.compares
        || question.over_time
        || question.speaker.is_some()
        || question.asks_name
        || matches!(question.asks, Asks::Number | Asks::Definition | Asks::Relation | Asks::Overview)
    {
        return None;
    }
    let names = question.names.iter().filter(|name| !name.is_word).flat_map(|name| &name.whole);
    let (begin, end) = names.filter_map(|name| find_name(flat, name)).min()?;
    let before = flat.get(..begin)?.split_whitespace().rev().take(BEFORE_NAME);
    let is_asked = before.into_iter().any(|word| ASKING.contains(&word));
    let behind = flat.get(end..)?;
    let verb = behind.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    let is_verb = is_asked && !behind.starts_with(['\'', '’', ',']) && !verb.ends_with("ly");
    (is_verb && !is_stop_word(verb) && !EMPTY.contains(&verb)).then_some(verb)
}

/// Words between the auxiliary of a question and the name of whom it asks, with it: "did the director Ann".
const BEFORE_NAME: usize = 4;

/// Whether a Chinese sentence names whom something was done to and neither it nor what stands around it who a question says
/// did it: of 吕布为什么鞭打督邮 it tells of another.
fn misses_its_doer(question: &Question, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    let flat = flatten(&question.text);
    if !this.indexed.is_han() || !matches!(question.asks, Asks::Reason | Asks::Number | Asks::Thing) {
        return false;
    }
    let named = concepts.iter().enumerate().filter(|(_, concept)| concept.is_named());
    let mut places: Vec<(usize, usize)> =
        named.filter_map(|(place, concept)| Some((flat.find(concept.text.as_str())?, place))).collect();
    places.sort_unstable();
    let Some(((0, doer), others)) = places.split_first() else { return false };
    let around = |place: usize| this.around.get(place).copied().unwrap_or_default();
    let says =
        |(_, place): &(usize, usize)| this.found.get(*place).is_some_and(|found| found.strength >= 1.0);
    around(*doer) <= 0.0 && others.iter().any(says)
}

/// The verb right behind the 谁 of a Chinese question, or before the 了多少 or 给谁 of one.
fn verb_beside_asking<'a>(flat: &str, concepts: &'a [Concept]) -> Option<&'a str> {
    const ASKING: [&str; 6] = ["谁", "多少", "几", "什么", "哪", "怎么"];
    const EMPTY: [&str; 8] = ["用", "拿", "把", "让", "给", "在", "为", "当"];
    let (at, form) = ASKING.iter().filter_map(|form| Some((flat.find(form)?, *form))).min()?;
    let before = flat.get(..at)?;
    // 嫁给了谁, 杀了多少人; right before 谁 the verb may stand alone
    let mut ended: Vec<&str> =
        ["给了", "了", "过"].iter().filter_map(|end| before.strip_suffix(end)).collect();
    if form == "谁" {
        ended.extend([before, before.strip_suffix('给').unwrap_or(before)]);
    }
    let behind = flat.get(at + form.len()..).filter(|_| form == "谁").unwrap_or_default();
    let behind = behind.strip_prefix('所').unwrap_or(behind);
    let verbs =
        concepts.iter().filter(|concept| !concept.is_name && !concept.is_light && !concept.is_named());
    let mut verbs = verbs.map(|concept| concept.text.as_str()).filter(|verb| !EMPTY.contains(verb));
    verbs.find(|verb| behind.starts_with(verb) || ended.iter().any(|ended| ended.ends_with(verb)))
}

/// Names from which a sentence that holds all of them is on what is asked.
const SEVERAL: usize = 3;

/// Whether a question asks which school, town or the like it was, or for its name, and a sentence speaks of one with no
/// name beside: "until I graduated from high school".
fn names_none_of_its_kind(question: &Question, this: &AnswerCandidate<'_>) -> bool {
    let flat = flatten(&question.text);
    if this.indexed.is_han() || flat.contains("how ") {
        return false;
    }
    let words: Vec<&str> =
        flat.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let asked = |form: &dyn Fn(&[&str]) -> bool| words.windows(2).position(form);
    let opens = asked(&|pair| matches!(pair, ["name" | "title", "of"]));
    // "what happened to the church" asks for no church
    let opens =
        opens.or_else(|| asked(&|pair| matches!(pair, ["which" | "what", next] if !next.ends_with("ed"))));
    let Some(opens) = opens else { return false };
    let mut kinds = words.iter().skip(opens + 1).take(KIND_WITHIN).filter(|word| bears_name(word));
    let Some(told) = kinds.find_map(|kind| this.indexed.stems.get(&stem(kind))) else {
        return false;
    };
    let others = others_in(question, this);
    !told.iter().any(|kind| others.iter().any(|at| at.abs_diff(*kind) <= NAMED_NEAR))
}

/// Words behind "which" and "name of" in which the kind is told.
const KIND_WITHIN: usize = 4;

/// Whether a question asks for the relative of somebody whom an English sentence neither names nor means.
fn is_of_no_kin(question: &Question, concepts: &[Concept], this: &AnswerCandidate<'_>) -> bool {
    const OWNERS: [&str; 5] = ["his", "her", "my", "our", "their"];
    let asks_kin = question.attribute.as_ref().is_some_and(|attribute| is_relative(attribute));
    if !asks_kin || this.indexed.is_han() {
        return false;
    }
    let mut names = this.found.iter().zip(concepts).filter(|(_, concept)| concept.is_name).peekable();
    let is_named = names.peek().is_none() || names.any(|(found, _)| found.strength > 0.0);
    let owns = |word: &str| OWNERS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
    // "in 1974 she married Ben Cole"
    let goes_on = this.indexed.flat.split(' ').take(OPENING).any(|word| ["he", "she"].contains(&word));
    !is_named && !goes_on && !this.indexed.flat.split(' ').any(owns)
}

/// Words that a sentence says in of whom it goes on.
const OPENING: usize = 4;

/// Whether an English question asks for the name of what is somebody's, as of the porter's dog, and a sentence names something
/// else of that owner alone: "the porter, whose cat is named Halley", "Margery Pell, the daughter of the schoolmaster".
fn tells_of_another_of_its_owner(question: &Question, this: &AnswerCandidate<'_>) -> bool {
    let asked = flatten(&question.text);
    if this.indexed.is_han() || !question.asks_name && question.asks != Asks::Definition {
        return false;
    }
    let Some((owner, thing)) = owner_and_thing(&asked) else { return false };
    let words: Vec<&str> =
        this.indexed.flat.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let is_thing = |word: &str| same(thing).contains(&stem(word));
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let is_owner = |word: &str| stem(word.trim_end_matches("'s").trim_end_matches("’s")) == stem(owner);
    let named: Vec<&str> = (2..words.len())
        .filter(|at| {
            matches!(word(*at), "named" | "called") && matches!(word(at - 1), "is" | "was" | "are" | "were")
        })
        .map(|at| word(at - 2))
        .filter(|subject| !is_stop_word(subject))
        .collect();
    let names_another =
        !named.is_empty() && named.iter().all(|subject| !is_thing(subject) && !is_owner(subject));
    let says_thing = words.iter().any(|word| stem(word) == stem(thing));
    let is_of_relative = (0..words.len()).filter(|at| is_owner(word(*at))).any(|at| {
        let of =
            if word(at.saturating_sub(1)) == "the" { at.saturating_sub(2) } else { at.saturating_sub(1) };
        of > 0 && word(of) == "of" && is_relative(word(of - 1))
            || word(at).ends_with('s') && is_relative(word(at + 1))
    });
    names_another || !says_thing && is_of_relative
}

/// The last owner that a question names with 's, and what of it is asked for: "porter" and "dog" of "the porter's dog".
fn owner_and_thing(asked: &str) -> Option<(&str, &str)> {
    let at = asked.rfind("'s ").or_else(|| asked.rfind("’s "))?;
    let owner = asked.get(..at)?.rsplit(' ').next()?;
    let behind = asked.get(at..)?.split_once(' ')?.1;
    let thing = behind.split(|c: char| !c.is_alphanumeric()).next().filter(|word| !word.is_empty())?;
    (!is_stop_word(thing)).then_some((owner, thing))
}

#[cfg(test)]
mod tests {
    use super::{tells_life, what_is_owned};

    #[test]
    fn what_is_asked_of_an_owner_stands_behind_the_mark() {
        assert_eq!(what_is_owned("what is mr lee's home address?"), Some("home address"));
        assert_eq!(what_is_owned("what’s the ship’s draught?"), None);
        assert_eq!(what_is_owned("what is the ship’s draught?"), Some("draught"));
        assert_eq!(what_is_owned("who is ann's father?"), None);
        assert_eq!(what_is_owned("what is st oswin's used for in the winter now?"), None);
    }

    #[test]
    fn a_life_is_told_in_brackets() {
        assert!(tells_life("die", "ann lee (1921–2004) was a painter."));
        assert!(!tells_life("die", "ann lee (born 3 october 1973) is a painter."));
        assert!(tells_life("born", "ann lee (3 october 1973) is a painter."));
        assert!(!tells_life("resign", "ann lee (1921–2004) was a painter."));
    }
}
