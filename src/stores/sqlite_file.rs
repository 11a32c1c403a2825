//! One SQLite file a workspace: the embedded graph store and the embedded vector store share it.
//!
//! One writer connection behind a mutex, a few reader connections beside it, all in WAL mode, so that readers never
//! wait for the writer. `synchronous = NORMAL` hands every commit to the operating system before it returns: a
//! killed process loses nothing that was committed, since the pages are the system's by then. Only a power failure
//! can take the last commits, and then whole ones from the end, so the file is never inconsistent.

use super::{StoreError, StoreResult};
use crate::private;
use crate::sqlite::{refusal, write_ahead};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, Semaphore};
use tokio::task::AbortHandle;

/// "grwr": tells our files from other programs' SQLite files.
const APPLICATION_ID: i32 = 0x6772_7772;
const READER_COUNT: usize = 8;
/// Readers of a large file that stay while many ask at once.
const READERS_IN_USE: usize = 3 * READER_COUNT;
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
const STATEMENT_CACHE: usize = 128;
/// Between two attempts at what another process holds.
const PAUSE: Duration = Duration::from_millis(10);

/// What can go wrong inside a read or a write; [`SqliteFile`] turns it into a [`StoreError`] that names the file.
#[derive(Debug)]
pub enum SqliteFault {
    /// SQLite says no.
    Sqlite(rusqlite::Error),
    /// A list in a column is not the JSON that we wrote.
    Json(serde_json::Error),
    /// Already in the caller's terms.
    Store(StoreError),
}

impl From<rusqlite::Error> for SqliteFault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<serde_json::Error> for SqliteFault {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

impl From<StoreError> for SqliteFault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Result of a piece of work on a connection.
pub type Outcome<T> = Result<T, SqliteFault>;

/// An open workspace file. Cheap to clone; all clones share the connections.
#[derive(Clone)]
pub struct SqliteFile {
    shared: Arc<Shared>,
    pinned: Option<Arc<AsyncMutex<Pinned>>>,
}

/// Most bytes of a file that are mapped, which is the most that SQLite maps; what lies behind is read.
const MAPPED: u64 = 0x7fff_0000;
/// A file of more bytes takes so long to be mapped anew that readers beyond the processors let go of it only when nobody has
/// needed them for [`COOLS_AFTER`].
const MAPPED_SLOWLY: u64 = 64 << 20;
const COOLS_AFTER: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 2_000 });

/// Pages that a scan keeps, in kilobytes.
const SCANNED_KILOBYTES: u32 = 2_000;

struct Shared {
    path: PathBuf,
    writer: Arc<AsyncMutex<Connection>>,
    idle_readers: Mutex<IdleReaders>,
    /// What changes are seen with.
    watcher: Mutex<Option<Connection>>,
    reader_permits: Arc<Semaphore>,
    /// Bytes of the file that readers see through mapped memory.
    mapped: u64,
    /// When snapshots are let go that hold the log.
    bound: OnceLock<LogBound>,
    /// Whether the file stands where nothing can be written, and is read as it is.
    frozen: bool,
}

/// Readers that nobody uses now.
#[derive(Default)]
struct IdleReaders {
    /// With the pages that they have seen, and since when they are idle; the one used last is used next.
    warm: Vec<(Connection, Instant)>,
    /// Without: those that only many at once need. Their statements stay.
    cold: Vec<Connection>,
    /// Whether somebody waits to let go of what lies idle.
    cools: bool,
}

impl fmt::Debug for SqliteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteFile").field("path", &self.shared.path).finish_non_exhaustive()
    }
}

impl SqliteFile {
    /// Opens the file and creates it, and the folder it stands in, where they are missing.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] where the folder or the file cannot be written or holds something else.
    pub fn open(path: &Path) -> StoreResult<Self> {
        Self::open_with(path)
    }

    /// As [`Self::open`], for a process that only searches: its readers map the file, so that pages are neither copied
    /// nor held twice. The system takes mapped pages back when it needs memory, but counts them as the process's until
    /// then: a process that writes stays without. A file in a folder that cannot be written is read as it is.
    ///
    /// # Errors
    /// As [`Self::open`]; a file that cannot be written and whose last changes are still in its log.
    pub fn open_mapped(path: &Path) -> StoreResult<Self> {
        create_folder(path)?;
        match open_writer(path) {
            Err(SqliteFault::Sqlite(error)) if cannot_be_written(&error) && path.is_file() => {
                let reader = open_frozen(path).map_err(|fault| store_error(path, fault))?;
                Ok(Self::of(path, reader, MAPPED, true))
            }
            opened => Ok(Self::of(path, opened.map_err(|fault| store_error(path, fault))?, MAPPED, false)),
        }
    }

