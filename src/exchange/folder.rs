//! A folder that gets new content as a whole: it is written inside it under a name of its own, and moved to its place
//! when all of it is there. What is not ours is never touched.

use super::tables::{MANIFEST, read_manifest};
use crate::private;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where the new content is until it is whole.
const BESIDE: &str = ".graphwright-new";

/// What every manifest of ours says, whatever else it does.
#[derive(Deserialize)]
struct ManifestHead {
    /// Of our own tables.
    #[serde(default)]
    layout: Option<u64>,
    /// Of other systems' tables.
    #[serde(default)]
    written_by: Option<String>,
    tables: BTreeMap<String, serde_json::Value>,
}

/// Who reads an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportFor {
    /// `graphwright import`.
    Graphwright,
    /// microsoft/graphrag, which cannot give back all that a workspace holds.
    Graphrag,
}

/// The content of a folder in the making.
pub(super) struct NewFolder {
    target: PathBuf,
    beside: PathBuf,
}

impl NewFolder {
    /// Begins new content for a folder, which is made where it is missing. What an earlier run wrote to its end and did
    /// not move is moved first.
    ///
    /// # Errors
    /// A folder with anything in it that no export of ours wrote, or one for another reader; one that cannot be written.
    pub(super) fn begin(target: &Path, reader: ExportFor) -> Result<Self> {
        let folder = Self { target: target.to_owned(), beside: target.join(BESIDE) };
        let cannot = || format!("cannot make folder {}", folder.beside.display());
        if target.exists() && !target.is_dir() {
            bail!("{} is no folder; give another one to write to", target.display());
        }
        if folder.beside.is_symlink() {
            bail!(
                "{} is a link; nothing was changed: remove it, or give another folder",
                folder.beside.display()
            );
        }
        let is_begun = folder.beside.join(MANIFEST).exists() && !target.join(MANIFEST).exists();
        if is_begun {
            refuse_foreign(&folder.beside, &[&folder.beside])?;
        }
        if let Some(other) = head_of(target).map(|head| head.reader()).filter(|other| *other != reader) {
            let what = match other {
                ExportFor::Graphwright => "an export that `graphwright import` reads",
                ExportFor::Graphrag => "an export for microsoft/graphrag",
            };
            bail!(
                "{} holds {what}; nothing was changed: give another folder, or remove this one",
                target.display()
            );
        }
        if target.exists() {
            // of an export that was being replaced the manifest goes first
            refuse_foreign(target, &[target, &folder.beside])?;
        }
        if is_begun {
            folder.take_place()?;
        }
        remove(&folder.beside)?;
        private::create_dir_all(&folder.beside).with_context(cannot)?;
        Ok(folder)
    }

    /// Where to write.
    pub(super) fn path(&self) -> &Path {
        &self.beside
    }

    /// Puts the new content in the place of the old; it must have its manifest.
    ///
    /// # Errors
    /// A file cannot be moved; the next [`Self::begin`] goes on with it.
    pub(super) fn finish(self) -> Result<()> {
        self.take_place()
    }

    /// Without a manifest the folder is no export, so that a mixture of two is never read as one.
    fn take_place(&self) -> Result<()> {
        let (target, beside) = (&self.target, &self.beside);
        let cannot = || format!("cannot write {}", target.display());
        let new = names(beside).with_context(cannot)?;
        if let Some(head) = head_of(target) {
            remove(&target.join(MANIFEST))?;
            for name in head.files().difference(&new) {
                remove(&target.join(name))?;
            }
        }
        for name in new.iter().filter(|name| *name != MANIFEST) {
            std::fs::rename(beside.join(name), target.join(name)).with_context(cannot)?;
        }
        std::fs::rename(beside.join(MANIFEST), target.join(MANIFEST)).with_context(cannot)?;
        std::fs::remove_dir(beside).with_context(cannot)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // content without a manifest was not written to its end; what is left of it harms nobody
        if !self.beside.join(MANIFEST).exists() {
            let _ = std::fs::remove_dir_all(&self.beside);
        }
    }
}

impl ManifestHead {
    fn reader(&self) -> ExportFor {
        if self.layout.is_some() { ExportFor::Graphwright } else { ExportFor::Graphrag }
    }

    /// The files that an export with this manifest consists of. What somebody else wrote into it is a name and no path.
    fn files(&self) -> BTreeSet<String> {
        let endings = ["jsonl", "parquet"];
        let is_plain = |table: &&String| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            !table.is_empty() && table.chars().all(is_part)
        };
        let tables = self.tables.keys().filter(is_plain);
        let mut files: BTreeSet<String> =
            tables.flat_map(|table| endings.map(|ending| format!("{table}.{ending}"))).collect();
        files.insert(MANIFEST.to_owned());
        files
    }
}

fn head_of(folder: &Path) -> Option<ManifestHead> {
    let text = read_manifest(&folder.join(MANIFEST)).ok()?;
    let head: ManifestHead = serde_json::from_str(&text).ok()?;
    (head.layout.is_some() || head.written_by.as_deref() == Some("graphwright")).then_some(head)
}

