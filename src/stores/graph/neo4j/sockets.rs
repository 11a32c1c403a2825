//! The driver leaves Nagle's algorithm on and has no switch for it: the end of a message of more than 8 KB then waits for
//! the other side's delayed acknowledgement, some 40 ms. So it is turned off from outside, for every connection of this
//! process to the server. `docs/neo4rs-nodelay.patch` is the switch that the driver lacks; with it, this file can go.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Connections are looked for no more often than this: the pool opens them when it likes.
const PAUSE: Duration = Duration::from_millis(50);
const BOLT_PORT: u16 = 7687;

/// The other end of the connections that are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Peer {
    port: u16,
    /// Where the address names one; a host's name may stand for several.
    ip: Option<IpAddr>,
}

impl Peer {
    /// The server at an address like `neo4j://host:7687`.
    fn of(uri: &str) -> Self {
        let uri = reqwest::Url::parse(uri).ok();
        let port = uri.as_ref().and_then(reqwest::Url::port).unwrap_or(BOLT_PORT);
        let host = uri.as_ref().and_then(reqwest::Url::host_str).unwrap_or("");
        Self { port, ip: host.trim_matches(['[', ']']).parse().ok() }
    }

    fn is(&self, address: std::net::SocketAddr) -> bool {
        address.port() == self.port && self.ip.is_none_or(|ip| ip == address.ip().to_canonical())
    }
}

/// The connections to one server.
pub(super) struct Sockets {
    peer: Peer,
    begun: Instant,
    /// Milliseconds from `begun` on until which nothing is looked for.
    until_ms: AtomicU64,
}

impl Sockets {
    /// Those to the server at an address like `neo4j://host:7687`.
    pub(super) fn of(uri: &str) -> Self {
        Self { peer: Peer::of(uri), begun: Instant::now(), until_ms: AtomicU64::new(0) }
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
            disable_nagle(self.peer);
        }
    }
}

/// For the connections of this process to a server.
#[cfg(unix)]
fn disable_nagle(peer: Peer) {
    // Linux, then the BSDs and macOS
    for folder in ["/proc/self/fd", "/dev/fd"] {
        let Ok(open) = std::fs::read_dir(folder) else { continue };
        let number =
            |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
        let numbers: Vec<i32> = open.filter_map(number).filter(|number| *number > 2).collect();
        for socket in numbers.into_iter().filter_map(|number| duplicate(folder, number)) {
            let other_end = socket.peer_addr().ok().and_then(|other_end| other_end.as_socket());
            if other_end.is_some_and(|other_end| peer.is(other_end))
                && let Err(error) = socket.set_tcp_nodelay(true)
            {
                tracing::debug!(%error, "a connection keeps Nagle's algorithm");
            }
        }
        return;
    }
}

/// A descriptor of our own for a socket of this process, whatever other threads do with theirs meanwhile: an option that is
/// set through it is set for both. `None` for what is no socket.
#[cfg(unix)]
#[expect(
    unsafe_code,
    reason = "the driver does not hand out its sockets, so they are found by their numbers"
)]
fn duplicate(folder: &str, number: i32) -> Option<socket2::Socket> {
    use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;
    // a look that opens nothing
    let file = std::fs::metadata(format!("{folder}/{number}")).ok()?;
    if !file.file_type().is_socket() {
        return None;
    }
    // SAFETY: the call takes any number and reads or writes no memory of ours; of one that is not open it fails.
    let duplicate = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if duplicate < 0 {
        return None;
    }
    // SAFETY: the system has just made this descriptor for us, so nobody else has it and it is closed once, by us.
    let socket = socket2::Socket::from(unsafe { OwnedFd::from_raw_fd(duplicate) });
    if socket.r#type().is_ok() {
        return Some(socket);
    }
    // The socket was closed since the look, and its number went to a file. To close any descriptor of a file would end
    // this process's locks on it, SQLite's among them, so this one stays open.
    let _kept_open = socket.into_raw_fd();
    None
}

#[cfg(not(unix))]
fn disable_nagle(_: Peer) {}

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
    fn another_server_at_the_same_port_is_not_ours() {
        let peer = Peer::of("bolt://127.0.0.1:7687");
        let check = |address: &str, expected: bool| {
            assert_eq!(peer.is(address.parse().unwrap()), expected, "{address}");
        };
        check("127.0.0.1:7687", true);
        check("[::ffff:127.0.0.1]:7687", true);
        check("127.0.0.2:7687", false);
        check("127.0.0.1:7688", false);
    }

    #[test]
    fn only_sockets_are_duplicated_and_their_own_descriptors_stay_open() {
        use std::io::{Read, Write};
        use std::os::fd::AsRawFd;
        let folder = if std::path::Path::new("/proc/self/fd").exists() { "/proc/self/fd" } else { "/dev/fd" };
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut ours = TcpStream::connect(server.local_addr().unwrap()).unwrap();
        let socket = duplicate(folder, ours.as_raw_fd()).unwrap();
        assert_eq!(socket.peer_addr().unwrap().as_socket(), Some(ours.peer_addr().unwrap()));
        drop(socket);
        let mut theirs = server.accept().unwrap().0;
        ours.write_all(b"x").unwrap();
        theirs.read_exact(&mut [0]).unwrap();
        let file = tempfile::tempfile().unwrap();
        assert!(duplicate(folder, file.as_raw_fd()).is_none());
        assert!(duplicate(folder, 1 << 20).is_none(), "not open");
    }

    #[test]
    fn connections_may_come_and_go_while_they_are_looked_for() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let peer = Peer::of(&format!("bolt://{address}"));
        let stays = TcpStream::connect(address).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    // fewer than a listener keeps that nobody accepts
                    for _ in 0..40 {
                        drop((TcpStream::connect(address), tempfile::tempfile()));
                    }
                });
            }
            for _ in 0..20 {
                disable_nagle(peer);
            }
        });
        assert!(stays.nodelay().unwrap());
    }

    #[test]
    fn the_port_is_that_of_the_address() {
        let port = |uri: &str| Peer::of(uri).port;
        assert_eq!(port("neo4j://localhost"), 7687);
        assert_eq!(port("bolt://[::1]:17687"), 17687);
        assert_eq!(port("neo4j+s://db.example:443/"), 443);
        assert_eq!(port("no address"), 7687);
    }
}
