//! The methods that are measured: what retrieves passages, and what answers.

use crate::domain::{Id, StoredUnit};
use crate::llm::EmbeddingPurpose;
use crate::query::retrieval::local::{Retrieved, retrieve_by};
use crate::query::retrieval::ranking::Signals;
use crate::query::{self, Method, QueryRequest, Search};
use crate::services::Services;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::{VectorQuery, bm25};
use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// A way to find passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retrieval {
    /// The ranking of `query --method local`, whole or without a part.
    Local(Signals),
    /// The same with the questions of `query --rewrite` beside each.
    Rewritten,
    /// The vector store alone: by embedding, by words, or both fused.
    Nearest {
        /// By embedding.
        dense: bool,
        /// By words (BM25).
        words: bool,
    },
}

/// A method by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedMethod {
    /// As on the command line and in tables.
    pub name: String,
    /// How it retrieves; `global`, `drift`, `raptor` and `reader` have no list of passages.
    pub retrieval: Option<Retrieval>,
    /// How it answers; baselines and ablations only retrieve.
    pub method: Option<Method>,
}

/// Every name.
pub const NAMES: [&str; 14] = [
    "local",
    "basic",
    "global",
    "drift",
    "raptor",
    "reader",
    "bm25",
    "dense",
    "local-rewritten",
    "local-without-graph",
    "local-without-walk",
    "local-without-dense",
    "local-without-words",
    "local-without-subjects",
];

/// Reads `local,basic,bm25`.
///
/// # Errors
/// An unknown name, with the known ones; none.
pub fn parse(names: &[String]) -> Result<Vec<NamedMethod>> {
    let mut methods: Vec<NamedMethod> = Vec::new();
    for name in names {
        let all = Signals::ALL;
        let nearest = |dense, words| Some(Retrieval::Nearest { dense, words });
        let (retrieval, method) = match name.as_str() {
            "local" => (Some(Retrieval::Local(all)), Some(Method::Local)),
            "basic" => (nearest(true, true), Some(Method::Basic)),
            "global" => (None, Some(Method::Global)),
            "drift" => (None, Some(Method::Drift)),
            "raptor" => (None, Some(Method::Raptor)),
            "reader" => (None, Some(Method::Reader)),
            "bm25" => (nearest(false, true), None),
            "dense" => (nearest(true, false), None),
            "local-rewritten" => (Some(Retrieval::Rewritten), None),
            "local-without-graph" => (Some(Retrieval::Local(Signals { graph: false, ..all })), None),
            "local-without-walk" => (Some(Retrieval::Local(Signals { walk: false, ..all })), None),
            "local-without-dense" => (Some(Retrieval::Local(Signals { dense: false, ..all })), None),
            "local-without-words" => (Some(Retrieval::Local(Signals { words: false, ..all })), None),
            "local-without-subjects" => (Some(Retrieval::Local(Signals { subjects: false, ..all })), None),
            other => bail!("--methods {other:?} is not known; use some of: {}", NAMES.join(", ")),
        };
        if methods.iter().all(|known| known.name != *name) {
            methods.push(NamedMethod { name: name.clone(), retrieval, method });
        }
    }
    if methods.is_empty() {
        bail!("--methods is empty; use some of: {}", NAMES.join(", "));
    }
    Ok(methods)
}

impl Retrieval {
    /// Keys of the documents found, best first, each once; at most `limit`.
    ///
    /// # Errors
    /// What the stores and the embedding model say; a method that needs embeddings where there are none.
    pub async fn documents(self, services: &Services, question: &str, limit: usize) -> Result<Vec<String>> {
        let request = || QueryRequest { question: question.to_owned(), ..QueryRequest::default() };
        let of = |found: Retrieved| -> Vec<String> {
            let units = found.sources.iter().filter_map(|(id, _)| found.units.get(id));
            units.map(|unit| unit.document_key.clone()).collect()
        };
        let units: Vec<String> = match self {
            Self::Local(signals) => {
                let request = request();
                of(retrieve_by(&Search::open(services, &request).await?, signals).await?)
            }
            Self::Rewritten => of(query::rewritten(services, request()).await?),
            Self::Nearest { dense, words } => {
                let model = services.embedding.as_ref().filter(|_| dense);
                if model.is_none() && !words {
                    bail!("the method dense needs an embedding model; set [embeddings] provider");
                }
                let vector = match model {
                    Some(model) => model.embed(&[question.to_owned()], EmbeddingPurpose::Query).await?.pop(),
                    None => None,
                };
                let query = VectorQuery {
                    dense: vector,
                    sparse: words.then(|| bm25::query_vector(question)),
                    limit,
                    ..VectorQuery::default()
                };
                let hits = services.vectors.search(VectorKind::TextUnits, &query).await?;
                let ids: Vec<Id> = hits.into_iter().map(|hit| hit.id).collect();
                let units = services.graph.snapshot().await?.passages_by_id(&ids).await?;
                let units: BTreeMap<&Id, &StoredUnit> =
                    units.iter().map(|unit| (&unit.unit.id, unit)).collect();
                ids.iter().filter_map(|id| units.get(id)).map(|unit| unit.document_key.clone()).collect()
            }
        };
        let mut documents: Vec<String> = Vec::new();
        for document in units {
            if !documents.contains(&document) {
                documents.push(document);
            }
        }
        documents.truncate(limit);
        Ok(documents)
    }
}
