//! Pictures of pages that were drawn, kept within bounds.

use crate::index::documents::{MarkedPage, ShownPages};
use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio::sync::Semaphore;

/// Files that are read at once.
const AT_ONCE: usize = 2;
/// Bytes of pictures that are kept.
const KEPT_BYTES: usize = 64 << 20;

/// What was drawn, the least recently wanted first.
#[derive(Debug)]
pub(crate) struct Drawings {
    pub(crate) places: Semaphore,
    kept: Mutex<VecDeque<(DrawingKey, Arc<ShownPages>)>>,
}

impl Default for Drawings {
    fn default() -> Self {
        Self { places: Semaphore::new(AT_ONCE), kept: Mutex::default() }
    }
}

/// What was asked for: a file as it was, by size and time of its last change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DrawingKey {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) changed: Option<SystemTime>,
    pub(crate) content_hash: String,
    pub(crate) span: Range<u64>,
    pub(crate) page: Option<u64>,
}

impl Drawings {
    /// What was drawn for a wish; whoever is after it in line goes first from now on.
    pub(crate) fn find(&self, wish: &DrawingKey) -> Option<Arc<ShownPages>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(known, _)| known == wish)?;
        let found = kept.remove(place)?;
        let pages = Arc::clone(&found.1);
        kept.push_back(found);
        Some(pages)
    }

    pub(crate) fn keep(&self, wish: DrawingKey, pages: &Arc<ShownPages>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != wish);
        kept.push_back((wish, Arc::clone(pages)));
        while kept.len() > 1 && kept.iter().map(|(_, pages)| size(pages)).sum::<usize>() > KEPT_BYTES {
            kept.pop_front();
        }
    }
}

/// About how many bytes are held.
fn size(pages: &ShownPages) -> usize {
    let of_page = |page: &MarkedPage| {
        page.picture.as_ref().map_or(0, Vec::len) + page.boxes.len() * size_of::<[f32; 4]>() + 200
    };
    pages.pages.iter().map(of_page).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(page: u64) -> DrawingKey {
        DrawingKey {
            path: PathBuf::from("a.pdf"),
            bytes: 1,
            changed: None,
            content_hash: String::new(),
            span: 0..1,
            page: Some(page),
        }
    }

    fn pages_of_size(bytes: usize) -> Arc<ShownPages> {
        let page = MarkedPage {
            page: 1,
            label: String::new(),
            width: 1.0,
            height: 1.0,
            boxes: Vec::new(),
            picture: Some(vec![0; bytes]),
        };
        Arc::new(ShownPages { page_count: 1, pages: vec![page] })
    }

    #[test]
    fn pictures_are_kept_within_bounds_and_the_least_wanted_goes() {
        let drawings = Drawings::default();
        let third = KEPT_BYTES / 3;
        for page in 1..=2 {
            drawings.keep(wish(page), &pages_of_size(third));
        }
        assert!(drawings.find(&wish(1)).is_some());
        drawings.keep(wish(3), &pages_of_size(third));
        let known: Vec<bool> = (1..=3).map(|page| drawings.find(&wish(page)).is_some()).collect();
        assert_eq!(known, [true, false, true]);
        // one alone that is too large is kept while it is looked at
        drawings.keep(wish(4), &pages_of_size(KEPT_BYTES + 1));
        assert!(drawings.find(&wish(4)).is_some() && drawings.find(&wish(3)).is_none());
    }
}
