//! Tuning against a model whose records get better with the right types, and worse with an example: the one is found, the
//! other left out, and what was paid for is not paid again.

use crate::by_script::{Endpoint, Said, data};
use graphwright::config::{Config, Price};
use graphwright::domain::Ids;
use graphwright::index::documents::DiscoverOptions;
use graphwright::index::passages::{self, Passages};
use graphwright::progress::{Observer, Progress};
use graphwright::prompts::Prompts;
use graphwright::services;
use graphwright::tuning::kit::Kit;
use graphwright::tuning::parts::Part;
use graphwright::tuning::{self, TuneRequest, Tuning, patch};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, OnceLock};

const SHIPS: [&str; 12] = [
    "Aurora", "Brenda", "Cygnet", "Dorado", "Egeria", "Fulmar", "Gannet", "Halcyon", "Iolanthe", "Juno",
    "Kestrel", "Lapwing",
];
const PORTS: [&str; 12] = [
    "Velm", "Norum", "Ostra", "Pelby", "Quent", "Rissund", "Skarn", "Tunby", "Ulvik", "Varde", "Wisby",
    "Ystad",
];

/// A ship, its captain and its port, in one passage each.
fn text(place: usize) -> String {
    let (ship, port) = (SHIPS[place], PORTS[place]);
    format!(
        "The ferry {ship} left the harbour of {port} in the early morning, for the tide was high and the wind had turned at \
         last. Captain {ship}son had waited for three days. The harbour master of {port} noted in his book that the ferry \
         {ship} carried timber, salt and two passengers, and that Captain {ship}son was in good spirits."
    )
}

/// What a model that is told its types writes, and one that is not.
fn records(ship: &str, port: &str, with_types: bool, with_example: bool) -> String {
    let captain = format!("{ship}son");
    let kinds = if with_types {
        ["vessel".to_owned(), "person".to_owned(), "port".to_owned()]
    } else {
        [format!("craft {ship}"), format!("skipper {ship}"), format!("place {port}")]
    };
    let mut lines: Vec<String> = [(ship, &kinds[0]), (&captain, &kinds[1]), (port, &kinds[2])]
        .iter()
        .map(|(name, kind)| format!("(\"entity\"<|>{name}<|>{kind}<|>{name} is in the text.<|>NONE)"))
        .collect();
    let pairs = [(captain.as_str(), ship, "steers"), (ship, port, "leaves")];
    // who follows an example too closely sees only what it shows
    let shown = if with_example { 0 } else { 2 };
    for (source, target, kind) in pairs.into_iter().take(shown) {
        lines.push(format!("(\"relationship\"<|>{source}<|>{target}<|>{kind}<|>It says so.<|>8)"));
    }
    lines.push("<|COMPLETE|>".into());
    lines.join("\n")
}

fn script(task: &str, messages: &[String]) -> Said {
    match task {
        "tune_field" => {
            let ships: Vec<&str> = SHIPS.into_iter().filter(|ship| messages[1].contains(ship)).collect();
            let ports: Vec<&str> = PORTS.into_iter().filter(|port| messages[1].contains(port)).collect();
            let captains: Vec<String> = ships.iter().map(|ship| format!("{ship}son")).collect();
            json!({
                "domain": "ferries of the north, read by a harbour master", "languages": ["English"], "kinds": ["log"],
                "types": [
                    {"type": "vessel", "description": "a ship with a name", "names": ships},
                    {"type": "port", "description": "a harbour", "names": ports},
                    {"type": "person", "description": "a human being", "names": captains},
                    {"type": "ghost", "description": "what nobody saw", "names": ["Marley"]},
                ],
                "relations": [], "claims": ["what a cargo is said to be"], "audience": "harbour masters",
                "rating": "how many ships it touches", "names": [],
            })
            .to_string()
            .into()
        }
        "tune_merge" => "{}".into(),
        "tune_questions" => {
            let passage = data(messages);
            let ship =
                SHIPS.into_iter().find(|ship| passage.contains(&format!("ferry {ship}"))).expect("a ship");
            json!({"questions": [
                {"question": format!("What did the {ship} carry?"), "answer": "timber", "quote": format!("{ship} carried timber")},
                {"question": "Who wept?", "answer": "Tim", "quote": "Tim wept"},
            ]})
            .to_string()
            .into()
        }
        "extract_graph" => {
            let (system, passage) = (&messages[0], data(messages));
            let place =
                SHIPS.iter().position(|ship| passage.contains(&format!("ferry {ship}"))).expect("a ship");
            let with_example = !system.contains("Velm Harbour Board");
            records(SHIPS[place], PORTS[place], system.contains("- vessel: "), with_example).into()
        }
        other => unreachable!("nobody told the endpoint what to say for {other}"),
    }
}

