//! Which variables the template of each prompt must use, and which it may: the fields of its type.

use super::indexing::{
    CommunityReport, CommunityReports, ExtractFacts, ExtractGraph, GleanContinue, RepairReply, SameEntity,
    SummariseDescriptions, SummariseTexts,
};
use super::names::PromptName;
use super::prompt::Prompt;
use super::rating::{JudgeAnswers, RateAnswer};
use super::searching::{
    AnswerQuestion, DraftQuestions, DriftHypothetical, DriftLocal, DriftPrimer, DriftReduce, GlobalReduce,
    MapBatch, MatchQuestion, QuestionGeneration, QuestionWords, RateReports, ReaderAnswer, ReaderChunk,
    ReaderFacts, ReaderNeighbours, ReaderNodes, ReaderPlan, RestatedStatements, RewriteQuestion, TableForm,
};
use super::tuning::{TuneField, TuneMerge, TuneQuestions};

/// What a template of a prompt is given: the fields it must use, and those that it may.
pub(crate) fn variables(name: PromptName) -> (Vec<String>, Vec<String>) {
    match name {
        PromptName::DataNotice
        | PromptName::CitationRules
        | PromptName::ReadPage
        | PromptName::GleanCheck => (Vec::new(), Vec::new()),
        PromptName::GleanContinue => fields(&GleanContinue::default()),
        PromptName::ExtractGraph => fields(&ExtractGraph::default()),
        PromptName::RepairReply => fields(&RepairReply::default()),
        PromptName::SummariseDescriptions => fields(&SummariseDescriptions::default()),
        PromptName::SummariseTexts => fields(&SummariseTexts::default()),
        PromptName::SameEntity => fields(&SameEntity::default()),
        PromptName::CommunityReport => fields(&CommunityReport::default()),
        PromptName::CommunityReports => fields(&CommunityReports::default()),
        PromptName::RewriteQuestion => fields(&RewriteQuestion::default()),
        PromptName::QuestionWords => fields(&QuestionWords::default()),
        PromptName::RestatedStatements => fields(&RestatedStatements::default()),
        PromptName::TableForm => fields(&TableForm::default()),
        PromptName::LocalAnswer | PromptName::BasicAnswer => fields(&AnswerQuestion::default()),
        PromptName::GlobalMap | PromptName::SourceMap => fields(&MapBatch::default()),
        PromptName::GlobalReduce => fields(&GlobalReduce::default()),
        PromptName::RateReports => fields(&RateReports::default()),
        PromptName::DriftHypothetical => fields(&DriftHypothetical::default()),
        PromptName::DriftPrimer => fields(&DriftPrimer::default()),
        PromptName::DriftLocal => fields(&DriftLocal::default()),
        PromptName::DriftReduce => fields(&DriftReduce::default()),
        PromptName::ExtractFacts => fields(&ExtractFacts::default()),
        PromptName::ReaderPlan => fields(&ReaderPlan::default()),
        PromptName::ReaderNodes => fields(&ReaderNodes::default()),
        PromptName::ReaderFacts => fields(&ReaderFacts::default()),
        PromptName::ReaderChunk => fields(&ReaderChunk::default()),
        PromptName::ReaderNeighbours => fields(&ReaderNeighbours::default()),
        PromptName::ReaderAnswer => fields(&ReaderAnswer::default()),
        PromptName::QuestionGeneration => fields(&QuestionGeneration::default()),
        PromptName::MatchQuestion => fields(&MatchQuestion::default()),
        PromptName::DraftQuestions => fields(&DraftQuestions::default()),
        PromptName::TuneField => fields(&TuneField::default()),
        PromptName::TuneMerge => fields(&TuneMerge::default()),
        PromptName::TuneQuestions => fields(&TuneQuestions::default()),
        PromptName::JudgeAnswers => fields(&JudgeAnswers::default()),
        PromptName::RateAnswerStrict | PromptName::RateAnswerLenient => fields(&RateAnswer::default()),
    }
}

fn fields<P: Prompt>(blank: &P) -> (Vec<String>, Vec<String>) {
    let fields = match serde_json::to_value(blank) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let required: Vec<String> = P::REQUIRED.iter().map(|name| (*name).to_owned()).collect();
    let optional = fields.into_iter().map(|(name, _)| name).filter(|name| !required.contains(name)).collect();
    (required, optional)
}
