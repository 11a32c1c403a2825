//! Replies on disk: one SQLite file, safe under kill -9 and for several processes (write-ahead log).

use crate::private;
use crate::sqlite::{refusal, write_ahead};
use anyhow::{Context, Result, bail};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Name of the file in the data folder.
const FILE_NAME: &str = "llm-cache.sqlite";
/// Seconds after which a use is written down again.
const USE_GRAIN_S: i64 = 3600;
/// Longest wait for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(20);

/// 256 bits of BLAKE3 over everything that decides a reply.
pub(super) type Key = [u8; 32];

/// Replies of models by what was asked. Holds no questions and no keys.
#[derive(Debug)]
pub struct ReplyCache {
    path: PathBuf,
    connection: Mutex<Connection>,
    limit_bytes: u64,
    /// Bytes of all replies, as far as this process knows.
    bytes: AtomicU64,
}

impl ReplyCache {
    /// Opens the cache of a data folder, which is made where it is missing; at most `limit_mb` megabytes of replies
    /// are kept. A file that is no cache any more is put aside and begun anew.
    ///
    /// # Errors
    /// The folder or the file cannot be written; the file holds a view or a trigger.
    pub fn open(data_dir: &Path, limit_mb: u64) -> Result<Self> {
        private::create_dir_all(data_dir)
            .with_context(|| format!("cannot make the data folder {}", data_dir.display()))?;
        let path = data_dir.join(FILE_NAME);
        // where this fails, opening it says so better
        let _ = private::touch(&path);
        let connection = match connect(&path) {
            Err(error) if error.downcast_ref::<rusqlite::Error>().is_some_and(is_broken) => {
                put_aside(&path)?;
                connect(&path)
            }
            other => other,
        }
        .with_context(|| format!("cannot open the cache of replies {}", path.display()))?;
        let cache = Self {
            path,
            connection: Mutex::new(connection),
            limit_bytes: limit_mb.saturating_mul(1_000_000),
            bytes: AtomicU64::new(0),
        };
        let (_, bytes) = cache.size()?;
        cache.bytes.store(bytes, Ordering::Relaxed);
        Ok(cache)
    }

