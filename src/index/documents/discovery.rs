//! Arguments into files and their keys.

use super::ignoring::Ignored;
use super::kinds::{FileKind, HEAD, KNOWN_KINDS, begins_known, is_log};
use super::side_file::is_side_file;
use super::{
    LINE_BREAK, SourceProblem, breaks_lines, extension, reads_pictures, refusal, unknown_type, unreadable,
};
use crate::language::is_line_break;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// What is taken and what it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscoverOptions {
    /// Globs of files to take from folders and patterns; empty: all. Matched with the key, the path below the folder
    /// and every name in it.
    pub include: Vec<String>,
    /// Globs of files and folders to leave out, matched likewise; stronger than `include`, and binding for files
    /// given by name too.
    pub exclude: Vec<String>,
    /// Named roots: keys of what lies in `PATH` start with `NAME/`. A root that holds none of the arguments is taken
    /// whole.
    pub sources: Vec<(String, PathBuf)>,
    /// Whether symbolic links that lead out of the folder they were found in are followed.
    pub follow: bool,
    /// Whether files of folders are read that a `.gitignore` or `.ignore` names, and folders of packages
    /// (`node_modules`).
    pub no_ignore: bool,
    /// Whether pictures in folders are read: `[documents] ocr` reads them.
    pub pictures: bool,
    /// The folder that keys are relative to; absent: the working folder.
    pub root: Option<PathBuf>,
}

impl DiscoverOptions {
    /// The same, with pictures where `[documents] ocr` reads them.
    #[must_use]
    pub fn with_pictures_of(&self, ocr: &str) -> Self {
        Self { pictures: self.pictures || reads_pictures(ocr), ..self.clone() }
    }
}

/// A file that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in the graph: path relative to the source's root, with `/` between parts.
    pub key: String,
}

/// What the arguments came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Files to read, ordered by key, none twice.
    pub files: Vec<SourceFile>,
    /// Arguments and places that cannot be used.
    pub problems: Vec<SourceProblem>,
    /// Files that were given by name and are of no type that can be read.
    pub refused: Vec<SourceProblem>,
    /// Files of folders that were passed over: their type cannot be read, or they are links to files that are read.
    pub skipped: Vec<SourceProblem>,
    /// How many files and folders were passed over because a `.gitignore` or `.ignore` names them, or as packages.
    pub ignored: usize,
}

impl Discovery {
    /// Skipped files that are named; of more it is said how many they are, by type.
    const NAMED: usize = 200;

    /// All that could not be used of what was asked for, one sentence each.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        self.problems.iter().chain(&self.refused).map(ToString::to_string)
    }

    /// What was passed over, one sentence each: every file with its reason, up to a bound.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.skipped.iter().take(Self::NAMED).map(ToString::to_string).collect();
        let more = self.skipped.get(Self::NAMED..).unwrap_or_default();
        if !more.is_empty() {
            let (of_types, others): (Vec<&SourceProblem>, Vec<&SourceProblem>) = more
                .iter()
                .partition(|skipped| skipped.reason == LOG || skipped.reason == unknown_type(&skipped.path));
            let of_types = note_of(&by_extension(of_types.iter().map(|skipped| skipped.path.as_path())));
            let empty = others.iter().filter(|skipped| skipped.reason.starts_with(EMPTY)).count();
            let mut parts: Vec<String> = of_types.into_iter().collect();
            parts.extend((empty > 0).then(|| format!("{empty} empty")));
            let links = others.len() - empty;
            parts.extend((links > 0).then(|| format!("{links} links")));
            let parts = parts.join(", ");
            notes.push(format!("and {parts} more; --include and --exclude say which files count"));
        }
        if self.skipped.iter().any(|skipped| skipped.reason == unknown_type(&skipped.path)) {
            notes.push(format!("what can be indexed: {KNOWN_KINDS}"));
        }
        match self.ignored {
            0 => {}
            1 => notes.push(
                "left out one place that .gitignore names, or packages; --no-ignore reads it".to_owned(),
            ),
            many => notes.push(format!(
                "left out {many} places that .gitignore names, or packages; --no-ignore reads them"
            )),
        }
        notes
    }
}

/// What is wrong with a file of no bytes.
const EMPTY: &str = "is empty";
/// Deepest nesting of folders that is followed.
const DEEPEST: usize = 64;

