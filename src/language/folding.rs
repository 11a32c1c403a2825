//! One reading of Chinese for the ways to write it: in traditional or simplified characters, with digits and letters that are
//! as wide as a character or half of that.
//!
//! Texts, names and what is stored stay as they are written. What compares them compares how they read: [`fold`] gives as
//! many characters as it takes, [`simplify`] as many bytes, so that places in one are places in the other. What is
//! stored by words is looked for in all ways to write them ([`writings`]).

use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// The first character that the table may hold; all stand in the blocks of ideographs from here on.
const FIRST: u32 = 0x3400;
/// One behind the last.
const END: u32 = 0xa000;

static SCRIPTS: LazyLock<Scripts> =
    LazyLock::new(|| Scripts::read(include_str!("vocabulary/traditional.txt")));

/// Both scripts, held against each other.
struct Scripts {
    /// The simplified character of each from [`FIRST`] on; 0 where it stands in simplified texts itself.
    simplified: Vec<u16>,
    /// The traditional characters of each simplified one: the most frequent first, with whether there is no other way to
    /// write it.
    traditional: FxHashMap<char, (Vec<char>, bool)>,
}

impl Scripts {
    fn read(table: &str) -> Self {
        const BESIDES: usize = 2;
        const SELDOM: usize = 3;
        let mut simplified = vec![0; (END - FIRST) as usize];
        let mut traditional: FxHashMap<char, (Vec<char>, bool)> = FxHashMap::default();
        for (paragraph, text) in table.split("\n\n").skip(1).enumerate() {
            for pair in text.split_whitespace() {
                let mut characters = pair.chars();
                let (Some(from), Some(to)) = (characters.next(), characters.next()) else { continue };
                if let (Some(slot), Ok(code)) =
                    (place(from).and_then(|at| simplified.get_mut(at)), u16::try_from(to))
                {
                    *slot = code;
                    if paragraph == SELDOM {
                        continue;
                    }
                    // what is written besides is not what is most frequent
                    let own = if paragraph == BESIDES { vec![to] } else { Vec::new() };
                    traditional.entry(to).or_insert((own, paragraph == 0)).0.push(from);
                }
            }
        }
        Self { simplified, traditional }
    }

    fn simplified(&self, c: char) -> char {
        let code = place(c).and_then(|at| self.simplified.get(at)).copied().unwrap_or_default();
        if code == 0 { c } else { char::from_u32(u32::from(code)).unwrap_or(c) }
    }

    /// A text of simplified characters in traditional ones.
    fn traditional(&self, text: &str, choice: Choice) -> String {
        let of = |c: char| match (self.traditional.get(&c), choice) {
            (Some((_, false)), Choice::Sure) | (None, _) => c,
            (Some((all, _)), Choice::Second) if all.len() > 1 => all.get(1).copied().unwrap_or(c),
            (Some((all, _)), _) => all.first().copied().unwrap_or(c),
        };
        text.chars().map(of).collect()
    }
}

/// Which of several traditional characters a simplified one becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The only one; what may stand in traditional texts itself stays.
    Sure,
    /// The most frequent one.
    First,
    /// The one after that.
    Second,
}

fn place(c: char) -> Option<usize> {
    (FIRST..END).contains(&u32::from(c)).then(|| (u32::from(c) - FIRST) as usize)
}

/// A text in simplified characters, byte for byte at the same places.
pub(crate) fn simplify(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let scripts = &*SCRIPTS;
    if text.chars().all(|c| scripts.simplified(c) == c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| scripts.simplified(c)).collect())
}

/// Whether a text is written in traditional characters: some names in them make none of a text in simplified ones.
pub(crate) fn is_traditional(text: &str) -> bool {
    const SHARE: usize = 20;
    let scripts = &*SCRIPTS;
    let (mut all, mut traditional) = (0, 0);
    for c in text.chars().filter(|c| place(*c).is_some()) {
        all += 1;
        traditional += usize::from(scripts.simplified(c) != c);
    }
    traditional > 0 && traditional * SHARE >= all
}

/// A text in simplified characters and with digits and letters of half width, character for character; so are the marks
/// inside its wide numbers: ７．５ reads 7.5.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let scripts = &*SCRIPTS;
    let folded = |c: char| half(c).unwrap_or_else(|| scripts.simplified(c));
    if text.chars().all(|c| folded(c) == c) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let in_number = before.is_some_and(is_wide_digit) && rest.clone().next().is_some_and(is_wide_digit);
        let thousands = || rest.clone().take_while(|c| is_wide_digit(*c)).count() == 3;
        written.push(match c {
            '．' if in_number => '.',
            '／' if in_number => '/',
            '：' if in_number => ':',
            '－' if in_number => '-',
            '，' if in_number && thousands() => ',',
            _ => folded(c),
        });
        before = Some(c);
    }
    Cow::Owned(written)
}

/// Whether a character is a digit as wide as an ideograph.
pub(crate) fn is_wide_digit(c: char) -> bool {
    matches!(c, '０'..='９')
}

