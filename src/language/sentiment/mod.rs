//! What a text says of somebody or something that it names: targeted sentiment by rules, English and Chinese.
//!
//! ```text
//! pieces    text → clauses, each about one of the targets, or about none
//! english, chinese   clause → words that judge, with their weight
//! of        weights → score, label
//! names     a text unit → what it says of each name in it, and who says so
//! ```
//!
//! The rules for English words follow VADER (Hutto and Gilbert 2014, MIT licence), whose list of words is the greater part
//! of `english.tsv`: a negation turns, a booster strengthens. Figures that rise or fall count by what they measure.

mod chinese;
mod english;
mod lexicon;
mod pieces;
mod names;

use crate::language::Language;
pub use names::{Spoken, SpokenBy, towards_names};
use pieces::OpinionClause;
use serde::{Deserialize, Serialize};

/// What a text says of a target.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// Well.
    Positive,
    /// Ill.
    Negative,
    /// It is named without a judgement.
    Neutral,
    /// Good and bad, both left standing.
    Mixed,
}

impl Label {
    /// "positive", "negative", "neutral", "mixed".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Mixed => "mixed",
        }
    }
}

/// The sentiment towards a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentiment {
    /// From -1 to 1.
    pub score: f64,
    /// In a word.
    pub label: Label,
    /// The words that carry it, as they stand in the text, in order.
    pub words: Vec<String>,
}

/// A word that judges, and how much.
#[derive(Clone, Debug, PartialEq)]
struct SentimentWord {
    word: String,
    /// From -4 to 4.
    weight: f64,
}

/// Weight from which a judgement counts beside one of the other sign.
const STANDING: f64 = 0.75;
/// Part of a score that is left where a clause without judging words takes some of it back.
const TAKEN_BACK: f64 = 0.5;
/// Sum that gives a score of a half: VADER's normalisation.
const ALPHA: f64 = 15.0;
/// Score of what is preferred to another, where no word judges.
const PREFERRED: f64 = 0.25;
/// Least score that is a judgement.
const LEAST: f64 = 0.1;

/// The sentiment of a text towards each of the names in it; names that it does not hold get none.
pub fn of(text: &str, targets: &[&str]) -> Vec<Sentiment> {
    let pieces = pieces::split(text, targets);
    let mut found: Vec<Sentiment> = (0..targets.len()).map(|target| towards(&pieces, target)).collect();
    let preferred = if targets.len() == 2 { pieces::preferred(text, targets) } else { None };
    if let [one, other] = found.as_mut_slice()
        && (pieces::contrasts(text, targets) || preferred.is_some())
    {
        oppose(one, other);
        oppose(other, one);
    }
    for (number, silent) in found.iter_mut().enumerate().filter(|(_, one)| one.words.is_empty()) {
        let Some(preferred) = preferred.filter(|_| silent.score == 0.0) else { continue };
        silent.score = if number == preferred { PREFERRED } else { -PREFERRED };
        silent.label = if number == preferred { Label::Positive } else { Label::Negative };
    }
    found
}

/// Of two that a text sets against each other, the one of which no word judges is what the other is not, with half of its
/// weight.
fn oppose(judged: &Sentiment, silent: &mut Sentiment) {
    if silent.words.is_empty() && matches!(judged.label, Label::Positive | Label::Negative) {
        silent.score = judged.score / -2.0;
        silent.label = if judged.label == Label::Positive { Label::Negative } else { Label::Positive };
    }
}