/// Finds the files that files, folders and globs (`docs/**/*.md`) name. Folders are read to the bottom, hidden files
/// and folders below them left out, symbolic links followed but for loops and, without [`DiscoverOptions::follow`], for those
/// that lead out of the folder: who can put a link into it does not choose what else is read. What `.gitignore` and
/// `.ignore` files name is left out as git leaves it out, without [`DiscoverOptions::no_ignore`]; a file that is given by
/// name is read.
///
/// A key is the path relative to [`DiscoverOptions::root`], for files outside it the whole path, and in a named source
/// `NAME/` and the path below its root: so a file has one key however it is reached.
pub fn discover(arguments: &[String], options: &DiscoverOptions) -> Discovery {
    match std::env::current_dir() {
        Ok(folder) => discover_in(&folder, arguments, options),
        Err(error) => {
            Discovery { problems: vec![SourceProblem::new(".", unreadable(&error))], ..Discovery::default() }
        }
    }
}

/// As [`discover`] for files that are given by name alone: named sources give keys, and nothing of them is taken whole.
pub fn discover_named(arguments: &[String], options: &DiscoverOptions) -> Discovery {
    let folder = match std::env::current_dir() {
        Ok(folder) => folder,
        Err(error) => {
            return Discovery {
                problems: vec![SourceProblem::new(".", unreadable(&error))],
                ..Discovery::default()
            };
        }
    };
    let mut search = FileSearch::new(&folder, options);
    for argument in arguments {
        search.take_argument(argument, &clean(&folder.join(argument)));
    }
    let mut found = search.into_discovery();
    // nothing of what is named can be left out
    found.problems.append(&mut found.refused);
    found.problems.append(&mut found.skipped);
    found
}

/// What folders hold, and which keys are theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// The files in them.
    pub found: Discovery,
    /// Beginnings of the keys of all files in each folder, without the last `/`; empty for the root.
    pub keys: Vec<String>,
    /// Keys of the places in them that are there and cannot be read: what lies there is not known.
    pub unread: Vec<String>,
}

impl Folders {
    /// Whether a document of this key comes from one of the folders.
    pub fn hold(&self, key: &str) -> bool {
        self.keys.iter().any(|folder| lies_in(key, folder))
    }

    /// Whether a document of this key may lie in a place that cannot be read.
    pub fn may_hide(&self, key: &str) -> bool {
        self.unread.iter().any(|place| key == place || lies_in(key, place))
    }
}

/// Whether a key is that of a file below a folder. The working folder holds neither whole paths nor addresses.
fn lies_in(key: &str, folder: &str) -> bool {
    match folder {
        "" => !Path::new(key).is_absolute() && !key.contains("://"),
        "/" => key.starts_with('/'),
        _ => key.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
    }
}

/// As [`discover`] for folders alone, the whole of named sources that hold none of them included. A folder may be
/// empty.
///
/// # Errors
/// One of them is not a folder that can be read: nothing can be said of what it holds.
pub fn discover_folders(folders: &[String], options: &DiscoverOptions) -> Result<Folders, SourceProblem> {
    match std::env::current_dir() {
        Ok(folder) => folders_in(&folder, folders, options),
        Err(error) => Err(SourceProblem::new(".", unreadable(&error))),
    }
}

fn folders_in(
    folder: &Path,
    folders: &[String],
    options: &DiscoverOptions,
) -> Result<Folders, SourceProblem> {
    let mut search = FileSearch::new(folder, options);
    let mut whole: Vec<PathBuf> = folders.iter().map(|path| clean(&folder.join(path))).collect();
    let roots = search.roots.iter().map(|(_, root)| root.clone());
    let rest: Vec<PathBuf> = roots.filter(|root| !whole.iter().any(|path| path.starts_with(root))).collect();
    whole.extend(rest);
    let mut keys = Vec::new();
    for path in &whole {
        let listed = path.read_dir().map(drop);
        if let Err(error) = listed {
            let reason = match error.kind() {
                std::io::ErrorKind::NotADirectory => "is not a folder".to_owned(),
                _ => unreadable(&error),
            };
            return Err(SourceProblem::new(search.display_path(path), reason));
        }
        keys.push(search.folder_key(path));
        search.take_files(path, None);
    }
    let unread = search.unread.iter().map(|path| search.key(path)).collect();
    Ok(Folders { found: search.into_discovery(), keys, unread })
}

