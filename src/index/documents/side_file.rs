//! Side files: `report.pdf.meta.json` says of `report.pdf` what the file itself does not.

use super::{Reading, SourceFile, SourceProblem};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What its name ends with.
const ENDING: &str = ".meta.json";
/// Bytes of a side file.
const LONGEST: u64 = 1 << 20;

/// Whether a file only speaks of another one beside it.
pub(super) fn is_side_file(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_suffix(ENDING).is_some_and(|of| !of.is_empty() && path.with_file_name(of).is_file())
}

/// Where the side file of a file lies, if there is one.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name: OsString = path.file_name().map(Into::into).unwrap_or_default();
    name.push(ENDING);
    path.with_file_name(name)
}

/// Adds what the side file says to the documents of its file; it is stronger than what they say themselves.
pub(super) fn apply(file: &SourceFile, reading: &mut Reading) {
    let path = beside(&file.path);
    if !path.is_file() {
        return;
    }
    match stays(&path).and_then(|()| read(&path)) {
        Ok(mut said) => {
            let title = said.remove("title");
            for document in &mut reading.documents {
                if let Some(title) = title.as_ref().filter(|_| document.key == file.key) {
                    document.title.clone_from(title);
                }
                document.metadata.extend(said.iter().map(|(name, value)| (name.clone(), value.clone())));
            }
        }
        Err(reason) => reading.problems.push(SourceProblem::new(path, reason)),
    }
}

/// Refuses a link that leads out of the folder that the side file lies in: what is said elsewhere is not of this document.
fn stays(path: &Path) -> Result<(), String> {
    if !path.is_symlink() {
        return Ok(());
    }
    let folder = |path: &Path| path.canonicalize().ok()?.parent().map(Path::to_owned);
    let beside = path.parent().and_then(|parent| parent.join(".").canonicalize().ok());
    match (folder(path), beside) {
        (Some(target), Some(beside)) if target.starts_with(&beside) => Ok(()),
        _ => Err("is a link that leads out of its folder; passed over: put the file itself there".into()),
    }
}

/// What the side file of a file holds, for its fingerprint; `None` where there is none that is read.
pub(super) fn bytes(path: &Path) -> Option<Vec<u8>> {
    let path = beside(path);
    if !path.is_file() || stays(&path).is_err() {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn read(path: &PathBuf) -> Result<BTreeMap<String, String>, String> {
    let file = std::fs::File::open(path).map_err(|error| super::unreadable(&error))?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(|error| super::unreadable(&error))?;
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| format!("is not valid JSON ({error}); wanted an object of fields"))?;
    let Some(fields) = value.as_object() else {
        return Err("holds no object; wanted fields such as {\"author\": \"…\"}".into());
    };
    Ok(fields.iter().filter_map(|(name, value)| Some((name.clone(), metadata_text(value)?))).collect())
}

/// A value as metadata; nothing for null and objects.
fn metadata_text(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::Null | serde_json::Value::Object(_) => None,
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Array(values) => {
            let shown: Vec<String> = values.iter().filter_map(metadata_text).collect();
            (!shown.is_empty()).then(|| shown.join(", "))
        }
        other => Some(other.to_string()),
    }
}
