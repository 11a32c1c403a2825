//! The workspaces that are served: found by name, opened for reading at their first use, closed when others need the place. A
//! read never makes one.

use super::held::{ReadingCache, StateMark, give_old};
use super::ordering::DocumentList;
use super::problem::{Outcome, Problem, ProblemType};
use super::shapes::CommunityRow;
use crate::config::Config;
use crate::domain::Id;
use crate::exchange::replace;
use crate::map::{Map, MapSettings};
use crate::progress::Progress;
use crate::services::{self, Access, Services};
use crate::stores::pages;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long a workspace whose models could not be asked is held open.
const WITHOUT_MODELS: Duration = Duration::from_secs(30);
/// How long the list of entities is taken for the present one.
const LIST_LASTS: Duration = Duration::from_mins(1);
/// Entities read at once.
const PAGE: usize = 2000;
/// Questions that may be wished for at once.
pub(crate) const QUESTIONS: usize = 20;
/// Languages that suggestions are held in: that of most documents, English, Chinese.
const LANGUAGES: usize = 3;
/// Maps kept of one workspace.
const MAPS: usize = 4;
/// How long a search may wait for a model before its view of the graph is let go, where keeping it makes the store's log
/// larger than so many bytes.
const IDLE: Duration = Duration::from_mins(1);
const LOG_BYTES: u64 = 256 << 20;

/// A workspace that is open for reading.
pub(crate) struct Workspace {
    /// Its name.
    pub(crate) name: String,
    /// What it is read with.
    pub(crate) services: Services,
    /// Tells this opening from others.
    pub(crate) opening: u64,
    /// The data folder.
    data: PathBuf,
    /// All documents, where they are not too many.
    pub(crate) documents: ReadingCache<Option<DocumentList>>,
    /// All communities by level, the largest first.
    pub(crate) communities: ReadingCache<Vec<CommunityRow>>,
    /// Text units that wait and that failed.
    pub(crate) left: ReadingCache<(u64, u64)>,
    /// Questions worth asking first: one, two, and so on.
    pub(crate) questions: [ReadingCache<Vec<String>>; QUESTIONS * LANGUAGES],
    opened: Instant,
    used: AtomicU64,
    entities: Mutex<Option<EntityList>>,
    maps: Mutex<Vec<KeptMap>>,
    /// Whoever makes a map holds it.
    making: Mutex<()>,
    /// How often all maps were let go because something was taken out.
    cleared: AtomicU64,
}

/// An entity as lists show it.
#[derive(Clone, Debug)]
pub(crate) struct ListedEntity {
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) text_units: u32,
    pub(crate) degree: u32,
    /// Name and aliases, flat, for finding.
    pub(crate) flat: Vec<String>,
}

struct EntityList {
    mark: StateMark,
    read: Instant,
    list: Arc<Vec<ListedEntity>>,
}

struct KeptMap {
    mark: StateMark,
    settings: MapSettings,
    map: Arc<Map>,
    /// Whether the graph has changed since.
    is_old: bool,
}

/// A map that is given.
#[derive(Clone)]
pub(crate) struct GivenMap {
    /// The generation that it shows.
    pub(crate) generation: u64,
    /// The map.
    pub(crate) map: Arc<Map>,
    /// Whether the graph has changed since, and a newer one is being made.
    pub(crate) is_old: bool,
}

impl Workspace {
    /// Keeps the ledger now and then, while the answer goes out.
    pub(crate) fn keep_ledger_behind(self: &Arc<Self>) {
        let own = Arc::clone(self);
        tokio::spawn(async move { own.services.keep_ledger_now_and_then().await });
    }

    /// The generation that is read now.
    pub(crate) async fn generation(&self) -> Outcome<u64> {
        Ok(self.services.graph.state().await?.generation)
    }

    /// What is the same as long as nothing has changed.
    pub(crate) async fn mark(&self) -> Outcome<StateMark> {
        // changes first: what comes between them is seen at the next look
        let changes = self.services.graph.changes().await?;
        Ok(StateMark { generation: self.generation().await?, changes })
    }

