//! Bearer tokens: who may do what, where, and until when. A token is shown once, when it is made; what is kept is its hash.

use crate::{private, small_file};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// What begins every token.
const PREFIX: &str = "gw_";
/// How often the file is looked at.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Name of the file in the folder of embedded data.
pub const FILE: &str = "tokens.json";

/// What a token allows; each allows what stands before it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    clap::ValueEnum,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Look at what is stored, and search without a model.
    Read,
    /// Ask questions, which may cost money.
    Ask,
    /// Add and remove documents, correct the graph.
    Write,
    /// Everything.
    Admin,
}

/// A token as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessToken {
    /// What it is called in lists and logs.
    pub name: String,
    /// BLAKE3 of the token.
    pub hash: String,
    /// What it allows.
    pub role: Role,
    /// Where; absent: in every workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspaces: Option<Vec<String>>,
    /// The last day on which it holds, as `YYYY-MM-DD`; absent: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// Dollars that its answers may cost in a day; absent: as many as those of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_per_day: Option<f64>,
    /// Answers that it may ask for in a minute; absent: as `[serve]` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_per_minute: Option<u32>,
    /// The day it was made.
    pub made: String,
}

/// A token to be made.
#[derive(Clone, Debug)]
pub struct TokenRequest {
    /// What it is to be called.
    pub name: String,
    /// What it allows.
    pub role: Role,
    /// Where; empty: in every workspace.
    pub workspaces: Vec<String>,
    /// The last day on which it holds.
    pub ends: Option<String>,
    /// Dollars that its answers may cost in a day.
    pub max_cost_per_day: Option<f64>,
    /// Answers that it may ask for in a minute.
    pub answers_per_minute: Option<u32>,
}

