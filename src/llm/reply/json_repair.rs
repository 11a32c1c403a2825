//! JSON as models write it: fences and prose around it, comments, trailing commas, single quotes, bare line breaks and
//! quotes in strings, a truncated tail. Linear in the length of the text, bounded in depth.

use serde_json::{Map, Value};

/// Objects and lists inside each other beyond which the text is given up.
const MAX_DEPTH: usize = 64;

/// Characters of a key without quotes, at most.
const MAX_BARE_KEY: usize = 40;

/// The first object or list of a text, repaired where it must be; `None` where there is none.
pub fn read_json(text: &str) -> Option<Value> {
    read_all_json(text, 1).into_iter().next()
}

/// At most `most` objects and lists of a text, in order.
pub fn read_all_json(text: &str, most: usize) -> Vec<Value> {
    let strict: Result<Value, _> = serde_json::from_str(text.trim());
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = strict {
        return vec![value];
    }
    let mut found = Vec::new();
    let mut reader = JsonReader { characters: text.chars().collect(), at: 0 };
    while found.len() < most && reader.skip_to_start() {
        let begin = reader.at;
        match reader.value(0) {
            Some(value) if !is_empty(&value) => found.push(value),
            Some(_) => {}
            None => reader.at = reader.at.max(begin + 1),
        }
    }
    found
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    }
}

struct JsonReader {
    characters: Vec<char>,
    at: usize,
}

impl JsonReader {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    /// Moves to the next bracket that may open a value.
    fn skip_to_start(&mut self) -> bool {
        while let Some(c) = self.peek() {
            if c == '{' || c == '[' {
                return true;
            }
            self.at += 1;
        }
        false
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) {
        while let Some(c) = self.peek() {
            let next = self.characters.get(self.at + 1).copied();
            if c.is_whitespace() {
                self.at += 1;
            } else if c == '/' && next == Some('/') {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            } else if c == '/' && next == Some('*') {
                self.at += 2;
                while self.peek().is_some()
                    && !(self.peek() == Some('*') && self.characters.get(self.at + 1) == Some(&'/'))
                {
                    self.at += 1;
                }
                self.at += 2;
            } else {
                return;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            '{' => Some(self.object(depth)),
            '[' => Some(self.list(depth)),
            c if closing_quote(c).is_some() => Some(Value::String(self.string())),
            _ => Some(self.word()),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut fields = Map::new();
        self.at += 1;
        loop {
            self.skip_separators();
            match self.peek() {
                // cut off, or the end of something around it
                None | Some(']') => break,
                Some('}') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {}
            }
            let begin = self.at;
            let key = self.key();
            self.skip_space();
            if matches!(self.peek(), Some(':' | '：')) {
                self.at += 1;
                self.skip_space();
                // a value that is missing
                if matches!(self.peek(), None | Some(',' | '}' | ']')) {
                    continue;
                }
                if let Some(value) = self.value(depth + 1) {
                    fields.insert(key, value);
                }
            }
            self.at = self.at.max(begin + 1);
        }
        Value::Object(fields)
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip_separators();
            match self.peek() {
                None | Some('}') => break,
                Some(']') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {}
            }
            let begin = self.at;
            items.extend(self.value(depth + 1));
            self.at = self.at.max(begin + 1);
        }
        Value::Array(items)
    }

    fn skip_separators(&mut self) {
        self.skip_space();
        while matches!(self.peek(), Some(',' | '，' | ';')) {
            self.at += 1;
            self.skip_space();
        }
    }

    fn key(&mut self) -> String {
        if self.peek().is_some_and(|c| closing_quote(c).is_some()) {
            return self.string();
        }
        let begin = self.at;
        while self.peek().is_some_and(|c| !matches!(c, ':' | '：' | ',' | '}' | ']' | '\n')) {
            self.at += 1;
        }
        let key: String = self.characters.get(begin..self.at).unwrap_or_default().iter().collect();
        key.trim().to_owned()
    }

    /// A string, whatever quotes it has; a quote inside it that does not end it belongs to it.
    fn string(&mut self) -> String {
        let close = self.peek().and_then(closing_quote).unwrap_or('"');
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == '\\' {
                self.escape(&mut text);
            } else if c == close && self.ends_here() {
                return text;
            } else {
                text.push(c);
            }
        }
        // cut off: what is closed now was not meant to be
        text
    }

