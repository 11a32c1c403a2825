//! `graphwright cache`

use super::{Common, failure, print, write_json};
use crate::llm::ReplyCache;
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<CacheCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum CacheCommand {
    /// How many replies are kept, and how large they are (default)
    Status,
    /// Forget replies; whatever needs them again is paid for again
    Clear {
        /// Only those that were not used for so long: 30d, 12h, 90m
        #[arg(long, value_name = "TIME", value_parser = time_of)]
        older_than: Option<Duration>,
    },
}

/// The replies that are kept.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Kept {
    /// The file that holds them.
    file: PathBuf,
    /// How many there are.
    replies: u64,
    /// Bytes of the replies.
    bytes: u64,
    /// Bytes of the file.
    file_bytes: u64,
    /// Most megabytes of replies, from `[llm] cache_limit_mb`.
    limit_mb: u64,
}

/// What was cleared.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Forgotten {
    /// Replies that are gone.
    forgotten: u64,
}

pub(super) fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let config = common.config()?;
    let cache = ReplyCache::open(&common.data, config.llm.cache_limit_mb)?;
    match arguments.command.as_ref().unwrap_or(&CacheCommand::Status) {
        CacheCommand::Status => {
            let (replies, bytes) = cache.size()?;
            let file_bytes = cache.file_bytes();
            if common.json {
                let file = cache.path().to_owned();
                let limit_mb = config.llm.cache_limit_mb;
                write_json(&Kept { file, replies, bytes, file_bytes, limit_mb })?;
            } else {
                print::line(&format!("file     {}", cache.path().display()));
                print::line(&format!("replies  {replies}"));
                print::line(&format!(
                    "size     {:.1} MB of at most {} MB ([llm] cache_limit_mb), {:.1} MB on disk",
                    bytes as f64 / 1e6,
                    config.llm.cache_limit_mb,
                    file_bytes as f64 / 1e6
                ));
            }
        }
        CacheCommand::Clear { older_than } => {
            let forgotten = cache.clear(older_than.unwrap_or_default())?;
            if common.json {
                write_json(&Forgotten { forgotten })?;
            } else {
                print::line(&format!("forgot {forgotten} replies"));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// "30d", "12h", "90m", "45s".
fn time_of(text: &str) -> Result<Duration, String> {
    let wrong = || failure::wrong(anyhow!("{text:?} is no time; write 30d, 12h, 90m or 45s")).to_string();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        'd' => 86_400,
        'h' => 3_600,
        'm' => 60,
        's' => 1,
        _ => return Err(wrong()),
    };
    let number: u64 = text.trim_end_matches(unit).trim().parse().map_err(|_wrong| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_wrong_ones_named() {
        let check = |text: &str, seconds: u64| {
            assert_eq!(time_of(text).map(|time| time.as_secs()).ok(), Some(seconds), "{text}");
        };
        check("30d", 2_592_000);
        check("12h", 43_200);
        check("90m", 5_400);
        check("0s", 0);
        for wrong in ["", "30", "d", "-1d", "3 weeks", "99999999999999999999d"] {
            assert!(time_of(wrong).is_err_and(|reason| reason.contains("write 30d")), "{wrong}");
        }
    }
}