    fn open_with(path: &Path) -> StoreResult<Self> {
        create_folder(path)?;
        // where this fails, opening it says so better
        let _ = private::touch(path);
        let writer = open_writer(path).map_err(|fault| store_error(path, fault))?;
        Ok(Self::of(path, writer, 0, false))
    }

    fn of(path: &Path, writer: Connection, mapped: u64, frozen: bool) -> Self {
        Self {
            shared: Arc::new(Shared {
                path: path.to_owned(),
                writer: Arc::new(AsyncMutex::new(writer)),
                idle_readers: Mutex::default(),
                watcher: Mutex::default(),
                reader_permits: Arc::new(Semaphore::new(READER_COUNT)),
                mapped,
                bound: OnceLock::new(),
                frozen,
            }),
            pinned: None,
        }
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// "SQLite file …".
    pub fn describe(&self) -> String {
        describe(&self.shared.path)
    }

    /// Brings the tables of one part of the file (`graph`, `vectors`) up to date: `steps[n]` leads from version n
    /// to version n + 1; their number is the version that this program knows.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] where the part has a newer version.
    pub async fn prepare(&self, part: &'static str, steps: &'static [&'static str]) -> StoreResult<()> {
        let file = self.describe();
        self.write(move |transaction| upgrade(transaction, part, steps, &file)).await
    }

    /// Runs a read on a reader connection, on a thread that may block. Each call sees what is committed at its
    /// start; on a [`Self::snapshot`] all calls see the same.
    ///
    /// # Errors
    /// What the work returns, in terms of this file.
    pub async fn read<T, Work>(&self, work: Work) -> StoreResult<T>
    where
        T: Send + 'static,
        Work: FnOnce(&Connection) -> Outcome<T> + Send + 'static,
    {
        match &self.pinned {
            Some(pinned) => {
                let mut pinned = Arc::clone(pinned).lock_owned().await;
                if pinned.connection.is_none() {
                    drop(pinned);
                    return self.read_latest(work).await;
                }
                self.run_blocking(move |_| {
                    let done = work(pinned.connection()?);
                    pinned.used = Instant::now();
                    done
                })
                .await
            }
            None => self.read_latest(work).await,
        }
    }

    /// Runs a write as one transaction: all of it is committed, or nothing where the work fails. Writes run one
    /// after the other. Once begun it runs to its end, also where the caller's future is dropped.
    ///
    /// # Errors
    /// What the work returns, in terms of this file.
    pub async fn write<T, Work>(&self, work: Work) -> StoreResult<T>
    where
        T: Send + 'static,
        Work: FnOnce(&Transaction<'_>) -> Outcome<T> + Send + 'static,
    {
        let writer = Arc::clone(&self.shared.writer).lock_owned().await;
        self.run_blocking(move |_| commit(writer, work)).await
    }

    /// From now on a snapshot that nobody has read for so long is let go where the log has become larger than so many bytes:
    /// what is read of it afterwards is the latest state. For searches that wait for a model, and not for copies.
    pub fn let_idle_snapshots_go(&self, after: Duration, log_bytes: u64) {
        // who asked first has said it
        let _ = self.shared.bound.set(LogBound { after, log_bytes });
    }

    /// The same file seen as it is now: reads of the returned value see this state however long it is kept, but for
    /// [`Self::let_idle_snapshots_go`]. The write-ahead log cannot be emptied meanwhile, so it should not be kept for ever.
    ///
    /// # Errors
    /// Where no further connection can be opened.
    pub async fn snapshot(&self) -> StoreResult<Self> {
        self.pin(Pinned::begin).await
    }

    /// As [`Self::snapshot`], for one who reads much of the file and little of it twice: pages are let go as the next ones
    /// come, so memory does not grow with the file.
    ///
    /// # Errors
    /// As [`Self::snapshot`].
    pub async fn scan(&self) -> StoreResult<Self> {
        self.pin(Pinned::begin_scan).await
    }

    async fn pin(
        &self,
        begin: impl FnOnce(&Arc<Shared>) -> Outcome<Pinned> + Send + 'static,
    ) -> StoreResult<Self> {
        let mut pinned = self.run_blocking(begin).await?;
        let pinned = Arc::new_cyclic(|itself| {
            let bound = self.shared.bound.get();
            pinned.watch =
                bound.map(|bound| tokio::spawn(let_go(Weak::clone(itself), *bound)).abort_handle());
            AsyncMutex::new(pinned)
        });
        Ok(Self { shared: Arc::clone(&self.shared), pinned: Some(pinned) })
    }

    /// Another number than before as soon as anybody has committed anything, as long as this value or a clone of it lives.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub async fn changes(&self) -> StoreResult<u64> {
        self.run_blocking(|shared| {
            let mut watcher = shared.watcher.lock().unwrap_or_else(PoisonError::into_inner);
            // the number means something on one connection alone, which never writes
            let connection = match watcher.take() {
                Some(connection) => connection,
                None => shared.open_reader()?,
            };
            let changes = connection.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0))?;
            *watcher = Some(connection);
            Ok(changes.unsigned_abs())
        })
        .await
    }

