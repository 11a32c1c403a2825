//! Books: EPUB, its chapters in the order they are read.

use super::archive::{Archive, UnpackBudget};
use super::writer::Writer;
use super::xml::{Markup, XmlReader};
use super::{Foreign, ReaderInput, encoding, html};
use crate::domain::{Locator, LocatorKind};
use crate::language::unbroken;
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;

/// Reads a book.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    let budget = input.around.budget;
    let mut archive = Archive::open(input.bytes, &input.options.limits)?;
    let container = archive.needed_xml("META-INF/container.xml", budget)?;
    let package = package_path(&container)?.ok_or("is damaged: its container names no package")?;
    let text = archive.needed_xml(&package, budget)?;
    let package_folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let package = Package::read(&text)?;
    if archive.has("META-INF/encryption.xml") && is_locked(&mut archive, budget) {
        return Err("is locked by its seller (DRM); it cannot be read".into());
    }
    let names = package.chapter_names(&mut archive, package_folder, budget);
    let mut writer = Writer::default();
    let (mut broken, mut pictured, mut number) = (Vec::new(), Vec::new(), 0_u64);
    for (href, place) in package.spine.iter().zip(1_u64..) {
        let path = joined(package_folder, href);
        let mut has_picture = false;
        let page = match archive.read(&path, budget) {
            Ok(Some(bytes)) => encoding::decode(&bytes, true).and_then(|text| {
                has_picture = ["<img", "<image", "<svg"].iter().any(|tag| text.contains(tag));
                html::read(&text, &input.options.limits)
            }),
            Ok(None) => Err(format!("{path} is missing")),
            Err(reason) => Err(reason),
        };
        let Ok(page) = page else {
            broken.push(place);
            continue;
        };
        if page.text.trim().is_empty() {
            // the first one is the cover
            if has_picture && place > 1 {
                pictured.push(place);
            }
            continue;
        }
        number += 1;
        let title =
            names.get(&path).cloned().or_else(|| page.headings.first().map(|heading| heading.title.clone()));
        writer.locate(Locator::new(LocatorKind::Chapter, number).labelled(title.clone().unwrap_or_default()));
        if page.headings.is_empty()
            && let Some(title) = title.filter(|title| !page.text.trim_start().starts_with(title.as_str()))
        {
            writer.heading(1, &title);
        }
        writer.append(&page.text, &page.headings, 0);
    }
    let mut metadata = package.metadata;
    let title = metadata.remove("title");
    let mut foreign = Foreign::one(input, writer, title, metadata);
    foreign.note_numbers(
        &pictured,
        "part",
        "parts",
        "no text: what they show is a picture, which is not read",
    );
    foreign.problem_numbers(&broken, "part", "parts", "cannot be read: the book is damaged");
    Ok(foreign)
}

fn package_path(container: &str) -> Result<Option<String>, String> {
    let mut xml = XmlReader::new(container);
    while let Some(markup) = xml.next()? {
        if let Markup::Open(tag) = markup
            && tag.name == "rootfile"
            && let Some(path) = tag.get("full-path")
        {
            return Ok(Some(path.to_owned()));
        }
    }
    Ok(None)
}

/// Whether more than fonts is encrypted.
fn is_locked(archive: &mut Archive<'_>, budget: &UnpackBudget) -> bool {
    let Ok(Some(text)) = archive.xml("META-INF/encryption.xml", budget) else { return false };
    let mut xml = XmlReader::new(&text);
    while let Ok(Some(markup)) = xml.next() {
        if let Markup::Open(tag) = markup
            && tag.name == "CipherReference"
        {
            let path = tag.get("URI").unwrap_or_default().to_lowercase();
            if [".xhtml", ".html", ".htm", ".xml"].iter().any(|ending| path.ends_with(ending)) {
                return true;
            }
        }
    }
    false
}

