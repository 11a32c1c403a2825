//! TLS of every connection: one provider of cryptography for the process, authorities of one's own, and what is said
//! where a certificate does not hold.

use crate::small_file;
use anyhow::{Context, Result, ensure};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::path::Path;

/// Makes *ring* the process's provider, unless whoever uses this library has chosen one before. Whoever connects calls
/// it first: where dependencies bring several providers, rustls panics rather than choose.
pub fn install_provider() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // fails only where another thread was faster
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}

/// The certificates of a `ca_file`, as PEM, all of them fit to be trusted.
///
/// # Errors
/// The file cannot be read, is longer than 1 MB, holds no certificate, or one that is broken.
pub fn read_authorities(section: &str, file: &Path) -> Result<Vec<u8>> {
    let name = || format!("{section} ca_file {}", file.display());
    let text = small_file::read(file).with_context(|| format!("cannot read {}", name()))?;
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.with_context(|| format!("{} is not PEM", name()))?;
        store.add(certificate).with_context(|| format!("{} holds a broken certificate", name()))?;
    }
    ensure!(!store.is_empty(), "{} holds no certificate; it should be a PEM file", name());
    Ok(text)
}

/// What is wrong with a connection's TLS and how to mend it; `None` for an error of another kind.
pub fn explain(error: &str, section: &str) -> Option<String> {
    let ssc = if section == "[graph]" {
        ", or write bolt+ssc:// or neo4j+ssc:// to encrypt without asking who answers"
    } else {
        ""
    };
    if let Some((_, what)) = error.split_once("invalid peer certificate: ") {
        let what = match what.trim_end_matches(')') {
            "UnknownIssuer" => "it is signed by nobody that is trusted here",
            what => what,
        };
        return Some(format!(
            "its certificate is refused: {what}; name the authority that signed it by ca_file under {section}{ssc}"
        ));
    }
    let no_tls = ["corrupt message of type", "InvalidContentType"].iter().any(|sign| error.contains(sign));
    no_tls.then(|| format!("it does not speak TLS at this port ({error}); write the address without TLS"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_certificate_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        let told = || format!("{:#}", read_authorities("[graph]", &file).unwrap_err());
        assert!(told().contains("cannot read [graph] ca_file"), "{}", told());
        for text in ["", "not a certificate"] {
            std::fs::write(&file, text).unwrap();
            assert!(told().contains("holds no certificate"), "{}", told());
        }
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(told().contains("broken certificate"), "{}", told());
        std::fs::write(&file, "-".repeat(1_000_001)).unwrap();
        assert!(told().contains("cannot read [graph] ca_file") && told().contains("too long"), "{}", told());
    }

    #[test]
    fn what_is_wrong_with_a_certificate_is_said_with_the_ways_to_mend() {
        let graph = explain("io: invalid peer certificate: UnknownIssuer", "[graph]").unwrap();
        assert!(
            graph.contains("nobody that is trusted") && graph.contains("ca_file under [graph]"),
            "{graph}"
        );
        assert!(graph.contains("+ssc://"), "{graph}");
        let other = explain("invalid peer certificate: Expired)", "[vectors]").unwrap();
        assert!(other.contains("Expired;") && !other.contains("ssc"), "{other}");
        assert!(explain("received corrupt message of type InvalidContentType", "[llm]").is_some());
        assert_eq!(explain("connection refused", "[llm]"), None);
    }
}
