//! Pictures that are files of their own: one page each, which something else reads.

use super::unread::Sorted;
use super::writer::Writer;
use super::{Foreign, MarkedPage, ReaderInput, ShownPages, UnreadPages, refusal};
use std::collections::BTreeMap;

/// The one page of a picture.
const ONLY: u64 = 1;

/// Reads a picture, whose text something else gives.
///
/// # Errors
/// Nothing is to read pictures.
pub(super) fn read(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    if !input.options.reads_pictures() {
        return Err(refusal(input.path));
    }
    let unread = UnreadPages {
        key: input.key.to_owned(),
        path: input.path.to_owned(),
        count: ONLY,
        pictures: vec![ONLY],
        is_picture_file: true,
        ..UnreadPages::default()
    };
    let sorted = Sorted::of(unread, input.options.given.get(input.key));
    let mut writer = Writer::default();
    for text in sorted.texts.values() {
        writer.given(text);
    }
    let is_read = !sorted.texts.is_empty();
    let mut foreign = Foreign::one(input, writer, None, BTreeMap::new());
    sorted.note(&mut foreign);
    if is_read && foreign.documents.is_empty() {
        foreign.notes.push("shows no text".into());
    }
    Ok(foreign)
}

/// A picture as its only page.
pub(super) fn single_page(input: &ReaderInput<'_>) -> ShownPages {
    let page = MarkedPage {
        page: ONLY,
        label: String::new(),
        width: 0.0,
        height: 0.0,
        boxes: Vec::new(),
        picture: Some(input.bytes.to_vec()),
    };
    ShownPages { page_count: ONLY, pages: vec![page] }
}

/// Whether bytes begin as a picture.
pub(super) fn is_picture(head: &[u8]) -> bool {
    let marks: [&[u8]; 7] =
        [b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"BM", b"\0\0\0\x0cjP"];
    marks.iter().any(|mark| head.starts_with(mark))
        || head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP")
}
