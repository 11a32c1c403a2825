//! Whose configuration may use secrets of this machine: a file of somebody else's project is read like one's own, so what
//! it would send where is looked at first, and allowed by a person, once for a path and its content.

mod kept;

pub use kept::{Trusted, UserTrust};

use crate::config::{Config, DocumentsConfig, PageReading, Secret};
use crate::language::unbroken;
use crate::{address, llm, small_file};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Looks a variable of the environment up.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A configuration file as it was read.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its text, which is what is trusted.
    pub text: String,
}

/// Which addresses the user gave by a flag or the environment, and no file.
#[derive(Clone, Copy, Debug, Default)]
pub struct GivenByUser {
    /// That of the graph.
    pub graph: bool,
    /// That of the vectors.
    pub vectors: bool,
}

/// What only a trusted configuration may do, each in a sentence: send a secret or a file of this machine to an address that
/// neither its provider nor the user gave, decide whose certificates hold where a secret is sent, run a program, or let
/// files ask more of this machine than by default.
pub fn exposures(config: &Config, given: GivenByUser, environment: Environment<'_>) -> BTreeSet<String> {
    let mut found = llm::exposures(config, environment);
    let converters = &config.documents.converters;
    found.extend(
        converters
            .iter()
            .map(|(format, command)| format!("[documents.converters] {format} runs `{command}`")),
    );
    if let PageReading::Image(_) | PageReading::Layer(_) = config.documents.page_reading() {
        found.insert(format!("[documents] ocr runs `{}`", config.documents.ocr));
    }
    found.extend(
        config
            .limits
            .raised()
            .map(|(key, value, built_in)| format!("[limits] {key} is raised from {built_in} to {value}")),
    );
    let (most, built_in) = (config.documents.max_file_mb, DocumentsConfig::default().max_file_mb);
    if most > built_in {
        found.insert(format!("[documents] max_file_mb is raised from {built_in} to {most}"));
    }
    let (graph, vectors) = (&config.graph, &config.vectors);
    let stores = [
        ("[graph]", &graph.url, given.graph, &graph.password, "NEO4J_PASSWORD", &graph.ca_file),
        ("[vectors]", &vectors.url, given.vectors, &vectors.api_key, "QDRANT_API_KEY", &vectors.ca_file),
    ];
    for (section, url, is_given, password, variable, ca_file) in stores {
        let Some(url) = url.as_deref().filter(|url| !address::is_local(url)) else { continue };
        let Some(secret) = secret_of_environment(password, variable, environment) else { continue };
        let shown = address::redacted(url);
        if !is_given {
            found.insert(format!("{section} sends {secret} to {shown}"));
        }
        if ca_file.is_some() {
            found.insert(format!("{section} sends {secret} to whom its ca_file takes for {shown}"));
        }
    }
    found
}

/// What only a trusted configuration may let a server do: let hosts and pages of elsewhere in, or read folders beyond its
/// own, each in a sentence.
pub fn exposures_of_server(config: &Config) -> BTreeSet<String> {
    let serve = &config.serve;
    let mut found = BTreeSet::new();
    found.extend(
        serve.allow_hosts.iter().map(|host| format!("[serve] allow_hosts lets requests to {host} in")),
    );
    found.extend(
        serve.allow_origins.iter().map(|origin| format!("[serve] allow_origins lets pages of {origin} ask")),
    );
    if let Some(url) = serve.public_url.as_deref().filter(|url| !address::is_local(url)) {
        found.insert(format!("[serve] public_url lets requests to {} in", address::redacted(url)));
    }
    for (name, folder) in &serve.sources {
        let leads_out = |part| !matches!(part, Component::Normal(_) | Component::CurDir);
        if Path::new(folder).components().any(leads_out) {
            found.insert(format!("[serve.sources] {name} reads the folder {folder}"));
        }
    }
    found
}

/// The variable that a store's password comes from; none where the file holds it itself.
fn secret_of_environment(password: &Secret, variable: &str, environment: Environment<'_>) -> Option<String> {
    if environment(variable).is_some_and(|value| !value.is_empty()) {
        return Some(variable.to_owned());
    }
    password.variable().map(|name| format!("${{{name}}}"))
}

/// Refuses a file that would do what only a trusted one may, unless it is trusted as it stands, or the environment's
/// `GRAPHWRIGHT_TRUST` is `1`.
///
/// # Errors
/// Names what it would do, and how to allow it.
pub fn check(file: &ConfigFile, exposures: &BTreeSet<String>, environment: Environment<'_>) -> Result<()> {
    let is_trusted = || UserTrust::of_user(environment).is_ok_and(|kept| kept.holds(file));
    if exposures.is_empty() || environment("GRAPHWRIGHT_TRUST").as_deref() == Some("1") || is_trusted() {
        return Ok(());
    }
    let what = exposures.iter().map(|exposure| unbroken(exposure)).collect::<Vec<_>>().join("; ");
    bail!(
        "{} is not trusted, and it uses what is secret on this machine, runs programs on it, or lets files ask more of it: \
         {what}. See whether that is right; then `graphwright trust` allows it until the file changes \
         (GRAPHWRIGHT_TRUST=1 for a run without a person)",
        file.path.display()
    )
}

/// Addresses beyond this machine that a configuration sends documents or questions to, as they may be shown.
pub fn remote_addresses(config: &Config, environment: Environment<'_>) -> BTreeSet<String> {
    let mut all = llm::addresses(config, environment);
    all.extend(
        [&config.graph.url, &config.vectors.url].into_iter().flatten().map(|url| address::redacted(url)),
    );
    all.retain(|address| !address::is_local(address));
    all
}

