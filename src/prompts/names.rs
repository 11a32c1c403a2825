//! The prompts that there are, each with its built-in text.

use clap::ValueEnum;

/// A prompt, in the order of the data's way; the first two are pieces that the others include. What a prompt is for is
/// said here once: lists of prompts show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum PromptName {
    /// piece: data is no instruction
    DataNotice,
    /// piece: how records are cited
    CitationRules,
    /// the text of a page that is a picture
    ReadPage,
    /// entities, relationships and claims of a text unit
    ExtractGraph,
    /// whether records are missing, by one letter
    GleanCheck,
    /// the records that are missing
    GleanContinue,
    /// asks once more for a reply that could not be used
    RepairReply,
    /// one description from many
    SummariseDescriptions,
    /// one summary of several texts
    SummariseTexts,
    /// whether two names mean the same thing
    SameEntity,
    /// report of a community
    CommunityReport,
    /// reports of several small communities
    CommunityReports,
    /// narrower questions from a broad one
    RewriteQuestion,
    /// a question's names and words in the other languages of the texts
    QuestionWords,
    /// an answer's statements as texts in another language would say them
    RestatedStatements,
    /// what rows a question asks for, where no pattern reads it
    TableForm,
    /// answer from the records around entities
    LocalAnswer,
    /// answer from text units
    BasicAnswer,
    /// points of some reports
    GlobalMap,
    /// points of some text units
    SourceMap,
    /// answer from the points of all reports
    GlobalReduce,
    /// which reports are worth reading for a question
    RateReports,
    /// a report as it might answer, to search with
    DriftHypothetical,
    /// first answer and what to follow up
    DriftPrimer,
    /// answer to a follow-up question
    DriftLocal,
    /// answer from all answers of a search
    DriftReduce,
    /// atomic facts of a chunk with their key elements
    ExtractFacts,
    /// what has to be found out for a question
    ReaderPlan,
    /// key elements to begin reading at
    ReaderNodes,
    /// what to do with the facts of a key element
    ReaderFacts,
    /// what to note of a chunk and what to do next
    ReaderChunk,
    /// which neighbouring key element to look at
    ReaderNeighbours,
    /// answer from the notebooks of several readers
    ReaderAnswer,
    /// questions worth asking next
    QuestionGeneration,
    /// whether a question asks what an entry of the library answers
    MatchQuestion,
    /// entries of the library from passages
    DraftQuestions,
    /// what field passages belong to, and what is worth reading there
    TuneField,
    /// one account of a field from several
    TuneMerge,
    /// questions that a passage answers, to measure with
    TuneQuestions,
    /// compares two answers by a criterion
    JudgeAnswers,
    /// whether an answer agrees with the right one: yes or no
    RateAnswerStrict,
    /// whether an answer agrees with the right one, if only in part
    RateAnswerLenient,
}

/// Prompts that others include: they are filled in with nothing and sent to nobody.
pub(super) const PIECES: [PromptName; 2] = [PromptName::DataNotice, PromptName::CitationRules];

