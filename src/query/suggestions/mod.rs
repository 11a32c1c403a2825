//! Questions worth asking next: by the model, or from what the graph links with the entities of the earlier ones. Where
//! nothing was asked before, from what leads in the corpus. Each is asked before it is offered: the index answers it.

mod class;
mod titled;
mod templates;
mod standing;
mod choosing;

use super::answer::generation::complete;
use super::query;
use super::question::names::named;
use super::request::{QueryRequest, Turn};
use super::retrieval::context::Context;
use super::retrieval::local::retrieve;
use super::retrieval::local_context::context_parts;
use super::search::Search;
use crate::domain::{Entity, Id};
use crate::language::words::is_han;
use crate::language::{self, Language};
use crate::prompts::{Data, PromptName, QuestionGeneration};
use crate::query::retrieval::leading::{Leading, leading};
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use choosing::QuestionSelection;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use templates::DocumentTitles;
use titled::EntityTitles;

/// Relationships looked at for each entity.
const RELATIONSHIPS: usize = 40;
/// The same where only their ends count.
const RELATIONSHIPS_TO_LINK: usize = 2000;
/// Questions asked of the model beyond those wanted, for those that the index cannot answer.
const SPARE: usize = 3;

/// At most `count` questions, the most important first, none of them asked before. `after` are the earlier ones,
/// oldest first.
///
/// # Errors
/// What the stores and the model say.
pub async fn questions(services: &Services, after: &[String], count: usize) -> Result<Vec<String>> {
    questions_in(services, after, count, None).await
}

/// The same for somebody who speaks a language: where nothing was asked before, a model writes in it, and without one
/// questions in it come first.
///
/// # Errors
/// What the stores and the model say.
pub async fn questions_in(
    services: &Services,
    after: &[String],
    count: usize,
    language: Option<Language>,
) -> Result<Vec<String>> {
    let reader = services.graph.snapshot().await?;
    let named = named_before(services, reader.as_ref(), after).await?;
    let together = linked_groups(reader.as_ref(), &named).await?;
    let counts = services.graph.text_counts().await?;
    let first = if after.is_empty() {
        let first = leading(reader.as_ref(), counts.text_units).await?;
        Some(standing::things_of(reader.as_ref(), first).await?)
    } else {
        None
    };
    let documents = DocumentTitles {
        count: counts.documents,
        titles: match &first {
            Some(first) => EntityTitles::read(reader.as_ref(), &ids_of(&first.entities)).await?,
            None => EntityTitles::default(),
        },
    };
    let Some(model) = &services.chat else {
        return match first {
            Some(first) => {
                of_leading(QuestionSelection::new(services, count), &first, &documents, language).await
            }
            None => from_graph(services, reader.as_ref(), after, named, &together, count).await,
        };
    };
    let history = after
        .iter()
        .rev()
        .skip(1)
        .rev()
        .map(|question| Turn { question: question.clone(), answer: String::new() })
        .collect();
    let request = QueryRequest {
        question: after.last().cloned().unwrap_or_default(),
        history,
        ..QueryRequest::default()
    };
    let search = &Search { services, request: &request, reader, filters: Arc::default() };
    let parts = match &first {
        Some(first) => first.parts(),
        None => context_parts(search, &retrieve(search).await?).await?,
    };
    let mut context = Context::pack(parts, search.counting(), services.config.search.max_context_tokens);
    let wanted = count + if first.is_some() { SPARE } else { 0 };
    let messages = |context: &Context| {
        services.prompts.render(&QuestionGeneration {
            context: Data::text(context.text()),
            questions: Data::items(after),
            count: wanted,
            named: Data::lines(together.iter().flatten().map(|entity| &entity.name)),
            // who has asked is answered in the language of the question
            language: match language.filter(|_| after.is_empty()) {
                Some(Language::English) => "English",
                Some(Language::Chinese) => "Chinese",
                Some(Language::Other) | None => "",
            },
        })
    };
    let task = PromptName::QuestionGeneration;
    let reply = complete(model.as_ref(), task, &mut context, messages).await?;
    let mut found = read_questions(&reply.text, after, wanted);
    if let Some(first) = &first {
        found.retain(|question| !documents.titles.are_linked_in(question, &first.entities));
        let found = answered(services, found, count).await?;
        // what the model did not find is asked by kinds
        return of_leading(QuestionSelection::after(services, found, count), first, &documents, language)
            .await;
    }
    let chinese = is_chinese(after, &named);
    loop {
        let forgotten: Vec<String> = together
            .iter()
            .filter(|group| !group.iter().all(|entity| found.iter().any(|question| names(question, entity))))
            .map(|group| of_many(chinese, group))
            .filter(|question| !after.contains(question))
            .take(count)
            .collect();
        if found.len() + forgotten.len() <= count {
            found.extend(forgotten);
            return Ok(found);
        }
        // what goes may have named others
        found.pop();
    }
}