fn towards(pieces: &[OpinionClause], target: usize) -> Sentiment {
    let own: Vec<&OpinionClause> = pieces.iter().filter(|piece| piece.about == Some(target)).collect();
    let mut judged: Vec<SentimentWord> = Vec::new();
    let mut verdict = 0.0;
    // good words, then "but" and no word that judges: what follows takes some of it back
    let mut is_taken_back = false;
    for piece in &own {
        let judge = if piece.language == Language::Chinese { chinese::judge } else { english::judge };
        let found = judge(&piece.text, piece.goes_on_measuring);
        is_taken_back = found.is_empty() && (is_taken_back || piece.is_contrast && !judged.is_empty());
        let sign = if piece.is_turned { -1.0 } else { 1.0 };
        let found: Vec<SentimentWord> =
            found.into_iter().map(|one| SentimentWord { weight: one.weight * sign, ..one }).collect();
        let sum: f64 = found.iter().map(|one| one.weight).sum();
        verdict = piece.verdict.map_or(verdict, |weight| weight + sum);
        judged.extend(found);
    }
    let sum: f64 = judged.iter().map(|one| one.weight).sum();
    let (good, bad): (f64, f64) = judged.iter().fold((0.0, 0.0), |(good, bad), one| {
        if one.weight > 0.0 { (good + one.weight, bad) } else { (good, bad - one.weight) }
    });
    let is_taken_back = is_taken_back && verdict == 0.0 && bad == 0.0;
    let score =
        normalise(if verdict == 0.0 { sum } else { verdict }) * if is_taken_back { TAKEN_BACK } else { 1.0 };
    let stands = good >= STANDING && bad >= STANDING && good.min(bad) * 4.0 >= good.max(bad);
    let label = if stands && verdict == 0.0 || is_taken_back && good >= STANDING {
        Label::Mixed
    } else if score >= LEAST {
        Label::Positive
    } else if score <= -LEAST {
        Label::Negative
    } else {
        Label::Neutral
    };
    Sentiment { score, label, words: judged.into_iter().map(|one| one.word).collect() }
}

