//! Whom or what a record is about, as its first lines say it: "Patient: Biscuit, beagle cross", 姓名：李安. What stands below
//! leaves that out.

use super::fields::without_mark;
use super::words::is_han;
use std::ops::Range;

/// Lines at the head of a text among which it is looked for.
const LINES: usize = 14;
/// Most characters of a label, and of the name behind it; the same of Chinese ones.
const LABEL: usize = 24;
const NAME: usize = 60;
const HAN_NAME: usize = 16;

/// Labels of whom or what a record is about.
const LABELS: [&str; 30] = [
    "patient",
    "name",
    "client",
    "customer",
    "ship",
    "vessel",
    "boat",
    "pupil",
    "student",
    "child",
    "animal",
    "horse",
    "dog",
    "cat",
    "pet",
    "tenant",
    "resident",
    "guest",
    "candidate",
    "project",
    "product",
    "machine",
    "model",
    "vehicle",
    "car",
    "house",
    "property",
    "site",
    "item",
    "subject",
];
const HAN_LABELS: [&str; 17] = [
    "姓名",
    "患者",
    "病人",
    "学生",
    "客户",
    "船名",
    "项目名称",
    "产品名称",
    "设备名称",
    "宠物",
    "宠物名",
    "车辆",
    "车牌",
    "被访者",
    "受访者",
    "传主",
    "主题",
];

/// Whom or what a record is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordSubject<'t> {
    /// The name, up to its first comma.
    pub(crate) name: &'t str,
    /// Bytes of the text from its label to its end.
    pub(crate) labelled: Range<usize>,
}

/// The values of such labels at the head of a text, before its first section.
pub(crate) fn record_subjects(text: &str) -> Vec<RecordSubject<'_>> {
    let mut found: Vec<RecordSubject<'_>> = Vec::new();
    let place = |part: &str| (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES) {
        // the title stands above the record, a section behind its head
        if line.starts_with('#') {
            if found.is_empty() {
                continue;
            }
            break;
        }
        let line = without_mark(line).trim_start_matches(['|', ' ']);
        let Some((label, value)) = line.split_once([':', '：']) else { continue };
        let label = label.trim_matches(['*', '_', ' ']).to_lowercase();
        let value = value.trim_start_matches(['*', '_', ' ']);
        let value = value.split([',', '，', ';', '；', '(', '（', '|', '、']).next().unwrap_or_default();
        let value = value.trim_end_matches(['*', '_', ' ', '.', '。']);
        let han = value.chars().any(is_han);
        let most = if han { HAN_NAME } else { NAME };
        let is_named = han || value.starts_with(|c: char| c.is_uppercase() || matches!(c, '"' | '“'));
        let is_label = label.chars().count() <= LABEL
            && (LABELS.contains(&label.as_str()) || HAN_LABELS.contains(&label.as_str()));
        if is_label && is_named && value.chars().count() <= most {
            let behind = text.get(place(value) + value.len()..).unwrap_or_default();
            let marks = behind.len() - behind.trim_start_matches(['*', '_']).len();
            let labelled = place(line)..place(value) + value.len() + marks;
            found.push(RecordSubject { name: value, labelled });
        }
    }
    found.retain(|subject| !comes_again(text, subject));
    found
}

/// Whether the label of a subject stands before another name as well: a register holds a record of each.
fn comes_again(text: &str, subject: &RecordSubject<'_>) -> bool {
    let marks = ['-', '*', '|', ' ', '_'];
    let whole = text.get(subject.labelled.clone()).unwrap_or_default();
    let Some((label, _)) = whole.trim_start_matches(marks).split_once([':', '：']) else { return false };
    text.lines().map(|line| line.trim_start().trim_start_matches(marks)).any(|line| {
        let value = line.strip_prefix(label).and_then(|rest| rest.strip_prefix([':', '：']));
        value.is_some_and(|value| !value.contains(subject.name) && value.chars().any(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::record_subjects;

    #[test]
    fn the_head_of_a_record_says_whom_it_is_about() {
        let check = |text: &str, expected: &[&str]| {
            let names: Vec<&str> = record_subjects(text).iter().map(|subject| subject.name).collect();
            assert_eq!(names, expected, "{text}");
        };
        check(
            "# Practice\n\n**Patient:** Biscuit, beagle cross\n**Owner:** Mrs Okonjo\n\n## May\n\nName: Other",
            &["Biscuit"],
        );
        check("病历\n姓名：李安，男\n年龄：40", &["李安"]);
        check("Name: Harbour Café\nPhone: 1", &["Harbour Café"]);
        check("Dear all,\nthe patient: he is well.", &[]);
        check("Owner: Tobias Lenz", &[]);
        check("Boat: Kittiwake\nOwner: A\n\nBoat: Spindrift\nOwner: B", &[]);
    }
}
