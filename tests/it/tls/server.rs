//! Servers behind TLS that let nobody in, each in its own protocol: what they answer shows that they were asked.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio_rustls::server::TlsStream;

/// What every server says to who asks.
pub(super) const WORDS: &str = "nobody is let in";

/// A certificate for `localhost`, and the file of the authority that signed it.
pub(super) struct Certificates {
    pub(super) authority: PathBuf,
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
    _folder: tempfile::TempDir,
}

impl Certificates {
    pub(super) fn signed() -> Self {
        let authority_key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "an authority of our own");
        let authority = params.self_signed(&authority_key).unwrap().pem();
        let issuer = Issuer::new(params, authority_key);
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec!["localhost".into()]).unwrap();
        let certificate = certificate.signed_by(&key, &issuer).unwrap();
        Self::with(&authority, certificate.der().clone(), &key)
    }

    pub(super) fn self_signed() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        Self::with(&made.cert.pem(), made.cert.der().clone(), &made.signing_key)
    }

    fn with(authority: &str, certificate: CertificateDer<'static>, key: &KeyPair) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, authority).unwrap();
        Self { authority: file, certificate, key: key.serialize_der(), _folder: folder }
    }

    fn acceptor(&self, protocol: Option<&[u8]>) -> TlsAcceptor {
        let key = PrivatePkcs8KeyDer::from(self.key.clone()).into();
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key)
            .unwrap();
        config.alpn_protocols = protocol.into_iter().map(<[u8]>::to_vec).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// What is spoken behind TLS.
#[derive(Clone, Copy)]
pub(super) enum Service {
    Bolt,
    Grpc,
    Http,
}

/// Starts a server; its port.
pub(super) async fn start(certificates: &Certificates, service: Service) -> u16 {
    let acceptor = certificates.acceptor(match service {
        Service::Grpc => Some(b"h2"),
        Service::Bolt | Service::Http => None,
    });
    // `localhost` may be either
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // a client that refuses the certificate goes away in the middle
                let Ok(stream) = acceptor.accept(socket).await else { return };
                let _ = match service {
                    Service::Bolt => bolt(stream).await,
                    Service::Grpc => grpc(stream).await,
                    Service::Http => http(stream).await,
                };
            });
        }
    });
    port
}

type Stream = TlsStream<TcpStream>;

/// Agrees on 4.4 and fails whatever is asked.
async fn bolt(mut stream: Stream) -> std::io::Result<()> {
    let mut handshake = [0; 20];
    stream.read_exact(&mut handshake).await?;
    stream.write_all(&[0, 0, 4, 4]).await?;
    stream.flush().await?;
    let mut request = [0; 4096];
    while stream.read(&mut request).await? > 0 {
        let code = "Neo.ClientError.Security.Unauthorized";
        let mut failure = vec![0xB1, 0x7F, 0xA2];
        for (key, value) in [("code", code), ("message", WORDS)] {
            failure.push(0x80 + u8::try_from(key.len()).unwrap());
            failure.extend(key.as_bytes());
            failure.extend([0xD0, u8::try_from(value.len()).unwrap()]);
            failure.extend(value.as_bytes());
        }
        let length = u16::try_from(failure.len()).unwrap();
        stream.write_all(&[&length.to_be_bytes(), failure.as_slice(), &[0, 0]].concat()).await?;
        stream.flush().await?;
    }
    Ok(())
}

/// Answers the first call with a status alone, in a frame of trailers.
async fn grpc(mut stream: Stream) -> std::io::Result<()> {
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await?;
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    stream.write_all(&settings).await?;
    stream.flush().await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let length = (usize::from(head[1]) << 8) | usize::from(head[2]);
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).await?;
        let (kind, flags) = (head[3], head[4]);
        match kind {
            // settings: acknowledged
            4 if flags & 1 == 0 => stream.write_all(&[0, 0, 0, 4, 1, 0, 0, 0, 0]).await?,
            // headers of a call
            1 => {
                // `:status` 200 by its number in the static table, the others literally
                let mut block = vec![0x88];
                for (name, value) in
                    [("content-type", "application/grpc"), ("grpc-status", "16"), ("grpc-message", WORDS)]
                {
                    block.push(0);
                    for text in [name, value] {
                        block.push(u8::try_from(text.len()).unwrap());
                        block.extend(text.as_bytes());
                    }
                }
                let stream_id = [head[5], head[6], head[7], head[8]];
                let length = u8::try_from(block.len()).unwrap();
                let frame = [&[0, 0, length, 1, 0b101][..], &stream_id, &block].concat();
                stream.write_all(&frame).await?;
            }
            _ => {}
        }
        stream.flush().await?;
    }
}

/// Answers as a chat model, an embedding model and a reranking model at once.
async fn http(mut stream: Stream) -> std::io::Result<()> {
    let mut request = vec![0; 65_536];
    let mut read = 0;
    // their requests are short: head and body come in at most a few pieces, and the body ends with `}`
    while read == 0 || request[read - 1] != b'}' {
        match stream.read(&mut request[read..]).await? {
            0 => return Ok(()),
            count => read += count,
        }
    }
    let body = json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": WORDS}, "finish_reason": "stop"}],
        "data": [{"index": 0, "embedding": [3, 4]}],
        "results": [{"index": 0, "relevance_score": 0.5}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    });
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await?;
    stream.shutdown().await
}
