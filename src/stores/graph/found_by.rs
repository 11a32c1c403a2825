//! The text that a node is found by, composed alike in every store.

/// An entity's: name and aliases, then its description.
pub fn entity(name: &str, aliases: &[String], description: &str) -> String {
    let mut text = name.to_owned();
    for alias in aliases {
        text.push_str(", ");
        text.push_str(alias);
    }
    if !description.is_empty() {
        text.push('\n');
        text.push_str(description);
    }
    text
}
