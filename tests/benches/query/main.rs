//! What local search's context costs on a large graph. Run by scripts/bench-query.sh.
//!
//!   query load DATA [--communities]     writes the generated corpus into the stores of the environment
//!   query ask DATA                      prints one row of the table
//!   query ask DATA WORKSPACE QUESTIONS  the same of any index: the lines of a file, again and again
//!   query embed MODEL                   sentences that the local embedding model of a folder takes a second
//!                                           (beside onnxruntime: `embed_beside.py`)
//!
//! `GRAPHWRIGHT_BENCH_*` sets the sizes; `NEO4J_URI` and `QDRANT_URL` the stores, embedded where absent. `RUST_LOG=graphwright=trace`
//! writes each statement of Neo4j with its rows and milliseconds to stderr.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program that prints a table of what it measured"
)]

use anyhow::{Context, Result, bail};
use futures::StreamExt;
use graphwright::config::Config;
use graphwright::domain::{Document, EntityRecord, Ids, Record, RelationshipRecord, TextUnit, UnitState};
use graphwright::index::graph::{Naming, project_unit, settle};
use graphwright::index::{run, vectors};
use graphwright::llm::{EmbeddingPurpose, LocalEmbeddings};
use graphwright::progress::Progress;
use graphwright::query::{self, QueryRequest};
use graphwright::services::{self, Access, Services};
use graphwright::stores::graph::UnitWrite;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

const WORKSPACE: &str = "bench";
const UNITS_A_DOCUMENT: usize = 50;
const WORDS: usize = 20_000;
const WORDS_A_UNIT: usize = 110;

/// Sizes of the corpus and of the run.
struct Sizes {
    entities: usize,
    relationships: usize,
    units: usize,
    questions: usize,
    at_once: usize,
}

impl Sizes {
    fn from_environment() -> Result<Self> {
        let size = |name: &str, default: usize| match std::env::var(format!("GRAPHWRIGHT_BENCH_{name}")) {
            Ok(text) => text.parse().with_context(|| format!("GRAPHWRIGHT_BENCH_{name}={text} is no number")),
            Err(_) => Ok(default),
        };
        Ok(Self {
            entities: size("ENTITIES", 100_000)?,
            relationships: size("RELATIONSHIPS", 500_000)?,
            units: size("UNITS", 50_000)?,
            questions: size("QUESTIONS", 500)?,
            at_once: size("AT_ONCE", 16)?,
        })
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [command, data, rest @ ..] = arguments.as_slice() else { bail!("usage: query load|ask DATA") };
    let sizes = Sizes::from_environment()?;
    if std::env::var_os("RUST_LOG").is_some() {
        let filter = tracing_subscriber::EnvFilter::from_default_env();
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    }
    let mut config = Config::default();
    config.take_environment();
    config.resolve_secrets()?;
    let data = Path::new(data);
    match (command.as_str(), rest) {
        ("embed", []) => embed(data),
        ("load", flags) => {
            let services = services::connect(config, data, WORKSPACE, Access::Write).await?;
            load(&services, &sizes, flags.iter().any(|flag| flag == "--communities")).await
        }
        ("ask", []) => {
            let services = services::connect(config, data, WORKSPACE, Access::Read).await?;
            let corpus = Corpus::new(&sizes);
            let mut random = fastrand::Rng::with_seed(3);
            let questions = (0..sizes.questions).map(|number| corpus.question(number, &mut random)).collect();
            ask(&services, &sizes, questions).await
        }
        ("ask", [workspace, file]) => {
            let services = services::connect(config, data, workspace, Access::Read).await?;
            let text = std::fs::read_to_string(file).with_context(|| format!("{file} cannot be read"))?;
            let lines = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned);
            let questions: Vec<String> = lines.collect();
            ask(&services, &sizes, questions.into_iter().cycle().take(sizes.questions).collect()).await
        }
        _ => bail!("usage: query load|ask DATA, query ask DATA WORKSPACE QUESTIONS, or query embed MODEL"),
    }
}

