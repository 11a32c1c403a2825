//! Bytes into text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, GB18030, GBK, UTF_8, UTF_16BE, UTF_16LE};

/// First bytes of files that are no text, and what such a file is.
const MAGIC: [(&[u8], &str); 16] = [
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip archive or office document"),
    (b"\x89PNG", "a PNG image"),
    (b"GIF8", "a GIF image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\0\0\0\x0cjP", "a JPEG 2000 image"),
    (b"OggS", "an Ogg recording"),
];

/// The text of a file, byte order mark dropped. `declares` says that markup may name its encoding.
///
/// # Errors
/// Says what the bytes are instead: binary, or text that no encoding explains.
pub(super) fn decode(bytes: &[u8], declares: bool) -> Result<String, String> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(format!("is {what}, not text"));
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let body = bytes.get(length..).unwrap_or_default();
        let text = strictly(body, encoding).ok_or_else(|| invalid(body, encoding))?;
        return refuse_binary(text);
    }
    if bytes.contains(&0) {
        return utf16_without_mark(bytes).ok_or_else(|| "is binary, not text".to_owned());
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return refuse_binary(text.to_owned());
    }
    if control_share_too_high(bytes.iter().map(|&byte| char::from(byte)).filter(char::is_ascii)) {
        return Err("is binary, not text".into());
    }
    legacy(bytes, declares).ok_or_else(|| invalid(bytes, UTF_8))
}

fn strictly(bytes: &[u8], encoding: &'static Encoding) -> Option<String> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).map(std::borrow::Cow::into_owned)
}

fn invalid(bytes: &[u8], encoding: &'static Encoding) -> String {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    if encoding == UTF_8 {
        return format!(
            "is not valid UTF-8 at byte {valid}, and no other encoding explains it; convert it to UTF-8"
        );
    }
    format!("is marked as {} but is not valid; convert it to UTF-8", encoding.name())
}

fn refuse_binary(text: String) -> Result<String, String> {
    if text.contains('\0') || control_share_too_high(text.chars()) {
        return Err("is binary, not text".into());
    }
    Ok(text)
}

/// Whether more than one character in a hundred is a control character that no text has.
fn control_share_too_high(characters: impl Iterator<Item = char>) -> bool {
    let mut controls = 0_usize;
    let mut all = 0_usize;
    for character in characters {
        all += 1;
        let is_spacing = matches!(character, '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}');
        controls += usize::from(character.is_control() && !is_spacing);
    }
    controls > 1 && controls * 100 > all
}

/// UTF-16 that has no byte order mark: white space and ASCII show which byte of a pair is zero.
fn utf16_without_mark(bytes: &[u8]) -> Option<String> {
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    let zeros = |parity: usize| bytes.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    let encoding = if zeros(1) > zeros(0) { UTF_16LE } else { UTF_16BE };
    let text = strictly(bytes, encoding)?;
    let usual = text.chars().filter(|&character| is_usual(character)).count();
    let all = text.chars().count();
    (usual * 20 >= all * 19).then_some(text).and_then(|text| refuse_binary(text).ok())
}

/// Whether a character is frequent in some living language.
fn is_usual(character: char) -> bool {
    matches!(character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{17f}' | '\u{370}'..='\u{52f}' | '\u{5d0}'..='\u{6ff}'
        | '\u{900}'..='\u{97f}' | '\u{e00}'..='\u{e7f}' | '\u{2010}'..='\u{2044}' | '\u{3000}'..='\u{30ff}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ffee}')
}

