//! What the server keeps on disk beside the workspaces: answers with links, conversations, jobs, and what a day has cost. One
//! SQLite file, `serve.db`, in the folder of embedded data.

use super::problem::{Outcome, Problem};
use super::shapes::AnswerReply;
use crate::{private, sqlite};
use anyhow::{Context, bail, ensure};
use rusqlite::{Connection, OptionalExtension, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Name of the file.
const FILE: &str = "serve.db";
/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Turns of a conversation that are given out.
const TURNS: i64 = 64;
/// Conversations of one caller that a list shows.
const CONVERSATIONS: i64 = 500;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS answers (
    id TEXT PRIMARY KEY, workspace TEXT NOT NULL, caller TEXT NOT NULL, asked TEXT NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_time ON answers (asked);
CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY, workspace TEXT NOT NULL, caller TEXT NOT NULL, title TEXT NOT NULL, begun TEXT NOT NULL,
    changed TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turns (
    conversation TEXT NOT NULL, place INTEGER NOT NULL, answer TEXT NOT NULL, question TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (conversation, place)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rests (
    workspace TEXT NOT NULL, document TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (workspace, document, answer)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS turns_by_answer ON turns (answer);
CREATE TABLE IF NOT EXISTS ratings (
    answer TEXT NOT NULL, caller TEXT NOT NULL, workspace TEXT NOT NULL, good INTEGER NOT NULL, comment TEXT NOT NULL,
    rated TEXT NOT NULL, PRIMARY KEY (answer, caller)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (day TEXT PRIMARY KEY, dollars REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent_by (
    day TEXT NOT NULL, caller TEXT NOT NULL, dollars REAL NOT NULL, PRIMARY KEY (day, caller)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, workspace TEXT NOT NULL, caller TEXT NOT NULL, kind TEXT NOT NULL, request TEXT NOT NULL,
    state TEXT NOT NULL, made TEXT NOT NULL, began TEXT, ended TEXT, report TEXT, problem TEXT, retry_of TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_by_time ON jobs (workspace, made);
";

/// The file, open.
pub(crate) struct KeptFile {
    connection: Mutex<Connection>,
}

/// A conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Conversation {
    /// Its id.
    pub(crate) id: String,
    /// The workspace.
    pub(crate) workspace: String,
    /// Its first question.
    pub(crate) title: String,
    /// When it began.
    pub(crate) begun: String,
    /// When it was last added to.
    pub(crate) changed: String,
    /// What was said; left out in lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) turns: Vec<ConversationTurn>,
}

/// What answers cost on a day.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CostOfDay {
    /// The day, `YYYY-MM-DD`.
    pub(crate) day: String,
    /// Dollars.
    pub(crate) dollars: f64,
}

/// One exchange.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ConversationTurn {
    /// The answer's id.
    pub(crate) answer: String,
    /// What was asked.
    pub(crate) question: String,
    /// What was answered.
    pub(crate) text: String,
}

/// How far a job has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobState {
    /// It waits for its turn.
    Queued,
    /// It is being done.
    Running,
    /// It is being ended, at the next safe point.
    Stopping,
    /// It was done.
    Done,
    /// It could not be done.
    Failed,
    /// It was ended before it was done; what it did stays done.
    Stopped,
}

impl JobState {
    /// Its name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }

    /// Whether nothing more happens to it.
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Stopped)
    }

    fn named(name: &str) -> Self {
        let all = [Self::Queued, Self::Running, Self::Stopping, Self::Done, Self::Failed, Self::Stopped];
        all.into_iter().find(|state| state.as_str() == name).unwrap_or(Self::Failed)
    }
}

/// A job as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct KeptJob {
    pub(crate) id: String,
    pub(crate) workspace: String,
    pub(crate) caller: String,
    pub(crate) kind: String,
    pub(crate) request: String,
    pub(crate) state: JobState,
    pub(crate) made: String,
    pub(crate) began: Option<String>,
    pub(crate) ended: Option<String>,
    pub(crate) report: Option<String>,
    pub(crate) problem: Option<String>,
    /// The job that it does once more.
    pub(crate) retry_of: Option<String>,
}