impl AccessToken {
    /// Whether its last day is past.
    pub fn has_ended(&self, today: &str) -> bool {
        self.ends.as_deref().is_some_and(|ends| ends < today)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTokens {
    tokens: Vec<AccessToken>,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Caller {
    /// Name of the token; `local` where none is needed.
    pub(crate) name: String,
    /// What it may do.
    pub(crate) role: Role,
    /// Where; absent: everywhere.
    pub(crate) workspaces: Option<Vec<String>>,
    /// Dollars that its answers may cost in a day.
    pub(crate) max_cost_per_day: Option<f64>,
    /// Answers that it may ask for in a minute.
    pub(crate) answers_per_minute: Option<u32>,
}

/// What the caller without a token is called: conversations go by names.
const LOCAL: &str = "local";

impl Caller {
    /// Whoever sits at this machine, where no token is needed.
    pub(crate) fn local(role: Role) -> Self {
        Self {
            name: LOCAL.to_owned(),
            role,
            workspaces: None,
            max_cost_per_day: None,
            answers_per_minute: None,
        }
    }

    /// Whether a workspace is within reach.
    pub(crate) fn may_see(&self, workspace: &str) -> bool {
        self.workspaces.as_ref().is_none_or(|names| names.iter().any(|name| name == workspace))
    }

    /// Whether every workspace is within reach, those too that are made later.
    pub(crate) fn may_see_all(&self) -> bool {
        self.workspaces.is_none()
    }
}

/// Today, in UTC.
pub fn today() -> String {
    chrono::Utc::now().format("%Y-%m-%d").to_string()
}

/// The file of tokens.
#[derive(Debug)]
pub struct TokenFile {
    path: PathBuf,
    read: Mutex<KnownTokens>,
}

#[derive(Debug)]
struct KnownTokens {
    looked: Option<Instant>,
    written: Option<(SystemTime, u64)>,
    tokens: Vec<AccessToken>,
    /// Whether there ever was one, or may be where the file cannot be read.
    needed: bool,
}

impl TokenFile {
    /// The tokens of a file, which need not be there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            read: Mutex::new(KnownTokens { looked: None, written: None, tokens: Vec::new(), needed: false }),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All tokens, in the order they were made.
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else.
    pub fn list(&self) -> Result<Vec<AccessToken>> {
        let text = match small_file::read_text(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => {
                return Err(anyhow::Error::new(error).context(format!("cannot read {}", self.path.display())));
            }
        };
        let kept: StoredTokens = serde_json::from_str(&text).with_context(|| {
            format!("{} does not hold tokens; remove it and make them anew", self.path.display())
        })?;
        Ok(kept.tokens)
    }

    /// Makes a token and returns it; it can not be shown again.
    ///
    /// # Errors
    /// A name that is taken or empty, a day that is none; the file cannot be written, or would be too long to be read.
    pub fn add(&self, name: &str, role: Role, workspaces: &[String], ends: Option<&str>) -> Result<String> {
        self.make(&TokenRequest {
            name: name.to_owned(),
            role,
            workspaces: workspaces.to_vec(),
            ends: ends.map(str::to_owned),
            max_cost_per_day: None,
            answers_per_minute: None,
        })
    }

    /// [`Self::add`] with limits of its own.
    ///
    /// # Errors
    /// As there; a limit that is no number of dollars.
    pub fn make(&self, wish: &TokenRequest) -> Result<String> {
        let mut tokens = self.list()?;
        let (name, ends) = (wish.name.as_str(), wish.ends.as_deref());
        if let Some(most) = wish.max_cost_per_day.filter(|most| !most.is_finite() || *most < 0.0) {
            bail!("--max-cost-per-day {most} is no number of dollars; write it as 2.50");
        }
        let fine = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.@ ".contains(c));
        if !fine {
            bail!("token {name:?} cannot be made; name it with letters, digits, - _ . or @");
        }
        if name == LOCAL {
            bail!("token {name:?} cannot be made: whoever needs no token is called so; choose another name");
        }
        if tokens.iter().any(|token| token.name == name) {
            bail!(
                "there is a token {name:?} already; take another name, or `graphwright token remove {name:?}` first"
            );
        }
        if let Some(day) = ends
            && chrono::NaiveDate::parse_from_str(day, "%Y-%m-%d").is_err()
        {
            bail!("--ends {day:?} is no day; write it as 2027-01-31");
        }
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| anyhow::anyhow!("the system gives no random numbers: {error}"))?;
        let secret: String = std::iter::once(PREFIX.to_owned())
            .chain(bytes.iter().map(|byte| format!("{byte:02x}")))
            .collect();
        tokens.push(AccessToken {
            name: name.to_owned(),
            hash: blake3::hash(secret.as_bytes()).to_hex().to_string(),
            role: wish.role,
            workspaces: (!wish.workspaces.is_empty()).then(|| wish.workspaces.clone()),
            ends: wish.ends.clone(),
            max_cost_per_day: wish.max_cost_per_day,
            answers_per_minute: wish.answers_per_minute,
            made: today(),
        });
        self.save(tokens)?;
        Ok(secret)
    }

    /// Takes a token back.
    ///
    /// # Errors
    /// A name that no token has; the file cannot be written.
    pub fn remove(&self, name: &str) -> Result<()> {
        let mut tokens = self.list()?;
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        if tokens.len() == before {
            bail!("there is no token {name:?}; `graphwright token list` shows them");
        }
        self.save(tokens)
    }

    fn save(&self, tokens: Vec<AccessToken>) -> Result<()> {
        if let Some(folder) = self.path.parent() {
            private::create_dir_all(folder)
                .with_context(|| format!("cannot make folder {}", folder.display()))?;
        }
        let mut text =
            serde_json::to_string_pretty(&StoredTokens { tokens }).context("while writing tokens")?;
        text.push('\n');
        // what cannot be read again would shut everybody out
        if text.len() as u64 > small_file::MOST_BYTES {
            bail!(
                "{} would be longer than {} MB, the most that is read of it; remove tokens that have ended: `graphwright \
                 token list` shows them, `graphwright token remove NAME` takes one away",
                self.path.display(),
                small_file::MOST_BYTES / 1_000_000
            );
        }
        // in one step: whoever reads meanwhile finds the old ones or the new
        let beside = self.path.with_extension("json.new");
        private::write(&beside, &text)
            .and_then(|()| std::fs::rename(&beside, &self.path))
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// The tokens as the file holds them now; it is looked at once a second at most. A file that was spoilt keeps what it
    /// held before; one that never could be read lets nobody in.
    fn current(&self) -> Vec<AccessToken> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.looked.is_none_or(|looked| looked.elapsed() >= LOOK_AGAIN) {
            read.looked = Some(Instant::now());
            let written = std::fs::metadata(&self.path)
                .ok()
                .and_then(|found| Some((found.modified().ok()?, found.len())));
            if written != read.written {
                match self.list() {
                    Ok(tokens) => {
                        read.needed |= !tokens.is_empty();
                        read.tokens = tokens;
                        read.written = written;
                    }
                    Err(error) => {
                        read.needed = true;
                        tracing::error!("{error:#}");
                    }
                }
            }
        }
        read.tokens.clone()
    }

    /// Whether there is any, or was one since the start: then every request needs one. Who takes the last one back, or loses
    /// the file, does not mean to let everybody in.
    pub(crate) fn is_needed(&self) -> bool {
        drop(self.current());
        self.read.lock().unwrap_or_else(PoisonError::into_inner).needed
    }

    /// Whose token this is; nothing where it is none of ours, or has ended.
    pub(crate) fn caller(&self, secret: &str) -> Option<Caller> {
        let hash = blake3::hash(secret.as_bytes());
        let date = today();
        // hashes are compared in constant time
        let found = self.current().into_iter().find(|token| {
            blake3::Hash::from_hex(&token.hash).is_ok_and(|known| known == hash) && !token.has_ended(&date)
        })?;
        Some(Caller {
            name: found.name,
            role: found.role,
            workspaces: found.workspaces,
            max_cost_per_day: found.max_cost_per_day,
            answers_per_minute: found.answers_per_minute,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_what_it_says_until_its_last_day() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = TokenFile::new(folder.path().join(FILE));
        assert!(!file.is_needed());
        let open = TokenFile::new(file.path());
        let reader = open.add("reader", Role::Read, &["a".into()], None).expect("made");
        let past = open.add("past", Role::Admin, &[], Some("2020-01-31")).expect("made");
        let today = open.add("today", Role::Ask, &[], Some(&today())).expect("made");
        let file = TokenFile::new(file.path());
        let caller = file.caller(&reader).expect("known");
        assert_eq!((caller.role, caller.may_see("a"), caller.may_see("b")), (Role::Read, true, false));
        assert!(file.caller(&past).is_none() && file.caller("gw_0").is_none());
        assert_eq!(file.caller(&today).expect("known").role, Role::Ask);
        let text = std::fs::read_to_string(file.path()).expect("written");
        assert!(!text.contains(&reader), "only hashes are kept");
        // without the file nobody comes in, until the server is started again
        assert!(file.is_needed());
        std::fs::remove_file(file.path()).expect("removed");
        std::thread::sleep(LOOK_AGAIN + Duration::from_millis(50));
        assert!(file.is_needed() && file.caller(&reader).is_none());
        assert!(!TokenFile::new(file.path()).is_needed());
    }

    #[test]
    fn wrong_ones_are_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = TokenFile::new(folder.path().join(FILE));
        file.add("a", Role::Read, &[], None).expect("made");
        let check = |result: Result<()>, told: &str| {
            let error = result.expect_err(told).to_string();
            assert!(error.contains(told), "{error}");
        };
        check(file.add("a", Role::Read, &[], None).map(drop), "already");
        check(file.add("local", Role::Read, &[], None).map(drop), "choose another name");
        check(file.add("b", Role::Read, &[], Some("31.1.2027")).map(drop), "no day");
        check(file.add("", Role::Read, &[], None).map(drop), "name it");
        check(file.remove("b"), "no token");
    }

    #[test]
    fn a_file_that_is_too_long_is_not_read_and_none_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = TokenFile::new(folder.path().join(FILE));
        let told = |error: anyhow::Error| format!("{error:#}");
        // one workspace whose name leaves room for no other token
        let name = "w".repeat(999_000);
        let secret = file.add("long", Role::Read, &[name], None).expect("made");
        let before = std::fs::read_to_string(file.path()).expect("written");
        let mut names = (0..10).map(|number| format!("more {number}"));
        let full = names.find_map(|name| file.add(&name, Role::Read, &[], None).err());
        let error = told(full.expect("no room is left"));
        for part in
            ["tokens.json would be longer than 1 MB", "remove tokens that have ended", "token remove NAME"]
        {
            assert!(error.contains(part), "{error}");
        }
        // those that are there hold, and can be taken away
        assert!(std::fs::read_to_string(file.path()).expect("kept").len() >= before.len());
        assert!(file.list().expect("read").iter().any(|token| token.name == "long"));
        file.remove("long").expect("removed");

        std::fs::write(file.path(), before + &" ".repeat(1_000_001)).expect("written");
        let error = told(file.list().expect_err("too long"));
        assert!(error.contains("cannot read") && error.contains("tokens.json"), "{error}");
        assert!(error.contains("a file of at most 1 MB was wanted"), "{error}");
        // nor does a server that starts with it let everybody in
        let file = TokenFile::new(file.path());
        assert!(file.is_needed() && file.caller(&secret).is_none());
    }
}
