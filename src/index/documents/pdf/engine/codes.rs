//! Fonts that do not say which characters their codes are. Two kinds give themselves away: in fonts that programs drew
//! themselves the codes are often those of the letters, and in those cut out of a `TrueType` font glyphs are numbered as
//! they stand there, 29 below the letters. What reads like words in one of these ways is taken for them.

use super::Glyph;
use std::collections::BTreeMap;

/// How far the numbers of glyphs stand below the letters.
const SHIFT: u32 = 29;
/// Fewest letters by which a font can be judged.
const FEWEST: usize = 16;
/// Ligatures of fonts made by TeX.
const LIGATURES: [&str; 5] = ["ff", "fi", "fl", "ffi", "ffl"];

/// What stands behind the letters in the usual order of a `TrueType` font's glyphs, from `~` on.
const BEHIND: &str = "~ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß";

/// How codes become characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CodeMap {
    Letters,
    Shifted,
}

impl CodeMap {
    /// The characters of a code; `None` where it is none.
    fn of(self, code: char) -> Option<String> {
        let code = u32::from(code);
        match (self, code) {
            (Self::Letters, 11..=15) => LIGATURES.get(code as usize - 11).map(|text| (*text).to_owned()),
            (Self::Letters, 0x20..=0x7e) => char::from_u32(code).map(String::from),
            (Self::Shifted, 3..=96) => char::from_u32(code + SHIFT).map(String::from),
            (Self::Shifted, 97..) => BEHIND.chars().nth(code as usize - 97).map(String::from),
            _ => None,
        }
    }

    /// Whether codes read like words.
    fn fits(self, codes: &[char]) -> bool {
        let read: Vec<String> = codes.iter().filter_map(|code| self.of(*code)).collect();
        let characters: Vec<char> = read.iter().flat_map(|text| text.chars()).collect();
        let count = |is: fn(&char) -> bool| characters.iter().filter(|character| is(character)).count();
        let letters = count(|c| c.is_alphabetic());
        let vowels = count(|c| "aeiouAEIOU".contains(*c));
        read.len() * 20 >= codes.len() * 19
            && letters >= FEWEST
            && letters * 20 >= characters.len() * 9
            && count(|c| c.is_lowercase()) * 4 >= letters
            && (letters / 4..=letters * 11 / 20).contains(&vowels)
    }
}

/// Gives characters to the glyphs whose fonts can be judged. `fonts` has the places of those that say nothing, a font each.
pub(super) fn read(glyphs: &mut Vec<Glyph>, fonts: &BTreeMap<String, Vec<usize>>) {
    let codes = |places: &[usize]| -> Vec<char> {
        places.iter().filter_map(|place| glyphs.get(*place)).map(|glyph| glyph.character).collect()
    };
    let judged: Vec<(&Vec<usize>, Vec<char>, Option<CodeMap>)> = fonts
        .values()
        .map(|places| {
            let codes = codes(places);
            let reading =
                [CodeMap::Letters, CodeMap::Shifted].into_iter().find(|reading| reading.fits(&codes));
            (places, codes, reading)
        })
        .collect();
    // a font of few letters is as the others of its page
    let usual = judged.iter().filter_map(|(_, codes, reading)| Some((codes.len(), (*reading)?)));
    let usual = usual.max_by_key(|(count, _)| *count).map(|(_, reading)| reading);
    let mut readings: BTreeMap<usize, CodeMap> = BTreeMap::new();
    for (places, codes, reading) in &judged {
        let all_read = |reading: &CodeMap| codes.iter().all(|code| reading.of(*code).is_some());
        if let Some(reading) = reading.or_else(|| usual.filter(all_read)) {
            readings.extend(places.iter().map(|place| (*place, reading)));
        }
    }
    if readings.is_empty() {
        return;
    }
    let mut read = Vec::with_capacity(glyphs.len());
    let mut after_space = false;
    for (place, glyph) in glyphs.drain(..).enumerate() {
        let said = readings.get(&place).and_then(|reading| reading.of(glyph.character));
        let glyph = Glyph { after_space: glyph.after_space || std::mem::take(&mut after_space), ..glyph };
        match said.as_deref() {
            None => read.push(glyph),
            Some(" ") => after_space = true,
            Some(text) => {
                let parts = text.chars().enumerate().map(|(at, character)| Glyph {
                    character,
                    is_unknown: false,
                    is_piece: at > 0,
                    after_space: glyph.after_space && at == 0,
                    ..glyph
                });
                read.extend(parts);
            }
        }
    }
    *glyphs = read;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(codes: &[u32]) -> String {
        let glyph = |code: &u32| Glyph {
            character: char::from_u32(*code).unwrap(),
            x: 0.0,
            y: 0.0,
            bounds: [0.0; 4],
            turns: 0,
            size: 10.0,
            is_bold: false,
            is_fixed: false,
            after_space: false,
            is_piece: false,
            is_unknown: true,
        };
        let mut glyphs: Vec<Glyph> = codes.iter().map(glyph).collect();
        let all = (0..glyphs.len()).collect();
        read(&mut glyphs, &BTreeMap::from([("F".to_owned(), all)]));
        let shown = |glyph: &Glyph| {
            let space = if glyph.after_space { " " } else { "" };
            format!("{space}{}", if glyph.is_unknown { '?' } else { glyph.character })
        };
        glyphs.iter().map(shown).collect()
    }

    #[test]
    fn codes_that_read_like_words_are_taken_for_them() {
        let text = "The official affidavit was filed here in spring";
        let plain: Vec<u32> = text.chars().map(u32::from).collect();
        assert_eq!(text_of(&plain), text);
        let shifted: Vec<u32> = text.chars().map(|c| u32::from(c) - 29).collect();
        assert_eq!(text_of(&shifted), text);
        let mut ligature = plain.clone();
        ligature.splice(5..7, [11]);
        assert_eq!(text_of(&ligature), text);
    }

    #[test]
    fn what_reads_like_nothing_stays_unknown() {
        let counted: Vec<u32> = (1..60).map(|place| place * 7 % 23 + 1).collect();
        assert!(text_of(&counted).chars().all(|c| c == '?'));
        let digits: Vec<u32> = "0123456789 0123456789 0123456789".chars().map(u32::from).collect();
        assert!(text_of(&digits).chars().all(|c| c == '?'));
    }
}