    /// All entities, those of most text units first.
    pub(crate) async fn entities(&self) -> Outcome<Arc<Vec<ListedEntity>>> {
        let mark = self.mark().await?;
        let mut kept = self.entities.lock().await;
        if let Some(known) = kept.as_ref()
            && (known.mark == mark && mark.changes.is_some()
                || known.mark.generation == mark.generation && known.read.elapsed() < LIST_LASTS)
        {
            if known.mark != mark {
                give_old();
            }
            return Ok(Arc::clone(&known.list));
        }
        let mut list = Vec::new();
        let mut pages = pages::entities(self.services.graph.as_ref(), PAGE);
        while let Some(page) = pages.next().await? {
            list.extend(page.into_iter().map(|entity| ListedEntity {
                flat: std::iter::once(&entity.name).chain(&entity.aliases).map(|name| flat(name)).collect(),
                id: entity.id,
                name: entity.name,
                kind: entity.kind,
                text_units: entity.text_unit_count,
                degree: entity.degree,
            }));
        }
        list.sort_by(|a, b| (b.text_units, &a.name, &a.id).cmp(&(a.text_units, &b.name, &b.id)));
        let list = Arc::new(list);
        *kept = Some(EntityList { mark, read: Instant::now(), list: Arc::clone(&list) });
        Ok(list)
    }

    /// The map, laid out once a generation. Where the graph has changed, the one before is given, and a newer one is made
    /// meanwhile: whoever looks does not wait for it.
    ///
    /// # Errors
    /// There is nothing to draw; what the stores say.
    pub(crate) async fn map(self: &Arc<Self>, settings: MapSettings) -> Outcome<GivenMap> {
        let mark = self.mark().await?;
        if let Some(given) = self.kept_map(mark, settings).await {
            if given.is_old {
                give_old();
                self.remake_map(settings);
            }
            return Ok(given);
        }
        if self.services.graph.counts().await?.entities == 0 {
            return Err(Problem::not_found("the workspace has no entities to draw; index documents first"));
        }
        self.make_map(settings).await
    }

    /// A map that is there, whether the graph has changed since or not.
    async fn kept_map(&self, mark: StateMark, settings: MapSettings) -> Option<GivenMap> {
        let maps = self.maps.lock().await;
        let known = maps.iter().find(|known| known.settings == settings)?;
        let is_old = known.is_old || known.mark.generation != mark.generation;
        if !is_old && known.mark != mark {
            give_old();
        }
        Some(GivenMap { generation: known.mark.generation, map: Arc::clone(&known.map), is_old })
    }

    /// Makes a map and keeps it. Whoever wants the same meanwhile waits for it.
    async fn make_map(self: &Arc<Self>, settings: MapSettings) -> Outcome<GivenMap> {
        let _turn = self.making.lock().await;
        loop {
            let cleared = self.cleared.load(Ordering::Relaxed);
            let mark = self.mark().await?;
            if let Some(given) = self.kept_map(mark, settings).await.filter(|given| !given.is_old) {
                return Ok(given);
            }
            let workspace = Arc::clone(self);
            // it reckons for as long as a processor has work
            let made = on_a_thread(move || async move {
                crate::map::map(&workspace.services, settings, &workspace.data, &Progress::silent()).await
            });
            let map = Arc::new(made.await??);
            let is_old = self.mark().await?.generation != mark.generation;
            if self.cleared.load(Ordering::Relaxed) == cleared {
                return Ok(self.keep_map(KeptMap { mark, settings, map, is_old }).await);
            }
            // what was taken out meanwhile may be on it
        }
    }

    async fn keep_map(&self, kept: KeptMap) -> GivenMap {
        let given =
            GivenMap { generation: kept.mark.generation, map: Arc::clone(&kept.map), is_old: kept.is_old };
        let mut maps = self.maps.lock().await;
        let settings = kept.settings;
        maps.retain(|known| known.settings != settings);
        if maps.len() >= MAPS {
            maps.remove(0);
        }
        maps.push(kept);
        given
    }

    /// Makes a map anew while others go on, unless one is being made.
    fn remake_map(self: &Arc<Self>, settings: MapSettings) {
        if self.making.try_lock().is_err() {
            return;
        }
        let workspace = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(problem) = workspace.make_map(settings).await {
                tracing::warn!(
                    workspace = workspace.name,
                    problem = problem.detail,
                    "the map could not be laid out anew"
                );
                // whoever looks next is told
                workspace.maps.lock().await.retain(|known| known.settings != settings);
            }
        });
    }
}

/// Does work that keeps a processor busy, or stays on one thread, where it holds nobody up.
///
/// # Errors
/// The work panicked.
pub(crate) async fn on_a_thread<T, Work, Doing>(work: Work) -> Outcome<T>
where
    T: Send + 'static,
    Work: FnOnce() -> Doing + Send + 'static,
    Doing: Future<Output = T>,
{
    let runtime = tokio::runtime::Handle::current();
    let done = tokio::task::spawn_blocking(move || runtime.block_on(work())).await;
    done.map_err(|error| Problem::failed(error.to_string()))
}

