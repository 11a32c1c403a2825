//! Files that were uploaded: where they lie in the folder of embedded data, under which names, and how they go.

use crate::index::documents;
use crate::private;
use anyhow::{Context, Result, ensure};
use std::path::{Component, Path, PathBuf};

/// Name of the source that uploads are.
pub(crate) const SOURCE: &str = "uploads";
/// Folders that an uploaded file may lie in, one in another, and bytes of its path.
const DEEPEST: usize = 16;
const LONGEST: usize = 600;

/// Removes a file that was uploaded, with what was said of it. What cannot be removed is left, and logged.
pub(crate) fn remove(data: &Path, workspace: &str, name: &str) {
    let removed = upload_path(data, workspace, name).and_then(|path| {
        std::fs::remove_file(&path)?;
        remove_side(&documents::side_file_of(&path))
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

/// The originals of documents that are gone go too, but those that hold other rows.
pub(crate) fn remove_originals(data: &Path, workspace: &str, keys: &[String]) {
    for key in keys {
        let name = key.strip_prefix(SOURCE).and_then(|rest| rest.strip_prefix('/'));
        let Some(name) =
            name.filter(|name| !name.contains('#') && clean_path(name).as_deref() == Some(*name))
        else {
            continue;
        };
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
        None => remove_side(&side),
    }
}

fn remove_side(side: &Path) -> Result<()> {
    match std::fs::remove_file(side) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).context("while removing what was said of an uploaded file")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
