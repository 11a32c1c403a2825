//! Doubtful pairs before a model, many in one call; a pair without a verdict is asked about once more.

use super::reply::{PairVerdict, PairVerdicts, read_verdicts};
use crate::llm::{ChatModel, ChatRequest, Message, ModelError, ModelRole};
use crate::prompts::{Data, PromptName, Prompts, RepairReply, SameEntity};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What is asked for once more.
const FORM: &str = "one JSON object with a list \"verdicts\", each with pair, same and reason";

/// A pair of names as the model sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamePair {
    /// What is known of one name, on one line.
    pub(super) one: String,
    /// What is known of the other.
    pub(super) other: String,
}

/// What came of a batch of questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    /// One place a question; `None` where the model gave no verdict that can be used.
    pub(super) judgements: Vec<Option<PairVerdict>>,
    /// Why judgements are missing, and what was said that was not asked; for people.
    pub(super) problems: Vec<String>,
}

/// Asks about pairs in one call. What the reply leaves open is asked once more: the whole with the problem named
/// where nothing could be used, else the missing pairs alone. A batch that is too long is split.
///
/// # Errors
/// The model refuses or the budget is used up. Other failures leave their pairs without a judgement.
pub(super) async fn judge(
    model: &dyn ChatModel,
    prompts: &Prompts,
    questions: &[NamePair],
) -> Result<Answers, ModelError> {
    let asked: Vec<&NamePair> = questions.iter().collect();
    Judge { model, prompts }.batch(asked, true).await
}

struct Judge<'a> {
    model: &'a dyn ChatModel,
    prompts: &'a Prompts,
}

impl<'a> Judge<'a> {
    fn batch(
        &'a self,
        questions: Vec<&'a NamePair>,
        again: bool,
    ) -> BoxFuture<'a, Result<Answers, ModelError>> {
        Box::pin(async move {
            let judged = match self.ask(&questions, again).await {
                Ok(judged) => judged,
                Err(ModelError::TooLong { .. }) if questions.len() > 1 => {
                    let (one, other) = questions.split_at(questions.len() / 2);
                    let mut answers = self.batch(one.to_vec(), again).await?;
                    let rest = self.batch(other.to_vec(), again).await?;
                    answers.judgements.extend(rest.judgements);
                    answers.problems.extend(rest.problems);
                    return Ok(answers);
                }
                Err(error @ (ModelError::Refused { .. } | ModelError::Budget(_))) => return Err(error),
                Err(error) => {
                    let judgements = vec![None; questions.len()];
                    return Ok(Answers { judgements, problems: vec![error.to_string()] });
                }
            };
            let mut answers = Answers { judgements: judged.verdicts, problems: Vec::new() };
            let open: Vec<usize> = (0..questions.len())
                .filter(|place| answers.judgements.get(*place).is_some_and(Option::is_none))
                .collect();
            if open.is_empty() {
                return Ok(answers);
            }
            if !again || open.len() == questions.len() {
                answers.problems = judged.problems;
                return Ok(answers);
            }
            let missing = open.iter().filter_map(|place| questions.get(*place).copied()).collect();
            let rest = self.batch(missing, false).await?;
            for (place, judgement) in open.into_iter().zip(rest.judgements) {
                if let Some(slot) = answers.judgements.get_mut(place) {
                    *slot = judgement;
                }
            }
            answers.problems = rest.problems;
            Ok(answers)
        })
    }

    /// One call, and where it holds no verdict at all and `again` allows it, one more that names the problem.
    async fn ask(&self, questions: &[&'a NamePair], again: bool) -> Result<PairVerdicts, ModelError> {
        // what is said of a name stands where it comes first
        let mut shown = BTreeSet::new();
        let mut line = |of: &'a str| if shown.insert(of) { of } else { of.split(" | ").next().unwrap_or(of) };
        let pairs: Vec<String> = (1..)
            .zip(questions)
            .map(|(number, question)| {
                let (one, other) = (line(&question.one), line(&question.other));
                format!("Pair {number}\n  one: {one}\n  other: {other}")
            })
            .collect();
        let pairs = Data::text(pairs.join("\n"));
        let mut messages = self.prompts.messages(&SameEntity { pairs, count: questions.len() })?;
        let reply = self.model.chat(&request(messages.clone())).await?;
        let judged = read_verdicts(&reply.text, questions.len());
        if !again || judged.verdicts.iter().any(Option::is_some) {
            return Ok(judged);
        }
        let problem = Data::line(judged.problems.first().map_or("", String::as_str));
        messages.push(Message::assistant(&reply.text));
        messages.extend(self.prompts.messages(&RepairReply { problem, form: FORM })?);
        let reply = self.model.chat(&request(messages)).await?;
        Ok(read_verdicts(&reply.text, questions.len()))
    }
}

