//! Two answers compared by a model, by the criteria of Edge et al. 2024 (section 3): each pair in both orders, several
//! times.

use crate::llm::reply;
use crate::llm::{ChatModel, ChatRequest, ModelRole};
use crate::prompts::{Data, JudgeAnswers, Prompt, Prompts};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Name and definition of each criterion; directness is the control.
pub const CRITERIA: [(&str, &str); 4] = [
    (
        "comprehensiveness",
        "How much of what the question asks for does the answer cover, and in how much detail?",
    ),
    ("diversity", "How many different perspectives and insights on the question does the answer give?"),
    (
        "empowerment",
        "How well does the answer help the reader to understand the matter and to judge for themselves?",
    ),
    ("directness", "How specifically and plainly does the answer address the question?"),
];

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodComparison {
    /// Which criterion.
    pub criterion: String,
    /// Place of the question.
    pub question: usize,
    /// The two methods.
    pub methods: (String, String),
    /// Share of the verdicts for the first method, ties counting half: from 0 to 1.
    pub first: f64,
    /// Verdicts that were understood.
    pub verdicts: usize,
}

/// Two answers to one question.
#[derive(Clone, Copy, Debug)]
pub struct AnswerPair<'a> {
    /// The question's place in its set.
    pub place: usize,
    /// The question.
    pub question: &'a str,
    /// The methods that answered.
    pub methods: (&'a str, &'a str),
    /// Their answers.
    pub answers: (&'a str, &'a str),
}

/// Compares two answers by every criterion, `repeats` times in both orders.
///
/// # Errors
/// What the model says.
pub async fn compare(
    model: &dyn ChatModel,
    prompts: &Prompts,
    pair: AnswerPair<'_>,
    repeats: usize,
) -> Result<Vec<MethodComparison>> {
    let mut comparisons = Vec::new();
    for (name, definition) in CRITERIA {
        let (mut won, mut verdicts) = (0.0, 0_usize);
        for repeat in 0..repeats.max(1) {
            for swapped in [false, true] {
                let (one, two) = if swapped { (pair.answers.1, pair.answers.0) } else { pair.answers };
                let prompt = JudgeAnswers {
                    question: Data::text(pair.question),
                    answer_one: Data::text(one),
                    answer_two: Data::text(two),
                    criterion: &format!("{name}: {definition}"),
                };
                let messages = prompts.render(&prompt)?;
                let mut request = ChatRequest::new(ModelRole::Judge, prompt.name().as_str(), messages);
                // a reply from the cache would be the same verdict again
                if repeat > 0 {
                    request.max_tokens = Some(1000 + u32::try_from(repeat).unwrap_or(0));
                }
                let reply = model.chat(&request).await?;
                let Some(winner) = winner(&reply.text) else { continue };
                verdicts += 1;
                won += match (winner, swapped) {
                    (0, _) => 0.5,
                    (1, false) | (2, true) => 1.0,
                    _ => 0.0,
                };
            }
        }
        if verdicts > 0 {
            comparisons.push(MethodComparison {
                criterion: name.to_owned(),
                question: pair.place,
                methods: (pair.methods.0.to_owned(), pair.methods.1.to_owned()),
                first: won / verdicts as f64,
                verdicts,
            });
        }
    }
    Ok(comparisons)
}

fn winner(reply: &str) -> Option<u64> {
    let value: Value = reply::read_json(reply)?;
    value.get("winner")?.as_u64().filter(|winner| *winner <= 2)
}