    /// Makes the file hold what another one holds, in one transaction: readers see one or the other, whatever ends the
    /// process. Nobody may write to the other meanwhile.
    ///
    /// # Errors
    /// No space for the copy, or somebody who writes here and does not end.
    pub async fn take_over(&self, other: &Path) -> StoreResult<()> {
        let writer = Arc::clone(&self.shared.writer).lock_owned().await;
        let other = other.to_owned();
        self.run_blocking(move |_| copy_over(&other, writer)).await
    }

    async fn read_latest<T, Work>(&self, work: Work) -> StoreResult<T>
    where
        T: Send + 'static,
        Work: FnOnce(&Connection) -> Outcome<T> + Send + 'static,
    {
        let permit = Arc::clone(&self.shared.reader_permits).acquire_owned().await;
        self.run_blocking(move |shared| {
            let _permit = permit;
            let connection = shared.take_reader()?;
            // one read transaction, so that several statements see one state
            let transaction = connection.unchecked_transaction()?;
            let result = work(&transaction);
            transaction.finish()?;
            shared.give_back(connection);
            result
        })
        .await
    }

    async fn run_blocking<T, Work>(&self, work: Work) -> StoreResult<T>
    where
        T: Send + 'static,
        Work: FnOnce(&Arc<Shared>) -> Outcome<T> + Send + 'static,
    {
        let shared = Arc::clone(&self.shared);
        let done = tokio::task::spawn_blocking(move || work(&shared)).await;
        match done {
            Ok(result) => result.map_err(|fault| store_error(self.path(), fault)),
            Err(stopped) => Err(StoreError::Failed { service: self.describe(), reason: stopped.to_string() }),
        }
    }
}

impl Shared {
    fn take_reader(&self) -> Outcome<Connection> {
        let (warm, cold) = {
            let mut idle = self.idle_readers();
            let warm = idle.warm.pop();
            let cold = if warm.is_none() { idle.cold.pop() } else { None };
            (warm, cold)
        };
        if let Some((connection, _)) = warm {
            return Ok(connection);
        }
        match cold {
            Some(connection) => {
                map(&connection, self.mapped)?;
                Ok(connection)
            }
            None => self.open_reader(),
        }
    }

    fn idle_readers(&self) -> MutexGuard<'_, IdleReaders> {
        self.idle_readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_reader(&self) -> Outcome<Connection> {
        if self.frozen { open_frozen(&self.path) } else { open_reader(&self.path, self.mapped) }
    }

    /// Readers that stay warm however long they lie idle. Of those whose file is mapped as many as there are processors: the
    /// system counts a page once for each mapping.
    fn warm_at_rest(&self) -> usize {
        if self.mapped > 0 { processors().min(READER_COUNT) } else { READER_COUNT }
    }

    /// Keeps a reader for the next one; those beyond [`Self::warm_at_rest`] cool, at once where the file is small.
    fn give_back(self: &Arc<Self>, connection: Connection) {
        let at_rest = self.warm_at_rest();
        let runtime = tokio::runtime::Handle::try_current().ok().filter(|_| {
            at_rest < READER_COUNT && self.path.metadata().is_ok_and(|file| file.len() > MAPPED_SLOWLY)
        });
        let most = if runtime.is_some() { READERS_IN_USE } else { at_rest };
        let mut idle = self.idle_readers();
        if idle.warm.len() < most {
            idle.warm.push((connection, Instant::now()));
            if let Some(runtime) = runtime.filter(|_| idle.warm.len() > at_rest && !idle.cools) {
                idle.cools = true;
                runtime.spawn(cool(Arc::downgrade(self)));
            }
            return;
        }
        drop(idle);
        self.let_cool(connection);
    }

