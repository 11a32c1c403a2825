//! `graphwright mcp`

use super::Common;
use crate::serve::{ServeSettings, serve_stdio, tokens};
use anyhow::Result;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Address that a server of the same data is reached at, for links in replies
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Offer tools that add and remove documents, merge entities and undo edits
    #[arg(long)]
    allow_write: bool,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let mut config = common.config()?;
    config.serve.public_url = arguments.public_url.clone().or(config.serve.public_url);
    config.check().map_err(super::failure::wrong)?;
    let settings = ServeSettings {
        // nothing listens: links are there only where --public-url says who opens them
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        read_only: !arguments.allow_write,
        base_path: String::new(),
        tokens: common.data.join(tokens::FILE),
        workspace: common.workspace.clone(),
        folder: common.root.clone().unwrap_or_default(),
    };
    serve_stdio(config, common.data.clone(), settings).await?;
    Ok(ExitCode::SUCCESS)
}
