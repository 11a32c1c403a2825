//! What all faces of the server share.

use super::drawings::Drawings;
use super::kept::KeptFile;
use super::limits::ServeLimits;
use super::metrics::Metrics;
use super::problem::{Outcome, Problem, ProblemType};
use super::queue::Jobs;
use super::tokens::{Caller, Role, TokenFile};
use super::workspaces::{Workspace, Workspaces};
use crate::config::Config;
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio_util::sync::CancellationToken;

/// How the server is started.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    /// Where it listens; port 0: nowhere, until a place is taken.
    pub listen: SocketAddr,
    /// Whether nothing may be changed.
    pub read_only: bool,
    /// What stands before every address behind a proxy: `/kg`; empty for nothing.
    pub base_path: String,
    /// The file of tokens.
    pub tokens: PathBuf,
    /// The workspace that is meant where none is named.
    pub workspace: String,
    /// The folder that keys of documents are seen from; empty: the working folder.
    pub folder: PathBuf,
}

/// Everything that a request may need.
pub(crate) struct App {
    /// How the server was started.
    pub(crate) settings: ServeSettings,
    /// The workspaces.
    pub(crate) workspaces: Workspaces,
    /// Who may do what.
    pub(crate) tokens: TokenFile,
    /// How much at once.
    pub(crate) limits: ServeLimits,
    /// What is measured.
    pub(crate) metrics: Arc<Metrics>,
    /// Answers, conversations and jobs on disk.
    pub(crate) kept: KeptFile,
    /// Jobs under way.
    pub(crate) jobs: Jobs,
    /// What describes the API: set by whoever has put the routes together.
    pub(crate) describe: OnceLock<fn(&App) -> String>,
    /// The description, from when it was first asked for.
    pub(crate) description: OnceLock<String>,
    /// Pages of PDF files that were drawn.
    pub(crate) drawings: Drawings,
    /// Cancelled when the server is asked to stop.
    pub(crate) stopping: CancellationToken,
    /// Where the server is reached, without a slash at its end.
    pub(crate) public_url: String,
    /// Which stores answered when they were last asked, and when that was.
    pub(crate) stores: tokio::sync::Mutex<Option<(std::time::Instant, StoresDown)>>,
    /// Answers that were given an id before they were made; with what went wrong, where something did.
    pending: Mutex<BTreeMap<String, PendingState>>,
}

/// How many workspaces have a store that does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoresDown {
    /// Their graph store.
    pub(crate) graphs: usize,
    /// Their vector store.
    pub(crate) vectors: usize,
}

/// How far an answer has come that was given an id before it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PendingState {
    /// It is being made.
    Made,
    /// It could not be made: why.
    Failed(String),
}

/// An answer that is being made.
pub(crate) struct Pending {
    app: Shared,
    id: String,
    is_kept: bool,
}

impl Pending {
    /// It was made, or something went wrong.
    pub(crate) fn end(mut self, problem: Option<String>) {
        if let Some(problem) = problem {
            self.is_kept = true;
            let mut pending = self.app.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.insert(self.id.clone(), PendingState::Failed(problem));
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.is_kept {
            self.app.pending.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        }
    }
}

/// Failed answers that are remembered.
const FAILED: usize = 1_000;

/// The state of every handler.
pub(crate) type Shared = Arc<App>;

impl App {
    /// Everything of a server.
    ///
    /// # Errors
    /// The server's own records cannot be opened.
    pub(crate) fn new(config: Config, data: &Path, settings: ServeSettings) -> anyhow::Result<Shared> {
        // readers name files by whole paths, and what is told of them leaves the folder out
        let data = std::path::absolute(data)
            .with_context(|| format!("{}: the current folder is not known", data.display()))?;
        let mut named: BTreeSet<String> = config.serve.workspaces.iter().cloned().collect();
        if config.graph.url.is_some() {
            named.insert(settings.workspace.clone());
        }
        let metrics: Arc<Metrics> = Arc::default();
        let public_url = match &config.serve.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            // nobody opens links of a program that listens nowhere
            None if settings.listen.port() == 0 => String::new(),
            None => format!("http://{}{}", settings.listen, settings.base_path),
        };
        Ok(Arc::new(Self {
            tokens: TokenFile::new(&settings.tokens),
            limits: ServeLimits::new(&config.serve, Arc::clone(&metrics)),
            kept: KeptFile::open(&data)?,
            jobs: Jobs::default(),
            drawings: Drawings::default(),
            describe: OnceLock::new(),
            description: OnceLock::new(),
            workspaces: Workspaces::new(config, data, named),
            metrics,
            stopping: CancellationToken::new(),
            public_url,
            stores: tokio::sync::Mutex::default(),
            pending: Mutex::default(),
            settings,
        }))
    }

    /// Whether requests are meant to come from elsewhere, by a proxy on this machine.
    pub(crate) fn is_public(&self) -> bool {
        self.config().serve.public_url.as_deref().is_some_and(|url| !crate::address::is_local(url))
    }

