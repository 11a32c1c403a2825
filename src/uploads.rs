//! Files that were uploaded: where they lie in the folder of embedded data, under which names, and how they go.

use crate::domain::Id;
use crate::index::documents;
use crate::private;
use crate::services::Services;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Name of the source that uploads are.
pub(crate) const SOURCE: &str = "uploads";
/// Folders that an uploaded file may lie in, one in another, and bytes of its path.
const DEEPEST: usize = 16;
const LONGEST: usize = 600;

/// Removes the originals of documents, given with their keys, that are not stored any more: a removal may have been stopped
/// before the last of them.
///
/// # Errors
/// What the store says.
pub(crate) async fn remove_gone(data: &Path, services: &Services, documents: &[(Id, String)]) -> Result<()> {
    let ids: Vec<Id> = documents.iter().map(|(id, _)| id.clone()).collect();
    let stored = services.graph.documents_by_id(&ids).await?;
    let stored: BTreeSet<Id> = stored.into_iter().map(|document| document.id).collect();
    for (_, key) in documents.iter().filter(|(id, _)| !stored.contains(id)) {
        remove_original(data, services.ids.workspace(), key);
    }
    Ok(())
}

/// Removes a file that was uploaded, with what was said of it. What cannot be removed is left, and logged.
pub(crate) fn remove(data: &Path, workspace: &str, name: &str) {
    let removed = upload_path(data, workspace, name).and_then(|path| {
        remove_if_there(&path)?;
        remove_if_there(&documents::side_file_of(&path))
    });
    if let Err(error) = removed {
        tracing::warn!(%error, "an uploaded file could not be removed");
    }
}

/// Where the uploads of a workspace are kept.
pub(crate) fn folder_of(data: &Path, workspace: &str) -> PathBuf {
    data.join(SOURCE).join(workspace)
}

/// Where a file that was uploaded lies. The folder of data may have come with somebody else's project: neither a name nor a
/// link leads out of it.
///
/// # Errors
/// A name that is none, and a link on the way.
pub(crate) fn upload_path(data: &Path, workspace: &str, name: &str) -> Result<PathBuf> {
    let stays = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    ensure!(stays && !name.is_empty(), "{name:?} is no name of an uploaded file");
    let path = folder_of(data, workspace).join(name);
    private::refuse_links_between(data, &path)?;
    Ok(path)
}

/// Removes what a document was read from, but a file that holds other rows.
pub(crate) fn remove_original(data: &Path, workspace: &str, key: &str) {
    let name = key.strip_prefix(SOURCE).and_then(|rest| rest.strip_prefix('/'));
    let is_whole = |name: &&str| !name.contains('#') && clean_path(name).as_deref() == Some(*name);
    if let Some(name) = name.filter(is_whole) {
        remove(data, workspace, name);
        remove_empty(data, workspace, name);
    }
}

/// Removes the folders of a file that is gone, where nothing else is in them.
pub(crate) fn remove_empty(data: &Path, workspace: &str, name: &str) {
    let folder = folder_of(data, workspace);
    for parent in Path::new(name).ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
        let folder = folder.join(parent);
        if private::refuse_links_between(data, &folder).is_err() || std::fs::remove_dir(folder).is_err() {
            // it is in use
            return;
        }
    }
}

/// A path for an uploaded file below the folder of uploads: each part as [`clean_name`] leaves it. A path from the root of
/// a system, or one that leads upwards, keeps the folders that it names, so that files of one name stay apart. Nothing where
/// nothing is left of the last part.
pub(crate) fn clean_path(given: &str) -> Option<String> {
    let given = given.replace('\\', "/");
    let last = clean_name(&given)?;
    let parts: Vec<&str> = given.split('/').collect();
    let (_, folders) = parts.split_last()?;
    if folders.len() > DEEPEST {
        return Some(last);
    }
    let mut path: Vec<String> = Vec::new();
    for part in folders {
        if *part == ".." {
            path.pop();
        } else if !part.ends_with(':') {
            // a drive is no folder
            path.extend(clean_name(part));
        }
    }
    path.push(last.clone());
    let path = path.join("/");
    Some(if path.len() <= LONGEST { path } else { last })
}

/// A name for an uploaded file: one part of a path, without what systems or shells read otherwise. Nothing where nothing
/// is left of it.
pub(crate) fn clean_name(given: &str) -> Option<String> {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_. ()".contains(c) { c } else { '_' })
        .collect::<String>()
        .trim()
        .trim_start_matches('.')
        .to_owned();
    // as many bytes as file systems take, from the end, where the ending is
    let longest = (clean.len().saturating_sub(200)..=clean.len()).find_map(|from| clean.get(from..));
    let name = longest.unwrap_or_default().to_owned();
    (!name.is_empty() && name.chars().any(char::is_alphanumeric)).then_some(name)
}

