//! Schemas of tools: made from the code, small, and without what clients of several makers stumble over.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The schema of what a tool takes.
pub(super) fn input<T: JsonSchema>(with_workspace: bool) -> Arc<Map<String, Value>> {
    let mut schema = of::<T>();
    if with_workspace && let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let workspace = json!({"type": "string"});
        properties.insert("workspace".to_owned(), workspace);
    }
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    Arc::new(schema)
}

/// The schema of what a tool gives, without words and without what says nothing: it is in every conversation.
pub(super) fn output<T: JsonSchema>() -> Arc<Map<String, Value>> {
    let mut schema = of::<T>();
    schema.remove("required");
    let mut schema = Value::Object(schema);
    without_words(&mut schema);
    match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

fn of<T: JsonSchema>() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.remove("title");
    schema.remove("description");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        // clients refuse a schema that is no object
        for property in properties.values_mut().filter(|property| property.is_boolean()) {
            *property = Value::Object(Map::new());
        }
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            // what every whole number of ours is says nothing, nor does an empty default
            property.remove("format");
            if property.get("minimum").and_then(Value::as_u64) == Some(0) {
                property.remove("minimum");
            }
            let default = property.get("default");
            if default.is_some_and(|default| {
                [json!(""), json!(false), json!(0), json!([]), json!({})].contains(default)
            }) {
                property.remove("default");
            }
        }
    }
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema
}

fn without_words(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            // a property may be called so, and is no text then
            for word in ["description", "title", "format", "minimum"] {
                if keys.get(word).is_some_and(|value| !value.is_object()) {
                    keys.remove(word);
                }
            }
            // what a list holds is seen in it
            keys.remove("items");
            if keys.get("additionalProperties").is_some_and(|value| value == &Value::Bool(true)) {
                keys.remove("additionalProperties");
            }
            keys.values_mut().for_each(without_words);
        }
        Value::Array(values) => values.iter_mut().for_each(without_words),
        _ => {}
    }
}
