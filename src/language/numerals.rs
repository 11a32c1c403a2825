//! Numbers that are written in words.

/// A number that is written as an English word, up to twenty and then in tens.
pub(crate) fn english(word: &str) -> Option<u32> {
    const TENS: [&str; 7] = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    const NUMBERS: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    if let Some((_, tens)) = TENS.iter().zip(3..).find(|(name, _)| **name == word) {
        return Some(tens * 10);
    }
    NUMBERS.iter().zip(0..).find(|(name, _)| **name == word).map(|(_, number)| number)
}

/// A number in digits or simple Chinese numerals.
pub(crate) fn chinese(text: &str) -> Option<u32> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let digit =
        |c: char| "零一二三四五六七八九".chars().position(|other| other == c || (c == '两' && other == '二'));
    let (mut total, mut last, mut any) = (0, 0, false);
    for character in text.chars() {
        any = true;
        if character == '十' {
            total += if last == 0 { 10 } else { last * 10 };
            last = 0;
        } else {
            last = u32::try_from(digit(character)?).ok()?;
        }
    }
    any.then_some(total + last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_words_and_digits() {
        assert_eq!(
            [english("seven"), english("twenty"), english("forty"), english("some")],
            [Some(7), Some(20), Some(40), None]
        );
        let read = ["三", "两", "十二", "二十", "二十五", "7", "几"].map(chinese);
        assert_eq!(read, [Some(3), Some(2), Some(12), Some(20), Some(25), Some(7), None]);
    }
}
