//! The texts that nodes are found by: the same whatever store keeps the node.

use crate::domain::{Entity, Report, StoredUnit};

/// An entity: name, type, other spellings, description.
pub fn entity(entity: &Entity) -> String {
    let name = &entity.name;
    let head = if entity.kind.is_empty() { name.clone() } else { format!("{name} ({})", entity.kind) };
    let mut lines = vec![head, entity.aliases.join(", "), entity.description.clone()];
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// A text unit: what its document and section are about, then its text.
pub fn text_unit(unit: &StoredUnit) -> String {
    let mut text = unit.document_title.clone();
    for heading in &unit.unit.headings {
        text.push_str(" › ");
        text.push_str(heading);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&unit.unit.text);
    text
}

/// A community: its report.
pub fn report(report: &Report) -> String {
    report.full_content()
}
