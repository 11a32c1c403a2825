//! Running headers and footers: lines at the top and bottom of pages that stand on many of them.

use super::characters::is_cjk;
use super::line::PageLine;
use super::paragraphs::ends_sentence;
use std::collections::{BTreeMap, BTreeSet};

/// Lines at either end of a page that may be running.
const ENDS: usize = 2;
/// Fewest pages that such a line stands on, and where its words do not count with the pages.
const FEWEST: usize = 2;
const FEWEST_STEADY: usize = 3;
/// How much larger than the text a running line is at most.
const LARGEST: f32 = 1.3;
/// How far such lines stand from the text, in steps from one line to the next.
const SET_OFF: f32 = 1.5;
/// Most that such a step is, in heights of the largest line: pages of a few lines tell nothing else.
const WIDEST_STEP: f32 = 2.0;
/// How much larger than the text a line is that heads what follows it.
const HEADING: f32 = 1.15;
/// How much smaller than the text what stands around it is, where nothing else tells.
const SMALL: f32 = 0.95;
/// How far the number of a page may be from its place in the file, where more is said in the line.
const FARTHEST: u64 = 3000;

/// A line at an end of its page.
#[derive(Debug)]
struct BorderLine {
    /// Its place among the lines of its page.
    at: usize,
    is_top: bool,
    /// How many lines stand further out.
    rank: usize,
    height: f32,
    size: f32,
    is_bold: bool,
    /// Whether it and what is further out stand apart from the text.
    is_set_off: bool,
    pattern: String,
    numbers: Vec<u64>,
}

/// Takes running lines out of their pages. Returns what was taken, that which differs by its numbers alone once. `body` is the
/// size of the text; `is_named` says whether a text is that of a heading of the page at that place.
pub(super) fn take_out(
    pages: &mut [Vec<PageLine>],
    body: f32,
    is_named: &dyn Fn(usize, &str) -> bool,
) -> BTreeMap<String, String> {
    let mut taken = BTreeMap::new();
    if pages.len() < FEWEST {
        return taken;
    }
    let ends: Vec<Vec<BorderLine>> = pages.iter().map(|lines| ends_of(lines)).collect();
    let groups = CandidateGroups {
        candidates: CandidateGroups::of(&ends),
        parts_sentence: parts_sentence(pages, &ends),
    };
    let filled = pages.iter().filter(|lines| !lines.is_empty()).count();
    let mut running: Vec<BTreeSet<usize>> = Vec::with_capacity(pages.len());
    for (page, (lines, ends)) in pages.iter().zip(&ends).enumerate() {
        let is_running = |candidate: &BorderLine| {
            let line = lines.get(candidate.at);
            let heads = line.is_some_and(|line| is_named(page, &line.text()) && !is_said_larger(lines, line));
            !heads && groups.is_running(page, candidate, filled, body)
        };
        running.push(outermost(ends, is_running));
    }
    for (lines, running) in pages.iter_mut().zip(running) {
        // a page that says nothing else is no page of its header
        if running.len() >= lines.len() {
            continue;
        }
        let mut at = 0;
        lines.retain(|line| {
            let keep = !running.contains(&at);
            at += 1;
            if !keep {
                let text = line.text();
                taken.entry(pattern(&text).0).or_insert(text);
            }
            keep
        });
    }
    taken
}

/// Whether a page has a larger line of the same words: a title, which its running head repeats.
fn is_said_larger(lines: &[PageLine], line: &PageLine) -> bool {
    let text = line.text();
    lines.iter().any(|other| other.size > HEADING * line.size && other.text() == text)
}

/// The places of running lines that no other line stands outside of.
fn outermost(ends: &[BorderLine], is_running: impl Fn(&BorderLine) -> bool) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for is_top in [true, false] {
        for rank in 0..ENDS {
            let mut row = ends.iter().filter(|one| one.is_top == is_top && one.rank == rank).peekable();
            if row.peek().is_none() {
                break;
            }
            let before = found.len();
            let mut count = 0;
            for candidate in row {
                count += 1;
                if is_running(candidate) {
                    found.insert(candidate.at);
                }
            }
            if found.len() < before + count {
                break;
            }
        }
    }
    found
}

/// Whether a sentence of the first page goes on with the second one's first line, but for what stands apart at their ends.
fn parts_sentence(pages: &[Vec<PageLine>], ends: &[Vec<BorderLine>]) -> bool {
    let text = |page: usize| {
        let ends = ends.get(page).map_or(&[][..], Vec::as_slice);
        let is_apart = move |at: usize| ends.iter().any(|end| end.at == at && end.is_set_off);
        let lines = pages.get(page).map_or(&[][..], Vec::as_slice);
        lines.iter().enumerate().filter(move |(at, _)| !is_apart(*at)).map(|(_, line)| line)
    };
    let starts_small =
        text(1).next().and_then(PageLine::first).is_some_and(|c| c.is_lowercase() || is_cjk(c));
    starts_small && text(0).next_back().is_some_and(|last| !ends_sentence(last))
}

