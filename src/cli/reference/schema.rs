//! JSON schemas as tables.

use super::cell;
use serde_json::{Map, Value};

/// The definitions that a schema refers to.
pub(super) struct Definitions<'a>(pub(super) Option<&'a Map<String, Value>>);

impl<'a> Definitions<'a> {
    /// The definition that a schema refers to, with its name; also through `anyOf` with null.
    pub(super) fn of(&self, schema: &'a Value) -> Option<(&'a str, &'a Value)> {
        let name = reference(schema)?;
        Some((name, self.0?.get(name)?))
    }
}

/// Name of the definition that a schema is, or may be.
fn reference(schema: &Value) -> Option<&str> {
    if let Some(path) = schema.get("$ref").and_then(Value::as_str) {
        return path.rsplit('/').next();
    }
    schema.get("anyOf")?.as_array()?.iter().find_map(reference)
}

/// The keys of an object, sorted, with their schemas.
pub(super) fn keys(schema: &Value) -> Vec<(&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).map(|keys| keys.iter().collect()).unwrap_or_default()
}

/// The description as one cell; links of rustdoc become code.
pub(super) fn meaning(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    cell(&text.replace("[`", "`").replace("`]", "`").replace("`super::", "`"))
}

/// The values of a closed set.
pub(super) fn values(schema: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(text);
    let described = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let described = described.flat_map(|one| {
        let listed = one.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(text);
        listed.chain(one.get("const").and_then(text)).collect::<Vec<_>>()
    });
    listed.chain(described).collect()
}

/// A type in words; `name` says how a definition is shown.
pub(super) fn kind(schema: &Value, name: &dyn Fn(&str) -> String) -> String {
    if let Some(definition) = reference(schema) {
        return name(definition);
    }
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect()
        }
        _ => vec!["any"],
    };
    let words = kinds.into_iter().map(|one| match one {
        "array" => match (schema.get("items"), schema.get("prefixItems").and_then(Value::as_array)) {
            (Some(items), _) => format!("list of {}", kind(items, name)),
            (None, Some(parts)) => {
                format!(
                    "pair of {}",
                    parts.iter().map(|part| kind(part, name)).collect::<Vec<_>>().join(" and ")
                )
            }
            (None, None) => "list".to_owned(),
        },
        "object" => match schema.get("additionalProperties").filter(|value| value.is_object()) {
            Some(value) => format!("map of {}", kind(value, name)),
            None => "map".to_owned(),
        },
        "integer" => "whole number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "string" => "text".to_owned(),
        other => other.to_owned(),
    });
    words.collect::<Vec<_>>().join(" or ")
}
