//! `[trends]`: what is watched over time.

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// `[trends]`
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TrendsConfig {
    /// What `graphwright trends` says when it comes, in `[[trends.watch]]` each.
    pub watch: Vec<WatchConfig>,
}

/// `[[trends.watch]]`
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WatchConfig {
    /// Name of an entity.
    pub entity: String,
    /// A part of the title of a community, in the place of an entity.
    pub community: String,
    /// Words, in the place of an entity: sentences that hold all of them.
    pub query: String,
    /// `new`, `rising`, `falling`, `gone`, `burst`, `sentiment below -0.3`, `sentiment above 0.3` or, of an entity,
    /// `claim contradicts`.
    pub when: String,
}

/// What a watch waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WatchCondition {
    /// Named for the first time.
    New,
    /// Named more and more.
    Rising,
    /// Named less and less.
    Falling,
    /// Named no more.
    Gone,
    /// Named much more than before in a run of periods.
    Burst,
    /// Mean sentiment of a period below this.
    Below(f64),
    /// Mean sentiment of a period above this.
    Above(f64),
    /// Something that is said contradicts what was said before.
    Contradicts,
}

impl WatchConfig {
    /// What it waits for.
    ///
    /// # Errors
    /// Names the known conditions.
    pub fn condition(&self) -> Result<WatchCondition> {
        let words: Vec<&str> = self.when.split_whitespace().collect();
        let limit = |number: &str| -> Result<f64> {
            let value: f64 =
                number.parse().ok().filter(|value: &f64| value.abs() <= 1.0).with_context(|| {
                    format!("[[trends.watch]] when = {:?}: a sentiment is a number from -1 to 1", self.when)
                })?;
            Ok(value)
        };
        Ok(match words.as_slice() {
            ["new"] => WatchCondition::New,
            ["rising"] => WatchCondition::Rising,
            ["falling"] => WatchCondition::Falling,
            ["gone"] => WatchCondition::Gone,
            ["burst"] => WatchCondition::Burst,
            ["claim", "contradicts"] => WatchCondition::Contradicts,
            ["sentiment", "below", number] => WatchCondition::Below(limit(number)?),
            ["sentiment", "above", number] => WatchCondition::Above(limit(number)?),
            _ => bail!(
                "[[trends.watch]] when = {:?}; wanted new, rising, falling, gone, burst, \"sentiment below -0.3\", \
                 \"sentiment above 0.3\" or \"claim contradicts\"",
                self.when
            ),
        })
    }

    /// The name that is watched.
    pub fn name(&self) -> &str {
        let names = [&self.entity, &self.community, &self.query];
        names.into_iter().find(|name| !name.is_empty()).unwrap_or(&self.query)
    }
}

impl TrendsConfig {
    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the key, what was wanted and how to mend it.
    pub(super) fn check(&self) -> Result<()> {
        for watch in &self.watch {
            let names = [&watch.entity, &watch.community, &watch.query];
            ensure!(
                names.iter().filter(|name| !name.is_empty()).count() == 1,
                "[[trends.watch]] needs one of entity, community and query, and has entity = {:?}, community = {:?} and \
                 query = {:?}",
                watch.entity,
                watch.community,
                watch.query
            );
            let when = watch.condition()?;
            ensure!(
                when != WatchCondition::Contradicts || !watch.entity.is_empty(),
                "[[trends.watch]] when = \"claim contradicts\" goes with an entity, and {:?} is none",
                watch.name()
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_others_refused() {
        let check = |when: &str, expected: Option<WatchCondition>| {
            let watch =
                WatchConfig { entity: "A".to_owned(), when: when.to_owned(), ..WatchConfig::default() };
            assert_eq!(watch.condition().ok(), expected, "{when}");
            assert_eq!(TrendsConfig { watch: vec![watch] }.check().is_ok(), expected.is_some());
        };
        check("new", Some(WatchCondition::New));
        check("sentiment below -0.3", Some(WatchCondition::Below(-0.3)));
        check("sentiment above 0.2", Some(WatchCondition::Above(0.2)));
        check("sentiment below -3", None);
        check("claim contradicts", Some(WatchCondition::Contradicts));
        check("sometimes", None);
        let refused = |watch: WatchConfig| assert!(TrendsConfig { watch: vec![watch] }.check().is_err());
        let asked = WatchConfig { query: "late delivery".into(), ..WatchConfig::default() };
        refused(WatchConfig { entity: "A".into(), when: "new".into(), ..asked.clone() });
        refused(WatchConfig { when: "claim contradicts".into(), ..asked.clone() });
        let watch = vec![WatchConfig { when: "burst".into(), ..asked }];
        assert!(TrendsConfig { watch }.check().is_ok());
    }
}
