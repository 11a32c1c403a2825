//! Files of settings and keys: small, and read whole. One that came with somebody else's project may be a link to a device
//! that never ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Most bytes of such a file.
pub(crate) const MOST_BYTES: u64 = 1_000_000;

/// The bytes of a file, or of what comes through a pipe, where they are at most 1 MB.
///
/// # Errors
/// It cannot be read, or is longer.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(File::open(path)?, MOST_BYTES)?.ok_or_else(|| {
        let most = MOST_BYTES / 1_000_000;
        io::Error::other(format!("it is too long; a file of at most {most} MB was wanted"))
    })
}

/// All bytes of something; `None` where they are more than so many.
///
/// # Errors
/// It cannot be read.
pub(crate) fn read_at_most(from: impl Read, most_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most_bytes).then_some(bytes))
}

/// A text of at most so many MB.
///
/// # Errors
/// It cannot be read, is longer, or is not UTF-8.
pub(crate) fn read_longer_text(path: &Path, most_mb: u64) -> io::Result<String> {
    longer_text(File::open(path)?, most_mb)
}

/// The text of standard input, of at most so many MB.
///
/// # Errors
/// As [`read_longer_text`].
pub(crate) fn read_stdin(most_mb: u64) -> io::Result<String> {
    longer_text(io::stdin().lock(), most_mb)
}

fn longer_text(from: impl Read, most_mb: u64) -> io::Result<String> {
    let bytes = read_at_most(from, most_mb.saturating_mul(1 << 20))?.ok_or_else(|| {
        io::Error::other(format!("it is too long; at most {most_mb} MB were wanted: split it"))
    })?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The same of a text.
///
/// # Errors
/// As [`read`]; it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path) -> String {
        read_text(path).unwrap_err().to_string()
    }

    #[test]
    fn what_is_too_long_is_refused_and_says_what_was_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings");
        assert_eq!(read(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::write(&path, vec![b'a'; 1_000_000]).unwrap();
        assert_eq!(read_text(&path).unwrap().len(), 1_000_000);
        std::fs::write(&path, vec![b'a'; 1_000_001]).unwrap();
        assert_eq!(refusal(&path), "it is too long; a file of at most 1 MB was wanted");
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(read(folder.path()).is_err());
    }

    #[test]
    fn a_longer_text_has_a_limit_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("questions");
        std::fs::write(&path, vec![b'a'; 1 << 20]).unwrap();
        assert_eq!(read_longer_text(&path, 1).unwrap().len(), 1 << 20);
        std::fs::write(&path, vec![b'a'; (1 << 20) + 1]).unwrap();
        assert!(read_longer_text(&path, 1).unwrap_err().to_string().contains("at most 1 MB"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_a_device_that_never_ends_is_not_read_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::fs::write(folder.path().join("theirs"), "key").unwrap();
        std::os::unix::fs::symlink("theirs", &link).unwrap();
        assert_eq!(read_text(&link).unwrap(), "key");
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        assert_eq!(refusal(&link), "it is too long; a file of at most 1 MB was wanted");
    }
}
