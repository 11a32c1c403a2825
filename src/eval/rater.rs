//! A model says whether an answer agrees with the right one: strictly (yes or no) and leniently (partly counts as well).

use crate::llm::{ChatModel, ChatRequest, ModelRole};
use crate::prompts::{Data, Prompt, Prompts, RateAnswer, Strictness};
use anyhow::Result;

/// What a rater says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rating {
    /// The answer agrees.
    Yes,
    /// It overlaps with the right one.
    Partially,
    /// It does not agree.
    No,
    /// The rater's reply could not be understood.
    Unclear,
}

/// The two ratings of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ratings {
    /// Yes or no.
    pub strict: Rating,
    /// Yes, partially or no.
    pub lenient: Rating,
}

impl Ratings {
    /// 1 where the strict rater agrees.
    pub fn strict_score(self) -> f64 {
        f64::from(u8::from(self.strict == Rating::Yes))
    }

    /// 1 where the lenient rater agrees, if only in part.
    pub fn lenient_score(self) -> f64 {
        f64::from(u8::from(matches!(self.lenient, Rating::Yes | Rating::Partially)))
    }
}

/// Rates an answer by both prompts.
///
/// # Errors
/// What the model says.
pub async fn rate(
    model: &dyn ChatModel,
    prompts: &Prompts,
    question: &str,
    right: &[String],
    answer: &str,
) -> Result<Ratings> {
    let mut verdicts = [Rating::Unclear; 2];
    for (slot, of) in verdicts.iter_mut().zip([Strictness::Strict, Strictness::Lenient]) {
        let prompt = RateAnswer {
            of,
            question: Data::text(question),
            right_answers: Data::items(right),
            answer: Data::text(answer),
        };
        let messages = prompts.render(&prompt)?;
        let request = ChatRequest::new(ModelRole::Judge, prompt.name().as_str(), messages);
        *slot = verdict(&model.chat(&request).await?.text);
    }
    Ok(Ratings { strict: verdicts[0], lenient: verdicts[1] })
}

/// Reads "Yes", "Yes, partially." or "No" with what may stand around it.
fn verdict(reply: &str) -> Rating {
    let lower = reply.to_lowercase();
    let word =
        lower.split(|c: char| !c.is_alphanumeric()).find(|word| ["yes", "no", "是", "否"].contains(word));
    match word {
        Some("yes" | "是") if lower.contains("partial") || lower.contains("部分") => Rating::Partially,
        Some("yes" | "是") => Rating::Yes,
        Some(_) => Rating::No,
        None => Rating::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_with_what_stands_around_them() {
        let check = |reply: &str, expected: Rating| assert_eq!(verdict(reply), expected, "{reply}");
        check("Yes", Rating::Yes);
        check(" yes.", Rating::Yes);
        check("**Yes, partially**", Rating::Partially);
        check("No", Rating::No);
        check("The answer: no, it does not.", Rating::No);
        check("I cannot tell", Rating::Unclear);
        check("", Rating::Unclear);
    }
}