/// Whether a question holds a name or an alias of an entity.
fn names(question: &str, entity: &Entity) -> bool {
    let question = question.to_lowercase();
    std::iter::once(&entity.name).chain(&entity.aliases).any(|name| question.contains(&name.to_lowercase()))
}

/// The entities that the earlier questions name, those of the last first.
async fn named_before(
    services: &Services,
    reader: &dyn GraphReader,
    after: &[String],
) -> Result<Vec<Entity>> {
    let mut known: Vec<Entity> = Vec::new();
    for question in after.iter().rev() {
        for entity in named(reader, &services.ids, question).await? {
            if known.iter().all(|other| other.id != entity.id) {
                known.push(entity);
            }
        }
    }
    Ok(known)
}

/// The named entities that relationships connect, directly or over others of them: two or more a group, in their order.
async fn linked_groups(reader: &dyn GraphReader, named: &[Entity]) -> Result<Vec<Vec<Entity>>> {
    let places: BTreeMap<&Id, usize> =
        named.iter().enumerate().map(|(place, entity)| (&entity.id, place)).collect();
    let ids: Vec<Id> = named.iter().map(|entity| entity.id.clone()).collect();
    let mut first: Vec<usize> = (0..named.len()).collect();
    for relationship in reader.relationships_of(&ids, RELATIONSHIPS_TO_LINK).await? {
        let ends = [&relationship.source, &relationship.target];
        let [Some(&one), Some(&other)] = ends.map(|id| places.get(id).and_then(|&place| first.get(place)))
        else {
            continue;
        };
        let (least, most) = (one.min(other), one.max(other));
        first.iter_mut().filter(|group| **group == most).for_each(|group| *group = least);
    }
    let mut groups: BTreeMap<usize, Vec<Entity>> = BTreeMap::new();
    for (entity, group) in named.iter().zip(first) {
        groups.entry(group).or_default().push(entity.clone());
    }
    Ok(groups.into_values().filter(|group| group.len() > 1).collect())
}

fn is_chinese(after: &[String], known: &[Entity]) -> bool {
    after.last().map_or_else(
        || known.first().is_some_and(|entity| language::language_of(&entity.name) == Language::Chinese),
        |question| language::language_of(question) == Language::Chinese,
    )
}

/// The lines of a reply that are questions, list marks left out.
fn read_questions(reply: &str, after: &[String], count: usize) -> Vec<String> {
    let mut questions: Vec<String> = Vec::new();
    for line in reply.lines() {
        let line = line.trim().trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, '-' | '*' | '•' | '.' | ')' | '、') || c.is_whitespace()
        });
        let line = line.trim();
        if line.ends_with(['?', '？'])
            && !after.iter().any(|asked| asked == line)
            && !questions.iter().any(|q| q == line)
        {
            questions.push(line.to_owned());
        }
    }
    questions.truncate(count);
    questions
}

/// Questions of every kind in turn about what leads, each once, that the index answers.
async fn of_leading(
    mut chosen: QuestionSelection<'_>,
    leading: &Leading,
    documents: &DocumentTitles,
    language: Option<Language>,
) -> Result<Vec<String>> {
    let kinds = |leading: &Leading| {
        [templates::by_kind(leading, documents), templates::of_passing(leading, documents)]
    };
    let Some(language) = language else {
        for kinds in kinds(leading) {
            chosen.take(kinds).await?;
        }
        return Ok(chosen.questions());
    };
    let asked = Leading { chinese: language == Language::Chinese, ..leading.clone() };
    // what is wholly in the language first: names of another within a question read badly
    for kinds in kinds(&asked) {
        let pure = kinds
            .into_iter()
            .map(|kind| kind.into_iter().filter(|one| is_wholly(&one.text, language)).collect());
        chosen.take(pure.collect()).await?;
    }
    for kinds in kinds(leading).into_iter().chain(kinds(&asked)) {
        chosen.take(kinds).await?;
    }
    Ok(chosen.questions())
}

/// Whether a question has no letters but those of a language.
fn is_wholly(question: &str, language: Language) -> bool {
    let mut letters = question.chars().filter(|c| c.is_alphabetic());
    letters.all(|c| is_han(c) == (language == Language::Chinese))
}

