//! What a model replies for a page. It is untrusted: text, and nothing but text, comes of it.

/// Replies for a page without text, and for one that cannot be read.
const EMPTY: &str = "[EMPTY]";
const UNREADABLE: &str = "[UNREADABLE]";
/// Characters of a page; more is a model that repeats itself.
const MOST_CHARACTERS: usize = 60_000;
/// Times that a line may come one after another; more is a model that repeats itself.
const MOST_REPEATED: usize = 40;

/// The text of a page; why there is none.
pub(super) fn text(reply: &str) -> Result<String, String> {
    let text = cleaned(without_fence(reply.trim()));
    let is = |word: &str| text.trim_matches(|c: char| c.is_whitespace() || c == '.') == word;
    if is(EMPTY) {
        return Ok(String::new());
    }
    if is(UNREADABLE) {
        return Err("the model cannot read it".to_owned());
    }
    if text.is_empty() {
        return Err("the model's reply is empty".to_owned());
    }
    if text.chars().count() > MOST_CHARACTERS || repeats(&text) {
        return Err("the model repeats itself; another model in [llm.ocr] may read it".to_owned());
    }
    Ok(text)
}

/// A text without what is no text: control characters, marks of direction, other ends of lines, blank lines at its ends.
pub(super) fn cleaned(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{c}'], "\n");
    let is_text = |c: &char| {
        !c.is_control() && !matches!(*c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
            || matches!(*c, '\n' | '\t')
    };
    let text: String = text.chars().filter(is_text).collect();
    text.trim_matches('\n').trim_end().to_owned()
}

/// What stands in a fence of Markdown, where all of it does.
fn without_fence(reply: &str) -> &str {
    let inside = || {
        let (first, rest) = reply.strip_prefix("```")?.split_once('\n')?;
        let is_name = first.chars().all(|c| c.is_ascii_alphanumeric());
        rest.trim_end().strip_suffix("```").filter(|inside| is_name && !inside.contains("```"))
    };
    inside().unwrap_or(reply)
}

fn repeats(text: &str) -> bool {
    let mut last = ("", 0);
    text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric)).any(|line| {
        last = if line == last.0 { (line, last.1 + 1) } else { (line, 1) };
        last.1 > MOST_REPEATED
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_text_or_a_reason() {
        let check = |reply: &str, expected: Result<&str, &str>| {
            let found = text(reply);
            match expected {
                Ok(words) => assert_eq!(found.as_deref(), Ok(words), "{reply:?}"),
                Err(part) => assert!(found.as_ref().is_err_and(|e| e.contains(part)), "{reply:?}: {found:?}"),
            }
        };
        check("Marley was dead.\r\n\r\nTo begin with.", Ok("Marley was dead.\n\nTo begin with."));
        check("```markdown\n# Stave I\n\nMarley\n```\n", Ok("# Stave I\n\nMarley"));
        check("```\none\n```\nand\n```\ntwo\n```", Ok("```\none\n```\nand\n```\ntwo\n```"));
        check("a\u{0}b\u{1b}[31mc\u{202e}d", Ok("ab[31mcd"));
        check("[EMPTY]", Ok(""));
        check(" [UNREADABLE].\n", Err("cannot read"));
        check(" \u{0} \n", Err("is empty"));
        check(&"over and over\n".repeat(50), Err("repeats itself"));
        check(&"x ".repeat(MOST_CHARACTERS), Err("repeats itself"));
    }
}
