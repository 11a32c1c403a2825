//! What is written into the configuration: shown as a diff, applied, undone. What the user changed by hand stays.

use super::parts::{Change, Part, at};
use crate::config::Config;
use crate::{private, small_file};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Formatted, InlineTable, Item, Table};

/// What a note of ours begins with.
const NOTE: &str = "# tuned ";
/// Lines around a change.
const CONTEXT: usize = 2;
/// Files of the folder of tuning.
const PROPOSAL: &str = "proposal.json";
const APPLIED: &str = "applied.json";
/// Bytes of either at most.
const LONGEST: u64 = 64 << 20;
/// Keys that `--reports` sets.
const OF_REPORTS: [&str; 2] = ["reports.audience", "reports.rating"];
/// Keys of types, which say nothing without each other.
const OF_TYPES: [&str; 3] =
    ["extraction.schema.entities", "extraction.schema.relations", "extraction.schema.typed"];

/// Changes to a configuration that nobody has applied yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Proposal {
    /// The configuration that they are for.
    pub path: PathBuf,
    /// The changes.
    pub changes: Vec<Change>,
}

/// Changes that were applied, with what was there before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    path: PathBuf,
    /// The file before and after; absent: there was none.
    before: Option<String>,
    after: String,
    /// The changes, each with the value before it, `null` where there was none.
    changes: Vec<(Change, Value)>,
}

/// The last proposal of a folder.
///
/// # Errors
/// There is none.
pub fn proposal(folder: &Path) -> Result<Proposal> {
    read(&folder.join(PROPOSAL)).context("nothing was proposed yet; run `graphwright tune PATH...` first")
}

/// Keeps a proposal for later.
///
/// # Errors
/// The folder cannot be written.
pub fn keep(folder: &Path, proposal: &Proposal) -> Result<()> {
    write(&folder.join(PROPOSAL), proposal)
}

/// What came of writing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the file is another one now.
    pub changed: bool,
    /// Keys that the user has set since the proposal was made, and that keep their values.
    pub left_alone: Vec<String>,
}

/// What was applied and not taken back, the latest last.
fn history(folder: &Path) -> Result<Vec<Applied>> {
    let place = folder.join(APPLIED);
    if !place.exists() {
        return Ok(Vec::new());
    }
    // before there was a list, the last one was kept alone
    read(&place).or_else(|error| read::<Applied>(&place).map_or(Err(error), |one| Ok(vec![one])))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text =
        private::read_text(path, LONGEST).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not as we wrote it", path.display()))
}

