//! The library as a file beside the data: entries taken apart once, so that a command does not do it again. It follows
//! from the graph; where it is missing, of another version or of another revision, it is made anew.

use super::matching::Texts;
use crate::domain::LibraryEntry;
use crate::private;
use crate::services::Services;
use serde::{Deserialize, Serialize};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Grows where entries are taken apart otherwise than before, or are kept otherwise.
const VERSION: u32 = 5;
/// Smaller libraries are taken apart as quickly as they are read.
const SMALLEST: usize = 200;

#[derive(Serialize, Deserialize, PartialEq)]
struct Head {
    version: u32,
    program: String,
    store: String,
    workspace: String,
    revision: u64,
}

#[derive(Deserialize)]
struct StoredLibrary {
    entries: Vec<LibraryEntry>,
    texts: Texts,
}

#[derive(Serialize)]
struct Keep<'a> {
    entries: &'a [LibraryEntry],
    texts: &'a Texts,
}

fn head(services: &Services, revision: u64) -> Head {
    Head {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        store: services.graph.describe(),
        workspace: services.ids.workspace().to_owned(),
        revision,
    }
}

fn path(services: &Services) -> PathBuf {
    services.data_dir.join(format!("{}.library", services.ids.workspace()))
}

/// Bytes of a library's file at most; a larger one is made anew.
const LONGEST: u64 = 512 << 20;

/// The entries and what they were taken apart into, where the file is of this revision.
pub(super) fn read(services: &Services, revision: u64) -> Option<(Vec<LibraryEntry>, Texts)> {
    let bytes = private::read(&path(services), LONGEST).ok()?;
    let border = bytes.iter().position(|byte| *byte == b'\n')?;
    let (first, rest) = bytes.split_at_checked(border)?;
    let known: Head = serde_json::from_slice(first).ok()?;
    if known != head(services, revision) {
        return None;
    }
    match serde_json::from_slice::<StoredLibrary>(rest) {
        Ok(kept) => Some((kept.entries, kept.texts)),
        Err(error) => {
            tracing::debug!(%error, "the library's file is broken and made anew");
            None
        }
    }
}

/// Keeps what was taken apart. A folder that cannot be written costs time and nothing else.
pub(super) fn write(services: &Services, revision: u64, entries: &[LibraryEntry], texts: &Texts) {
    if entries.len() < SMALLEST {
        return;
    }
    if let Err(error) = try_write(services, revision, entries, texts) {
        tracing::debug!(%error, "the library's file cannot be written");
    }
}

fn try_write(
    services: &Services,
    revision: u64,
    entries: &[LibraryEntry],
    texts: &Texts,
) -> anyhow::Result<()> {
    let path = path(services);
    let temporary = path.with_extension(format!("library-{}", std::process::id()));
    let written = (|| -> anyhow::Result<()> {
        let mut out = BufWriter::new(private::create(&temporary)?);
        serde_json::to_writer(&mut out, &head(services, revision))?;
        out.write_all(b"\n")?;
        serde_json::to_writer(&mut out, &Keep { entries, texts })?;
        out.flush()?;
        std::fs::rename(&temporary, &path)?;
        Ok(())
    })();
    if written.is_err() {
        // nothing is left where it could not be finished
        let _ = std::fs::remove_file(&temporary);
    }
    written
}