const JOB: &str = "SELECT id, workspace, caller, kind, request, state, made, began, ended, report, problem, retry_of \
     FROM jobs";

fn job_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<KeptJob> {
    Ok(KeptJob {
        id: row.get(0)?,
        workspace: row.get(1)?,
        caller: row.get(2)?,
        kind: row.get(3)?,
        request: row.get(4)?,
        state: JobState::named(&row.get::<_, String>(5)?),
        made: row.get(6)?,
        began: row.get(7)?,
        ended: row.get(8)?,
        report: row.get(9)?,
        problem: row.get(10)?,
        retry_of: row.get(11)?,
    })
}

/// Brings a file that an older program made up to this one.
fn upgrade(connection: &Connection) -> rusqlite::Result<()> {
    let known = "SELECT count(*) FROM pragma_table_info('jobs') WHERE name = 'retry_of'";
    if connection.query_row(known, [], |row| row.get::<_, i64>(0))? == 0 {
        connection.execute_batch("ALTER TABLE jobs ADD COLUMN retry_of TEXT")?;
    }
    // an older program did not note which documents its answers rest on
    let (rests, answers) = ("SELECT EXISTS (SELECT 1 FROM rests)", "SELECT EXISTS (SELECT 1 FROM answers)");
    let has = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, bool>(0));
    if !has(rests)? && has(answers)? {
        let mut statement = connection.prepare("SELECT id, workspace, body FROM answers")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, workspace, body): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let body = serde_json::from_str(&body).unwrap_or_default();
            note(connection, &workspace, &id, &documents_in(&body))?;
        }
    }
    Ok(())
}

/// The documents whose text is in an answer: wherever a sentence of one stands.
fn documents_in(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                let id =
                    fields.get("document").and_then(|document| document.get("id")).and_then(Value::as_str);
                found.extend(id.map(str::to_owned));
                open.extend(fields.values());
            }
            Value::Array(values) => open.extend(values),
            _ => {}
        }
    }
    found
}

/// Notes which documents an answer rests on.
fn note(
    connection: &Connection,
    workspace: &str,
    answer: &str,
    documents: &BTreeSet<String>,
) -> rusqlite::Result<()> {
    let mut statement = connection
        .prepare_cached("INSERT OR IGNORE INTO rests (workspace, document, answer) VALUES (?1, ?2, ?3)")?;
    for document in documents {
        statement.execute([workspace, document, answer])?;
    }
    Ok(())
}

/// Now, in UTC.
pub(crate) fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// A name that nobody can guess.
///
/// # Errors
/// The system gives no random numbers.
pub(crate) fn fresh_id() -> Outcome<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Problem::failed(format!("the system gives no random numbers: {error}")))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// Forgets what is kept for a caller, beside a server that runs, too: the next one of that name is somebody else. Gives how
/// many conversations there were; nothing where no server has kept anything yet.
///
/// # Errors
/// The file cannot be used.
pub(crate) fn forget_caller(data: &Path, caller: &str) -> anyhow::Result<Option<usize>> {
    let Some(kept) = KeptFile::open_if_there(data)? else { return Ok(None) };
    kept.forget_caller(caller)
        .map(Some)
        .map_err(|problem| anyhow::anyhow!(problem.cause.unwrap_or(problem.detail)))
}

