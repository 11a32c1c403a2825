//! Zip archives whose headers are not believed: entries are read up to a limit, and all of them together up to another.

use crate::config::LimitsConfig;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use zip::ZipArchive;
use zip::result::ZipError;

/// How many times its packed size an entry may unpack to, where that is more than [`SMALL`].
const MAX_RATIO: u64 = 200;
/// Bytes that an entry may unpack to whatever its packed size.
const SMALL: u64 = 16 << 20;

/// What unpacking may still give, for an archive and those in it.
///
/// Cloning shares it.
#[derive(Clone, Debug)]
pub(super) struct UnpackBudget(Arc<AtomicU64>);

impl UnpackBudget {
    /// That of a file.
    pub(super) fn of(limits: &LimitsConfig) -> Self {
        Self(Arc::new(AtomicU64::new(limits.archive_mb.saturating_mul(1 << 20))))
    }

    /// That of an entry that is looked at to know what the archive is.
    pub(super) fn small() -> Self {
        Self(Arc::new(AtomicU64::new(SMALL)))
    }

    fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) {
        self.0.store(self.left().saturating_sub(bytes), Ordering::Relaxed);
    }
}

/// The names in a zip's directory that stand there once more: of their files the last is read.
///
/// The directory is read as it is written: 46 bytes an entry, its name, and what is said besides.
fn names_given_twice(bytes: &[u8], directory: u64) -> BTreeSet<String> {
    let number = |entry: &[u8], place: usize| {
        entry.get(place..place + 2).and_then(|two| two.try_into().ok()).map_or(0, u16::from_le_bytes) as usize
    };
    let mut rest = usize::try_from(directory).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
    while rest.starts_with(b"PK\x01\x02") {
        let length = number(rest, 28);
        let Some(name) = rest.get(46..46 + length) else { break };
        if !seen.insert(name) {
            twice.insert(String::from_utf8_lossy(name).into_owned());
        }
        rest = rest.get(46 + length + number(rest, 30) + number(rest, 32)..).unwrap_or_default();
    }
    twice
}

/// An archive in memory.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// How names are written that are not in UTF-8, once that was asked.
    names: OnceCell<Option<&'static Encoding>>,
}

impl<'a> Archive<'a> {
    /// # Errors
    /// Not a zip archive, a damaged one, or one of too many entries.
    pub(super) fn open(bytes: &'a [u8], limits: &LimitsConfig) -> Result<Self, String> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| format!("is damaged: {}; make it anew", in_words(&error)))?;
        if zip.len() > limits.archive_files {
            return Err(format!(
                "holds {} files, more than {}; unpack it or raise [limits] archive_files",
                zip.len(),
                limits.archive_files
            ));
        }
        Ok(Self { bytes, zip, names: OnceCell::new() })
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.zip.len()
    }

    /// The names that more than one entry has, of which the last is read; sorted.
    pub(super) fn names_given_twice(&self) -> BTreeSet<String> {
        names_given_twice(self.bytes, self.zip.central_directory_start())
    }

    /// Whether there is an entry of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// Whether an entry's name begins so.
    pub(super) fn has_below(&self, folder: &str) -> bool {
        self.zip.file_names().flatten().any(|name| name.starts_with(folder))
    }

    /// The bytes of an entry; `None` where there is none of that name.
    ///
    /// # Errors
    /// A damaged or locked entry, or one beyond a limit.
    pub(super) fn read(&mut self, name: &str, budget: &UnpackBudget) -> Result<Option<Vec<u8>>, String> {
        match self.zip.index_for_name(name) {
            Some(index) => self.read_entry(index, budget).map(|entry| entry.map(|entry| entry.bytes)),
            None => Ok(None),
        }
    }

    /// The text of an entry of XML.
    ///
    /// # Errors
    /// As [`Self::read`]; in no encoding.
    pub(super) fn xml(&mut self, name: &str, budget: &UnpackBudget) -> Result<Option<String>, String> {
        let Some(bytes) = self.read(name, budget)? else { return Ok(None) };
        super::encoding::decode(&bytes, true)
            .map(Some)
            .map_err(|reason| format!("is damaged: {name} {reason}"))
    }