    /// Number of replies, and their bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn size(&self) -> Result<(u64, u64)> {
        let sizes =
            self.lock().query_row("SELECT count(*), coalesce(sum(size), 0) FROM replies", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            })?;
        Ok((sizes.0.unsigned_abs(), sizes.1.unsigned_abs()))
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes on disk, the write-ahead log included.
    pub fn file_bytes(&self) -> u64 {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        size(&self.path) + size(Path::new(&log))
    }

    /// Forgets replies that were not used for so long (to the hour), all of them for zero, and gives their space
    /// back. Returns how many. Other processes may use the cache meanwhile.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn clear(&self, unused_for: Duration) -> Result<u64> {
        let before = now().saturating_sub(i64::try_from(unused_for.as_secs()).unwrap_or(i64::MAX));
        self.clear_before(before).with_context(|| format!("cannot clear {}", self.path.display()))
    }

    fn clear_before(&self, time: i64) -> rusqlite::Result<u64> {
        let connection = self.lock();
        let forgotten = connection.execute("DELETE FROM replies WHERE used <= ?1", params![time])?;
        // gives back a page a step
        let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
        let mut pages = vacuum.query([])?;
        while pages.next()?.is_some() {}
        drop(pages);
        drop(vacuum);
        // somebody else who reads keeps the log from being cut; the next one cuts it
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        let left: i64 =
            connection.query_row("SELECT coalesce(sum(size), 0) FROM replies", [], |row| row.get(0))?;
        self.bytes.store(left.unsigned_abs(), Ordering::Relaxed);
        Ok(forgotten as u64)
    }

    /// What is kept under each key, without holding up other tasks. A cache that cannot be read is an empty one.
    pub(super) async fn get(self: &Arc<Self>, keys: Vec<Key>) -> Vec<Option<Vec<u8>>> {
        self.read_at(keys, now()).await
    }

    /// The same without a note that it was used.
    pub(super) async fn peek(self: &Arc<Self>, keys: Vec<Key>) -> Vec<Option<Vec<u8>>> {
        // at no time is a use old enough to be written down again
        self.read_at(keys, 0).await
    }

    async fn read_at(self: &Arc<Self>, keys: Vec<Key>, now: i64) -> Vec<Option<Vec<u8>>> {
        let count = keys.len();
        let cache = Arc::clone(self);
        let found = tokio::task::spawn_blocking(move || cache.read(&keys, now)).await;
        match found {
            Ok(Ok(values)) => values,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the cache of replies cannot be read");
                vec![None; count]
            }
            Err(_) => vec![None; count],
        }
    }

    /// Keeps values, without holding up other tasks. Goes on where the caller is dropped; where it fails, the reply
    /// is asked for again some day.
    pub(super) async fn put(self: &Arc<Self>, entries: Vec<(Key, Vec<u8>)>) {
        let cache = Arc::clone(self);
        let written = tokio::task::spawn_blocking(move || cache.write(&entries, now())).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "the cache of replies cannot be written");
        }
    }

    fn read(&self, keys: &[Key], now: i64) -> rusqlite::Result<Vec<Option<Vec<u8>>>> {
        let connection = self.lock();
        let mut select = connection.prepare_cached("SELECT value, used FROM replies WHERE key = ?1")?;
        let mut touch = connection.prepare_cached("UPDATE replies SET used = ?2 WHERE key = ?1")?;
        keys.iter()
            .map(|key| {
                let row: Option<(Vec<u8>, i64)> =
                    select.query_row(params![key], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
                if let Some((_, used)) = &row
                    && now - used > USE_GRAIN_S
                {
                    touch.execute(params![key, now])?;
                }
                Ok(row.map(|(value, _)| value))
            })
            .collect()
    }

    fn write(&self, entries: &[(Key, Vec<u8>)], now: i64) -> rusqlite::Result<()> {
        let mut connection = self.lock();
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut added = 0;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO replies (key, value, size, used) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO NOTHING",
            )?;
            for (key, value) in entries {
                let size = i64::try_from(value.len()).unwrap_or(i64::MAX);
                if insert.execute(params![key, value, size, now])? > 0 {
                    added += value.len() as u64;
                }
            }
        }
        let mut bytes = self.bytes.load(Ordering::Relaxed) + added;
        if bytes > self.limit_bytes {
            bytes = make_room(&transaction, self.limit_bytes / 10 * 9)?;
        }
        transaction.commit()?;
        self.bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    write_ahead(&connection, BUSY_TIMEOUT)?;
    if let Some(refused) = refusal(&connection, path, "move it away to begin anew")? {
        bail!(refused);
    }
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF;
         CREATE TABLE IF NOT EXISTS replies (
             key BLOB PRIMARY KEY, value BLOB NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL);
         CREATE INDEX IF NOT EXISTS replies_by_use ON replies (used, size);",
    )?;
    Ok(connection)
}

/// Drops what was not used for longest until at most so many bytes are left; tells how many are.
fn make_room(connection: &Connection, target_bytes: u64) -> rusqlite::Result<u64> {
    let total: i64 =
        connection.query_row("SELECT coalesce(sum(size), 0) FROM replies", [], |row| row.get(0))?;
    let mut bytes = total.unsigned_abs();
    let mut oldest = connection.prepare("SELECT rowid, size FROM replies ORDER BY used, size, rowid")?;
    let mut delete = connection.prepare("DELETE FROM replies WHERE rowid = ?1")?;
    let mut dropped: Vec<i64> = Vec::new();
    let mut rows = oldest.query([])?;
    while bytes > target_bytes
        && let Some(row) = rows.next()?
    {
        dropped.push(row.get(0)?);
        bytes = bytes.saturating_sub(row.get::<_, i64>(1)?.unsigned_abs());
    }
    for row in dropped {
        delete.execute([row])?;
    }
    Ok(bytes)
}

fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

fn put_aside(path: &Path) -> Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".broken");
    let aside = PathBuf::from(aside);
    tracing::warn!(file = %path.display(), "no cache of replies any more; put aside");
    std::fs::rename(path, &aside).with_context(|| format!("cannot put {} aside", path.display()))?;
    for end in ["-wal", "-shm"] {
        let mut side_file = path.as_os_str().to_owned();
        side_file.push(end);
        // there may be none
        let _ = std::fs::remove_file(side_file);
    }
    Ok(())
}

fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> Key {
        [number; 32]
    }

    #[test]
    fn what_one_writes_another_reads() {
        let folder = tempfile::tempdir().unwrap();
        let one = ReplyCache::open(folder.path(), 1).unwrap();
        let other = ReplyCache::open(folder.path(), 1).unwrap();
        one.write(&[(key(1), b"a".to_vec())], 0).unwrap();
        other.write(&[(key(1), b"b".to_vec()), (key(2), b"c".to_vec())], 0).unwrap();
        let read = one.read(&[key(2), key(3), key(1)], 0).unwrap();
        assert_eq!(read, [Some(b"c".to_vec()), None, Some(b"a".to_vec())]);
        assert_eq!(one.size().unwrap(), (2, 2));
        assert_eq!(one.clear(Duration::ZERO).unwrap(), 2);
        assert_eq!(other.size().unwrap(), (0, 0));
    }

    #[test]
    fn what_a_schema_asks_for_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ReplyCache::open(folder.path(), 1).unwrap();
        let trusted = cache.lock().query_row("PRAGMA trusted_schema", [], |row| row.get::<_, bool>(0));
        assert!(!trusted.unwrap());
    }

    #[test]
    fn a_file_with_a_view_or_a_trigger_is_refused() {
        for made in [
            "CREATE TRIGGER theirs AFTER INSERT ON replies BEGIN DELETE FROM replies; END",
            "CREATE VIEW theirs AS SELECT key FROM replies",
        ] {
            let folder = tempfile::tempdir().unwrap();
            drop(ReplyCache::open(folder.path(), 1).unwrap());
            Connection::open(folder.path().join(FILE_NAME)).unwrap().execute_batch(made).unwrap();
            let told = format!("{:#}", ReplyCache::open(folder.path(), 1).unwrap_err());
            assert!(told.contains("\"theirs\"") && told.contains(FILE_NAME), "{told}");
        }
    }

    #[test]
    fn what_was_used_lately_stays_when_the_old_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ReplyCache::open(folder.path(), 1).unwrap();
        for (number, used) in [(1, 1000), (2, 90_000), (3, 100_000)] {
            cache.write(&[(key(number), vec![0; 50_000])], used).unwrap();
        }
        let large = cache.file_bytes();
        assert!(cache.read(&[key(1)], 100_000).unwrap()[0].is_some(), "used once more");
        assert_eq!(cache.clear_before(95_000).unwrap(), 1);
        let left = cache.read(&[1, 2, 3].map(key), 100_000).unwrap();
        assert_eq!(left.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(cache.clear_before(i64::MAX).unwrap(), 2);
        assert!(cache.file_bytes() < large / 2, "space is given back: {} of {large}", cache.file_bytes());
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ReplyCache::open(folder.path(), 1).unwrap();
        for number in 0..9 {
            cache.write(&[(key(number), vec![0; 100_000])], i64::from(number)).unwrap();
        }
        assert!(cache.read(&[key(0)], 9000).unwrap()[0].is_some());
        cache.write(&[(key(9), vec![0; 200_000])], 9001).unwrap();
        let left: Vec<bool> =
            cache.read(&[0, 1, 2, 3, 9].map(key), 9002).unwrap().iter().map(Option::is_some).collect();
        assert_eq!(left, [true, false, false, true, true]);
        assert!(cache.size().unwrap().1 <= 900_000);
    }

    #[test]
    fn a_broken_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE_NAME), "no database at all, but long enough".repeat(100))
            .unwrap();
        let cache = ReplyCache::open(folder.path(), 1).unwrap();
        cache.write(&[(key(1), b"a".to_vec())], 0).unwrap();
        assert_eq!(cache.size().unwrap().0, 1);
        assert!(folder.path().join("llm-cache.sqlite.broken").exists());
    }

    #[test]
    fn several_writers_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for part in 0..4_u8 {
                let path = folder.path();
                scope.spawn(move || {
                    let cache = ReplyCache::open(path, 1).unwrap();
                    for number in 0..25 {
                        cache.write(&[(key(part * 25 + number), vec![part])], 0).unwrap();
                    }
                });
            }
        });
        assert_eq!(ReplyCache::open(folder.path(), 1).unwrap().size().unwrap().0, 100);
    }
}
