//! Configuration: defaults < `graphwright.toml` < environment < flags; checked once, unknown keys refused.

mod raptor;
mod reader;
mod searches;

pub use raptor::RaptorConfig;
pub use reader::{ReaderConfig, ReaderSearchConfig};
pub use searches::{ConversationConfig, DriftConfig, GlobalConfig, SourceConfig};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

mod documents;
mod schema;

pub use documents::DocumentsConfig;
pub use schema::{EntityType, RelationPattern, SchemaConfig};

/// A password or key: prints `***`, never its value.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Takes a secret in.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }
    /// The secret itself; only for handing it to the service it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("***")
    }
}

/// Everything that can be set.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where the graph lives.
    pub graph: GraphConfig,
    /// Where the vectors live.
    pub vectors: VectorsConfig,
    /// Chat models.
    pub llm: LlmConfig,
    /// Embedding model.
    pub embeddings: EmbeddingsConfig,
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
    /// What a run may cost.
    pub budget: BudgetConfig,
}

/// `[graph]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphConfig {
    /// `neo4j://…`, `bolt://…`, `neo4j+s://…`; absent: embedded SQLite in the data folder.
    pub url: Option<String>,
    /// Neo4j user.
    pub username: String,
    /// Neo4j password.
    pub password: Secret,
    /// Neo4j database.
    pub database: String,
    /// How many types get a label of their own.
    pub type_labels: usize,
    /// Seconds before a call is given up.
    pub timeout_s: u64,
    /// Whether dense vectors are also written into Neo4j, with vector indexes, for other programs' retrievers.
    pub mirror_vectors: bool,
    /// Seconds after which the place of a writer that died is free again.
    pub lease_s: u32,
}

impl Default for GraphConfig {
    fn default() -> Self {
        Self {
            url: None,
            username: "neo4j".into(),
            password: Secret::default(),
            database: "neo4j".into(),
            type_labels: 30,
            timeout_s: 60,
            mirror_vectors: false,
            lease_s: 30,
        }
    }
}

/// `[vectors]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorsConfig {
    /// `http://host:6334`; absent: embedded SQLite in the data folder.
    pub url: Option<String>,
    /// Qdrant API key.
    pub api_key: Secret,
    /// First part of collection names.
    pub prefix: String,
    /// Average length of a text in words for BM25, a constant of the collection.
    pub average_length: f32,
    /// Seconds before a call is given up.
    pub timeout_s: u64,
}

impl Default for VectorsConfig {
    fn default() -> Self {
        Self {
            url: None,
            api_key: Secret::default(),
            prefix: "graphwright".into(),
            average_length: 256.0,
            timeout_s: 30,
        }
    }
}

/// `[llm]`: the model of every role, with what one role has otherwise under `[llm.extract]`, ….
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmConfig {
    /// `none` or `openai` (any endpoint that speaks its API), or a preset: `azure`, `ollama`, `vllm`, `lmstudio`,
    /// `deepseek`, `openrouter`, `gemini`, `anthropic`.
    pub provider: String,
    /// Address up to and with `/v1`; the preset's where empty.
    pub base_url: String,
    /// Model name.
    pub model: String,
    /// Key; `${NAME}` is taken from the environment.
    pub api_key: Secret,
    /// File that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Azure's api-version.
    pub api_version: String,
    /// 0 to 2.
    pub temperature: Option<f32>,
    /// Most tokens of a reply.
    pub max_tokens: Option<u32>,
    /// Tokens of the model's context.
    pub context_tokens: u32,
    /// Calls in flight.
    pub concurrency: usize,
    /// Requests a minute; 0: no limit.
    pub requests_per_minute: u32,
    /// Tokens a minute; 0: no limit.
    pub tokens_per_minute: u32,
    /// Tries after the first one.
    pub retries: u32,
    /// Seconds before a call is given up.
    pub timeout_s: u64,
    /// Whether the endpoint can be held to a JSON schema.
    pub structured_output: bool,
    /// Whether replies are kept on disk.
    pub cache: bool,
    /// Most megabytes of the cache.
    pub cache_limit_mb: u64,
    /// Fields added to every request; `{task}` in a text becomes what the call is for.
    pub extra_body: BTreeMap<String, toml::Value>,
    /// Folder with prompts that replace the built-in ones.
    pub prompts: Option<PathBuf>,
    /// Price in dollars of a million tokens: input, cached input, output; by model.
    pub prices: BTreeMap<String, Price>,
    /// What extraction has otherwise.
    pub extract: RoleConfig,
    /// What summaries have otherwise.
    pub summarise: RoleConfig,
    /// What reports have otherwise.
    pub report: RoleConfig,
    /// What answers have otherwise.
    pub answer: RoleConfig,
    /// What judging has otherwise.
    pub judge: RoleConfig,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            provider: "none".into(),
            base_url: String::new(),
            model: String::new(),
            api_key: Secret::default(),
            api_key_file: None,
            api_version: String::new(),
            temperature: Some(0.0),
            max_tokens: None,
            context_tokens: 128_000,
            concurrency: 25,
            requests_per_minute: 0,
            tokens_per_minute: 0,
            retries: 7,
            timeout_s: 180,
            structured_output: true,
            cache: true,
            cache_limit_mb: 2048,
            extra_body: BTreeMap::new(),
            prompts: None,
            prices: BTreeMap::new(),
            extract: RoleConfig::default(),
            summarise: RoleConfig::default(),
            report: RoleConfig::default(),
            answer: RoleConfig::default(),
            judge: RoleConfig::default(),
        }
    }
}

