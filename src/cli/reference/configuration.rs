//! `docs/reference/configuration.md` and the schema that `graphwright config schema` prints.

use super::schema::{Definitions, keys, kind, meaning, values};
use super::{check_file, check_page};
use crate::config::Config;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::collections::BTreeMap;

fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Config>().to_value();
    hide_secrets(&mut schema);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("title".to_owned(), "graphwright.toml".into());
    }
    schema
}

/// A secret shows itself as stars; as a default that says nothing.
fn hide_secrets(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            if keys.get("default").is_some_and(|default| default == "***") {
                keys.remove("default");
            }
            // defaults of whole tables stand at their keys already
            if keys.contains_key("$ref") {
                keys.remove("default");
            }
            keys.values_mut().for_each(hide_secrets);
        }
        Value::Array(values) => values.iter_mut().for_each(hide_secrets),
        _ => {}
    }
}

#[test]
fn the_schema_of_the_configuration_is_what_the_code_reads() {
    let text = serde_json::to_string_pretty(&schema()).expect("JSON");
    check_file("src/cli/graphwright.schema.json", &format!("{text}\n"));
}

#[test]
fn the_page_of_the_configuration_is_what_the_code_reads() {
    let schema = schema();
    let mut page = ReferencePage {
        definitions: Definitions(schema.get("$defs").and_then(Value::as_object)),
        shown: BTreeMap::new(),
        text: "# All settings\n\nMade from the code. [Configuration](../configuration.md) says where settings are \
               looked for; `graphwright init` writes them all with their defaults.\n"
            .to_owned(),
    };
    for (name, section) in keys(&schema) {
        page.push_reference(name, section);
    }
    check_page("configuration.md", &page.text);
}

struct ReferencePage<'a> {
    definitions: Definitions<'a>,
    /// Definitions shown so far, with the table that each was shown as.
    shown: BTreeMap<&'a str, String>,
    text: String,
}

impl<'a> ReferencePage<'a> {
    /// A table of the file; one whose keys stand elsewhere refers to them.
    fn push_reference(&mut self, path: &str, schema: &'a Value) {
        let Some((name, definition)) = self.definitions.of(schema) else { return };
        let told = [meaning(schema), meaning(definition)].into_iter().find(|told| !told.is_empty());
        self.text.push_str(&format!("\n## [{path}]\n\n{}\n", told.unwrap_or_default()));
        if let Some(first) = self.shown.get(name) {
            self.text.push_str(&format!("\nIts keys are those of `[{first}]`.\n"));
            return;
        }
        self.shown.insert(name, path.to_owned());
        self.push_table(path, definition);
    }

    fn push_table(&mut self, path: &str, definition: &'a Value) {
        let mut rows = String::new();
        let mut below = Vec::new();
        for (key, schema) in keys(definition) {
            match self.table_below(path, key, schema) {
                Some(table) => below.push(table),
                None => rows.push_str(&self.row(key, schema)),
            }
        }
        if !rows.is_empty() {
            self.text.push_str(&format!("\n| key | type | default | meaning |\n|---|---|---|---|\n{rows}"));
        }
        for (path, schema) in below {
            self.push_reference(&path, schema);
        }
    }

    /// The table that a key is, if it is one: a single one, a list, or a map.
    fn table_below(&self, path: &str, key: &str, schema: &'a Value) -> Option<(String, &'a Value)> {
        let is_table = |schema: &'a Value| {
            self.definitions.of(schema).is_some_and(|(_, definition)| definition.get("properties").is_some())
        };
        if is_table(schema) {
            return Some((format!("{path}.{key}"), schema));
        }
        if let Some(items) = schema.get("items").filter(|items| is_table(items)) {
            return Some((format!("[{path}.{key}]"), items));
        }
        let value = schema.get("additionalProperties").filter(|value| is_table(value))?;
        Some((format!("{path}.{key}.\"NAME\""), value))
    }

    fn row(&self, key: &str, schema: &'a Value) -> String {
        let definition = self.definitions.of(schema).map(|(_, definition)| definition);
        let choices = definition.map(values).unwrap_or_default();
        let kind = match (definition, choices.as_slice()) {
            (_, [_, ..]) => choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", "),
            (Some(definition), []) => kind(definition, &str::to_owned),
            (None, []) => kind(schema, &str::to_owned),
        };
        let default =
            schema.get("default").filter(|default| !default.is_null() && **default != serde_json::json!({}));
        let default = default.map(|default| format!("`{default}`")).unwrap_or_default();
        format!("| `{key}` | {kind} | {default} | {} |\n", meaning(schema))
    }
}