/// Writes documents, evidence, sums, communities and vectors through the seams.
async fn load(services: &Services, sizes: &Sizes, communities: bool) -> Result<()> {
    let begun = Instant::now();
    let corpus = Corpus::new(sizes);
    let naming = Naming::default();
    let mut random = fastrand::Rng::with_seed(2);
    let mut related = HashSet::new();
    for document in 0..sizes.units / UNITS_A_DOCUMENT {
        let units: Vec<(TextUnit, UnitState)> = (0..UNITS_A_DOCUMENT)
            .map(|index| corpus.unit(&services.ids, (document, index), sizes, &mut random, &mut related))
            .collect();
        let key = format!("document-{document}.txt");
        let document = Document {
            id: services.ids.document(&key),
            title: format!("Document {document}"),
            content_hash: key.clone(),
            key,
            character_count: units.iter().map(|(unit, _)| unit.end_offset - unit.start_offset).sum(),
            text_unit_count: u32::try_from(units.len())?,
            date: None,
            metadata: std::collections::BTreeMap::new(),
            origin: None,
        };
        let texts: Vec<TextUnit> = units.iter().map(|(unit, _)| unit.clone()).collect();
        services.graph.replace_document(&document, &texts).await?;
        let writes: Vec<UnitWrite> = units
            .into_iter()
            .map(|(unit, state)| UnitWrite {
                evidence: project_unit(&services.ids, &naming, &unit.id, &state),
                text_unit: unit.id,
                state,
                replaces: false,
                lease: None,
            })
            .collect();
        services.graph.save_units(&writes).await?;
    }
    eprintln!("evidence written after {:.0} s", begun.elapsed().as_secs_f64());
    let progress = Progress::silent();
    settle(services, &naming, &progress).await?;
    eprintln!("summed up after {:.0} s", begun.elapsed().as_secs_f64());
    if communities {
        run::rebuild_communities(services, &progress).await?;
        eprintln!("communities after {:.0} s", begun.elapsed().as_secs_f64());
    }
    vectors::sync(services, &progress).await?;
    let counts = services.graph.counts().await?;
    eprintln!("loaded after {:.0} s: {counts:?}", begun.elapsed().as_secs_f64());
    services.graph.unlock_writer().await?;
    Ok(())
}

/// Asks every question, one at a time, then several at once.
async fn ask(services: &Services, sizes: &Sizes, questions: Vec<String>) -> Result<()> {
    let requests: Vec<QueryRequest> =
        questions.into_iter().map(|question| QueryRequest { question, ..QueryRequest::default() }).collect();
    for request in requests.iter().take(20) {
        query::local_context(services, request).await?;
    }
    let (mut times, mut items, mut tokens) = (Vec::new(), 0, 0);
    let cpu = cpu_time();
    for request in &requests {
        let begun = Instant::now();
        let answer = query::local_context(services, request).await?;
        times.push(begun.elapsed());
        items += answer.context.items.len();
        tokens += answer.context.tokens;
    }
    let cpu = (cpu_time() - cpu) / requests.len() as f64;
    let begun = Instant::now();
    let mut running = futures::stream::iter(requests.clone())
        .map(|request| {
            let services = services.clone();
            tokio::spawn(async move { query::local_context(&services, &request).await.map(|_| ()) })
        })
        .buffer_unordered(sizes.at_once);
    while let Some(done) = running.next().await {
        done??;
    }
    let rate = requests.len() as f64 / begun.elapsed().as_secs_f64();
    times.sort();
    let at = |share: f64| {
        let place = ((times.len() as f64 * share).ceil() as usize).saturating_sub(1);
        times.get(place).copied().unwrap_or_default().as_secs_f64() * 1000.0
    };
    let counts = services.graph.counts().await?;
    println!(
        "| {}, {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {rate:.0} | {:.0} | {:.0} |",
        store(&services.graph.describe()),
        store(&services.vectors.describe()),
        counts.reports,
        at(0.5),
        at(0.95),
        times.last().copied().unwrap_or(Duration::ZERO).as_secs_f64() * 1000.0,
        cpu * 1000.0,
        items as f64 / requests.len() as f64,
        tokens as f64 / requests.len() as f64,
    );
    Ok(())
}

/// Embeds texts of one length and of many, 64 and 1,024 a call.
fn embed(model: &Path) -> Result<()> {
    let model = LocalEmbeddings::open(model, 256)?;
    let mut random = fastrand::Rng::with_seed(4);
    // every one of these words is one token; two more frame a text
    let words =
        ["river", "house", "garden", "letter", "morning", "captain", "music", "winter", "market", "stone"];
    let mut text = |tokens: usize| {
        let chosen: Vec<&str> = (2..tokens).map(|_| words[random.usize(..words.len())]).collect();
        chosen.join(" ")
    };
    println!("| texts | tokens each | texts a call | texts a second | tokens a second | CPU ms a text |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (length, tokens) in [("64", vec![64; 1024]), ("8 to 128", (0..1024).map(|n| 8 + n % 121).collect())] {
        let texts: Vec<String> = tokens.iter().map(|tokens| text(*tokens)).collect();
        for at_once in [64, 1024] {
            let (begun, cpu) = (Instant::now(), cpu_time());
            for texts in texts.chunks(at_once) {
                model.embed_blocking(texts, EmbeddingPurpose::Document)?;
            }
            let (took, cpu) = (begun.elapsed().as_secs_f64(), cpu_time() - cpu);
            println!(
                "| {} | {length} | {at_once} | {:.0} | {:.0} | {:.1} |",
                texts.len(),
                texts.len() as f64 / took,
                tokens.iter().sum::<usize>() as f64 / took,
                cpu * 1000.0 / texts.len() as f64,
            );
        }
    }
    Ok(())
}

fn store(described: &str) -> &str {
    described.split([' ', '/']).next().unwrap_or(described)
}

/// Seconds of user and system time of this process.
fn cpu_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    // utime and stime are the 14th and 15th field of all, in hundredths of a second
    (ticks(11) + ticks(12)) / 100.0
}

/// Names and words, the same for every run.
struct Corpus {
    names: Vec<String>,
    words: Vec<String>,
}

