//! Mail: single messages and mailboxes. Attachments are documents of their own.

use super::encoding;
use super::writer::Writer;
use super::{Foreign, Heading, ReaderInput, SourceDocument};
use crate::domain::{Locator, LocatorKind, LocatorMark};
use crate::language::unbroken;
use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Messages of a mailbox.
const MAX_MESSAGES: usize = 200_000;
/// Headers that its attachments have as well.
const SENT: [&str; 4] = ["from", "to", "cc", "date"];
/// Attachments of a message.
const MAX_ATTACHMENTS: usize = 1000;

/// Reads a message.
///
/// # Errors
/// It is none.
pub(super) fn read_message(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    let bytes = readable(input.bytes);
    let message = parse(&bytes).ok_or("is no mail: it has no headers")?;
    let mut foreign = Foreign::default();
    take(input, &message, input.key, None, &mut foreign)?;
    Ok(foreign)
}

/// Reads a mailbox: a document of every message.
///
/// # Errors
/// It holds no message, or too many.
pub(super) fn read_mailbox(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    let mut foreign = Foreign::default();
    let mut keys = BTreeSet::new();
    let mut broken = Vec::new();
    for (bytes, number) in messages(input.bytes)?.into_iter().zip(1_u64..) {
        let bytes = readable(&bytes);
        let Some(message) = parse(&bytes) else {
            broken.push(number);
            continue;
        };
        let id = message.message_id().map(str::trim).filter(|id| !id.is_empty());
        let mut key = format!("{}#{}", input.key, id.map_or_else(|| number.to_string(), str::to_owned));
        if !keys.insert(key.clone()) {
            key = format!("{key}~{number}");
            keys.insert(key.clone());
        }
        if take(input, &message, &key, Some(number), &mut foreign).is_err() {
            broken.push(number);
        }
    }
    foreign.note_numbers(&broken, "message", "messages", "no text");
    if foreign.documents.is_empty() {
        return Err("holds no message with text".into());
    }
    Ok(foreign)
}

/// The bytes of a message in UTF-8 where it says of no part how that is encoded, as old programs sent it.
fn readable(bytes: &[u8]) -> Cow<'_, [u8]> {
    let says = |word: &[u8]| bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    if std::str::from_utf8(bytes).is_ok() || says(b"charset") || says(b"base64") {
        return Cow::Borrowed(bytes);
    }
    encoding::decode(bytes, false).map_or(Cow::Borrowed(bytes), |text| Cow::Owned(text.into_bytes()))
}

/// The last part of a name: senders may write folders before it.
fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).find(|part| !part.is_empty() && *part != "..").unwrap_or("part")
}

fn parse(bytes: &[u8]) -> Option<Message<'_>> {
    MessageParser::default().parse(bytes).filter(|message| !message.headers().is_empty())
}

/// The messages of a mailbox, what is quoted in them (`>From `) as it was.
fn messages(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let mut messages: Vec<Vec<u8>> = Vec::new();
    let mut after_blank = true;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let is_border = after_blank && line.starts_with(b"From ") && has_time(line);
        after_blank = line.iter().all(u8::is_ascii_whitespace);
        if is_border {
            if messages.len() == MAX_MESSAGES {
                return Err(format!("holds more than {MAX_MESSAGES} messages; split it"));
            }
            messages.push(Vec::new());
            continue;
        }
        let quotes = line.iter().take_while(|byte| **byte == b'>').count();
        let is_quoted = quotes > 0 && line.get(quotes..).is_some_and(|rest| rest.starts_with(b"From "));
        if let Some(message) = messages.last_mut() {
            message.extend_from_slice(line.get(usize::from(is_quoted)..).unwrap_or_default());
        }
    }
    if messages.is_empty() {
        return Err("is no mailbox: no line begins with \"From \" and ends with a date".into());
    }
    Ok(messages)
}

/// Whether a line holds a time of day: the line between messages ends with when it came.
fn has_time(line: &[u8]) -> bool {
    line.windows(3).any(|part| {
        part.first().is_some_and(u8::is_ascii_digit)
            && part.get(1) == Some(&b':')
            && part.get(2).is_some_and(u8::is_ascii_digit)
    })
}