    fn let_cool(&self, connection: Connection) {
        let idle = self.idle_readers();
        let is_wanted = idle.warm.len() + idle.cold.len() < READER_COUNT;
        // nobody need wait while pages are let go
        drop(idle);
        if is_wanted && connection.execute_batch("PRAGMA mmap_size = 0; PRAGMA shrink_memory").is_ok() {
            self.idle_readers().cold.push(connection);
        }
    }

    /// Those that have lain idle for long, beyond the ones that stay warm; none where nobody is left to wait for.
    fn cooling(&self) -> Option<Vec<Connection>> {
        let mut idle = self.idle_readers();
        let beyond = idle.warm.len().saturating_sub(self.warm_at_rest());
        if beyond == 0 {
            idle.cools = false;
            return None;
        }
        // those used least lie at the bottom
        let long =
            idle.warm.iter().take(beyond).take_while(|(_, since)| since.elapsed() >= COOLS_AFTER).count();
        Some(idle.warm.drain(..long).map(|(connection, _)| connection).collect())
    }
}

/// Lets readers go of the mapped file that nobody needs any more.
async fn cool(shared: Weak<Shared>) {
    loop {
        tokio::time::sleep(COOLS_AFTER).await;
        let Some(shared) = shared.upgrade() else { return };
        let Some(readers) = shared.cooling() else { return };
        // pages are let go on a thread that may block
        let let_go = move || readers.into_iter().for_each(|reader| shared.let_cool(reader));
        let _ = tokio::task::spawn_blocking(let_go).await;
    }
}

fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// A connection inside a read transaction: the state it sees stays. Goes back to the idle ones in the end, with its
/// statements and pages.
struct Pinned {
    /// Absent where it was let go.
    connection: Option<Connection>,
    shared: Arc<Shared>,
    /// When it was last read.
    used: Instant,
    /// Who lets it go.
    watch: Option<AbortHandle>,
    /// Whether it keeps few pages.
    scans: bool,
}

/// How long a snapshot may lie idle while it holds how large a log.
#[derive(Clone, Copy, Debug)]
struct LogBound {
    after: Duration,
    log_bytes: u64,
}

/// Lets a snapshot go that is idle and holds a large log.
async fn let_go(snapshot: Weak<AsyncMutex<Pinned>>, bound: LogBound) {
    loop {
        tokio::time::sleep(bound.after).await;
        let Some(snapshot) = snapshot.upgrade() else { return };
        let mut pinned = snapshot.lock_owned().await;
        if pinned.used.elapsed() >= bound.after && log_bytes(&pinned.shared.path) > bound.log_bytes {
            pinned.end();
            return;
        }
    }
}

fn log_bytes(path: &Path) -> u64 {
    log_of(path).metadata().map_or(0, |log| log.len())
}

/// Where the log of a file stands.
fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

impl Pinned {
    fn begin(shared: &Arc<Shared>) -> Outcome<Self> {
        // without a permit: snapshots that are kept for long must not starve other reads
        Self::begin_on(shared, shared.take_reader()?)
    }

    fn begin_scan(shared: &Arc<Shared>) -> Outcome<Self> {
        let connection =
            if shared.frozen { open_frozen(&shared.path) } else { open_reader(&shared.path, 0) }?;
        connection.execute_batch(&format!("PRAGMA cache_size = -{SCANNED_KILOBYTES}"))?;
        let mut pinned = Self::begin_on(shared, connection)?;
        pinned.scans = true;
        Ok(pinned)
    }

    fn begin_on(shared: &Arc<Shared>, connection: Connection) -> Outcome<Self> {
        connection.execute_batch("BEGIN DEFERRED")?;
        // a deferred transaction begins to see at its first read
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(Self {
            connection: Some(connection),
            shared: Arc::clone(shared),
            used: Instant::now(),
            watch: None,
            scans: false,
        })
    }

    fn end(&mut self) {
        if let Some(connection) = self.connection.take()
            && connection.execute_batch("ROLLBACK").is_ok()
            && !self.scans
        {
            self.shared.give_back(connection);
        }
    }

    fn connection(&self) -> Outcome<&Connection> {
        self.connection.as_ref().ok_or(SqliteFault::Sqlite(rusqlite::Error::InvalidQuery))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.abort();
        }
        self.end();
    }
}