/// Candidates by what they have in common: at which end they stand, and what is compared.
type Alike<'a> = BTreeMap<(bool, &'a str), Vec<(usize, &'a BorderLine)>>;

/// Candidates of all pages.
struct CandidateGroups<'a> {
    candidates: Alike<'a>,
    /// Whether a sentence runs over the end of the first page.
    parts_sentence: bool,
}

impl<'a> CandidateGroups<'a> {
    fn of(ends: &'a [Vec<BorderLine>]) -> Alike<'a> {
        let mut groups = Alike::new();
        for (page, candidates) in ends.iter().enumerate() {
            for candidate in candidates {
                groups.entry((candidate.is_top, &candidate.pattern)).or_default().push((page, candidate));
            }
        }
        groups
    }

    /// Whether a line says the same as others at its height, or counts the pages.
    fn is_running(&self, page: usize, candidate: &BorderLine, filled: usize, body: f32) -> bool {
        let has_words = candidate.pattern.chars().any(char::is_alphabetic);
        let is_large = candidate.size >= HEADING * body && has_words;
        let (mut steady, mut counting) = (BTreeSet::from([page]), BTreeSet::from([page]));
        let mut like_it = BTreeSet::from([page]);
        let mut set_off = BTreeSet::new();
        let group = self.candidates.get(&(candidate.is_top, candidate.pattern.as_str()));
        for (other, like) in group.into_iter().flatten() {
            if (like.height - candidate.height).abs() > candidate.size || *other == page {
                continue;
            }
            like_it.insert(*other);
            if like.numbers == candidate.numbers {
                steady.insert(*other);
            } else if counts(page, candidate, *other, like, has_words) {
                counting.insert(*other);
            } else {
                continue;
            }
            if like.is_set_off {
                set_off.insert(*other);
            }
        }
        let is_long = candidate.pattern.chars().count() >= 4;
        let is_frequent = |count: usize| {
            count >= FEWEST_STEADY && (count * 2 >= filled || is_long && count * 10 >= filled * 3)
        };
        let is_small = candidate.size < SMALL * body;
        // a page may begin with a line that stands higher than the text of the others
        let most = set_off.len() >= FEWEST_STEADY && set_off.len() * 2 >= steady.len().max(counting.len());
        let is_set_off = candidate.is_set_off || most;
        if is_large {
            if candidate.size > LARGEST * body {
                return false;
            }
            // a head in the type of a heading says the same words on most pages
            let is_on_most = steady.len() >= FEWEST_STEADY && steady.len() * 3 >= filled * 2;
            return is_set_off && is_on_most;
        }
        if counting.len() >= FEWEST {
            // a chapter a page counts as well
            let heads = candidate.is_bold && has_words;
            return !heads && (is_set_off || is_small && is_frequent(counting.len()));
        }
        // of two pages, what stands in the midst of a sentence is no part of it
        let is_pair = filled == FEWEST && steady.len() == filled && (is_small || self.parts_sentence);
        // a preface has numbers of its own
        if candidate.pattern == "# " && is_set_off && like_it.len() >= FEWEST_STEADY {
            return true;
        }
        has_words
            && (is_set_off && (is_frequent(steady.len()) || is_pair) || is_small && is_frequent(steady.len()))
    }
}

/// Whether the numbers of two lines are the same but for those that grow with the pages.
fn counts(page: usize, one: &BorderLine, other: usize, like: &BorderLine, has_words: bool) -> bool {
    let step = other as i128 - page as i128;
    let mut grows = false;
    let is_near = |number: u64| !has_words || number.abs_diff(page as u64) < FARTHEST;
    one.numbers.len() == like.numbers.len()
        && one.numbers.iter().zip(&like.numbers).all(|(a, b)| {
            let is_count = i128::from(*b) - i128::from(*a) == step && is_near(*a);
            grows |= is_count;
            is_count || a == b
        })
        && grows
}

/// Lines at the top and bottom of a page, by height.
fn ends_of(lines: &[PageLine]) -> Vec<BorderLine> {
    let heights = heights_of(lines);
    let count = heights.len();
    let steps: Vec<f32> = heights.windows(2).map(step).collect();
    let size = lines.iter().map(|line| line.size).fold(0.0, f32::max);
    let usual = usual_step(&steps).min(WIDEST_STEP * size);
    // whether a wide gap is behind a line or behind the next one towards the text
    let is_set_off = |rank: usize, is_top: bool| {
        (rank..ENDS).any(|rank| {
            let gap = if is_top {
                steps.get(rank)
            } else {
                count.checked_sub(rank + 2).and_then(|at| steps.get(at))
            };
            gap.is_some_and(|gap| *gap > SET_OFF * usual)
        })
    };
    let mut found = Vec::new();
    for (place, (height, places)) in heights.iter().enumerate() {
        let from_end = count - 1 - place;
        let (is_top, rank) = if place <= from_end { (true, place) } else { (false, from_end) };
        if rank >= ENDS {
            continue;
        }
        for at in places {
            let Some(line) = lines.get(*at) else { continue };
            let (pattern, numbers) = pattern(&line.text());
            found.push(BorderLine {
                at: *at,
                is_top,
                rank,
                height: *height,
                size: line.size,
                is_bold: line.is_bold,
                is_set_off: is_set_off(rank, is_top),
                pattern,
                numbers,
            });
        }
    }
    found
}

/// The heights at which lines stand, from the top, with the places of the lines: the left and the right half of a header are at
/// one height.
fn heights_of(lines: &[PageLine]) -> Vec<(f32, Vec<usize>)> {
    let mut order: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(|line| line.turns == 0 && line.table.is_none()))
        .collect();
    order.sort_by(|a, b| match (lines.get(*a), lines.get(*b)) {
        (Some(a), Some(b)) => a.baseline.total_cmp(&b.baseline),
        _ => std::cmp::Ordering::Equal,
    });
    let mut heights: Vec<(f32, Vec<usize>)> = Vec::new();
    for at in order {
        let Some(line) = lines.get(at) else { continue };
        match heights.last_mut() {
            Some((height, places)) if (line.baseline - *height).abs() < 0.5 * line.size => places.push(at),
            _ => heights.push((line.baseline, vec![at])),
        }
    }
    heights
}

