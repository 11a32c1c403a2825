//! The list of documents: by key as they are stored, or sorted by a column.

use super::ordering::{DocumentList, ListPosition, Order, SortOrder};
use super::problem::{Outcome, Problem};
use super::reading::{document_shape, with_times};
use super::shapes::{DocumentShape, Listing};
use super::workspaces::{Workspace, flat};
use crate::domain::{Document, DocumentStatus};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Documents read at once.
const PAGE: usize = 500;
/// Documents that are held in memory for sorted lists; of more each page goes through all.
const HELD: u64 = 50_000;

/// Which documents are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DocumentFilter<'a> {
    /// Only those whose key or title holds this.
    pub(crate) q: Option<&'a str>,
    /// Only those in this state.
    pub(crate) state: Option<&'a str>,
    /// Their order; by key where absent.
    pub(crate) sort: Option<SortOrder>,
    /// What `next` of the page before says.
    pub(crate) after: Option<&'a str>,
    /// Rows at most.
    pub(crate) limit: usize,
}

impl DocumentFilter<'_> {
    fn fits(&self, row: &DocumentShape, q: Option<&str>) -> bool {
        q.is_none_or(|q| flat(&row.key).contains(q) || flat(&row.title).contains(q))
            && self.state.is_none_or(|state| row.state == state)
    }
}

/// Documents behind a key, by key, with how far each has come.
async fn page(workspace: &Workspace, after: Option<&str>, limit: usize) -> Outcome<Vec<DocumentShape>> {
    let reader = workspace.services.graph.as_ref();
    let documents = reader.documents(after, limit).await?;
    let states: BTreeMap<String, DocumentStatus> = reader
        .document_status(after, limit)
        .await?
        .into_iter()
        .map(|status| (status.key.clone(), status))
        .collect();
    let shape = |document: Document| {
        let known = states.get(&document.key).cloned();
        document_shape(document, known.as_ref())
    };
    Ok(documents.into_iter().map(shape).collect())
}

/// A page of the documents that are wanted.
///
/// # Errors
/// `after` is none of this list's; what the store says.
pub(crate) async fn documents(
    workspace: &Workspace,
    wanted: &DocumentFilter<'_>,
) -> Outcome<Listing<DocumentShape>> {
    let q = wanted.q.map(flat).filter(|q| !q.is_empty());
    let Some(sort) = wanted.sort else {
        let mut list = by_key(workspace, wanted, q.as_deref()).await?;
        with_times(workspace, &mut list.items).await?;
        return Ok(list);
    };
    let mark = workspace.mark().await?;
    let held = workspace.documents.get(mark, all(workspace)).await?;
    if held.is_none() {
        let mut list = sorted(workspace, wanted, q.as_deref(), sort).await?;
        with_times(workspace, &mut list.items).await?;
        return Ok(list);
    }
    let order = tokio::task::spawn_blocking({
        let held = Arc::clone(&held);
        move || held.as_ref().as_ref().map(|held| held.order(sort)).unwrap_or_default()
    });
    let order = order.await.map_err(|error| Problem::failed(error.to_string()))?;
    let rows = held.as_ref().as_ref().map_or(&[][..], |held| held.rows.as_slice());
    page_of(rows, &order, wanted, q.as_deref(), sort)
}

/// All documents, where they are not too many to be held.
async fn all(workspace: &Workspace) -> Outcome<Option<DocumentList>> {
    if workspace.services.graph.counts().await?.documents > HELD {
        return Ok(None);
    }
    let mut rows: Vec<DocumentShape> = Vec::new();
    loop {
        let after = rows.last().map(|last| last.key.clone());
        let mut some = page(workspace, after.as_deref(), PAGE).await?;
        with_times(workspace, &mut some).await?;
        let is_last = some.len() < PAGE;
        rows.append(&mut some);
        if is_last {
            return Ok(Some(DocumentList::new(rows)));
        }
    }
}

