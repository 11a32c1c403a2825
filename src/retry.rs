//! How what may succeed later is tried again: one policy for endpoints, databases and files.

use std::time::Duration;
use tokio::time::Instant;

/// How often and how long is tried again: exponential waits with jitter, bounded in number and time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPolicy {
    /// Tries after the first one.
    pub(crate) retries: u32,
    /// About the wait before the second try; doubled each time.
    pub(crate) first_wait: Duration,
    /// Longest wait of our own; what is asked for may be longer.
    pub(crate) longest_wait: Duration,
    /// No new try after this time.
    pub(crate) total: Duration,
}

impl RetryPolicy {
    /// The wait before the next try, `None` where there is none: `retried` times it was tried again, `elapsed` is the
    /// time since the first try began. Never less than was `asked` for.
    pub(crate) fn next_wait(
        self,
        retried: u32,
        elapsed: Duration,
        asked: Option<Duration>,
    ) -> Option<Duration> {
        let wait = self.wait(retried, asked, fastrand::f64());
        (retried < self.retries && elapsed.saturating_add(wait) <= self.total).then_some(wait)
    }

    /// From half to one and a half of the exponential wait; `jitter` is from 0 to 1.
    fn wait(self, retried: u32, asked: Option<Duration>, jitter: f64) -> Duration {
        let exponential =
            self.first_wait.saturating_mul(2_u32.saturating_pow(retried)).min(self.longest_wait);
        let own = exponential.mul_f64(0.5 + jitter);
        // those who were told the same moment do not come back at the same moment
        asked.map_or(own, |asked| asked.saturating_add(own.mul_f64(0.2).min(Duration::from_secs(1))))
    }

    /// Tries until it succeeds, fails with what does not pass, or the policy ends.
    ///
    /// # Errors
    /// That of the last try.
    pub(crate) async fn run<T, E, F>(
        self,
        mut attempt: impl FnMut() -> F,
        passes: impl Fn(&E) -> bool,
    ) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>>,
    {
        let begun = Instant::now();
        let mut retried = 0;
        loop {
            let result = attempt().await;
            let Some(wait) = self.wait_after(&result, &passes, retried, begun.elapsed()) else {
                return result;
            };
            drop(result);
            tokio::time::sleep(wait).await;
            retried += 1;
        }
    }

    /// As [`Self::run`] for what blocks its thread.
    ///
    /// # Errors
    /// That of the last try.
    pub(crate) fn run_blocking<T, E>(
        self,
        mut attempt: impl FnMut() -> Result<T, E>,
        passes: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let begun = std::time::Instant::now();
        let mut retried = 0;
        loop {
            let result = attempt();
            let Some(wait) = self.wait_after(&result, &passes, retried, begun.elapsed()) else {
                return result;
            };
            std::thread::sleep(wait);
            retried += 1;
        }
    }

    fn wait_after<T, E>(
        self,
        result: &Result<T, E>,
        passes: impl Fn(&E) -> bool,
        retried: u32,
        elapsed: Duration,
    ) -> Option<Duration> {
        let passing = result.as_ref().is_err_and(passes);
        passing.then(|| self.next_wait(retried, elapsed, None)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy = RetryPolicy {
        retries: 7,
        first_wait: Duration::from_millis(500),
        longest_wait: Duration::from_mins(1),
        total: Duration::from_mins(15),
    };

    #[test]
    fn waits_grow_to_a_limit_and_are_never_shorter_than_asked_for() {
        let check = |tries, asked: Option<u64>, jitter, expected_ms: u128| {
            assert_eq!(POLICY.wait(tries, asked.map(Duration::from_secs), jitter).as_millis(), expected_ms);
        };
        check(0, None, 0.0, 250);
        check(0, None, 0.5, 500);
        check(2, None, 1.0, 3000);
        check(30, None, 0.5, 60_000);
        check(0, Some(20), 0.5, 20_100);
        check(9, Some(20), 0.5, 21_000);
    }

    #[test]
    fn number_and_time_are_bounded() {
        assert!(POLICY.next_wait(6, Duration::ZERO, None).is_some());
        assert!(POLICY.next_wait(7, Duration::ZERO, None).is_none());
        assert!(POLICY.next_wait(0, Duration::from_secs(899), Some(Duration::from_secs(2))).is_none());
    }

    #[tokio::test]
    async fn what_passes_is_tried_again_and_nothing_else() {
        let policy = RetryPolicy { first_wait: Duration::from_micros(10), ..POLICY };
        let tries = std::cell::Cell::new(0);
        let attempt = |wanted: u32| {
            tries.set(tries.get() + 1);
            if tries.get() == wanted { Ok(wanted) } else { Err(tries.get()) }
        };
        assert_eq!(policy.run(async || attempt(3), |_| true).await, Ok(3));
        tries.set(0);
        assert_eq!(policy.run(async || attempt(3), |error| *error > 1).await, Err(1));
        tries.set(0);
        assert_eq!(policy.run(async || attempt(99), |_| true).await, Err(8), "the first try and seven more");
        tries.set(0);
        assert_eq!(policy.run_blocking(|| attempt(3), |_| true), Ok(3));
    }
}
