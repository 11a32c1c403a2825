//! Pages of PDF files as pictures, the sentence marked: drawn from the file itself in a child process, few at once, and kept
//! within bounds. A file is shown only where its text is still the one that was indexed.

use super::app::App;
use super::drawings::DrawingKey;
use super::problem::{Outcome, Problem, ProblemType};
use super::reading;
use super::shapes::{DocumentName, PagesShape};
use super::workspaces::Workspace;
use crate::domain::Document;
use crate::index::documents::{
    self, MarkedPage, PageWish, ReadOptions, SameText, ShownPages, SourceFile, marked_pages,
};
use crate::index::pages::proof_of;
use crate::uploads;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Characters that may be marked at once.
const MOST_MARKED: u64 = 20_000;

/// The pages that a stretch of a document stands on, with boxes around it.
pub(crate) async fn pages(
    app: &App,
    workspace: &Workspace,
    key_or_id: &str,
    span: Range<u64>,
) -> Outcome<PagesShape> {
    let document = reading::find_document(workspace, key_or_id).await?;
    let shown = drawn(app, workspace, &document, span, None).await?;
    let pages = shown.pages.iter().map(|page| MarkedPage { picture: None, ..page.clone() }).collect();
    Ok(PagesShape {
        document: DocumentName {
            id: document.id.to_string(),
            key: document.key.clone(),
            title: document.title.clone(),
        },
        page_count: shown.page_count,
        pages,
    })
}

/// A page as PNG, a stretch of the document marked where it stands on it.
pub(crate) async fn picture(
    app: &App,
    workspace: &Workspace,
    key_or_id: &str,
    page: u64,
    span: Range<u64>,
) -> Outcome<Vec<u8>> {
    let document = reading::find_document(workspace, key_or_id).await?;
    let path = file_of(app, workspace, &document)?;
    let with_all = wish_for(&path, &document, &span, None)?;
    let on_it = |shown: &ShownPages| {
        shown.pages.iter().find(|shown| shown.page == page).and_then(|shown| shown.picture.clone())
    };
    // whoever asked where the sentence stands had its pages drawn
    if let Some(picture) = app.drawings.find(&with_all).and_then(|shown| on_it(&shown)) {
        return Ok(picture);
    }
    let shown = drawn(app, workspace, &document, span, Some(page)).await?;
    on_it(&shown).ok_or_else(|| Problem::not_found(format!("{} has no page {page}", document.key)))
}

fn wish_for(path: &Path, document: &Document, span: &Range<u64>, page: Option<u64>) -> Outcome<DrawingKey> {
    if span.start > span.end || span.end - span.start > MOST_MARKED {
        return Err(Problem::invalid(format!(
            "from is {} and to is {}; give a stretch of at most {MOST_MARKED} characters",
            span.start, span.end
        )));
    }
    let known = path.metadata().map_err(|error| gone(document, &error.to_string()))?;
    Ok(DrawingKey {
        path: path.to_path_buf(),
        bytes: known.len(),
        changed: known.modified().ok(),
        content_hash: document.content_hash.clone(),
        span: span.clone(),
        page,
    })
}

async fn drawn(
    app: &App,
    workspace: &Workspace,
    document: &Document,
    span: Range<u64>,
    page: Option<u64>,
) -> Outcome<Arc<ShownPages>> {
    let path = file_of(app, workspace, document)?;
    let wish = wish_for(&path, document, &span, page)?;
    if let Some(known) = app.drawings.find(&wish) {
        return Ok(known);
    }
    let _place = app.drawings.places.acquire().await.map_err(|closed| Problem::failed(closed.to_string()))?;
    // whoever waited may find it drawn by who was before
    if let Some(known) = app.drawings.find(&wish) {
        return Ok(known);
    }
    let file = SourceFile { path, key: document.key.clone() };
    let by_text = SameText::Whole(document.content_hash.clone());
    let proof = proof_of(workspace.services.graph.as_ref(), document, by_text)
        .await
        .map_err(|error| Problem::failed(format!("{error:#}")))?;
    let pages = page.into_iter().collect();
    let wanted = PageWish { span, proof, pages, with_picture: true, longest_px: None };
    let options = ReadOptions::of(app.config());
    let read = tokio::task::spawn_blocking(move || marked_pages(&file, wanted, &options))
        .await
        .map_err(|error| Problem::failed(error.to_string()))?;
    let shown = read.map_err(|reason| {
        Problem::new(
            ProblemType::NotProcessable,
            format!("the pages of {} cannot be shown: it {reason}", document.key),
        )
    })?;
    let shown = Arc::new(shown);
    app.drawings.keep(wish, &shown);
    Ok(shown)
}

/// The file that a document was read from: an upload, one of a named source, or one of the folder that is served. What it
/// holds is proved by its text.
fn file_of(app: &App, workspace: &Workspace, document: &Document) -> Outcome<PathBuf> {
    let key = document.key.as_str();
    let refused = |reason: &str| Problem::new(ProblemType::NotProcessable, format!("{key} {reason}"));
    if !is_pdf(key) {
        return Err(refused("is no PDF; only a PDF has pages that can be shown"));
    }
    let key = documents::file_of(key);
    if Path::new(key).components().any(|part| part == std::path::Component::ParentDir) {
        return Err(refused("lies outside of the folder that is served; its pages cannot be shown"));
    }
    let below = key.split_once('/');
    let path = match below {
        Some((uploads::SOURCE, name)) => uploads::upload_path(&app.workspaces.data, &workspace.name, name)
            .map_err(|error| gone(document, &format!("{error:#}")))?,
        Some((source, rest)) if app.config().serve.sources.contains_key(source) => {
            let root = app.config().serve.sources.get(source).map(PathBuf::from);
            root.unwrap_or_default().join(rest)
        }
        _ => app.settings.folder.join(key),
    };
    if !path.is_file() {
        return Err(gone(document, &format!("{} is no file", path.display())));
    }
    Ok(path)
}

/// Whether a document's name is that of a PDF.
fn is_pdf(key: &str) -> bool {
    Path::new(key).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
}

fn gone(document: &Document, cause: &str) -> Problem {
    Problem {
        cause: Some(cause.to_owned()),
        ..Problem::not_found(format!(
            "the file of {} is not where it was indexed, so its pages cannot be shown; put it back, or serve its folder \
             with --source NAME=PATH under the name that it was indexed with",
            document.key
        ))
    }
}
