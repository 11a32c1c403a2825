//! Trust that was given, in the user's folder of configuration: a file for every path, with the hash of what it held.

use super::{ConfigFile, Environment};
use crate::{private, small_file};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A configuration that was trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trusted {
    /// Where it is: absolute, without links.
    pub path: PathBuf,
    /// Of its text.
    hash: String,
}

impl Trusted {
    fn of(file: &ConfigFile) -> Result<Self> {
        Ok(Self { path: canonical(&file.path)?, hash: hash(file.text.as_bytes()) })
    }

    /// Whether the file still is what was trusted.
    pub fn is_unchanged(&self) -> bool {
        small_file::read(&self.path).is_ok_and(|text| hash(&text) == self.hash)
    }
}

/// What one user trusts.
#[derive(Clone, Debug)]
pub struct UserTrust {
    folder: PathBuf,
}

impl UserTrust {
    /// In `$XDG_CONFIG_HOME/graphwright`, else `~/.config/graphwright`, on Windows `%APPDATA%`.
    ///
    /// # Errors
    /// None of them is an absolute path.
    pub fn of_user(environment: Environment<'_>) -> Result<Self> {
        let absolute = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_CONFIG_HOME")
            .or_else(|| absolute("APPDATA"))
            .or_else(|| absolute("HOME").map(|home| home.join(".config")))
            .context("there is no folder of the user's to keep trust in; set HOME or XDG_CONFIG_HOME")?;
        Ok(Self { folder: base.join("graphwright").join("trusted") })
    }

    /// Whether a file is trusted as it stands.
    pub fn holds(&self, file: &ConfigFile) -> bool {
        let Ok(wanted) = Trusted::of(file) else { return false };
        read(&self.place(&wanted.path)) == Some(wanted)
    }

    /// Trusts a file as it stands, in place of what its path held before.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn trust(&self, file: &ConfigFile) -> Result<()> {
        let trusted = Trusted::of(file)?;
        let place = self.place(&trusted.path);
        let write = || -> Result<()> {
            private::create_dir_all(&self.folder)?;
            let mut beside = tempfile_beside(&self.folder)?;
            beside.1.write_all(&serde_json::to_vec(&trusted)?)?;
            Ok(std::fs::rename(&beside.0, &place)?)
        };
        write().with_context(|| format!("cannot keep trust in {}", self.folder.display()))
    }

    /// Takes trust back; false where there was none.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn revoke(&self, path: &Path) -> Result<bool> {
        // a file that is gone may still be trusted
        let path = canonical(path).or_else(|_| std::path::absolute(path))?;
        match std::fs::remove_file(self.place(&path)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => {
                Err(error).with_context(|| format!("cannot take trust back in {}", self.folder.display()))
            }
        }
    }

    /// Everything that is trusted, by path.
    pub fn list(&self) -> Vec<Trusted> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut all: Vec<Trusted> = files.filter_map(|file| read(&file.path())).collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    fn place(&self, path: &Path) -> PathBuf {
        self.folder.join(format!("{}.json", hash(path.as_os_str().as_encoded_bytes())))
    }
}

fn read(place: &Path) -> Option<Trusted> {
    serde_json::from_slice(&std::fs::read(place).ok()?).ok()
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn canonical(path: &Path) -> Result<PathBuf> {
    std::fs::canonicalize(path).with_context(|| format!("cannot find {}", path.display()))
}

/// A new file, written whole before it takes its name.
fn tempfile_beside(folder: &Path) -> std::io::Result<(PathBuf, std::fs::File)> {
    let path = folder.join(format!(".{}-{:x}", std::process::id(), fastrand::u64(..)));
    let file = private::options().write(true).create_new(true).open(&path)?;
    Ok((path, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::read_file;

    #[test]
    fn trust_is_for_a_path_and_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let kept = UserTrust::of_user(&|name| (name == "HOME").then(|| home.display().to_string())).unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            read_file(&path).unwrap()
        };
        let one = write("one.toml", "a");
        assert!(!kept.holds(&one) && kept.list().is_empty());
        kept.trust(&one).unwrap();
        assert!(kept.holds(&one) && kept.list()[0].is_unchanged());
        assert!(!kept.holds(&write("other.toml", "a")), "another path");
        let changed = write("one.toml", "b");
        assert!(!kept.holds(&changed) && !kept.list()[0].is_unchanged());
        kept.trust(&changed).unwrap();
        assert_eq!(kept.list().len(), 1);
        std::fs::remove_file(&changed.path).unwrap();
        assert!(kept.revoke(&changed.path).unwrap() || cfg!(not(target_os = "linux")));
        assert!(!kept.revoke(&changed.path).unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&kept.folder).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
    }

    #[test]
    fn a_folder_in_the_project_is_none_of_the_users() {
        let relative = |name: &str| (name == "XDG_CONFIG_HOME").then(|| "config".to_owned());
        assert!(UserTrust::of_user(&relative).is_err());
    }
}