/// A digit or letter in half width; nothing for any other character.
fn half(c: char) -> Option<char> {
    const APART: u32 = 0xfee0;
    matches!(c, '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
        .then(|| char::from_u32(u32::from(c) - APART))
        .flatten()
}

fn wide(c: char) -> char {
    const APART: u32 = 0xfee0;
    if c.is_ascii_alphanumeric() { char::from_u32(u32::from(c) + APART).unwrap_or(c) } else { c }
}

/// The other ways to write a Chinese text, each once, character for character: in simplified characters, in traditional ones
/// with what both scripts share left or not, each with wide digits and letters, too. There are none of another text.
pub(crate) fn writings(text: &str) -> Vec<String> {
    let plain = fold(text).into_owned();
    if !plain.chars().any(|c| place(c).is_some()) {
        return Vec::new();
    }
    let scripts = &*SCRIPTS;
    let traditional =
        [Choice::First, Choice::Sure, Choice::Second].map(|choice| scripts.traditional(&plain, choice));
    let mut all = vec![plain];
    all.extend(traditional);
    let in_wide: Vec<String> = all.iter().map(|text| text.chars().map(wide).collect()).collect();
    all.extend(in_wide);
    let mut seen: FxHashSet<String> = FxHashSet::default();
    all.retain(|written| written != text && seen.insert(written.clone()));
    all
}

/// Where the characters of a text stand in what [`fold`] makes of it.
pub(crate) struct FoldedPlaces(Vec<(usize, usize)>);

impl FoldedPlaces {
    /// Of a text and what it was folded to.
    pub(crate) fn of(text: &str, folded: &str) -> Self {
        let ends = (folded.len(), text.len());
        let places =
            folded.char_indices().zip(text.char_indices()).map(|((folded, _), (place, _))| (folded, place));
        Self(places.chain([ends]).collect())
    }

    /// The bytes of the text that some of the folded one stand for.
    pub(crate) fn in_text(&self, folded: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let found = self.0.partition_point(|(folded, _)| *folded < at);
            self.0.get(found).map_or(0, |(_, place)| *place)
        };
        place(folded.start)..place(folded.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_scripts_and_widths_read_alike() {
        for (written, read) in [
            ("圖書館什麼時候停止開放？", "图书馆什么时候停止开放？"),
            ("這些資料主要講了什麼", "这些资料主要讲了什么"),
            ("儲德潤為什麼遷居荊溪", "储德润为什么迁居荆溪"),
            ("於是他後來走了", "于是他后来走了"),
            ("２４００瓶／小时，ＨＪ－２００型", "2400瓶／小时，HJ－200型"),
            (
                "７．５千瓦，１，８６０元，０８：３０，２０２３－０７－１１",
                "7.5千瓦，1,860元，08:30，2023-07-11",
            ),
            ("第１，２号", "第1，2号"),
        ] {
            assert_eq!(fold(written), read);
        }
        for plain in ["朱儁与皇甫嵩，乾隆年间，瞭望，狼藉。", "Marley was “dead”.", "2.5％，甲．乙"]
        {
            assert!(
                matches!(fold(plain), Cow::Borrowed(_)) && matches!(simplify(plain), Cow::Borrowed(_)),
                "{plain}"
            );
        }
    }

    #[test]
    fn a_text_with_some_traditional_names_is_in_simplified_characters() {
        assert!(is_traditional("家驊，紹良子。一九三二年生於上海。"));
        assert!(!is_traditional("青石茶厂创办于一九三一年，创办人是沈文远，茶厂的招牌上写的是「茶廠」。"));
        assert!(!is_traditional("Marley") && !is_traditional(""));
    }

    #[test]
    fn a_question_is_written_in_all_ways() {
        let all = writings("图书馆2024年发了几台HJ机");
        for wanted in [
            "圖書館2024年發了幾臺HJ機",
            "圖書館2024年發了几台HJ機",
            "圖書館2024年髮了幾檯HJ機",
            "图书馆２０２４年发了几台ＨＪ机",
        ] {
            assert!(all.iter().any(|written| written == wanted), "{wanted}: {all:?}");
        }
        assert!(!all.iter().any(|written| written == "图书馆2024年发了几台HJ机"));
        assert!(writings("圖書館").contains(&"图书馆".to_owned()));
        assert!(writings("Who was Jacob Marley in 1843?").is_empty());
    }

    #[test]
    fn the_table_is_one_to_one_and_no_chain() {
        let scripts = &*SCRIPTS;
        assert!(scripts.traditional.len() > 2_600);
        for (simple, (all, _)) in &scripts.traditional {
            assert_eq!(scripts.simplified(*simple), *simple);
            for c in all {
                assert_eq!(scripts.simplified(*c), *simple);
                assert_eq!(c.len_utf8(), simple.len_utf8());
            }
        }
    }

    proptest! {
        #[test]
        fn places_stay(text in "([圖书館數７．５Ａａ，、abc 1é𠀋]|\\PC){0,60}") {
            prop_assert_eq!(simplify(&text).len(), text.len());
            let folded = fold(&text);
            prop_assert_eq!(folded.chars().count(), text.chars().count());
            prop_assert_eq!(fold(&folded), folded.as_ref());
            let places = FoldedPlaces::of(&text, &folded);
            for ((at, c), (place, written)) in folded.char_indices().zip(text.char_indices()) {
                prop_assert_eq!(places.in_text(&(at..at + c.len_utf8())), place..place + written.len_utf8());
            }
            for writing in writings(&text) {
                prop_assert_eq!(writing.chars().count(), text.chars().count());
            }
        }
    }
}
