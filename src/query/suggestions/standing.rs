//! How the names of what leads stand in the texts: titles, headings and pieces of longer names are nothing to ask about.

use crate::domain::{Entity, Id, name_key};
use crate::language::words::is_han;
use crate::query::retrieval::leading::Leading;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Text units of an entity that are looked at.
const UNITS: usize = 3;

/// What leads without the entities that are a title or a heading and stand in no sentence of their text units, and those
/// whose name is a piece of another one there.
pub(super) async fn things_of(reader: &dyn GraphReader, mut leading: Leading) -> Result<Leading> {
    let ids: Vec<Id> = leading.entities.iter().map(|entity| entity.id.clone()).collect();
    let mut units: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
    for mention in reader.mentions_of_entities(&ids, UNITS).await? {
        units.entry(mention.entity).or_default().insert(mention.text_unit);
    }
    let wanted: BTreeSet<Id> = units.values().flatten().cloned().collect();
    let wanted: Vec<Id> = wanted.into_iter().collect();
    let mut frames: BTreeMap<Id, BTreeSet<String>> = BTreeMap::new();
    for heading in reader.unit_headings(&wanted).await? {
        let around = heading.headings.iter().chain([&heading.document_title]).map(|text| name_key(text));
        frames.insert(heading.id, around.collect());
    }
    let passages = reader.passages_by_id(&wanted).await?;
    let texts: BTreeMap<Id, String> =
        passages.into_iter().map(|unit| (unit.unit.id, unit.unit.text)).collect();
    let is_nothing = |entity: &Entity| {
        let of_entity = units.get(&entity.id).into_iter().flatten();
        let seen: Vec<_> = of_entity.filter_map(|unit| Some((frames.get(unit)?, texts.get(unit)?))).collect();
        let texts: Vec<&str> = seen.iter().map(|(_, text)| text.as_str()).collect();
        let is_frame = seen.iter().all(|(frame, text)| is_around(&entity.name, frame, text));
        !seen.is_empty() && (is_frame || is_piece(&entity.name, &texts))
    };
    let gone: BTreeSet<Id> =
        leading.entities.iter().filter(|e| is_nothing(e)).map(|e| e.id.clone()).collect();
    leading.entities.retain(|entity| !gone.contains(&entity.id));
    leading.relationships.retain(|r| !gone.contains(&r.source) && !gone.contains(&r.target));
    Ok(leading)
}

/// Whether a name is a title or a heading of a text and stands in no line of it besides.
fn is_around(name: &str, frame: &BTreeSet<String>, text: &str) -> bool {
    let name = name_key(name);
    let is_frame = |line: &str| frame.contains(&name_key(line.trim_matches(['#', '=', '*', '"', ' '])));
    // as a heading, or as the lines before a text tell it: "title: Minutes"
    let is_heading =
        |line: &str| is_frame(line) || line.split_once(':').is_some_and(|(_, told)| is_frame(told));
    frame.contains(&name) && !text.lines().any(|line| !is_heading(line) && name_key(line).contains(&name))
}

/// Whether a Chinese name stands more than once, and always behind or before the same character: words are not parted there,
/// so that the name goes on.
fn is_piece(name: &str, texts: &[&str]) -> bool {
    if !name.chars().all(is_han) {
        return false;
    }
    let (mut before, mut behind, mut times) = (BTreeSet::new(), BTreeSet::new(), 0);
    for text in texts {
        for (at, found) in text.match_indices(name) {
            times += 1;
            before.insert(text.get(..at).and_then(|part| part.chars().next_back()).filter(|c| is_han(*c)));
            behind.insert(
                text.get(at + found.len()..).and_then(|part| part.chars().next()).filter(|c| is_han(*c)),
            );
        }
    }
    let is_one = |beside: &BTreeSet<Option<char>>| beside.len() == 1 && !beside.contains(&None);
    times > 1 && (is_one(&before) || is_one(&behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_that_no_sentence_names_is_no_thing() {
        let frame = BTreeSet::from([name_key("Minutes of May"), name_key("The Petrel")]);
        for (name, text, expected) in [
            ("Minutes of May", "# Minutes of May\n\nThe Petrel was hauled out.", true),
            ("The Petrel", "# Minutes of May\n\nThe Petrel was hauled out.", false),
            ("Minutes of May", "As the Minutes of May tell, she was hauled out.", false),
            ("Minutes of May", "---\ntitle: \"Minutes of May\"\n---\nThe Petrel was hauled out.", true),
            ("Anna", "Nobody came.", false),
        ] {
            assert_eq!(is_around(name, &frame, text), expected, "{name} in {text}");
        }
    }

    #[test]
    fn a_name_that_always_goes_on_in_the_same_way_is_a_piece_of_one() {
        let texts = ["周景山写了书。赵铁生来了。", "他见了周景山。赵铁生住在河湾镇。大家都去河湾镇的戏台。"];
        for (name, expected) in [
            ("景山", true),
            ("赵铁", true),
            ("周景山", false),
            ("赵铁生", false),
            ("河湾镇", false),
            ("戏台", false),
        ] {
            assert_eq!(is_piece(name, &texts), expected, "{name}");
        }
        assert!(!is_piece("Anna", &["Anna came. Anna went."]), "other scripts part their words");
    }
}