/// The page behind what was seen, of rows in an order.
fn page_of(
    rows: &[DocumentShape],
    order: &Order,
    wanted: &DocumentFilter<'_>,
    q: Option<&str>,
    sort: SortOrder,
) -> Outcome<Listing<DocumentShape>> {
    let behind = wanted.after.map(ListPosition::read).transpose()?;
    let begin = behind.map_or(0, |last| {
        order.partition_point(|(place, _)| sort.compare(place, &last) != Ordering::Greater)
    });
    let rest = order.iter().skip(begin).filter_map(|(place, at)| Some((place, rows.get(*at)?)));
    let mut rest = rest.filter(|(_, row)| wanted.fits(row, q));
    let shown: Vec<(&ListPosition, &DocumentShape)> = rest.by_ref().take(wanted.limit).collect();
    let next = shown.last().filter(|_| rest.next().is_some()).map(|(place, _)| place.write());
    Ok(Listing { items: shown.into_iter().map(|(_, row)| row.clone()).collect(), next })
}

async fn by_key(
    workspace: &Workspace,
    wanted: &DocumentFilter<'_>,
    q: Option<&str>,
) -> Outcome<Listing<DocumentShape>> {
    let size = if q.is_some() || wanted.state.is_some() { PAGE } else { wanted.limit + 1 };
    let mut items: Vec<DocumentShape> = Vec::new();
    let mut after = wanted.after.map(str::to_owned);
    loop {
        let rows = page(workspace, after.as_deref(), size).await?;
        let is_last = rows.len() < size;
        after = rows.last().map(|row| row.key.clone());
        for row in rows.into_iter().filter(|row| wanted.fits(row, q)) {
            if items.len() == wanted.limit {
                return Ok(Listing { next: items.last().map(|last| last.key.clone()), items });
            }
            items.push(row);
        }
        if is_last {
            return Ok(Listing { items, next: None });
        }
    }
}

/// Goes through all documents, and holds no more of them than are shown.
async fn sorted(
    workspace: &Workspace,
    wanted: &DocumentFilter<'_>,
    q: Option<&str>,
    sort: SortOrder,
) -> Outcome<Listing<DocumentShape>> {
    let behind = wanted.after.map(ListPosition::read).transpose()?;
    let is_behind = |place: &ListPosition| {
        behind.as_ref().is_none_or(|last| sort.compare(place, last) == Ordering::Greater)
    };
    let mut first: Vec<(ListPosition, DocumentShape)> = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut rows = page(workspace, after.as_deref(), PAGE).await?;
        let is_last = rows.len() < PAGE;
        after = rows.last().map(|row| row.key.clone());
        rows.retain(|row| wanted.fits(row, q));
        if sort.is_by_time_of_indexing() {
            with_times(workspace, &mut rows).await?;
        }
        let placed = rows.into_iter().map(|row| (sort.place(&row), row));
        first.extend(placed.filter(|(place, _)| is_behind(place)));
        first.sort_by(|(one, _), (other, _)| sort.compare(one, other));
        first.truncate(wanted.limit + 1);
        if is_last {
            break;
        }
    }
    let has_more = first.len() > wanted.limit;
    first.truncate(wanted.limit);
    let next = first.last().filter(|_| has_more).map(|(place, _)| place.write());
    Ok(Listing { items: first.into_iter().map(|(_, row)| row).collect(), next })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_an_order_give_every_row_once() {
        let row = |number: u64| DocumentShape {
            id: String::new(),
            key: format!("{number:03}"),
            title: String::new(),
            characters: number % 7,
            text_units: 1,
            state: if number.is_multiple_of(3) { "done" } else { "pending" }.to_owned(),
            error: None,
            indexed_at: None,
            date: None,
            metadata: BTreeMap::new(),
        };
        let held = DocumentList::new((0..100).map(row).collect());
        let sort = SortOrder::read("-characters").unwrap();
        let order = held.order(sort);
        assert!(Arc::ptr_eq(&order, &held.order(sort)), "it is sorted once");
        let (mut seen, mut after, mut pages) = (Vec::new(), None, 0);
        loop {
            let wanted = DocumentFilter {
                state: Some("done"),
                after: after.as_deref(),
                limit: 8,
                ..DocumentFilter::default()
            };
            let page = page_of(&held.rows, &order, &wanted, None, sort).unwrap();
            assert!(page.items.len() == 8 || page.next.is_none());
            seen.extend(page.items.into_iter().map(|row| (row.characters, row.key)));
            pages += 1;
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!((seen.len(), pages), (34, 5));
        assert!(
            seen.windows(2).all(|two| two[0].0 > two[1].0 || two[0].0 == two[1].0 && two[0].1 < two[1].1)
        );
    }
}