fn write<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    private::create_dir_all(folder).with_context(|| format!("cannot make folder {}", folder.display()))?;
    private::write(path, &serde_json::to_string_pretty(value)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Values of a configuration, told apart by who set them.
struct Values {
    now: Value,
    built_in: Value,
    history: Vec<Applied>,
}

impl Values {
    fn new(config: &Config, history: Vec<Applied>) -> Self {
        Self { now: json(config), built_in: json(&Config::default()), history }
    }

    /// Whether a key has a value that is neither built in nor one that we applied.
    fn by_hand(&self, key: &str) -> bool {
        let empty = Value::Array(Vec::new());
        let value = at(&self.now, key).unwrap_or(&empty);
        let mut applied = self.history.iter().flat_map(|applied| &applied.changes);
        let ours = applied.any(|(change, _)| change.key == key && change.value == *value);
        value != at(&self.built_in, key).unwrap_or(&empty) && !ours
    }

    /// Whether the user names the types in a list without descriptions.
    fn lists_types(&self) -> bool {
        let listed = at(&self.now, "extraction.entity_types").and_then(Value::as_array);
        listed.is_some_and(|types| !types.is_empty())
    }

    /// Takes out of changes those of keys that the user has set, and what says nothing without them. Returns these keys.
    fn leave_alone(&self, changes: &mut Vec<Change>) -> Vec<String> {
        let wanted = |change: &Change| at(&self.now, &change.key) != Some(&change.value);
        let by_hand = |key: &str| self.by_hand(key);
        let types = changes.iter().any(|one| OF_TYPES.contains(&one.key.as_str()) && wanted(one))
            && (OF_TYPES.iter().any(|key| by_hand(key)) || self.lists_types());
        let keeps = |change: &Change| {
            let of_types = types && OF_TYPES.contains(&change.key.as_str());
            wanted(change) && (of_types || by_hand(&change.key))
        };
        let kept = changes.iter().filter(|change| keeps(change)).map(|change| change.key.clone()).collect();
        changes.retain(|change| !keeps(change));
        kept
    }
}

/// The parts whose keys the user has set: neither as built in nor as we applied them.
///
/// # Errors
/// What was applied cannot be read.
pub fn set_by_hand(config: &Config, folder: &Path) -> Result<Vec<Part>> {
    let values = Values::new(config, history(folder)?);
    let is_by_hand = |part: &Part| {
        let of_types = matches!(part, Part::Types | Part::Relations | Part::CommonTypes);
        part.keys().iter().any(|key| values.by_hand(key)) || (of_types && values.lists_types())
    };
    Ok(Part::ALL.into_iter().filter(is_by_hand).collect())
}

/// Takes changes of keys that the user has set out of a list, and returns these keys.
///
/// # Errors
/// As [`set_by_hand`].
pub fn leave_alone(changes: &mut Vec<Change>, config: &Config, folder: &Path) -> Result<Vec<String>> {
    Ok(Values::new(config, history(folder)?).leave_alone(changes))
}

fn json(config: &Config) -> Value {
    serde_json::to_value(config).unwrap_or_default()
}

/// The file of a proposal as it is, and as it would be.
///
/// # Errors
/// A file that cannot be read or is no TOML.
pub fn texts(proposal: &Proposal) -> Result<(Option<String>, String)> {
    let before = match small_file::read_text(&proposal.path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", proposal.path.display()));
        }
    };
    let after = patched(before.as_deref().unwrap_or_default(), &proposal.changes)
        .with_context(|| format!("in configuration {}", proposal.path.display()))?;
    Ok((before, after))
}

/// Refuses what was kept for another file, or sets what tuning does not: the folder may have come with somebody else's
/// project, and what is kept there would write wherever it says.
fn check_kept<'a>(kept: &Path, changes: impl Iterator<Item = &'a Change>, path: &Path) -> Result<()> {
    let whole = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
    ensure!(
        whole(kept).ok() == whole(path).ok(),
        "what is kept here is for {}, and the configuration of this run is {}; name it with --config, or tune again",
        kept.display(),
        path.display()
    );
    let tuned: BTreeSet<&str> =
        Part::ALL.iter().flat_map(|part| part.keys()).copied().chain(OF_REPORTS).collect();
    for change in changes {
        ensure!(
            tuned.contains(change.key.as_str()),
            "what is kept here sets {}, which tuning never does; tune again",
            change.key
        );
    }
    Ok(())
}

/// Refuses to take back what `--apply` did not write: the text before must become the one after by the changes alone.
/// Where there was no file, the one after then holds nothing else, and may go.
fn check_changes(applied: &Applied, path: &Path) -> Result<()> {
    let changes: Vec<Change> = applied.changes.iter().map(|(change, _)| change.clone()).collect();
    let made = patched(applied.before.as_deref().unwrap_or_default(), &changes);
    ensure!(
        made.is_ok_and(|made| made == applied.after),
        "what is kept here would change more of {} than tuning did, so it is not taken back; set the values by hand",
        path.display()
    );
    Ok(())
}

/// Writes a proposal into its file, `path`, and keeps what undoing it needs. What the user has set since it was made stays.
///
/// # Errors
/// A proposal for another file, or of other keys than tuning sets; a file that cannot be read or written; a result that
/// would be refused.
pub fn apply(folder: &Path, proposal: &Proposal, path: &Path) -> Result<Outcome> {
    check_kept(&proposal.path, proposal.changes.iter(), path)?;
    let (before, _) = texts(proposal)?;
    let config = Config::parse(before.as_deref().unwrap_or_default())?;
    let mut values = Values::new(&config, history(folder)?);
    let mut proposal = proposal.clone();
    let left_alone = values.leave_alone(&mut proposal.changes);
    let (before, after) = texts(&proposal)?;
    if before.as_deref().unwrap_or_default() == after {
        return Ok(Outcome { changed: false, left_alone });
    }
    Config::parse(&after)?.check().context("the changed configuration would be refused")?;
    let old = |key: &str| {
        let old = at(&values.now, key).filter(|old| at(&values.built_in, key) != Some(*old));
        old.cloned().unwrap_or_default()
    };
    let changes = proposal.changes.iter().map(|change| (change.clone(), old(&change.key))).collect();
    let path = proposal.path;
    values.history.push(Applied { path: path.clone(), changes, before, after: after.clone() });
    write(&folder.join(APPLIED), &values.history)?;
    private::write(&path, &after).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Outcome { changed: true, left_alone })
}

