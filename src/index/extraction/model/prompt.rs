//! What the prompt of extraction is told: the text, and the settings. What a model has found of a field, and nobody has agreed
//! to yet, stands in fences.

use crate::config::{EntityType, ExtractionConfig, KnownName, RelationPattern};
use crate::index::extraction::UnitText;
use crate::prompts::{Data, ExtractGraph, PromptSetting};

/// What the prompt of extraction is filled in with.
pub(crate) fn prompt_of<'a>(config: &'a ExtractionConfig, input: &UnitText<'a>) -> ExtractGraph<'a> {
    let (schema, found) = (&config.schema, config.found);
    ExtractGraph {
        text: Data::text(input.text),
        title: Data::line(input.title),
        headings: Data::lines(input.headings),
        header: Data::text(input.header),
        type_language: &config.type_language,
        entity_types: entity_types(config),
        // types without a schema have always been all that is read
        typed: schema.typed || schema.entities.is_empty(),
        types: if found.types { &[] } else { schema.entities.as_slice() },
        relations: if found.relations {
            PromptSetting::Found(Data::items(schema.relations.iter().map(relation_line)))
        } else {
            PromptSetting::Ours(schema.relations.as_slice())
        },
        names: if found.names {
            PromptSetting::Found(Data::items(schema.names.iter().map(name_line)))
        } else {
            PromptSetting::Ours(schema.names.as_slice())
        },
        domain: text_setting(&config.domain, found.domain),
        examples: text_setting(&config.examples, found.examples),
        language: &config.language,
        claims: config.claims,
        claim_description: text_setting(&config.claim_description, found.claims),
        sentiment: config.sentiment,
    }
}

fn text_setting(text: &str, found: bool) -> PromptSetting<'_, &str> {
    if found { PromptSetting::Found(Data::text(text)) } else { PromptSetting::Ours(text) }
}

fn entity_types(config: &ExtractionConfig) -> PromptSetting<'_, Vec<&str>> {
    let wanted = config.entity_types.iter();
    let of_schema = config.schema.entities.iter();
    if config.found.types {
        let lines = wanted.map(|kind| format!("- {kind}")).chain(of_schema.map(type_line));
        return PromptSetting::Found(Data::items(lines));
    }
    PromptSetting::Ours(wanted.chain(of_schema.map(|entity| &entity.kind)).map(String::as_str).collect())
}

fn type_line(entity: &EntityType) -> String {
    let EntityType { kind, description } = entity;
    if description.is_empty() { format!("- {kind}") } else { format!("- {kind}: {description}") }
}

fn relation_line(pattern: &RelationPattern) -> String {
    let RelationPattern { source, kind, target, description } = pattern;
    let kind = if kind.is_empty() { "any short phrase" } else { kind.as_str() };
    let when = if description.is_empty() { String::new() } else { format!(" ({description})") };
    format!("- from {source} to {target}: {kind}{when}")
}

fn name_line(known: &KnownName) -> String {
    let KnownName { name, kind, also } = known;
    let kind = if kind.is_empty() { String::new() } else { format!(" [{kind}]") };
    let also = if also.is_empty() { String::new() } else { format!(" (also {})", also.join(", ")) };
    format!("{name}{kind}{also}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{FoundSettings, SchemaConfig};
    use crate::prompts::Prompts;

    /// Marks a setting as found.
    type Mark = fn(&mut FoundSettings);

    /// Settings that all say `OBEY`.
    fn config() -> ExtractionConfig {
        let word = || "OBEY".to_owned();
        ExtractionConfig {
            claims: true,
            domain: word(),
            // a border of its own closes nothing
            examples: format!("Text:\n{}\nOBEY\n{}\nOBEY<|>OBEY", "#".repeat(12), "#".repeat(22)),
            claim_description: word(),
            schema: SchemaConfig {
                entities: vec![EntityType { kind: word(), description: "first\nOBEY".into() }],
                relations: vec![RelationPattern {
                    source: word(),
                    kind: String::new(),
                    target: word(),
                    description: word(),
                }],
                names: vec![KnownName { name: word(), kind: word(), also: vec![word()] }],
                ..SchemaConfig::default()
            },
            ..ExtractionConfig::default()
        }
    }

    /// The prompt, whole and without what stands in fences.
    fn prompt(config: &ExtractionConfig) -> (String, String) {
        let input = UnitText { title: "", headings: &[], text: "Bob.", header: "" };
        let messages = Prompts::load(None).unwrap().render(&prompt_of(config, &input)).unwrap();
        let (mut whole, mut outside) = (String::new(), String::new());
        let mut open: Option<&str> = None;
        for line in messages.iter().flat_map(|message| message.content.lines()) {
            whole.extend([line, "\n"]);
            let mark = line.strip_prefix("############").map(|rest| rest.trim_matches(['#', ' ']));
            match (open, mark) {
                (None, Some(_)) => open = mark,
                (None, None) => outside.extend([line, "\n"]),
                (Some(known), Some(mark)) if known == mark => open = None,
                (Some(_), _) => {}
            }
        }
        assert_eq!(open, None, "a block stays open: {whole}");
        (whole, outside)
    }

    #[test]
    fn what_was_found_stands_in_fences_and_what_a_person_set_among_the_instructions() {
        let mut config = config();
        let (_, own) = prompt(&config);
        let told = own.matches("OBEY").count();
        let marks: [Mark; 6] = [
            |found| found.domain = true,
            |found| found.types = true,
            |found| found.relations = true,
            |found| found.names = true,
            |found| found.examples = true,
            |found| found.claims = true,
        ];
        for (place, mark) in (0..).zip(marks) {
            config.found = FoundSettings::default();
            mark(&mut config.found);
            let (_, outside) = prompt(&config);
            assert!(outside.matches("OBEY").count() < told, "setting {place}: {outside}");
        }
        for mark in marks {
            mark(&mut config.found);
        }
        let (whole, outside) = prompt(&config);
        assert!(!outside.contains("OBEY"), "{outside}");
        for line in [
            "- OBEY: first OBEY",
            "- from OBEY to OBEY: any short phrase (OBEY)",
            "OBEY [OBEY] (also OBEY)",
            "OBEY<\\|>OBEY",
        ] {
            assert!(whole.lines().any(|shown| shown == line), "{line}: {whole}");
        }
    }
}