/// Takes a message in with its attachments.
fn take(
    input: &ReaderInput<'_>,
    message: &Message<'_>,
    key: &str,
    number: Option<u64>,
    foreign: &mut Foreign,
) -> Result<(), String> {
    let mut metadata = BTreeMap::new();
    let mut writer = Writer::default();
    if let Some(number) = number {
        writer.locate(Locator::new(LocatorKind::Message, number));
    }
    let subject = message.subject().map(unbroken).filter(|subject| !subject.is_empty());
    if let Some(subject) = &subject {
        writer.heading(1, subject);
    }
    let mut head = String::new();
    for (name, label, value) in headers(message) {
        if !label.is_empty() {
            head.push_str(&format!("{label}: {value}\n"));
        }
        metadata.insert(name.to_owned(), value);
    }
    writer.paragraph(&head);
    let before = writer.characters();
    write_body(message, input, &mut writer);
    let is_empty = writer.characters() == before;
    let attached: Vec<_> = message.attachments().take(MAX_ATTACHMENTS).collect();
    if is_empty && attached.is_empty() && subject.is_none() {
        return Err("holds no text".into());
    }
    let sent: BTreeMap<String, String> =
        SENT.iter().filter_map(|name| Some(((*name).to_owned(), metadata.get(*name)?.clone()))).collect();
    let title = subject.unwrap_or_else(|| super::title::of_file(input.path));
    foreign.documents.push(SourceDocument { key: key.to_owned(), ..writer.finish("", title, metadata) });
    if message.attachment_count() > MAX_ATTACHMENTS {
        foreign.problems.push(format!("only the first {MAX_ATTACHMENTS} attachments of {key} were read"));
    }
    let mut names = BTreeSet::new();
    for (part, place) in attached.into_iter().zip(1..) {
        let is_picture = part.content_type().is_some_and(|kind| kind.ctype().eq_ignore_ascii_case("image"));
        if is_picture && part.content_id().is_some() {
            // a picture of the message's own layout
            continue;
        }
        let bytes = match &part.body {
            PartType::Message(inner) => inner.raw_message(),
            PartType::Text(text) | PartType::Html(text) => text.as_bytes(),
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => bytes,
            PartType::Multipart(_) => continue,
        };
        let mut name = part
            .attachment_name()
            .map_or_else(|| unnamed(&part.body, place), |name| file_name(&unbroken(name)).to_owned());
        if !names.insert(name.clone()) {
            name = format!("{place}-{name}");
            names.insert(name.clone());
        }
        let mut attached = input.member(&name, key, bytes);
        for document in &mut attached.documents {
            bear_message(document, &sent, number);
        }
        foreign.inner.push(attached);
    }
    Ok(())
}

/// What an attachment has of its message: who sent it to whom and when, and where in its mailbox that stands.
fn bear_message(document: &mut SourceDocument, sent: &BTreeMap<String, String>, number: Option<u64>) {
    for (name, value) in sent {
        document.metadata.entry(name.clone()).or_insert_with(|| value.clone());
    }
    if let Some(number) = number.filter(|_| document.locators.is_empty()) {
        document
            .locators
            .push(LocatorMark { offset: 0, locator: Locator::new(LocatorKind::Message, number) });
    }
}

fn unnamed(body: &PartType<'_>, place: usize) -> String {
    match body {
        PartType::Message(_) => format!("message-{place}.eml"),
        PartType::Html(_) => format!("part-{place}.html"),
        PartType::Text(_) => format!("part-{place}.txt"),
        _ => format!("part-{place}"),
    }
}

/// Name in metadata, label in the text (empty: none) and value.
fn headers(message: &Message<'_>) -> Vec<(&'static str, &'static str, String)> {
    let mut found = Vec::new();
    for (name, label, addresses) in
        [("from", "From", message.from()), ("to", "To", message.to()), ("cc", "Cc", message.cc())]
    {
        if let Some(shown) = addresses.map(addresses_shown).filter(|shown| !shown.is_empty()) {
            found.push((name, label, shown));
        }
    }
    if let Some(date) = message.date() {
        found.push(("date", "Date", date.to_rfc3339()));
    }
    if let Some(id) = message.message_id() {
        found.push(("message_id", "", id.to_owned()));
    }
    let before = message.in_reply_to();
    if let Some(id) =
        before.as_text().or_else(|| before.as_text_list().and_then(|ids| ids.first()).map(AsRef::as_ref))
    {
        found.push(("in_reply_to", "", id.to_owned()));
    }
    found
}

