//! Levels that the Graph Data Science plugin found, in the form of our own.

use crate::domain::Id;
use crate::stores::graph::EdgeList;
use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// From the plugin's communities of each entity, finest first, the labels of each level, coarsest first; an entity that
/// the plugin does not know stands alone.
///
/// # Errors
/// Entities that differ in their number of levels: nothing that the plugin promises.
pub fn levels(list: &EdgeList, found: &[(Id, Vec<i64>)]) -> Result<Vec<Vec<u32>>> {
    let Some((_, first)) = found.first() else { return Ok(vec![vec![u32::MAX; list.ids.len()]]) };
    let count = first.len();
    let mut levels = vec![vec![u32::MAX; list.ids.len()]; count];
    let mut numbers: BTreeMap<&[i64], u32> = BTreeMap::new();
    for (id, communities) in found {
        if communities.len() != count {
            bail!("Neo4j's Leiden gave {} levels for {id} and {count} for another entity", communities.len());
        }
        let Ok(place) = list.ids.binary_search(id) else { continue };
        for (level, labels) in levels.iter_mut().enumerate() {
            // the whole way down to the level, so that each level lies within the one before
            let way = communities.get(count - 1 - level..).unwrap_or_default();
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(way).or_insert(next);
            if let Some(label) = labels.get_mut(place) {
                *label = number;
            }
        }
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    fn entities(names: &[&str]) -> Vec<Id> {
        let ids = Ids::new("w");
        let mut entities: Vec<Id> = names.iter().map(|name| ids.entity(name)).collect();
        entities.sort();
        entities
    }

    #[test]
    fn the_finest_level_comes_last_and_lies_within_the_coarser() {
        let ids = entities(&["a", "b", "c", "d"]);
        let list = EdgeList { ids: ids.clone(), edges: Vec::new(), ..EdgeList::default() };
        let found: Vec<(Id, Vec<i64>)> =
            ids.iter().take(3).cloned().zip([vec![7, 1], vec![8, 1], vec![8, 2]]).collect();
        let levels = levels(&list, &found).unwrap();
        assert_eq!(levels.len(), 2);
        assert_eq!(levels[0][0], levels[0][1]);
        assert_ne!(levels[0][1], levels[0][2]);
        assert_ne!(levels[1][0], levels[1][1]);
        assert_ne!(levels[1][1], levels[1][2], "community 8 is cut where the level above cuts it");
        assert_eq!([levels[0][3], levels[1][3]], [u32::MAX, u32::MAX]);
    }

    #[test]
    fn ragged_levels_are_refused() {
        let ids = entities(&["a", "b"]);
        let list = EdgeList { ids: ids.clone(), edges: Vec::new(), ..EdgeList::default() };
        let found: Vec<(Id, Vec<i64>)> = ids.iter().cloned().zip([vec![7, 1], vec![8]]).collect();
        assert!(levels(&list, &found).is_err());
        assert_eq!(levels(&list, &[]).unwrap(), [[u32::MAX, u32::MAX]]);
    }
}
