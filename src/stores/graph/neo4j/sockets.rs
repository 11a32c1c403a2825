//! The driver leaves Nagle's algorithm on and has no switch for it: the end of a message of more than 8 KB then waits for
//! the other side's delayed acknowledgement, some 40 ms. So it is turned off from outside, for every connection of this
//! process to the server's port.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Connections are looked for no more often than this: the pool opens them when it likes.
const PAUSE: Duration = Duration::from_millis(50);
const BOLT_PORT: u16 = 7687;

/// The connections to one server.
pub(super) struct Sockets {
    port: u16,
    begun: Instant,
    /// Milliseconds from `begun` on until which nothing is looked for.
    until_ms: AtomicU64,
}

impl Sockets {
    /// Those to the server at an address like `neo4j://host:7687`.
    pub(super) fn of(uri: &str) -> Self {
        let port = reqwest::Url::parse(uri).ok().and_then(|uri| uri.port()).unwrap_or(BOLT_PORT);
        Self { port, begun: Instant::now(), until_ms: AtomicU64::new(0) }
    }

    /// Has all connections send at once what they are given, unless this was just done.
    pub(super) fn send_at_once(&self) {
        let now = self.begun.elapsed();
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let until = self.until_ms.load(Ordering::Relaxed);
        let next = milliseconds(now.saturating_add(PAUSE));
        let is_due = milliseconds(now) >= until;
        let order = Ordering::Relaxed;
        if is_due && self.until_ms.compare_exchange(until, next, order, order).is_ok() {
            disable_nagle(self.port);
        }
    }
}

/// For the connections of this process to a port.
#[cfg(unix)]
#[expect(
    unsafe_code,
    reason = "the driver does not hand out its sockets, so they are found by their numbers"
)]
fn disable_nagle(port: u16) {
    use std::os::fd::BorrowedFd;
    // Linux, then the BSDs and macOS
    let Ok(open) = std::fs::read_dir("/proc/self/fd").or_else(|_| std::fs::read_dir("/dev/fd")) else {
        return;
    };
    let number = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    let numbers: Vec<i32> = open.filter_map(number).filter(|number| *number > 2).collect();
    for number in numbers {
        // SAFETY: the number is above 2, so never -1, and was open a moment ago. It is only asked who its peer is and told
        // an option of TCP: of a descriptor that was closed meanwhile both calls fail, and of another that took its number
        // they do no harm.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        let socket = socket2::SockRef::from(&descriptor);
        let peer = socket.peer_addr().ok().and_then(|peer| peer.as_socket());
        if peer.is_some_and(|peer| peer.port() == port)
            && let Err(error) = socket.set_tcp_nodelay(true)
        {
            tracing::debug!(%error, "a connection keeps Nagle's algorithm");
        }
    }
}

#[cfg(not(unix))]
fn disable_nagle(_: u16) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn connections_to_the_port_send_at_once_and_no_others() {
        let servers = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [ours, other] =
            servers.each_ref().map(|server| TcpStream::connect(server.local_addr().unwrap()).unwrap());
        assert!(!ours.nodelay().unwrap() && !other.nodelay().unwrap(), "the system's default");
        let sockets = Sockets::of(&format!("neo4j://user:word@{}", servers[0].local_addr().unwrap()));
        sockets.send_at_once();
        assert!(ours.nodelay().unwrap());
        assert!(!other.nodelay().unwrap());
        let later = TcpStream::connect(servers[0].local_addr().unwrap()).unwrap();
        sockets.send_at_once();
        assert!(!later.nodelay().unwrap(), "looked for only now and then");
        std::thread::sleep(2 * PAUSE);
        sockets.send_at_once();
        assert!(later.nodelay().unwrap());
    }

    #[test]
    fn the_port_is_that_of_the_address() {
        let port = |uri: &str| Sockets::of(uri).port;
        assert_eq!(port("neo4j://localhost"), 7687);
        assert_eq!(port("bolt://[::1]:17687"), 17687);
        assert_eq!(port("neo4j+s://db.example:443/"), 443);
        assert_eq!(port("no address"), 7687);
    }
}
