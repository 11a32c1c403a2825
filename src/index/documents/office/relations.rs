//! Which part of an office document leads to which.

use super::super::archive::{Archive, UnpackBudget};
use super::super::xml::{Markup, XmlReader};

/// A part that another one names.
#[derive(Clone, Debug)]
pub(super) struct PartRelation {
    pub(super) id: String,
    /// The last part of its type's address: `slide`, `notesSlide`, `officeDocument`.
    pub(super) kind: String,
    /// Its name in the archive.
    pub(super) target: String,
}

/// What a part names; nothing where it names none. The archive itself is the part "".
///
/// # Errors
/// They are damaged.
pub(super) fn of(
    archive: &mut Archive<'_>,
    part: &str,
    budget: &UnpackBudget,
) -> Result<Vec<PartRelation>, String> {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let file =
        if folder.is_empty() { format!("_rels/{name}.rels") } else { format!("{folder}/_rels/{name}.rels") };
    let Some(text) = archive.xml(&file, budget)? else { return Ok(Vec::new()) };
    let mut relations = Vec::new();
    let mut xml = XmlReader::new(&text);
    while let Some(markup) = xml.next()? {
        let Markup::Open(tag) = markup else { continue };
        let (Some(id), Some(kind), Some(target)) = (tag.get("Id"), tag.get("Type"), tag.get("Target")) else {
            continue;
        };
        if tag.get("TargetMode") == Some("External") {
            continue;
        }
        relations.push(PartRelation {
            id: id.to_owned(),
            kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
            target: resolved(folder, target),
        });
    }
    Ok(relations)
}

/// The part that holds the document; `usual` where the archive does not say.
///
/// # Errors
/// As [`of`].
pub(super) fn main_part(
    archive: &mut Archive<'_>,
    usual: &str,
    budget: &UnpackBudget,
) -> Result<String, String> {
    let relations = of(archive, "", budget)?;
    let found = relations.into_iter().find(|relation| relation.kind == "officeDocument");
    Ok(found.map_or_else(|| usual.to_owned(), |relation| relation.target))
}

/// A target as seen from the archive's root.
fn resolved(folder: &str, target: &str) -> String {
    if let Some(whole) = target.strip_prefix('/') {
        return whole.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
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
    fn targets_are_seen_from_the_root() {
        assert_eq!(resolved("ppt/slides", "../notesSlides/n1.xml"), "ppt/notesSlides/n1.xml");
        assert_eq!(resolved("ppt", "/ppt/slides/s1.xml"), "ppt/slides/s1.xml");
        assert_eq!(resolved("", "word/document.xml"), "word/document.xml");
    }
}