    /// What stands before every route for whoever reads the description: the address from outside where it is known, else
    /// the path alone, seen from where the description was read.
    pub(crate) fn before_routes(&self) -> &str {
        if self.config().serve.public_url.is_some() {
            &self.public_url
        } else if self.settings.base_path.is_empty() {
            "/"
        } else {
            &self.settings.base_path
        }
    }

    /// The link to a place of the page; empty where no server is known that shows it.
    pub(crate) fn page(&self, place: &str) -> String {
        if self.public_url.is_empty() { String::new() } else { format!("{}/#/{place}", self.public_url) }
    }

    /// Notes that an answer is being made.
    pub(crate) fn begin_pending(self: &Arc<Self>, id: String) -> Pending {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.len() >= FAILED {
            pending.retain(|_, state| *state == PendingState::Made);
        }
        pending.insert(id.clone(), PendingState::Made);
        Pending { app: Arc::clone(self), id, is_kept: false }
    }

    /// Whether an answer is being made, or what went wrong; nothing where it is there, or was never asked for.
    pub(crate) fn pending(&self, id: &str) -> Option<PendingState> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// The configuration.
    pub(crate) fn config(&self) -> &Config {
        &self.workspaces.config
    }

    /// A workspace that the caller may see. One that it may not see is as one that is not there.
    ///
    /// # Errors
    /// It is not there; what the stores say.
    pub(crate) async fn workspace(&self, caller: &Caller, name: &str) -> Outcome<Arc<Workspace>> {
        if !caller.may_see(name) {
            return Err(self.no_workspace(caller, name));
        }
        self.workspaces.get(name).await.map_err(|problem| match problem.kind {
            ProblemType::NotFound => self.no_workspace(caller, name),
            _ => problem,
        })
    }

    fn no_workspace(&self, caller: &Caller, name: &str) -> Problem {
        let names = self.names_for(caller);
        let told = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
        Problem::not_found(format!("there is no workspace {name:?}; there are: {told}"))
    }

    /// Names of the workspaces that a caller may see.
    pub(crate) fn names_for(&self, caller: &Caller) -> Vec<String> {
        self.workspaces.names().into_iter().filter(|name| caller.may_see(name)).collect()
    }

    /// The workspace that is meant where a caller names none: the one of the command line, else the only one.
    ///
    /// # Errors
    /// There are several, or none.
    pub(crate) fn default_workspace(&self, caller: &Caller) -> Outcome<String> {
        let mut names = self.names_for(caller);
        if names.contains(&self.settings.workspace) {
            return Ok(self.settings.workspace.clone());
        }
        match (names.pop(), names.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(_), false) => Err(Problem::invalid("there are several workspaces; name one of them")),
            (None, _) => {
                Err(Problem::not_found("nothing is indexed yet; run `graphwright index PATH...` first"))
            }
        }
    }

    /// Refuses a caller that may not do this.
    ///
    /// # Errors
    /// The role is too low, or the server only reads.
    pub(crate) fn allow(&self, caller: &Caller, role: Role) -> Outcome<()> {
        if self.settings.read_only && role >= Role::Write {
            return Err(Problem::new(
                ProblemType::ReadOnly,
                "nothing can be changed here: `serve` was started with --read-only, or `mcp` without --allow-write",
            ));
        }
        if caller.role < role {
            let wanted = format!("{role:?}").to_lowercase();
            return Err(Problem::new(
                ProblemType::Forbidden,
                format!(
                    "this needs a token of role {wanted}; `graphwright token add NAME --role {wanted}` makes one"
                ),
            ));
        }
        Ok(())
    }

    /// Refuses questions of a model beyond what a day may cost, all together and this caller's own.
    ///
    /// # Errors
    /// A budget is used up.
    pub(crate) fn allow_cost(&self, caller: &Caller) -> Outcome<()> {
        if let Some(most) = self.config().serve.max_cost_per_day
            && self.kept.spent_today(None)? >= most
        {
            return Err(
                self.beyond(&format!("answers have cost {most} dollars today ([serve] max_cost_per_day)"))
            );
        }
        if let Some(most) = caller.max_cost_per_day
            && self.kept.spent_today(Some(&caller.name))? >= most
        {
            return Err(self.beyond(&format!("the answers of this token have cost {most} dollars today")));
        }
        Ok(())
    }

    fn beyond(&self, told: &str) -> Problem {
        self.metrics.count("graphwright_rejected_total", &[("reason", "budget-reached")]);
        Problem::new(ProblemType::BudgetReached, format!("{told}; ask again tomorrow, or without a model"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_data_folder_is_known_by_its_whole_path() {
        let here = std::env::current_dir().expect("a folder");
        let folder = tempfile::tempdir_in(&here).expect("a folder");
        let relative = folder.path().strip_prefix(&here).expect("below").to_path_buf();
        let settings = ServeSettings {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            read_only: false,
            base_path: String::new(),
            tokens: folder.path().join("tokens"),
            workspace: "default".to_owned(),
            folder: here.clone(),
        };
        let app = App::new(Config::default(), &relative, settings).expect("a server");
        assert_eq!(app.workspaces.data, folder.path(), "so that no problem of a file tells a part of it");
    }
}
