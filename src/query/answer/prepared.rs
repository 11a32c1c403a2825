//! The sentences of text units, ready to be compared: a function of the text alone, made once and kept for the next question
//! within bounds.

use super::concepts::IndexedSentence;
use super::runs::runs;
use crate::language::classical::is_classical;
use crate::language::entries::{Entry, HeadKind, entries};
use crate::language::fields::{FieldBlock, field_blocks, label_of};
use crate::language::formalities::is_formality;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Bytes of sentences that are kept, about.
const KEPT_BYTES: usize = 32 << 20;

/// A sentence of a text.
#[derive(Debug)]
pub(super) struct Prepared {
    /// First character and one behind the last.
    pub(super) span: (u64, u64),
    /// The same in bytes.
    bytes: Range<usize>,
    /// What it is compared by.
    pub(super) indexed: Arc<IndexedSentence>,
    /// What opens the entries that it stands in, where it stands behind that, the innermost first; in bytes.
    heads: Box<[(HeadKind, Range<usize>)]>,
    /// Where it begins a field of a record: the record's first byte, and the bytes of the label.
    field: Option<(usize, Range<usize>)>,
    /// Whether it is nothing but what opens an entry, and tells nothing itself.
    pub(super) is_label: bool,
    /// Whether it is the header of a mail, a greeting or a sign-off.
    pub(super) is_formality: bool,
}

/// What opens the entry of a text that a sentence stands in.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryHead<'a> {
    pub(super) kind: HeadKind,
    /// First character, one behind the last, and the text itself.
    pub(super) quote: (u64, u64, &'a str),
}

/// The field that a sentence begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordField<'a> {
    pub(super) label: &'a str,
    /// What the sentence says behind it.
    pub(super) value: &'a str,
    /// First byte of its record in the text unit.
    pub(super) record: usize,
    /// Whether it is the record's first.
    pub(super) is_first: bool,
}

impl Prepared {
    /// What opens the entries of the text that the sentence was read from, the innermost first.
    pub(super) fn heads<'a>(&self, text: &'a str) -> impl Iterator<Item = EntryHead<'a>> {
        self.heads.iter().filter_map(|(kind, bytes)| {
            let head = text.get(bytes.clone())?;
            let before = text.get(bytes.end..self.bytes.start)?.chars().count() as u64;
            let end = self.span.0.checked_sub(before)?;
            let start = end.checked_sub(head.chars().count() as u64)?;
            Some(EntryHead { kind: *kind, quote: (start, end, head) })
        })
    }

    /// The sentence in the text that it was read from: its span and its words.
    pub(super) fn quote<'a>(&self, text: &'a str) -> (u64, u64, &'a str) {
        (self.span.0, self.span.1, text.get(self.bytes.clone()).unwrap_or_default())
    }

    /// The field that it begins, in the text that it was read from.
    pub(super) fn field<'a>(&self, text: &'a str) -> Option<RecordField<'a>> {
        let (record, label) = self.field.clone()?;
        let behind = text.get(label.end..self.bytes.end)?;
        let value = behind.trim_start_matches(['*', '_', ' ']).trim_start_matches([':', '：']);
        let value = value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
        Some(RecordField { is_first: self.bytes.start == record, label: text.get(label)?, value, record })
    }

    fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.heads) + self.indexed.size()
    }
}

/// What is kept of texts, by the hash of each.
static KEPT: LazyLock<Mutex<PreparedCache>> = LazyLock::new(|| Mutex::new(PreparedCache::new(KEPT_BYTES)));

/// All sentences of a text.
pub(super) fn sentences(text: &str) -> Arc<[Prepared]> {
    let hash = *blake3::hash(text.as_bytes()).as_bytes();
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept().get(&hash) {
        return known;
    }
    let read = read(text);
    kept().add(hash, &read);
    read
}

/// Entries before a sentence among which its own is looked for.
const ENTRIES_BACK: usize = 32;

