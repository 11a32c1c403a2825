//! What the program creates is for its owner alone: folders 0700, files 0600, less what the umask takes away besides.
//! What is there already keeps its mode; `doctor` names what others may read.

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

/// Options that make a file for its owner alone where it is missing.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
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

/// The folder and the files in it that others than their owner may read or write, with their modes; sorted.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn open_to_others(folder: &Path) -> io::Result<Vec<(PathBuf, u32)>> {
    let mut open = Vec::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut note = |path: &Path| -> io::Result<()> {
            let mode = path.symlink_metadata()?.permissions().mode() & 0o777;
            if mode & 0o077 != 0 && !path.is_symlink() {
                open.push((path.to_owned(), mode));
            }
            Ok(())
        };
        note(folder)?;
        for entry in folder.read_dir()? {
            note(&entry?.path())?;
        }
    }
    open.sort();
    Ok(open)
}