/// A text in the form that names are looked for in.
pub(crate) fn flat(text: &str) -> String {
    crate::query::question::flatten(text)
}

/// Where workspaces are, and which of them are open.
pub(crate) struct Workspaces {
    pub(crate) config: Config,
    pub(crate) data: PathBuf,
    named: BTreeSet<String>,
    clock: AtomicU64,
    open: Mutex<BTreeMap<String, Arc<Workspace>>>,
}

impl Workspaces {
    /// Those in the data folder, and those that are named.
    pub(crate) fn new(config: Config, data: PathBuf, named: BTreeSet<String>) -> Self {
        Self { config, data, named, clock: AtomicU64::new(0), open: Mutex::default() }
    }

    /// Names of all workspaces, sorted.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        if self.config.graph.url.is_some() {
            return self.named.clone();
        }
        let mut names = BTreeSet::new();
        for entry in std::fs::read_dir(&self.data).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(name) = name.strip_suffix(".sqlite").filter(|name| services::is_workspace_name(name))
            {
                names.insert(name.to_owned());
            }
        }
        names
    }

    /// How many are open.
    pub(crate) async fn open_now(&self) -> usize {
        self.open.lock().await.len()
    }

    /// A workspace, opened where it is not.
    pub(crate) async fn get(&self, name: &str) -> Outcome<Arc<Workspace>> {
        let mut open = self.open.lock().await;
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        if let Some(known) = open.get(name) {
            let is_lasting =
                known.services.unusable_models.is_none() || known.opened.elapsed() < WITHOUT_MODELS;
            // a file that was removed and made anew is another workspace
            let is_there = self.config.graph.url.is_some() || services::file(&self.data, name).exists();
            if is_lasting && is_there {
                known.used.store(now, Ordering::Relaxed);
                return Ok(Arc::clone(known));
            }
            open.remove(name);
        }
        if !self.names().contains(name) {
            return Err(Problem::not_found(format!("there is no workspace {name:?}")));
        }
        let services = services::connect(self.config.clone(), &self.data, name, Access::Look).await?;
        if replace::is_interrupted(&services).await? {
            return Err(Problem::new(
                ProblemType::StoreUnreachable,
                format!(
                    "an import into workspace {name} was ended before it was complete; run `graphwright status` there, \
                     it brings back what was stored"
                ),
            ));
        }
        services.graph.let_idle_snapshots_go(IDLE, LOG_BYTES);
        if let Some(reason) = &services.unusable_models {
            tracing::warn!(workspace = name, %reason, "the configured models cannot be asked");
        }
        let workspace = Arc::new(Workspace {
            name: name.to_owned(),
            services,
            opening: fastrand::u64(..),
            data: self.data.clone(),
            left: ReadingCache::default(),
            documents: ReadingCache::default(),
            communities: ReadingCache::default(),
            questions: std::array::from_fn(|_| ReadingCache::default()),
            opened: Instant::now(),
            used: AtomicU64::new(now),
            entities: Mutex::default(),
            maps: Mutex::default(),
            making: Mutex::default(),
            cleared: AtomicU64::new(0),
        });
        while open.len() >= self.config.serve.open_workspaces {
            let oldest = open.values().min_by_key(|known| known.used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|known| known.name.clone()) else { break };
            if let Some(closed) = open.remove(&oldest) {
                closed.services.keep_ledger().await;
            }
        }
        open.insert(name.to_owned(), Arc::clone(&workspace));
        Ok(workspace)
    }

    /// After a change: lists of a workspace are read anew when they are next asked for, and maps that were looked at are
    /// laid out anew. Where something `went`, no map shows it meanwhile.
    pub(crate) async fn forget_lists(&self, name: &str, went: bool) {
        let known = self.open.lock().await.get(name).cloned();
        if let Some(known) = known {
            *known.entities.lock().await = None;
            let mut maps = known.maps.lock().await;
            if let Some(latest) = maps.last().filter(|_| !went).map(|map| map.settings) {
                known.remake_map(latest);
            }
            if went {
                known.cleared.fetch_add(1, Ordering::Relaxed);
                maps.clear();
            }
            maps.iter_mut().for_each(|map| map.is_old = true);
            drop(maps);
            known.left.forget().await;
            known.documents.forget().await;
            known.communities.forget().await;
            for questions in &known.questions {
                questions.forget().await;
            }
        }
    }

    /// Those that are open.
    pub(crate) async fn all_open(&self) -> Vec<Arc<Workspace>> {
        self.open.lock().await.values().cloned().collect()
    }
}
