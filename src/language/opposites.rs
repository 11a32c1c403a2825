//! What tells things of one kind apart: gold and silver, upper and lower, the first and the second. Texts are flat.

use super::questions::stem;
use super::words::is_han;

/// Words that exclude one another before one noun. What is old and what is new often replace one another, and one sentence tells
/// of both.
const ENGLISH: [&[&str]; 14] = [
    &["gold", "silver", "bronze"],
    &["first", "second", "third", "fourth", "fifth", "sixth", "last"],
    &["upper", "lower", "middle"],
    &["north", "south", "east", "west"],
    &["northern", "southern", "eastern", "western"],
    &["left", "right"],
    &["inner", "outer"],
    &["front", "back", "rear"],
    &["elder", "younger"],
    &["eldest", "youngest"],
    &["summer", "winter", "spring", "autumn"],
    &["morning", "afternoon", "evening"],
    &["red", "blue", "green", "yellow", "white", "black", "brown", "grey"],
    &["annual", "monthly", "weekly"],
];

/// The same in Chinese: characters before one noun.
const CHINESE: [&str; 7] = ["金银铜", "上下", "东西南北", "左右", "男女", "内外", "春夏秋冬"];

/// Whether a text tells of the contrary of what a question asks about, and not of that: of the silver medal where the gold one
/// is asked for.
pub(crate) fn tells_opposite(asked: &str, flat: &str) -> bool {
    if asked.chars().any(is_han) { in_chinese(asked, flat) } else { in_english(asked, flat) }
}

fn in_english(asked: &str, flat: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (asked, told) = (words(asked), words(flat));
    asked.windows(2).any(|pair| {
        let [of, noun] = pair else { return false };
        let Some(kinds) = ENGLISH.iter().find(|kinds| kinds.contains(&of.as_str())) else { return false };
        let noun = stem(noun);
        // "the silver medal and the bronze one"
        let is_other = |word: &String| kinds.contains(&word.as_str()) && word != of;
        let before: Vec<&String> = told
            .windows(2)
            .filter_map(|pair| if let [of, told] = pair { (stem(told) == noun).then_some(of) } else { None })
            .collect();
        !before.is_empty() && before.into_iter().all(is_other) && !told.contains(of)
    })
}

fn in_chinese(asked: &str, flat: &str) -> bool {
    let letters: Vec<char> = asked.chars().collect();
    let mut numbered = labels(asked).into_iter();
    let is_other_number = |(number, unit): (String, char)| {
        let told = labels(flat);
        let mut same = told.iter().filter(|(_, other)| *other == unit).peekable();
        same.peek().is_some() && same.all(|(other, _)| *other != number)
    };
    if numbered.any(is_other_number) {
        return true;
    }
    letters.windows(2).any(|pair| {
        let [of, noun] = pair else { return false };
        let Some(kinds) = CHINESE.iter().find(|kinds| kinds.contains(*of)) else { return false };
        if !NOUNS.contains(*noun) {
            return false;
        }
        let told: Vec<char> = flat.chars().collect();
        let before = |noun: &char| -> Vec<char> {
            let pairs = told
                .windows(2)
                .filter_map(|pair| if let [of, told] = pair { Some((of, told)) } else { None });
            pairs.filter(|(_, told)| *told == noun).map(|(of, _)| *of).collect()
        };
        let before = before(noun);
        !before.is_empty() && before.iter().all(|other| other != of && kinds.contains(*other))
    })
}

/// Nouns of one character that such a character tells apart.
const NOUNS: &str =
    "奖牌门楼院厅房屋馆桥街路村城山河湖岸坡层闸窑厂校店站口区队组班舍宿场园湾渠井井塔殿堂座版";

/// Numbers that name one of several, each with what it names: 五号楼, 第二名, 三楼.
fn labels(text: &str) -> Vec<(String, char)> {
    const NUMBERS: &str = "一二三四五六七八九十0123456789";
    const UNITS: &str = "号楼室班届期名章等";
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut number = String::new();
    let mut is_ordinal = false;
    for (at, c) in letters.iter().enumerate() {
        if NUMBERS.contains(*c) {
            if number.is_empty() {
                is_ordinal = at > 0 && letters.get(at - 1) == Some(&'第');
            }
            number.push(*c);
            continue;
        }
        // 七名 counts, 第七名 names one
        if !number.is_empty() && UNITS.contains(*c) && (is_ordinal || "号楼室等".contains(*c)) {
            // 十六号 may be a day
            let next = letters.get(at + 1).copied().unwrap_or(' ');
            if *c != '号' || "楼院门桥井厅馆库房船车".contains(next) {
                found.push((number.clone(), if *c == '号' { next } else { *c }));
            }
        }
        number.clear();
    }
    found
}

/// Whether a Chinese question asks for the number of a house, a floor or the like, and a text tells none: 几号楼, 几层.
pub(crate) fn lacks_label(asked: &str, flat: &str) -> bool {
    const UNITS: &str = "号楼层室班届期路";
    const NUMBERS: &str = "一二三四五六七八九十百零〇两0123456789";
    let mut letters = asked.chars().zip(asked.chars().skip(1));
    let Some((_, unit)) = letters.find(|(c, unit)| *c == '几' && UNITS.contains(*unit)) else {
        return false;
    };
    !flat.chars().zip(flat.chars().skip(1)).any(|(number, told)| told == unit && NUMBERS.contains(number))
}

#[cfg(test)]
mod tests {
    use super::{lacks_label, tells_opposite};

    #[test]
    fn the_number_of_a_house_is_told_with_what_it_numbers() {
        assert!(lacks_label("老丁住在几号楼？", "投反对票的是老丁，他要再找两家公司。"));
        assert!(!lacks_label("老丁住在几号楼？", "老丁住在五号楼。"));
        assert!(!lacks_label("老丁住在哪里？", "老丁住在乡下。"));
    }

    #[test]
    fn what_is_told_of_the_contrary_is_no_answer() {
        assert!(tells_opposite(
            "who got the gold medal?",
            "ann got the silver medal and ben the bronze one."
        ));
        assert!(!tells_opposite("who got the gold medal?", "ann got the gold medal, ben the silver medal."));
        assert!(!tells_opposite("who got the gold medal?", "ann got a medal."));
        assert!(tells_opposite("when was the lower path opened?", "the upper path was opened in 1998."));
        assert!(!tells_opposite("when was the upper path opened?", "the upper path was opened in 1998."));
        assert!(tells_opposite("谁得了金奖？", "石宝得了银奖，铜奖给了鲁家。"));
        assert!(!tells_opposite("谁得了银奖？", "石宝得了银奖，铜奖给了鲁家。"));
        assert!(tells_opposite("五号楼有几层？", "三号楼有六层。"));
        assert!(!tells_opposite("五号楼有几层？", "五号楼有六层，三号楼有四层。"));
        assert!(!tells_opposite("到了几名理事？", "九名理事到了七名。"));
    }
}
