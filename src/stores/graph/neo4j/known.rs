//! What the writer of a workspace knows of its own node without asking: while the writer's lease lasts, nobody else changes its
//! generation, its settings and the note of the last run.

use crate::stores::graph::WorkspaceState;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Kept as long as the last renewal of the lease holds.
#[derive(Default)]
pub(super) struct KnownWorkspace(Mutex<KnownState>);

#[derive(Default)]
struct KnownState {
    /// Until when we are the writer for sure; absent where we are not.
    holds: Option<Instant>,
    state: Option<WorkspaceState>,
    /// How often it may have been changed: what was read before a change is not kept after it.
    changes: u64,
    /// Whether the note of the last run was taken away.
    has_begun: bool,
}

impl KnownState {
    fn holds(&self) -> bool {
        self.holds.is_some_and(|until| Instant::now() < until)
    }

    fn forget(&mut self) {
        (self.state, self.changes) = (None, self.changes + 1);
    }
}

impl KnownWorkspace {
    fn lock(&self) -> MutexGuard<'_, KnownState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on we are the writer until then, unless the lease is renewed; or, with none, not the writer.
    pub(super) fn begin(&self, until: Option<Instant>) {
        let mut known = self.lock();
        known.forget();
        (known.holds, known.has_begun) = (until, false);
    }

    /// The lease lasts until then. One that had ended meanwhile may have been another's.
    pub(super) fn renew(&self, until: Instant) {
        let mut known = self.lock();
        if known.holds.is_some() {
            if !known.holds() {
                known.forget();
                known.has_begun = false;
            }
            known.holds = Some(until);
        }
    }

    /// The state as it was read before, where we are the writer; and how often it was changed until now.
    pub(super) fn state(&self) -> (Option<WorkspaceState>, u64) {
        let known = self.lock();
        (known.state.clone().filter(|_| known.holds()), known.changes)
    }

    /// Keeps a state that was read when it had been changed so often.
    pub(super) fn keep(&self, state: &WorkspaceState, changes: u64) {
        let mut known = self.lock();
        if known.holds() && known.changes == changes {
            known.state = Some(state.clone());
        }
    }

    /// Runs what changes the workspace's own node; however it ends, what was read meanwhile is not kept.
    pub(super) async fn changing<T>(&self, change: impl Future<Output = T> + Send) -> T {
        struct ChangeMark<'a>(&'a KnownWorkspace);
        impl Drop for ChangeMark<'_> {
            fn drop(&mut self) {
                self.0.lock().forget();
            }
        }
        self.lock().forget();
        let _changed = ChangeMark(self);
        change.await
    }

    /// Whether the note of the last run was taken away by us, and nobody can have put it there since.
    pub(super) fn has_begun(&self) -> bool {
        let known = self.lock();
        known.holds() && known.has_begun
    }

    /// Notes whether it was.
    pub(super) fn note_begun(&self, has_begun: bool) {
        self.lock().has_begun = has_begun;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const LONG: Duration = Duration::from_hours(1);

    fn state(generation: u64) -> WorkspaceState {
        WorkspaceState { generation, ..WorkspaceState::default() }
    }

    #[tokio::test]
    async fn a_state_is_kept_by_the_writer_alone_and_until_it_is_changed() {
        let known = KnownWorkspace::default();
        known.keep(&state(1), known.state().1);
        assert_eq!(known.state().0, None, "not the writer");
        known.begin(Some(Instant::now() + LONG));
        let (_, changes) = known.state();
        known.keep(&state(1), changes);
        assert_eq!(known.state().0, Some(state(1)));
        known.changing(async { known.keep(&state(1), known.state().1) }).await;
        assert_eq!(known.state().0, None, "read while it was changed");
        known.keep(&state(1), changes);
        assert_eq!(known.state().0, None, "read before it was changed");
        known.keep(&state(2), known.state().1);
        drop(known.changing(std::future::pending::<()>()));
        assert_eq!(known.state().0, Some(state(2)), "never begun");
        let mut change = Box::pin(known.changing(std::future::pending::<()>()));
        assert!(futures::poll!(&mut change).is_pending());
        known.keep(&state(2), known.state().1);
        drop(change);
        assert_eq!(known.state().0, None, "given up half way");
    }

    #[test]
    fn nothing_is_known_behind_the_end_of_a_lease() {
        let known = KnownWorkspace::default();
        known.begin(Some(Instant::now() + LONG));
        known.keep(&state(1), known.state().1);
        known.note_begun(true);
        known.renew(Instant::now() + LONG);
        assert!(known.has_begun() && known.state().0.is_some());
        known.renew(Instant::now());
        assert!(!known.has_begun() && known.state().0.is_none(), "its end has come");
        known.renew(Instant::now() + LONG);
        assert!(!known.has_begun() && known.state().0.is_none(), "another may have been the writer");
        known.keep(&state(2), known.state().1);
        known.begin(None);
        known.renew(Instant::now() + LONG);
        assert!(known.state().0.is_none(), "not the writer any more");
    }
}