    /// As [`Self::xml`] for an entry that must be there.
    ///
    /// # Errors
    /// As [`Self::xml`]; there is none.
    pub(super) fn needed_xml(&mut self, name: &str, budget: &UnpackBudget) -> Result<String, String> {
        self.xml(name, budget)?.ok_or_else(|| format!("is damaged: it has no {name}; make it anew"))
    }

    /// The entry at a place; `None` for folders.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn read_entry(
        &mut self,
        index: usize,
        budget: &UnpackBudget,
    ) -> Result<Option<ArchiveEntry>, String> {
        let known = self.unmarked_name(index);
        let file = self.zip.by_index(index).map_err(|error| in_words(&error))?;
        if file.is_dir() {
            return Ok(None);
        }
        let (name, safe) = match known {
            Some(name) => (name.clone(), enclosed(&name)),
            None => (
                file.name().map_err(|error| in_words(&error))?.into_owned(),
                file.enclosed_name().map(|path| path.to_string_lossy().replace('\\', "/")),
            ),
        };
        let most = file.compressed_size().saturating_mul(MAX_RATIO).max(SMALL).min(budget.left());
        let mut bytes = Vec::new();
        let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| format!("is damaged: {name} cannot be unpacked ({error})"))?;
        let length = bytes.len() as u64;
        if length > most {
            // what was unpacked in vain has cost as much
            budget.take(length.min(budget.left()));
            return Err(format!(
                "unpacks to more than {} MB at {name}, beyond what is read of an archive; unpack it, or raise [limits] \
                 archive_mb if it holds what you expect",
                most >> 20
            ));
        }
        budget.take(length);
        Ok(Some(ArchiveEntry { name, safe, bytes }))
    }

    /// The name of an entry as its archiver meant it, where that says not how it is written: UTF-8, or an encoding of East
    /// Asia that all such names of the archive are in. `None` where the archive's own reading is as good.
    fn unmarked_name(&mut self, index: usize) -> Option<String> {
        let raw = self.zip.by_index_raw(index).ok()?.name_raw().to_vec();
        if raw.is_ascii() {
            return None;
        }
        if let Ok(name) = String::from_utf8(raw.clone()) {
            return Some(name);
        }
        let zip = &mut self.zip;
        let encoding = *self.names.get_or_init(|| encoding_of_names(zip));
        encoding?.decode_without_bom_handling_and_without_replacement(&raw).map(std::borrow::Cow::into_owned)
    }
}

/// What the names of an archive that are not in UTF-8 are written in, if it is an encoding of several bytes a character.
fn encoding_of_names(zip: &mut ZipArchive<Cursor<&[u8]>>) -> Option<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for index in 0..zip.len() {
        let Ok(entry) = zip.by_index_raw(index) else { continue };
        if std::str::from_utf8(entry.name_raw()).is_err() {
            detector.feed(entry.name_raw(), false);
            detector.feed(b"\n", false);
        }
    }
    detector.feed(b"", true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    (!guess.is_single_byte()).then_some(guess)
}

/// A name as a path inside the archive; `None` where it leads out of it.
fn enclosed(name: &str) -> Option<String> {
    let name = name.replace('\\', "/");
    let is_absolute = name.starts_with('/') || name.as_bytes().get(1) == Some(&b':');
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            "" | "." => {}
            part => parts.push(part),
        }
    }
    (!is_absolute && !name.contains('\0') && !parts.is_empty()).then(|| parts.join("/"))
}

/// An unpacked entry.
pub(super) struct ArchiveEntry {
    /// Its name as it stands in the archive.
    pub(super) name: String,
    /// The same as a path inside the archive; `None` where it leads out of it.
    pub(super) safe: Option<String>,
    pub(super) bytes: Vec<u8>,
}

fn in_words(error: &ZipError) -> String {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            "it asks for a password; save it without one".to_owned()
        }
        ZipError::UnsupportedArchive(what) => format!("it uses what cannot be unpacked here ({what})"),
        _ => format!("its zip archive cannot be read ({error})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        assert_eq!(enclosed("灯油/a\\b.txt").as_deref(), Some("灯油/a/b.txt"));
        assert_eq!(enclosed("灯/../b.txt").as_deref(), Some("b.txt"));
        for name in ["../灯.txt", "灯/../../b.txt", "/灯.txt", "C:\\灯.txt", "灯\0.txt", ".."] {
            assert_eq!(enclosed(name), None, "{name}");
        }
    }
}