fn normalise(sum: f64) -> f64 {
    sum / (sum * sum + ALPHA).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Label)]) {
        let targets: Vec<&str> = expected.iter().map(|(target, _)| *target).collect();
        let found: Vec<Label> = of(text, &targets).into_iter().map(|one| one.label).collect();
        let labels: Vec<Label> = expected.iter().map(|(_, label)| *label).collect();
        assert_eq!(found, labels, "{text}");
    }

    #[test]
    fn clauses_give_two_names_two_signs() {
        check(
            "Azure grew by a third while Surface fell.",
            &[("Azure", Label::Positive), ("Surface", Label::Negative)],
        );
        check(
            "青山药业股价大涨，白河医药却跌停。",
            &[("青山药业", Label::Positive), ("白河医药", Label::Negative)],
        );
        check(
            "Next to the Tarn, the Fell is a joke.",
            &[("Tarn", Label::Positive), ("Fell", Label::Negative)],
        );
        check(
            "I switched from Tarn to Fell a year ago.",
            &[("Tarn", Label::Negative), ("Fell", Label::Positive)],
        );
        check(
            "跟青山电扇比，白河电扇很吵。",
            &[("青山电扇", Label::Positive), ("白河电扇", Label::Negative)],
        );
        check(
            "跟隔壁的青山火锅一比，白河火锅的菜难吃。",
            &[("青山火锅", Label::Positive), ("白河火锅", Label::Negative)],
        );
        check("青山网盘没有白河网盘快。", &[("青山网盘", Label::Negative), ("白河网盘", Label::Positive)]);
        check(
            "青山银行利润增长两成，同业的白河银行门可罗雀。",
            &[("青山银行", Label::Positive), ("白河银行", Label::Negative)],
        );
        check("The Tarn outsold the Fell by far.", &[("Tarn", Label::Positive), ("Fell", Label::Negative)]);
    }

    #[test]
    fn negations_turn_and_burdens_count_the_other_way() {
        check("The Tarn is not good.", &[("Tarn", Label::Negative)]);
        check("There were no complaints about the Tarn.", &[("Tarn", Label::Positive)]);
        check("Costs at the Tarn works rose by 12 percent.", &[("Tarn", Label::Negative)]);
        check("Costs at the Tarn works fell by 12 percent.", &[("Tarn", Label::Positive)]);
        check("Costs were high. At the Tarn works they rose by 12 percent.", &[("Tarn", Label::Negative)]);
        check("Return rates at the Tarn works fell by 12 percent.", &[("Tarn", Label::Positive)]);
        check("Expenses at the Tarn, on the other hand, rose by 12 percent.", &[("Tarn", Label::Negative)]);
        check("Nothing about the new Tarn feels broken.", &[("Tarn", Label::Positive)]);
        check("The Tarn still hasn't fixed my line.", &[("Tarn", Label::Negative)]);
        check("The Tarn could not be better.", &[("Tarn", Label::Positive)]);
        check("青山的客诉量下降四成。", &[("青山", Label::Positive)]);
        check("青山的响应时间延长到两天。", &[("青山", Label::Negative)]);
        check("青山酒店隔音更是没有。", &[("青山酒店", Label::Negative)]);
        check("青山的菜挑不出毛病。", &[("青山", Label::Positive)]);
        check("青山的房租没有少，反而多了八百万。", &[("青山", Label::Negative)]);
        check("青山的服务不满意。", &[("青山", Label::Negative)]);
        check("这台青山风扇从没出过毛病。", &[("青山风扇", Label::Positive)]);
        check("青山的老师从来不对孩子发火。", &[("青山", Label::Positive)]);
        check("至于青山能不能恢复分红，没有答案。", &[("青山", Label::Neutral)]);
        check("I have yet to find anything wrong with the Tarn.", &[("Tarn", Label::Positive)]);
        check("Late deliveries at the Tarn works fell to their lowest.", &[("Tarn", Label::Positive)]);
        check("青山的电梯三天两头坏。", &[("青山", Label::Negative)]);
        check("青山电子的利润翻了一番。", &[("青山电子", Label::Positive)]);
        check("青山电子由盈转亏。", &[("青山电子", Label::Negative)]);
        check("Gross margin at the Tarn widened by two points.", &[("Tarn", Label::Positive)]);
        check("The Tarn swung from a small profit to a loss.", &[("Tarn", Label::Negative)]);
        check("The Tarn went from a heavy loss to a profit of two million.", &[("Tarn", Label::Positive)]);
        check("The Tarn lost fewer customers than before.", &[("Tarn", Label::Positive)]);
        check("青山的成本下降了5%。", &[("青山", Label::Positive)]);
    }

    #[test]
    fn good_and_bad_of_one_is_mixed_unless_there_is_a_verdict() {
        check("The Tarn takes gorgeous pictures, but its menu is awful.", &[("Tarn", Label::Mixed)]);
        check("The Tarn takes gorgeous pictures, but it needs an hour for each.", &[("Tarn", Label::Mixed)]);
        check("青山露营灯很漂亮，充一次电却要六个小时。", &[("青山露营灯", Label::Mixed)]);
        check(
            "The Tarn is heavy and ugly, but I would buy it again, it is wonderful.",
            &[("Tarn", Label::Positive)],
        );
    }

    #[test]
    fn facts_questions_and_the_words_of_names_judge_nobody() {
        check("The board appointed Ann Lee. She succeeds Bob Tate.", &[("Ann Lee", Label::Neutral)]);
        check("青山的收购能省多少，现在说还为时尚早。", &[("青山", Label::Neutral)]);
        check("They declined to say whether the Tarn would fail.", &[("Tarn", Label::Neutral)]);
        check("青山业务何时盈利，目前还无法判断。", &[("青山业务", Label::Neutral)]);
        check("Outside the Tarn, residents called the toll a disgrace.", &[("Tarn", Label::Neutral)]);
        check("在青山图书馆门口，几个乘客痛骂公交。", &[("青山图书馆", Label::Neutral)]);
        check("The Tarn opens on Saturday.", &[("Tarn", Label::Neutral)]);
        check("Is the Tarn any good?", &[("Tarn", Label::Neutral)]);
        check("We met at the Happy Trust building.", &[("Happy Trust", Label::Neutral)]);
        check("请问青山超市好不好？", &[("青山超市", Label::Neutral)]);
    }

    #[test]
    fn lists_are_sorted_numbers_from_minus_four_to_four() {
        for table in [include_str!("english.tsv"), include_str!("chinese.tsv")] {
            let rows: Vec<(&str, &str)> = table.lines().map(|line| line.split_once('\t').unwrap()).collect();
            assert!(rows.windows(2).all(|pair| pair[0].0 < pair[1].0));
            assert!(rows.iter().all(|(_, weight)| weight.parse::<f64>().unwrap().abs() <= 4.0));
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_score_from_minus_one_to_one(text in any::<String>(), name in "[a-zA-Z曹操 ]{0,4}") {
            for one in of(&text, &[name.as_str(), "the"]) {
                prop_assert!((-1.0..=1.0).contains(&one.score));
            }
        }
    }
}
