//! Backends, points and texts for the suite.

use graphwright::config::VectorsConfig;
use graphwright::domain::{Id, Ids};
use graphwright::language::words;
use graphwright::stores::VectorStore;
use graphwright::stores::sqlite_file::SqliteFile;
use graphwright::stores::vectors::bm25::document_vector;
use graphwright::stores::vectors::{Payload, Point, QdrantVectors, SparseVector, SqliteVectors};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// Dimension of [`embed`].
pub(super) const DIMENSION: usize = 64;

/// A kind of store that can be opened again and again.
pub(super) enum Backend {
    Sqlite(TempDir),
    Qdrant(VectorsConfig),
}

impl Backend {
    /// All that can be tested here. Qdrant's collections get a prefix of the test's name and are removed first.
    pub(super) async fn all(test: &str) -> Vec<Self> {
        let mut backends = vec![Self::Sqlite(TempDir::new().unwrap())];
        if let Some(config) = qdrant_config(test) {
            backends.push(Self::Qdrant(config));
        } else {
            eprintln!("Qdrant is left out: GRAPHWRIGHT_TEST_QDRANT_URL is not set");
        }
        for backend in &backends {
            for workspace in WORKSPACES {
                backend.open(workspace).await.wipe().await.unwrap();
            }
        }
        backends
    }

    /// Opens a workspace's store anew.
    pub(super) async fn open(&self, workspace: &str) -> Arc<dyn VectorStore> {
        match self {
            Self::Sqlite(folder) => {
                let file = SqliteFile::open(&folder.path().join("vectors.sqlite")).unwrap();
                Arc::new(SqliteVectors::new(file, workspace))
            }
            Self::Qdrant(config) => Arc::new(QdrantVectors::connect(config, workspace).await.unwrap()),
        }
    }
}

/// Workspaces that tests may use.
pub(super) const WORKSPACES: [&str; 4] = ["default", "a", "a_b", "三国 / A"];

pub(super) fn qdrant_config(test: &str) -> Option<VectorsConfig> {
    let url = std::env::var("GRAPHWRIGHT_TEST_QDRANT_URL").ok().filter(|url| !url.is_empty())?;
    Some(VectorsConfig { url: Some(url), prefix: format!("test-{test}"), ..VectorsConfig::default() })
}

pub(super) fn id(name: &str) -> Id {
    Ids::new("test").other("point", &[name])
}

/// A point with a text's vectors.
pub(super) fn point(name: &str, text: &str) -> Point {
    Point {
        id: id(name),
        dense: Some(embed(text)),
        sparse: document_vector(text, 20.0),
        payload: Payload::default(),
    }
}

pub(super) fn sparse(entries: &[(u32, f32)]) -> SparseVector {
    let (indices, values) = entries.iter().copied().unzip();
    SparseVector { indices, values }
}

/// A deterministic embedding: each word adds to a few dimensions chosen by its hash.
pub(super) fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSION];
    for word in words(text) {
        let mut hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        for _ in 0..4 {
            hash = hash.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(hash >> 33).unwrap() % DIMENSION;
            vector[at] += if hash >> 32 & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
    vector
}

/// A text of the shared corpora, which lie beside the repository's folder.
pub(super) fn corpus(name: &str) -> Option<String> {
    let root = std::env::var_os("GRAPHWRIGHT_TEST_CORPORA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/corpora"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(root.join(name)).ok();
    if text.is_none() {
        eprintln!("SKIPPED: {} is not there; set GRAPHWRIGHT_TEST_CORPORA", root.join(name).display());
    }
    text
}