fn request(messages: Vec<Message>) -> ChatRequest {
    let mut request = ChatRequest::new(ModelRole::Extract, PromptName::SameEntity.as_str(), messages);
    request.schema = Some(("verdicts".to_owned(), schema()));
    request
}

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["verdicts"],
        "properties": {"verdicts": {"type": "array", "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["pair", "same", "reason"],
            "properties": {
                "pair": {"type": "integer"}, "same": {"type": "boolean"}, "reason": {"type": "string"}
            }
        }}}
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::scripted::{Scripted, reply};

    fn questions(count: usize) -> Vec<NamePair> {
        (1..=count)
            .map(|number| NamePair {
                one: format!("Scrooge {number}"),
                other: format!("Mr. Scrooge {number}"),
            })
            .collect()
    }

    async fn sames(model: &Scripted, count: usize) -> (Vec<Option<bool>>, Vec<String>) {
        let prompts = Prompts::load(None).unwrap();
        let answers = judge(model, &prompts, &questions(count)).await.unwrap();
        let sames = answers.judgements.iter().map(|one| one.as_ref().map(|one| one.same)).collect();
        (sames, answers.problems)
    }

    const ONE: &str = r#"{"verdicts": [{"pair": 1, "same": true, "reason": "a title"}]}"#;
    const BOTH: &str = r#"{"verdicts": [{"pair": 1, "same": true}, {"pair": 2, "same": false}]}"#;

    #[tokio::test]
    async fn many_pairs_are_one_call() {
        let model = Scripted::replies(&[BOTH]);
        assert_eq!(sames(&model, 2).await, (vec![Some(true), Some(false)], Vec::new()));
        let request = &model.requests()[0];
        assert!(request.schema.is_some() && request.messages[1].content.contains("Pair 2\n  one: Scrooge 2"));
    }

    #[tokio::test]
    async fn an_unusable_reply_is_asked_for_once_more_with_the_problem() {
        let model = Scripted::replies(&["Sorry.", BOTH]);
        assert_eq!(sames(&model, 2).await.0, [Some(true), Some(false)]);
        let last = model.requests()[1].messages.last().unwrap().content.clone();
        assert!(last.contains("it holds no verdicts") && last.contains("verdicts"), "{last}");
        let model = Scripted::replies(&["Sorry.", "Sorry again.", BOTH]);
        let (none, problems) = sames(&model, 2).await;
        assert_eq!((none, model.tasks().len()), (vec![None, None], 2));
        assert_eq!(problems, ["it holds no verdicts"]);
    }

    #[tokio::test]
    async fn missing_pairs_are_asked_about_alone() {
        let model = Scripted::replies(&[ONE, r#"{"verdicts": [{"pair": 1, "same": false}]}"#]);
        assert_eq!(sames(&model, 2).await, (vec![Some(true), Some(false)], Vec::new()));
        let second = model.requests()[1].messages[1].content.clone();
        assert!(second.contains("one: Scrooge 2") && !second.contains("Scrooge 1"), "{second}");
        let model = Scripted::replies(&[ONE, "no more", "never asked"]);
        assert_eq!(sames(&model, 2).await.0, [Some(true), None]);
        assert_eq!(model.tasks().len(), 2, "once more, not for ever");
    }

    #[tokio::test]
    async fn numbers_that_were_not_asked_do_no_harm() {
        let model = Scripted::replies(&[
            r#"[{"pair": 1, "same": true}, {"pair": 2, "same": false}, {"pair": 3, "same": true}]"#,
        ]);
        assert_eq!(sames(&model, 2).await.0, [Some(true), Some(false)]);
    }

    #[tokio::test]
    async fn a_batch_that_is_too_long_is_split() {
        let model = Scripted::new(|request| {
            if request.messages[1].content.contains("Pair 2") {
                return Err(ModelError::TooLong { model: "m".into(), reason: "long".into() });
            }
            Ok(reply(ONE))
        });
        assert_eq!(sames(&model, 3).await.0, [Some(true), Some(true), Some(true)]);
    }

    #[tokio::test]
    async fn a_failing_endpoint_leaves_pairs_open_and_a_refusing_one_ends_the_run() {
        let busy = |_: &ChatRequest| {
            Err(ModelError::Busy { endpoint: "e".into(), reason: "500".into(), retry_after: None })
        };
        let (none, problems) = sames(&Scripted::new(busy), 2).await;
        assert_eq!(none, [None, None]);
        assert!(problems[0].contains("500"), "{problems:?}");
        let refusing =
            Scripted::new(|_| Err(ModelError::Refused { endpoint: "e".into(), reason: "key".into() }));
        let prompts = Prompts::load(None).unwrap();
        assert!(judge(&refusing, &prompts, &questions(1)).await.is_err());
    }
}
