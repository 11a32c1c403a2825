//! Doubtful pairs of names and what a model says of them: kept in the graph and beside the replies, asked about only
//! where neither has the verdict on what is shown now.

use super::judge::{NamePair, judge};
use super::judge_input::judge_input;
use super::other_names::{self, STATED_SCORE};
use super::rules::{self, CandidatePair};
use crate::domain::{Edit, Verdict, fingerprint};
use crate::index::vectors::embed;
use crate::llm::{ChatModel, ModelRole, ReplyCache};
use crate::numeric::Matrix;
use crate::numeric::neighbours::{Metric, Neighbours, nearest};
use crate::progress::Progress;
use crate::prompts::PromptName;
use crate::services::Services;
use crate::stores::graph::NameUse;
use anyhow::{Context, Result, bail};
use futures::StreamExt;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Changes when the same names are shown otherwise.
const VERSION: &str = "1";
/// Doubtful pairs that one name may be in.
pub const PAIRS_PER_NAME: usize = 4;
/// Pairs in one call.
const PAIRS_PER_CALL: usize = 25;
/// Characters of the pairs in one call.
const CHARACTERS_PER_CALL: usize = 12_000;
/// Calls that fail, none answered, after which the others are left for the next run.
const FAILURES_BEFORE_GIVING_UP: usize = 3;
/// Neighbours by embedding of one name.
const NEIGHBOURS: usize = 2;
/// Names beyond which comparing all with all takes minutes.
const MOST_NAMES_COMPARED: usize = 30_000;

/// The verdicts that hold now, and what could not be judged.
pub(super) struct Settled {
    pub(super) verdicts: Vec<Verdict>,
    pub(super) problems: Vec<String>,
}

/// Judges every doubtful pair that has no verdict yet. Verdicts are kept as they come; those on pairs that are not
/// doubtful any more are forgotten by the graph.
///
/// # Errors
/// What the store says; a model that refuses, a budget that is used up; an embedding model that fails.
pub(super) async fn settle(
    services: &Services,
    names: &[NameUse],
    edits: &[Edit],
    progress: &Progress,
) -> Result<Settled> {
    let Some(chat) = &services.chat else {
        bail!(
            "[extraction] resolution = \"model\" needs a model; set [llm] provider, or use resolution = \"rules\""
        );
    };
    let mut similar = find_similar(services, names, progress).await?;
    // nothing that is only close reaches what is stated
    for (_, _, score) in &mut similar {
        *score = score.min(STATED_SCORE - 0.01);
    }
    similar.extend(other_names::pairs(services, names).await?);
    let pairs = rules::candidates_with(names, edits, PAIRS_PER_NAME, &similar);
    let table = rules::resolve(names, edits);
    let input = judge_input(services, names, &table, &pairs).await?;
    let asker = Asker::new(services, chat);
    let stored: BTreeMap<(String, String), Verdict> = services
        .graph
        .verdicts()
        .await?
        .into_iter()
        .map(|verdict| ((verdict.low.clone(), verdict.high.clone()), verdict))
        .collect();
    let line = |key: &String| input.get(key).cloned().unwrap_or_default();
    let mut doubts: Vec<DoubtfulPair> = pairs
        .iter()
        .map(|pair| asker.doubt(pair, NamePair { one: line(&pair.low), other: line(&pair.high) }))
        .collect();
    doubts.sort_by(|a, b| (&a.low, &a.high).cmp(&(&b.low, &b.high)));

    let stage = progress.stage("resolution", doubts.len() as u64);
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut open: Vec<DoubtfulPair> = Vec::new();
    for doubt in doubts {
        match stored.get(&(doubt.low.clone(), doubt.high.clone())) {
            Some(verdict) if verdict.evidence == doubt.evidence => verdicts.push(verdict.clone()),
            _ => open.push(doubt),
        }
    }
    let (recalled, open) = asker.recall(open).await;
    services.graph.save_verdicts(&recalled, &[]).await?;
    verdicts.extend(recalled);
    stage.advance(verdicts.len() as u64);
    let (judged, open, reason) = asker.ask(open, progress, &stage).await?;
    verdicts.extend(judged);
    let mut problems = Vec::new();
    if !open.is_empty() && !progress.stop_requested() {
        problems.push(format!(
            "{} pairs of names have no verdict yet and the next run asks again: {}",
            open.len(),
            reason.unwrap_or_else(|| "not asked".to_owned())
        ));
    }
    // what was said before of a pair holds until something else is said
    verdicts.extend(open.into_iter().filter_map(|doubt| stored.get(&(doubt.low, doubt.high)).cloned()));
    verdicts.sort_by(|a, b| (&a.low, &a.high).cmp(&(&b.low, &b.high)));
    let gone: Vec<(String, String)> = stored
        .into_keys()
        .filter(|(low, high)| verdicts.binary_search_by(|v| (&v.low, &v.high).cmp(&(low, high))).is_err())
        .collect();
    services.graph.save_verdicts(&[], &gone).await?;
    Ok(Settled { verdicts, problems })
}

