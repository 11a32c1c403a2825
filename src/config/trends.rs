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
    /// `new`, `rising`, `falling`, `gone`, `burst`, `sentiment below -0.3` or `sentiment above 0.3`.
    pub when: String,
}

/// What a watch waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// Named for the first time in the last period.
    New,
    /// Named more and more.
    Rising,
    /// Named less and less.
    Falling,
    /// Named no more.
    Gone,
    /// Named much more than before in the last period.
    Burst,
    /// Mean sentiment of the last period below this.
    Below(f64),
    /// Mean sentiment of the last period above this.
    Above(f64),
}

impl WatchConfig {
    /// What it waits for.
    ///
    /// # Errors
    /// Names the known conditions.
    pub fn condition(&self) -> Result<When> {
        let words: Vec<&str> = self.when.split_whitespace().collect();
        let limit = |number: &str| -> Result<f64> {
            let value: f64 =
                number.parse().ok().filter(|value: &f64| value.abs() <= 1.0).with_context(|| {
                    format!("[[trends.watch]] when = {:?}: a sentiment is a number from -1 to 1", self.when)
                })?;
            Ok(value)
        };
        Ok(match words.as_slice() {
            ["new"] => When::New,
            ["rising"] => When::Rising,
            ["falling"] => When::Falling,
            ["gone"] => When::Gone,
            ["burst"] => When::Burst,
            ["sentiment", "below", number] => When::Below(limit(number)?),
            ["sentiment", "above", number] => When::Above(limit(number)?),
            _ => bail!(
                "[[trends.watch]] when = {:?}; wanted new, rising, falling, gone, burst, \"sentiment below -0.3\" or \
                 \"sentiment above 0.3\"",
                self.when
            ),
        })
    }

    /// The name that is watched.
    pub fn name(&self) -> &str {
        if self.entity.is_empty() { &self.community } else { &self.entity }
    }
}

impl TrendsConfig {
    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the key, what was wanted and how to mend it.
    pub(super) fn check(&self) -> Result<()> {
        for watch in &self.watch {
            ensure!(
                watch.entity.is_empty() != watch.community.is_empty(),
                "[[trends.watch]] needs either entity or community, and has entity = {:?} and community = {:?}",
                watch.entity,
                watch.community
            );
            watch.condition()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_others_refused() {
        let check = |when: &str, expected: Option<When>| {
            let watch =
                WatchConfig { entity: "A".to_owned(), when: when.to_owned(), ..WatchConfig::default() };
            assert_eq!(watch.condition().ok(), expected, "{when}");
            assert_eq!(TrendsConfig { watch: vec![watch] }.check().is_ok(), expected.is_some());
        };
        check("new", Some(When::New));
        check("sentiment below -0.3", Some(When::Below(-0.3)));
        check("sentiment above 0.2", Some(When::Above(0.2)));
        check("sentiment below -3", None);
        check("sometimes", None);
        let both = WatchConfig { entity: "A".into(), community: "B".into(), when: "new".into() };
        assert!(TrendsConfig { watch: vec![both] }.check().is_err());
    }
}
