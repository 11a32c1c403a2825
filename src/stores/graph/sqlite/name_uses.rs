//! What the uses of a name in text units say of it together.

use super::rows::{all, all_until, from_json};
use crate::stores::graph::NameUse;
use crate::stores::sqlite_file::Outcome;
use rusqlite::{Connection, Row};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Types given to a name with the number of entity records that give it; unknown (empty) types are left out.
pub(super) type KindCounts = BTreeMap<String, u32>;

/// What stands for the spelling of a linked name; a name that is written has a letter at least.
pub(super) const LINKED: &str = "";

/// Names from behind `after`, by key, summed up from all of their uses.
pub(super) fn names_from_uses(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<NameUse>> {
    // names that nothing uses any more stay in their table and give no row
    let statement = "SELECT n.key, n.spelling, u.unit, u.kinds
        FROM names n CROSS JOIN name_uses u ON u.name = n.node
        WHERE n.key > ?1 AND n.spelling <> ?2 ORDER BY n.key";
    let (mut keys, mut last) = (0, String::new());
    let uses = all_until(connection, statement, (after, LINKED), |row| {
        let one = spelling_use(row)?;
        if one.key != last {
            keys += 1;
            last.clone_from(&one.key);
        }
        Ok((keys <= limit).then_some(one))
    })?;
    Ok(uses.chunk_by(|one, next| one.key == next.key).map(sum).collect())
}

/// Those of [`names_from_uses`] that have these keys.
pub(super) fn names_by_key(connection: &Connection, keys: &str) -> Outcome<Vec<NameUse>> {
    let statement = "SELECT n.key, n.spelling, u.unit, u.kinds FROM json_each(?1) k
        CROSS JOIN names n ON n.key = k.value CROSS JOIN name_uses u ON u.name = n.node
        WHERE n.spelling <> ?2 ORDER BY n.key";
    let uses = all(connection, statement, (keys, LINKED), spelling_use)?;
    Ok(uses.chunk_by(|one, next| one.key == next.key).map(sum).collect())
}

fn spelling_use(row: &Row<'_>) -> Outcome<SpellingUse> {
    Ok(SpellingUse { key: row.get(0)?, spelling: row.get(1)?, unit: row.get(2)?, kinds: from_json(row, 3)? })
}

/// A spelling of a name in a text unit.
struct SpellingUse {
    key: String,
    spelling: String,
    unit: i64,
    kinds: KindCounts,
}

/// All uses of one name.
fn sum(uses: &[SpellingUse]) -> NameUse {
    let units: FxHashSet<i64> = uses.iter().map(|one| one.unit).collect();
    let text_unit_count = u32::try_from(units.len()).unwrap_or(u32::MAX);
    let mut spellings: BTreeMap<&str, u32> = BTreeMap::new();
    let mut kinds = KindCounts::new();
    for one in uses {
        *spellings.entry(&one.spelling).or_default() += 1;
        for (kind, records) in &one.kinds {
            *kinds.entry(kind.clone()).or_default() += records;
        }
    }
    // of equally frequent ones the first, and they come sorted
    let most_used = spellings.into_iter().rev().max_by_key(|(_, units)| *units);
    let name = most_used.map(|(spelling, _)| spelling.to_owned()).unwrap_or_default();
    let key = uses.first().map(|one| one.key.clone()).unwrap_or_default();
    NameUse::new(key, name, kinds, text_unit_count)
}
