//! Characters as people search for them: ligatures and radicals folded.

use unicode_normalization::UnicodeNormalization;

/// Radicals of the supplement, and below each the character that it stands for.
const RADICALS: &str = "⺁⺂⺃⺄⺅⺆⺇⺈⺉⺊⺋⺌⺍⺎⺏⺐⺑⺒⺓⺔⺕⺖⺗⺘⺙⺛⺜⺝⺞⺟⺠⺡⺢⺣⺤⺥⺦⺧⺨⺩⺪⺫⺬⺭⺮⺯⺰⺱⺲⺳⺴⺵⺶⺷⺸⺹⺺⺻⺼⺽⺾⺿⻀⻁⻂⻃⻄⻅⻆⻇⻈⻉⻊⻋⻌⻍⻎⻏⻐⻑⻒⻓⻔⻕⻖⻗⻘⻙⻚⻛⻜⻝⻞⻟⻠⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲⻳";
const IDEOGRAPHS: &str = "厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵旡日月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟";

/// Appends a character as it is searched for: ligatures in their letters, radicals as the ideographs that they stand
/// for, presentation forms as plain letters. Control characters and those without meaning are left out.
pub(super) fn push_folded(text: &mut String, character: char) {
    match character {
        '\u{2e80}'..='\u{2ef3}' => text.push(ideograph(character)),
        '\u{2f00}'..='\u{2fdf}'
        | '\u{fb00}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefe}'
        | '\u{f900}'..='\u{faff}' => {
            text.extend(std::iter::once(character).nfkc());
        }
        // hyphens that nobody types
        '\u{2}' | '\u{2010}' | '\u{2011}' => text.push('-'),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\t' => text.push(' '),
        // private ones are bullets and ornaments, and mean nothing outside their font
        '\u{200b}'..='\u{200d}'
        | '\u{2060}'
        | '\u{feff}'
        | '\u{fffe}'
        | '\u{ffff}'
        | '\u{e000}'..='\u{f8ff}' => {}
        control if control.is_control() => {}
        character => text.push(character),
    }
}

fn ideograph(radical: char) -> char {
    let place = RADICALS.chars().position(|known| known == radical);
    place.and_then(|place| IDEOGRAPHS.chars().nth(place)).unwrap_or(radical)
}

/// Whether a character is written without spaces between words.
pub(in crate::index::documents) fn is_cjk(character: char) -> bool {
    matches!(character,
        '\u{2e80}'..='\u{2fdf}' | '\u{3000}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character fills a square of its own, whatever part of it is inked.
pub(super) fn is_wide(character: char) -> bool {
    is_cjk(character) && !matches!(character, '\u{ff61}'..='\u{ffdc}' | '\u{ffe8}'..='\u{ffee}')
}

/// Whether a mark of the width of an ideograph stands behind words: no space follows it.
pub(super) fn closes_wide(character: char) -> bool {
    matches!(
        character,
        '、' | '。'
            | '〉'
            | '》'
            | '」'
            | '』'
            | '】'
            | '〕'
            | '！'
            | '）'
            | '，'
            | '．'
            | '：'
            | '；'
            | '？'
            | '］'
            | '｝'
            | '％'
    )
}

/// Whether such a mark stands before words.
pub(super) fn opens_wide(character: char) -> bool {
    matches!(character, '〈' | '《' | '「' | '『' | '【' | '〔' | '（' | '［' | '｛')
}

/// Whether one of two characters is an ideograph and the other one none: programs that set them leave a little room between.
pub(super) fn is_mixed(last: char, first: char) -> bool {
    let is_other = |c: char| !is_cjk(c) && (c.is_alphanumeric() || "”’“‘%(）)".contains(c));
    is_cjk(last) && is_other(first) || is_other(last) && is_cjk(first)
}

/// Whether a character is read from right to left.
pub(super) fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radicals_and_ligatures_become_what_is_searched_for() {
        let folded = |text: &str| {
            let mut folded = String::new();
            text.chars().for_each(|character| push_folded(&mut folded, character));
            folded
        };
        assert_eq!(folded("⼀⼤⼈⻩⻓⻔"), "一大人黄长门");
        assert_eq!(folded("eﬃcient oﬃce ﬁled"), "efficient office filed");
        assert_eq!(folded("re\u{2010}use"), "re-use");
        assert_eq!(folded("a\u{200b}b\u{e000}c\u{a0}d"), "abc d");
        assert_eq!(RADICALS.chars().count(), IDEOGRAPHS.chars().count());
    }
}