/// A doubtful pair with what it is asked by.
struct DoubtfulPair {
    low: String,
    high: String,
    evidence: String,
    question: NamePair,
}

impl DoubtfulPair {
    fn verdict(&self, same: bool, reason: String) -> Verdict {
        let (low, high, evidence) = (self.low.clone(), self.high.clone(), self.evidence.clone());
        Verdict { low, high, evidence, same, reason }
    }

    /// Its name beside the replies.
    fn name(&self) -> String {
        format!("verdict {} {}", self.evidence, fingerprint(&[&self.low, &self.high]))
    }
}

struct Asker<'a> {
    services: &'a Services,
    chat: &'a dyn ChatModel,
    cache: Option<Arc<ReplyCache>>,
    /// Model and prompt.
    settings: String,
}

impl<'a> Asker<'a> {
    fn new(services: &'a Services, chat: &'a Arc<dyn ChatModel>) -> Self {
        let llm = &services.config.llm;
        let folder = services.original_dir.as_ref().unwrap_or(&services.data_dir);
        let cache = llm.cache.then(|| ReplyCache::open(folder, llm.cache_limit_mb));
        let cache = cache.and_then(|cache| {
            cache.inspect_err(|error| tracing::warn!(%error, "verdicts are kept in the graph only")).ok()
        });
        let settings = fingerprint(&[
            VERSION,
            &chat.identity(ModelRole::Extract),
            services.prompts.fingerprint(PromptName::SameEntity),
        ]);
        Self { services, chat: chat.as_ref(), cache: cache.map(Arc::new), settings }
    }

    fn doubt(&self, pair: &CandidatePair, question: NamePair) -> DoubtfulPair {
        let evidence = fingerprint(&[&self.settings, &question.one, &question.other]);
        DoubtfulPair { low: pair.low.clone(), high: pair.high.clone(), evidence, question }
    }

    /// The verdicts that another index has made on the same, and what is left.
    async fn recall(&self, doubts: Vec<DoubtfulPair>) -> (Vec<Verdict>, Vec<DoubtfulPair>) {
        let Some(cache) = &self.cache else { return (Vec::new(), doubts) };
        let names: Vec<String> = doubts.iter().map(DoubtfulPair::name).collect();
        let kept = match self.services.original_dir {
            Some(_) => cache.peek_at(&names).await,
            None => cache.recall(&names).await,
        };
        let (mut found, mut open) = (Vec::new(), Vec::new());
        for (doubt, value) in doubts.into_iter().zip(kept) {
            let said: Option<(bool, String)> = value.and_then(|value| serde_json::from_slice(&value).ok());
            match said {
                Some((same, reason)) => found.push(doubt.verdict(same, reason)),
                None => open.push(doubt),
            }
        }
        (found, open)
    }

    /// Asks about pairs, many calls in flight; keeps each call's verdicts as soon as they are there. Returns them,
    /// the pairs without one, and the first reason why.
    async fn ask(
        &self,
        doubts: Vec<DoubtfulPair>,
        progress: &Progress,
        stage: &crate::progress::StageProgress,
    ) -> Result<(Vec<Verdict>, Vec<DoubtfulPair>, Option<String>)> {
        let llm = &self.services.config.llm;
        let concurrency = llm.extract.concurrency.unwrap_or(llm.concurrency).max(1);
        let mut batches = batch_pairs(doubts).into_iter();
        let (mut found, mut open, mut reason) = (Vec::new(), Vec::new(), None);
        let (mut failures, mut answered) = (0_usize, 0_usize);
        let mut calls = futures::stream::FuturesUnordered::new();
        loop {
            let go_on = !progress.stop_requested() && (answered > 0 || failures < FAILURES_BEFORE_GIVING_UP);
            while go_on && calls.len() < concurrency {
                let Some(batch) = batches.next() else { break };
                calls.push(self.one(batch));
            }
            let Some(result) = calls.next().await else { break };
            let (verdicts, left, problem) = result?;
            self.keep(&verdicts).await?;
            stage.advance((verdicts.len() + left.len()) as u64);
            if verdicts.is_empty() {
                failures += 1;
            } else {
                answered += 1;
            }
            found.extend(verdicts);
            open.extend(left);
            reason = reason.or(problem);
        }
        open.extend(batches.flatten());
        Ok((found, open, reason))
    }

