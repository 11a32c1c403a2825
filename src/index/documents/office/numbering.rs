//! Lists of Word documents: how deep an item stands, and the number that it is shown with.

use super::super::xml::{Markup, XmlReader};
use std::collections::BTreeMap;

/// Levels of a list.
const LEVELS: usize = 9;

/// A level of a list.
#[derive(Clone, Debug, Default)]
struct ListLevel {
    format: String,
    /// What is shown, `%1` for the number of the first level.
    shown: String,
    first: u32,
}

/// The lists of a document, and how far each has counted.
#[derive(Debug, Default)]
pub(super) struct ListNumbering {
    /// Levels of each definition, and which one each list has.
    levels: BTreeMap<(String, usize), ListLevel>,
    definitions: BTreeMap<String, String>,
    /// First numbers that a list has in place of its definition's.
    firsts: BTreeMap<(String, usize), u32>,
    /// For each style: its list, and how deep its items stand.
    styles: BTreeMap<String, (Option<String>, usize)>,
    counts: BTreeMap<String, [u32; LEVELS]>,
}

impl ListNumbering {
    /// Reads the parts of a document that define lists and styles; either may be empty.
    ///
    /// # Errors
    /// Markup that is broken.
    pub(super) fn read(lists: &str, styles: &str) -> Result<Self, String> {
        let mut numbering = Self::default();
        numbering.read_lists(lists)?;
        numbering.read_styles(styles)?;
        Ok(numbering)
    }