fn read(text: &str) -> Arc<[Prepared]> {
    let mut stems_of = FxHashMap::default();
    let is_classical = is_classical(text);
    let entries = entries(text);
    let records: Vec<FieldBlock> = field_blocks(text).into_iter().filter(|block| block.is_record).collect();
    let sentences = runs(text).into_iter().map(|(start, end, quote)| {
        let first = (quote.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let bytes = first..first + quote.len();
        let place = entries.partition_point(|entry| entry.head.start <= bytes.start);
        // the innermost: entries may stand below a heading that opens one
        let before = entries.get(..place).unwrap_or_default().iter().rev().take(ENTRIES_BACK);
        let around: Vec<&Entry> = before.filter(|entry| bytes.start < entry.end).collect();
        let behind = around.iter().filter(|entry| entry.head.end <= bytes.start);
        let is_label = |entry: &Entry| entry.kind != HeadKind::Subject && bytes.end <= entry.head.end;
        Prepared {
            span: (start, end),
            heads: behind.map(|entry| (entry.kind, entry.head.clone())).collect(),
            is_label: around.first().is_some_and(|entry| is_label(entry)),
            is_formality: is_formality(quote),
            field: field_at(text, &records, bytes.start),
            bytes,
            indexed: Arc::new(IndexedSentence::of(quote, &mut stems_of).of_classical(is_classical)),
        }
    });
    sentences.collect()
}

/// The field of a record that begins at a byte: where the record begins, and where its label stands.
fn field_at(text: &str, records: &[FieldBlock], at: usize) -> Option<(usize, Range<usize>)> {
    let place = records.partition_point(|record| record.range().start <= at).checked_sub(1)?;
    let record = records.get(place)?;
    let field = record.fields.iter().find(|field| field.start == at)?;
    let line = text.get(field.clone())?;
    let label = label_of(line)?;
    let start = field.start + (label.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    Some((record.range().start, start..start + label.len()))
}

type Hash = [u8; blake3::OUT_LEN];

/// Texts that were read, those that were asked for longest ago first to go.
struct PreparedCache {
    texts: FxHashMap<Hash, (u64, usize, Arc<[Prepared]>)>,
    most_bytes: usize,
    bytes: usize,
    clock: u64,
}

impl PreparedCache {
    fn new(most_bytes: usize) -> Self {
        Self { texts: FxHashMap::default(), most_bytes, bytes: 0, clock: 0 }
    }

    fn get(&mut self, hash: &Hash) -> Option<Arc<[Prepared]>> {
        self.clock += 1;
        let (used, _, known) = self.texts.get_mut(hash)?;
        *used = self.clock;
        Some(Arc::clone(known))
    }

    fn add(&mut self, hash: Hash, read: &Arc<[Prepared]>) {
        let size = size_of::<Hash>() + read.iter().map(Prepared::size).sum::<usize>();
        if size > self.most_bytes / 2 {
            return;
        }
        if self.bytes + size > self.most_bytes {
            self.halve();
        }
        if let Some((_, before, _)) = self.texts.insert(hash, (self.clock, size, Arc::clone(read))) {
            self.bytes -= before;
        }
        self.bytes += size;
    }

    /// Lets go of what was asked for longest ago, down to half of the bound.
    fn halve(&mut self) {
        let mut oldest: Vec<(u64, Hash)> =
            self.texts.iter().map(|(hash, (used, ..))| (*used, *hash)).collect();
        oldest.sort_unstable();
        for (_, hash) in oldest {
            if self.bytes <= self.most_bytes / 2 {
                break;
            }
            if let Some((_, size, _)) = self.texts.remove(&hash) {
                self.bytes -= size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once_and_gives_its_sentences() {
        let text =
            "Alice met Bob – in 2019. \"She runs Acme,\" he said. 刘备见曹操。操曰：“善。吾去也。”众皆喜。";
        let first = sentences(text);
        let same = String::from(text);
        let again = sentences(&same);
        assert!(Arc::ptr_eq(&first, &again), "it is read once");
        let quotes: Vec<(u64, u64, &str)> = first.iter().map(|one| one.quote(text)).collect();
        assert_eq!(quotes, runs(text));
        for (one, (_, _, quote)) in first.iter().zip(quotes) {
            assert_eq!(one.indexed.flat, IndexedSentence::of(quote, &mut FxHashMap::default()).flat);
        }
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let mut kept = PreparedCache::new(20_000);
        let text = |number: u32| format!("Captain {number} met Admiral Nemo. They sailed to Port {number}.");
        for number in 0..100 {
            let read = read(&text(number));
            kept.add(*blake3::hash(text(number).as_bytes()).as_bytes(), &read);
            // what is asked for again and again stays
            assert!(kept.get(blake3::hash(text(0).as_bytes()).as_bytes()).is_some(), "{number}");
            let size: usize = kept.texts.values().map(|(_, size, _)| size).sum();
            assert!(kept.bytes <= 20_000 && kept.bytes == size, "{} bytes", kept.bytes);
        }
        assert!(kept.texts.len() < 60 && kept.texts.len() > 3, "{} texts", kept.texts.len());
        assert!(kept.get(blake3::hash(text(99).as_bytes()).as_bytes()).is_some(), "the last one is there");
    }
}