fn commit<T>(
    mut writer: OwnedMutexGuard<Connection>,
    work: impl FnOnce(&Transaction<'_>) -> Outcome<T>,
) -> Outcome<T> {
    let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = work(&transaction)?;
    transaction.commit()?;
    Ok(result)
}

fn copy_over(other: &Path, mut writer: OwnedMutexGuard<Connection>) -> Outcome<()> {
    let other = open_reader(other, 0)?;
    let copy = Backup::new(&other, &mut writer)?;
    let end = Instant::now() + BUSY_TIMEOUT;
    // all pages at once: with several steps a reader could come between them, and the copy would begin anew
    while copy.step(-1)? != StepResult::Done {
        if Instant::now() >= end {
            let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
            return Err(rusqlite::Error::SqliteFailure(busy, None).into());
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

fn create_folder(path: &Path) -> StoreResult<()> {
    let linked = |path: &Path| {
        private::refuse_link(path)
            .map_err(|error| StoreError::Unusable(format!("{} {error}", path.display())))
    };
    linked(path)?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => private::create_dir_all(folder).map_err(|error| {
            StoreError::Unusable(format!(
                "cannot create the data folder {}: {error}; choose another with --data",
                folder.display()
            ))
        }),
        _ => Ok(()),
    }
}

fn open_writer(path: &Path) -> Outcome<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection)?;
    check_owner(&connection, path)?;
    write_ahead(&connection, BUSY_TIMEOUT)?;
    connection.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 67108864;
         PRAGMA cache_size = -24000;",
    )?;
    if application_id(&connection)? != APPLICATION_ID {
        // also finds out here, and not in the middle of a run, that the file cannot be written
        connection.execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}"))?;
    }
    Ok(connection)
}

fn open_reader(path: &Path, mapped: u64) -> Outcome<Connection> {
    // SQLite wants a writable handle to read a file in WAL mode; `query_only` keeps it from being used
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection)?;
    connection.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -8000;")?;
    if mapped > 0 {
        map(&connection, mapped)?;
    }
    Ok(connection)
}

/// Has a reader see so many bytes of the file through mapped memory.
fn map(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    connection.execute_batch(&format!("PRAGMA mmap_size = {bytes}"))
}

/// Opens a file that nobody can write to: without a log, which would have to be made beside it.
fn open_frozen(path: &Path) -> Outcome<Connection> {
    if log_bytes(path) > 0 {
        return Err(SqliteFault::Store(StoreError::Unusable(format!(
            "the last changes of {} are still in its log and its folder cannot be written; make the folder writable",
            path.display()
        ))));
    }
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)?;
    configure(&connection)?;
    check_owner(&connection, path)?;
    connection.execute_batch("PRAGMA cache_size = -8000")?;
    Ok(connection)
}

/// Whether the file, or what SQLite makes beside it, cannot be written.
fn cannot_be_written(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
    )
}

fn configure(connection: &Connection) -> Outcome<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // else a statement is planned anew whenever its LIMIT is another number
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // a file that somebody else made may not have functions of ours run by its schema
    connection.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF")?;
    Ok(())
}

fn check_owner(connection: &Connection, path: &Path) -> Outcome<()> {
    let table_count: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if table_count > 0 && application_id(connection)? != APPLICATION_ID {
        return Err(SqliteFault::Store(StoreError::Unusable(format!(
            "{} is another program's SQLite file; move it away or choose another folder with --data",
            path.display()
        ))));
    }
    match refusal(connection, path, "move it away and index anew")? {
        Some(refused) => Err(SqliteFault::Store(StoreError::Unusable(refused))),
        None => Ok(()),
    }
}

fn application_id(connection: &Connection) -> rusqlite::Result<i32> {
    connection.query_row("PRAGMA application_id", [], |row| row.get(0))
}

fn upgrade(transaction: &Transaction<'_>, part: &str, steps: &[&str], file: &str) -> Outcome<()> {
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS schema_parts (part TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID",
    )?;
    let found = {
        let mut statement = transaction.prepare("SELECT version FROM schema_parts WHERE part = ?1")?;
        let mut rows = statement.query([part])?;
        rows.next()?.map(|row| row.get::<_, u32>(0)).transpose()?.unwrap_or(0)
    };
    let known = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(SqliteFault::Store(StoreError::Unusable(format!(
            "{file} has {part} schema {found}, this program knows {known}; use a newer graphwright"
        ))));
    }
    if found == known {
        return Ok(());
    }
    for step in steps.iter().skip(found as usize) {
        transaction.execute_batch(step)?;
    }
    transaction.execute(
        "INSERT INTO schema_parts VALUES (?1, ?2) ON CONFLICT (part) DO UPDATE SET version = excluded.version",
        (part, known),
    )?;
    Ok(())
}

fn describe(path: &Path) -> String {
    format!("SQLite file {}", path.display())
}