impl KeptFile {
    /// Opens the file, made where it is missing.
    ///
    /// # Errors
    /// It cannot be made, or is none of ours.
    pub(crate) fn open(data: &Path) -> anyhow::Result<Self> {
        private::create_dir_all(data).with_context(|| format!("cannot make folder {}", data.display()))?;
        let path = data.join(FILE);
        ensure!(
            !private::is_open_to_all(&path),
            "{0} may be read by everybody, and what a server of graphwright keeps may not: somebody else may have put it \
             there, with jobs that wait. If it is yours, run `chmod 600 {0}`, or move it away to begin anew",
            path.display()
        );
        private::touch(&path).with_context(|| format!("cannot write {}", path.display()))?;
        let open = || -> anyhow::Result<Connection> {
            let connection = Connection::open(&path)?;
            // the schema of a file is not trusted to run functions
            connection.execute_batch("PRAGMA trusted_schema = OFF")?;
            connection.busy_timeout(PATIENCE)?;
            sqlite::write_ahead(&connection, PATIENCE)?;
            if let Some(refused) = sqlite::refusal(&connection, &path, "begin it anew")? {
                bail!(refused);
            }
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "cache_size", -512)?;
            connection.execute_batch(SCHEMA)?;
            upgrade(&connection)?;
            Ok(connection)
        };
        let connection = open().with_context(|| {
            format!(
                "cannot use {}; it holds kept answers and jobs of the server, move it away to begin anew",
                path.display()
            )
        })?;
        Ok(Self { connection: Mutex::new(connection) })
    }

    /// The file, where a server has made one.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn open_if_there(data: &Path) -> anyhow::Result<Option<Self>> {
        data.join(FILE).exists().then(|| Self::open(data)).transpose()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an answer; beyond `most` the oldest go.
    pub(crate) fn save_answer(&self, caller: &str, reply: &AnswerReply, most: u64) -> Outcome<()> {
        let body = serde_json::to_value(reply).map_err(|error| Problem::failed(error.to_string()))?;
        let connection = self.connection();
        note(&connection, &reply.workspace, &reply.id, &documents_in(&body))?;
        connection
            .prepare_cached("INSERT OR REPLACE INTO answers (id, workspace, caller, asked, body) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![reply.id, reply.workspace, caller, reply.asked, body.to_string()])?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        connection
            .prepare_cached(
                "DELETE FROM answers WHERE asked < (SELECT asked FROM answers ORDER BY asked DESC LIMIT 1 OFFSET ?1)",
            )?
            .execute([most.saturating_sub(1)])?;
        Ok(())
    }

    /// Notes which documents an answer rests on that is not kept itself, but said in a conversation.
    pub(crate) fn note_documents(&self, workspace: &str, answer: &str, reply: &AnswerReply) -> Outcome<()> {
        let body = serde_json::to_value(reply).map_err(|error| Problem::failed(error.to_string()))?;
        Ok(note(&self.connection(), workspace, answer, &documents_in(&body))?)
    }

    /// The documents that answers and conversations of a workspace rest on, by id.
    pub(crate) fn documents(&self, workspace: &str) -> Outcome<Vec<String>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT DISTINCT document FROM rests WHERE workspace = ?1")?;
        let rows = statement.query_map([workspace], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Forgets all that rests on documents: answers, what was said of them, and their turns of conversations. A conversation
    /// that nothing is left of goes as well. Gives how many answers and turns there were.
    pub(crate) fn forget_documents(&self, workspace: &str, documents: &[String]) -> Outcome<(usize, usize)> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let (mut answers, mut turns) = (0, 0);
        for document in documents {
            let these = "SELECT answer FROM rests WHERE workspace = ?1 AND document = ?2";
            let execute = |sql: &str| transaction.execute(sql, [workspace, document.as_str()]);
            turns += execute(&format!("DELETE FROM turns WHERE answer IN ({these})"))?;
            execute(&format!("DELETE FROM ratings WHERE answer IN ({these})"))?;
            answers += execute(&format!("DELETE FROM answers WHERE workspace = ?1 AND id IN ({these})"))?;
            execute("DELETE FROM rests WHERE workspace = ?1 AND document = ?2")?;
        }
        if turns > 0 {
            transaction.execute(
                "DELETE FROM conversations WHERE workspace = ?1 AND title <> '' \
                 AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.conversation = conversations.id)",
                [workspace],
            )?;
        }
        transaction.commit()?;
        Ok((answers, turns))
    }

    /// An answer of a workspace.
    pub(crate) fn answer(&self, workspace: &str, id: &str) -> Outcome<AnswerReply> {
        let body: Option<String> = self
            .connection()
            .query_row("SELECT body FROM answers WHERE id = ?1 AND workspace = ?2", [id, workspace], |row| {
                row.get(0)
            })
            .optional()?;
        let body = body.ok_or_else(|| {
            Problem::not_found(format!(
                "no answer {id:?} is kept in workspace {workspace}; it may have made room for newer ones"
            ))
        })?;
        serde_json::from_str(&body)
            .map_err(|error| Problem::failed(format!("a kept answer cannot be read: {error}")))
    }

    /// Forgets an answer; true where there was one.
    pub(crate) fn forget_answer(&self, workspace: &str, id: &str) -> Outcome<bool> {
        let gone = self
            .connection()
            .execute("DELETE FROM answers WHERE id = ?1 AND workspace = ?2", [id, workspace])?;
        Ok(gone > 0)
    }

    /// Begins a conversation.
    pub(crate) fn begin_conversation(
        &self,
        workspace: &str,
        caller: &str,
        title: &str,
    ) -> Outcome<Conversation> {
        let (id, begun) = (fresh_id()?, now());
        self.connection().execute(
            "INSERT INTO conversations (id, workspace, caller, title, begun, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
            params![id, workspace, caller, title, begun],
        )?;
        Ok(Conversation {
            id,
            workspace: workspace.to_owned(),
            title: title.to_owned(),
            changed: begun.clone(),
            begun,
            turns: Vec::new(),
        })
    }

    /// The conversations of a caller in a workspace, the latest first.
    pub(crate) fn conversations(&self, workspace: &str, caller: &str) -> Outcome<Vec<Conversation>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT id, title, begun, changed FROM conversations WHERE workspace = ?1 AND caller = ?2 \
             ORDER BY changed DESC, id LIMIT ?3",
        )?;
        let rows = statement.query_map(params![workspace, caller, CONVERSATIONS], |row| {
            Ok(Conversation {
                id: row.get(0)?,
                workspace: workspace.to_owned(),
                title: row.get(1)?,
                begun: row.get(2)?,
                changed: row.get(3)?,
                turns: Vec::new(),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A conversation of a caller, with its latest turns.
    pub(crate) fn conversation(&self, workspace: &str, caller: &str, id: &str) -> Outcome<Conversation> {
        let connection = self.connection();
        let found = connection
            .query_row(
                "SELECT title, begun, changed FROM conversations WHERE id = ?1 AND workspace = ?2 AND caller = ?3",
                [id, workspace, caller],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()?;
        let (title, begun, changed) =
            found.ok_or_else(|| Problem::not_found(format!("there is no conversation {id:?} of yours")))?;
        let mut statement = connection.prepare_cached(
            "SELECT answer, question, text FROM turns WHERE conversation = ?1 ORDER BY place DESC LIMIT ?2",
        )?;
        let rows = statement.query_map(params![id, TURNS], |row| {
            Ok(ConversationTurn { answer: row.get(0)?, question: row.get(1)?, text: row.get(2)? })
        })?;
        let mut turns: Vec<ConversationTurn> = rows.collect::<Result<_, _>>()?;
        turns.reverse();
        Ok(Conversation { id: id.to_owned(), workspace: workspace.to_owned(), title, begun, changed, turns })
    }

    /// Adds to a conversation; an empty title becomes the question. One that was forgotten meanwhile stays forgotten.
    pub(crate) fn add_turn(&self, conversation: &str, turn: &ConversationTurn) -> Outcome<()> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let title: String = turn.question.chars().take(120).collect();
        let changed = transaction.execute(
            "UPDATE conversations SET changed = ?2, title = CASE title WHEN '' THEN ?3 ELSE title END WHERE id = ?1",
            params![conversation, now(), title],
        )?;
        if changed == 0 {
            return Ok(());
        }
        transaction.execute(
            "INSERT INTO turns (conversation, place, answer, question, text) VALUES \
             (?1, (SELECT COALESCE(MAX(place), 0) + 1 FROM turns WHERE conversation = ?1), ?2, ?3, ?4)",
            params![conversation, turn.answer, turn.question, turn.text],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// Forgets a conversation of a caller.
    pub(crate) fn forget_conversation(&self, workspace: &str, caller: &str, id: &str) -> Outcome<bool> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        let gone = transaction.execute(
            "DELETE FROM conversations WHERE id = ?1 AND workspace = ?2 AND caller = ?3",
            [id, workspace, caller],
        )?;
        if gone > 0 {
            transaction.execute("DELETE FROM turns WHERE conversation = ?1", [id])?;
        }
        transaction.commit()?;
        Ok(gone > 0)
    }

    /// Forgets the conversations of a caller in all workspaces, and what they think of answers. Gives how many conversations
    /// there were. Answers and jobs are of a workspace and stay, and so does what a day has cost.
    fn forget_caller(&self, caller: &str) -> Outcome<usize> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        transaction.execute(
            "DELETE FROM turns WHERE conversation IN (SELECT id FROM conversations WHERE caller = ?1)",
            [caller],
        )?;
        transaction.execute("DELETE FROM ratings WHERE caller = ?1", [caller])?;
        let gone = transaction.execute("DELETE FROM conversations WHERE caller = ?1", [caller])?;
        transaction.commit()?;
        Ok(gone)
    }

    /// Adds to what today has cost, all together and a caller's own.
    pub(crate) fn spend(&self, caller: &str, dollars: f64) -> Outcome<()> {
        let mut connection = self.connection();
        let today = super::tokens::today();
        let transaction = connection.transaction()?;
        transaction.execute(
            "INSERT INTO spent (day, dollars) VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET dollars = dollars + ?2",
            params![today, dollars],
        )?;
        transaction.execute(
            "INSERT INTO spent_by (day, caller, dollars) VALUES (?1, ?2, ?3) \
             ON CONFLICT (day, caller) DO UPDATE SET dollars = dollars + ?3",
            params![today, caller, dollars],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// What answers cost on each of the last days, the latest first.
    pub(crate) fn days(&self) -> Outcome<Vec<CostOfDay>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT day, dollars FROM spent ORDER BY day DESC LIMIT 60")?;
        let rows = statement.query_map([], |row| Ok(CostOfDay { day: row.get(0)?, dollars: row.get(1)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps what a caller thinks of an answer; true where they did not think so before.
    pub(crate) fn rate_answer(
        &self,
        answer: &str,
        workspace: &str,
        caller: &str,
        good: bool,
        comment: &str,
    ) -> Outcome<bool> {
        let connection = self.connection();
        let before: Option<bool> = connection
            .query_row(
                "SELECT good FROM ratings WHERE answer = ?1 AND caller = ?2",
                [answer, caller],
                |row| row.get(0),
            )
            .optional()?;
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO ratings (answer, caller, workspace, good, comment, rated) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![answer, caller, workspace, good, comment, now()])?;
        Ok(before != Some(good))
    }

    /// What today has cost: a caller's own, or all together.
    pub(crate) fn spent_today(&self, caller: Option<&str>) -> Outcome<f64> {
        let connection = self.connection();
        let today = super::tokens::today();
        let found = match caller {
            None => {
                connection.query_row("SELECT dollars FROM spent WHERE day = ?1", [today], |row| row.get(0))
            }
            Some(caller) => connection.query_row(
                "SELECT dollars FROM spent_by WHERE day = ?1 AND caller = ?2",
                [today.as_str(), caller],
                |row| row.get(0),
            ),
        };
        Ok(found.optional()?.unwrap_or(0.0))
    }

    /// Puts a job into the queue.
    pub(crate) fn add_job(&self, job: &KeptJob) -> Outcome<()> {
        self.connection().execute(
            "INSERT INTO jobs (id, workspace, caller, kind, request, state, made, retry_of) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                job.id,
                job.workspace,
                job.caller,
                job.kind,
                job.request,
                job.state.as_str(),
                job.made,
                job.retry_of
            ],
        )?;
        Ok(())
    }

    /// A job.
    pub(crate) fn job(&self, id: &str) -> Outcome<Option<KeptJob>> {
        Ok(self.connection().query_row(&format!("{JOB} WHERE id = ?1"), [id], job_of).optional()?)
    }

    /// The jobs of a workspace, the latest first.
    pub(crate) fn jobs(&self, workspace: &str, limit: usize) -> Outcome<Vec<KeptJob>> {
        let connection = self.connection();
        let mut statement = connection
            .prepare_cached(&format!("{JOB} WHERE workspace = ?1 ORDER BY made DESC, id LIMIT ?2"))?;
        let rows = statement.query_map(params![workspace, i64::try_from(limit).unwrap_or(500)], job_of)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Jobs that are not at their end, the earliest first.
    pub(crate) fn open_jobs(&self) -> Outcome<Vec<KeptJob>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&format!(
            "{JOB} WHERE state IN ('queued', 'running', 'stopping') ORDER BY made, id"
        ))?;
        let rows = statement.query_map([], job_of)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Notes how far a job has come.
    pub(crate) fn set_job(
        &self,
        id: &str,
        state: JobState,
        report: Option<&str>,
        problem: Option<&str>,
    ) -> Outcome<()> {
        let (began, ended) = match state {
            JobState::Running => (Some(now()), None),
            state if state.is_final() => (None, Some(now())),
            _ => (None, None),
        };
        self.connection().execute(
            "UPDATE jobs SET state = ?2, began = COALESCE(began, ?3), ended = ?4, report = COALESCE(?5, report), \
             problem = ?6 WHERE id = ?1",
            params![id, state.as_str(), began, ended, report, problem],
        )?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(id: &str, asked: &str) -> AnswerReply {
        let body = serde_json::json!({
            "id": id, "workspace": "w", "generation": 1, "question": "q", "method": "local", "text": "t [1]",
            "answer": "t", "citations": [], "entities": [], "reports": [], "read_as": [], "rewritten": [], "notes": [],
            "timings_ms": {}, "tokens": {}, "calls": 0, "cost": null,
            "context": {"tokens": 0, "budget_tokens": 0, "items": []}, "asked": asked, "url": ""
        });
        serde_json::from_value(body).expect("a reply")
    }

    #[test]
    fn answers_are_kept_for_their_workspace_until_newer_ones_need_the_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptFile::open(folder.path()).expect("opened");
        for (id, asked) in [("a", "2026-01-01"), ("b", "2026-01-02"), ("c", "2026-01-03")] {
            kept.save_answer("local", &reply(id, asked), 2).expect("kept");
        }
        assert!(kept.answer("w", "a").is_err() && kept.answer("other", "c").is_err());
        assert_eq!(
            KeptFile::open(folder.path()).expect("again").answer("w", "c").expect("kept").text,
            "t [1]"
        );
        assert!(kept.forget_answer("w", "c").expect("done") && !kept.forget_answer("w", "c").expect("done"));
    }

    #[test]
    fn what_a_schema_asks_for_is_not_trusted() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptFile::open(folder.path()).expect("opened");
        let trusted = kept.connection().query_row("PRAGMA trusted_schema", [], |row| row.get::<_, bool>(0));
        assert!(!trusted.expect("told"));
    }

    #[test]
    fn what_rests_on_a_document_goes_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptFile::open(folder.path()).expect("opened");
        let resting = |id: &str, document: &str| {
            let mut body = serde_json::to_value(reply(id, "2026-01-01")).expect("JSON");
            body["library"]["rests_on"] = serde_json::json!([{
                "document": {"id": document, "key": "k", "title": ""}, "text_unit": "u", "start": 0, "end": 6,
                "text": "secret", "url": ""
            }]);
            serde_json::from_value::<AnswerReply>(body).expect("a reply")
        };
        kept.save_answer("anna", &resting("a", "gone"), 10).expect("kept");
        kept.save_answer("anna", &resting("b", "stays"), 10).expect("kept");
        let turn = |answer: &str| ConversationTurn {
            answer: answer.to_owned(),
            question: "Who?".to_owned(),
            text: "secret".to_owned(),
        };
        let both = kept.begin_conversation("w", "anna", "").expect("begun");
        let only = kept.begin_conversation("w", "anna", "").expect("begun");
        for (conversation, answer) in [(&both, "a"), (&both, "b"), (&only, "a"), (&only, "unkept")] {
            kept.add_turn(&conversation.id, &turn(answer)).expect("added");
        }
        kept.note_documents("w", "unkept", &resting("", "gone")).expect("noted");
        assert_eq!(kept.documents("w").expect("read"), ["gone", "stays"]);
        assert_eq!(kept.forget_documents("other", &["gone".to_owned()]).expect("done"), (0, 0));
        assert_eq!(kept.forget_documents("w", &["gone".to_owned()]).expect("done"), (1, 3));
        assert!(kept.answer("w", "a").is_err() && kept.answer("w", "b").is_ok());
        assert_eq!(kept.conversation("w", "anna", &both.id).expect("there").turns.len(), 1);
        assert!(kept.conversation("w", "anna", &only.id).is_err(), "nothing is left of it");
        assert_eq!(kept.documents("w").expect("read"), ["stays"]);
    }

    #[test]
    fn answers_of_an_older_program_are_known_by_their_documents() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptFile::open(folder.path()).expect("opened");
        let mut body = serde_json::to_value(reply("a", "2026-01-01")).expect("JSON");
        body["library"]["rests_on"] = serde_json::json!([{
            "document": {"id": "d", "key": "k", "title": ""}, "text_unit": "u", "start": 0, "end": 1, "text": "t",
            "url": ""
        }]);
        kept.save_answer("anna", &serde_json::from_value(body).expect("a reply"), 10).expect("kept");
        kept.connection().execute_batch("DROP TABLE rests").expect("as it was");
        drop(kept);
        assert_eq!(KeptFile::open(folder.path()).expect("again").documents("w").expect("read"), ["d"]);
    }

    #[test]
    fn a_conversation_is_its_callers_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptFile::open(folder.path()).expect("opened");
        let begun = kept.begin_conversation("w", "anna", "").expect("begun");
        let turn = ConversationTurn { answer: "1".into(), question: "Who?".into(), text: "He.".into() };
        kept.add_turn(&begun.id, &turn).expect("added");
        let found = kept.conversation("w", "anna", &begun.id).expect("found");
        assert_eq!((found.title.as_str(), found.turns.len()), ("Who?", 1));
        assert!(kept.conversation("w", "bert", &begun.id).is_err());
        assert!(kept.conversation("v", "anna", &begun.id).is_err());
        assert!(!kept.forget_conversation("w", "bert", &begun.id).expect("done"));
        assert!(kept.forget_conversation("w", "anna", &begun.id).expect("done"));
        assert!(kept.conversations("w", "anna").expect("listed").is_empty());
    }

    #[test]
    fn what_is_kept_for_a_caller_goes_with_them() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(forget_caller(folder.path(), "anna").expect("nothing to do"), None);
        assert!(!folder.path().join(FILE).exists(), "nothing is made for it");
        let kept = KeptFile::open(folder.path()).expect("opened");
        let turn = ConversationTurn { answer: "1".into(), question: "Who?".into(), text: "He.".into() };
        let mut ids = Vec::new();
        for (workspace, caller) in [("w", "anna"), ("v", "anna"), ("w", "bert")] {
            let begun = kept.begin_conversation(workspace, caller, "").expect("begun");
            kept.add_turn(&begun.id, &turn).expect("added");
            ids.push(begun.id);
        }
        kept.save_answer("anna", &reply("1", "2026-01-01"), 10).expect("kept");
        // the file is open, as it is while a server runs
        assert_eq!(forget_caller(folder.path(), "anna").expect("done"), Some(2));
        assert!(kept.conversations("w", "anna").expect("listed").is_empty());
        assert!(kept.conversation("v", "anna", &ids[1]).is_err());
        assert_eq!(kept.conversation("w", "bert", &ids[2]).expect("there").turns.len(), 1);
        assert!(kept.answer("w", "1").is_ok(), "a link is anybody's who reads the workspace");
        // an answer that was under way
        kept.add_turn(&ids[0], &turn).expect("left out");
        let turns = "SELECT count(*) FROM turns";
        let left = kept.connection().query_row(turns, [], |row| row.get::<_, i64>(0));
        assert_eq!(left.expect("counted"), 1);
    }

    #[test]
    fn a_file_of_an_older_program_is_brought_up_to_date() {
        let folder = tempfile::tempdir().expect("a folder");
        private::touch(&folder.path().join(FILE)).expect("made");
        let old = Connection::open(folder.path().join(FILE)).expect("opened");
        let without = SCHEMA.replace(", retry_of TEXT", "");
        assert_ne!(without, SCHEMA);
        old.execute_batch(&without).expect("as it was");
        old.execute_batch(
            "INSERT INTO jobs (id, workspace, caller, kind, request, state, made) \
             VALUES ('a', 'w', 'local', 'refresh', '{}', 'failed', '2026')",
        )
        .expect("a job");
        drop(old);
        let kept = KeptFile::open(folder.path()).expect("opened");
        let job = kept.job("a").expect("read").expect("there");
        assert_eq!((job.state, &job.retry_of), (JobState::Failed, &None));
        let again = KeptJob { id: "b".to_owned(), retry_of: Some("a".to_owned()), ..job };
        kept.add_job(&again).expect("added");
        assert_eq!(kept.job("b").expect("read").expect("there").retry_of.as_deref(), Some("a"));
        KeptFile::open(folder.path()).expect("once more");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_came_with_a_checkout_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        drop(KeptFile::open(folder.path()).unwrap());
        let path = folder.path().join(FILE);
        let set = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        for open in [0o644, 0o604, 0o606] {
            set(open);
            let refused = KeptFile::open(folder.path()).err().unwrap().to_string();
            assert!(refused.contains("serve.db may be read by everybody"), "{refused}");
        }
        for ours in [0o600, 0o640] {
            set(ours);
            KeptFile::open(folder.path()).unwrap();
        }
    }

    #[test]
    fn a_file_with_a_view_or_a_trigger_is_refused() {
        for made in [
            "CREATE TRIGGER theirs AFTER INSERT ON jobs BEGIN DELETE FROM jobs; END",
            "CREATE VIEW theirs AS SELECT id FROM jobs",
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            drop(KeptFile::open(folder.path()).expect("opened"));
            let theirs = Connection::open(folder.path().join(FILE)).expect("opened");
            theirs.execute_batch(made).expect("made");
            drop(theirs);
            let told = KeptFile::open(folder.path()).map(drop).expect_err("refused");
            let told = format!("{told:#}");
            assert!(told.contains("\"theirs\"") && told.contains(FILE), "{told}");
        }
    }

    #[test]
    fn what_a_day_costs_is_added_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptFile::open(folder.path()).expect("opened");
        kept.spend("anna", 0.25).expect("noted");
        kept.spend("bert", 0.5).expect("noted");
        for (caller, dollars) in [(None, 0.75), (Some("anna"), 0.25), (Some("bert"), 0.5), (Some("c"), 0.0)] {
            assert!((kept.spent_today(caller).expect("read") - dollars).abs() < 1e-9, "{caller:?}");
        }
    }
}
