//! What stands for `serve`, `mcp`, `token` and the demo's page in a build without a server: known, and refused.

use super::Common;
use crate::builds;
use crate::config::Config;
use anyhow::Result;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::process::ExitCode;

/// Whatever the whole program understands.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    given: Vec<OsString>,
}

pub(super) mod serve {
    pub(in crate::cli) use super::{Arguments, DemoPage, refuse as run};
}

pub(super) mod mcp {
    pub(in crate::cli) use super::{Arguments, refuse as run};
}

pub(super) mod token {
    pub(in crate::cli) use super::{Arguments, refuse_at_once as run};
}

/// The page of the demo, which is never there.
pub(super) enum DemoPage {}

impl DemoPage {
    pub(super) fn new(_: &Common, _: Config, _: &str, _: SocketAddr) -> Result<Self> {
        Err(builds::lacks("serve").into())
    }

    pub(super) async fn show(self, _: &Common, _: &str) -> Result<ExitCode> {
        match self {}
    }
}

pub(super) async fn refuse(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    refuse_at_once(common, arguments)
}

pub(super) fn refuse_at_once(_: &Common, _: &Arguments) -> Result<ExitCode> {
    Err(builds::lacks("serve").into())
}