    /// Whether what follows a quote can follow a string.
    fn ends_here(&self) -> bool {
        let mut rest = self.characters.iter().skip(self.at).copied().filter(|c| !c.is_whitespace());
        match rest.next() {
            None | Some('}' | ']' | ':' | '：') => true,
            Some(',' | '，') => match rest.next() {
                None | Some('{' | '[' | '}' | ']' | '-' | '/') => true,
                Some(c) if c.is_ascii_digit() || closing_quote(c).is_some() => true,
                Some(c) => {
                    let word: String = std::iter::once(c)
                        .chain(
                            rest.take(MAX_BARE_KEY)
                                .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')),
                        )
                        .collect();
                    word.contains(':')
                        || ["true", "false", "null", "None"].iter().any(|literal| word.starts_with(literal))
                }
            },
            // a comma that is missing
            Some(c) => closing_quote(c).is_some() && self.peek().is_some_and(|c| c == '\n' || c == '\r'),
        }
    }

    fn escape(&mut self, text: &mut String) {
        let Some(c) = self.peek() else { return };
        self.at += 1;
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' | 'b' | 'f' => {}
            'u' => {
                let first = self.hexadecimal();
                let code = match first {
                    Some(high @ 0xd800..0xdc00) if self.peek() == Some('\\') => {
                        self.at += 2;
                        self.hexadecimal()
                            .filter(|low| (0xdc00..0xe000).contains(low))
                            .map(|low| 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
                    }
                    other => other,
                };
                text.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
            }
            other => text.push(other),
        }
    }

    fn hexadecimal(&mut self) -> Option<u32> {
        let digits: String = self.characters.get(self.at..self.at + 4)?.iter().collect();
        let code = u32::from_str_radix(&digits, 16).ok()?;
        self.at += 4;
        Some(code)
    }

    /// A number, a literal, or a text without quotes.
    fn word(&mut self) -> Value {
        let begin = self.at;
        while self.peek().is_some_and(|c| !matches!(c, ',' | '}' | ']' | '\n')) {
            self.at += 1;
        }
        let word: String = self.characters.get(begin..self.at).unwrap_or_default().iter().collect();
        let word = word.split_once(" //").map_or(word.as_str(), |(word, _)| word).trim();
        match word.to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "none" | "nan" | "" => Value::Null,
            _ => serde_json::from_str(word).unwrap_or_else(|_| Value::String(word.to_owned())),
        }
    }
}

fn closing_quote(open: char) -> Option<char> {
    match open {
        '"' | '\'' | '`' => Some(open),
        '“' | '”' => Some('”'),
        '「' => Some('」'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn json_is_read_as_models_write_it() {
        let check = |text: &str, expected: Value| assert_eq!(read_json(text), Some(expected), "{text}");
        check(r#"{"a": 1}"#, json!({"a": 1}));
        check("Here it is:\n```json\n{\"a\": [1, 2,], }\n```\nDone.", json!({"a": [1, 2]}));
        check("{'a': 'it''s', b: True, c: None}", json!({"a": "it''s", "b": true, "c": null}));
        check("{\"a\": \"one\ntwo\"}", json!({"a": "one\ntwo"}));
        check(r#"{"a": "he said "no" to it", "b": 2}"#, json!({"a": "he said \"no\" to it", "b": 2}));
        check(r#"{"a": "he said "no", and left", "b": 2}"#, json!({"a": "he said \"no\", and left", "b": 2}));
        check("{\"a\": 1 // the first\n, /* x */ \"b\": 2}", json!({"a": 1, "b": 2}));
        check("{\"a\": \"x\"\n \"b\": 2}", json!({"a": "x", "b": 2}));
        check(r#"{"a": {"b": ["x", "cut of"#, json!({"a": {"b": ["x", "cut of"]}}));
        check(r#"{"a": 1, "b":"#, json!({"a": 1}));
        check("{“a”：“刘备”，“b”：2}", json!({"a": "刘备", "b": 2}));
        check(r#"{"a": "\u5218\ud83d\ude00\n"}"#, json!({"a": "刘😀\n"}));
        check("[{\"a\": 1}, {\"a\": 2]", json!([{"a": 1}, {"a": 2}]));
        assert_eq!(read_json("no json here"), None);
        assert_eq!(read_all_json("{\"a\":1}\n{\"a\":2}", 9), [json!({"a": 1}), json!({"a": 2})]);
    }

    #[test]
    fn deep_or_endless_text_does_no_harm() {
        let _ = read_json(&"[".repeat(200_000));
        let _ = read_json(&"{\"a\":".repeat(100_000));
        let _ = read_json(&"\"".repeat(100_000));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "[\\[\\]{}\"',:\\\\a1 \n“”u/*]{0,80}") {
            let _ = read_all_json(&text, 10);
        }

        #[test]
        fn what_is_json_is_read_as_it_is(words in proptest::collection::vec("[a-z \"刘]{0,8}", 1..5)) {
            let value = json!({"list": words});
            prop_assert_eq!(read_json(&format!("so: {value}")), Some(value));
        }
    }
}
