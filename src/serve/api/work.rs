//! Work that a handler does not do itself: on a thread of its own, and as the workspace's only writer.

use crate::index::vectors;
use crate::progress::Progress;
use crate::serve::app::Shared;
use crate::serve::problem::Outcome;
pub(super) use crate::serve::workspaces::on_a_thread;
use crate::services::{self, Access, Services};
use crate::stores::graph::VectorKind;
use futures::future::BoxFuture;
use std::sync::Arc;

/// Changes the library as the workspace's only writer, and makes the vectors of what was changed. What the work reads cannot
/// be changed by others until it is done.
///
/// # Errors
/// Somebody else writes, what the work says, what the stores and the model of embeddings say.
pub(super) async fn as_writer<T, Work>(app: &Shared, ws: &str, work: Work) -> Outcome<T>
where
    T: Send + 'static,
    Work: for<'a> FnOnce(&'a Services) -> BoxFuture<'a, Outcome<T>> + Send + 'static,
{
    let (app, ws) = (Arc::clone(app), ws.to_owned());
    on_a_thread(move || async move {
        let data = app.workspaces.data.clone();
        let services = services::connect(app.config().clone(), &data, &ws, Access::Write).await?;
        let done = async {
            let done = work(&services).await?;
            let silent = Progress::silent();
            vectors::left_pending(
                vectors::sync_kind(&services, VectorKind::Questions, &silent).await,
                &silent,
            )?;
            Ok(done)
        }
        .await;
        services.graph.unlock_writer().await?;
        services.keep_ledger().await;
        done
    })
    .await?
}
