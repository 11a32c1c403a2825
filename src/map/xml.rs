//! Writing XML: what is not allowed in it is left out, the rest is escaped by `quick-xml`.

use anyhow::Result;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// Writes elements one below the other.
pub(super) struct XmlWriter(Writer<Vec<u8>>);

/// Attributes: name and value as it is meant.
pub(super) type Attributes<'a> = &'a [(&'a str, &'a str)];

impl XmlWriter {
    /// With the declaration.
    pub(super) fn new() -> Result<Self> {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 1);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        Ok(Self(writer))
    }

    /// Begins an element.
    pub(super) fn open(&mut self, name: &str, attributes: Attributes) -> Result<()> {
        Ok(self.0.write_event(Event::Start(start(name, attributes)))?)
    }

    /// Ends it.
    pub(super) fn close(&mut self, name: &str) -> Result<()> {
        Ok(self.0.write_event(Event::End(BytesEnd::new(name)))?)
    }

    /// An element without content.
    pub(super) fn empty(&mut self, name: &str, attributes: Attributes) -> Result<()> {
        Ok(self.0.write_event(Event::Empty(start(name, attributes)))?)
    }

    /// An element with a text.
    pub(super) fn text(&mut self, name: &str, attributes: Attributes, text: &str) -> Result<()> {
        self.open(name, attributes)?;
        self.0.write_event(Event::Text(BytesText::new(&allowed(text))))?;
        self.close(name)
    }

    /// All that was written.
    pub(super) fn end(self) -> Result<String> {
        let mut text = String::from_utf8(self.0.into_inner())?;
        text.push('\n');
        Ok(text)
    }
}

fn start<'a>(name: &'a str, attributes: Attributes<'a>) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (name, value) in attributes {
        start.push_attribute((*name, allowed(value).as_str()));
    }
    start
}

/// Without the characters that XML 1.0 has no way to write.
fn allowed(text: &str) -> String {
    let is_allowed = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(is_allowed).collect()
}
