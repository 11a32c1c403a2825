//! Configuration: defaults < `graphwright.toml` < environment < flags; checked once, unknown keys refused. One file a
//! section.

mod budget;
mod choice;
mod communities;
mod documents;
mod embeddings;
mod rerank;
mod extraction;
mod graph;
mod limits;
mod llm;
mod qa;
mod raptor;
mod reader;
mod reports;
mod schema;
mod search;
mod searches;
mod secret;
mod serve;
mod text_units;
mod trends;
mod vectors;

pub use budget::BudgetConfig;
pub use choice::NamedChoice;
pub use communities::{CommunitiesConfig, CommunityEngine, EdgeWeight, Follow};
pub use documents::{DocumentsConfig, PageReading, SheetRows};
pub use embeddings::{EmbeddingProvider, EmbeddingsConfig};
pub use extraction::{ExtractionConfig, FoundSettings, NameResolution};
pub use graph::{AdoptAccess, GraphConfig};
pub use limits::LimitsConfig;
pub use llm::{LlmConfig, Price, Provider, RoleConfig};
pub use qa::{AnswerScope, AnswersConfig, QaConfig, StaleAnswers};
pub use raptor::{RaptorConfig, TreeRetrieval};
pub use reader::{ReaderConfig, ReaderSearchConfig};
pub use reports::{ReportStyle, ReportsConfig};
pub use rerank::{RerankConfig, RerankProvider};
pub use schema::{EntityType, KnownName, RelationPattern, SchemaConfig};
pub use search::SearchConfig;
pub use searches::{ConversationConfig, DriftConfig, GlobalConfig, SourceConfig};
pub use secret::Secret;
pub use serve::ServeConfig;
pub use text_units::TextUnitsConfig;
pub use trends::{TrendsConfig, WatchCondition, WatchConfig};
pub use vectors::{Quantization, VectorsConfig};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Everything that can be set.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where the graph lives.
    pub graph: GraphConfig,
    /// Where a graph of others lives that is adopted: of the environment alone.
    #[serde(skip)]
    pub adopt: AdoptAccess,
    /// Where the vectors live.
    pub vectors: VectorsConfig,
    /// Chat models.
    pub llm: LlmConfig,
    /// Embedding model.
    pub embeddings: EmbeddingsConfig,
    /// Reranking model.
    pub rerank: RerankConfig,
    /// How files are read.
    pub documents: DocumentsConfig,
    /// How documents are cut.
    pub text_units: TextUnitsConfig,
    /// How records are read.
    pub extraction: ExtractionConfig,
    /// How communities are found.
    pub communities: CommunitiesConfig,
    /// How reports are written.
    pub reports: ReportsConfig,
    /// Summary trees.
    pub raptor: RaptorConfig,
    /// Atomic facts.
    pub reader: ReaderConfig,
    /// How questions are answered.
    pub search: SearchConfig,
    /// The library of questions and answers.
    pub qa: QaConfig,
    /// Answers for customers.
    pub answers: AnswersConfig,
    /// What is watched over time.
    pub trends: TrendsConfig,
    /// What a run may cost.
    pub budget: BudgetConfig,
    /// What others' files may ask of this machine.
    pub limits: LimitsConfig,
    /// What the server lets in, and how much of it at once.
    pub serve: ServeConfig,
}

