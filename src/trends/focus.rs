//! What `--about` names.

use super::counting::SpelledEntity;
use crate::domain::{Absent, Community, name_key};
use anyhow::Result;

/// The entity or the community that all is to be about, by its number.
#[derive(Debug)]
pub(super) struct Focus {
    pub(super) entity: Option<u32>,
    pub(super) community: Option<u32>,
}

impl Focus {
    /// # Errors
    /// Nothing has the name.
    pub(super) fn find(name: &str, named: &[SpelledEntity], communities: &[Community]) -> Result<Self> {
        let key = name_key(name);
        let is_it = |one: &SpelledEntity| {
            name_key(&one.entity.name) == key || one.entity.aliases.iter().any(|alias| name_key(alias) == key)
        };
        if let Some((number, _)) = (0_u32..).zip(named).find(|(_, one)| is_it(one)) {
            return Ok(Self { entity: Some(number), community: None });
        }
        let mut titled = (0_u32..).zip(communities).filter(|(_, c)| name_key(&c.report.title).contains(&key));
        if let Some((number, _)) = titled.next().filter(|_| !key.is_empty()) {
            return Ok(Self { entity: None, community: Some(number) });
        }
        let number = |one: &SpelledEntity| named.iter().position(|other| std::ptr::eq(one, other));
        // "Kestrel gearbox" where the graph knows the Kestrel
        let mut inner: Vec<&SpelledEntity> =
            named.iter().filter(|one| is_word_of(&name_key(&one.entity.name), &key)).collect();
        inner.sort_by_key(|one| {
            (std::cmp::Reverse(one.entity.name.len()), std::cmp::Reverse(one.entity.text_unit_count))
        });
        let is_first = |one: &&&SpelledEntity| key.starts_with(&name_key(&one.entity.name)) && !one.is_term();
        if let Some(number) = inner.first().filter(is_first).and_then(|one| number(one)) {
            return Ok(Self { entity: u32::try_from(number).ok(), community: None });
        }
        let near: Vec<&str> = named
            .iter()
            .filter(|one| !key.is_empty() && name_key(&one.entity.name).contains(&key))
            .chain(inner)
            .map(|one| one.entity.name.as_str())
            .take(5)
            .collect();
        let hint = if near.is_empty() {
            "see `graphwright entities list`".to_owned()
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        Err(Absent(format!("no entity or community is called {name:?}; {hint}")).into())
    }
}

/// Whether a name stands in a longer one as words of its own.
fn is_word_of(name: &str, longer: &str) -> bool {
    let padded = format!(" {longer} ");
    !name.is_empty() && padded.contains(&format!(" {name} "))
}