struct Corpus {
    folder: tempfile::TempDir,
    config: Config,
    glob: &'static str,
}

impl Corpus {
    fn new(config: Config) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for place in 0..SHIPS.len() {
            std::fs::write(folder.path().join(format!("d{place:02}.txt")), text(place)).expect("written");
        }
        Self { folder, config, glob: "d*.txt" }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    async fn passages(&self) -> Passages {
        let paths = vec![self.path(self.glob).display().to_string()];
        let ids = Ids::new("w");
        passages::of_paths(&self.config, &ids, &paths, &DiscoverOptions::default(), 1_000)
            .await
            .expect("read")
    }

    fn request(&self) -> TuneRequest {
        TuneRequest {
            sample: 6,
            passages: 12,
            path: self.path("graphwright.toml"),
            day: "2026-01-01".into(),
            ..TuneRequest::default()
        }
    }

    async fn tune(&self, request: &TuneRequest) -> anyhow::Result<Tuning> {
        self.tune_until_stopped(request, &Progress::silent()).await
    }

    async fn tune_until_stopped(&self, request: &TuneRequest, progress: &Progress) -> anyhow::Result<Tuning> {
        let (services::ConfiguredModels { chat, embedding, rerank }, ledger) =
            services::open_models(&self.config, self.folder.path()).await?;
        let prompts = Arc::new(Prompts::load(None)?);
        let folder = self.path("tuning");
        let kit = Kit {
            config: &self.config,
            prompts: &prompts,
            chat: chat.as_ref(),
            embedding: embedding.as_ref(),
            rerank: rerank.as_ref(),
            ledger: &ledger,
            folder: &folder,
            progress,
        };
        let passages = self.passages().await;
        let plan = tuning::plan(&kit, &passages, request).await?;
        tuning::tune(&kit, &passages, plan, request).await
    }
}

fn fate(tuned: &Tuning, part: Part) -> (bool, f64) {
    let verdict = tuned.proof.verdicts.iter().find(|verdict| verdict.part == part);
    let verdict = verdict.expect("the part was tried");
    (verdict.kept, verdict.gain.unwrap_or_default())
}

