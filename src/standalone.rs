//! A page in one file that asks the network for nothing: its data stands in a block that no browser runs, without any character
//! that could end the block, and its policy lets only the scripts and the style run that bear a nonce. The nonce is a hash of
//! data and body, so nothing in them can bear it.

use anyhow::Result;
use serde::Serialize;

/// What a page is put together from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandalonePage<'a> {
    /// Of the window.
    pub(crate) title: &'a str,
    /// CSS.
    pub(crate) style: &'a str,
    /// What stands between `<body>` and its end, without scripts; what others wrote is escaped in it.
    pub(crate) body: &'a str,
    /// JSON of [`script_data`], which scripts find in the element `data`.
    pub(crate) data: &'a str,
    /// JavaScript, run one after the other.
    pub(crate) scripts: &'a [&'a str],
}

impl StandalonePage<'_> {
    /// The file.
    pub(crate) fn html(&self) -> String {
        let nonce = blake3::hash([self.data, self.body].concat().as_bytes()).to_hex();
        let policy = format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'"
        );
        let mut page = [
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"",
            &policy,
            "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
            "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
            self.title,
            "</title>\n<style nonce=\"",
            &nonce,
            "\">\n",
            self.style,
            "</style>\n</head>\n<body>\n",
            self.body,
            "<script type=\"application/json\" id=\"data\">",
            self.data,
            "</script>\n",
        ]
        .concat();
        for script in self.scripts {
            page.push_str(&format!("<script nonce=\"{nonce}\">\n{script}</script>\n"));
        }
        page.push_str("</body>\n</html>\n");
        page
    }
}

/// JSON that can stand in a page: what could end or open markup, or a line of a script, is written as escapes, which JSON reads
/// as the same characters.
///
/// # Errors
/// What cannot be written as JSON.
pub(crate) fn script_data(value: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string(value)?;
    let mut escaped = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => escaped.push(c),
        }
    }
    Ok(escaped)
}