/// The first of some questions that the index answers, asked without a model, none twice. A model proposes what the texts
/// only touch upon, too.
async fn answered(services: &Services, questions: Vec<String>, count: usize) -> Result<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for question in questions {
        if found.len() == count {
            break;
        }
        if !found.contains(&question) && is_answered(services, &question).await? {
            found.push(question);
        }
    }
    Ok(found)
}

/// Whether the index answers a question without a model, and shows where.
async fn is_answered(services: &Services, question: &str) -> Result<bool> {
    let services = Services { chat: None, ..services.clone() };
    let request =
        QueryRequest { question: question.to_owned(), without_library: true, ..QueryRequest::default() };
    let answer = query(&services, &request, &mut |_| {}).await?;
    Ok(answer.found.0 && !answer.citations.is_empty())
}

/// What links the named entities with each other and with their strongest neighbours, as far as the index answers it.
async fn from_graph(
    services: &Services,
    reader: &dyn GraphReader,
    after: &[String],
    known: Vec<Entity>,
    together: &[Vec<Entity>],
    count: usize,
) -> Result<Vec<String>> {
    let chinese = is_chinese(after, &known);
    // every entity of the earlier questions is named where the graph links them
    let mut offered: Vec<String> = together.iter().map(|group| of_many(chinese, group)).collect();
    let pairs = linked_pairs(reader, &known).await?;
    offered.extend(pairs.iter().map(|(first, second)| templates::two(chinese, first, second)));
    offered.extend(known.iter().map(|entity| templates::of_one(chinese, &entity.name)));
    offered.retain(|question| !after.contains(question));
    offered.truncate(choosing::most_asked(count));
    answered(services, offered, count).await
}

/// Names of ends of relationships: those between known entities first, then the heaviest that lead out of them.
async fn linked_pairs(reader: &dyn GraphReader, known: &[Entity]) -> Result<Vec<(String, String)>> {
    let ids: Vec<Id> = known.iter().map(|entity| entity.id.clone()).collect();
    let inside: BTreeSet<&Id> = ids.iter().collect();
    let mut relationships = reader.relationships_of(&ids, RELATIONSHIPS).await?;
    relationships.sort_by(|a, b| {
        let both = |r: &crate::domain::Relationship| inside.contains(&r.source) && inside.contains(&r.target);
        both(b).cmp(&both(a)).then_with(|| b.weight.cmp(&a.weight)).then_with(|| a.id.cmp(&b.id))
    });
    let ends: BTreeSet<Id> =
        relationships.iter().flat_map(|r| [r.source.clone(), r.target.clone()]).collect();
    let ends: Vec<Id> = ends.into_iter().collect();
    let titles = EntityTitles::read(reader, &ends).await?;
    let entities: BTreeMap<Id, Entity> =
        reader.entities_by_id(&ends).await?.into_iter().map(|entity| (entity.id.clone(), entity)).collect();
    let pairs =
        relationships.iter().filter_map(|r| Some((entities.get(&r.source)?, entities.get(&r.target)?)));
    let pairs = pairs.filter(|(one, other)| !titles.part(one, other));
    Ok(pairs.map(|(one, other)| (one.name.clone(), other.name.clone())).collect())
}

fn ids_of(entities: &[Entity]) -> Vec<Id> {
    entities.iter().map(|entity| entity.id.clone()).collect()
}

/// Two or more.
fn of_many(chinese: bool, group: &[Entity]) -> String {
    let names: Vec<&str> = group.iter().map(|entity| entity.name.as_str()).collect();
    match names.as_slice() {
        [first, second] => templates::two(chinese, first, second),
        names if chinese => format!("{}之间有什么关系？", names.join("、")),
        [first @ .., last] => format!("How are {} and {last} related?", first.join(", ")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_of_two_languages_is_in_none() {
        for (question, english, chinese) in [
            ("Who is Fred?", true, false),
            ("曹操是谁？", false, true),
            ("What happens in 云岭?", false, false),
            ("Bjarne 是什么？", false, false),
        ] {
            assert_eq!(is_wholly(question, Language::English), english, "{question}");
            assert_eq!(is_wholly(question, Language::Chinese), chinese, "{question}");
        }
    }

    #[test]
    fn questions_are_read_from_lists() {
        let reply = "Here:\n- Who is Fred?\n2. Who is Bob?\n* Who is Fred?\n、曹操是谁？\nnot one";
        let after = ["Who is Bob?".to_owned()];
        assert_eq!(read_questions(reply, &after, 5), ["Who is Fred?", "曹操是谁？"]);
        assert_eq!(read_questions(reply, &after, 1).len(), 1);
    }
}
