//! What prompts of the index are filled in with.

use super::data::{Data, PromptSetting};
use super::names::PromptName;
use super::prompt::Prompt;
use crate::config::{EntityType, KnownName, RelationPattern};
use serde::Serialize;

/// The records of a text unit.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ExtractGraph<'a> {
    pub(crate) text: Data<'a>,
    /// Of the document.
    pub(crate) title: Data<'a>,
    /// That the text stands under.
    pub(crate) headings: Data<'a>,
    /// What its document says of the text, in a few lines.
    pub(crate) header: Data<'a>,
    /// Of types; empty: that of the text.
    pub(crate) type_language: &'a str,
    /// Types that are wanted, with those of the schema; those that were found a line each, with what belongs to them.
    pub(crate) entity_types: PromptSetting<'a, Vec<&'a str>>,
    /// Whether nothing else may be read.
    pub(crate) typed: bool,
    /// Of the schema, as far as a person has set them.
    pub(crate) types: &'a [EntityType],
    /// Of the schema.
    pub(crate) relations: PromptSetting<'a, &'a [RelationPattern]>,
    /// Of the schema.
    pub(crate) names: PromptSetting<'a, &'a [KnownName]>,
    pub(crate) domain: PromptSetting<'a, &'a str>,
    pub(crate) examples: PromptSetting<'a, &'a str>,
    /// Of descriptions; empty: that of the text.
    pub(crate) language: &'a str,
    /// Whether claims are read.
    pub(crate) claims: bool,
    /// What counts as a claim.
    pub(crate) claim_description: PromptSetting<'a, &'a str>,
    /// Whether it is judged what the text says for or against each thing.
    pub(crate) sentiment: bool,
}

impl Prompt for ExtractGraph<'_> {
    const REQUIRED: &'static [&'static str] = &["text"];

    fn name(&self) -> PromptName {
        PromptName::ExtractGraph
    }
}

/// The prompts that are filled in with nothing.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Plain {
    #[serde(skip)]
    name: PromptName,
}

/// Whether records are missing.
pub(crate) const GLEAN_CHECK: Plain = Plain { name: PromptName::GleanCheck };

/// The text of a page that is a picture.
pub(crate) const READ_PAGE: Plain = Plain { name: PromptName::ReadPage };

impl Prompt for Plain {
    const REQUIRED: &'static [&'static str] = &[];

    fn name(&self) -> PromptName {
        self.name
    }
}

/// The records that are missing.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct GleanContinue<'a> {
    /// What shows in the records and the text.
    pub(crate) missing: Data<'a>,
    pub(crate) claims: bool,
}

impl Prompt for GleanContinue<'_> {
    const REQUIRED: &'static [&'static str] = &[];

    fn name(&self) -> PromptName {
        PromptName::GleanContinue
    }
}

/// Asks once more.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RepairReply<'a> {
    /// What is wrong with the reply; it may quote it.
    pub(crate) problem: Data<'a>,
    /// What was asked for.
    pub(crate) form: &'a str,
}

impl Prompt for RepairReply<'_> {
    const REQUIRED: &'static [&'static str] = &["problem"];

    fn name(&self) -> PromptName {
        PromptName::RepairReply
    }
}

/// One description from many.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SummariseDescriptions<'a> {
    /// Of the entity, or of both ends of a relationship.
    pub(crate) names: Data<'a>,
    pub(crate) descriptions: Data<'a>,
    pub(crate) max_words: usize,
    /// Empty: that of the descriptions.
    pub(crate) language: &'a str,
}

impl Prompt for SummariseDescriptions<'_> {
    const REQUIRED: &'static [&'static str] = &["names", "descriptions"];

    fn name(&self) -> PromptName {
        PromptName::SummariseDescriptions
    }
}

/// One summary of several texts.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SummariseTexts<'a> {
    pub(crate) texts: Data<'a>,
    pub(crate) max_words: usize,
    /// Empty: that of the texts.
    pub(crate) language: &'a str,
}

impl Prompt for SummariseTexts<'_> {
    const REQUIRED: &'static [&'static str] = &["texts"];

    fn name(&self) -> PromptName {
        PromptName::SummariseTexts
    }
}

/// Verdicts on pairs of names.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SameEntity<'a> {
    pub(crate) pairs: Data<'a>,
    /// Of pairs.
    pub(crate) count: usize,
}

impl Prompt for SameEntity<'_> {
    const REQUIRED: &'static [&'static str] = &["pairs"];

    fn name(&self) -> PromptName {
        PromptName::SameEntity
    }
}

/// The report of a community.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct CommunityReport<'a> {
    /// The records.
    pub(crate) input_text: Data<'a>,
    /// As long as it may be in the paper's style.
    pub(crate) max_words: usize,
    /// As long as it may be in the lean style, with its unit: "150 words"; empty in the paper's.
    pub(crate) length: &'a str,
    /// As many as it may have in the lean style.
    pub(crate) findings: usize,
    /// Whether reports of parts are shown that it need not repeat.
    pub(crate) parts: bool,
    /// Empty: that of the records.
    pub(crate) language: &'a str,
    /// Whom it is for; empty: whoever must know the corpus.
    pub(crate) audience: &'a str,
    /// What makes a community important; may be empty.
    pub(crate) rating: &'a str,
}

impl Prompt for CommunityReport<'_> {
    const REQUIRED: &'static [&'static str] = &["input_text"];

    fn name(&self) -> PromptName {
        PromptName::CommunityReport
    }
}

/// Reports of several small communities.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct CommunityReports<'a> {
    /// The records of each, under its number.
    pub(crate) communities: Data<'a>,
    /// Of communities.
    pub(crate) count: usize,
    /// Of the longest report.
    pub(crate) max_words: usize,
    /// As long as each report may be, by its number.
    pub(crate) lengths: &'a str,
    /// Whether reports of parts are shown that need not be repeated.
    pub(crate) parts: bool,
    /// Empty: that of the records.
    pub(crate) language: &'a str,
    /// Whom they are for; empty: whoever must know the corpus.
    pub(crate) audience: &'a str,
    /// What makes a community important; may be empty.
    pub(crate) rating: &'a str,
}

impl Prompt for CommunityReports<'_> {
    const REQUIRED: &'static [&'static str] = &["communities"];

    fn name(&self) -> PromptName {
        PromptName::CommunityReports
    }
}

/// The facts of a chunk.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ExtractFacts<'a> {
    pub(crate) text: Data<'a>,
    /// Of the document.
    pub(crate) title: Data<'a>,
    /// Of all facts.
    pub(crate) max_tokens: usize,
}

impl Prompt for ExtractFacts<'_> {
    const REQUIRED: &'static [&'static str] = &["text"];

    fn name(&self) -> PromptName {
        PromptName::ExtractFacts
    }
}
