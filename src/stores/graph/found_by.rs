//! The texts that nodes are found by: what is embedded and tokenised. Both graph stores use these, so that the same
//! graph gives the same vectors whatever keeps it.

use crate::domain::{Entity, Report, TextUnit};

/// "name (type)", the aliases, the description: one line each, empty ones left out.
pub fn entity_text(entity: &Entity) -> String {
    let head = if entity.kind.is_empty() {
        entity.name.clone()
    } else {
        format!("{} ({})", entity.name, entity.kind)
    };
    lines(&[&head, &entity.aliases.join(", "), &entity.description])
}

/// The document's title and the heading path in one line, then the text: a unit can be found by what its document is
/// about.
pub fn text_unit_text(document_title: &str, unit: &TextUnit) -> String {
    let mut path = vec![document_title];
    path.extend(unit.headings.iter().map(String::as_str));
    path.retain(|part| !part.is_empty());
    lines(&[&path.join(" › "), &unit.text])
}

/// Title, summary and findings.
pub fn report_text(report: &Report) -> String {
    report.full_content()
}

fn lines(parts: &[&str]) -> String {
    let present: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    present.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_is_found_by_name_type_aliases_and_description() {
        let mut entity = Entity { name: "Bob Cratchit".to_owned(), ..Entity::default() };
        assert_eq!(entity_text(&entity), "Bob Cratchit");
        entity.kind = "person".to_owned();
        entity.aliases = vec!["Bob".to_owned(), "Mr. Cratchit".to_owned()];
        entity.description = "A clerk.".to_owned();
        assert_eq!(entity_text(&entity), "Bob Cratchit (person)\nBob, Mr. Cratchit\nA clerk.");
    }
}