fn store_error(path: &Path, fault: SqliteFault) -> StoreError {
    let service = describe(path);
    match fault {
        SqliteFault::Store(error) => error,
        SqliteFault::Json(error) => {
            StoreError::Unusable(format!("{service} holds a damaged list ({error}); index into a new one"))
        }
        SqliteFault::Sqlite(error) => sqlite_error(path, service, &error),
    }
}

fn sqlite_error(path: &Path, service: String, error: &rusqlite::Error) -> StoreError {
    let shown = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { service, reason: "another process is writing to it".to_owned() }
        }
        Some(ErrorCode::DiskFull) => StoreError::Unusable(format!(
            "no space is left for {shown}; everything up to the last commit is kept: free some space and run again"
        )),
        Some(ErrorCode::SystemIoFailure) => StoreError::Unusable(format!(
            "cannot write {shown} ({error}); everything up to the last commit is kept: see whether there is space and \
             files may grow, and run again"
        )),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::Unusable(format!(
                "cannot write {shown} ({error}); make the file and its folder writable or choose another with --data"
            ))
        }
        Some(ErrorCode::NotADatabase) => StoreError::Unusable(format!(
            "{shown} is not an SQLite file; move it away or choose another folder with --data"
        )),
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Unusable(format!(
            "{shown} is damaged ({error}); restore a backup or index into a new file"
        )),
        _ => StoreError::Failed { service, reason: error.to_string() },
    }
}

