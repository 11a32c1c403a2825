//! A follower of a cluster, played by a script over Bolt 4.4: it answers reads and takes no writes.

use graphwright::config::GraphConfig;
use graphwright::stores::graph::EntityReader;
use graphwright::stores::graph::neo4j::Neo4jGraph;
use graphwright::stores::{GraphStore, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const HELLO: u8 = 0x01;
const RESET: u8 = 0x0F;
const RUN: u8 = 0x10;
const PULL: u8 = 0x3F;
const NOT_A_LEADER: &str = "Neo.ClientError.Cluster.NotALeader";

fn text(value: &str) -> Vec<u8> {
    [&[0xD0, u8::try_from(value.len()).unwrap()][..], value.as_bytes()].concat()
}

/// A message of one map.
fn summary(signature: u8, entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut message = vec![0xB1, signature, 0xA0 + u8::try_from(entries.len()).unwrap()];
    for (key, value) in entries {
        message.extend(text(key));
        message.extend(value);
    }
    message
}

fn success(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    summary(0x70, entries)
}

/// What the server answers to a statement: a column with one row, nothing, or that it takes no writes.
fn answer(statement: &str, leader: Option<&str>) -> Result<Option<(&'static str, String)>, ()> {
    if statement.contains("dbms.components") {
        Ok(Some(("version", "5.26.30".to_owned())))
    } else if statement.contains("SHOW DATABASES") {
        Ok(leader.map(|leader| ("address", leader.to_owned())))
    } else if statement.contains("CREATE") || statement.contains("MERGE") {
        Err(())
    } else {
        Ok(None)
    }
}

async fn read_message(socket: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut message = Vec::new();
    loop {
        let length = socket.read_u16().await?;
        if length == 0 && !message.is_empty() {
            return Ok(message);
        }
        let start = message.len();
        message.resize(start + usize::from(length), 0);
        socket.read_exact(&mut message[start..]).await?;
    }
}

async fn serve(
    mut socket: TcpStream,
    leader: Option<&'static str>,
    writes: Arc<AtomicUsize>,
) -> std::io::Result<()> {
    socket.read_exact(&mut [0; 20]).await?;
    socket.write_all(&[0, 0, 4, 4]).await?;
    let (mut row, mut failed) = (None, false);
    loop {
        let message = read_message(&mut socket).await?;
        let signature = message[1];
        let mut answers = Vec::new();
        match signature {
            RESET => {
                failed = false;
                answers.push(success(&[]));
            }
            _ if failed => answers.push(vec![0xB0, 0x7E]),
            HELLO => {
                answers
                    .push(success(&[("server", text("Neo4j/5.26.30")), ("connection_id", text("bolt-1"))]));
            }
            RUN => {
                if let Ok(found) = answer(&String::from_utf8_lossy(&message), leader) {
                    let fields: Vec<Vec<u8>> = found.iter().map(|(field, _)| text(field)).collect();
                    let list = [vec![0x90 + u8::try_from(fields.len()).unwrap()], fields.concat()].concat();
                    answers.push(success(&[("fields", list), ("t_first", vec![0])]));
                    row = found;
                } else {
                    writes.fetch_add(1, Ordering::SeqCst);
                    failed = true;
                    let words = text("No write operations are allowed directly on this database.");
                    answers.push(summary(0x7F, &[("code", text(NOT_A_LEADER)), ("message", words)]));
                }
            }
            PULL => {
                if let Some((_, value)) = row.take() {
                    answers.push([vec![0xB1, 0x71, 0x91], text(&value)].concat());
                }
                answers.push(success(&[("type", text("r")), ("db", text("neo4j"))]));
            }
            // to begin, to commit, to discard, to roll back
            _ => answers.push(success(&[])),
        }
        for answer in answers {
            let length = u16::try_from(answer.len()).unwrap().to_be_bytes();
            socket.write_all(&[&length[..], &answer, &[0, 0]].concat()).await?;
        }
    }
}

/// Starts one that names this leader; its address, and how many writes it was given.
async fn start(leader: Option<&'static str>) -> (GraphConfig, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("bolt://{}", listener.local_addr().unwrap());
    let writes = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&writes);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(serve(socket, leader, Arc::clone(&counted)));
        }
    });
    (GraphConfig { url: Some(url), timeout_s: 30, ..GraphConfig::default() }, writes)
}

#[tokio::test]
async fn a_follower_is_told_from_the_leader_and_the_leader_named() {
    let leaders = [
        (Some("core2.example:7687"), "bolt://core2.example:7687"),
        (None, "SHOW DATABASES YIELD name, address, writer"),
    ];
    let checks = leaders.map(|(leader, told)| async move {
        let (config, writes) = start(leader).await;
        let graph = Neo4jGraph::connect(&config, "test").await.unwrap();
        let error = graph.prepare().await.unwrap_err();
        assert!(matches!(error, StoreError::Unusable(_)), "{error:?}");
        let message = error.to_string();
        assert!(message.contains("is a follower") && message.contains(told), "{message}");
        assert!(message.contains("NEO4J_URI"), "{message}");
        assert!(writes.load(Ordering::SeqCst) > 1, "an election is waited for");
    });
    futures::future::join_all(checks).await;
}

/// Reads go to whichever server is given.
#[tokio::test]
async fn a_follower_is_read_from() {
    let (config, writes) = start(None).await;
    let graph = Neo4jGraph::connect(&config, "test").await.unwrap();
    assert_eq!(graph.entity_kinds().await.unwrap(), []);
    assert_eq!(writes.load(Ordering::SeqCst), 0);
}
