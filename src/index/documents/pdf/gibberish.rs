//! Text whose words are no words: its font says other letters than it shows, and nobody who searches finds it.

use super::line::PageLine;

/// Fewest letters of a page that is judged.
const FEWEST_LETTERS: usize = 200;
/// Shortest word that has a vowel in every language written so, and the longest that is one word.
const SHORTEST: usize = 4;
const LONGEST: usize = 25;
/// Of so many letters one or more stand in words that are none.
const ONE_IN: usize = 12;
/// Of so many words fewer than one is among the most frequent of any language.
const FREQUENT_ONE_IN: usize = 20;

/// The most frequent words of languages in Latin letters, of two letters or more, sorted.
const FREQUENT: &[&str] = &[
    "ad", "al", "all", "and", "are", "as", "at", "att", "au", "auf", "av", "az", "be", "bir", "but", "by",
    "che", "con", "cu", "cum", "da", "dan", "dans", "das", "dat", "de", "dei", "dem", "den", "der", "des",
    "det", "di", "die", "din", "do", "dos", "du", "een", "egy", "ei", "ein", "eine", "el", "em", "en", "er",
    "es", "est", "et", "for", "from", "für", "har", "has", "have", "he", "het", "hogy", "if", "il", "im",
    "in", "is", "ist", "it", "ja", "je", "jest", "la", "las", "le", "les", "los", "med", "met", "mit", "na",
    "ne", "nem", "nicht", "nie", "no", "non", "not", "nu", "och", "od", "of", "og", "on", "op", "or", "os",
    "para", "pe", "per", "por", "pour", "på", "que", "qui", "se", "si", "sich", "som", "sur", "te", "that",
    "the", "this", "til", "till", "to", "um", "un", "una", "und", "une", "untuk", "ut", "van", "ve", "von",
    "voor", "was", "we", "will", "with", "yang", "you", "za", "ze", "zu", "är", "że",
];

/// Whether a page's Latin words are none: many have no vowel or no end, and none is a frequent one.
pub(super) fn is_page(lines: &[PageLine]) -> bool {
    let (mut letters, mut in_no_word, mut words, mut frequent) = (0, 0, 0, 0);
    for line in lines {
        let text = line.text().to_lowercase();
        for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| is_latin(word)) {
            let length = word.chars().count();
            if length >= 2 {
                words += 1;
                frequent += usize::from(FREQUENT.binary_search(&word).is_ok());
            }
            if length >= SHORTEST {
                letters += length;
                let is_none = length > LONGEST || !word.contains(is_vowel);
                in_no_word += if is_none { length } else { 0 };
            }
        }
    }
    letters >= FEWEST_LETTERS && in_no_word * ONE_IN >= letters && frequent * FREQUENT_ONE_IN < words
}

fn is_latin(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic() || ('\u{c0}'..'\u{250}').contains(&c))
}

/// Whether a small letter is a vowel, in whatever language; letters with marks are taken for one.
fn is_vowel(letter: char) -> bool {
    !letter.is_ascii() || "aeiouy".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "The harbour board resolved that the northern tower should be painted before the \
        winter, and that no lamp was to be lit without the consent of the keeper, who had written to them \
        twice about the state of the oil and of the wicks, which were neither clean nor dry. Captain Amory \
        reported that several merchants had refused to pay their harbour dues, because the customs officers \
        demanded the same money again from every vessel leaving the port.";
    const FINNISH: &str = "Kaupunginvaltuusto päätti eilen korjata vanhan majakan ennen talvea eikä lamppua \
        saanut sytyttää ilman vartijan lupaa joka kirjoitti kahdesti öljyn huonosta laadusta satamassa \
        tuulen yltyessä myrskyksi rannikolla kalastajien palatessa kotiin";

    fn page(text: &str) -> bool {
        is_page(&[PageLine::plain(text, 0.0..500.0, 10.0)])
    }

    /// Each letter the one that stands so many places behind it.
    fn shifted(text: &str, by: u8) -> String {
        let letter = |c: char| match c {
            'a'..='z' => char::from(b'a' + (c as u8 - b'a' + by) % 26),
            other => other,
        };
        text.to_lowercase().chars().map(letter).collect()
    }

    #[test]
    fn words_of_another_alphabets_order_are_none() {
        assert!(FREQUENT.is_sorted());
        assert!(!page(ENGLISH));
        assert!(!page(FINNISH));
        for by in [1, 3, 9, 13] {
            assert!(page(&shifted(ENGLISH, by)), "{by}");
        }
        // the codes of glyphs, whose spaces are gone
        let codes: String =
            ENGLISH.bytes().filter(|b| *b != b' ').map(|b| char::from(b.saturating_sub(29))).collect();
        assert!(page(&codes), "{codes}");
    }

    #[test]
    fn pages_of_few_words_and_of_names_are_not_judged() {
        assert!(!page("XKCD MQTT HTTP NTSC"));
        let names = "Wrocław Szczecin Łódź Gdańsk Bydgoszcz Lublin Katowice Białystok Gdynia Częstochowa Radom Sosnowiec \
            Toruń Kielce Rzeszów Gliwice Zabrze Olsztyn Bielsko Bytom Rybnik Ruda Tychy Opole Gorzów Elbląg Płock \
            Dąbrowa Wałbrzych Włocławek Tarnów Chorzów Koszalin Kalisz Legnica Grudziądz Jaworzno Słupsk";
        assert!(!page(names));
    }
}