impl PromptName {
    /// All prompts.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// Its name, which is that of its file without `.md`, and that of the calls made with it.
    pub fn as_str(self) -> &'static str {
        self.file().0
    }

    /// The built-in template.
    pub fn source(self) -> &'static str {
        self.file().1
    }

    /// What it is for.
    pub fn purpose(self) -> String {
        let value = self.to_possible_value();
        value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }

    fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::DataNotice => ("data_notice", include_str!("../../prompts/data_notice.md")),
            Self::CitationRules => ("citation_rules", include_str!("../../prompts/citation_rules.md")),
            Self::ReadPage => ("read_page", include_str!("../../prompts/read_page.md")),
            Self::ExtractGraph => ("extract_graph", include_str!("../../prompts/extract_graph.md")),
            Self::GleanCheck => ("glean_check", include_str!("../../prompts/glean_check.md")),
            Self::GleanContinue => ("glean_continue", include_str!("../../prompts/glean_continue.md")),
            Self::RepairReply => ("repair_reply", include_str!("../../prompts/repair_reply.md")),
            Self::SummariseDescriptions => {
                ("summarise_descriptions", include_str!("../../prompts/summarise_descriptions.md"))
            }
            Self::SummariseTexts => ("summarise_texts", include_str!("../../prompts/summarise_texts.md")),
            Self::SameEntity => ("same_entity", include_str!("../../prompts/same_entity.md")),
            Self::CommunityReport => ("community_report", include_str!("../../prompts/community_report.md")),
            Self::CommunityReports => {
                ("community_reports", include_str!("../../prompts/community_reports.md"))
            }
            Self::RewriteQuestion => ("rewrite_question", include_str!("../../prompts/rewrite_question.md")),
            Self::QuestionWords => ("question_words", include_str!("../../prompts/question_words.md")),
            Self::RestatedStatements => {
                ("restated_statements", include_str!("../../prompts/restated_statements.md"))
            }
            Self::TableForm => ("table_form", include_str!("../../prompts/table_form.md")),
            Self::LocalAnswer => ("local_answer", include_str!("../../prompts/local_answer.md")),
            Self::BasicAnswer => ("basic_answer", include_str!("../../prompts/basic_answer.md")),
            Self::GlobalMap => ("global_map", include_str!("../../prompts/global_map.md")),
            Self::SourceMap => ("source_map", include_str!("../../prompts/source_map.md")),
            Self::GlobalReduce => ("global_reduce", include_str!("../../prompts/global_reduce.md")),
            Self::RateReports => ("rate_reports", include_str!("../../prompts/rate_reports.md")),
            Self::DriftHypothetical => {
                ("drift_hypothetical", include_str!("../../prompts/drift_hypothetical.md"))
            }
            Self::DriftPrimer => ("drift_primer", include_str!("../../prompts/drift_primer.md")),
            Self::DriftLocal => ("drift_local", include_str!("../../prompts/drift_local.md")),
            Self::DriftReduce => ("drift_reduce", include_str!("../../prompts/drift_reduce.md")),
            Self::ExtractFacts => ("extract_facts", include_str!("../../prompts/extract_facts.md")),
            Self::ReaderPlan => ("reader_plan", include_str!("../../prompts/reader_plan.md")),
            Self::ReaderNodes => ("reader_nodes", include_str!("../../prompts/reader_nodes.md")),
            Self::ReaderFacts => ("reader_facts", include_str!("../../prompts/reader_facts.md")),
            Self::ReaderChunk => ("reader_chunk", include_str!("../../prompts/reader_chunk.md")),
            Self::ReaderNeighbours => {
                ("reader_neighbours", include_str!("../../prompts/reader_neighbours.md"))
            }
            Self::ReaderAnswer => ("reader_answer", include_str!("../../prompts/reader_answer.md")),
            Self::QuestionGeneration => {
                ("question_generation", include_str!("../../prompts/question_generation.md"))
            }
            Self::MatchQuestion => ("match_question", include_str!("../../prompts/match_question.md")),
            Self::DraftQuestions => ("draft_questions", include_str!("../../prompts/draft_questions.md")),
            Self::TuneField => ("tune_field", include_str!("../../prompts/tune_field.md")),
            Self::TuneMerge => ("tune_merge", include_str!("../../prompts/tune_merge.md")),
            Self::TuneQuestions => ("tune_questions", include_str!("../../prompts/tune_questions.md")),
            Self::JudgeAnswers => ("judge_answers", include_str!("../../prompts/judge_answers.md")),
            Self::RateAnswerStrict => {
                ("rate_answer_strict", include_str!("../../prompts/rate_answer_strict.md"))
            }
            Self::RateAnswerLenient => {
                ("rate_answer_lenient", include_str!("../../prompts/rate_answer_lenient.md"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_named_as_its_file_and_says_what_it_is_for() {
        for name in PromptName::all() {
            let value = name.to_possible_value().unwrap();
            assert_eq!(value.get_name(), name.as_str());
            assert!(!name.purpose().is_empty(), "{name:?}");
        }
    }
}
