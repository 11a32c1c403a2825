//! What the tests share: corpora in temporary folders, services on every pairing of stores, exports to compare.

use graphwright::config::{Config, Follow};
use graphwright::domain::Id;
use graphwright::exchange::export;
use graphwright::index::run::{self, IndexReport, IndexRequest};
use graphwright::progress::Progress;
use graphwright::services::{self, Access, Services};
use graphwright::stores::graph::VectorKind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

/// One of the four pairings of stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    pub graph: Option<String>,
    pub vectors: Option<String>,
}

impl Pairing {
    pub fn embedded() -> Self {
        Self { graph: None, vectors: None }
    }
}

/// The same with communities that each run finds anew, as a function of the graph alone.
pub fn with_fresh_communities(mut config: Config) -> Config {
    config.communities.follow = Follow::Fresh;
    config
}

/// Every pairing that can be reached here: the embedded one always, the others where `scripts/test.sh` started the
/// services and said so in the environment.
pub fn pairings() -> Vec<Pairing> {
    let neo4j = std::env::var("GRAPHWRIGHT_TEST_NEO4J_URI").ok();
    let qdrant = std::env::var("GRAPHWRIGHT_TEST_QDRANT_URL").ok();
    let mut pairings = Vec::new();
    for graph in [None, neo4j] {
        for vectors in [None, qdrant.clone()] {
            let pairing = Pairing { graph: graph.clone(), vectors };
            if !pairings.contains(&pairing) {
                pairings.push(pairing);
            }
        }
    }
    if pairings.len() < 4 {
        eprintln!("skipped: pairings with Neo4j and Qdrant; scripts/test.sh starts both");
    }
    pairings
}

/// A workspace name that no other test uses.
pub fn fresh_workspace(name: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = std::process::id();
    format!("{name}_{unique}_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// An index with its own data folder; its workspace is wiped at the end.
pub struct TestIndex {
    pub services: Services,
    pub folder: tempfile::TempDir,
}

impl TestIndex {
    pub async fn new(pairing: &Pairing, workspace: &str) -> Self {
        Self::with(pairing, workspace, Config::default()).await
    }

    pub async fn with(pairing: &Pairing, workspace: &str, mut config: Config) -> Self {
        config.graph.url.clone_from(&pairing.graph);
        config.vectors.url.clone_from(&pairing.vectors);
        let folder = tempfile::tempdir().expect("a folder");
        let services = services::connect(config, &folder.path().join("data"), workspace, Access::Write)
            .await
            .expect("connected");
        std::fs::create_dir_all(folder.path().join("documents")).expect("a folder");
        Self { services, folder }
    }

    /// From now on with the prompts of a folder.
    pub fn use_prompts(&mut self, folder: &std::path::Path) {
        let prompts = graphwright::prompts::Prompts::load(Some(folder)).expect("prompts");
        self.services.prompts = std::sync::Arc::new(prompts);
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join("documents").join(name), text).expect("written");
    }

    /// Indexes the documents folder, or files of it.
    pub async fn index(&self, names: &[&str]) -> IndexReport {
        let documents = self.folder.path().join("documents");
        let paths = if names.is_empty() {
            vec![documents.display().to_string()]
        } else {
            names.iter().map(|name| documents.join(name).display().to_string()).collect()
        };
        self.index_paths(paths).await
    }

    pub async fn index_paths(&self, paths: Vec<String>) -> IndexReport {
        let mut request = IndexRequest { paths, ..IndexRequest::default() };
        // keys must not depend on where the temporary folder is
        request.discover.sources = vec![("docs".to_owned(), self.folder.path().join("documents"))];
        run::index(&self.services, &request, &Progress::silent()).await.expect("indexed")
    }

    pub async fn remove(&self, names: &[&str]) -> IndexReport {
        let ids: Vec<Id> =
            names.iter().map(|name| self.services.ids.document(&format!("docs/{name}"))).collect();
        run::remove(&self.services, &ids, &Progress::silent()).await.expect("removed")
    }

    /// Every file of the export.
    pub async fn export(&self) -> BTreeMap<String, String> {
        let folder = tempfile::tempdir().expect("a folder");
        export::write(self.services.graph.as_ref(), folder.path()).await.expect("exported");
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(folder.path()).expect("a folder") {
            let entry = entry.expect("an entry");
            let text = std::fs::read_to_string(entry.path()).expect("a file");
            files.insert(entry.file_name().to_string_lossy().into_owned(), text);
        }
        files
    }

    pub async fn wipe(self) {
        self.services.graph.unlock_writer().await.expect("unlocked");
        self.services.vectors.wipe().await.expect("wiped");
        self.services.graph.wipe().await.expect("wiped");
    }
}

/// Fails where the vector store does not hold just the nodes of the graph, or something is left to be done.
pub async fn assert_vectors_follow(services: &Services, what: &str) {
    for kind in VectorKind::ALL {
        let pending = services.graph.pending_vectors(kind, 1).await.expect("read");
        assert!(pending.is_empty(), "{what}: {kind:?} pending: {pending:?}");
        let tombstones = services.graph.tombstones(kind, 1).await.expect("read");
        assert!(tombstones.is_empty(), "{what}: {kind:?} tombstones: {tombstones:?}");
        let stored: BTreeSet<Id> =
            services.vectors.ids(kind, None, 100_000).await.expect("read").into_iter().collect();
        let nodes = services.graph.vector_nodes(kind, None, 100_000).await.expect("read");
        assert!(nodes.iter().all(|node| node.fingerprint.is_some()), "{what}: {kind:?} acknowledged");
        let nodes: BTreeSet<Id> = nodes.into_iter().map(|node| node.id).collect();
        assert_eq!(stored, nodes, "{what}: {kind:?}");
    }
}

/// Fails with the first line that differs.
pub fn assert_equal_exports(left: &BTreeMap<String, String>, right: &BTreeMap<String, String>, what: &str) {
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>(), "{what}: files");
    for (file, text) in left {
        let other = &right[file];
        if text == other {
            continue;
        }
        for (number, (a, b)) in text.lines().zip(other.lines()).enumerate() {
            assert_eq!(a, b, "{what}: {file} line {}", number + 1);
        }
        assert_eq!(text.lines().count(), other.lines().count(), "{what}: lines of {file}");
    }
}
