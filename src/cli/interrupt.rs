//! Ctrl-C and the system's request to end.

use std::io;
use std::time::Duration;

/// How long what is in flight may take to end.
pub(super) const GRACE: Duration = Duration::from_secs(20);
/// The same where a model is waited for that has never answered.
pub(super) const SHORT_GRACE: Duration = Duration::from_secs(1);

/// Interrupts of this process: Ctrl-C, and on Unix SIGTERM, which `docker stop` and systemd send.
pub(super) struct Interrupts {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Interrupts {
    /// From here on an interrupt does not end the process by itself.
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// The next one.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Interrupts {
    /// From here on an interrupt does not end the process by itself.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// The next one.
    pub(super) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