fn with_price(mut config: Config) -> Config {
    let price = Price { input: 1.0, cached_input: 1.0, output: 2.0 };
    config.llm.prices.insert("scripted".into(), price);
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn the_right_types_are_found_and_the_wrong_example_is_left_out() {
    let endpoint = Endpoint::start(script).await;
    let corpus = Corpus::new(endpoint.config());
    std::fs::write(corpus.path("graphwright.toml"), "# mine\n[search]\nlevel = 2\n").expect("written");
    let tuned = corpus.tune(&corpus.request()).await.expect("tuned");
    assert_eq!((tuned.sample.looked_at, tuned.sample.held_back), (6, 6), "{:?}", tuned.sample);
    let types: Vec<(&str, usize)> =
        tuned.field.types.iter().map(|found| (found.kind.as_str(), found.passages)).collect();
    assert_eq!(types, [("person", 6), ("port", 6), ("vessel", 6)], "the ghost stands nowhere");
    let (kept, gain) = fate(&tuned, Part::Types);
    assert!(kept && gain > 50.0, "{:?}", tuned.proof.verdicts);
    assert!(tuned.examples > 0, "{:?}", tuned.no_examples);
    let (kept, gain) = fate(&tuned, Part::Examples);
    assert!(!kept && gain < 0.0, "{:?}", tuned.proof.verdicts);
    assert!(!fate(&tuned, Part::Domain).0, "it changes nothing");
    assert_eq!(tuned.proof.kept_parts(), [Part::Types]);
    assert!(tuned.diff.contains("+type = \"vessel\"") && !tuned.diff.contains("# mine\n-"), "{}", tuned.diff);

    let calls = endpoint.calls().len();
    let again = corpus.tune(&corpus.request()).await.expect("tuned again");
    assert_eq!(endpoint.calls().len(), calls, "what was answered is kept");
    assert_eq!(again.proof.readings, tuned.proof.readings, "and says the same");

    let folder = corpus.path("tuning");
    let proposal = patch::proposal(&folder).expect("kept");
    assert!(patch::apply(&folder, &proposal, &proposal.path).expect("applied").changed);
    let read = || std::fs::read_to_string(corpus.path("graphwright.toml")).expect("read");
    let applied = Config::parse(&read()).expect("valid");
    assert_eq!((applied.extraction.schema.entities.len(), applied.search.level), (3, 2));
    assert!(applied.extraction.examples.is_empty() && applied.extraction.domain.is_empty());
    patch::undo(&folder, &proposal.path).expect("taken back");
    assert_eq!(read(), "# mine\n[search]\nlevel = 2\n");
}

/// Asks for a stop when a stage begins.
#[derive(Debug)]
struct StopAt {
    stage: &'static str,
    progress: OnceLock<Progress>,
}

impl Observer for StopAt {
    fn stage(&self, name: &str, _: u64, _: u64) {
        if name == self.stage {
            self.progress.get().expect("known").request_stop();
        }
    }

    fn note(&self, _: &str) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tuning_that_was_stopped_goes_on_and_pays_nothing_twice() {
    let whole = Endpoint::start(script).await;
    let corpus = Corpus::new(whole.config());
    let expected = corpus.tune(&corpus.request()).await.expect("tuned");

    let endpoint = Endpoint::start(script).await;
    let corpus = Corpus::new(endpoint.config());
    let observer = Arc::new(StopAt { stage: "types", progress: OnceLock::new() });
    let progress = Progress::observed(Arc::<StopAt>::clone(&observer));
    observer.progress.set(progress.clone()).expect("once");
    let error = corpus.tune_until_stopped(&corpus.request(), &progress).await.expect_err("stopped");
    assert!(error.to_string().contains("run the same command again"), "{error}");
    let stopped_after = endpoint.calls().len();
    assert!(0 < stopped_after && stopped_after < whole.calls().len());
    let tuned = corpus.tune(&corpus.request()).await.expect("went on");
    assert_eq!(tuned.proof.kept_parts(), expected.proof.kept_parts());
    assert_eq!(endpoint.calls().len(), whole.calls().len(), "nothing was asked twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_has_set_is_neither_tried_nor_changed() {
    let endpoint = Endpoint::start(script).await;
    let mut config = endpoint.config();
    config.extraction.domain = "my own words".into();
    config.extraction.entity_types = vec!["vessel".into()];
    let corpus = Corpus::new(config);
    let tuned = corpus.tune(&corpus.request()).await.expect("tuned");
    for part in [Part::Domain, Part::Types] {
        let verdict = tuned.proof.verdicts.iter().find(|verdict| verdict.part == part).expect("named");
        assert!(!verdict.kept && verdict.reason.contains("set by you"), "{verdict:?}");
    }
    assert!(tuned.proposal.changes.iter().all(|change| !change.key.ends_with("domain")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_makes_the_sample_smaller_and_is_kept_to() {
    let endpoint = Endpoint::start(script).await;
    let mut config = with_price(endpoint.config());
    let corpus = Corpus::new(config.clone());
    let asked = |most: f64| TuneRequest { max_cost: Some(most), ..corpus.request() };
    let tuned = corpus.tune(&asked(0.07)).await.expect("tuned");
    assert!((2..6).contains(&tuned.sample.looked_at), "{:?}", tuned.sample);
    let error = corpus.tune(&asked(0.000_1)).await.expect_err("too little").to_string();
    assert!(error.contains("--max-cost is $0.0001") && error.contains("the smallest tuning"), "{error}");
    // the estimate is of what prompts come to; the ledger holds what they did
    let calls = endpoint.calls().len();
    config.budget.max_cost = Some(0.000_1);
    let bound = Corpus::new(config);
    let error = bound.tune(&bound.request()).await.expect_err("used up").to_string();
    assert!(error.contains("budget"), "{error}");
    assert!(endpoint.calls().len() <= calls + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sentence_on_the_field_and_the_kinds_of_claims_are_kept_where_they_gain() {
    let endpoint = Endpoint::start(|task, messages| {
        if task != "extract_graph" {
            return script(task, messages);
        }
        let (system, passage) = (&messages[0], data(messages));
        let place = SHIPS.iter().position(|ship| passage.contains(&format!("ferry {ship}"))).expect("a ship");
        let (ship, port) = (SHIPS[place], PORTS[place]);
        let mut lines = vec![
            format!("(\"entity\"<|>{ship}<|>vessel<|>A ferry.<|>NONE)"),
            format!("(\"entity\"<|>{port}<|>port<|>A harbour.<|>NONE)"),
        ];
        if system.contains("ferries of the north") {
            lines.push(format!("(\"relationship\"<|>{ship}<|>{port}<|>leaves<|>It says so.<|>8)"));
        }
        if system.contains("what a cargo is said to be") {
            lines.push(format!(
                "(\"claim\"<|>{ship}<|>NONE<|>cargo<|>TRUE<|>NONE<|>NONE<|>It carried timber.<|>{ship} carried timber<|>NONE)"
            ));
        }
        lines.push("<|COMPLETE|>".into());
        lines.join("\n").into()
    })
    .await;
    let mut config = endpoint.config();
    config.extraction.claims = true;
    let corpus = Corpus::new(config);
    let tuned = corpus.tune(&corpus.request()).await.expect("tuned");
    assert_eq!(tuned.proof.kept_parts(), [Part::Domain, Part::Claims], "{:?}", tuned.proof.verdicts);
    assert!(!fate(&tuned, Part::Types).0, "they change nothing");
    let keys: Vec<&str> = tuned.proposal.changes.iter().map(|change| change.key.as_str()).collect();
    assert_eq!(keys, ["extraction.domain", "extraction.claim_description"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_written_of_passages_that_nothing_else_sees() {
    let endpoint = Endpoint::start(script).await;
    let corpus = Corpus::new(endpoint.config());
    let request = TuneRequest { sample: 4, generate_questions: true, ..corpus.request() };
    let tuned = corpus.tune(&request).await.expect("tuned");
    let asked = tuned.questions.expect("measured");
    assert_eq!(
        asked.questions, tuned.sample.kept_for_questions,
        "the one whose quote stands nowhere is left out"
    );
    assert!(asked.differences.iter().any(|one| one.score == "recall@5"), "{:?}", asked.differences);
    let calls = endpoint.calls();
    let sources: Vec<String> =
        calls.iter().filter(|call| call.task == "tune_questions").map(|call| data(&call.messages)).collect();
    let looked_at = calls.iter().filter(|call| call.task == "tune_field");
    for call in looked_at {
        assert!(sources.iter().all(|source| !call.messages[1].contains(source.trim())));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_whose_quotes_stand_nowhere_cost_nobody_the_table() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "tune_questions" => {
            json!({"questions": [{"question": "Who wept?", "quote": "Tim wept"}]}).to_string().into()
        }
        _ => script(task, messages),
    })
    .await;
    let corpus = Corpus::new(endpoint.config());
    let request = TuneRequest { sample: 4, generate_questions: true, ..corpus.request() };
    let tuned = corpus.tune(&request).await.expect("tuned");
    assert!(tuned.questions.is_none() && fate(&tuned, Part::Types).0, "{:?}", tuned.proof.verdicts);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_with_which_passages_cannot_be_read_is_left_out_and_says_why() {
    let endpoint = Endpoint::start(|task, messages| {
        if task == "extract_graph" && messages[0].contains("- vessel: ") {
            Said::Status(400)
        } else {
            script(task, messages)
        }
    })
    .await;
    let tuned = Corpus::new(endpoint.config());
    let tuned = tuned.tune(&tuned.request()).await.expect("tuned");
    let verdict = tuned.proof.verdicts.iter().find(|verdict| verdict.part == Part::Types).expect("tried");
    assert!(!verdict.kept && verdict.reason.contains("6 passages could not be read with it"), "{verdict:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whom_reports_are_for_is_left_to_the_user_who_has_said_it() {
    let endpoint = Endpoint::start(script).await;
    let mut config = endpoint.config();
    config.reports.audience = "me".into();
    let corpus = Corpus::new(config);
    let request = TuneRequest { reports: true, ..corpus.request() };
    let tuned = corpus.tune(&request).await.expect("tuned");
    let keys: Vec<&str> = tuned.proposal.changes.iter().map(|change| change.key.as_str()).collect();
    assert!(!keys.contains(&"reports.audience"), "{keys:?}");
    assert!(keys.contains(&"reports.rating"), "{keys:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_the_table_is_by_rules_and_questions_judge() {
    let corpus = Corpus::new(Config::default());
    for place in 0..SHIPS.len() {
        let head = format!(
            "Northwind Harbour Gazette\n\n{}\n\nPrinted by Northwind Harbour Gazette.\n",
            text(place)
        );
        std::fs::write(corpus.path(&format!("d{place:02}.txt")), head).expect("written");
    }
    let questions = corpus.path("questions.json");
    let asked: Vec<_> = SHIPS
        .iter()
        .take(3)
        .map(|ship| json!({"question": format!("What did the {ship} carry?"), "gold": [format!("{ship} carried timber")]}))
        .collect();
    std::fs::write(&questions, json!(asked).to_string()).expect("written");
    let request = TuneRequest { sample: 4, questions: Some(questions), ..corpus.request() };
    let tuned = corpus.tune(&request).await.expect("tuned");
    assert_eq!(tuned.field.languages, ["English"]);
    assert!(tuned.field.stop_names.iter().any(|name| name.contains("Northwind")), "{:?}", tuned.field);
    assert!(tuned.proof.readings[0].entities > 0.0 && tuned.proof.readings[0].input_tokens == 0);
    let verdict = tuned.proof.verdicts.iter().find(|verdict| verdict.part == Part::StopNames).expect("tried");
    assert!(verdict.reason.contains("recall@5"), "{verdict:?}");
    // of eight passages that are counted all that stands in two is common
    assert_eq!(tuned.field.type_threshold, 2);
    assert_eq!(tuned.questions.expect("asked").questions, 3);
    assert!(Path::new(&tuned.proposal.path).ends_with("graphwright.toml"));
}

/// Tries settings on questions without a model.
async fn searched(corpus: &Corpus, request: &TuneRequest) -> anyhow::Result<Vec<tuning::grid::Tried>> {
    let (services::ConfiguredModels { chat, embedding, rerank }, ledger) =
        services::open_models(&corpus.config, corpus.folder.path()).await?;
    let (prompts, progress) = (Arc::new(Prompts::load(None)?), Progress::silent());
    let folder = corpus.path("tuning");
    let kit = Kit {
        config: &corpus.config,
        prompts: &prompts,
        chat: chat.as_ref(),
        embedding: embedding.as_ref(),
        rerank: rerank.as_ref(),
        ledger: &ledger,
        folder: &folder,
        progress: &progress,
    };
    tuning::search(&kit, &corpus.passages().await, request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn sizes_weights_and_shares_are_tried_on_questions_and_chance_is_no_gain() {
    let corpus = Corpus::new(Config::default());
    let questions = corpus.path("questions.json");
    let asked = json!([{"question": "What did the Aurora carry?", "answer": "timber", "gold": ["d00.txt"]}]);
    std::fs::write(&questions, asked.to_string()).expect("written");
    let mut request = TuneRequest { questions: Some(questions), passages: 4, ..corpus.request() };
    let tried = searched(&corpus, &request).await.expect("searched");
    let of = |key: &str| tried.iter().filter(|one| one.key == key).map(|one| one.value).collect::<Vec<_>>();
    assert_eq!(of("text_units.size"), [300.0, 600.0, 2400.0], "what is set is not tried");
    assert_eq!(of("search.words_weight"), [0.4, 1.6]);
    assert_eq!(of("search.walk_weight"), [0.0, 0.5]);
    assert_eq!(of("search.text_unit_share"), [0.35, 0.7]);
    assert!(of("extraction.gleanings").is_empty(), "there is no model to ask again");
    assert!(of("rerank.weight").is_empty(), "there is no model that reranks");
    assert!(tried.iter().all(|one| !one.worth_it), "one question proves nothing: {tried:?}");
    let by = |tried: &[tuning::grid::Tried], key: &str| {
        let one = tried.iter().find(|one| one.key == key).expect("tried");
        assert!(one.scores.iter().any(|score| score.name == one.decided_by), "{one:?}");
        one.decided_by.clone()
    };
    assert_eq!(by(&tried, "search.damping"), "recall@5");
    assert_eq!(by(&tried, "text_units.size"), "in_context", "a list of five small ones holds less");
    assert_eq!(by(&tried, "search.text_unit_share"), "in_context");
    // the same questions answered are another measure, not another run of the same
    request.answers = true;
    let answered = searched(&corpus, &request).await.expect("answered");
    assert_eq!(by(&answered, "search.text_unit_share"), "f1");
    request.questions = None;
    let error = searched(&corpus, &request).await.expect_err("no questions").to_string();
    assert!(error.contains("--questions FILE"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_corpus_without_names_and_with_control_characters_is_searched_as_well() {
    let corpus = Corpus::new(Config::default());
    for place in 0..SHIPS.len() {
        let text =
            format!("the kettle was cold on day {place}\u{7f}\u{9b}\u{7f}\u{7f} and nobody drank the tea");
        std::fs::remove_file(corpus.path(&format!("d{place:02}.txt"))).expect("removed");
        // escaped, so that the file itself is text
        let written =
            json!({"text": text}).to_string().replace('\u{7f}', "\\u007f").replace('\u{9b}', "\\u009b");
        std::fs::write(corpus.path(&format!("d{place:02}.json")), written).expect("written");
    }
    let corpus = Corpus { glob: "d*.json", ..corpus };
    let questions = corpus.path("questions.json");
    let asked = json!([{"question": "what was cold on day 7?", "gold": ["kettle was cold on day 7"]}]);
    std::fs::write(&questions, asked.to_string()).expect("written");
    let request = TuneRequest { questions: Some(questions), passages: 12, ..corpus.request() };
    let tried = searched(&corpus, &request).await.expect("searched");
    let structure = tried.iter().find(|one| one.key == "search.structure_weight").expect("tried");
    let recall = structure.scores.iter().find(|score| score.name == "recall@5").expect("scored");
    assert!(recall.before > 0.0, "{structure:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_passages_of_given_questions_are_shown_to_nobody_who_tunes() {
    let endpoint = Endpoint::start(script).await;
    let corpus = Corpus::new(endpoint.config());
    let questions = corpus.path("questions.json");
    let asked = json!([{"question": "What did the Kestrel carry?", "answer": "timber", "gold": ["Kestrel carried timber"]}]);
    std::fs::write(&questions, asked.to_string()).expect("written");
    let request = TuneRequest { sample: 4, questions: Some(questions), ..corpus.request() };
    let tuned = corpus.tune(&request).await.expect("tuned");
    assert_eq!(tuned.questions.expect("asked").questions, 1);
    let calls = endpoint.calls();
    let shown = calls.iter().filter(|call| call.task == "tune_field");
    assert!(shown.clone().count() > 0 && shown.clone().all(|call| !call.messages[1].contains("Kestrel")));
    // the examples that were tried stand in the instructions of extraction
    let extracted = calls.iter().filter(|call| call.task == "extract_graph");
    let names_ship = |text: &str| SHIPS.iter().any(|ship| text.contains(ship));
    assert!(extracted.clone().any(|call| names_ship(&call.messages[0])), "an example was tried");
    assert!(extracted.clone().all(|call| !call.messages[0].contains("Kestrel")));
}
