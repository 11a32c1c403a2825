//! Pictures that stand among the drawing operations themselves. The decoder takes all that follows a packed one for its
//! data, so they are taken out before: nobody reads text from them.

/// Bytes behind the end of a picture that have to look like operations.
const LOOKED_AT: usize = 12;

/// The operations of a page without their pictures.
pub(super) fn taken_out(content: Vec<u8>) -> Vec<u8> {
    if !content.windows(2).any(|pair| pair == b"BI") {
        return content;
    }
    let mut kept = Vec::with_capacity(content.len());
    let mut at = 0;
    while let Some(&byte) = content.get(at) {
        let end = match byte {
            b'(' => end_of_string(&content, at),
            b'%' => at + rest(&content, at).iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count(),
            _ if is_word_at(&content, at, b"BI") => {
                if let Some(end) = end_of_picture(&content, at + 2) {
                    at = end;
                    kept.push(b' ');
                    continue;
                }
                at + 2
            }
            _ => at + 1,
        };
        kept.extend_from_slice(content.get(at..end).unwrap_or_default());
        at = end;
    }
    kept
}

fn rest(content: &[u8], from: usize) -> &[u8] {
    content.get(from..).unwrap_or_default()
}

fn is_border(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0 || b"()<>[]{}/%".contains(&byte)
}

/// Whether a word stands there by itself.
fn is_word_at(content: &[u8], at: usize, word: &[u8]) -> bool {
    rest(content, at).starts_with(word)
        && at.checked_sub(1).and_then(|before| content.get(before)).is_none_or(|byte| is_border(*byte))
        && content.get(at + word.len()).is_none_or(|byte| is_border(*byte))
}

/// The place behind a string that begins there.
fn end_of_string(content: &[u8], start: usize) -> usize {
    let mut open = 0_usize;
    let mut at = start;
    while let Some(&byte) = content.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'(' => open += 1,
            b')' => {
                open -= 1;
                if open == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    content.len()
}

/// The place behind the end of a picture whose entries begin there; `None` where it has no data or no end.
fn end_of_picture(content: &[u8], start: usize) -> Option<usize> {
    let data = (start..content.len()).find(|at| is_word_at(content, *at, b"ID"))? + 2;
    let is_end = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| content.get(before));
        // a word by itself, and what follows is no data
        before.is_some_and(u8::is_ascii_whitespace)
            && is_word_at(content, *at, b"EI")
            && rest(content, at + 2)
                .iter()
                .take(LOOKED_AT)
                .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    };
    (data..content.len()).find(is_end).map(|at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[u8], expected: &str) {
        let kept = taken_out(content.to_vec());
        let words: Vec<String> =
            String::from_utf8_lossy(&kept).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn a_picture_goes_and_all_around_it_stays() {
        check(b"q BI /W 1 /F/Fl\nID x\x9c\xff EI\x80\x00 EI \xfe\nEI Q\n(BI ID EI) Tj", "q Q (BI ID EI) Tj");
        check(b"BI /W 1 ID a\nEI BI ID b\nEI (x) Tj", "(x) Tj");
        check(b"(a\\) BI ID ) Tj % BI ID\n EI (b) Tj", "(a\\) BI ID ) Tj % BI ID EI (b) Tj");
        check(b"BIG BI ID \xff\xfe no end", &String::from_utf8_lossy(b"BIG BI ID \xff\xfe no end"));
        check(b"(no end BI ID EI", "(no end BI ID EI");
    }
}