/// Takes the last changes that were applied to `path` back. A file that nobody has touched since becomes what it was, byte for byte; of a
/// changed one the keys go back whose values are still ours. Returns the file and the keys that were left alone.
///
/// # Errors
/// Nothing was applied; what was is of another file, of other keys than tuning sets, or does not make the file what it is
/// kept as; a file that cannot be read or written.
pub fn undo(folder: &Path, path: &Path) -> Result<(PathBuf, Vec<String>)> {
    let mut history = history(folder)?;
    let Some(applied) = history.pop() else {
        bail!("nothing was applied, so there is nothing to take back");
    };
    check_kept(&applied.path, applied.changes.iter().map(|(change, _)| change), path)?;
    check_changes(&applied, path)?;
    let path = applied.path.clone();
    let now = small_file::read_text(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut kept = Vec::new();
    if now == applied.after {
        match &applied.before {
            Some(before) => private::write(&path, before),
            None => std::fs::remove_file(&path),
        }
        .with_context(|| format!("cannot write {}", path.display()))?;
    } else {
        let values = json(&Config::parse(&now)?);
        let mut document: DocumentMut = now.parse().context("not TOML")?;
        for (change, before) in &applied.changes {
            if at(&values, &change.key) == Some(&change.value) {
                put(&mut document, &Change { value: before.clone(), note: String::new(), ..change.clone() })?;
            } else {
                kept.push(change.key.clone());
            }
        }
        private::write(&path, &document.to_string())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    write(&folder.join(APPLIED), &history)?;
    Ok((path, kept))
}

/// A configuration with changes, everything else as it stands.
///
/// # Errors
/// No TOML; a key's table is none.
pub fn patched(text: &str, changes: &[Change]) -> Result<String> {
    let mut document: DocumentMut = text.parse().context("not TOML")?;
    for change in changes {
        put(&mut document, change)?;
    }
    Ok(document.to_string())
}

/// Sets a key, or removes it where the value is `null`.
fn put(document: &mut DocumentMut, change: &Change) -> Result<()> {
    let Change { key, value, note } = change;
    let (tables, leaf) = key.rsplit_once('.').unwrap_or(("", key));
    let mut table: &mut Table = document.as_table_mut();
    for name in tables.split('.').filter(|name| !name.is_empty()) {
        let item = table.entry(name).or_insert_with(|| {
            let mut fresh = Table::new();
            fresh.set_implicit(true);
            Item::Table(fresh)
        });
        let Some(inner) = item.as_table_mut() else {
            bail!("[{tables}] {name} is no table of its own; write it as [{tables}]")
        };
        table = inner;
    }
    if value.is_null() {
        table.remove(leaf);
        let says = table.decor().prefix().and_then(|above| above.as_str()).unwrap_or_default();
        if table.is_empty() && says.trim().is_empty() {
            // its header goes, too; not one that the user has written something above
            table.set_implicit(true);
        }
        return Ok(());
    }
    if let Value::Array(rows) = value
        && rows.iter().any(Value::is_object)
    {
        let mut entries = ArrayOfTables::new();
        for (place, row) in rows.iter().enumerate() {
            let mut entry = Table::new();
            for (name, value) in in_order(row) {
                entry.insert(name, Item::Value(plain(value)));
            }
            let noted = place == 0 && !note.is_empty();
            let above = if noted { format!("\n{NOTE}{note}\n") } else { "\n".to_owned() };
            entry.decor_mut().set_prefix(above);
            entries.push(entry);
        }
        table.insert(leaf, Item::ArrayOfTables(entries));
        return Ok(());
    }
    let mut item = plain(value);
    let old = table.get(leaf).and_then(Item::as_value).map(|old| old.decor().clone());
    if let Some(decor) = old {
        *item.decor_mut() = decor;
    }
    table.insert(leaf, Item::Value(item));
    if let Some(mut name) = table.key_mut(leaf) {
        let decor = name.leaf_decor_mut();
        let above = decor.prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
        let above: String = above.split_inclusive('\n').filter(|line| !line.starts_with(NOTE)).collect();
        decor.set_prefix(if note.is_empty() { above } else { format!("{above}{NOTE}{note}\n") });
    }
    Ok(())
}

/// The fields of a row that say something, what it is called first.
fn in_order(row: &Value) -> Vec<(&String, &Value)> {
    const ORDER: [&str; 4] = ["name", "source", "type", "target"];
    let mut fields: Vec<(&String, &Value)> =
        row.as_object().into_iter().flatten().filter(|(_, value)| value.as_str() != Some("")).collect();
    fields.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
    fields
}

fn plain(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => toml_edit::Value::from(*value),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => toml_edit::Value::from(whole),
            None => toml_edit::Value::from(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => toml_edit::Value::String(Formatted::new(text.clone())),
        Value::Array(items) => toml_edit::Value::Array(items.iter().map(plain).collect::<Array>()),
        Value::Object(fields) => {
            let mut table = InlineTable::new();
            for (name, value) in fields {
                table.insert(name, plain(value));
            }
            toml_edit::Value::InlineTable(table)
        }
        Value::Null => toml_edit::Value::from(""),
    }
}

/// The lines that differ, with those around them: `-` before, `+` after.
pub fn diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let operations = similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new);
    let mut text = String::new();
    for group in similar::group_diff_ops(operations, CONTEXT) {
        let line = group.first().map_or(0, |operation| operation.new_range().start + 1);
        text.push_str(&format!("@@ line {line}\n"));
        for operation in group {
            let mut say = |mark: char, lines: Option<&[&str]>| {
                for line in lines.into_iter().flatten() {
                    text.push_str(&format!("{mark}{line}\n"));
                }
            };
            if operation.tag() == similar::DiffTag::Equal {
                say(' ', new.get(operation.new_range()));
            } else {
                say('-', old.get(operation.old_range()));
                say('+', new.get(operation.new_range()));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FILE: &str = "# mine\n[extraction]\ngleanings = 2   # as I like it\ndomain = \"\"  # what it is about\n\n\
        # what follows is of communities\n[communities]\nmax_size = 7\n";

    fn changes() -> Vec<Change> {
        let note = "2026-01-01: +5 %".to_owned();
        let change = |key: &str, value: Value| Change { key: key.to_owned(), value, note: note.clone() };
        vec![
            change("extraction.domain", json!("ferries of the north")),
            change(
                "extraction.examples",
                json!("Text:\nIda \"sails\".\n\nRecords:\n(\"entity\"<|>Ida<|>person<|>x<|>NONE)"),
            ),
            change(
                "extraction.schema.entities",
                json!([{"type": "vessel", "description": "a \"ship\""}, {"type": "person", "description": ""}]),
            ),
            change("extraction.schema.names", json!([{"name": "NS", "also": ["Northern Star"]}])),
            change("reports.audience", json!("harbour masters")),
        ]
    }

    fn proposed(folder: &Path) -> Proposal {
        Proposal { path: folder.join("graphwright.toml"), changes: changes() }
    }

    #[test]
    fn a_patch_sets_what_was_found_and_leaves_the_rest_alone() {
        let after = patched(FILE, &changes()).unwrap();
        let config = Config::parse(&after).unwrap();
        config.check().unwrap();
        assert_eq!(config.extraction.domain, "ferries of the north");
        assert_eq!(config.extraction.schema.entities[0].description, "a \"ship\"");
        assert!(config.extraction.examples.contains("\n(\"entity\"<|>Ida<|>"));
        assert_eq!(config.reports.audience, "harbour masters");
        assert_eq!((config.extraction.gleanings, config.communities.max_size), (2, 7));
        for kept in [
            "# mine",
            "# as I like it",
            "# what it is about",
            "# what follows is of communities\n[communities]",
        ] {
            assert!(after.contains(kept), "{kept}:\n{after}");
        }
        assert_eq!(patched(&after, &changes()).unwrap(), after, "twice is once");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../tests/snapshots/tuning");
        settings.set_prepend_module_to_snapshot(false);
        settings.bind(|| insta::assert_snapshot!("diff_of_a_patch", diff(FILE, &after)));
    }

    #[test]
    fn what_came_with_a_folder_of_others_is_written_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let (theirs, ours) = (folder.path().join("theirs.toml"), folder.path().join("graphwright.toml"));
        std::fs::write(&theirs, "innocent").unwrap();
        let refused = |outcome: Result<()>, told: &str| {
            let error = outcome.unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        };
        let forged = Applied {
            path: theirs.clone(),
            before: Some("evil".into()),
            after: "innocent".into(),
            changes: Vec::new(),
        };
        write(&folder.path().join(APPLIED), &[forged]).unwrap();
        refused(undo(folder.path(), &ours).map(drop), "is for");
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "innocent");
        let proposal = Proposal { path: folder.path().join("new.toml"), changes: changes() };
        refused(apply(folder.path(), &proposal, &ours).map(drop), "is for");
        let value = json!({"doc": "evil"});
        let changes = vec![Change { key: "documents.converters".into(), value, note: String::new() }];
        let proposal = Proposal { path: ours.clone(), changes };
        refused(apply(folder.path(), &proposal, &ours).map(drop), "documents.converters");
        assert!(!ours.exists() && !folder.path().join("new.toml").exists());
    }

    #[test]
    fn what_others_wrote_into_the_history_is_not_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graphwright.toml");
        let refused = |now: &str, before: Option<&str>, after: &str, changes: Vec<(Change, Value)>| {
            std::fs::write(&path, now).unwrap();
            let before = before.map(str::to_owned);
            let forged = Applied { path: path.clone(), before, after: after.to_owned(), changes };
            write(&folder.path().join(APPLIED), &[forged]).unwrap();
            let error = undo(folder.path(), &path).unwrap_err().to_string();
            assert!(error.contains("set the values by hand"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), now);
        };
        let ours: Vec<(Change, Value)> = changes().into_iter().map(|change| (change, Value::Null)).collect();
        let evil = "[documents.converters]\ndoc = \"evil\"\n";
        let after = patched(FILE, &changes()).unwrap();
        refused(FILE, Some(evil), FILE, Vec::new());
        refused(&after, Some(&format!("{FILE}{evil}")), &after, ours.clone());
        // of a file that was changed since nothing goes back either
        refused(FILE, Some(evil), &after, ours.clone());
        // a file that tuning did not make stays
        refused(FILE, None, FILE, Vec::new());
        refused(&after, None, &after, ours.clone());
        let made = patched("", &changes()).unwrap();
        std::fs::write(&path, &made).unwrap();
        let applied = Applied { path: path.clone(), before: None, after: made, changes: ours };
        write(&folder.path().join(APPLIED), &[applied]).unwrap();
        undo(folder.path(), &path).unwrap();
        assert!(!path.exists(), "there was none");
    }

    #[test]
    fn what_is_applied_is_undone_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let proposal = proposed(folder.path());
        std::fs::write(&proposal.path, FILE).unwrap();
        assert!(apply(folder.path(), &proposal, &proposal.path).unwrap().changed);
        assert_ne!(std::fs::read_to_string(&proposal.path).unwrap(), FILE);
        assert_eq!(undo(folder.path(), &proposed(folder.path()).path).unwrap().1, Vec::<String>::new());
        assert_eq!(std::fs::read_to_string(&proposal.path).unwrap(), FILE);
        let error = undo(folder.path(), &proposed(folder.path()).path).unwrap_err();
        assert!(error.to_string().contains("nothing was applied"), "{error}");
        std::fs::remove_file(&proposal.path).unwrap();
        apply(folder.path(), &proposal, &proposal.path).unwrap();
        undo(folder.path(), &proposed(folder.path()).path).unwrap();
        assert!(!proposal.path.exists(), "there was none");
    }

    #[test]
    fn what_was_applied_in_turn_is_ours_and_goes_back_in_turn() {
        let folder = tempfile::tempdir().unwrap();
        let of = |keys: &[&str]| {
            let changes =
                changes().into_iter().filter(|change| keys.contains(&change.key.as_str())).collect();
            Proposal { path: folder.path().join("graphwright.toml"), changes }
        };
        let (first, second) = (of(&["extraction.domain"]), of(&["extraction.schema.entities"]));
        std::fs::write(&first.path, FILE).unwrap();
        assert!(apply(folder.path(), &first, &first.path).unwrap().changed);
        let between = std::fs::read_to_string(&first.path).unwrap();
        assert!(apply(folder.path(), &second, &second.path).unwrap().changed);
        let config = Config::parse(&std::fs::read_to_string(&first.path).unwrap()).unwrap();
        assert_eq!(set_by_hand(&config, folder.path()).unwrap(), [], "both may be tuned again");
        undo(folder.path(), &proposed(folder.path()).path).unwrap();
        assert_eq!(std::fs::read_to_string(&first.path).unwrap(), between);
        undo(folder.path(), &proposed(folder.path()).path).unwrap();
        assert_eq!(std::fs::read_to_string(&first.path).unwrap(), FILE);
        assert!(undo(folder.path(), &proposed(folder.path()).path).is_err());
    }

    #[test]
    fn what_was_set_by_hand_after_a_proposal_is_kept_when_it_is_applied() {
        let folder = tempfile::tempdir().unwrap();
        let proposal = proposed(folder.path());
        let mine = "[extraction]\ndomain = \"my ferries\"\n\n[extraction.schema]\ntyped = false\n\n\
            [[extraction.schema.entities]]\ntype = \"boat\"\n\n[reports]\naudience = \"me\"\n";
        std::fs::write(&proposal.path, mine).unwrap();
        let outcome = apply(folder.path(), &proposal, &proposal.path).unwrap();
        let kept = ["extraction.domain", "extraction.schema.entities", "reports.audience"];
        assert_eq!((outcome.changed, outcome.left_alone), (true, kept.map(str::to_owned).to_vec()));
        let config = Config::parse(&std::fs::read_to_string(&proposal.path).unwrap()).unwrap();
        assert_eq!(
            (config.extraction.domain.as_str(), config.reports.audience.as_str()),
            ("my ferries", "me")
        );
        assert_eq!(config.extraction.schema.entities.len(), 1);
        assert!(!config.extraction.examples.is_empty() && config.extraction.schema.names.len() == 1);
        assert_eq!(undo(folder.path(), &proposed(folder.path()).path).unwrap().1, Vec::<String>::new());
        assert_eq!(std::fs::read_to_string(&proposal.path).unwrap(), mine);
    }

    #[test]
    fn a_list_of_types_that_was_set_since_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let proposal = proposed(folder.path());
        std::fs::write(&proposal.path, "[extraction]\nentity_types = [\"ferry\"]\n").unwrap();
        let outcome = apply(folder.path(), &proposal, &proposal.path).unwrap();
        assert!(outcome.left_alone.iter().any(|key| OF_TYPES.contains(&key.as_str())), "{outcome:?}");
        let config = Config::parse(&std::fs::read_to_string(&proposal.path).unwrap()).unwrap();
        assert_eq!(config.extraction.schema.entities, [], "no second list of types");
    }

    #[test]
    fn what_was_changed_by_hand_since_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let proposal = proposed(folder.path());
        std::fs::write(&proposal.path, FILE).unwrap();
        apply(folder.path(), &proposal, &proposal.path).unwrap();
        let text = std::fs::read_to_string(&proposal.path).unwrap();
        let parts = || {
            set_by_hand(
                &Config::parse(&std::fs::read_to_string(&proposal.path).unwrap()).unwrap(),
                folder.path(),
            )
            .unwrap()
        };
        assert_eq!(parts(), [], "what we applied may be tuned again");
        std::fs::write(&proposal.path, text.replace("ferries of the north", "my ferries")).unwrap();
        assert_eq!(parts(), [Part::Domain]);
        let (_, kept) = undo(folder.path(), &proposed(folder.path()).path).unwrap();
        assert_eq!(kept, ["extraction.domain"]);
        let text = std::fs::read_to_string(&proposal.path).unwrap();
        assert!(!text.contains("[reports]"), "a table that was made for it goes, too: {text}");
        let after = Config::parse(&text).unwrap();
        assert_eq!(after.extraction.domain, "my ferries");
        assert!(after.extraction.schema.entities.is_empty() && after.reports.audience.is_empty());
    }
}