/// `[llm.extract]` and the like: whatever is absent is `[llm]`'s.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoleConfig {
    /// As in `[llm]`.
    pub provider: Option<String>,
    /// As in `[llm]`.
    pub base_url: Option<String>,
    /// As in `[llm]`.
    pub model: Option<String>,
    /// As in `[llm]`.
    pub api_key: Option<Secret>,
    /// As in `[llm]`.
    pub temperature: Option<f32>,
    /// As in `[llm]`.
    pub max_tokens: Option<u32>,
    /// As in `[llm]`.
    pub context_tokens: Option<u32>,
    /// As in `[llm]`.
    pub concurrency: Option<usize>,
    /// As in `[llm]`.
    pub requests_per_minute: Option<u32>,
    /// As in `[llm]`.
    pub tokens_per_minute: Option<u32>,
    /// As in `[llm]`.
    pub timeout_s: Option<u64>,
    /// As in `[llm]`.
    pub structured_output: Option<bool>,
}

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Price {
    /// Prompt.
    pub input: f64,
    /// Prompt in the endpoint's cache.
    pub cached_input: f64,
    /// Reply.
    pub output: f64,
}

/// `[budget]`: what one run of `index` may cost; absent: no limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetConfig {
    /// Dollars, by `[llm.prices]`.
    pub max_cost: Option<f64>,
    /// Tokens of prompts and replies.
    pub max_tokens: Option<u64>,
}

/// `[embeddings]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingsConfig {
    /// `none`, `openai` or `local`.
    pub provider: String,
    /// Address up to and with `/v1`.
    pub base_url: String,
    /// Model name, or its name on the hub where local.
    pub model: String,
    /// Folder of a local model.
    pub path: Option<PathBuf>,
    /// Key; `${NAME}` is taken from the environment.
    pub api_key: Secret,
    /// Length of the vectors; asked of the model where 0.
    pub dimension: usize,
    /// Texts a call.
    pub batch_size: usize,
    /// Calls in flight.
    pub concurrency: usize,
    /// Most tokens of a text.
    pub max_tokens: usize,
    /// Fields added to every request.
    pub extra_body: BTreeMap<String, toml::Value>,
}

impl Default for EmbeddingsConfig {
    fn default() -> Self {
        Self {
            provider: "none".into(),
            base_url: String::new(),
            model: String::new(),
            path: None,
            api_key: Secret::default(),
            dimension: 0,
            batch_size: 64,
            concurrency: 8,
            max_tokens: 8191,
            extra_body: BTreeMap::new(),
        }
    }
}

/// `[text_units]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextUnitsConfig {
    /// Most tokens of a unit.
    pub size: usize,
    /// Tokens that a unit repeats of the one before.
    pub overlap: usize,
    /// `o200k_base` or `cl100k_base`.
    pub encoding: String,
}

impl Default for TextUnitsConfig {
    fn default() -> Self {
        Self { size: 1200, overlap: 100, encoding: "o200k_base".into() }
    }
}

/// `[extraction]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionConfig {
    /// Rounds of asking for what was missed.
    pub gleanings: u32,
    /// Whether a forced yes or no is asked before each round; without it a reply without records is the no.
    pub gleaning_check: bool,
    /// Whether claims are read as well.
    pub claims: bool,
    /// What counts as a claim.
    pub claim_description: String,
    /// Types to look for; empty: any.
    pub entity_types: Vec<String>,
    /// What the graph may hold besides that.
    pub schema: SchemaConfig,
    /// `off`, `rules` or `model`.
    pub resolution: String,
    /// Cosine likeness from which names are close in meaning and, with `resolution = "model"` and an embedding model,
    /// put before the model; above 1: none are.
    pub neighbour_similarity: f64,
    /// Whether known names are found again in every text unit.
    pub linking: bool,
    /// What the corpus is about; goes into the prompt.
    pub domain: String,
    /// Examples of a text with its records, in place of the built-in one; empty: the built-in one.
    pub examples: String,
    /// Language of descriptions; empty: that of the text.
    pub language: String,
    /// Tokens of joined descriptions beyond which a model summarises them.
    pub summary_threshold_tokens: usize,
}

