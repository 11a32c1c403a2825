//! A server on a corpus of its own, and who asks it.

use crate::support::{Pairing, TestIndex};
use graphwright::config::Config;
use graphwright::serve::{BoundServer, ServeSettings, tokens};
use graphwright::services::{self, Access};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub const CAROL: &str = include_str!("../../fixtures/sample/a-christmas-carol.txt");
pub const KINGDOMS: &str = include_str!("../../fixtures/sample/three-kingdoms.txt");

/// A server under test.
pub struct Running {
    pub base: String,
    pub folder: tempfile::TempDir,
    pub data: PathBuf,
    pub client: reqwest::Client,
    stopper: CancellationToken,
    work: JoinHandle<()>,
}

/// How it is started.
#[derive(Default)]
pub struct With {
    pub config: Config,
    pub read_only: bool,
    pub base_path: String,
    /// Other workspaces that hold one small document.
    pub others: Vec<&'static str>,
}

impl Running {
    /// On a workspace `book` with two documents.
    pub async fn start(with: With) -> Self {
        let mut index = TestIndex::new(&Pairing::embedded(), "book").await;
        index.write("carol.txt", CAROL);
        index.write("三国.txt", &KINGDOMS.chars().take(4_000).collect::<String>());
        index.index(&[]).await;
        index.services.graph.unlock_writer().await.expect("unlocked");
        let folder = std::mem::replace(&mut index.folder, tempfile::tempdir().expect("a folder"));
        drop(index);
        let data = folder.path().join("data");
        for other in &with.others {
            let services =
                services::connect(Config::default(), &data, other, Access::Write).await.expect("made");
            let path = folder.path().join("secret.txt");
            std::fs::write(&path, "Zaphod Beeblebrox hid the Golden Bough in Betelgeuse.\n")
                .expect("written");
            let request = graphwright::index::run::IndexRequest {
                paths: vec![path.display().to_string()],
                ..Default::default()
            };
            let progress = graphwright::progress::Progress::silent();
            graphwright::index::run::index(&services, &request, &progress).await.expect("indexed");
            services.graph.unlock_writer().await.expect("unlocked");
        }
        Self::at(folder, with).await
    }

    /// On what a folder holds.
    pub async fn at(folder: tempfile::TempDir, with: With) -> Self {
        let data = folder.path().join("data");
        let settings = ServeSettings {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            read_only: with.read_only,
            base_path: with.base_path.clone(),
            tokens: data.join(tokens::FILE),
            workspace: "book".to_owned(),
            folder: folder.path().to_path_buf(),
        };
        let server = BoundServer::bind(with.config, data.clone(), settings).await.expect("a place");
        let base = format!("http://{}{}", server.address(), with.base_path);
        let stopper = server.stopper();
        let work = tokio::spawn(server.run());
        graphwright::tls::install_provider();
        Self { base, folder, data, client: reqwest::Client::new(), stopper, work }
    }

    /// Stops it, and gives back what it stood on.
    pub async fn stop(self) -> tempfile::TempDir {
        self.stopper.cancel();
        tokio::time::timeout(std::time::Duration::from_secs(25), self.work)
            .await
            .expect("in time")
            .expect("ended");
        self.folder
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// A path below the workspace `book`.
    pub fn book(&self, path: &str) -> String {
        format!("{}/api/v1/workspaces/book{path}", self.base)
    }

    pub async fn get(&self, url: &str) -> (u16, Value) {
        read(self.client.get(url).send().await.expect("a reply")).await
    }

    pub async fn post(&self, url: &str, body: &Value) -> (u16, Value) {
        read(self.client.post(url).json(body).send().await.expect("a reply")).await
    }
}

pub async fn read(response: reqwest::Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let text = response.text().await.expect("a body");
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// The events of a stream: name and data.
pub fn events(text: &str) -> Vec<(String, Value)> {
    text.split("\n\n")
        .filter_map(|block| {
            let field = |name: &str| {
                block
                    .lines()
                    .find_map(|line| line.strip_prefix(name))
                    .map(|rest| rest.trim_start().to_owned())
            };
            let data = field("data:")?;
            Some((
                field("event:").unwrap_or_default(),
                serde_json::from_str(&data).unwrap_or(Value::String(data)),
            ))
        })
        .collect()
}
