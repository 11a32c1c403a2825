//! Addresses as people may see them: what stands in front of the host or behind the path may be a password or a key.

use reqwest::Url;

/// Scheme, host, port and path of an address; never user, password, query or fragment. The one way to print, log or
/// store an address.
pub fn redacted(address: &str) -> String {
    let is_scheme = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => (format!("{scheme}://"), rest),
        _ => (String::new(), address),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    // a password may hold any sign, so what follows the first `/` may still be a part of it
    if rest.get(authority.len()..).is_some_and(|behind| behind.contains('@')) {
        return format!("{scheme}***");
    }
    let path = rest.get(authority.len()..).unwrap_or("").split(['?', '#']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or(authority);
    format!("{scheme}{host}{}", path.trim_end_matches('/'))
}

/// [`redacted`], for a field of the configuration that is written out.
///
/// # Errors
/// The serializer's.
pub fn serialize<S: serde::Serializer>(address: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&redacted(address))
}

/// As [`serialize`], for a field that may be absent.
///
/// # Errors
/// The serializer's.
pub fn serialize_option<S: serde::Serializer>(
    address: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match address {
        Some(address) => serializer.serialize_some(&redacted(address)),
        None => serializer.serialize_none(),
    }
}

/// Whether what is sent to an address stays on this machine: a loopback address or `localhost`.
pub fn is_local(address: &str) -> bool {
    let with_scheme = if address.contains("://") { address.to_owned() } else { format!("any://{address}") };
    let Ok(url) = Url::parse(&with_scheme) else { return false };
    let host = url.host_str().unwrap_or("").trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_of_an_address_is_shown() {
        let check = |input: &str, expected: &str| assert_eq!(redacted(input), expected, "{input}");
        check("neo4j://user:secret@host:7687", "neo4j://host:7687");
        check("bolt+ssc://host", "bolt+ssc://host");
        check("https://host:1/v1/?key=secret#more", "https://host:1/v1");
        check("https://user:sec@ret@host/v1", "https://host/v1");
        check("https://user:sec/ret@host/v1", "https://***");
        check("https://user:1/secret@host", "https://***");
        check("https://user:#secret@host", "https://***");
        check("user:secret@host:7687", "host:7687");
        check("http://[::1]:6334/", "http://[::1]:6334");
        check("user:secret@host/://", "host/:");
        check("localhost:6334", "localhost:6334");
        check("", "");
    }

    #[test]
    fn only_what_stays_on_this_machine_is_local() {
        let check = |input: &str, expected: bool| assert_eq!(is_local(input), expected, "{input}");
        check("http://localhost:11434/v1", true);
        check("neo4j://LOCALHOST", true);
        check("bolt://127.0.0.1:7687", true);
        check("http://[::1]:6334", true);
        check("localhost:7687", true);
        check("https://api.openai.com/v1", false);
        check("http://localhost.example.org", false);
        check("http://localhost@example.org", false);
        check("http://192.168.0.4:8000", false);
        check("localhost:7687@example.org", false);
        check("localhost:7687@example.org/://", false);
        check("no address", false);
    }
}