fn discover_in(folder: &Path, arguments: &[String], options: &DiscoverOptions) -> Discovery {
    let mut search = FileSearch::new(folder, options);
    let paths: Vec<PathBuf> = arguments.iter().map(|argument| clean(&folder.join(argument))).collect();
    for (argument, path) in arguments.iter().zip(&paths) {
        search.take_argument(argument, path);
    }
    let whole: Vec<PathBuf> = search.roots.iter().map(|(_, root)| root.clone()).collect();
    for root in whole.iter().filter(|root| !paths.iter().any(|path| path.starts_with(root))) {
        search.take_argument(&root.to_string_lossy(), root);
    }
    search.into_discovery()
}

#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
struct FileSearch<'a> {
    folder: &'a Path,
    root: PathBuf,
    roots: Vec<(String, PathBuf)>,
    include: GlobSet,
    exclude: GlobSet,
    includes_all: bool,
    follow: bool,
    no_ignore: bool,
    pictures: bool,
    ignored: usize,
    files: BTreeMap<String, PathBuf>,
    /// Whether a symbolic link was met: a file may have been found under two names.
    links: bool,
    skipped: Vec<SourceProblem>,
    refused: Vec<SourceProblem>,
    problems: Vec<SourceProblem>,
    unread: Vec<PathBuf>,
}

impl<'a> FileSearch<'a> {
    fn new(folder: &'a Path, options: &DiscoverOptions) -> Self {
        let mut problems = Vec::new();
        let roots =
            options.sources.iter().map(|(name, path)| (name.clone(), clean(&folder.join(path)))).collect();
        Self {
            folder,
            root: options.root.as_deref().map_or_else(|| folder.to_path_buf(), clean),
            roots,
            include: patterns(&options.include, &mut problems),
            exclude: patterns(&options.exclude, &mut problems),
            includes_all: options.include.is_empty(),
            follow: options.follow,
            no_ignore: options.no_ignore,
            pictures: options.pictures,
            ignored: 0,
            files: BTreeMap::new(),
            links: false,
            skipped: Vec::new(),
            refused: Vec::new(),
            problems,
            unread: Vec::new(),
        }
    }

    fn into_discovery(mut self) -> Discovery {
        if self.links {
            self.read_each_once();
        }
        let files = self.files.into_iter().map(|(key, path)| SourceFile { path, key }).collect();
        self.skipped.sort_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
        self.skipped.dedup();
        Discovery {
            files,
            problems: self.problems,
            refused: self.refused,
            skipped: self.skipped,
            ignored: self.ignored,
        }
    }

    /// Leaves out what links to a file that is read by its own name, or by an earlier one.
    fn read_each_once(&mut self) {
        let mut by_file: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for (key, path) in &self.files {
            if let Ok(file) = path.canonicalize() {
                by_file.entry(file).or_default().push(key.clone());
            }
        }
        for (file, mut keys) in by_file.into_iter().filter(|(_, keys)| keys.len() > 1) {
            // its own name is the one that ends as the file's place does
            let likeness = |key: &String| self.files.get(key).map_or(0, |path| common_end(path, &file));
            keys.sort_by_key(|key| std::cmp::Reverse(likeness(key)));
            let Some((own, links)) = keys.split_first() else { continue };
            for link in links {
                if let Some(path) = self.files.remove(link) {
                    let reason = format!("is the same file as {own}; read once");
                    self.skipped.push(SourceProblem::new(self.display_path(&path), reason));
                }
            }
        }
    }
}