/// Reads a configuration file of at most 1 MB, for it may have come with somebody else's project.
///
/// # Errors
/// It cannot be read, or is longer.
pub fn read_file(path: &Path) -> Result<ConfigFile> {
    let text = small_file::read_text(path)
        .with_context(|| format!("cannot read configuration {}", path.display()))?;
    Ok(ConfigFile { path: path.to_owned(), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_of_the_environment_is_for_an_address_of_the_user() {
        let environment = |name: &str| (name == "NEO4J_PASSWORD").then(|| "secret".to_owned());
        let nobody = |_: &str| None;
        let check = |text: &str, is_given: bool, environment: Environment<'_>, expected: &[&str]| {
            let config = Config::parse(text).unwrap();
            let given = GivenByUser { graph: is_given, vectors: is_given };
            let found = exposures(&config, given, environment);
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
        };
        let evil = "[graph]\nurl='neo4j://u:p@evil.example'\n";
        check(evil, false, &environment, &["[graph] sends NEO4J_PASSWORD to neo4j://evil.example"]);
        check(evil, true, &environment, &[]);
        check(evil, false, &nobody, &[]);
        check(&format!("{evil}password='of the file'"), false, &nobody, &[]);
        let variable = format!("{evil}password='${{HOME_PASSWORD}}'");
        check(&variable, false, &nobody, &["[graph] sends ${HOME_PASSWORD} to neo4j://evil.example"]);
        check("[graph]\nurl='neo4j://localhost'\npassword='${X}'", false, &environment, &[]);
        check(
            "[graph]\nurl='neo4j+s://db.example'\nca_file='evil.pem'",
            true,
            &environment,
            &["[graph] sends NEO4J_PASSWORD to whom its ca_file takes for neo4j+s://db.example"],
        );
        check(
            "[vectors]\nurl='https://evil.example'\napi_key='${X}'",
            false,
            &nobody,
            &["[vectors] sends ${X} to https://evil.example"],
        );
    }

    #[test]
    fn a_program_is_run_for_a_trusted_file_only() {
        let config = Config::parse("[documents.converters]\ndoc = 'antiword {in}'").unwrap();
        let given = GivenByUser { graph: false, vectors: false };
        let found = exposures(&config, given, &|_| None);
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["[documents.converters] doc runs `antiword {in}`"]
        );
    }

    #[test]
    fn a_limit_is_raised_by_a_trusted_file_only() {
        let given = GivenByUser { graph: false, vectors: false };
        let found = |text: &str| exposures(&Config::parse(text).unwrap(), given, &|_| None);
        let raised = found("[limits]\nreader_mb = 100000\nrows = 150001\nfields = 1000000\nfile_s = 1");
        assert_eq!(
            raised.into_iter().collect::<Vec<_>>(),
            [
                "[limits] reader_mb is raised from 1536 to 100000",
                "[limits] rows is raised from 150000 to 150001"
            ]
        );
        let defaults = serde_json::to_value(Config::default().limits).unwrap();
        for (key, value) in defaults.as_object().unwrap() {
            let value = value.as_u64().unwrap();
            assert_eq!(found(&format!("[limits]\n{key} = {}", value + 1)).len(), 1, "{key}");
            assert!(found(&format!("[limits]\n{key} = {value}")).is_empty(), "{key}");
        }
        let raised = found("[documents]\nmax_file_mb = 65").into_iter().collect::<Vec<_>>();
        assert_eq!(raised, ["[documents] max_file_mb is raised from 64 to 65"]);
        assert!(found("[documents]\nmax_file_mb = 64").is_empty());
    }

    #[test]
    fn a_server_lets_others_in_for_a_trusted_file_only() {
        let found =
            |text: &str| exposures_of_server(&Config::parse(text).unwrap()).into_iter().collect::<Vec<_>>();
        let evil = "[serve]\nallow_hosts=['evil.example']\nallow_origins=['https://evil.example']\n\
                    public_url='https://u:p@evil.example/x'\n[serve.sources]\nall='/home'\nup='../x'\nown='notes/a'";
        assert_eq!(
            found(evil),
            [
                "[serve.sources] all reads the folder /home",
                "[serve.sources] up reads the folder ../x",
                "[serve] allow_hosts lets requests to evil.example in",
                "[serve] allow_origins lets pages of https://evil.example ask",
                "[serve] public_url lets requests to https://evil.example/x in",
            ]
        );
        assert!(found("[serve]\npublic_url='http://localhost:1'\n[serve.sources]\nown='./notes'").is_empty());
    }

    #[test]
    fn a_configuration_that_is_too_long_or_never_ends_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graphwright.toml");
        let check = |what: &str| {
            let error = format!("{:#}", read_file(&path).unwrap_err());
            let expected = format!("cannot read configuration {}: {what}", path.display());
            assert!(error.starts_with(&expected) && error.contains("at most 1 MB"), "{error}");
        };
        std::fs::write(&path, "#".repeat(1_000_001)).unwrap();
        check("it is too long");
        #[cfg(unix)]
        {
            std::fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            check("it is too long");
        }
        assert_eq!(read_file(Path::new("/dev/null")).unwrap().text, "", "there is none");
    }

    #[test]
    fn addresses_beyond_this_machine_are_told() {
        let text = "[graph]\nurl='neo4j+s://u:p@db.example'\n[vectors]\nurl='http://localhost:6334'\n\
                    [llm]\nprovider='openai'\nmodel='m'\n[embeddings]\nprovider='ollama'\nmodel='e'";
        let found = remote_addresses(&Config::parse(text).unwrap(), &|_| None);
        assert_eq!(found.iter().collect::<Vec<_>>(), ["https://api.openai.com/v1", "neo4j+s://db.example"]);
        assert!(remote_addresses(&Config::default(), &|_| None).is_empty());
    }
}
