//! Places at the borders of commits where tests end the program as `kill -9` would, with the feature `failpoints`.
//!
//! A place is `fail_point!("name")`; without the feature it is nothing. `tests/it/crash.rs` finds every place in the
//! source and ends a run at each of them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Says where to end: `name`, or `name:3` for the third time that a run comes by.
const VARIABLE: &str = "GRAPHWRIGHT_FAIL_POINT";

/// Arms the place that the environment names: the process is aborted there, nothing is flushed, closed or unlocked.
pub(crate) fn arm() {
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let Ok(wanted) = std::env::var(VARIABLE) else { return };
    let (name, times) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    let times: u64 = times.parse().unwrap_or(1);
    let end = move || {
        if PASSED.fetch_add(1, Ordering::SeqCst) + 1 == times {
            std::process::abort();
        }
    };
    if let Err(error) = fail::cfg_callback(name, end) {
        crate::progress::talk(&format!("cannot arm {VARIABLE}={wanted}: {error}"));
    }
}
