//! `[serve]`: what the server lets in, and how much of it at once.

use crate::address;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `[serve]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ServeConfig {
    /// Names of hosts that requests may be addressed to, beside those of this machine.
    pub allow_hosts: Vec<String>,
    /// Origins of pages elsewhere that may ask, such as `https://chat.example.org`.
    pub allow_origins: Vec<String>,
    /// Address that the server is reached at from outside, for links in answers.
    #[serde(serialize_with = "crate::address::serialize_option")]
    pub public_url: Option<String>,
    /// Workspaces that are offered where a graph server holds them; those in the data folder are found by themselves.
    pub workspaces: Vec<String>,
    /// Named folders that a sync may be asked for.
    pub sources: BTreeMap<String, String>,
    /// Answers under way at once.
    pub answers: usize,
    /// Answers that wait for a place.
    pub waiting: usize,
    /// Seconds that an answer waits for a place at most.
    pub patience_s: u64,
    /// Seconds that an answer may take.
    pub answer_s: u64,
    /// Searches and other reads under way at once.
    pub searches: usize,
    /// Answers that one token may ask for in a minute; 0: no limit.
    pub answers_per_minute: u32,
    /// Dollars that answers may cost in a day, by `[llm.prices]`; absent: no limit.
    pub max_cost_per_day: Option<f64>,
    /// Answers that are kept with a link; the oldest go first.
    pub kept_answers: u64,
    /// Most megabytes of one uploaded file.
    pub upload_mb: u64,
    /// Workspaces that are held open.
    pub open_workspaces: usize,
    /// Whom the page names where an answer does not help: an address (`mailto:help@example.org`, `https://…`) or a text.
    pub hand_over: Option<String>,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self {
            allow_hosts: Vec::new(),
            allow_origins: Vec::new(),
            public_url: None,
            workspaces: Vec::new(),
            sources: BTreeMap::new(),
            answers: 32,
            waiting: 64,
            patience_s: 10,
            answer_s: 300,
            searches: 64,
            answers_per_minute: 60,
            max_cost_per_day: None,
            kept_answers: 10_000,
            upload_mb: 100,
            open_workspaces: 16,
            hand_over: None,
        }
    }
}

impl ServeConfig {
    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the key, what was wanted and how to mend it.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [
            ("answers", self.answers as u64),
            ("searches", self.searches as u64),
            ("answer_s", self.answer_s),
            ("upload_mb", self.upload_mb),
            ("open_workspaces", self.open_workspaces as u64),
        ] {
            ensure!(value > 0, "[serve] {name} is 0; it must be at least 1");
        }
        for origin in &self.allow_origins {
            let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            ensure!(
                rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(['/', '?', '#', '@'])),
                "[serve] allow_origins holds {:?}; write a scheme and a host, such as https://chat.example.org",
                address::redacted(origin)
            );
        }
        for host in &self.allow_hosts {
            ensure!(
                !host.is_empty() && !host.contains(['/', '*', '?', '#', '@']),
                "[serve] allow_hosts holds {:?}; write the name of a host, such as graph.example.org",
                address::redacted(host)
            );
        }
        if let Some(url) = &self.public_url {
            ensure!(
                url.starts_with("https://") || url.starts_with("http://"),
                "[serve] public_url is {:?}; it must begin with https:// or http://",
                address::redacted(url)
            );
        }
        if let Some(limit) = self.max_cost_per_day {
            ensure!(limit >= 0.0, "[serve] max_cost_per_day is {limit}; it must be a number of dollars");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_work_is_refused_by_name() {
        let check = |config: ServeConfig, told: &str| {
            let error = config.check().expect_err(told).to_string();
            assert!(error.contains(told), "{error}");
        };
        check(ServeConfig { answers: 0, ..ServeConfig::default() }, "[serve] answers is 0");
        check(
            ServeConfig { allow_origins: vec!["*".into()], ..ServeConfig::default() },
            "a scheme and a host",
        );
        check(ServeConfig { allow_hosts: vec!["*".into()], ..ServeConfig::default() }, "the name of a host");
        check(ServeConfig { public_url: Some("x".into()), ..ServeConfig::default() }, "public_url is \"x\"");
        // what stands in front of a host may be a password, and is not shown
        let with_user = || vec!["https://user:hunter2@h".to_owned()];
        check(
            ServeConfig { allow_origins: with_user(), ..ServeConfig::default() },
            "allow_origins holds \"https://h\"",
        );
        check(ServeConfig { allow_hosts: with_user(), ..ServeConfig::default() }, "the name of a host");
        check(
            ServeConfig { allow_hosts: vec!["user:hunter2@h".into()], ..ServeConfig::default() },
            "allow_hosts holds \"h\"",
        );
        check(
            ServeConfig { public_url: Some("ftp://user:hunter2@h/x".into()), ..ServeConfig::default() },
            "public_url is \"ftp://h/x\"",
        );
        assert!(ServeConfig::default().check().is_ok());
    }
}