/// Refuses a folder that holds more than the files of the exports whose manifests lie in these folders.
fn refuse_foreign(folder: &Path, exports: &[&Path]) -> Result<()> {
    let heads = exports.iter().filter_map(|export| head_of(export));
    let ours: BTreeSet<String> = heads.flat_map(|head| head.files()).collect();
    let mut there = names(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    there.remove(BESIDE);
    if let Some(foreign) = there.difference(&ours).next() {
        bail!(
            "{} holds {foreign:?}, which no export of graphwright wrote; nothing was changed: give a folder that is \
             empty, missing or holds nothing but an export",
            folder.display()
        );
    }
    Ok(())
}

fn names(folder: &Path) -> std::io::Result<BTreeSet<String>> {
    folder.read_dir()?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Removes a file or a folder, which may be missing; of a link the link itself.
pub(super) fn remove(path: &Path) -> Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(known) if known.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn put(folder: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
    }

    const OLD: &str = r#"{"layout": 2, "tables": {"entities": {}, "claims": {}}}"#;
    const NEW: &str = r#"{"layout": 2, "tables": {"entities": {}}}"#;

    fn write_new(target: &Path) {
        let new = NewFolder::begin(target, ExportFor::Graphwright).unwrap();
        put(new.path(), &[("entities.parquet", "new"), ("manifest.json", NEW)]);
        new.finish().unwrap();
    }

    fn all(folder: &Path) -> Vec<(String, String)> {
        let read = |name: String| (name.clone(), fs::read_to_string(folder.join(name)).unwrap());
        names(folder).unwrap().into_iter().map(read).collect()
    }

    fn new() -> Vec<(String, String)> {
        vec![("entities.parquet".into(), "new".into()), ("manifest.json".into(), NEW.into())]
    }

    #[test]
    fn an_export_takes_the_place_of_another_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("made/backup");
        write_new(&target);
        assert_eq!(all(&target), new());
        put(&target, &[("entities.jsonl", "old"), ("claims.jsonl", "old"), ("manifest.json", OLD)]);
        write_new(&target);
        assert_eq!(all(&target), new());
    }

    #[test]
    fn what_is_not_ours_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        for files in [
            &[("entities.jsonl", "theirs")][..],
            &[("manifest.json", "{\"name\": \"a page\"}")],
            &[("manifest.json", NEW), ("entities.jsonl", "ours"), ("notes.txt", "theirs")],
        ] {
            let target = tempfile::tempdir_in(folder.path()).unwrap();
            put(target.path(), files);
            let before = all(target.path());
            let told =
                format!("{:#}", NewFolder::begin(target.path(), ExportFor::Graphwright).err().unwrap());
            assert!(told.contains("which no export of graphwright wrote"), "{told}");
            assert_eq!(all(target.path()), before);
        }
        let file = folder.path().join("file");
        fs::write(&file, "theirs").unwrap();
        assert!(
            format!("{:#}", NewFolder::begin(&file, ExportFor::Graphwright).err().unwrap())
                .contains("is no folder")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_folder_is_replaced_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().unwrap();
        let theirs = folder.path().join("theirs");
        fs::write(&theirs, "theirs").unwrap();
        let target = folder.path().join("backup");
        put(&target, &[("manifest.json", NEW)]);
        std::os::unix::fs::symlink(&theirs, target.join("entities.parquet")).unwrap();
        write_new(&target);
        assert_eq!(all(&target), new());
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    }

    #[test]
    fn names_of_tables_in_a_manifest_are_no_paths() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        put(&precious, &[("data.jsonl", "theirs")]);
        let target = folder.path().join("backup");
        let absolute = precious.join("data").display().to_string();
        let manifest = serde_json::json!({"layout": 1, "tables": {"../precious/data": {}, absolute: {}}});
        put(&target, &[("manifest.json", &manifest.to_string())]);
        write_new(&target);
        assert_eq!(all(&precious), [("data.jsonl".to_owned(), "theirs".to_owned())]);
    }

    #[test]
    fn what_lies_in_the_way_of_an_export_never_takes_the_place_of_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("project");
        put(&target, &[("README.md", "theirs")]);
        put(&target.join(BESIDE), &[("README.md", "planted"), ("manifest.json", NEW)]);
        let told = format!("{:#}", NewFolder::begin(&target, ExportFor::Graphwright).err().unwrap());
        assert!(told.contains("which no export of graphwright wrote"), "{told}");
        assert_eq!(fs::read_to_string(target.join("README.md")).unwrap(), "theirs");
        #[cfg(unix)]
        {
            fs::remove_dir_all(target.join(BESIDE)).unwrap();
            let elsewhere = folder.path().join("elsewhere");
            put(&elsewhere, &[("entities.jsonl", "theirs"), ("manifest.json", NEW)]);
            std::os::unix::fs::symlink(&elsewhere, target.join(BESIDE)).unwrap();
            let told = format!("{:#}", NewFolder::begin(&target, ExportFor::Graphwright).err().unwrap());
            assert!(told.contains("is a link"), "{told}");
            assert_eq!(all(&elsewhere).len(), 2);
        }
    }

    #[test]
    fn a_run_that_ended_while_moving_is_gone_on_with_and_one_that_ended_before_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("backup");
        put(&target.join(BESIDE), &[("entities.parquet", "new"), ("manifest.json", NEW)]);
        drop(NewFolder::begin(&target, ExportFor::Graphwright).unwrap());
        assert_eq!(all(&target), new());
        put(&target.join(BESIDE), &[("claims.jsonl", "half")]);
        drop(NewFolder::begin(&target, ExportFor::Graphwright).unwrap());
        assert_eq!(all(&target), new());
    }
}
