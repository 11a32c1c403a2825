//! `graphwright communities --history`: what became of each line of communities.

use super::{Common, print, write_json_rows};
use crate::config::Config;
use crate::domain::{Id, LineageEvent, LineageStep};
use crate::progress::talk;
use crate::services::Access;
use anyhow::Result;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Lines shown to people; JSON has all.
const SHOWN: usize = 50;

pub(super) async fn run(common: &Common, config: Config) -> Result<ExitCode> {
    let services = common.connect(config, Access::Look).await?;
    let steps = services.graph.lineage_steps().await?;
    if common.json {
        write_json_rows(&steps)?;
    } else {
        print_lines(&steps);
    }
    Ok(ExitCode::SUCCESS)
}

/// A line of text for each line of communities: those that changed last first, then the largest.
fn print_lines(steps: &[LineageStep]) {
    let titles: BTreeMap<&Id, &str> = steps.iter().map(|step| (&step.lineage, step.title.as_str())).collect();
    let mut lines: Vec<&[LineageStep]> = steps.chunk_by(|a, b| a.lineage == b.lineage).collect();
    lines.sort_by_key(|line| {
        let last = line.last();
        let greatest = line.iter().map(|step| step.size).max();
        std::cmp::Reverse((last.map(|step| step.generation), greatest))
    });
    if lines.len() > SHOWN {
        talk(&format!("{SHOWN} of {} communities; --json shows all", lines.len()));
    }
    for line in lines.iter().take(SHOWN) {
        let Some(last) = line.last() else { continue };
        print::line(&format!("{} (level {})", last.title, last.level));
        for step in *line {
            let others: Vec<&str> =
                step.others.iter().filter_map(|other| titles.get(other).copied()).collect();
            print::line(&format!("  {}  {}", step.period, described(step, &others.join("; "))));
        }
    }
}

fn described(step: &LineageStep, others: &str) -> String {
    let size = format!("{} entities", step.size);
    let generation = step.generation;
    match (step.event, others) {
        (LineageEvent::Began, "") => format!("generation {generation}: began with {size}"),
        (LineageEvent::Began, from) => format!("generation {generation}: began with {size}, from: {from}"),
        (LineageEvent::Changed, _) => format!("generation {generation}: {size}"),
        (LineageEvent::Split, from) => {
            format!("generation {generation}: {size}, after a split; also: {from}")
        }
        (LineageEvent::Merged, with) => format!("generation {generation}: {size}, merged with: {with}"),
        (LineageEvent::Ended, "") => format!("generation {generation}: ended"),
        (LineageEvent::Ended, into) => format!("generation {generation}: ended, went into: {into}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn steps_are_told_with_the_other_communities() {
        let step = |event| LineageStep {
            lineage: Ids::new("w").entity("a"),
            generation: 3,
            period: "2026-11-21".to_owned(),
            event,
            level: 0,
            size: 7,
            title: "Scrooge and others".to_owned(),
            others: Vec::new(),
        };
        let check = |event, others, expected: &str| assert_eq!(described(&step(event), others), expected);
        check(LineageEvent::Began, "", "generation 3: began with 7 entities");
        check(LineageEvent::Split, "Fred", "generation 3: 7 entities, after a split; also: Fred");
        check(LineageEvent::Merged, "Fred", "generation 3: 7 entities, merged with: Fred");
        check(LineageEvent::Ended, "Fred", "generation 3: ended, went into: Fred");
    }
}
