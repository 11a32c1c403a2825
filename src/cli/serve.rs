//! `graphwright serve`

use super::{Common, failure, interrupt};
use crate::config::Config;
use crate::private;
use crate::progress::talk;
use crate::serve::{BoundServer, ServeSettings, tokens};
use anyhow::{Result, anyhow};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
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
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let mut config = common.config_of_server()?;
    let serve = &mut config.serve;
    serve.public_url = arguments.public_url.clone().or_else(|| serve.public_url.clone());
    serve.allow_hosts.extend(arguments.allow_hosts.iter().cloned());
    serve.allow_origins.extend(arguments.allow_origins.iter().cloned());
    for source in &arguments.sources {
        let (name, path) = source
            .split_once('=')
            .ok_or_else(|| failure::wrong(anyhow!("--source {source:?}: write NAME=PATH")))?;
        if !Path::new(path).exists() {
            return Err(failure::wrong(anyhow!(
                "--source {source:?}: there is nothing at {path}; name a folder"
            )));
        }
        serve.sources.insert(name.to_owned(), path.to_owned());
    }
    config.check().map_err(failure::wrong)?;
    let settings = ServeSettings {
        listen: arguments.listen,
        read_only: arguments.read_only,
        base_path: arguments.base_path.clone(),
        tokens: arguments.tokens.clone().unwrap_or_else(|| common.data.join(tokens::FILE)),
        workspace: common.workspace.clone(),
        folder: common.root.clone().unwrap_or_default(),
    };
    if arguments.tokens.is_none() && private::is_open_to_all(&settings.tokens) {
        return Err(failure::wrong(anyhow!(
            "{} may be read by everybody, and what `graphwright token` makes may not: somebody else may have put it there, to \
             be let in. If its tokens are yours (`graphwright token list`), run `chmod 600 {}`, or name it with --tokens",
            settings.tokens.display(),
            settings.tokens.display()
        )));
    }
    if BoundServer::is_open_to_others(&config, &settings) {
        return Err(failure::wrong(anyhow!(
            "at {} everybody would be let in who reaches it; make a token first with `graphwright token add NAME`, or \
             listen at 127.0.0.1 and without a public_url",
            settings.listen
        )));
    }
    common.announce(&config);
    until_stopped(common, config, settings, arguments.open.then_some("")).await
}

/// The page of the demo.
pub(super) struct DemoPage {
    config: Config,
    settings: ServeSettings,
}

impl DemoPage {
    /// Refuses an address that others reach.
    pub(super) fn new(common: &Common, config: Config, workspace: &str, listen: SocketAddr) -> Result<Self> {
        let settings = ServeSettings {
            listen,
            read_only: false,
            base_path: String::new(),
            tokens: common.data.join(tokens::FILE),
            workspace: workspace.to_owned(),
            folder: common.root.clone().unwrap_or_default(),
        };
        if BoundServer::is_open_to_others(&config, &settings) {
            return Err(failure::wrong(anyhow!(
                "--listen {listen} would let everybody in who reaches this machine; leave it out, or use `graphwright \
                 serve` with tokens"
            )));
        }
        Ok(Self { config, settings })
    }

    /// Serves it until it is interrupted, open in the browser at this place behind the `#`.
    pub(super) async fn show(self, common: &Common, place: &str) -> Result<ExitCode> {
        until_stopped(common, self.config, self.settings, Some(place)).await
    }
}

/// Serves until it is interrupted. With `open` the page is opened in the browser, at this place behind the `#`.
async fn until_stopped(
    common: &Common,
    config: Config,
    settings: ServeSettings,
    open: Option<&str>,
) -> Result<ExitCode> {
    let base_path = settings.base_path.clone();
    let server = BoundServer::bind(config, common.data.clone(), settings).await?;
    let stopper = server.stopper();
    if !common.quiet {
        let address = server.address();
        talk(&format!(
            "listening at http://{address}{base_path}; the API: http://{address}{base_path}/api/openapi.json, OpenAI's: \
             http://{address}{base_path}/v1, MCP: http://{address}{base_path}/mcp"
        ));
    }
    if let Some(place) = open {
        show_in_browser(&format!("http://{}{base_path}/{place}", server.address()));
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

/// Opens an address in the browser of whoever sits here, and says it: there may be no browser, or nobody.
fn show_in_browser(address: &str) {
    use std::process::{Command, Stdio};
    let opener: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["explorer"],
        _ => &["xdg-open"],
    };
    talk(&format!("the page: {address}"));
    if let [program, rest @ ..] = opener {
        let quiet = Stdio::null;
        // the address has been said: whoever has no opener types it
        let _ = Command::new(program)
            .args(rest)
            .arg(address)
            .stdin(quiet())
            .stdout(quiet())
            .stderr(quiet())
            .spawn();
    }
}
