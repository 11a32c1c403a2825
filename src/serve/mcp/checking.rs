//! Arguments of a tool held against its schema: what agents write a little otherwise is taken as it is meant, and every
//! fault names the argument and what would be right.

use crate::serve::problem::{Outcome, Problem};
use serde_json::{Map, Value};

/// The arguments as the schema wants them; those that are null are as absent ones.
///
/// # Errors
/// A name that the tool has not, an argument that is missing, of another type, or out of its bounds.
pub(super) fn checked(
    tool: &str,
    schema: &Map<String, Value>,
    given: Map<String, Value>,
) -> Outcome<Map<String, Value>> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut checked = Map::new();
    for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
        let Some(property) = properties.and_then(|known| known.get(&name)) else {
            let names: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
            return Err(Problem::invalid(format!(
                "{tool} has no argument {name:?}; it takes {}",
                names.join(", ")
            )));
        };
        let value = one(&name, property, value)?;
        checked.insert(name, value);
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    if let Some(missing) = required.filter_map(Value::as_str).find(|name| !checked.contains_key(*name)) {
        let told = properties.and_then(|known| known.get(missing)).map_or_else(String::new, purpose);
        return Err(Problem::invalid(format!("{tool} needs the argument {missing:?}{told}")));
    }
    Ok(checked)
}

/// What an argument is for, where its schema says it.
fn purpose(property: &Value) -> String {
    property["description"].as_str().map(|told| format!(": {told}")).unwrap_or_default()
}

fn one(name: &str, property: &Value, value: Value) -> Outcome<Value> {
    match property["type"].as_str() {
        Some("integer") => whole(name, property, &value),
        Some("boolean") => truth(name, value),
        Some("array") => list(name, property, value),
        Some("string") => text(name, property, value),
        Some("object") if !value.is_object() => Err(wrong(name, &value, "an object")),
        _ => Ok(value),
    }
}

fn wrong(name: &str, value: &Value, wanted: &str) -> Problem {
    let shown: String = value.to_string().chars().take(80).collect();
    Problem::invalid(format!("the argument {name:?} is {shown}; give {wanted}"))
}

/// A whole number, also one that is written as a text.
fn whole(name: &str, property: &Value, value: &Value) -> Outcome<Value> {
    let least = property["minimum"].as_u64().unwrap_or(0);
    let most = property["maximum"].as_u64();
    let number = match value {
        Value::Number(number) => number
            .as_u64()
            .or_else(|| number.as_f64().filter(|float| float.fract() == 0.0)?.to_string().parse().ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| *number >= least && most.is_none_or(|most| *number <= most)).map_or_else(
        || {
            let wanted = match most {
                Some(most) => format!("a whole number from {least} to {most}"),
                None => format!("a whole number from {least} on"),
            };
            Err(wrong(name, value, &wanted))
        },
        |number| Ok(Value::from(number)),
    )
}

fn truth(name: &str, value: Value) -> Outcome<Value> {
    match value.as_str().map(str::trim) {
        Some("true") => Ok(Value::Bool(true)),
        Some("false") => Ok(Value::Bool(false)),
        None if value.is_boolean() => Ok(value),
        _ => Err(wrong(name, &value, "true or false")),
    }
}

/// A list of texts, also as one text: a line each, or by commas where only some values may stand.
fn list(name: &str, property: &Value, value: Value) -> Outcome<Value> {
    let items = &property["items"];
    let values = match value {
        Value::Array(values) => values,
        Value::String(text) => {
            let by_comma = items["enum"].is_array();
            let parts = text.split(|c: char| c == '\n' || by_comma && c == ',').map(str::trim);
            parts.filter(|part| !part.is_empty()).map(Value::from).collect()
        }
        other => return Err(wrong(name, &other, "a list of texts")),
    };
    if values.is_empty() && property["minItems"].as_u64().is_some_and(|least| least > 0) {
        return Err(Problem::invalid(format!("the argument {name:?} is empty{}", purpose(property))));
    }
    values
        .into_iter()
        .map(|value| text(name, items, value))
        .collect::<Outcome<Vec<Value>>>()
        .map(Value::Array)
}

/// A text, also one that was given as a number.
fn text(name: &str, property: &Value, value: Value) -> Outcome<Value> {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        other => return Err(wrong(name, &other, "a text")),
    };
    if let Some(values) = property["enum"].as_array() {
        let mut known = values.iter().filter_map(Value::as_str);
        let meant = text.trim().to_lowercase();
        if let Some(one) = known.clone().find(|one| *one == meant) {
            return Ok(Value::from(one));
        }
        let names: Vec<&str> = known.by_ref().filter(|one| !one.is_empty()).collect();
        let wanted = format!("one of {}", names.join(", "));
        return Err(wrong(name, &Value::from(text), &wanted));
    }
    if property["minLength"].as_u64().is_some_and(|least| least > 0) && text.trim().is_empty() {
        return Err(Problem::invalid(format!("the argument {name:?} is empty{}", purpose(property))));
    }
    Ok(Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::super::arguments::{EntityQuery, EntityWanted, Query, QuestionQuery};
    use super::super::schema;
    use super::*;
    use schemars::JsonSchema;
    use serde_json::json;

    fn check<T: JsonSchema>(given: &Value) -> Result<Value, String> {
        let given = given.as_object().cloned().unwrap_or_default();
        checked("tool", &schema::input::<T>(false), given)
            .map(Value::Object)
            .map_err(|problem| problem.detail)
    }

    #[test]
    fn what_is_written_a_little_otherwise_is_taken_as_it_is_meant() {
        let found = check::<EntityQuery>(&json!({"query": 7, "limit": "5", "type": null})).expect("taken");
        assert_eq!(found, json!({"query": "7", "limit": 5}));
        let found =
            check::<QuestionQuery>(&json!({"question": "Who?", "thorough": "true", "method": "Local",
                                           "filters": "path=a/*\npage=1,2"}));
        assert_eq!(
            found.expect("taken"),
            json!({"question": "Who?", "thorough": true, "method": "local",
                   "filters": ["path=a/*", "page=1,2"]})
        );
        let found = check::<EntityWanted>(&json!({"name_or_id": "Ann", "parts": "claims, description"}));
        assert_eq!(found.expect("taken")["parts"], json!(["claims", "description"]));
    }

    #[test]
    fn a_fault_names_the_argument_and_what_would_be_right() {
        let told = |found: Result<Value, String>| found.expect_err("refused");
        let bogus = told(check::<EntityQuery>(&json!({"bogus": 1})));
        assert!(bogus.contains("\"bogus\"") && bogus.contains("cursor"), "{bogus}");
        for (limit, shown) in
            [(json!(0), "0"), (json!(101), "101"), (json!("five"), "five"), (json!(1.5), "1.5")]
        {
            let told = told(check::<EntityQuery>(&json!({"query": "a", "limit": limit})));
            assert!(told.contains("\"limit\"") && told.contains(shown), "{told}");
            assert!(told.contains("from 1 to 100"), "{told}");
        }
        let parts = told(check::<EntityWanted>(&json!({"name_or_id": "Ann", "parts": "bogus"})));
        assert!(parts.contains("\"parts\"") && parts.contains("relationships"), "{parts}");
        let method = told(check::<QuestionQuery>(&json!({"question": "x", "method": "magic"})));
        assert!(method.contains("one of auto, local"), "{method}");
        for given in [json!({}), json!({"query": " "})] {
            let told = told(check::<Query>(&given));
            assert!(told.contains("\"query\"") && told.contains("What to look for"), "{told}");
        }
    }
}