impl Default for ExtractionConfig {
    fn default() -> Self {
        Self {
            gleanings: 1,
            gleaning_check: false,
            claims: false,
            claim_description: "any claim or fact that could matter to someone who investigates the text"
                .into(),
            entity_types: Vec::new(),
            schema: SchemaConfig::default(),
            resolution: "rules".into(),
            neighbour_similarity: 0.8,
            linking: true,
            domain: String::new(),
            examples: String::new(),
            language: String::new(),
            summary_threshold_tokens: 300,
        }
    }
}

/// `[communities]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommunitiesConfig {
    /// Entities beyond which a community is split again.
    pub max_size: usize,
    /// Greater: more and smaller communities.
    pub resolution: f64,
    /// Seed of every random choice.
    pub seed: u64,
    /// `modularity` or `cpm`.
    pub objective: String,
    /// `count`, `strength` or `pmi`.
    pub weight: String,
    /// `rust` or `gds`.
    pub engine: String,
    /// Whether communities that modularity cannot split are cut anyway.
    pub split_oversized: bool,
    /// Whether a run starts from the stored communities and moves only what has changed since: faster and with fewer
    /// new reports, but then they depend on the history of the graph.
    pub warm: bool,
}

impl Default for CommunitiesConfig {
    fn default() -> Self {
        Self {
            max_size: 10,
            resolution: 1.0,
            seed: 0,
            objective: "modularity".into(),
            weight: "count".into(),
            engine: "rust".into(),
            split_oversized: false,
            warm: false,
        }
    }
}

/// `[reports]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportsConfig {
    /// Smaller communities get a composed report without a call.
    pub min_size: usize,
    /// Tokens of a report's input.
    pub max_input_tokens: usize,
    /// Words of a report.
    pub max_length_words: usize,
}

impl Default for ReportsConfig {
    fn default() -> Self {
        Self { min_size: 3, max_input_tokens: 8000, max_length_words: 2000 }
    }
}

/// `[search]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Tokens of the context.
    pub max_context_tokens: usize,
    /// Share of text units in it.
    pub text_unit_share: f64,
    /// Share of community reports in it.
    pub report_share: f64,
    /// Entities that the question is matched with.
    pub top_k_entities: usize,
    /// Text units that hybrid search finds.
    pub top_k_text_units: usize,
    /// Relationships an entity.
    pub top_k_relationships: usize,
    /// Level of global search.
    pub level: u32,
    /// Damping of the personalised `PageRank`.
    pub damping: f64,
    /// Seed of the shuffle in global search.
    pub seed: u64,
    /// Calls in flight in global search.
    pub concurrency: usize,
    /// Weight from 0 to 100 of structural vectors (Node2Vec) beside hybrid search among the entities of local search;
    /// above 0, indexing makes them.
    pub structure_weight: f64,
    /// Share of relationships in what text units and reports leave of the context.
    pub relationship_share: f64,
    /// Share of claims in it; entities have the rest.
    pub claim_share: f64,
    /// Questions that `--rewrite` makes of one, and names that it expands one by.
    pub rewrites: usize,
    /// `[search.conversation]`
    pub conversation: ConversationConfig,
    /// `[search.global]`
    pub global: GlobalConfig,
    /// `[search.drift]`
    pub drift: DriftConfig,
    /// `[search.source]`
    pub source: SourceConfig,
    /// `[search.reader]`
    pub reader: ReaderSearchConfig,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            max_context_tokens: 12_000,
            text_unit_share: 0.5,
            report_share: 0.15,
            top_k_entities: 10,
            top_k_text_units: 20,
            top_k_relationships: 10,
            level: 1,
            damping: 0.5,
            seed: 0,
            concurrency: 16,
            structure_weight: 0.0,
            relationship_share: 0.5,
            claim_share: 0.1,
            rewrites: 4,
            conversation: ConversationConfig::default(),
            global: GlobalConfig::default(),
            drift: DriftConfig::default(),
            source: SourceConfig::default(),
            reader: ReaderSearchConfig::default(),
        }
    }
}

