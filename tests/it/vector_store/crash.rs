//! A writer that is killed in the middle loses nothing that it was told is written.

use super::support::{Backend, DIMENSION, point};
use graphwright::stores::graph::VectorKind::TextUnits;
use graphwright::stores::sqlite_file::SqliteFile;
use graphwright::stores::vectors::bm25::query_vector;
use graphwright::stores::vectors::{Point, SqliteVectors, VectorQuery, VectorStore};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const FILE: &str = "GRAPHWRIGHT_TEST_KILLED_FILE";
const BATCH: usize = 20;

/// The writer: this test binary again, told by an environment variable. Without it there is nothing to do.
#[tokio::test]
async fn writer_to_be_killed() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let store = SqliteVectors::new(SqliteFile::open(path.as_ref()).unwrap(), "default");
    store.prepare(Some(DIMENSION)).await.unwrap();
    for batch in 0.. {
        let points: Vec<Point> = (batch * BATCH..(batch + 1) * BATCH)
            .map(|number| point(&number.to_string(), &text(number)))
            .collect();
        store.upsert(TextUnits, &points).await.unwrap();
        eprintln!("written {}", (batch + 1) * BATCH);
    }
}

fn text(number: usize) -> String {
    format!("every text has number w{number} and w{}", number % 10)
}

#[tokio::test]
async fn a_killed_writer_loses_nothing_that_was_acknowledged() {
    for written_before_kill in [1, 13, 40] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.sqlite");
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "vector_store::crash::writer_to_be_killed", "--nocapture"])
            .env(FILE, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(writer.stderr.take().unwrap()).lines();
        let acknowledged = (0..written_before_kill)
            .filter_map(|_| lines.next()?.ok()?.strip_prefix("written ")?.parse::<u64>().ok())
            .last()
            .unwrap();
        writer.kill().unwrap();
        writer.wait().unwrap();
        let backend = Backend::Sqlite(folder);
        let store = backend.open("default").await;
        let count = store.count(TextUnits).await.unwrap();
        assert!(count >= acknowledged && count % BATCH as u64 == 0, "{count} of {acknowledged}");
        let all =
            VectorQuery { sparse: Some(query_vector("number")), limit: 100_000, ..VectorQuery::default() };
        assert_eq!(store.search(TextUnits, &all).await.unwrap().len() as u64, count);
        store.upsert(TextUnits, &[point("after", "the end")]).await.unwrap();
    }
}