    fn read_lists(&mut self, text: &str) -> Result<(), String> {
        let (mut definition, mut list, mut depth) = (String::new(), String::new(), 0_usize);
        let mut xml = XmlReader::new(text);
        while let Some(markup) = xml.next()? {
            let Markup::Open(tag) = markup else { continue };
            let value = tag.get("val").unwrap_or_default();
            match tag.name.as_str() {
                "abstractNum" => {
                    tag.get("abstractNumId").unwrap_or_default().clone_into(&mut definition);
                    list.clear();
                }
                "num" => tag.get("numId").unwrap_or_default().clone_into(&mut list),
                "abstractNumId" => {
                    self.definitions.insert(list.clone(), value.to_owned());
                }
                "lvl" | "lvlOverride" => depth = tag.number("ilvl").unwrap_or(0),
                "startOverride" => {
                    self.firsts.insert((list.clone(), depth), tag.number("val").unwrap_or(1));
                }
                name @ ("start" | "numFmt" | "lvlText") if list.is_empty() => {
                    let level = self.levels.entry((definition.clone(), depth)).or_default();
                    match name {
                        "start" => level.first = tag.number("val").unwrap_or(1),
                        "numFmt" => value.clone_into(&mut level.format),
                        _ => value.clone_into(&mut level.shown),
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_styles(&mut self, text: &str) -> Result<(), String> {
        let (mut id, mut name) = (String::new(), String::new());
        let mut xml = XmlReader::new(text);
        while let Some(markup) = xml.next()? {
            let Markup::Open(tag) = markup else { continue };
            let value = tag.get("val").unwrap_or_default();
            match tag.name.as_str() {
                "style" => {
                    tag.get("styleId").unwrap_or_default().clone_into(&mut id);
                    name.clear();
                }
                "name" => {
                    name = value.to_lowercase();
                    if name.starts_with("list") {
                        // "List Bullet 2" is one level deeper than "List Bullet"
                        let number = name.rsplit(' ').next().and_then(|last| last.parse::<usize>().ok());
                        let depth = number.map_or(0, |number| number.clamp(1, LEVELS) - 1);
                        self.styles.insert(id.clone(), (None, depth));
                    }
                }
                "numId" if !id.is_empty() && value != "0" && !name.starts_with("heading") => {
                    self.styles.entry(id.clone()).or_default().0 = Some(value.to_owned());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// How deep an item of a style stands, where the style is one of lists.
    pub(super) fn depth_of_style(&self, style: &str) -> Option<usize> {
        let is_list = || style.to_lowercase().contains("list").then_some(0);
        self.styles.get(style).map(|(_, depth)| *depth).or_else(is_list)
    }

    /// The mark of the next item of a list, which the paragraph names or else its style: its number, or `-`.
    pub(super) fn next(&mut self, list: Option<&str>, style: &str, depth: usize) -> String {
        let of_style = || self.styles.get(style).and_then(|(list, _)| list.clone());
        let Some(list) = list.map(str::to_owned).or_else(of_style) else { return "-".into() };
        let Some(definition) = self.definitions.get(&list) else { return "-".into() };
        // the levels of a style's list are those of the style
        let depth = if self.levels.contains_key(&(definition.clone(), depth)) { depth } else { 0 };
        let depth = depth.min(LEVELS - 1);
        let level_at = |depth: usize| self.levels.get(&(definition.clone(), depth));
        let Some(level) = level_at(depth).filter(|level| is_counted(level)).cloned() else {
            return "-".into();
        };
        let first = |depth: usize| {
            let own = self.firsts.get(&(list.clone(), depth)).copied();
            own.or_else(|| level_at(depth).map(|level| level.first)).unwrap_or(1)
        };
        let firsts: Vec<u32> = (0..LEVELS).map(first).collect();
        let formats: Vec<String> =
            (0..LEVELS).map(|depth| level_at(depth).map_or(String::new(), |l| l.format.clone())).collect();
        let counts = self.counts.entry(list).or_default();
        for (at, count) in counts.iter_mut().enumerate() {
            match at.cmp(&depth) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => *count += 1,
                std::cmp::Ordering::Greater => *count = 0,
            }
        }
        let mut mark = level.shown;
        for (at, (count, (first, format))) in counts.iter().zip(firsts.iter().zip(&formats)).enumerate() {
            let number = (first + count).saturating_sub(1);
            mark = mark.replace(&format!("%{}", at + 1), &number_in(format, number));
        }
        if mark.trim().is_empty() { "-".into() } else { mark.trim().to_owned() }
    }
}

fn is_counted(level: &ListLevel) -> bool {
    !matches!(level.format.as_str(), "" | "bullet" | "none") && level.shown.contains('%')
}

/// A number as a list shows it.
fn number_in(format: &str, number: u32) -> String {
    let letter = |first: u8| {
        let at = u8::try_from(number.saturating_sub(1) % 26).unwrap_or(0);
        let times = usize::try_from(number.saturating_sub(1) / 26).unwrap_or(0) + 1;
        char::from(first + at).to_string().repeat(times.min(4))
    };
    match format {
        "lowerLetter" => letter(b'a'),
        "upperLetter" => letter(b'A'),
        "lowerRoman" => roman(number).to_lowercase(),
        "upperRoman" => roman(number),
        "decimalZero" => format!("{number:02}"),
        _ => number.to_string(),
    }
}

fn roman(mut number: u32) -> String {
    let signs = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut shown = String::new();
    for (worth, sign) in signs {
        while number >= worth && shown.len() < 20 {
            shown.push_str(sign);
            number -= worth;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_bear_the_numbers_that_are_shown() {
        let lists = r#"<n><abstractNum abstractNumId="0"><lvl ilvl="0"><start val="1"/><numFmt val="decimal"/><lvlText val="%1."/></lvl>
            <lvl ilvl="1"><start val="1"/><numFmt val="lowerLetter"/><lvlText val="%1.%2)"/></lvl></abstractNum>
            <abstractNum abstractNumId="1"><lvl ilvl="0"><numFmt val="bullet"/><lvlText val="o"/></lvl></abstractNum>
            <num numId="1"><abstractNumId val="0"/></num><num numId="2"><abstractNumId val="1"/></num>
            <num numId="3"><abstractNumId val="0"/><lvlOverride ilvl="0"><startOverride val="5"/></lvlOverride></num></n>"#;
        let styles = r#"<s><style styleId="ListBullet2"><name val="List Bullet 2"/><pPr><numPr><numId val="2"/></numPr></pPr></style></s>"#;
        let mut numbering = ListNumbering::read(lists, styles).unwrap();
        let mut next = |list, depth| numbering.next(list, "", depth);
        assert_eq!(next(Some("1"), 0), "1.");
        assert_eq!(next(Some("1"), 1), "1.a)");
        assert_eq!(next(Some("1"), 1), "1.b)");
        assert_eq!(next(Some("1"), 0), "2.");
        assert_eq!(next(Some("1"), 1), "2.a)");
        assert_eq!(next(Some("2"), 0), "-");
        assert_eq!(next(Some("3"), 0), "5.");
        assert_eq!(next(None, 0), "-");
        assert_eq!(numbering.depth_of_style("ListBullet2"), Some(1));
        assert_eq!(numbering.depth_of_style("Normal"), None);
        assert_eq!(numbering.next(None, "ListBullet2", 1), "-");
    }
}
