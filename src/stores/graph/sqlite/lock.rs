//! The writer's lock: a file beside the database, locked by the operating system, so that it is free again
//! whatever way its holder ends.

use crate::private;
use crate::stores::{StoreError, StoreResult};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Held until it is dropped.
#[derive(Debug)]
pub(super) struct WriterLock {
    file: File,
}

impl WriterLock {
    /// Takes the lock of a database file and leaves `holder` in it, for others to read.
    ///
    /// # Errors
    /// [`StoreError::Held`] with the holder's text where somebody else has it.
    pub(super) fn take(database: &Path, workspace: &str, holder: &str) -> StoreResult<Self> {
        let path = lock_path(database);
        let unusable =
            |error: std::io::Error| StoreError::Unusable(format!("cannot lock {}: {error}", path.display()));
        let mut file =
            private::options().read(true).write(true).truncate(false).open(&path).map_err(unusable)?;
        // whoever can open it can hold it: one that an older program made is closed, where it is ours to close
        let _ = private::close_to_others(&file);
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = read_holder(&mut file);
                return Err(StoreError::Held { workspace: workspace.to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(unusable)?;
        file.write_all(holder.as_bytes()).map_err(unusable)?;
        Ok(Self { file })
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // closing the file frees it in any case; only the text would stay
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    PathBuf::from(path)
}

fn read_holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Ok(_) if !text.is_empty() => text,
        _ => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_hold_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("w.sqlite");
        let path = lock_path(&database);
        let mode = || path.metadata().unwrap().permissions().mode() & 0o777;
        drop(WriterLock::take(&database, "w", "first").unwrap());
        assert_eq!(mode(), 0o600);
        for (before, after) in [(0o644, 0o600), (0o664, 0o660), (0o660, 0o660)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(before)).unwrap();
            drop(WriterLock::take(&database, "w", "second").unwrap());
            assert_eq!(mode(), after, "{before:o}");
        }
    }

    #[test]
    fn the_second_is_told_who_the_first_is_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("w.sqlite");
        let first = WriterLock::take(&database, "w", "process 1 on one since noon").unwrap();
        let refused = WriterLock::take(&database, "w", "second").unwrap_err().to_string();
        assert!(refused.contains("being written by process 1 on one since noon"), "{refused}");
        drop(first);
        WriterLock::take(&database, "w", "second").unwrap();
    }
}
