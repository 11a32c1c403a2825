//! `graphwright serve`

use super::{Common, failure, interrupt};
use crate::progress::talk;
use crate::serve::{ServeSettings, Server, tokens};
use anyhow::{Result, anyhow};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Where to listen; beyond this machine only with tokens
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8464")]
    listen: SocketAddr,
    /// Let nobody change anything
    #[arg(long)]
    read_only: bool,
    /// What stands before every address behind a proxy, such as /graph
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    base_path: String,
    /// Address that the server is reached at from outside, for links in answers
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// A name of a host that requests may be addressed to, beside those of this machine
    #[arg(long = "allow-host", value_name = "NAME")]
    allow_hosts: Vec<String>,
    /// Origin of a page elsewhere that may ask, such as <https://chat.example.org>
    #[arg(long = "allow-origin", value_name = "URL")]
    allow_origins: Vec<String>,
    /// File of tokens, made by `graphwright token` [default: tokens.json beside the data]
    #[arg(long, value_name = "FILE", value_parser = super::project::expand_home)]
    tokens: Option<PathBuf>,
    /// A named folder that a sync may be asked for
    #[arg(long = "source", value_name = "NAME=PATH")]
    sources: Vec<String>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let mut config = common.config()?;
    let serve = &mut config.serve;
    serve.public_url = arguments.public_url.clone().or_else(|| serve.public_url.clone());
    serve.allow_hosts.extend(arguments.allow_hosts.iter().cloned());
    serve.allow_origins.extend(arguments.allow_origins.iter().cloned());
    for source in &arguments.sources {
        let (name, path) = source
            .split_once('=')
            .ok_or_else(|| failure::wrong(anyhow!("--source {source:?}: write NAME=PATH")))?;
        serve.sources.insert(name.to_owned(), path.to_owned());
    }
    config.check().map_err(failure::wrong)?;
    let settings = ServeSettings {
        listen: arguments.listen,
        read_only: arguments.read_only,
        base_path: arguments.base_path.clone(),
        tokens: arguments.tokens.clone().unwrap_or_else(|| common.data.join(tokens::FILE)),
        workspace: common.workspace.clone(),
    };
    if Server::is_open_to_others(&settings) {
        return Err(failure::wrong(anyhow!(
            "--listen {} would let everybody in who reaches this machine; make a token first with `graphwright token add \
             NAME`, or listen at 127.0.0.1",
            settings.listen
        )));
    }
    common.announce(&config);
    let server = Server::bind(config, common.data.clone(), settings).await?;
    let stopper = server.stopper();
    if !common.quiet {
        let address = server.address();
        talk(&format!(
            "listening at http://{address}{0}; the API: http://{address}{0}/api/openapi.json, OpenAI's: \
             http://{address}{0}/v1, MCP: http://{address}{0}/mcp",
            arguments.base_path
        ));
    }
    let mut interrupts = interrupt::Interrupts::listen()?;
    tokio::spawn(async move {
        interrupts.next().await;
        talk("stopping after what is in flight (Ctrl-C again: stop at once)");
        stopper.cancel();
        interrupts.next().await;
        std::process::exit(i32::from(failure::INTERRUPTED));
    });
    server.run().await;
    Ok(ExitCode::SUCCESS)
}
