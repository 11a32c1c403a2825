//! How much a JSON text becomes, known before it is read: two bytes of it can take a hundred of memory.

/// Values that JSON holds at most: what separates or opens them, outside of texts.
pub(crate) fn value_count(json: &[u8]) -> usize {
    let (mut count, mut in_text, mut escaped) = (1, false, false);
    for byte in json {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b',' | b':' | b'[' | b'{') => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        let check =
            |json: &str, expected: usize| assert_eq!(value_count(json.as_bytes()), expected, "{json}");
        check("1", 1);
        check("[1,2,3]", 4);
        check(r#"{"a":"x,y:[{","b":[]}"#, 6);
        check(r#"["\"[,[", "\\", 1]"#, 4);
    }
}