/// What is wrong with a configuration, and in which line. The line itself is not shown: it may hold a key.
fn place_of(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().map(|span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
    let message = error.message().trim_end();
    let Some(line) = line else { return message.to_owned() };
    // the key says where it is; what stands behind it may be a secret
    let written = text.lines().nth(line - 1).unwrap_or_default();
    let key = written.split_once('=').map(|(key, _)| key.trim()).unwrap_or_default();
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let key = if !key.is_empty() && key.len() <= 60 && key.chars().all(is_key) {
        format!(" ({key})")
    } else {
        String::new()
    };
    format!("line {line}{key}: {message}")
}

impl Config {
    /// How names become one, `auto` decided.
    pub fn resolution(&self) -> NameResolution {
        match (self.extraction.resolution, self.llm.provider) {
            (NameResolution::Auto, Provider::None) => NameResolution::Rules,
            (NameResolution::Auto, _) => NameResolution::Model,
            (said, _) => said,
        }
    }

    /// Reads a configuration from TOML.
    ///
    /// # Errors
    /// Not TOML, or an unknown key (named, with the known ones), or a value of the wrong kind.
    pub fn parse(text: &str) -> Result<Self> {
        let mut config: Self =
            toml::from_str(text).map_err(|error| anyhow::anyhow!(place_of(&error, text)))?;
        if config.reports.style == ReportStyle::Paper {
            config.communities.tolerance = 0.0;
        }
        Ok(config)
    }

    /// Takes what the ecosystem's environment variables say over what the file says.
    pub fn take_environment(&mut self) {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if let Some(url) = set("NEO4J_URI") {
            self.graph.url = Some(url);
        }
        if let Some(name) = set("NEO4J_USERNAME") {
            self.graph.username = name;
        }
        if let Some(password) = set("NEO4J_PASSWORD") {
            self.graph.password = Secret::new(password);
        }
        if let Some(name) = set("NEO4J_DATABASE") {
            self.graph.database = name;
        }
        self.adopt.url = set("NEO4J_ADOPT_URI");
        self.adopt.username = set("NEO4J_ADOPT_USERNAME");
        self.adopt.password = set("NEO4J_ADOPT_PASSWORD").map(Secret::new);
        if let Some(url) = set("QDRANT_URL") {
            self.vectors.url = Some(url);
        }
        if let Some(key) = set("QDRANT_API_KEY") {
            self.vectors.api_key = Secret::new(key);
        }
    }

    /// Puts values of the environment for `${NAME}` in the password and the key of the stores that are used. Keys of models
    /// are resolved where they are used.
    ///
    /// # Errors
    /// Names a variable that is not set.
    pub fn resolve_secrets(&mut self) -> Result<()> {
        let environment = |name: &str| std::env::var(name).ok();
        if self.graph.url.is_some() {
            self.graph.password = self.graph.password.resolved("[graph] password", &environment)?;
        }
        if self.vectors.url.is_some() {
            self.vectors.api_key = self.vectors.api_key.resolved("[vectors] api_key", &environment)?;
        }
        Ok(())
    }

    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the key, what was wanted and how to mend it.
    pub fn check(&self) -> Result<()> {
        self.graph.check()?;
        self.vectors.check()?;
        self.documents.check()?;
        self.check_page_reading()?;
        self.limits.check()?;
        self.qa.check()?;
        self.answers.check()?;
        self.serve.check()?;
        self.text_units.check()?;
        self.extraction.check(&self.llm)?;
        self.communities.check()?;
        self.raptor.check()?;
        self.reader.check()?;
        self.trends.check()?;
        self.search.check()?;
        self.rerank.check()?;
        self.check_budget()
    }

    /// Pages can be read by a model where there is one.
    fn check_page_reading(&self) -> Result<()> {
        ensure!(
            self.documents.page_reading() != PageReading::Model || self.llm.provider != Provider::None,
            "[documents] ocr is \"model\", and [llm] provider is \"none\"; set a model, or a command as ocr"
        );
        Ok(())
    }

    /// A limit in dollars needs the price of every model that it is to hold.
    fn check_budget(&self) -> Result<()> {
        let Some(limit) = self.budget.max_cost else { return Ok(()) };
        ensure!(limit >= 0.0, "[budget] max_cost is {limit}; it must be a number of dollars");
        for model in self.index_models() {
            ensure!(
                self.llm.prices.contains_key(model),
                "[budget] max_cost cannot be held without a price for {model}; \
                 add [llm.prices.\"{model}\"] with input and output, or use max_tokens"
            );
        }
        Ok(())
    }

    /// Models at endpoints that an index run asks, each once.
    pub fn index_models(&self) -> BTreeSet<&str> {
        let mut models = BTreeSet::new();
        if self.llm.provider != Provider::None {
            let llm = &self.llm;
            for role in [&llm.extract, &llm.summarise, &llm.report] {
                models.insert(role.model.as_deref().unwrap_or(&llm.model));
            }
            if self.documents.page_reading() == PageReading::Model {
                models.insert(llm.ocr.model.as_deref().unwrap_or(&llm.model));
            }
        }
        if self.embeddings.provider.is_remote() {
            models.insert(&self.embeddings.model);
        }
        models
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_work_is_refused_by_name() {
        let check = |text: &str, told: &str| {
            let error = Config::parse(text).and_then(|config| config.check()).expect_err(text);
            assert!(format!("{error:#}").contains(told), "{error:#}");
        };
        check("[text_units]\nsise = 1", "unknown field `sise`, expected one of `size`");
        check("[grap]", "unknown field `grap`");
        check("[text_units]\nsize = \"x\"", "invalid type");
        check("[text_units]\nsize = 100\noverlap = 90", "overlap is 90");
        check("[llm]\nprovider = \"opnai\"", "use one of: none, openai");
        check("[search]\ntext_unit_share = 0.9\nreport_share = 0.4", "at most 1");
        check("[communities]\nresolution = nan", "positive");
        check("[raptor]\nthreshold = 1.5", "threshold is 1.5");
        check("[raptor]\nretrieval = \"tree\"", "use one of: collapsed, traversal");
        check("[raptor]\ncluster_tokens = 10", "two leaves (200)");
        check("[extraction]\nresolution = \"model\"", "there is no model");
        check("[reader]\nchunk_tokens = 1", "[reader] chunk_tokens is 1");
        check("[search.reader]\nmax_calls = 3", "[search.reader] max_calls is 3");
    }

    #[test]
    fn doubtful_names_go_to_the_model_where_there_is_one() {
        let resolved = |text: &str| Config::parse(text).expect("valid").resolution();
        assert_eq!(resolved("[llm]\nprovider = \"openai\""), NameResolution::Model);
        assert_eq!(resolved(""), NameResolution::Rules);
        let said = "[llm]\nprovider = \"openai\"\n[extraction]\nresolution = \"rules\"";
        assert_eq!(resolved(said), NameResolution::Rules);
    }

    #[test]
    fn secrets_are_never_shown() {
        let config = Config::parse("[graph]\npassword = \"hunter2\"").expect("valid");
        assert!(!format!("{config:?}").contains("hunter2"));
        assert!(!serde_json::to_string(&config).expect("JSON").contains("hunter2"));
        assert_eq!(config.graph.password.reveal(), "hunter2");
    }

    /// Every setting that is an address, beside that of the graph.
    const ADDRESSES: [(&str, &str); 11] = [
        ("vectors", "url"),
        ("llm", "base_url"),
        ("llm.extract", "base_url"),
        ("llm.summarise", "base_url"),
        ("llm.report", "base_url"),
        ("llm.answer", "base_url"),
        ("llm.judge", "base_url"),
        ("llm.ocr", "base_url"),
        ("embeddings", "base_url"),
        ("rerank", "base_url"),
        ("serve", "public_url"),
    ];

    /// How many keys of a stored configuration are called as an address.
    fn count_addresses(stored: &serde_json::Value) -> usize {
        let fields = stored.as_object().into_iter().flatten();
        fields.map(|(key, value)| usize::from(key.ends_with("url")) + count_addresses(value)).sum()
    }

    #[test]
    fn no_address_is_stored_with_its_secret() {
        let written = "https://user:hunter2@h/v1?key=hunter2";
        let mut text = "[graph]\nurl = 'neo4j://user:hunter2@h'\n".to_owned();
        for (section, key) in ADDRESSES {
            text += &format!("[{section}]\n{key} = '{written}'\n");
        }
        let config = Config::parse(&text).expect("valid");
        config.check().expect("addresses may be written so");
        let stored = serde_json::to_value(&config).expect("JSON");
        assert_eq!(count_addresses(&stored), ADDRESSES.len() + 1, "an address is not among those tested");
        let stored = stored.to_string();
        assert!(!stored.contains("hunter2"), "{stored}");
        assert_eq!(stored.matches("\"https://h/v1\"").count(), ADDRESSES.len(), "{stored}");
        assert!(stored.contains("\"neo4j://h\""), "{stored}");
        // what is used is what was written
        assert_eq!(config.serve.public_url.as_deref(), Some(written));
    }

    #[test]
    fn fields_of_requests_are_stored_as_fingerprints_that_tell_them_apart() {
        let stored = |value: &str| {
            let text = format!(
                "[llm.extra_body]\nauth = {{ token = \"{value}\" }}\n[embeddings.extra_body]\nkey = \"{value}\""
            );
            serde_json::to_string(&Config::parse(&text).expect("valid")).expect("JSON")
        };
        let one = stored("hunter2");
        assert!(!one.contains("hunter2") && one.contains("\"auth\":\"*** "), "{one}");
        assert_ne!(one, stored("hunter3"), "another value is another configuration");
        assert_eq!(one, stored("hunter2"));
    }
}
