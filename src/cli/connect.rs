//! Lines that connect agents: what each of them wants in its settings to start `graphwright mcp`.

use super::{Common, print, write_json};
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Prints the lines; with `--json` the part that most agents take.
///
/// # Errors
/// Where this program or the data lies cannot be found out.
pub(super) fn print_connections(common: &Common) -> Result<()> {
    let program = std::env::current_exe().context("while looking where this program lies")?;
    let data = std::path::absolute(&common.data).context("while looking where the data lies")?;
    let server = json!({
        "command": program.display().to_string(),
        "args": ["--data", data.display().to_string(), "--workspace", common.workspace, "mcp"],
    });
    let servers = json!({"mcpServers": {"graphwright": server}});
    if common.json {
        return write_json(&servers);
    }
    let args = words(&server);
    for (title, text) in [
        ("Claude Desktop: claude_desktop_config.json", pretty(&servers)?),
        ("Cursor: .cursor/mcp.json", pretty(&servers)?),
        ("Claude Code", format!("claude mcp add graphwright -- {args}")),
        ("VS Code: .vscode/mcp.json", pretty(&json!({"servers": {"graphwright": with_type(&server)}}))?),
    ] {
        print::line(&format!("# {title}\n{text}\n"));
    }
    Ok(())
}

fn pretty(value: &Value) -> Result<String> {
    serde_json::to_string_pretty(value).context("while writing JSON")
}

fn with_type(server: &Value) -> Value {
    let mut server = server.clone();
    server["type"] = json!("stdio");
    server
}

/// The command as a shell takes it.
fn words(server: &Value) -> String {
    let args = server["args"].as_array().into_iter().flatten();
    let all: Vec<String> = std::iter::once(&server["command"])
        .chain(args)
        .filter_map(Value::as_str)
        .map(print::shell_word)
        .collect();
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_by_a_shell_as_it_is_meant() {
        let server =
            json!({"command": "/opt/graph wright", "args": ["--data", "/home/o'neil/.graphwright", "mcp"]});
        assert_eq!(words(&server), "'/opt/graph wright' --data '/home/o'\\''neil/.graphwright' mcp");
    }
}
