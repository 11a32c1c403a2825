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
use serde_json::{Map, Value};

/// The fields of a prompt as they are when nothing is filled in, and those that its template must use.
type Blank = (Map<String, Value>, &'static [&'static str]);

/// What a template of a prompt is given: the fields it must use, and those that it may.
pub(crate) fn variables(name: PromptName) -> (Vec<String>, Vec<String>) {
    let (fields, required) = blank(name);
    let required: Vec<String> = required.iter().map(|name| (*name).to_owned()).collect();
    let optional = fields.into_iter().map(|(name, _)| name).filter(|name| !required.contains(name)).collect();
    (required, optional)
}

/// The fields that hold what others wrote, by their type: nothing else is a list of one place when it is empty.
#[cfg(test)]
pub(super) fn of_others(name: PromptName) -> Vec<String> {
    let is_place = |value: &Value| value.as_str().is_some_and(|text| text.contains(super::data::PLACE));
    let is_data = |value: &Value| value.as_array().is_some_and(|parts| parts.iter().any(is_place));
    blank(name).0.into_iter().filter(|(_, value)| is_data(value)).map(|(name, _)| name).collect()
}

fn blank(name: PromptName) -> Blank {
    match name {
        PromptName::DataNotice
        | PromptName::CitationRules
        | PromptName::ReadPage
        | PromptName::GleanCheck => (Map::new(), &[]),
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

fn fields<P: Prompt>(blank: &P) -> Blank {
    let fields = match serde_json::to_value(blank) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    (fields, P::REQUIRED)
}
