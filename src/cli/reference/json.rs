//! `docs/reference/json.md` and its schema: what each command prints with `--json`.

use super::schema::{Definitions, keys, kind, meaning, values};
use super::{check_file, check_page};
use crate::cli::{
    cache, communities, community_list, doctor, entities, eval, failure, map, prompts, qa, query, questions,
    source, status, sync, token, tune,
};
use crate::domain::{Edit, Entity, LibraryChange, LineageStep};
use crate::eval::sentiment::SentimentScores;
use crate::exchange::{graphrag::ImportReport, restore::RestoreReport};
use crate::index::estimate::Estimate;
use crate::index::run::IndexReport;
use crate::library::testing::TestReport;
use crate::query::Answer;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What prints it, and its shape.
type Output = (&'static str, Value);

fn outputs(generator: &mut SchemaGenerator) -> Vec<Output> {
    vec![
        ("index, sync, remove, adopt", shape::<IndexReport>(generator)),
        ("index --dry-run", shape::<Estimate>(generator)),
        ("sync --dry-run", shape::<sync::Rehearsed>(generator)),
        ("adopt --dry-run", shape::<crate::index::run::adoption::AdoptionPlan>(generator)),
        ("query", shape::<Answer>(generator)),
        ("query --cypher", shape::<query::AnswerWithStatements<'static>>(generator)),
        ("questions", shape::<questions::Questions>(generator)),
        ("qa import", shape::<qa::changes::Taken>(generator)),
        ("qa add, edit, retire, link", shape::<qa::changes::Changed>(generator)),
        ("qa list", shape::<qa::entries::Listed>(generator)),
        ("qa show", shape::<qa::entries::Shown>(generator)),
        ("qa history", shape::<Vec<LibraryChange>>(generator)),
        ("qa undo", shape::<LibraryChange>(generator)),
        ("qa ask", shape::<qa::measure::AskedLine>(generator)),
        ("qa test", shape::<TestReport>(generator)),
        ("qa tune", shape::<qa::measure::Tuned>(generator)),
        ("qa check", shape::<qa::care::Checked>(generator)),
        ("qa misses", shape::<qa::care::Misses>(generator)),
        ("qa generate", shape::<crate::library::drafting::Drafted>(generator)),
        ("qa forget", shape::<qa::care::Forgotten>(generator)),
        ("source", shape::<source::Source>(generator)),
        ("status", shape::<status::Status>(generator)),
        ("communities", shape::<communities::Clustering>(generator)),
        ("communities --dry-run", shape::<communities::Appraised>(generator)),
        ("communities --edges", shape::<communities::Levels>(generator)),
        ("communities --list", shape::<community_list::Listed>(generator)),
        ("communities --history", shape::<Vec<LineageStep>>(generator)),
        ("entities list", shape::<Vec<Entity>>(generator)),
        ("entities show", shape::<entities::Shown>(generator)),
        ("entities duplicates", shape::<entities::Duplicates>(generator)),
        ("entities rename, merge, split, delete, pin, undo", shape::<entities::Changed>(generator)),
        ("entities merge --dry-run and other edits", shape::<entities::ForetoldEdit>(generator)),
        ("entities edits", shape::<Vec<Edit>>(generator)),
        ("map", shape::<map::Drawn>(generator)),
        ("trends", shape::<crate::trends::Trends>(generator)),
        ("export", shape::<BTreeMap<String, u64>>(generator)),
        ("import", shape::<RestoreReport>(generator)),
        ("import --from graphrag", shape::<ImportReport>(generator)),
        ("doctor", shape::<doctor::Report>(generator)),
        ("sync-vectors", shape::<doctor::Synced>(generator)),
        ("cache", shape::<cache::Kept>(generator)),
        ("cache clear", shape::<cache::Forgotten>(generator)),
        ("prompts", shape::<prompts::Listed>(generator)),
        ("prompts show", shape::<prompts::ShownPrompt>(generator)),
        ("eval --sentiment", shape::<SentimentScores>(generator)),
        ("eval --compare", shape::<eval::Compared>(generator)),
        ("tune", shape::<crate::tuning::Tuning>(generator)),
        ("tune --dry-run", shape::<tune::Planned>(generator)),
        ("tune --search", shape::<tune::Searched>(generator)),
        ("tune --apply, --undo", shape::<tune::Written>(generator)),
        ("token add", shape::<token::Made>(generator)),
        ("token list", shape::<Vec<token::Listed>>(generator)),
        ("any command that fails", shape::<failure::Failure>(generator)),
    ]
}

fn shape<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn generated() -> (Vec<Output>, Value) {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let outputs = outputs(&mut generator);
    (outputs, Value::Object(generator.take_definitions(true)))
}

#[test]
fn the_schema_of_the_outputs_is_what_the_code_prints() {
    let (outputs, definitions) = generated();
    let commands: serde_json::Map<String, Value> =
        outputs.into_iter().map(|(command, shape)| (command.to_owned(), shape)).collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What graphwright prints with --json",
        "version": crate::cli::JSON_VERSION,
        "commands": commands,
        "$defs": definitions,
    });
    let text = serde_json::to_string_pretty(&schema).expect("JSON");
    check_file("docs/reference/json.schema.json", &format!("{text}\n"));
}

#[test]
fn the_page_of_the_outputs_is_what_the_code_prints() {
    let (outputs, definitions) = generated();
    let definitions = Definitions(definitions.as_object());
    let mut text = format!(
        "# All shapes\n\nMade from the code. This is version {} ([JSON](../json.md)); as a JSON schema it is in \
         `docs/reference/json.schema.json`. Objects begin with `version`, which is not repeated below.\n\n\
         | command | prints |\n|---|---|\n",
        crate::cli::JSON_VERSION
    );
    for (command, shape) in &outputs {
        text.push_str(&format!("| `{command} --json` | {} |\n", kind(shape, &linked)));
    }
    text.push_str(
        "\n`eval --json` prints the scores of each method under `methods`, each pair that was judged under `judge`, \
         the settings under `run`, and with `--each` what was found and missed of each question under `questions`.\n",
    );
    for (name, definition) in definitions.0.into_iter().flatten() {
        push_definition(&mut text, name, definition);
    }
    check_page("json.md", &text);
}

fn linked(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

fn push_definition(text: &mut String, name: &str, definition: &Value) {
    text.push_str(&format!("\n## {name}\n\n{}\n", meaning(definition)));
    let choices = values(definition);
    let variants: Vec<&Value> =
        definition.get("oneOf").and_then(Value::as_array).into_iter().flatten().collect();
    if !choices.is_empty() {
        let choices: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
        text.push_str(&format!("\nOne of: {}.\n", choices.join(", ")));
    } else if !variants.is_empty() {
        text.push_str("\nOne of these:\n");
        for variant in variants {
            text.push_str(&format!("\n{}\n", meaning(variant)));
            push_keys(text, variant);
        }
    } else if keys(definition).is_empty() {
        text.push_str(&format!("\nA {}.\n", kind(definition, &linked)));
    } else {
        push_keys(text, definition);
    }
}

fn push_keys(text: &mut String, schema: &Value) {
    text.push_str("\n| key | type | meaning |\n|---|---|---|\n");
    for (key, value) in keys(schema) {
        let constant = value.get("const").and_then(Value::as_str).map(|constant| format!("`\"{constant}\"`"));
        let kind = constant.unwrap_or_else(|| kind(value, &linked));
        text.push_str(&format!("| `{key}` | {kind} | {} |\n", meaning(value)));
    }
}
