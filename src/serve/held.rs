//! What was read once and is given again as long as the workspace holds what it held then.

use super::problem::Outcome;
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// While others write, what was read is given for so many times as long as the reading took: whoever pages through a list
/// does not have all of it read again for each page.
const PATIENCE: u32 = 4;

/// What a workspace holds, told without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateMark {
    /// The generation.
    pub(crate) generation: u64,
    /// Another number after any change; absent where the store cannot tell.
    pub(crate) changes: Option<u64>,
}

tokio::task_local! {
    /// Whether a request was given something that was read before the last change.
    static GIVEN_OLD: Cell<bool>;
}

/// What a request is replied, and whether anything that it was given had been read before the last change.
pub(crate) async fn watched<T>(request: impl Future<Output = T>) -> (T, bool) {
    let work = async {
        let reply = request.await;
        (reply, GIVEN_OLD.with(Cell::get))
    };
    GIVEN_OLD.scope(Cell::new(false), work).await
}

/// Notes that a request is given something that was read before the last change.
pub(crate) fn give_old() {
    // nobody need watch
    let _ = GIVEN_OLD.try_with(|old| old.set(true));
}

/// A place for one thing that was read.
#[derive(Debug)]
pub(crate) struct ReadingCache<T>(Mutex<Option<CachedReading<T>>>);

#[derive(Debug)]
struct CachedReading<T> {
    mark: StateMark,
    ended: Instant,
    took: Duration,
    value: Arc<T>,
}

impl<T> Default for ReadingCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> CachedReading<T> {
    fn is_good(&self, mark: StateMark) -> bool {
        let is_same = self.mark == mark && mark.changes.is_some();
        is_same || self.mark.generation == mark.generation && self.ended.elapsed() < self.took * PATIENCE
    }
}

impl<T> ReadingCache<T> {
    /// What was read, where it is good, else what `read` reads now. Whoever wants the same meanwhile waits for it.
    ///
    /// # Errors
    /// What reading says.
    pub(crate) async fn get(
        &self,
        mark: StateMark,
        read: impl Future<Output = Outcome<T>>,
    ) -> Outcome<Arc<T>> {
        let mut held = self.0.lock().await;
        if let Some(known) = held.as_ref().filter(|known| known.is_good(mark)) {
            if known.mark != mark {
                give_old();
            }
            return Ok(Arc::clone(&known.value));
        }
        let begun = Instant::now();
        let value = Arc::new(read.await?);
        let took = begun.elapsed();
        *held = Some(CachedReading { mark, ended: Instant::now(), took, value: Arc::clone(&value) });
        Ok(value)
    }

    /// Lets go of it.
    pub(crate) async fn forget(&self) {
        *self.0.lock().await = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_held_is_read_again_after_a_change_alone() {
        let held: ReadingCache<u32> = ReadingCache::default();
        let get = async |generation, changes, value| {
            let read = async move { Ok(value) };
            *held.get(StateMark { generation, changes }, read).await.expect("read")
        };
        assert_eq!(get(1, Some(1), 1).await, 1);
        assert_eq!(get(1, Some(1), 2).await, 1, "nothing has changed");
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(get(1, Some(2), 3).await, 3, "something has changed, and reading is quick");
        assert_eq!(get(2, Some(2), 4).await, 4, "another generation");
        held.forget().await;
        assert_eq!(get(2, Some(2), 5).await, 5);
        // a store that cannot tell is asked again when the reading has paid off
        assert_eq!(get(3, None, 6).await, 6);
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(get(3, None, 7).await, 7);
        // what takes its time stands a while though others write
        let slow = async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            Ok(8)
        };
        assert_eq!(*held.get(StateMark { generation: 4, changes: Some(1) }, slow).await.expect("read"), 8);
        assert_eq!(watched(get(4, Some(2), 9)).await, (8, true), "and it is told");
        assert_eq!(watched(get(4, Some(1), 9)).await, (8, false));
    }
}
