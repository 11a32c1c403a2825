//! The identity of a name (design 4).

use unicode_normalization::UnicodeNormalization;

/// Normalised name: Unicode NFKC, case-folded, white space squeezed, nothing else. Two names are the same entity
/// when their keys are equal; everything beyond (titles, articles, quotes) is a matter of resolution.
pub fn name_key(name: &str) -> String {
    if name.is_ascii() {
        return squeezed(&name.to_ascii_lowercase());
    }
    let folded: String = name.nfkc().flat_map(char::to_lowercase).collect();
    // folding can leave composed forms apart again ("İ"), so compose once more
    let composed: String = folded.nfkc().collect();
    squeezed(&composed)
}

/// The words with single spaces.
fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !squeezed.is_empty() {
            squeezed.push(' ');
        }
        squeezed.push_str(word);
    }
    squeezed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_and_squeezed_and_nothing_else() {
        let check = |input: &str, expected: &str| assert_eq!(name_key(input), expected);
        check("  Ebenezer\n SCROOGE ", "ebenezer scrooge");
        check("ＩＢＭ", "ibm");
        check("The \"Ghost\"", "the \"ghost\"");
        check("刘备", "刘备");
        check("", "");
        check(" Air\u{b}\t Force\r\nONE\u{1c} ", "air force one\u{1c}");
    }

    proptest::proptest! {
        #[test]
        fn a_key_is_its_own_key(name in "\\PC{0,40}") {
            let key = name_key(&name);
            proptest::prop_assert_eq!(name_key(&key), key.clone());
        }
    }
}