impl Config {
    /// Reads a configuration file; `${NAME}` in a key or password is taken from the environment.
    ///
    /// # Errors
    /// No such file, or not TOML, or an unknown key (named, with the known ones), or a value of the wrong kind.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read configuration {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in configuration {}", path.display()))
    }

    /// Reads a configuration from TOML.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error| anyhow::anyhow!("{}", error.to_string().trim_end()))
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
        if let Some(url) = set("QDRANT_URL") {
            self.vectors.url = Some(url);
        }
        if let Some(key) = set("QDRANT_API_KEY") {
            self.vectors.api_key = Secret::new(key);
        }
        for secret in [&mut self.graph.password, &mut self.vectors.api_key] {
            if let Some(value) = secret.reveal().strip_prefix("${").and_then(|s| s.strip_suffix('}')) {
                *secret = Secret::new(std::env::var(value).unwrap_or_default());
            }
        }
    }

    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the key, what was wanted and how to mend it.
    pub fn check(&self) -> Result<()> {
        let units = &self.text_units;
        ensure!(units.size >= 16, "[text_units] size is {}; it must be at least 16 tokens", units.size);
        ensure!(
            units.overlap * 2 <= units.size,
            "[text_units] overlap is {}; it must be at most half of size ({})",
            units.overlap,
            units.size
        );
        ensure!(
            (1..=3600).contains(&self.graph.lease_s),
            "[graph] lease_s is {}; it must be from 1 to 3600",
            self.graph.lease_s
        );
        one_of("[llm] provider", &self.llm.provider, &PROVIDERS)?;
        let local = ["local"];
        let embedders: Vec<&str> = PROVIDERS.iter().chain(&local).copied().collect();
        one_of("[embeddings] provider", &self.embeddings.provider, &embedders)?;
        self.documents.check()?;
        self.extraction.schema.check(&self.extraction.entity_types)?;
        one_of("[extraction] resolution", &self.extraction.resolution, &["off", "rules", "model"])?;
        ensure!(
            self.extraction.resolution != "model" || self.llm.provider != "none",
            "[extraction] resolution is \"model\" and there is no model; set [llm] provider, or use \"rules\""
        );
        one_of("[communities] objective", &self.communities.objective, &["modularity", "cpm"])?;
        one_of("[communities] weight", &self.communities.weight, &["count", "strength", "pmi"])?;
        one_of("[communities] engine", &self.communities.engine, &["rust", "gds"])?;
        ensure!(
            self.communities.max_size >= 2,
            "[communities] max_size is {}; it must be at least 2",
            self.communities.max_size
        );
        ensure!(
            self.communities.resolution > 0.0 && self.communities.resolution.is_finite(),
            "[communities] resolution is {}; it must be a positive number",
            self.communities.resolution
        );
        self.raptor.check()?;
        self.reader.check()?;
        self.search.reader.check()?;
        let search = &self.search;
        for (name, value) in
            [("text_unit_share", search.text_unit_share), ("report_share", search.report_share)]
        {
            ensure!((0.0..=1.0).contains(&value), "[search] {name} is {value}; it must be from 0 to 1");
        }
        ensure!(
            search.text_unit_share + search.report_share <= 1.0,
            "[search] text_unit_share and report_share make {}; together they must be at most 1",
            search.text_unit_share + search.report_share
        );
        search.check_parts()?;
        ensure!(
            (0.0..1.0).contains(&search.damping),
            "[search] damping is {}; it must be from 0 to below 1",
            search.damping
        );
        ensure!(
            self.vectors.average_length > 0.0 && self.vectors.average_length.is_finite(),
            "[vectors] average_length is {}; it must be a positive number",
            self.vectors.average_length
        );
        self.check_budget()
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
        if self.llm.provider != "none" {
            let llm = &self.llm;
            for role in [&llm.extract, &llm.summarise, &llm.report] {
                models.insert(role.model.as_deref().unwrap_or(&llm.model));
            }
        }
        if !matches!(self.embeddings.provider.as_str(), "none" | "local") {
            models.insert(&self.embeddings.model);
        }
        models
    }
}

const PROVIDERS: [&str; 10] = [
    "none",
    "openai",
    "azure",
    "ollama",
    "vllm",
    "lmstudio",
    "deepseek",
    "openrouter",
    "gemini",
    "anthropic",
];

fn one_of(key: &str, value: &str, allowed: &[&str]) -> Result<()> {
    ensure!(allowed.contains(&value), "{key} is {value:?}; use one of: {}", allowed.join(", "));
    Ok(())
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
    fn secrets_are_never_shown() {
        let config = Config::parse("[graph]\npassword = \"hunter2\"").expect("valid");
        assert!(!format!("{config:?}").contains("hunter2"));
        assert!(!serde_json::to_string(&config).expect("JSON").contains("hunter2"));
        assert_eq!(config.graph.password.reveal(), "hunter2");
    }
}
