//! `graphwright trends`

use super::{Common, failure, print, write_json};
use crate::domain::SourceSentence;
use crate::language::words::is_han;
use crate::language::{is_stop_word, unbroken, words};
use crate::private;
use crate::progress::talk;
use crate::query;
use crate::query::question::filters::span;
use crate::services;
use crate::trends::{
    self, ChangeKind, Every, Fired, ToldOpinion, TopicChange, Trend, TrendRequest, Trends, WatchHistory,
    drawing,
};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Columns of a name in the terminal.
const NAME: usize = 34;
/// Columns of a period's name.
const LABEL: usize = 16;
/// Documents and relationships of the lowest, and of the highest, sentiment that are shown.
const ENDS: usize = 3;
/// Undated documents that a line names.
const NAMED: usize = 5;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Begin with this time: 2016, 2023-10, "Q3 2019", FY24Q1
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// End with this time
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// How long a period is; by the documents' dates where absent. With "chapter" the order of the text is the time
    #[arg(long, value_enum)]
    every: Option<Every>,
    /// Only what has to do with this entity or community, its own curve first
    #[arg(long, value_name = "NAME")]
    about: Option<String>,
    /// Entities of each list at most; a third as many relationships and communities
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    top: u32,
    /// Tell what is new and other in this time, as a text with sentences, against as many periods before
    #[arg(long)]
    report: bool,
    /// Tell it against this time
    #[arg(long, value_name = "DATE")]
    against: Option<String>,
    /// Write a report: .html (a page), .md or .svg
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
enum TrendsFormat {
    Html,
    Markdown,
    Svg,
}