impl Corpus {
    fn new(sizes: &Sizes) -> Self {
        let mut random = fastrand::Rng::with_seed(1);
        let mut names = BTreeSet::new();
        while names.len() < sizes.entities {
            names.insert(format!("{} {}", capital(&word(&mut random)), capital(&word(&mut random))));
        }
        let mut names: Vec<String> = names.into_iter().collect();
        random.shuffle(&mut names);
        let mut words = BTreeSet::new();
        while words.len() < WORDS {
            words.insert(word(&mut random));
        }
        let mut words: Vec<String> = words.into_iter().collect();
        random.shuffle(&mut words);
        Self { names, words }
    }

    /// A text unit that relates ten entities or so, the early ones much more often.
    fn unit(
        &self,
        ids: &Ids,
        (document, index): (usize, usize),
        sizes: &Sizes,
        random: &mut fastrand::Rng,
        related: &mut HashSet<(usize, usize)>,
    ) -> (TextUnit, UnitState) {
        let number = document * UNITS_A_DOCUMENT + index;
        let relationships = sizes.relationships / sizes.units;
        let ends = relationships + 1;
        // every entity comes once at least; the others by their rank
        let mut chosen: Vec<usize> = (0..sizes.entities.div_ceil(sizes.units))
            .map(|turn| (number + turn * sizes.units) % sizes.entities)
            .collect();
        // no pair is related twice, so that there are as many relationships as were asked for
        let mut is_new =
            |one: usize, other: usize| one != other && related.insert((one.min(other), one.max(other)));
        for pair in chosen.windows(2) {
            is_new(pair[0], pair[1]);
        }
        while chosen.len() < ends {
            let next = skewed(sizes.entities, random);
            if chosen.last().is_none_or(|last| is_new(*last, next)) {
                chosen.push(next);
            }
        }
        let mut sentences: Vec<String> = Vec::new();
        let mut records: Vec<Record> = Vec::new();
        for entity in &chosen {
            let words = self.some_words(WORDS_A_UNIT / ends, random);
            sentences.push(format!("{} {words}.", self.names[*entity]));
            records.push(Record::Entity(EntityRecord {
                name: self.names[*entity].clone(),
                kind: ["Person", "Place", "Organisation", "Event"][entity % 4].to_owned(),
                description: format!("{} {}", self.names[*entity], self.some_words(8, random)),
                aliases: Vec::new(),
                sentiment: None,
            }));
        }
        for pair in chosen.windows(2) {
            let [source, target] = pair else { continue };
            records.push(Record::Relationship(RelationshipRecord {
                source: self.names[*source].clone(),
                target: self.names[*target].clone(),
                kind: "related".to_owned(),
                description: self.some_words(8, random),
                strength: 1,
            }));
        }
        let text = sentences.join(" ");
        let document_id = ids.document(&format!("document-{document}.txt"));
        let start = (index * 2000) as u64;
        let unit = TextUnit {
            id: ids.text_unit(&document_id, &text, 0),
            document_id,
            index: u32::try_from(index).unwrap_or(0),
            token_count: u32::try_from(text.len() / 4).unwrap_or(0),
            start_offset: start,
            end_offset: start + text.chars().count() as u64,
            headings: Vec::new(),
            sections: None,
            locators: Vec::new(),
            header: String::new(),
            period: None,
            text,
        };
        let state = UnitState {
            records,
            extraction: Some("bench".to_owned()),
            error: None,
            linked: Vec::new(),
            linking_done: true,
            ..UnitState::default()
        };
        (unit, state)
    }

    fn question(&self, number: usize, random: &mut fastrand::Rng) -> String {
        let mut name = || {
            let place = if number.is_multiple_of(2) {
                skewed(self.names.len(), random)
            } else {
                random.usize(..self.names.len())
            };
            self.names[place].clone()
        };
        let (one, other) = (name(), name());
        match number % 4 {
            0 => format!("Who is {one}?"),
            1 => format!("What is the relationship between {one} and {other}?"),
            2 => format!("Where did {one} meet the {}?", self.some_words(2, random)),
            _ => format!("What is said of {}?", self.some_words(4, random)),
        }
    }

    fn some_words(&self, count: usize, random: &mut fastrand::Rng) -> String {
        let words: Vec<&str> =
            (0..count).map(|_| self.words[skewed(self.words.len(), random)].as_str()).collect();
        words.join(" ")
    }
}

/// A place below `count`, the early ones more often: about as words of a language fall off.
fn skewed(count: usize, random: &mut fastrand::Rng) -> usize {
    let place = (count as f64).powf(random.f64()) - 1.0;
    (place as usize).min(count - 1)
}

fn word(random: &mut fastrand::Rng) -> String {
    const HEADS: [&str; 16] =
        ["b", "br", "c", "d", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "r", "st", "v"];
    const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ei"];
    const TAILS: [&str; 8] = ["", "l", "m", "n", "r", "s", "t", "nd"];
    let mut word = String::new();
    for _ in 0..random.usize(2..4) {
        for part in [&HEADS[..], &VOWELS[..], &TAILS[..]] {
            word.push_str(part[random.usize(..part.len())]);
        }
    }
    word
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}