impl FileSearch<'_> {
    fn take_argument(&mut self, argument: &str, path: &Path) {
        match path.metadata() {
            Ok(known) if known.is_dir() => self.take_folder(path, None),
            Ok(known) if !known.is_file() => self.refuse(path, "is not a regular file"),
            Ok(_) if !is_readable(path, self.pictures) => {
                let problem = SourceProblem::new(self.display_path(path), refusal(path));
                if !self.refused.contains(&problem) {
                    self.refused.push(problem);
                }
            }
            Ok(_) => {
                self.links |= path.canonicalize().is_ok_and(|file| file != path);
                let name = path.file_name().map(PathBuf::from).unwrap_or_default();
                let key = self.key(path);
                if !matches(&self.exclude, &key, &name) {
                    self.add_or_note(path, key);
                }
            }
            Err(error) if is_link(path) => self.refuse(path, broken_link(path, &error)),
            Err(_) if argument.contains(['*', '?', '[', '{']) => self.take_pattern(argument, path),
            Err(error) => self.refuse(path, unreadable(&error)),
        }
    }

    /// Takes what a glob names: everything below the last folder before its first special character that matches.
    fn take_pattern(&mut self, argument: &str, path: &Path) {
        let is_plain =
            |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
        let base: PathBuf = path.components().take_while(is_plain).collect();
        let pattern = slashed(path.strip_prefix(&base).unwrap_or(path));
        match GlobBuilder::new(&pattern).literal_separator(true).build() {
            Err(error) => {
                self.refuse(Path::new(argument), format!("is not a valid pattern: {}", error.kind()));
            }
            Ok(_) if !base.is_dir() => self.refuse(Path::new(argument), "no file matches this pattern"),
            Ok(glob) => self.take_folder(&base, Some((argument, &glob))),
        }
    }

    fn take_folder(&mut self, root: &Path, pattern: Option<(&str, &Glob)>) {
        let (found, skipped) = self.take_files(root, pattern.map(|(_, glob)| glob));
        if found == 0 {
            let passed_over = note_of(&skipped).map(|note| format!("; {note}")).unwrap_or_default();
            match pattern {
                Some((argument, _)) => {
                    let reason = format!("no file matches this pattern; wanted {KNOWN_KINDS}{passed_over}");
                    self.refuse(Path::new(argument), reason);
                }
                None => self.refuse(
                    root,
                    format!("the folder holds nothing to index; wanted {KNOWN_KINDS}{passed_over}"),
                ),
            }
        }
    }

    /// Takes the files below a folder. Returns their number and those passed over, by extension.
    fn take_files(&mut self, root: &Path, glob: Option<&Glob>) -> (usize, BTreeMap<String, usize>) {
        let glob = glob.map(Glob::compile_matcher);
        let skipped_before = self.skipped.len();
        let mut found = 0_usize;
        let real_root = root.canonicalize().ok();
        let walk = WalkDir::new(root).follow_links(true).max_depth(DEEPEST).sort_by_file_name();
        let mut entries = walk.into_iter();
        let mut ignored = (!self.no_ignore).then(|| Ignored::above(root));
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.report(root, &error);
                    continue;
                }
            };
            self.links |= entry.path_is_symlink();
            let below = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_path_buf();
            let key = self.key(entry.path());
            if entry.depth() > 0 && (is_hidden(&entry) || matches(&self.exclude, &key, &below)) {
                if entry.file_type().is_dir() {
                    entries.skip_current_dir();
                }
                continue;
            }
            if let Some(ignored) = &mut ignored {
                let is_folder = entry.file_type().is_dir();
                ignored.come_to(entry.depth());
                if entry.depth() > 0 && ignored.holds(entry.path(), is_folder) {
                    self.ignored += 1;
                    if is_folder {
                        entries.skip_current_dir();
                    }
                    continue;
                }
                if is_folder {
                    ignored.enter(entry.path(), entry.depth());
                }
            }
            if entry.depth() > 0 && self.leads_out(&entry, real_root.as_deref()) {
                self.pass_over_link(entry.path());
                if entry.file_type().is_dir() {
                    entries.skip_current_dir();
                }
                continue;
            }
            let is_wanted = entry.file_type().is_file()
                && glob.as_ref().is_none_or(|glob| glob.is_match(slashed(&below)))
                && (self.includes_all || matches(&self.include, &key, &below));
            if !is_wanted {
                continue;
            }
            if is_side_file(entry.path()) {
                continue;
            }
            let passed_over = if is_log(entry.path()) && self.includes_all && glob.is_none() {
                Some(LOG.to_owned())
            } else {
                (!is_readable(entry.path(), self.pictures)).then(|| unknown_type(entry.path()))
            };
            if let Some(reason) = passed_over {
                self.skipped.push(SourceProblem::new(self.display_path(entry.path()), reason));
                continue;
            }
            found += 1;
            self.add_or_note(entry.path(), key);
        }
        let skipped = self.skipped.get(skipped_before..).unwrap_or_default();
        (found, by_extension(skipped.iter().map(|skipped| skipped.path.as_path())))
    }

    fn report(&mut self, root: &Path, error: &walkdir::Error) {
        let path = error.path().unwrap_or(root).to_path_buf();
        let reason = match (error.loop_ancestor(), error.io_error()) {
            (Some(ancestor), _) => {
                format!("is a symbolic link back to {}; passed over", self.display_path(ancestor).display())
            }
            (None, Some(io)) if is_link(&path) => broken_link(&path, io),
            (None, Some(io)) => unreadable(io),
            (None, None) => "cannot be read".into(),
        };
        self.refuse(&path, reason);
        self.unread.push(path);
    }

    /// Whether an entry is a link out of the folder that is walked, and such are not followed.
    fn leads_out(&self, entry: &DirEntry, real_root: Option<&Path>) -> bool {
        if self.follow || !entry.path_is_symlink() {
            return false;
        }
        let target = entry.path().canonicalize().ok();
        !target.zip(real_root).is_some_and(|(target, root)| target.starts_with(root))
    }

    fn pass_over_link(&mut self, path: &Path) {
        let target = path.read_link().map(|target| target.display().to_string()).unwrap_or_default();
        self.refuse(
            path,
            format!("is a symbolic link out of the folder, to {target}; passed over, --follow reads it"),
        );
        // a sync does not know what lies there, so it takes nothing out that was read through it
        self.unread.push(path.to_path_buf());
    }

    fn refuse(&mut self, path: &Path, reason: impl Into<String>) {
        let problem = SourceProblem::new(self.display_path(path), reason);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Adds a file; one that is empty is told of, and what is stored of it stays.
    fn add_or_note(&mut self, path: &Path, key: String) {
        if path.metadata().is_ok_and(|known| known.len() == 0) {
            self.skipped.push(SourceProblem::new(
                self.display_path(path),
                format!("{EMPTY}; there is nothing to index"),
            ));
            self.unread.push(path.to_path_buf());
        } else {
            self.add(path, key);
        }
    }

    fn add(&mut self, path: &Path, key: String) {
        if breaks_lines(&key) {
            let path = PathBuf::from(path.display().to_string().replace(is_line_break, " "));
            return self.refuse(&path, LINE_BREAK);
        }
        match self.files.get(&key) {
            Some(other) if other != path => {
                let reason =
                    format!("has the same key {key:?} as {}; name the sources apart", other.display());
                self.refuse(path, reason);
            }
            Some(_) => {}
            None => {
                self.files.insert(key, path.to_path_buf());
            }
        }
    }

    /// The path as a user would write it here.
    fn display_path(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(self.folder) {
            Ok(inside) if !inside.as_os_str().is_empty() => inside.to_path_buf(),
            _ => path.to_path_buf(),
        }
    }

    /// What the keys of all files in a folder begin with.
    fn folder_key(&self, path: &Path) -> String {
        match self.roots.iter().find(|(_, root)| root == path) {
            Some((name, _)) => name.clone(),
            None => self.key(path),
        }
    }

    fn key(&self, path: &Path) -> String {
        let named = self.roots.iter().filter(|(_, root)| path.starts_with(root));
        if let Some((name, root)) = named.max_by_key(|(_, root)| root.components().count()) {
            let below = path.strip_prefix(root).map(slashed).unwrap_or_default();
            let file =
                || path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
            return format!("{name}/{}", if below.is_empty() { file() } else { below });
        }
        path.strip_prefix(&self.root).map_or_else(|_| slashed(path), slashed)
    }
}