fn step(pair: &[(f32, Vec<usize>)]) -> f32 {
    match pair {
        [(one, _), (other, _)] => other - one,
        _ => 0.0,
    }
}

/// The step from one line to the next that most of a page has.
fn usual_step(steps: &[f32]) -> f32 {
    let mut sorted = steps.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() * 2 / 5).copied().unwrap_or(0.0)
}

/// A line's text with `#` for its numbers, and these.
fn pattern(text: &str) -> (String, Vec<u64>) {
    let (mut pattern, mut numbers) = (String::new(), Vec::new());
    for word in text.split_whitespace() {
        let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        if let Some(number) = roman(&bare) {
            pattern.push('#');
            numbers.push(number);
        } else {
            let mut digits = String::new();
            for c in word.chars() {
                if c.is_ascii_digit() {
                    if digits.is_empty() {
                        pattern.push('#');
                    }
                    digits.push(c);
                } else {
                    numbers.extend(std::mem::take(&mut digits).parse::<u64>());
                    pattern.push(c);
                }
            }
            numbers.extend(digits.parse::<u64>());
        }
        pattern.push(' ');
    }
    (pattern, numbers)
}

/// The value of a number in small roman letters.
fn roman(word: &str) -> Option<u64> {
    const SIGNS: [(&str, u64); 13] = [
        ("m", 1000),
        ("cm", 900),
        ("d", 500),
        ("cd", 400),
        ("c", 100),
        ("xc", 90),
        ("l", 50),
        ("xl", 40),
        ("x", 10),
        ("ix", 9),
        ("v", 5),
        ("iv", 4),
        ("i", 1),
    ];
    let (mut rest, mut value) = (word, 0);
    for (sign, worth) in SIGNS {
        let most = if sign.len() == 1 && "mcxi".contains(sign) { 3 } else { 1 };
        for _ in 0..most {
            let Some(behind) = rest.strip_prefix(sign) else { break };
            (rest, value) = (behind, value + worth);
        }
    }
    (rest.is_empty() && value > 0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, baseline: f32) -> PageLine {
        PageLine::plain(text, 0.0..100.0, baseline)
    }

    fn take_out_all(pages: &mut [Vec<PageLine>]) -> Vec<String> {
        take_out(pages, 10.0, &|_, _| false).into_values().collect()
    }

    /// Pages of a body of four lines, with what stands above and below it.
    fn pages(count: usize, around: impl Fn(usize) -> (Vec<PageLine>, Vec<PageLine>)) -> Vec<Vec<PageLine>> {
        let words =
            ["Marley was dead", "There is no doubt", "The register", "Scrooge signed it", "The Cratchits"];
        let page = |number: usize| {
            let (mut above, below) = around(number);
            let words = words[number % words.len()];
            above.extend(
                (0..4_u8).map(|at| line(&format!("{words} {at} {number}x"), 40.0 + 12.0 * f32::from(at))),
            );
            above.extend(below);
            above
        };
        (0..count).map(page).collect()
    }

    #[test]
    fn a_page_that_is_one_line_keeps_it() {
        let mut pages: Vec<Vec<PageLine>> =
            (1..4).map(|number| vec![line(&format!("Chapter {number}"), 50.0)]).collect();
        assert!(take_out_all(&mut pages).is_empty());
        assert!(pages.iter().all(|lines| lines.len() == 1));
    }

    #[test]
    fn what_stands_apart_on_most_pages_is_running_and_nothing_else() {
        let mut found = pages(4, |number| {
            (vec![line("Charles Dickens", 10.0)], vec![line(&format!("Page {}", number + 9), 110.0)])
        });
        assert_eq!(take_out_all(&mut found), ["Charles Dickens", "Page 9"]);
        assert!(found.iter().all(|lines| lines.len() == 4));
        assert_eq!(pattern("Page 12 of 300"), ("Page # of # ".to_owned(), vec![12, 300]));
        assert_eq!(roman("xiv"), Some(14));
        assert_eq!(roman("mild"), None);
    }

    #[test]
    fn heads_of_left_and_right_pages_and_of_two_pages_are_running() {
        let mut found = pages(4, |number| {
            let head = if number % 2 == 0 {
                format!("The Ledger {}", number + 1)
            } else {
                format!("{} M. Tresco", number + 1)
            };
            (vec![line(&head, 10.0)], Vec::new())
        });
        assert_eq!(take_out_all(&mut found), ["2 M. Tresco", "The Ledger 1"]);
        let mut found = pages(2, |number| {
            let head = PageLine { size: 8.0, ..line("Harbour Board", 10.0) };
            (vec![head], vec![line(&format!("Page {} of 2", number + 1), 110.0)])
        });
        assert_eq!(take_out_all(&mut found), ["Harbour Board", "Page 1 of 2"]);
    }

    #[test]
    fn what_two_pages_begin_with_is_running_where_it_parts_a_sentence() {
        let pages = |second: &str| {
            let page = |body: &str| {
                let mut page = vec![line("Harbour Board", 10.0)];
                page.extend([40.0, 52.0, 64.0].map(|at| line(body, at)));
                page
            };
            [page("nothing was found to be missing, though"), page(second)]
        };
        assert_eq!(take_out_all(&mut pages("much was late and")), ["Harbour Board"]);
        // two letters of one firm, say
        assert!(take_out_all(&mut pages("Much was late and")).is_empty());
    }

    #[test]
    fn numbers_of_a_preface_are_running() {
        let labels = ["iv", "2", "3", "4"];
        let mut found = pages(4, |number| (Vec::new(), vec![line(labels[number], 110.0)]));
        assert_eq!(take_out_all(&mut found), ["iv"]);
        assert!(found.iter().all(|lines| lines.len() == 4));
    }

    #[test]
    fn what_belongs_to_the_text_stays() {
        // lines of the text that look alike; a title; chapters that count with their pages; a heading of the outline
        let mut found = pages(5, |number| {
            (
                vec![line(&format!("Invoice no. {}", 4711 + number), 28.0)],
                vec![line("Payable within 30 days", 88.0)],
            )
        });
        assert!(take_out_all(&mut found).is_empty());
        let mut found = pages(5, |_| (vec![PageLine { size: 14.0, ..line("INVOICE", 10.0) }], Vec::new()));
        assert!(take_out_all(&mut found).is_empty());
        let mut found = pages(5, |number| {
            (vec![PageLine { is_bold: true, ..line(&format!("Chapter {}", number + 1), 10.0) }], Vec::new())
        });
        assert!(take_out_all(&mut found).is_empty());
        let mut found = pages(5, |number| (vec![line(&format!("Chapter {}", number + 1), 10.0)], Vec::new()));
        assert!(take_out(&mut found, 10.0, &|_, text| text.starts_with("Chapter")).is_empty());
    }

    #[test]
    fn a_head_larger_than_the_text_is_running_and_the_title_that_it_repeats_is_not() {
        let head = |size: f32, at: f32| PageLine { size, ..line("Harbour Yearbook", at) };
        let mut found = pages(4, |number| {
            let mut above = vec![head(12.0, 0.0)];
            if number == 0 {
                above.push(head(20.0, 20.0));
            }
            (above, Vec::new())
        });
        let taken = take_out(&mut found, 10.0, &|page, text| page == 0 && text == "Harbour Yearbook");
        assert_eq!(taken.into_values().collect::<Vec<_>>(), ["Harbour Yearbook"]);
        let kept: Vec<usize> = found.iter().map(Vec::len).collect();
        assert_eq!(kept, [5, 4, 4, 4]);
        assert!(found[0].iter().any(|line| line.size > 15.0));
    }

    #[test]
    fn numbers_that_do_not_count_with_the_pages_stay() {
        let mut found =
            pages(5, |number| (vec![line(&format!("Due: {} pounds", 36 + 12 * number), 10.0)], Vec::new()));
        assert!(take_out_all(&mut found).is_empty());
    }
}
