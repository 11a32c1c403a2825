//! What the program creates is for its owner alone: folders 0700, files 0600, less what the umask takes away besides.
//! What is there already keeps its mode; `doctor` names what others may read.

use crate::small_file::read_at_most;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Makes a folder, and those above it, where they are missing.
///
/// # Errors
/// As [`std::fs::create_dir_all`].
pub(crate) fn create_dir_all(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Options that make a file for its owner alone where it is missing. A link in its place is an error: in a folder that
/// came from elsewhere it would lead to a file of ours.
pub(crate) fn options() -> OpenOptions {
    let mut options = through_links();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
    options
}

fn through_links() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes the file that a person named, or empties it; links are followed, as a shell does.
///
/// # Errors
/// As [`File::create`].
pub(crate) fn create_named(path: &Path) -> io::Result<File> {
    through_links().write(true).truncate(true).open(path)
}

/// Writes the file that a person named; links are followed.
///
/// # Errors
/// As [`std::fs::write`].
pub(crate) fn write_named(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_named(path)?.write_all(bytes)
}

/// Refuses a link, for what opens a file or a folder without asking.
///
/// # Errors
/// The path is a link.
pub(crate) fn refuse_link(path: &Path) -> io::Result<()> {
    if path.is_symlink() {
        return Err(io::Error::other(
            "is a link, which is not followed inside a data folder; give the folder that it leads to with --data",
        ));
    }
    Ok(())
}

/// Refuses links among the folders between a data folder and one inside it, which may not be there yet.
///
/// # Errors
/// One of them is a link, which is named.
pub(crate) fn refuse_links_between(data: &Path, folder: &Path) -> io::Result<()> {
    let mut at = data.to_owned();
    for part in folder.strip_prefix(data).unwrap_or(Path::new("")).components() {
        at.push(part);
        refuse_link(&at).map_err(|error| io::Error::other(format!("{} {error}", at.display())))?;
    }
    Ok(())
}

/// Reads a file inside a data folder that we wrote: so many bytes at most, and no link, pipe or device.
///
/// # Errors
/// It cannot be read, is no plain file, or is longer.
pub(crate) fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    // a pipe that nobody writes to would be waited for
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no plain file, as what lies in a data folder is"));
    }
    read_at_most(file, most_bytes)?.ok_or_else(|| {
        io::Error::other(format!("it is longer than the {} MB that it may be", most_bytes >> 20))
    })
}

/// The same of a text.
///
/// # Errors
/// As [`read`]; it is not UTF-8.
pub(crate) fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, most_bytes)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Makes a file, or empties the one that is there.
///
/// # Errors
/// As [`File::create`].
pub(crate) fn create(path: &Path) -> io::Result<File> {
    options().write(true).truncate(true).open(path)
}

/// Writes a text file, in place of the one that is there.
///
/// # Errors
/// As [`std::fs::write`].
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    create(path)?.write_all(text.as_bytes())
}

/// Makes an empty file where it is missing, before a library that knows no modes opens it.
///
/// # Errors
/// The file can neither be made nor opened.
pub(crate) fn touch(path: &Path) -> io::Result<()> {
    options().append(true).open(path).map(drop)
}

