//! A form by a model, where patterns read none.
//!
//! The model fills in a JSON object once, and once more where the object cannot be used and it is told why. What it writes
//! are words that are looked up as those of a pattern are, within the same bounds; none of it becomes a statement of a
//! store, and it names nobody whom the question does not name.

use super::compilation::{Compiled, Compiler, Refused};
use super::form::{Condition, Form, Other};
use crate::domain::name_key;
use crate::language::one_line;
use crate::llm::reply::{read_json, without_citations};
use crate::llm::{ChatModel, ChatRequest, Message, ModelRole, Usage};
use crate::prompts::{Data, Prompt, Prompts, RepairReply, TableForm};
use anyhow::Result;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Tokens of a reply.
const REPLY_TOKENS: u32 = 2_000;
/// Characters of a name, a noun, a relation, a date.
const LONGEST: usize = 80;
/// Rows of a ranking.
const MOST_RANKED: usize = 200;
/// What a repaired reply is to be.
const FORM: &str = "one JSON object with the field form, and nothing else";

/// What a model is shown of the graph.
#[derive(Clone, Debug, Default)]
pub struct GraphVocabulary {
    /// Types of entities.
    pub types: Vec<String>,
    /// Types of relationships around what the question names.
    pub kinds: Vec<String>,
    /// Names of the question that the graph knows, as the question writes them.
    pub names: Vec<String>,
}

/// What a model made of a question.
#[derive(Debug)]
pub struct Filled {
    /// The form with its plan; else why there is none, and the form that came nearest.
    pub outcome: Result<(Form, Compiled), (Option<Form>, Refused)>,
    /// What each call has used.
    pub spent: Vec<Usage>,
}

/// The reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    /// What the question asks for; null where it asks for no rows.
    form: Option<Form>,
}

/// Asks a model what a question asks for.
///
/// # Errors
/// What the model says, and the store.
pub async fn ask(
    (model, prompts): (&dyn ChatModel, &Prompts),
    question: &str,
    known: &GraphVocabulary,
    compiler: &Compiler<'_>,
) -> Result<Filled> {
    let prompt = TableForm {
        question: Data::text(question),
        types: Data::lines(&known.types),
        kinds: Data::lines(&known.kinds),
        names: Data::lines(&known.names),
    };
    let mut request = ChatRequest::new(ModelRole::Answer, prompt.name().as_str(), prompts.render(&prompt)?);
    request.max_tokens = Some(REPLY_TOKENS);
    request.schema = Some(("table_form".to_owned(), schema()));
    let mut spent = Vec::new();
    let mut nearest = None;
    loop {
        let reply = model.chat(&request).await?;
        spent.push(reply.usage);
        let (problem, refused) = match read(&reply.text, question) {
            Ok(None) => return Ok(Filled { outcome: Err((None, Refused::NoRows)), spent }),
            Ok(Some(form)) => match checked(compiler, &form).await? {
                Ok(plan) => return Ok(Filled { outcome: Ok((form, plan)), spent }),
                Err(refused) => {
                    nearest = Some(form);
                    (refused.to_string(), refused)
                }
            },
            Err(problem) => (problem.clone(), Refused::Unread(problem)),
        };
        if spent.len() > 1 {
            return Ok(Filled { outcome: Err((nearest, refused)), spent });
        }
        request.messages.push(Message::assistant(reply.text));
        let repair = RepairReply { problem: Data::line(&problem), form: FORM };
        request.messages.extend(prompts.render(&repair)?);
    }
}

/// The plan of a form, where it is one that can be run.
async fn checked(compiler: &Compiler<'_>, form: &Form) -> Result<Result<Compiled, Refused>> {
    Ok(compiler.compile(form).await?.and_then(|compiled| match compiled.plan.columns() {
        Ok(_) => Ok(compiled),
        Err(error) => Err(Refused::Other(error.to_string())),
    }))
}

/// The form of a reply, made clean and bounded; or what is wrong with it.
fn read(reply: &str, question: &str) -> Result<Option<Form>, String> {
    let value = read_json(reply).ok_or("the reply holds no JSON object")?;
    let reply: Reply = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let Some(mut form) = reply.form else { return Ok(None) };
    clean(&mut form.thing)?;
    clean_all(&mut form.conditions, &name_key(question))?;
    if let Some(ranking) = &mut form.ranking {
        clean(&mut ranking.wording)?;
        clean(&mut ranking.thing)?;
        ranking.count = ranking.count.clamp(1, MOST_RANKED);
    }
    if !form.is_bounded() {
        return Err("it has more conditions and names than a question can hold".to_owned());
    }
    Ok(Some(form))
}

fn clean_all(conditions: &mut [Condition], question: &str) -> Result<(), String> {
    for condition in conditions {
        clean(&mut condition.wording)?;
        if let Some(time) = &mut condition.time {
            clean(&mut time.date)?;
            time.until.as_mut().map(clean).transpose()?;
        }
        let Other { names, thing, conditions } = &mut condition.others;
        clean(thing)?;
        for name in names.iter_mut().chain(&mut condition.third) {
            clean(name)?;
            let key = name_key(name);
            if key.is_empty() || !question.contains(&key) {
                return Err(format!("the question does not name {name:?}; names stand as it writes them"));
            }
        }
        clean_all(conditions, question)?;
    }
    Ok(())
}

