//! RAPTOR search (Sarthi et al. 2024, section 3): over all nodes of the summary trees at once (the collapsed tree), or
//! from the roots downwards (traversal). Citations of summaries lead down to sentences of the leaves below.

mod passages;
mod retrieval;

use crate::config::TreeRetrieval;
use crate::domain::{Document, Id, RecordKind};
use crate::prompts::AnswerFrom;
use crate::query::answer::synthesis::{SynthesisInput, synthesize};
use crate::query::answer::{Answer, provenance};
use crate::query::question::Question;
use crate::query::request::{InvalidRequest, Method, QueryRequest};
use crate::query::retrieval::context::{Candidate, Context, ContextPart};
use crate::query::retrieval::hybrid::embed_question;
use crate::query::search::Search;
use crate::services::{Services, no_embeddings};
use crate::stores::graph::GraphReader;
use anyhow::{Result, bail};
use passages::LeafPassages;
use retrieval::{FoundNode, TreeSearch};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Answers from the nodes of the summary trees.
///
/// # Errors
/// No embedding model, no summary trees; what the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let begun = Instant::now();
    let config = &services.config.raptor;
    let Some(dense) = embed_question(services, &request.sought()).await? else {
        bail!(InvalidRequest(no_embeddings()))
    };
    let search = &Search::open(services, request).await?;
    let reader = search.reader.as_ref();
    let trees =
        TreeSearch { services, reader, dense: &dense, filters: &search.filters, counting: search.counting() };
    let traversal = request.traversal.unwrap_or(config.retrieval == TreeRetrieval::Traversal);
    let found = if traversal { trees.traversal().await? } else { trees.collapsed().await? };
    if found.is_empty() && reader.tree_nodes(None, 1).await?.is_empty() {
        bail!(
            "workspace {} has no summary trees; build them with `graphwright index PATH... --raptor`",
            services.ids.workspace()
        );
    }
    let titles = titles_of(reader, &found).await?;
    let passages = LeafPassages::below(&trees, &found).await?;
    let candidates = found.iter().map(|found| candidate(found, &titles)).collect();
    let part = ContextPart { kind: RecordKind::Sources, share: 1.0, candidates };
    let context = Context::pack(vec![part], trees.counting, config.context_tokens);
    let mut result = Answer { method: Method::Raptor, context, ..Answer::default() };
    result.took("search", begun);
    synthesize_from_nodes(search, &found, &passages, &mut result, on_text).await?;
    Ok(result)
}

/// The documents that the nodes belong to, by id.
async fn titles_of(reader: &dyn GraphReader, found: &[FoundNode]) -> Result<BTreeMap<Id, Document>> {
    let ids: BTreeSet<Id> = found.iter().filter_map(|found| found.node.document.clone()).collect();
    let ids: Vec<Id> = ids.into_iter().collect();
    let documents = reader.documents_by_id(&ids).await?;
    Ok(documents.into_iter().map(|document| (document.id.clone(), document)).collect())
}

fn candidate(found: &FoundNode, documents: &BTreeMap<Id, Document>) -> Candidate {
    let node = &found.node;
    let document = node.document.as_ref().and_then(|id| documents.get(id));
    let name = match (document, node.passage.is_some()) {
        (Some(document), true) => document.key.clone(),
        (Some(document), false) => format!("{} (summary, level {})", document.key, node.level),
        (None, _) => format!("all documents (summary, level {})", node.level),
    };
    Candidate { id: node.id.clone(), name, text: found.context_text(), score: found.score }
}

async fn synthesize_from_nodes(
    search: &Search<'_>,
    found: &[FoundNode],
    passages: &LeafPassages,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let begun = Instant::now();
    let question = Question::read(&search.request.question, &[], search.calendar());
    let scores: BTreeMap<&Id, f64> = found.iter().map(|found| (&found.node.id, found.score)).collect();
    let input = SynthesisInput {
        from: AnswerFrom::Texts,
        question: &question,
        units: passages.distinct(&scores),
        whole: BTreeSet::new(),
    };
    if synthesize(search, &input, result, on_text).await? {
        provenance::resolve_passages(search.services, result, &|id| passages.of(id)).await;
    }
    result.took("answer", begun);
    Ok(())
}