/// Takes from others what a file of ours allows them, but from a group that may write: that was given on purpose.
pub(crate) fn close_to_others(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut permissions = file.metadata()?.permissions();
        let mode = permissions.mode();
        let kept = if mode & 0o020 == 0 { mode & !0o077 } else { mode & !0o007 };
        if kept != mode {
            permissions.set_mode(kept);
            return file.set_permissions(permissions);
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Whether everybody may read or write a file; not where there is none.
pub(crate) fn is_open_to_all(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|known| known.permissions().mode() & 0o007 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// What others than its owner may read or write in a folder.
#[derive(Debug, Default)]
pub(crate) struct OpenEntries {
    /// The folder itself and what lies in it at any depth, with their modes; sorted.
    pub(crate) entries: Vec<(PathBuf, u32)>,
    /// Whether there is more in it than was looked at.
    pub(crate) has_more: bool,
}

/// What others may read or write in a folder. Of what lies in it so many entries are looked at, those nearest to the top
/// first; no link is followed, and what cannot be read is passed over.
///
/// # Errors
/// The folder itself cannot be read.
pub(crate) fn open_to_others(folder: &Path, most_entries: usize) -> io::Result<OpenEntries> {
    #[cfg(unix)]
    {
        use std::collections::VecDeque;
        use std::os::unix::fs::PermissionsExt;
        let paths_in = |folder: &Path| -> io::Result<Vec<PathBuf>> {
            folder.read_dir()?.take(most_entries + 1).map(|entry| Ok(entry?.path())).collect()
        };
        let mut entries = Vec::new();
        let mut note = |path: &Path, known: &std::fs::Metadata| {
            let mode = known.permissions().mode() & 0o777;
            if mode & 0o077 != 0 && !known.is_symlink() {
                entries.push((path.to_owned(), mode));
            }
        };
        note(folder, &folder.symlink_metadata()?);
        let mut waiting = VecDeque::from(paths_in(folder)?);
        for _ in 0..most_entries {
            let Some(path) = waiting.pop_front() else { break };
            let Ok(known) = path.symlink_metadata() else { continue };
            note(&path, &known);
            // more than is looked at need not wait
            if known.is_dir() && waiting.len() <= most_entries {
                waiting.extend(paths_in(&path).unwrap_or_default());
            }
        }
        entries.sort();
        Ok(OpenEntries { entries, has_more: !waiting.is_empty() })
    }
    #[cfg(not(unix))]
    {
        let _ = (folder, most_entries);
        Ok(OpenEntries::default())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_came_with_a_checkout_is_open_to_all_and_what_we_write_is_not() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        assert!(!is_open_to_all(&path));
        write(&path, "{}").unwrap();
        assert!(!is_open_to_all(&path));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(is_open_to_all(&path));
    }

    #[test]
    fn what_others_may_read_is_found_at_any_depth_and_not_behind_links() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (data, elsewhere) = (folder.path().join("data"), folder.path().join("elsewhere"));
        let deep = data.join("uploads/letters");
        for made in [&deep, &elsewhere] {
            create_dir_all(made).unwrap();
            for (name, mode) in [("closed", 0o600), ("open", 0o644)] {
                write(&made.join(name), "x").unwrap();
                std::fs::set_permissions(made.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        std::os::unix::fs::symlink(&elsewhere, data.join("link")).unwrap();
        let found = open_to_others(&data, 5).unwrap();
        assert_eq!((found.entries, found.has_more), (vec![(deep.join("open"), 0o644)], false));
        // the two of the data folder and the folder below: what lies there is more
        let found = open_to_others(&data, 3).unwrap();
        assert!(found.entries.is_empty() && found.has_more, "{found:?}");
        assert!(open_to_others(&folder.path().join("missing"), 5).is_err());
    }

    #[test]
    fn what_lies_in_a_data_folder_is_read_if_it_is_a_plain_file_that_is_no_longer_than_it_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write(&path("ours"), "abc").unwrap();
        assert_eq!(read_text(&path("ours"), 3).unwrap(), "abc");
        assert!(read(&path("ours"), 2).unwrap_err().to_string().contains("longer than"));
        std::os::unix::fs::symlink(path("ours"), path("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        assert!(read(&path("link"), 3).is_err() && read(&path("zero"), 3).is_err());
        assert!(read(Path::new("/dev/zero"), 3).unwrap_err().to_string().contains("no plain file"));
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        assert!(read(&path("pipe"), 3).unwrap_err().to_string().contains("no plain file"));
        assert_eq!(read(&path("none"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn links_between_a_data_folder_and_one_inside_it_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (data, theirs) = (folder.path().join("data"), folder.path().join("theirs"));
        for made in [&data, &theirs] {
            create_dir_all(made).unwrap();
        }
        refuse_links_between(&data, &data.join("eval/default")).unwrap();
        refuse_links_between(&data, &theirs).unwrap();
        std::os::unix::fs::symlink(&theirs, data.join("eval")).unwrap();
        let error = refuse_links_between(&data, &data.join("eval/default")).unwrap_err().to_string();
        assert!(error.contains("data/eval is a link") && error.contains("--data"), "{error}");
    }

    #[test]
    fn a_link_is_neither_emptied_nor_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let (theirs, link) = (folder.path().join("theirs"), folder.path().join("default.sqlite.lock"));
        std::fs::write(&theirs, "keys").unwrap();
        std::os::unix::fs::symlink(&theirs, &link).unwrap();
        assert!(create(&link).is_err() && write(&link, "x").is_err() && touch(&link).is_err());
        assert!(refuse_link(&link).is_err() && refuse_link(&theirs).is_ok());
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "keys");
        write_named(&link, b"as told").unwrap();
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "as told");
    }
}
