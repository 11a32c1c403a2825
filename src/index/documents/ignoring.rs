//! What a folder says is not to be read: `.gitignore` and `.ignore` files, read as git reads them, and folders of packages.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;

/// Files with patterns; what the later one says is stronger.
const FILES: [&str; 2] = [".gitignore", ".ignore"];
/// Bytes and lines of a file with patterns: each pattern is an automaton in memory.
const LONGEST: u64 = 64 << 10;
const MOST_LINES: usize = 2_000;
/// Folders that hold what others wrote for programs.
const PACKAGES: [&str; 3] = ["node_modules", "bower_components", "__pycache__"];

/// The patterns on the way from the top of a repository, or from the folder that is read, to where a walk stands.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    /// With the depth of their folders below the one that is read; those above it have none.
    patterns: Vec<(Option<usize>, Gitignore)>,
}

impl Ignored {
    /// Those that are above a folder: up to the one that holds `.git`, if there is one.
    pub(super) fn above(folder: &Path) -> Self {
        let mut found = Self::default();
        let Some(top) = folder.ancestors().position(|above| above.join(".git").exists()) else {
            return found;
        };
        let above: Vec<&Path> = folder.ancestors().skip(1).take(top).collect();
        for folder in above.into_iter().rev() {
            found.patterns.extend(read(folder).map(|patterns| (None, patterns)));
        }
        found
    }

    /// A walk has come to a folder.
    pub(super) fn enter(&mut self, folder: &Path, depth: usize) {
        self.patterns.extend(read(folder).map(|patterns| (Some(depth), patterns)));
    }

    /// A walk has come to a place so deep: patterns of folders that do not hold it are forgotten.
    pub(super) fn come_to(&mut self, depth: usize) {
        self.patterns.retain(|(own, _)| own.is_none_or(|own| own < depth));
    }

    /// Whether a place is not to be read. The patterns nearest to it decide.
    pub(super) fn holds(&self, path: &Path, is_folder: bool) -> bool {
        for (_, patterns) in self.patterns.iter().rev() {
            match patterns.matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        is_folder && path.file_name().is_some_and(|name| PACKAGES.iter().any(|package| name == *package))
    }
}

/// A folder's patterns. Lines that are none are passed over, as git does.
fn read(folder: &Path) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    let mut any = false;
    for file in FILES.iter().map(|name| folder.join(name)) {
        let is_plain = file.symlink_metadata().is_ok_and(|known| known.is_file() && known.len() <= LONGEST);
        let Some(text) = is_plain.then(|| std::fs::read_to_string(&file).ok()).flatten() else {
            if file.is_file() {
                tracing::warn!(
                    "{} is passed over: it is a link, no text, or longer than {} kB",
                    file.display(),
                    LONGEST >> 10
                );
            }
            continue;
        };
        any = true;
        for line in text.lines().take(MOST_LINES) {
            drop(builder.add_line(Some(file.clone()), line));
        }
    }
    builder.build().ok().filter(|patterns| any && !patterns.is_empty())
}
