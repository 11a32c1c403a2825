//! Extraction without a model: names, terms and what joins them, by rules over a tagger's parts of speech.
//!
//! [`extract`] is a pure function of a unit's title, headings and text (design 2, own evidence): nothing of the rest
//! of the corpus is looked at, so a unit's records change only with the unit. The way of the data:
//!
//! ```text
//! passages   text → sentences worth reading, each with its language
//! english, chinese, other   sentence → words with their role, mentions
//! subjects   title and headings → what the unit is about
//! entities   mentions → one entity a name, with kind and best sentence
//! relations  sentences → pairs with phrase, sentence and strength
//! ```
//!
//! Everything takes time linear in the text, whatever the text is.

mod mention;
mod passages;
mod english;
mod english_names;
mod english_kinds;
mod english_terms;
mod english_words;
mod chinese;
mod chinese_words;
mod other;
mod subjects;
mod entities;
mod relations;
mod evidence;

use super::{Extraction, UnitText};
use crate::domain::Record;
use crate::text::Language;
use mention::Sentence;

/// What can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NlpSettings {
    /// Types to keep ("Person", "人物"; case does not count); empty: any. What a unit is about stays always.
    pub entity_types: Vec<String>,
    /// Most entities of a unit: what is rarest in it goes first.
    pub entity_limit: usize,
    /// Relationships of an entity in a unit besides those that more than one sentence holds.
    pub relationships_per_entity: usize,
}

impl Default for NlpSettings {
    fn default() -> Self {
        Self { entity_types: Vec::new(), entity_limit: 80, relationships_per_entity: 3 }
    }
}

/// Reads the entities of a unit and what joins them: entities by first occurrence, then relationships likewise; one
/// record a name key and one an unordered pair, both ends of every relationship among the entities (design 23).
pub fn extract(input: &UnitText<'_>, settings: &NlpSettings) -> Extraction {
    let mut sentences = read_sentences(input.text);
    let subjects = subjects::read(input, &sentences);
    subjects::mark(input.text, &subjects, &mut sentences);
    let entities = entities::collect(input.text, &subjects, &sentences, settings);
    let relations = relations::collect(input.text, &subjects, &sentences, &entities, settings);
    let mut records: Vec<Record> = entities.records().map(Record::Entity).collect();
    records.extend(relations.into_iter().map(Record::Relationship));
    Extraction { records, records_lost: 0, problems: Vec::new() }
}

/// Sentences worth reading, in order, with their words and mentions.
fn read_sentences(text: &str) -> Vec<Sentence> {
    let passages = passages::split(text);
    let of = |language: Language| passages.iter().filter(move |p| p.language == language).collect::<Vec<_>>();
    let mut sentences = english::read(text, &of(Language::English));
    sentences.extend(chinese::read(text, &of(Language::Chinese)));
    sentences.extend(other::read(text, &of(Language::Other)));
    sentences.sort_by_key(|sentence| sentence.range.start);
    sentences
}
