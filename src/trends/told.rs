//! What watches have told, so that each thing is told once, whatever period it falls in and however many come between two runs.

use super::report::Fired;
use super::timeline::Every;
use crate::config::{WatchCondition, WatchConfig};
use crate::private;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

/// By watch, the marks of what it has told and of what was there when it was first asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchHistory {
    watches: BTreeMap<String, BTreeSet<String>>,
}

/// Bytes of what was told at most.
const LONGEST: u64 = 64 << 20;

impl WatchHistory {
    /// Reads what was kept; nothing where no file is.
    ///
    /// # Errors
    /// A file that cannot be read or holds something else.
    pub fn read(path: &Path) -> Result<Self> {
        let text = match private::read_text(path, LONGEST) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        serde_json::from_str(&text).with_context(|| {
            format!("{} is not what watches have told; remove it and they begin anew", path.display())
        })
    }

    /// Keeps it, all or nothing.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let beside = path.with_extension("json.new");
        private::write(&beside, &text)
            .and_then(|()| std::fs::rename(&beside, path))
            .with_context(|| format!("cannot write {}, which keeps what watches have told", path.display()))
    }

    /// Those of the found things that were not told before, which count as told from now on. A watch that is asked for the first
    /// time tells what the last period has, and what was there before is known. What rises or falls is told when it begins to.
    pub fn untold(&mut self, watches: &[WatchConfig], every: Every, mut found: Vec<Fired>) -> Vec<Fired> {
        let before = self.watches.clone();
        // what nobody waits for any more is forgotten
        self.watches.retain(|key, _| watches.iter().any(|watch| key.ends_with(&written(watch))));
        for (number, watch) in watches.iter().enumerate() {
            let marks = self.watches.entry(key(watch, every)).or_default();
            if matches!(watch.condition(), Ok(WatchCondition::Rising | WatchCondition::Falling)) {
                marks.clear();
            }
            let of_watch = found.iter().filter(|one| one.watch == number);
            marks.extend(of_watch.flat_map(|one| one.marks.iter().cloned()));
        }
        found.retain(|one| {
            let known = watches.get(one.watch).and_then(|watch| before.get(&key(watch, every)));
            known.map_or(one.is_latest, |known| one.marks.iter().all(|mark| !known.contains(mark)))
        });
        found
    }
}

/// A watch by periods of some length: what is told by months is told by years as well.
fn key(watch: &WatchConfig, every: Every) -> String {
    format!("{} {}", format!("{every:?}").to_lowercase(), written(watch))
}

fn written(watch: &WatchConfig) -> String {
    let WatchConfig { entity, community, query, when } = watch;
    format!("{:?}", [entity, community, query, when])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(when: &str) -> WatchConfig {
        WatchConfig { entity: "Tarn".to_owned(), when: when.to_owned(), ..WatchConfig::default() }
    }

    fn found(period: &str, marks: &[&str], is_latest: bool) -> Fired {
        let marks = marks.iter().map(|mark| (*mark).to_owned()).collect();
        Fired { period: period.to_owned(), marks, is_latest, ..Fired::default() }
    }

    fn untold_periods(told: &mut WatchHistory, when: &str, found: Vec<Fired>) -> Vec<String> {
        let told = told.untold(&[watch(when)], Every::Month, found);
        told.into_iter().map(|one| one.period).collect()
    }

    #[test]
    fn each_thing_is_told_once_whatever_period_it_falls_in() {
        let mut memory = WatchHistory::default();
        let when = "sentiment below -0.3";
        let first = vec![found("2020-01", &["2020-01"], false), found("2020-03", &["2020-03"], true)];
        assert_eq!(
            untold_periods(&mut memory, when, first.clone()),
            ["2020-03"],
            "what was there before is known"
        );
        assert!(untold_periods(&mut memory, when, first).is_empty());
        // two periods came between two runs, and a document of an old one
        let later = ["2020-01", "2020-02", "2020-03", "2020-04", "2020-05"];
        let later: Vec<Fired> = later.iter().map(|one| found(one, &[one], *one == "2020-05")).collect();
        assert_eq!(untold_periods(&mut memory, when, later.clone()), ["2020-02", "2020-04", "2020-05"]);
        assert!(untold_periods(&mut memory, when, later).is_empty());
    }

    #[test]
    fn a_burst_that_goes_on_is_told_once_and_what_rises_again_is_told_again() {
        let mut memory = WatchHistory::default();
        assert!(untold_periods(&mut memory, "burst", Vec::new()).is_empty());
        assert_eq!(untold_periods(&mut memory, "burst", vec![found("b", &["a", "b"], true)]), ["b"]);
        assert!(untold_periods(&mut memory, "burst", vec![found("c", &["a", "b", "c"], true)]).is_empty());
        let mut memory = WatchHistory::default();
        let rises = || vec![found("c", &["rising"], true)];
        assert_eq!(untold_periods(&mut memory, "rising", rises()), ["c"]);
        assert!(untold_periods(&mut memory, "rising", rises()).is_empty());
        assert!(untold_periods(&mut memory, "rising", Vec::new()).is_empty());
        assert_eq!(untold_periods(&mut memory, "rising", rises()), ["c"]);
    }

    #[test]
    fn a_watch_that_is_taken_away_and_set_again_begins_anew() {
        let mut memory = WatchHistory::default();
        assert!(untold_periods(&mut memory, "new", vec![found("a", &["new"], false)]).is_empty());
        assert!(memory.untold(&[], Every::Month, Vec::new()).is_empty());
        assert_eq!(memory, WatchHistory::default());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.watches.json");
        untold_periods(&mut memory, "new", Vec::new());
        memory.write(&path).unwrap();
        let mut read = WatchHistory::read(&path).unwrap();
        assert_eq!(read, memory);
        assert_eq!(
            untold_periods(&mut read, "new", vec![found("a", &["new"], false)]),
            ["a"],
            "it was not there when first asked"
        );
    }
}
