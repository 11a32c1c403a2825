//! What the folder of a sentence model says: the layout of the sentence-transformers project.

use super::bert;
use anyhow::{Context, Result, bail, ensure};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files without which there is no model.
pub(super) const REQUIRED: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];
/// Files that say more where they are there.
pub(super) const OPTIONAL: [&str; 4] = [
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
];

/// How the vectors of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// The first token's.
    First,
    /// The greatest value in each place.
    Max,
}

/// A model's folder, read.
#[derive(Clone, Debug)]
pub(super) struct SentenceModel {
    pub(super) folder: PathBuf,
    pub(super) config: bert::BertConfig,
    pub(super) pooling: Pooling,
    /// Tokens at which a text is cut, the two special ones included.
    pub(super) max_tokens: usize,
    /// Put in front of what is searched for and of what is searched.
    pub(super) query_prompt: String,
    pub(super) document_prompt: String,
}

/// The folder of a model that reads two texts together, read.
#[derive(Clone, Debug)]
pub(super) struct CrossEncoder {
    pub(super) folder: PathBuf,
    pub(super) config: bert::BertConfig,
    /// Tokens at which the two texts together are cut.
    pub(super) max_tokens: usize,
}

impl CrossEncoder {
    /// Reads everything but the weights.
    pub(super) fn read(folder: &Path, max_tokens: usize) -> Result<Self> {
        let config = transformer(folder, "a cross-encoder")?;
        let longest = config.longest();
        Ok(Self { folder: folder.to_owned(), max_tokens: longest.min(max_tokens).max(5), config })
    }
}

impl SentenceModel {
    /// Reads everything but the weights.
    pub(super) fn read(folder: &Path, max_tokens: usize) -> Result<Self> {
        let config = transformer(folder, "a sentence model")?;
        check_modules(folder)?;
        let longest = read_longest(folder)?.unwrap_or(config.longest());
        let prompts = read_prompts(folder)?;
        let prompt =
            |names: &[&str]| names.iter().find_map(|name| prompts.get(*name)).cloned().unwrap_or_default();
        Ok(Self {
            folder: folder.to_owned(),
            pooling: pooling(folder)?,
            max_tokens: longest.min(config.longest()).min(max_tokens).max(3),
            query_prompt: prompt(&["query"]),
            document_prompt: prompt(&["document", "passage"]),
            config,
        })
    }
}

/// `config.json` of a folder that has all that a model needs.
fn transformer(folder: &Path, kind: &str) -> Result<bert::BertConfig> {
    let missing: Vec<&str> = REQUIRED.iter().copied().filter(|name| !folder.join(name).is_file()).collect();
    ensure!(
        missing.is_empty(),
        "{} is no folder of {kind}: it lacks {}; wanted are {} as the sentence-transformers project \
             lays them out",
        folder.display(),
        missing.join(", "),
        REQUIRED.join(", ")
    );
    let settings: Value = json(folder, "config.json")?;
    let model_type = settings.get("model_type").and_then(Value::as_str).unwrap_or("bert");
    ensure!(
        ["bert", "roberta", "xlm-roberta"].contains(&model_type),
        "{}: model_type is {model_type:?}; bert, roberta and xlm-roberta are built in: all-MiniLM-L6-v2, bge, e5, gte, \
             bge-m3 and multilingual-e5 are of these kinds",
        folder.join("config.json").display()
    );
    json(folder, "config.json")
}

/// A JSON file of the folder.
fn json<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<T> {
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not as a sentence model's", path.display()))
}

/// A JSON file of the folder, if it is there.
fn json_if_there(folder: &Path, name: &str) -> Result<Option<Value>> {
    if folder.join(name).is_file() { json(folder, name).map(Some) } else { Ok(None) }
}

/// Refuses what stands behind pooling and is not built in: a dense layer.
fn check_modules(folder: &Path) -> Result<()> {
    let Some(modules) = json_if_there(folder, "modules.json")? else { return Ok(()) };
    for module in modules.as_array().into_iter().flatten() {
        let kind = module.get("type").and_then(Value::as_str).unwrap_or_default();
        let kind = kind.rsplit('.').next().unwrap_or_default();
        ensure!(
            ["Transformer", "Pooling", "Normalize"].contains(&kind),
            "{}: the model has a module {kind}; built in are Transformer, Pooling and Normalize",
            folder.join("modules.json").display()
        );
    }
    Ok(())
}

/// Mean where nothing is said.
fn pooling(folder: &Path) -> Result<Pooling> {
    let Some(settings) = json_if_there(folder, "1_Pooling/config.json")? else { return Ok(Pooling::Mean) };
    let on: Vec<&str> = settings
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, value)| name.starts_with("pooling_mode_") && value.as_bool() == Some(true))
        .map(|(name, _)| name.as_str())
        .collect();
    Ok(match on.as_slice() {
        [] | ["pooling_mode_mean_tokens"] => Pooling::Mean,
        ["pooling_mode_cls_token"] => Pooling::First,
        ["pooling_mode_max_tokens"] => Pooling::Max,
        other => bail!(
            "{}: {} is not built in; pooling is by mean, cls or max",
            folder.join("1_Pooling/config.json").display(),
            other.join(" with ")
        ),
    })
}

fn read_longest(folder: &Path) -> Result<Option<usize>> {
    let settings = json_if_there(folder, "sentence_bert_config.json")?;
    let length = settings.as_ref().and_then(|value| value.get("max_seq_length")).and_then(Value::as_u64);
    Ok(length.and_then(|length| usize::try_from(length).ok()))
}

fn read_prompts(folder: &Path) -> Result<BTreeMap<String, String>> {
    let settings = json_if_there(folder, "config_sentence_transformers.json")?;
    let prompts = settings.as_ref().and_then(|value| value.get("prompts")).and_then(Value::as_object);
    let texts = prompts.into_iter().flatten();
    Ok(texts.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned()))).collect())
}