/// Moves a file that has come to where the uploads of a workspace are.
///
/// # Errors
/// The folder or the file cannot be written.
pub(crate) fn take_in(data: &Path, workspace: &str, staged: &Path, name: &str) -> Result<()> {
    let path = folder_of(data, workspace).join(name);
    if let Some(parent) = path.parent() {
        private::refuse_links_between(data, parent)?;
        private::create_dir_all(parent).context("while making a folder of uploads")?;
    }
    std::fs::rename(staged, path).context("while keeping an uploaded file")
}

/// Keeps the side file of an uploaded file, or takes an earlier one away unless one `comes` in another way.
///
/// # Errors
/// What the file system says.
pub(crate) fn take_in_side(
    data: &Path,
    workspace: &str,
    name: &str,
    staged: Option<&Path>,
    comes: bool,
) -> Result<()> {
    let side = documents::side_file_of(&upload_path(data, workspace, name)?);
    match staged {
        Some(staged) => {
            std::fs::rename(staged, side).context("while keeping what is said of an uploaded file")
        }
        None if comes => Ok(()),
        None => remove_if_there(&side),
    }
}

fn remove_if_there(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("while removing {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::domain::Document;
    use crate::services::{self, Access};

    #[tokio::test]
    async fn what_is_still_stored_keeps_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path();
        let services = services::connect(Config::default(), data, "w", Access::Write).await.expect("made");
        let documents = ["stays.md", "goes.md", "elsewhere.md"].map(|name| {
            let key = format!("{SOURCE}/{name}");
            (services.ids.document(&key), key)
        });
        for name in ["stays.md", "goes.md"] {
            let staged = data.join("staged");
            std::fs::write(&staged, "x").expect("staged");
            take_in(data, "w", &staged, name).expect("kept");
        }
        let stays = Document {
            id: documents[0].0.clone(),
            key: documents[0].1.clone(),
            title: String::new(),
            content_hash: String::new(),
            character_count: 0,
            text_unit_count: 0,
            date: None,
            metadata: std::collections::BTreeMap::new(),
            origin: None,
        };
        services.graph.replace_document(&stays, &[]).await.expect("stored");
        remove_gone(data, &services, &documents).await.expect("removed");
        let there = |name: &str| folder_of(data, "w").join(name).exists();
        assert!(there("stays.md") && !there("goes.md"));
    }

    #[test]
    fn a_file_keeps_its_folders_and_leads_nowhere_else() {
        for (given, clean) in [
            ("notes.md", Some("notes.md")),
            ("a/readme.md", Some("a/readme.md")),
            ("三国/上 卷/1.txt", Some("三国/上 卷/1.txt")),
            ("a\\b\\c.md", Some("a/b/c.md")),
            ("./a//.hidden/c$.md", Some("a/hidden/c_.md")),
            ("../../one/y.md", Some("one/y.md")),
            ("/two/y.md", Some("two/y.md")),
            ("a/../../b.txt", Some("b.txt")),
            ("C:\\x\\三国.txt", Some("x/三国.txt")),
            ("a/..", None),
            ("a/", None),
        ] {
            assert_eq!(clean_path(given).as_deref(), clean, "{given:?}");
        }
        let deep = format!("{}x.md", "a/".repeat(40));
        assert_eq!(clean_path(&deep).as_deref(), Some("x.md"));
        proptest::proptest!(|(given in "(\\.\\./|/|[a-z./\\\\:\u{0}刘\u{202e} $;|&`'\"]){0,300}")| {
            if let Some(path) = clean_path(&given) {
                let fine = Path::new(&path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
                proptest::prop_assert!(fine && clean_path(&path).as_deref() == Some(path.as_str()), "{path:?}");
            }
        });
    }

    #[test]
    fn a_name_of_a_file_leads_nowhere_else() {
        for (given, clean) in [
            ("notes.md", Some("notes.md")),
            ("../../etc/passwd.txt", Some("passwd.txt")),
            ("C:\\x\\三国.txt", Some("三国.txt")),
            (".hidden.md", Some("hidden.md")),
            ("a\u{0}b$c.txt", Some("a_b_c.txt")),
            ("..", None),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(clean_name(given).as_deref(), clean, "{given:?}");
        }
        proptest::proptest!(|(given in "(\\.\\./|[a-z./\\\\:\u{0}刘\u{202e} $;|&`'\"]){0,300}")| {
            if let Some(name) = clean_name(&given) {
                let fine = name.chars().all(|c| c.is_alphanumeric() || "-_. ()".contains(c));
                proptest::prop_assert!(fine && !name.starts_with('.') && name.len() <= 200, "{name:?}");
            }
        });
        let long = clean_name(&format!("{}.txt", "长".repeat(300))).expect("a name");
        assert!(
            long.len() <= 200
                && std::path::Path::new(&long).extension().is_some_and(|ending| ending == "txt")
        );
    }
}