/// Whether a table is there now; `Connection::table_exists` goes by the schema that the connection has seen last.
///
/// # Errors
/// The file cannot be read.
pub fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)")?
        .query_row([name], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[&str] = &["CREATE TABLE t (x INTEGER)"];

    fn insert(transaction: &Transaction<'_>) -> Outcome<()> {
        transaction.execute("INSERT INTO t VALUES (1)", [])?;
        Ok(())
    }

    fn count(connection: &Connection) -> Outcome<i64> {
        Ok(connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0))?)
    }

    fn message<T: fmt::Debug>(result: StoreResult<T>) -> String {
        result.unwrap_err().to_string()
    }

    /// `.cargo/config.toml` sees to it.
    #[test]
    fn readers_wait_for_no_lock_on_the_pages_of_others() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("PRAGMA compile_options").unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let options: Vec<String> = rows.map(Result::unwrap).collect();
        assert!(!options.iter().any(|option| option == "ENABLE_MEMORY_MANAGEMENT"), "{options:?}");
        assert!(options.iter().any(|option| option == "DEFAULT_MEMSTATUS=0"), "{options:?}");
    }

    #[tokio::test]
    async fn a_failed_write_leaves_nothing_and_a_snapshot_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteFile::open(&folder.path().join("new/w.sqlite")).unwrap();
        file.prepare("t", STEPS).await.unwrap();
        file.prepare("t", STEPS).await.unwrap();
        file.write(insert).await.unwrap();
        let before = file.snapshot().await.unwrap();
        file.write(insert).await.unwrap();
        let failed = file.write(|transaction| {
            insert(transaction)?;
            Ok(transaction.execute("INSERT INTO absent VALUES (1)", [])?)
        });
        assert!(message(failed.await).contains("absent"));
        assert_eq!(file.read(count).await.unwrap(), 2);
        assert_eq!(before.read(count).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn changes_of_anybody_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.sqlite");
        let file = SqliteFile::open(&path).unwrap();
        file.prepare("t", STEPS).await.unwrap();
        let reader = SqliteFile::open_mapped(&path).unwrap();
        let first = reader.changes().await.unwrap();
        assert_eq!(reader.read(count).await.unwrap(), 0);
        assert_eq!(reader.changes().await.unwrap(), first, "reading changes nothing");
        for own in [true, false] {
            let before = reader.changes().await.unwrap();
            if own { &reader } else { &file }.write(insert).await.unwrap();
            assert_ne!(reader.changes().await.unwrap(), before);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_snapshot_that_nobody_reads_does_not_hold_the_log_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.sqlite");
        let file = SqliteFile::open(&path).unwrap();
        file.prepare("t", STEPS).await.unwrap();
        file.write(
            |transaction| Ok(transaction.query_row("PRAGMA wal_autocheckpoint = 20", [], |_| Ok(()))?),
        )
        .await
        .unwrap();
        let grow = async |times: u32| {
            for _ in 0..times {
                file.write(|transaction| {
                    insert(transaction)?;
                    transaction.execute("CREATE TABLE IF NOT EXISTS blobs (x BLOB)", [])?;
                    transaction.execute("DELETE FROM blobs", [])?;
                    Ok(transaction.execute("INSERT INTO blobs VALUES (zeroblob(100000))", [])?)
                })
                .await
                .unwrap();
            }
        };
        let reader = SqliteFile::open_mapped(&path).unwrap();
        let bounded = SqliteFile::open_mapped(&path).unwrap();
        bounded.let_idle_snapshots_go(Duration::from_millis(50), 1_000_000);

        let held = bounded.snapshot().await.unwrap();
        grow(5).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(held.read(count).await.unwrap(), 0, "a small log may be held");
        grow(20).await;
        let large = log_bytes(&path);
        assert!(large > 1_000_000, "it grows as long as it is held: {large}");
        let end = Instant::now() + Duration::from_secs(20);
        while held.read(count).await.unwrap() == 0 {
            assert!(Instant::now() < end, "it is let go");
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        assert_eq!(held.read(count).await.unwrap(), 25, "what is read is the latest state");
        grow(40).await;
        assert!(log_bytes(&path) <= large + 400_000, "{} of {large}", log_bytes(&path));

        // whoever did not ask for it keeps what was seen
        let kept = reader.snapshot().await.unwrap();
        grow(30).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(kept.read(count).await.unwrap(), 65);
    }

    #[tokio::test]
    async fn another_file_is_taken_over_whole_while_readers_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteFile::open(&folder.path().join("w.sqlite")).unwrap();
        let other = SqliteFile::open(&folder.path().join("other.sqlite")).unwrap();
        for (file, rows) in [(&file, 1), (&other, 3)] {
            file.prepare("t", STEPS).await.unwrap();
            for _ in 0..rows {
                file.write(insert).await.unwrap();
            }
        }
        let before = file.snapshot().await.unwrap();
        assert_eq!(before.read(count).await.unwrap(), 1);
        file.take_over(other.path()).await.unwrap();
        assert_eq!(before.read(count).await.unwrap(), 1, "who reads goes on");
        assert_eq!(file.read(count).await.unwrap(), 3);
        file.write(insert).await.unwrap();
        assert_eq!((file.read(count).await.unwrap(), other.read(count).await.unwrap()), (4, 3));
    }

    /// How often this process maps a file.
    #[cfg(target_os = "linux")]
    fn mappings(path: &Path) -> usize {
        let path = path.to_str().unwrap();
        std::fs::read_to_string("/proc/self/maps")
            .unwrap()
            .lines()
            .filter(|line| line.ends_with(path))
            .count()
    }

    /// A file with one row, as its canonical path.
    #[cfg(target_os = "linux")]
    async fn with_a_row(folder: &Path) -> PathBuf {
        let path = folder.canonicalize().unwrap().join("w.sqlite");
        let file = SqliteFile::open(&path).unwrap();
        file.prepare("t", STEPS).await.unwrap();
        file.write(insert).await.unwrap();
        path
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn as_many_readers_keep_the_file_mapped_as_there_are_processors() {
        let folder = tempfile::tempdir().unwrap();
        let path = with_a_row(folder.path()).await;
        let reader = SqliteFile::open_mapped(&path).unwrap();
        let many = READER_COUNT.max(processors()) + 2;
        for round in 0..2 {
            let mut snapshots = Vec::new();
            for _ in 0..many {
                let snapshot = reader.snapshot().await.unwrap();
                assert_eq!(snapshot.read(count).await.unwrap(), 1);
                snapshots.push(snapshot);
            }
            assert_eq!(mappings(&path), many, "round {round}: whoever reads has it mapped");
            drop(snapshots);
            assert_eq!(mappings(&path), processors().min(READER_COUNT), "round {round}");
            let idle = reader.shared.idle_readers.lock().unwrap();
            assert_eq!(idle.warm.len() + idle.cold.len(), READER_COUNT);
        }
        assert_eq!(reader.read(count).await.unwrap(), 1);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_scan_sees_one_state_and_maps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = with_a_row(folder.path()).await;
        let reader = SqliteFile::open_mapped(&path).unwrap();
        let scan = reader.scan().await.unwrap();
        assert_eq!(scan.read(count).await.unwrap(), 1);
        assert_eq!(mappings(&path), 0);
        assert_eq!(reader.read(count).await.unwrap(), 1);
        assert_eq!(mappings(&path), 1, "other readers map as ever");
        reader.write(insert).await.unwrap();
        assert_eq!(scan.read(count).await.unwrap(), 1, "what comes later is not seen");
        drop(scan);
        assert_eq!(reader.read(count).await.unwrap(), 2);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_large_file_stays_mapped_until_nobody_needs_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = with_a_row(folder.path()).await;
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().set_len(MAPPED_SLOWLY + 4096).unwrap();
        let reader = SqliteFile::open_mapped(&path).unwrap();
        let mut snapshots = Vec::new();
        for _ in 0..READERS_IN_USE + 2 {
            let snapshot = reader.snapshot().await.unwrap();
            assert_eq!(snapshot.read(count).await.unwrap(), 1);
            snapshots.push(snapshot);
        }
        drop(snapshots);
        assert_eq!(mappings(&path), READERS_IN_USE);
        let few = processors().min(READER_COUNT);
        let deadline = Instant::now() + Duration::from_mins(1);
        while mappings(&path) > few && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(mappings(&path), few);
        assert_eq!(reader.read(count).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_written_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("100%? #1.sqlite");
        let file = SqliteFile::open(&path).unwrap();
        file.prepare("t", STEPS).await.unwrap();
        file.write(insert).await.unwrap();
        let message = open_frozen(&path).map_err(|fault| store_error(&path, fault)).unwrap_err().to_string();
        assert!(message.contains("still in its log"), "{message}");
        drop(file);
        let frozen = SqliteFile::of(&path, open_frozen(&path).unwrap(), MAPPED, true);
        assert_eq!(frozen.read(count).await.unwrap(), 1);
        assert_eq!(frozen.snapshot().await.unwrap().read(count).await.unwrap(), 1);
        assert!(frozen.write(insert).await.unwrap_err().to_string().contains("cannot write"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is made beside it");
    }

    #[tokio::test]
    async fn what_a_schema_asks_for_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteFile::open(&folder.path().join("w.sqlite")).unwrap();
        let trusted = |connection: &Connection| -> Outcome<bool> {
            Ok(connection.query_row("PRAGMA trusted_schema", [], |row| row.get(0))?)
        };
        assert!(!file.read(trusted).await.unwrap());
        assert!(!file.write(move |transaction| trusted(transaction)).await.unwrap());
    }

    #[tokio::test]
    async fn a_file_with_a_view_or_a_trigger_is_refused_and_what_was_found_is_named() {
        for (made, named) in [
            (
                "CREATE VIEW documents AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n) \
                 SELECT x FROM n",
                "the view \"documents\"",
            ),
            ("CREATE TRIGGER theirs AFTER INSERT ON t BEGIN DELETE FROM t; END", "the trigger \"theirs\""),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("w.sqlite");
            let file = SqliteFile::open(&path).unwrap();
            file.prepare("t", STEPS).await.unwrap();
            drop(file);
            Connection::open(&path).unwrap().execute_batch(made).unwrap();
            let frozen = open_frozen(&path).map_err(|fault| store_error(&path, fault)).map(drop);
            for told in
                [message(SqliteFile::open(&path)), message(SqliteFile::open_mapped(&path)), message(frozen)]
            {
                assert!(told.contains(named) && told.contains("w.sqlite"), "{told}");
                assert!(told.contains("index anew"), "{told}");
            }
        }
    }

    #[tokio::test]
    async fn a_newer_schema_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteFile::open(&folder.path().join("w.sqlite")).unwrap();
        file.prepare("t", &["CREATE TABLE t (x INTEGER)", "CREATE TABLE u (x INTEGER)"]).await.unwrap();
        assert!(message(file.prepare("t", STEPS).await).contains("has t schema 2, this program knows 1"));
    }

    #[tokio::test]
    async fn files_that_are_not_ours_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text.sqlite");
        std::fs::write(&text, "a long line of text that is no database at all ".repeat(40)).unwrap();
        assert!(message(SqliteFile::open(&text)).contains("is not an SQLite file"));
        let other = folder.path().join("other.sqlite");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
        assert!(message(SqliteFile::open(&other)).contains("another program's"));
        assert!(message(SqliteFile::open(&text.join("w.sqlite"))).contains("cannot create the data folder"));
        assert!(message(SqliteFile::open(folder.path())).contains("cannot write"));
    }

    #[tokio::test]
    async fn a_full_disk_is_said_and_what_was_committed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteFile::open(&folder.path().join("w.sqlite")).unwrap();
        file.prepare("t", STEPS).await.unwrap();
        file.write(insert).await.unwrap();
        let full = file.write(|transaction| {
            transaction.query_row("PRAGMA max_page_count = 5", [], |_| Ok(()))?;
            Ok(transaction.execute("INSERT INTO t SELECT zeroblob(1000000)", [])?)
        });
        assert!(message(full.await).contains("no space is left"));
        assert_eq!(file.read(count).await.unwrap(), 1);
    }
}