/// What a book's package says.
#[derive(Debug, Default)]
struct Package {
    metadata: BTreeMap<String, String>,
    /// Chapters in the order of reading, as the package names them.
    spine: Vec<String>,
    /// Tables of contents, newer first.
    contents: Vec<String>,
}

impl Package {
    fn read(text: &str) -> Result<Self, String> {
        let mut package = Self::default();
        let mut items: BTreeMap<String, String> = BTreeMap::new();
        let mut xml = XmlReader::new(text);
        while let Some(markup) = xml.next()? {
            let Markup::Open(tag) = markup else { continue };
            match tag.name.as_str() {
                "title" | "creator" | "language" | "publisher" | "date" | "subject" | "description" => {
                    let name = if tag.name == "creator" { "author".to_owned() } else { tag.name.clone() };
                    let value = unbroken(&xml.text()?);
                    if !value.is_empty() {
                        package.metadata.entry(name).or_insert_with(|| value.chars().take(1000).collect());
                    }
                }
                "item" => {
                    let (Some(id), Some(href)) = (tag.get("id"), tag.get("href")) else { continue };
                    if tag.get("properties").is_some_and(|all| all.split(' ').any(|one| one == "nav")) {
                        package.contents.insert(0, href.to_owned());
                    } else if tag.get("media-type") == Some("application/x-dtbncx+xml") {
                        package.contents.push(href.to_owned());
                    }
                    items.insert(id.to_owned(), href.to_owned());
                }
                "itemref" if tag.get("linear") != Some("no") => {
                    if let Some(href) = tag.get("idref").and_then(|id| items.get(id)) {
                        package.spine.push(href.clone());
                    }
                }
                _ => {}
            }
        }
        // the table of contents is no chapter
        let contents = package.contents.clone();
        package.spine.retain(|href| !contents.contains(href));
        Ok(package)
    }

    /// What the table of contents calls the files of chapters.
    fn chapter_names(
        &self,
        archive: &mut Archive<'_>,
        folder: &str,
        budget: &UnpackBudget,
    ) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        for contents in &self.contents {
            let path = joined(folder, contents);
            let Ok(Some(text)) = archive.xml(&path, budget) else { continue };
            let below = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let _ = read_contents(&text, &below, &mut names);
            if !names.is_empty() {
                break;
            }
        }
        names
    }
}

/// Names of a table of contents, of either kind: `<a href>` or `<navPoint>`.
fn read_contents(text: &str, folder: &str, names: &mut BTreeMap<String, String>) -> Result<(), String> {
    let mut xml = XmlReader::new(text);
    let mut label = String::new();
    while let Some(markup) = xml.next()? {
        let Markup::Open(tag) = markup else { continue };
        match tag.name.as_str() {
            "a" => {
                let href = tag.get("href").map(|href| joined(folder, href));
                let title = unbroken(&xml.text()?);
                if let Some(href) = href.filter(|_| !title.is_empty()) {
                    names.entry(href).or_insert(title);
                }
            }
            "text" => label = unbroken(&xml.text()?),
            "content" => {
                if let Some(source) = tag.get("src").filter(|_| !label.is_empty()) {
                    names.entry(joined(folder, source)).or_insert_with(|| std::mem::take(&mut label));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A name in the archive, from a link as seen from a folder: escapes and the place inside the file are taken off.
fn joined(folder: &str, link: &str) -> String {
    let link = link.split('#').next().unwrap_or_default();
    let link = percent_decode_str(link).decode_utf8_lossy();
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_part_of_the_archive() {
        assert_eq!(joined("OEBPS/text", "../images/the%20lamp.png#top"), "OEBPS/images/the lamp.png");
        assert_eq!(joined("", "./%E7%AC%AC1%E7%AB%A0.xhtml"), "第1章.xhtml");
        assert_eq!(joined("OEBPS", "100%.xhtml"), "OEBPS/100%.xhtml", "no escape");
    }
}