/// Text of before UTF-8, where the result looks like text.
fn legacy(bytes: &[u8], declares: bool) -> Option<String> {
    if is_damaged_utf8(bytes) {
        return None;
    }
    if let Some(encoding) = declares.then(|| declared(bytes)).flatten()
        && let Some(text) = strictly(bytes, encoding)
    {
        return Some(text);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let encoding = if guess == GBK { GB18030 } else { guess };
    let text = strictly(bytes, encoding)?;
    let is_text = !text.chars().any(|c| ('\u{80}'..='\u{9f}').contains(&c) || c == '\0');
    (is_text && has_plausible_words(&text, encoding.is_single_byte())).then_some(text)
}

/// Whether most bytes above ASCII are well-formed UTF-8: then the file is that, and broken.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let mut well_formed = 0_usize;
    let mut broken = 0_usize;
    for chunk in bytes.utf8_chunks() {
        well_formed += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    well_formed > broken
}

/// Whether letters above ASCII stand in words as a language would have them: a lone `ÿ` or `þú` is chance, not text.
/// In a single-byte encoding any bytes decode, so it takes more to believe one.
fn has_plausible_words(text: &str, is_single_byte: bool) -> bool {
    if !is_single_byte {
        let foreign = text.chars().filter(|character| !character.is_ascii());
        let (usual, all) =
            foreign.fold((0, 0), |(usual, all), c| (usual + usize::from(is_usual(c)), all + 1));
        return usual * 10 >= all * 9;
    }
    let mut good = 0_usize;
    let mut bad = 0_usize;
    let mut other_script = 0_usize;
    for word in text.split(|c: char| c.is_ascii() && !c.is_ascii_alphabetic()) {
        let is_plain = |c: char| c.is_ascii_alphabetic() || "‘’“”–—…«»°§©®£€·•".contains(c);
        let foreign = word.chars().filter(|&c| !is_plain(c)).count();
        if foreign == 0 {
            continue;
        }
        let plain = word.chars().filter(char::is_ascii_alphabetic).count();
        let is_letters = word.chars().all(|c| c.is_alphabetic() || is_plain(c));
        let is_latin = word.chars().any(|c| ('\u{c0}'..='\u{24f}').contains(&c));
        let believable =
            if is_latin { plain >= foreign || is_one_letter_word(word) } else { word.chars().count() > 1 };
        other_script += usize::from(!is_latin && word.chars().any(char::is_alphabetic) && plain < foreign);
        if is_letters && believable {
            good += 1;
        } else {
            bad += 1;
        }
    }
    let is_chance = (1..3).contains(&other_script) && text.chars().any(|c| c.is_ascii_alphabetic());
    good > bad * 3 && !is_chance
}

fn is_one_letter_word(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|letter| "àèòéóúíáåöÀÈÉÒÓÁÅÖ".contains(letter)) && letters.next().is_none()
}

/// The encoding that the head of a page names.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..bytes.len().min(2048))?.to_ascii_lowercase();
    let head = String::from_utf8_lossy(&head).into_owned();
    let (_, after) = head.split_once("charset=")?;
    let label: String = after
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .collect();
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(decode(bytes, false).as_deref(), Ok(expected));
    }

    fn check_refused(bytes: &[u8], part: &str) {
        let reason = decode(bytes, false).expect_err("refused");
        assert!(reason.contains(part), "{reason}");
    }

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        let pair = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
        text.encode_utf16().flat_map(pair).collect()
    }

    #[test]
    fn unicode_is_read_with_and_without_its_mark() {
        check("Café 刘备\r\n".as_bytes(), "Café 刘备\r\n");
        check("\u{feff}Café".as_bytes(), "Café");
        for little in [true, false] {
            check(&utf16("\u{feff}刘备、关羽、张飞", little), "刘备、关羽、张飞");
            check(&utf16("Marley was dead.\r\n", little), "Marley was dead.\r\n");
            check(&utf16("话说天下大势，\n分久必合。\n", little), "话说天下大势，\n分久必合。\n");
        }
    }

    #[test]
    fn legacy_encodings_are_found_out() {
        let chinese = "话说天下大势，分久必合，合久必分。周末七国分争，并入于秦。";
        check(&GB18030.encode(chinese).0, chinese);
        let german = "Die Straße führt über die Brücke, und die Bäume blühen im Frühling.";
        check(&encoding_rs::WINDOWS_1252.encode(german).0, german);
        let russian = "Мой дядя самых честных правил, когда не в шутку занемог";
        check(&encoding_rs::WINDOWS_1251.encode(russian).0, russian);
        let japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
        check(&encoding_rs::SHIFT_JIS.encode(japanese).0, japanese);
    }

    #[test]
    fn what_no_encoding_explains_is_refused() {
        check_refused(b"plain words \xff\xfe\xfa and more", "not valid UTF-8 at byte 12");
        check_refused(b"broken \xc3\x28 pair", "not valid UTF-8 at byte 7");
        check_refused("刘备关羽\u{5f20}".as_bytes().split_last().unwrap().1, "not valid UTF-8");
        check_refused(b"\xff\xfea", "marked as UTF-16LE");
        check_refused(b"ab \x80\x81\x82\x83", "not valid");
    }

    #[test]
    fn binary_files_are_refused() {
        check_refused(b"\x89PNG\r\n\x1a\n", "a PNG image");
        check_refused(b"%PDF-1.7", "a PDF");
        check_refused(b"abc\0def\0\0\0\x01\x02", "binary");
        check_refused(&(0..=255).collect::<Vec<u8>>(), "binary");
        check_refused(b"\x01\x02\x03 text", "binary");
    }
}
