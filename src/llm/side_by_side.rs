//! Many calls side by side, none of which is lost once it is paid for.

use futures::{StreamExt, stream};
use std::future::{Future, ready};
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs calls, at most `concurrency` at once; results come in the order of the calls. After the first error nothing
/// new is begun, but what is in flight goes on to its end, so that its replies are kept in the cache.
///
/// # Errors
/// The first error in the order of the calls.
pub async fn side_by_side<T, E, F>(
    calls: impl IntoIterator<Item = F>,
    concurrency: usize,
) -> Result<Vec<T>, E>
where
    F: Future<Output = Result<T, E>>,
{
    let failed = AtomicBool::new(false);
    let failed = &failed;
    let begun = stream::iter(calls)
        .take_while(|_| ready(!failed.load(Ordering::SeqCst)))
        .enumerate()
        .map(|(place, call)| async move {
            let result = call.await;
            if result.is_err() {
                failed.store(true, Ordering::SeqCst);
            }
            (place, result)
        })
        // a slow call, tried again and again, must not keep others from beginning
        .buffer_unordered(concurrency.max(1));
    let mut results: Vec<(usize, Result<T, E>)> = begun.collect().await;
    results.sort_unstable_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use tokio::sync::Notify;

    #[tokio::test]
    async fn what_is_in_flight_ends_and_nothing_new_begins_after_an_error() {
        let (begun, ended, release) = (AtomicU32::new(0), AtomicU32::new(0), Notify::new());
        let call = |number: u32| {
            let (begun, ended, release) = (&begun, &ended, &release);
            async move {
                begun.fetch_add(1, Ordering::SeqCst);
                if number == 2 {
                    release.notify_waiters();
                    return Err(number);
                }
                release.notified().await;
                ended.fetch_add(1, Ordering::SeqCst);
                Ok(number)
            }
        };
        assert_eq!(side_by_side((0..100).map(call), 3).await, Err(2));
        assert_eq!((begun.load(Ordering::SeqCst), ended.load(Ordering::SeqCst)), (3, 2));
    }

    #[tokio::test]
    async fn results_come_in_order() {
        let call = |number: u32| async move {
            tokio::task::yield_now().await;
            Ok::<_, ()>(number)
        };
        assert_eq!(side_by_side((0..20).map(call), 7).await, Ok((0..20).collect::<Vec<_>>()));
    }
}