    async fn one(
        &self,
        batch: Vec<DoubtfulPair>,
    ) -> Result<(Vec<Verdict>, Vec<DoubtfulPair>, Option<String>)> {
        let questions: Vec<NamePair> = batch.iter().map(|doubt| doubt.question.clone()).collect();
        let answers = judge(self.chat, &self.services.prompts, &questions).await?;
        let (mut found, mut open) = (Vec::new(), Vec::new());
        for (doubt, judgement) in batch.into_iter().zip(answers.judgements) {
            match judgement {
                Some(judgement) => found.push(doubt.verdict(judgement.same, judgement.reason)),
                None => open.push(doubt),
            }
        }
        Ok((found, open, answers.problems.into_iter().next()))
    }

    async fn keep(&self, verdicts: &[Verdict]) -> Result<()> {
        // what a copy says of names is made up, and stays there
        if let Some(cache) = self.cache.as_ref().filter(|_| self.services.original_dir.is_none()) {
            let mut entries = Vec::with_capacity(verdicts.len());
            for verdict in verdicts {
                let name = fingerprint(&[&verdict.low, &verdict.high]);
                let value = serde_json::to_vec(&(verdict.same, &verdict.reason))?;
                entries.push((format!("verdict {} {name}", verdict.evidence), value));
            }
            cache.remember(entries).await;
        }
        Ok(self.services.graph.save_verdicts(verdicts, &[]).await?)
    }
}

fn batch_pairs(doubts: Vec<DoubtfulPair>) -> Vec<Vec<DoubtfulPair>> {
    let mut batches: Vec<Vec<DoubtfulPair>> = Vec::new();
    let mut characters = 0;
    for doubt in doubts {
        let length = doubt.question.one.chars().count() + doubt.question.other.chars().count();
        match batches.last_mut() {
            Some(last) if last.len() < PAIRS_PER_CALL && characters + length <= CHARACTERS_PER_CALL => {
                characters += length;
                last.push(doubt);
            }
            _ => {
                characters = length;
                batches.push(vec![doubt]);
            }
        }
    }
    batches
}

/// Pairs of names that are close in meaning, where there is an embedding model.
async fn find_similar(
    services: &Services,
    names: &[NameUse],
    progress: &Progress,
) -> Result<Vec<(String, String, f64)>> {
    let Some(model) = services.embedding.as_ref() else { return Ok(Vec::new()) };
    let least = services.config.extraction.neighbour_similarity;
    if least > 1.0 || names.len() < 2 {
        return Ok(Vec::new());
    }
    if names.len() > MOST_NAMES_COMPARED {
        progress.note(&format!(
            "{} names are more than are compared by meaning ({MOST_NAMES_COMPARED}); doubtful pairs are those close in spelling",
            names.len()
        ));
        return Ok(Vec::new());
    }
    let texts = names.iter().map(|name| name.name.clone()).collect();
    let vectors =
        embed(model.as_ref(), &services.config.embeddings, texts).await.context("while embedding names")?;
    let found = tokio::task::spawn_blocking(move || {
        Matrix::from_rows(&vectors).map(|points| close(&nearest(&points, NEIGHBOURS, Metric::Cosine), least))
    })
    .await
    .context("comparing names ended early")?
    .context("the vectors of names cannot be compared")?;
    let key = |place: usize| names.get(place).map(|name| name.key.clone());
    Ok(found
        .into_iter()
        .filter_map(|(one, other, likeness)| Some((key(one)?, key(other)?, likeness)))
        .collect())
}

/// The neighbours that are at least so alike, as (place, place, likeness).
fn close(neighbours: &Neighbours, least: f64) -> Vec<(usize, usize, f64)> {
    let rows = neighbours.places.len().checked_div(neighbours.count).unwrap_or(0);
    (0..rows)
        .flat_map(|row| {
            neighbours.of(row).map(move |(other, distance)| (row, other, 1.0 - f64::from(distance)))
        })
        .filter(|(_, _, likeness)| *likeness >= least)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_close_in_meaning_are_those_above_the_limit() {
        let vectors = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-1.0, 0.0]];
        let points = Matrix::from_rows(&vectors).unwrap();
        let found = close(&nearest(&points, NEIGHBOURS, Metric::Cosine), 0.7);
        let pairs: Vec<(usize, usize)> = found.iter().map(|(one, other, _)| (*one, *other)).collect();
        assert_eq!(pairs, [(0, 1), (1, 0)]);
        assert!((found[0].2 - 0.8).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_call_holds_so_many_pairs_and_characters() {
        let doubt = |length: usize| DoubtfulPair {
            low: "a".into(),
            high: "b".into(),
            evidence: String::new(),
            question: NamePair { one: "x".repeat(length), other: String::new() },
        };
        let sizes = |doubts: Vec<DoubtfulPair>| batch_pairs(doubts).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes((0..60).map(|_| doubt(10)).collect()), [25, 25, 10]);
        assert_eq!(sizes((0..5).map(|_| doubt(5000)).collect()), [2, 2, 1]);
        assert_eq!(sizes(vec![doubt(99_999)]), [1]);
        assert!(sizes(Vec::new()).is_empty());
    }
}
