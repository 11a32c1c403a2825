//! XML as a stream of tags and text, names without their prefix.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Elements that may stand in one another.
const DEEPEST: usize = 1000;

/// A start tag.
#[derive(Clone, Debug, Default)]
pub(super) struct Tag {
    /// Its name without the prefix.
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    /// The value of its attribute `r:id`, which would be lost among those without a prefix.
    relation: Option<String>,
}

impl Tag {
    /// The value of an attribute, by its name without the prefix.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The part of an office document that it names.
    pub(super) fn relation(&self) -> Option<&str> {
        self.relation.as_deref()
    }

    /// The value of an attribute as a number.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }
}

/// A piece of markup.
#[derive(Debug)]
pub(super) enum Markup {
    Open(Tag),
    Text(String),
    /// The name of the element that ends.
    Close(String),
}

/// Reads markup piece by piece.
pub(super) struct XmlReader<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
}

impl<'a> XmlReader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self { reader, depth: 0 }
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// What is not well formed, and where; elements nested too deep.
    pub(super) fn next(&mut self) -> Result<Option<Markup>, String> {
        loop {
            let event = self.reader.read_event();
            let at = self.reader.buffer_position();
            let event =
                event.map_err(|error| format!("is damaged: its XML breaks off at byte {at} ({error})"))?;
            return Ok(Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        return Err(format!("nests more than {DEEPEST} elements of XML"));
                    }
                    Markup::Open(tag(&start))
                }
                Event::Empty(start) => Markup::Open(tag(&start)),
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Markup::Close(end.local_name().as_ref().to_owned())
                }
                Event::Text(text) => Markup::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Markup::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(reference) => match resolve(&reference) {
                    Some(character) => Markup::Text(character.to_string()),
                    None => continue,
                },
                Event::Eof => return Ok(None),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            }));
        }
    }

    /// Passes over the rest of an element that was just opened.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub(super) fn skip(&mut self) -> Result<(), String> {
        let mut open = 1_usize;
        while open > 0 {
            match self.next()? {
                Some(Markup::Open(_)) => open += 1,
                Some(Markup::Close(_)) => open -= 1,
                Some(Markup::Text(_)) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// The text of an element that was just opened, without the elements in it.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub(super) fn text(&mut self) -> Result<String, String> {
        let mut open = 1_usize;
        let mut text = String::new();
        while open > 0 {
            match self.next()? {
                Some(Markup::Open(_)) => open += 1,
                Some(Markup::Close(_)) => open -= 1,
                Some(Markup::Text(piece)) => text.push_str(&piece),
                None => break,
            }
        }
        Ok(text)
    }
}

fn tag(start: &BytesStart<'_>) -> Tag {
    let mut tag = Tag { name: start.local_name().as_ref().to_owned(), ..Tag::default() };
    for attribute in start.attributes().with_checks(false).flatten() {
        let name = attribute.key.local_name().as_ref().to_owned();
        let value = unescaped(&attribute.value);
        if name == "id" && attribute.key.prefix().is_some() {
            tag.relation = Some(value.clone());
        }
        tag.attributes.push((name, value));
    }
    tag
}

fn unescaped(value: &str) -> String {
    quick_xml::escape::unescape(value).map_or_else(|_| value.to_owned(), std::borrow::Cow::into_owned)
}

fn resolve(reference: &quick_xml::events::BytesRef<'_>) -> Option<char> {
    if reference.is_char_ref() {
        return reference.resolve_char_ref().ok().flatten();
    }
    Some(match reference.as_ref() {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => return None,
    })
}