/// Compiles globs; a wrong one is a problem of its own.
fn patterns(globs: &[String], problems: &mut Vec<SourceProblem>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        match GlobBuilder::new(glob.trim_start_matches("./").trim_end_matches('/'))
            .literal_separator(true)
            .build()
        {
            Ok(glob) => {
                set.add(glob);
            }
            Err(error) => {
                problems.push(SourceProblem::new(glob, format!("is not a valid pattern: {}", error.kind())));
            }
        }
    }
    set.build().unwrap_or_default()
}

fn matches(set: &GlobSet, key: &str, below: &Path) -> bool {
    !set.is_empty()
        && (set.is_match(key)
            || set.is_match(slashed(below))
            || below.components().any(|part| set.is_match(Path::new(part.as_os_str()))))
}

/// Why a log is passed over in a folder.
const LOG: &str = "is a log, which is read where it is named itself or --include names its type";

/// Whether a file is of a kind that can be read: by its name, else by how it begins.
fn is_readable(path: &Path, pictures: bool) -> bool {
    if let Some(kind) = FileKind::of(path) {
        return pictures || kind != FileKind::Picture;
    }
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
    read.is_ok() && begins_known(path, &head)
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with('.')
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|known| known.file_type().is_symlink())
}

/// Why a symbolic link leads nowhere.
fn broken_link(path: &Path, error: &std::io::Error) -> String {
    let target = path.read_link().map(|target| target.display().to_string()).unwrap_or_default();
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("is a symbolic link to {target}, which does not exist"),
        std::io::ErrorKind::PermissionDenied => unreadable(error),
        _ => format!("is a symbolic link to {target}, which leads in a circle"),
    }
}

