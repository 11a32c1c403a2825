//! `graphwright remove`

use super::{Common, as_writer, failure, index_report, qa};
use crate::domain::{Document, Id};
use crate::index::run;
use crate::services::Services;
use crate::stores::pages;
use crate::uploads;
use anyhow::{Context, Result, anyhow};
use globset::Glob;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Documents: keys as `status` shows them, ids, folders or globs over keys
    #[arg(required = true)]
    documents: Vec<String>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let services = common.open_to_change().await?;
    let progress = common.progress_until_interrupted();
    let work = async {
        let documents = chosen(&services, &arguments.documents).await?;
        let ids: Vec<Id> = documents.iter().map(|(id, _)| id.clone()).collect();
        let report = run::remove(&services, &ids, &progress).await?;
        uploads::remove_gone(&common.data, &services, &documents).await?;
        qa::care::after_removal(common, &services).await?;
        Ok(report)
    };
    let report = as_writer(&services, work).await?;
    index_report::report_run(common, &report)
}

/// The documents that the arguments name, and their keys; each argument must name at least one.
async fn chosen(services: &Services, arguments: &[String]) -> Result<Vec<(Id, String)>> {
    let mut wanted = Vec::new();
    for argument in arguments {
        let pattern = argument.strip_prefix("./").unwrap_or(argument).trim_end_matches('/');
        let glob = Glob::new(pattern)
            .with_context(|| format!("{argument:?} is not a glob"))
            .map_err(failure::wrong)?
            .compile_matcher();
        wanted.push((argument, pattern, glob, 0_usize));
    }
    let mut found = Vec::new();
    let mut pages = pages::documents(services.graph.as_ref(), 1000);
    while let Some(page) = pages.next().await? {
        for document in page {
            let mut hit = false;
            for (_, pattern, glob, hits) in &mut wanted {
                if names(&document, pattern) || glob.is_match(&document.key) {
                    *hits += 1;
                    hit = true;
                }
            }
            if hit {
                found.push((document.id, document.key));
            }
        }
    }
    if let Some((argument, ..)) = wanted.iter().find(|(_, _, _, hits)| *hits == 0) {
        return Err(failure::wrong(anyhow!(
            "no document named {argument:?} is stored; `graphwright status` lists them"
        )));
    }
    Ok(found)
}

/// Whether a pattern is the document's key or id, the file of its rows, or a folder that holds it.
fn names(document: &Document, pattern: &str) -> bool {
    document.key == pattern
        || document.id.as_str() == pattern
        || document
            .key
            .strip_prefix(pattern)
            .is_some_and(|rest| rest.starts_with('/') || rest.starts_with('#'))
}