fn addresses_shown(addresses: &Address<'_>) -> String {
    let shown: Vec<String> = addresses
        .iter()
        .filter_map(|one| match (one.name(), one.address()) {
            (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
            (_, Some(address)) => Some(address.to_owned()),
            (Some(name), None) => Some(name.to_owned()),
            (None, None) => None,
        })
        .take(50)
        .collect();
    shown.join(", ")
}

/// The text of a message, else that of its HTML; without the signature, quotations marked as they are.
fn write_body(message: &Message<'_>, input: &ReaderInput<'_>, writer: &mut Writer) {
    let has_text = message
        .text_body
        .iter()
        .filter_map(|part| message.part(*part))
        .any(|part| matches!(part.body, PartType::Text(_)));
    if !has_text {
        for part in message.html_bodies() {
            let Some(markup) = part.text_contents() else { continue };
            if let Ok(page) = super::html::read_mail(markup, &input.options.limits) {
                let text = without_signature(&page.text);
                let end = text.chars().count() as u64;
                let headings: Vec<Heading> =
                    page.headings.into_iter().filter(|heading| heading.offset < end).collect();
                writer.append(text, &headings, 1);
            }
        }
        return;
    }
    for part in message.text_bodies() {
        let PartType::Text(text) = &part.body else { continue };
        let text = text.replace("\r\n", "\n");
        let signature = if text.starts_with("-- \n") { Some(0) } else { text.find("\n-- \n") };
        let text = text.get(..signature.unwrap_or(text.len())).unwrap_or_default();
        writer.paragraph(text.trim_start_matches('\n'));
    }
}

/// The text of a page before the line that a signature begins with.
fn without_signature(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && line.trim_end() == "--" {
            return text.get(..at).unwrap_or(text).trim_end();
        }
        at += line.len();
    }
    text
}

/// Whether bytes look like a message: they begin with headers, some of them those of mail.
pub(super) fn looks_like_message(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut known = 0;
    for line in text.lines().take(40) {
        if line.trim().is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { return false };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return false;
        }
        let name = name.to_ascii_lowercase();
        known += usize::from(
            ["from", "received", "message-id", "mime-version", "return-path", "delivered-to"]
                .contains(&name.as_str()),
        );
    }
    known >= 2
}

/// Whether bytes look like a mailbox.
pub(super) fn looks_like_mailbox(head: &[u8]) -> bool {
    let Some(line) = head.split(|byte| *byte == b'\n').next() else { return false };
    let rest = head.get(line.len() + 1..).unwrap_or_default();
    line.starts_with(b"From ")
        && has_time(line)
        && rest.split(|byte| *byte == b'\n').next().is_some_and(|next| next.contains(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_names_no_encoding_is_still_read() {
        let old = b"From: a@b.c\nSubject: R\xe4ksm\xf6rg\xe5s\n\nR\xe4ksm\xf6rg\xe5s for twelve guests on Friday.\n";
        assert!(String::from_utf8_lossy(&readable(old)).contains("R\u{e4}ksm\u{f6}rg\u{e5}s for"));
        let named = b"Content-Type: text/plain; charset=koi8-r\n\n\xed\xe1";
        assert_eq!(&*readable(named), named);
    }

    #[test]
    fn a_signature_of_a_page_is_left_out() {
        assert_eq!(without_signature("Two pounds.\n\n> --\n\n--\nAgatha"), "Two pounds.\n\n> --");
        assert_eq!(without_signature("--\nonly -- this"), "--\nonly -- this");
    }

    #[test]
    fn an_attachment_has_no_folders() {
        assert_eq!(file_name("../../etc/coal.txt"), "coal.txt");
        assert_eq!(file_name("C:\\tmp\\coal.txt"), "coal.txt");
        assert_eq!(file_name("../.."), "part");
    }
}