/// A path without `.` and `..`, by its text alone.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                cleaned.pop();
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}

/// A path with `/` between its parts.
fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// How many last parts of two paths are the same.
fn common_end(one: &Path, other: &Path) -> usize {
    one.components().rev().zip(other.components().rev()).take_while(|(one, other)| one == other).count()
}

fn by_extension<'a>(paths: impl Iterator<Item = &'a Path>) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths {
        *counts.entry(extension(path)).or_default() += 1;
    }
    counts
}

/// One line about files that were passed over, by extension.
pub(super) fn note_of(skipped: &BTreeMap<String, usize>) -> Option<String> {
    let parts: Vec<String> = skipped
        .iter()
        .map(|(extension, count)| match extension.as_str() {
            "" => format!("{count} without a type"),
            extension => format!("{count} .{extension}"),
        })
        .collect();
    (!parts.is_empty()).then(|| format!("skipped {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Place {
        folder: tempfile::TempDir,
    }

    impl Place {
        fn with(files: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for file in files {
                let path = folder.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "text").unwrap();
            }
            Self { folder }
        }

        fn find(&self, arguments: &[&str], options: &DiscoverOptions) -> Discovery {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            discover_in(self.folder.path(), &arguments, options)
        }

        fn check(&self, arguments: &[&str], options: &DiscoverOptions, keys: &[&str], problems: &[&str]) {
            let found = self.find(arguments, options);
            assert_eq!(found.files.iter().map(|file| file.key.as_str()).collect::<Vec<_>>(), keys);
            let shown: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
            assert_eq!(shown.len(), problems.len(), "{shown:?}");
            for (shown, part) in shown.iter().zip(problems) {
                assert!(shown.contains(part), "{shown}");
            }
        }
    }

    #[test]
    fn a_file_has_one_key_however_it_is_reached() {
        let place = Place::with(&["d/a.txt", "d/sub/b.md", "c.html"]);
        let plain = DiscoverOptions::default();
        place.check(&["d"], &plain, &["d/a.txt", "d/sub/b.md"], &[]);
        place.check(&["d/a.txt", "./d/../d/a.txt", "d"], &plain, &["d/a.txt", "d/sub/b.md"], &[]);
        place.check(&["."], &plain, &["c.html", "d/a.txt", "d/sub/b.md"], &[]);
        let whole = place.folder.path().join("d/a.txt");
        place.check(&[whole.to_str().unwrap()], &plain, &["d/a.txt"], &[]);
        let outside = Place::with(&[]);
        outside.check(&[whole.to_str().unwrap()], &plain, &[whole.to_str().unwrap()], &[]);
        let folder = place.folder.path().join("d/sub");
        outside.check(&[folder.to_str().unwrap()], &plain, &[folder.join("b.md").to_str().unwrap()], &[]);
    }

    #[test]
    fn what_gitignore_names_is_left_out_and_told() {
        let place = Place::with(&[
            "docs/.git/HEAD",
            "docs/a.md",
            "docs/build/b.md",
            "docs/notes/c.md",
            "docs/notes/keep.log.md",
            "docs/notes/drop.log.md",
            "docs/node_modules/d/e.md",
            "docs/notes/deep/secret.txt",
            "docs/deep/secret.txt",
        ]);
        let write = |file: &str, text: &str| fs::write(place.folder.path().join(file), text).unwrap();
        write("docs/.gitignore", "build/\n*.log.md\n/deep/secret.txt\n");
        write("docs/notes/.gitignore", "!keep.log.md\n");
        let plain = DiscoverOptions::default();
        let kept = ["docs/a.md", "docs/notes/c.md", "docs/notes/deep/secret.txt", "docs/notes/keep.log.md"];
        place.check(&["docs"], &plain, &kept, &[]);
        assert!(place.find(&["docs"], &plain).notes().concat().contains("left out 4 places"));
        // the patterns above the folder hold as well, up to the repository's top
        let below = ["docs/notes/c.md", "docs/notes/deep/secret.txt", "docs/notes/keep.log.md"];
        place.check(&["docs/notes"], &plain, &below, &[]);
        // what is given by name is read
        place.check(&["docs/build/b.md", "docs/build"], &plain, &["docs/build/b.md"], &[]);
        let all = DiscoverOptions { no_ignore: true, ..DiscoverOptions::default() };
        assert_eq!(place.find(&["docs"], &all).files.len(), 8);
        // without a repository, a folder's own patterns hold
        fs::remove_dir_all(place.folder.path().join("docs/.git")).unwrap();
        let below = [
            "docs/notes/c.md",
            "docs/notes/deep/secret.txt",
            "docs/notes/drop.log.md",
            "docs/notes/keep.log.md",
        ];
        place.check(&["docs/notes"], &plain, &below, &[]);
    }

    #[test]
    fn globs_name_files_and_filters_choose() {
        let place = Place::with(&["docs/a.md", "docs/x/b.md", "docs/x/c.txt", "docs/old/d.md", "[1]/e.txt"]);
        let plain = DiscoverOptions::default();
        place.check(&["docs/**/*.md"], &plain, &["docs/a.md", "docs/old/d.md", "docs/x/b.md"], &[]);
        place.check(&["docs/*.md"], &plain, &["docs/a.md"], &[]);
        place.check(&["docs/*/*.{md,txt}"], &plain, &["docs/old/d.md", "docs/x/b.md", "docs/x/c.txt"], &[]);
        place.check(&["[1]"], &plain, &["[1]/e.txt"], &[]);
        place.check(&["docs/*.csv"], &plain, &[], &["docs/*.csv: no file matches"]);
        place.check(&["none/*.md"], &plain, &[], &["none/*.md: no file matches"]);
        place.check(&["docs/[a"], &plain, &[], &["docs/[a: is not a valid pattern"]);
        let options = DiscoverOptions {
            include: vec!["*.md".into()],
            exclude: vec!["old".into(), "docs/x/**".into()],
            ..DiscoverOptions::default()
        };
        place.check(&["docs"], &options, &["docs/a.md"], &[]);
    }

    #[test]
    fn named_sources_give_keys_and_are_taken_whole() {
        let place = Place::with(&["d/a.txt", "d/sub/b.md", "e.txt"]);
        let options =
            DiscoverOptions { sources: vec![("wiki".into(), "d".into())], ..DiscoverOptions::default() };
        place.check(&[], &options, &["wiki/a.txt", "wiki/sub/b.md"], &[]);
        place.check(&["d/sub", "e.txt"], &options, &["e.txt", "wiki/sub/b.md"], &[]);
        let file =
            DiscoverOptions { sources: vec![("wiki".into(), "e.txt".into())], ..DiscoverOptions::default() };
        place.check(&[], &file, &["wiki/e.txt"], &[]);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let place = Place::with(&["a.png", "noext", "d/b.tiff", "d/.hidden.txt", "d/.git/x.txt", "ok.txt"]);
        fs::create_dir(place.folder.path().join("empty")).unwrap();
        let plain = DiscoverOptions::default();
        place.check(
            &["a.png", "noext", "gone.txt", "empty", "d", "ok.txt"],
            &plain,
            &["ok.txt"],
            &[
                "gone.txt: no such file or folder",
                "empty: the folder holds nothing to index",
                "d: the folder holds nothing to index; wanted txt, md, html, json, jsonl, csv, pdf",
            ],
        );
        let named = place.find(&["a.png", "noext", "ok.txt"], &plain);
        let refused: Vec<String> = named.messages().collect();
        assert_eq!(refused.len(), 2, "{refused:?}");
        assert!(refused[0].starts_with("a.png: is a picture (.png), which is read where [documents] ocr is"));
        assert!(refused[1].starts_with("noext: has no file type"));
    }

    #[test]
    fn every_skipped_file_is_named_with_its_reason() {
        let place = Place::with(&["a.png", "noext", "d/b.tiff", "d/c.log", "ok.txt"]);
        fs::write(place.folder.path().join("d/void.txt"), "").unwrap();
        let found = place.find(&["."], &DiscoverOptions::default());
        let (keys, notes): (Vec<&str>, _) =
            (found.files.iter().map(|f| f.key.as_str()).collect(), found.notes());
        assert_eq!((keys, notes.len(), found.messages().count()), (vec!["ok.txt"], 6, 0), "{notes:?}");
        let logs = place
            .find(&["."], &DiscoverOptions { include: vec!["*.log".into()], ..DiscoverOptions::default() });
        assert_eq!(logs.files.iter().map(|f| f.key.as_str()).collect::<Vec<_>>(), ["d/c.log"]);
        assert_eq!(place.find(&["d/c.log"], &DiscoverOptions::default()).files.len(), 1);
        let expected = [
            "a.png: is a picture",
            "d/b.tiff: is ",
            "d/c.log: is a log",
            "d/void.txt: is empty",
            "noext: has no file type",
            "what can be indexed: txt",
        ];
        for (note, begins) in notes.iter().zip(expected) {
            assert!(note.starts_with(begins), "{note}");
        }
        for number in 0..250 {
            fs::write(place.folder.path().join(format!("d/{number}.bin")), "x").unwrap();
        }
        let notes = place.find(&["d"], &DiscoverOptions::default()).notes();
        assert_eq!(notes.len(), 202);
        assert!(notes[0].ends_with(".bin, which cannot be indexed"), "{}", notes[0]);
        assert!(
            notes[200].starts_with("and skipped 50 .bin, 1 .log, 1 .tiff, 1 empty more"),
            "{}",
            notes[200]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_and_links_to_it_are_one_document() {
        use std::os::unix::fs::symlink;
        let place = Place::with(&["d/sub/b.txt", "d/c.txt"]);
        let folder = place.folder.path();
        symlink("c.txt", folder.join("d/a.txt")).unwrap();
        symlink("sub", folder.join("d/other")).unwrap();
        let plain = DiscoverOptions::default();
        place.check(&["d"], &plain, &["d/c.txt", "d/sub/b.txt"], &[]);
        place.check(&["d/a.txt", "d/c.txt"], &plain, &["d/c.txt"], &[]);
        place.check(&["d/a.txt"], &plain, &["d/a.txt"], &[]);
        let notes = place.find(&["d"], &plain).notes();
        assert_eq!(
            notes,
            [
                "d/a.txt: is the same file as d/c.txt; read once",
                "d/other/b.txt: is the same file as d/sub/b.txt; read once"
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_named_and_followed_only_when_asked() {
        use std::os::unix::fs::symlink;
        let place = Place::with(&["d/a.txt", "d/sub/b.txt", "e/c.txt", "secret.txt"]);
        let folder = place.folder.path();
        symlink("sub", folder.join("d/within")).unwrap();
        symlink("../e", folder.join("d/out")).unwrap();
        symlink("../secret.txt", folder.join("d/link.txt")).unwrap();
        place.check(
            &["d"],
            &DiscoverOptions::default(),
            &["d/a.txt", "d/sub/b.txt"],
            &[
                "d/link.txt: is a symbolic link out of the folder, to ../secret.txt",
                "d/out: is a symbolic link out",
            ],
        );
        let follow = DiscoverOptions { follow: true, ..DiscoverOptions::default() };
        place.check(&["d"], &follow, &["d/a.txt", "d/link.txt", "d/out/c.txt", "d/sub/b.txt"], &[]);
        let folders = folders_in(folder, &["d".to_owned()], &DiscoverOptions::default()).unwrap();
        assert!(folders.may_hide("d/out/c.txt"), "a sync keeps what was read through it");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_but_for_loops() {
        use std::os::unix::fs::symlink;
        let place = Place::with(&["d/a.txt", "e/b.txt"]);
        let folder = place.folder.path();
        symlink(folder.join("d"), folder.join("d/loop")).unwrap();
        symlink(folder.join("e"), folder.join("d/e")).unwrap();
        symlink(folder.join("gone"), folder.join("d/broken.txt")).unwrap();
        symlink("self.txt", folder.join("self.txt")).unwrap();
        place.check(
            &["d", "self.txt"],
            &DiscoverOptions { follow: true, ..DiscoverOptions::default() },
            &["d/a.txt", "d/e/b.txt"],
            &[
                "d/broken.txt: is a symbolic link to",
                "d/loop: is a symbolic link back to d; passed over",
                "self.txt: is a symbolic link to self.txt, which leads in a circle",
            ],
        );
    }
}