impl TrendsFormat {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("html" | "htm") => Ok(Self::Html),
            Some("md" | "markdown") => Ok(Self::Markdown),
            Some("svg") => Ok(Self::Svg),
            _ => bail!("{}: write trends to a file that ends in .html, .md or .svg", path.display()),
        }
    }
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let format = arguments.out.as_deref().map(TrendsFormat::of).transpose().map_err(failure::wrong)?;
    let is_report = arguments.report || arguments.against.is_some();
    // a report is told by the model where there is one
    let services = if is_report { common.open().await? } else { common.look().await? };
    let calendar = services.config.documents.fiscal_calendar();
    let (from, to) =
        span(arguments.from.as_deref(), arguments.to.as_deref(), calendar).map_err(failure::wrong)?;
    let request = TrendRequest {
        from,
        to,
        every: arguments.every,
        about: arguments.about.clone(),
        top: arguments.top as usize,
        report: is_report,
        against: span(arguments.against.as_deref(), None, calendar).map_err(failure::wrong)?.0,
        watch_all: true,
    };
    let progress = common.progress();
    let mut trends = trends::trends(&services, &request, &progress).await?;
    let told = query::tell_time(&services, &request, &progress, &mut trends).await;
    if is_report {
        services.keep_ledger().await;
    }
    let told = told?;
    if let (Some(answer), Some(report)) = (&told, &trends.report) {
        if !report.by_model {
            talk("the model cited nothing that it was shown; the report is composed of the records instead");
        } else if answer.citations_removed > 0 {
            let removed = answer.citations_removed;
            talk(&format!("{removed} citations named nothing that was shown and were removed"));
        }
    }
    let watches = &services.config.trends.watch;
    let told = services::watches_file(&services.data_dir, services.ids.workspace());
    let mut memory = if watches.is_empty() { WatchHistory::default() } else { WatchHistory::read(&told)? };
    trends.watched = memory.untold(watches, trends.every, trends.watched);
    if let (Some(path), Some(format)) = (&arguments.out, format) {
        let text = match format {
            TrendsFormat::Html => drawing::html(&trends)?,
            TrendsFormat::Markdown => drawing::markdown(&trends),
            TrendsFormat::Svg => drawing::svg(&trends),
        };
        private::write_named(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match &arguments.out {
        _ if common.json => write_json(&trends)?,
        Some(path) => {
            show_watched(&trends);
            talk(&format!("{}: {}", path.display(), drawing::span(&trends)));
        }
        None => show(&trends),
    }
    // what nobody was shown is told again
    if !watches.is_empty()
        && let Err(error) = memory.write(&told)
    {
        talk(&format!("{error:#}; the next run tells all of it again"));
    }
    Ok(ExitCode::SUCCESS)
}

/// What watches tell.
fn show_watched(trends: &Trends) {
    for fired in &trends.watched {
        let Fired { name, when, period, says, .. } = fired;
        print::line(&format!("\nWatched: {name} ({when}): {says} ({})", short(period)));
        if let Some(source) = &fired.source {
            print::line(&format!("      {}: {}", source.document, unbroken(&source.text)));
        }
    }
}

fn show(trends: &Trends) {
    if let Some(report) = &trends.report {
        show_watched(trends);
        print::line(report.text.trim_end());
        return;
    }
    print::line(&drawing::span(trends));
    show_watched(trends);
    let lists = drawing::titled_lists(trends);
    for (title, what, list) in &lists {
        print::line(&format!("\n{title} ({what}):"));
        for trend in *list {
            show_trend(trend, *title == "About");
        }
    }
    show_sums(trends);
    show_topics(trends);
    if lists.is_empty() {
        print::line("\nnothing rises, falls, begins or ends beyond chance");
    }
    if !trends.changes.is_empty() {
        print::line("\nWhat changed in what is said:");
        for change in &trends.changes {
            let what = match change.what {
                ChangeKind::New => "first with",
                ChangeKind::Ended => "last with",
            };
            print::line(&format!("  {}  {what} {}", short(&change.period), change.name));
            if let Some(source) = &change.source {
                print::line(&format!("      {}", unbroken(&source.text)));
            }
        }
    }
    show_opinions(&trends.opinions);
    if !trends.contradictions.is_empty() {
        print::line("\nSaid otherwise before:");
        for found in &trends.contradictions {
            print::line(&format!("  {}: {}, then {}", found.about, found.earlier.value, found.later.value));
            for said in [&found.earlier, &found.later] {
                print::line(&format!("      {}: {}", dated(&said.source), unbroken(&said.source.text)));
            }
        }
    }
    let undated = &trends.undated;
    if undated.count > 0 {
        let named: Vec<&str> = undated.documents.iter().take(NAMED).map(String::as_str).collect();
        let more = if undated.count > NAMED { " and others" } else { "" };
        talk(&format!("{} documents stand in no period: {}{more}", undated.count, named.join(", ")));
    }
}

/// Where the sentiment towards what is asked about is lowest and highest.
fn show_sums(trends: &Trends) {
    let Some(sums) = &trends.sums else { return };
    let lists = [("document", &sums.documents), ("relationship", &sums.relationships)];
    for (what, list) in lists.iter().filter(|(_, list)| list.len() > 1) {
        print::line(&format!("\nSentiment by {what}, lowest and highest:"));
        let ends: Vec<_> = if list.len() <= 2 * ENDS {
            list.iter().collect()
        } else {
            list.iter().take(ENDS).chain(list.iter().skip(list.len() - ENDS)).collect()
        };
        for one in ends {
            print::line(&format!("  {:+.2}  {} ({} text units)", one.sentiment, one.name, one.judged));
        }
    }
}

/// Who thinks what, each with the sentence.
pub(super) fn show_opinions(opinions: &[ToldOpinion]) {
    if !opinions.is_empty() {
        print::line("\nWho thinks what:");
    }
    for one in opinions {
        print::line(&format!(
            "  {}  {} on {}: {:+.2}",
            short(&one.period),
            one.holder,
            one.target,
            one.sentiment
        ));
        print::line(&format!("      {}: {}", dated(&one.quote), unbroken(&one.quote.text)));
    }
}

/// Topics by what they do, and how they came together and apart.
fn show_topics(trends: &Trends) {
    if !trends.topics.is_empty() {
        print::line("\nTopics:");
    }
    for topic in &trends.topics {
        let from =
            topic.grew_out_of.as_ref().map(|from| format!(", out of {}", from.name)).unwrap_or_default();
        let curve = drawing::sparkline(&topic.trend.curve);
        let when = match topic.change {
            TopicChange::Born => format!(" {}", short(&topic.trend.since)),
            TopicChange::Ended => format!(" {}", short(&topic.trend.until)),
            TopicChange::Growing | TopicChange::Shrinking => String::new(),
        };
        print::line(&format!(
            "  {}{when}{from}  {curve}  {}",
            topic.change.as_str(),
            topic.members.join(", ")
        ));
    }
    let Some(reshaping) = trends.reshaping.as_ref().filter(|found| found.told) else { return };
    let joined = |parts: &[Vec<String>]| {
        parts
            .iter()
            .map(|part| part.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
            .collect::<Vec<_>>()
            .join(" | ")
    };
    for split in &reshaping.splits {
        print::line(&format!("  came apart: {}", joined(&split.several)));
    }
    for merge in &reshaping.merges {
        print::line(&format!("  came together: {}", joined(&merge.several)));
    }
}

/// A trend in a line, with its last sentence; one that was asked for whole, with all of them.
fn show_trend(trend: &Trend, whole: bool) {
    let mut name = cut(&trend.name, NAME);
    let width: usize = name.chars().map(columns).sum();
    name.extend(std::iter::repeat_n(' ', NAME.saturating_sub(width)));
    // a type of stop words alone, as "to", tells nothing
    let kind = if words(&trend.r#type).iter().all(|word| is_stop_word(word)) {
        trend.kind.as_str()
    } else {
        trend.r#type.as_str()
    };
    let sentences: u32 = trend.sentences.iter().sum();
    let before = trend.before.map(|before| format!(", {before} before")).unwrap_or_default();
    let time = if trend.since.is_empty() {
        "in no period".to_owned()
    } else {
        format!("{} to {}", short(&trend.since), short(&trend.until))
    };
    let curve = drawing::sparkline(&trend.curve);
    print::line(&format!("  {name} {curve}  {time}, {sentences} sentences{before}, {kind}"));
    if let Some(mood) = drawing::mood(trend, short).filter(|_| whole) {
        print::line(&format!("      {mood}"));
    }
    let shown = if whole { trend.sources.len() } else { 1 };
    for source in trend.sources.iter().rev().take(shown).rev() {
        print::line(&format!("      {}: {}", source.document, unbroken(&source.text)));
    }
}

/// A period's name, as much of it as a line has room for: chapters have long ones.
fn short(label: &str) -> String {
    cut(label, LABEL)
}

/// As much of a name as a number of columns has room for, with a mark where some of it is left out.
fn cut(label: &str, room: usize) -> String {
    let whole: usize = label.chars().map(columns).sum();
    if whole <= room {
        return label.to_owned();
    }
    let mut width = 1;
    let is_in = |c: &char| {
        width += columns(*c);
        width <= room
    };
    let shown: String = label.chars().take_while(is_in).collect();
    format!("{}…", shown.trim_end_matches([' ', ',']))
}

/// Columns that a character takes.
fn columns(c: char) -> usize {
    if is_han(c) { 2 } else { 1 }
}

/// A document with its date.
fn dated(source: &SourceSentence) -> String {
    match &source.date {
        Some(date) => format!("{} ({date})", source.document),
        None => source.document.clone(),
    }
}