fn clean(text: &mut String) -> Result<(), String> {
    let line = one_line(&without_citations(text));
    let length = line.chars().count();
    if length > LONGEST {
        return Err(format!("a name, noun or wording has {length} characters; {LONGEST} are the most"));
    }
    *text = line;
    Ok(())
}

/// The schema of a reply in the words that endpoints hold replies to: every field is there, and no other.
fn schema() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<Reply>().to_value();
    make_strict(&mut schema);
    schema
}

fn make_strict(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(make_strict),
        Value::Object(fields) => make_object_strict(fields),
        _ => {}
    }
}

fn make_object_strict(fields: &mut Map<String, Value>) {
    if let Some(reference) = fields.get("$ref").cloned() {
        *fields = Map::from_iter([("$ref".to_owned(), reference)]);
        return;
    }
    // an enum whose values are described is a list of constants
    if let Some(Value::Array(choices)) = fields.get("oneOf") {
        let names: Vec<Value> = choices.iter().filter_map(|choice| choice.get("const").cloned()).collect();
        if names.len() == choices.len() {
            *fields = Map::from_iter([
                ("type".to_owned(), json!("string")),
                ("enum".to_owned(), Value::Array(names)),
            ]);
            return;
        }
    }
    for needless in ["default", "format", "minimum", "title"] {
        if fields.get(needless).is_some_and(|value| !value.is_object()) || needless == "default" {
            fields.remove(needless);
        }
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
        properties.values_mut().for_each(make_strict);
        fields.insert("required".to_owned(), Value::Array(names));
        fields.insert("additionalProperties".to_owned(), json!(false));
    }
    for (name, value) in fields.iter_mut().filter(|(name, _)| *name != "properties") {
        if name == "$defs" {
            value.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(make_strict);
        } else {
            make_strict(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::plans::form::{Ask, Role};

    const QUESTION: &str = "Which firms did Contoso snap up?";

    fn reply(name: &str, wording: &str) -> String {
        json!({"form": {"ask": "list", "thing": "firms", "conditions": [{
            "row": "object", "wording": wording, "others": {"names": [name]}}]}})
        .to_string()
    }

    #[test]
    fn a_reply_is_read_whatever_stands_around_it() {
        let form = read(&format!("Here:\n```json\n{}\n```", reply("Contoso", "snap up")), QUESTION);
        let form = form.unwrap().unwrap();
        assert_eq!(
            (form.ask, form.thing.as_str(), form.conditions[0].row),
            (Ask::List, "firms", Role::Object)
        );
        assert!(read("{\"form\": null}", QUESTION).unwrap().is_none());
    }

    #[test]
    fn what_is_no_form_is_told_and_not_used() {
        for (text, problem) in [
            ("MATCH (n) DETACH DELETE n", "no JSON"),
            ("MATCH (n {name: \"Contoso\"}) DETACH DELETE n", "unknown field"),
            ("{\"form\": {\"cypher\": \"MATCH (n) RETURN n\"}}", "unknown field"),
            ("{\"form\": {\"ask\": \"delete\"}}", "unknown variant"),
            (&reply("Litware", "snap up"), "does not name"),
            (
                &reply("Contoso", "snap up").replace("\"row\"", "\"third\":[\"Litware\"],\"row\""),
                "does not name",
            ),
            (&reply("Contoso", &"MATCH (n) ".repeat(20)), "characters"),
        ] {
            let told = read(text, QUESTION).unwrap_err();
            assert!(told.contains(problem), "{text}: {told}");
        }
    }

    #[test]
    fn a_form_beyond_bounds_is_cut_or_refused() {
        let many: Vec<Value> = (0..40).map(|_| json!({"others": {"names": ["Contoso"]}})).collect();
        assert!(read(&json!({"form": {"conditions": many}}).to_string(), QUESTION).is_err());
        let mut deep = json!({"wording": "know"});
        for _ in 0..8 {
            deep = json!({"wording": "know", "others": {"conditions": [deep]}});
        }
        assert!(read(&json!({"form": {"conditions": [deep]}}).to_string(), QUESTION).is_err());
        let huge =
            json!({"form": {"ask": "most", "ranking": {"by": "documents", "count": 4_000_000_000_u32}}});
        let form = read(&huge.to_string(), QUESTION).unwrap().unwrap();
        assert_eq!(form.ranking.unwrap().count, MOST_RANKED);
        let cited = read(&reply("Contoso", "bought [Data: Sources (1)]\n| x"), QUESTION).unwrap().unwrap();
        assert!(!cited.conditions[0].wording.contains(['[', '\n']), "{cited:?}");
    }

    #[test]
    fn the_schema_is_closed_everywhere() {
        fn check(value: &Value, objects: &mut usize) {
            for item in value.as_array().into_iter().flatten() {
                check(item, objects);
            }
            let Some(fields) = value.as_object() else { return };
            if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
                *objects += 1;
                assert_eq!(fields["additionalProperties"], json!(false));
                assert_eq!(fields["required"].as_array().unwrap().len(), properties.len());
            }
            assert!(!fields.contains_key("oneOf") && !fields.contains_key("default"), "{value}");
            assert!(!fields.contains_key("$ref") || fields.len() == 1, "{value}");
            fields.values().for_each(|value| check(value, objects));
        }
        let mut objects = 0;
        check(&schema(), &mut objects);
        assert_eq!(objects, 7, "{:#}", schema());
    }
}
