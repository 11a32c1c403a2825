//! Lines into paragraphs and tables, across the borders of columns and pages.

use super::blocks::{Block, PageParagraph};
use super::characters::is_cjk;
use super::hyphens::{Joint, WordCounts};
use super::line::{PageLine, RuledTable};
use super::{notes, tables};

/// The blocks of all pages, in order.
pub(super) fn of_pages(pages: &[Vec<PageLine>], vocabulary: &WordCounts) -> Vec<Block> {
    let body = body_size(pages);
    let has_code = !is_mostly_fixed(pages);
    let mut flow = Flow::new(vocabulary);
    let mut all_notes = Vec::new();
    for (page, lines) in pages.iter().enumerate() {
        let (lines, notes) = notes::taken_out(lines, body);
        let lines = lines.as_slice();
        let measured = PageMeasures::of(lines);
        let mut at = rows_of_table_before(&mut flow, page, lines);
        while let Some(line) = lines.get(at) {
            let rest = lines.get(at..).unwrap_or_default();
            if let Some(table) = &line.table {
                flow.take_table(page, table);
                at += 1;
                continue;
            }
            let entries = rest.iter().map_while(entry_of_contents).collect::<Vec<String>>();
            if !entries.is_empty() {
                flow.close();
                at += entries.len();
                let paragraph = of_lines(rest.get(..entries.len()).unwrap_or_default(), &entries, page);
                flow.blocks.push(Block::Paragraph(paragraph));
                continue;
            }
            let code = if has_code { code_lines(rest, &Beside::of(lines, at), &measured) } else { 0 };
            if code > 0 {
                flow.close();
                flow.blocks.push(Block::Paragraph(of_code(rest.get(..code).unwrap_or_default(), page)));
                at += code;
                continue;
            }
            if let Some((rows, count)) = tables::at_start(rest) {
                flow.close();
                flow.blocks.push(Block::Table(page, rows));
                at += count;
                continue;
            }
            flow.take(page, line, &Beside::of(lines, at), &measured);
            at += 1;
        }
        all_notes.extend(paragraphs_of_notes(&notes, page, vocabulary));
    }
    flow.close();
    notes::put_behind(flow.blocks, all_notes)
}

/// How many of a page's first lines are rows of the table that the page before ends with: lines of as many parts as it has
/// columns. They become a table of their own under its header.
fn rows_of_table_before(flow: &mut Flow<'_>, page: usize, lines: &[PageLine]) -> usize {
    let Some(Block::Table(before, rows)) = flow.blocks.last().filter(|_| flow.open.is_none()) else {
        return 0;
    };
    let (Some(header), true) = (rows.first(), *before + 1 == page) else { return 0 };
    let is_row = |line: &&PageLine| {
        line.table.is_none() && header.len() > 2 && line.segments.len() == header.len() && line.turns == 0
    };
    let found: Vec<Vec<String>> = lines
        .iter()
        .take_while(is_row)
        .map(|line| line.segments.iter().map(|segment| segment.text.clone()).collect())
        .collect();
    let count = found.len();
    if count > 0 {
        let rows = std::iter::once(header.clone()).chain(found).collect();
        flow.blocks.push(Block::Table(page, rows));
    }
    count
}

/// Dots that lead from the title of an entry to its page, at least.
const LEADER: usize = 4;

/// An entry of a table of contents, its dots written as one mark: "1.2 Traffic … 17".
fn entry_of_contents(line: &PageLine) -> Option<String> {
    if line.table.is_some() {
        return None;
    }
    let text = line.text();
    let page = text.rsplit(|c: char| c.is_whitespace() || c == '.').next()?;
    let before = text.strip_suffix(page)?;
    let title = before.trim_end_matches(|c: char| c.is_whitespace() || c == '.');
    let dots = before.get(title.len()..)?.matches('.').count();
    let is_page = page.chars().count() <= 6 && page.chars().all(char::is_alphanumeric);
    (dots >= LEADER && is_page && !page.is_empty() && !title.is_empty()).then(|| format!("{title} … {page}"))
}

/// Whether nearly all characters of a document are of one width: what a typewriter wrote is no program.
fn is_mostly_fixed(pages: &[Vec<PageLine>]) -> bool {
    let count = |is: fn(&PageLine) -> bool| {
        pages.iter().flatten().filter(|line| is(line)).map(|line| line.characters).sum::<usize>()
    };
    count(|line| line.is_fixed) * 10 > count(|_| true) * 9
}

/// How many of the first lines are of a program: all of one width, one below the other. A single one stands apart from what
/// is above and below it.
fn code_lines(lines: &[PageLine], beside: &Beside<'_>, measured: &PageMeasures) -> usize {
    let is_code = |line: &&PageLine| line.is_fixed && line.table.is_none() && line.turns == 0;
    let mut count = 0;
    let mut before: Option<&PageLine> = None;
    for line in lines.iter().take_while(is_code) {
        let follows = before.is_none_or(|before| {
            let step = line.baseline - before.baseline;
            step > 0.3 * line.size && step < 2.5 * line.size
        });
        if !follows {
            break;
        }
        count += 1;
        before = Some(line);
    }
    let is_apart = |above: &PageLine, below: &PageLine| {
        let step = below.baseline - above.baseline;
        step < 0.0 || step > 1.1 * measured.pitch.max(1.05 * above.size)
    };
    let stands_alone = |line: &PageLine| {
        beside.before.is_none_or(|before| is_apart(before, line))
            && beside.next.is_none_or(|next| is_apart(line, next))
    };
    match lines.first() {
        Some(line) if count == 1 && !stands_alone(line) => 0,
        _ => count,
    }
}

/// Lines of a program, indented as they stand.
fn of_code(lines: &[PageLine], page: usize) -> PageParagraph {
    let left = lines.iter().map(PageLine::left).fold(f32::MAX, f32::min);
    // letters of one width are six tenths of their height wide
    let spaces = |line: &PageLine| " ".repeat(whole((line.left() - left) / (0.6 * line.size)).min(80));
    let text: Vec<String> = lines.iter().map(|line| format!("{}{}", spaces(line), line.text())).collect();
    of_lines(lines, &text, page)
}

/// Lines that stay lines, with the text of each.
fn of_lines(lines: &[PageLine], text: &[String], page: usize) -> PageParagraph {
    PageParagraph {
        pieces: vec![(page, "", text.join("\n"))],
        size: lines.first().map_or(10.0, |line| line.size),
        is_bold: false,
        line_count: lines.len(),
        left: lines.iter().map(PageLine::left).fold(f32::MAX, f32::min),
        is_code: true,
        is_note: false,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "columns of a page")]
fn whole(count: f32) -> usize {
    count.round().max(0.0) as usize
}

/// The cells of a ruled table, the lines of each put together.
fn in_cells(table: &[Vec<Vec<String>>], vocabulary: &WordCounts) -> Vec<Vec<String>> {
    let whole = |lines: &Vec<String>| {
        let mut text = String::new();
        for line in lines.iter().filter(|line| !line.is_empty()) {
            match vocabulary.joint(&text, line) {
                Joint::Space if !text.is_empty() => text.push(' '),
                Joint::Dropped => drop(text.pop()),
                _ => {}
            }
            text.push_str(line);
        }
        text
    };
    table.iter().map(|row| row.iter().map(whole).collect()).collect()
}

/// The size that most characters have.
pub(super) fn body_size(pages: &[Vec<PageLine>]) -> f32 {
    let mut sizes: Vec<(f32, usize)> =
        pages.iter().flatten().map(|line| (line.size, line.characters)).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sizes.iter().map(|(_, count)| count).sum::<usize>() / 2;
    let mut seen = 0;
    for (size, count) in sizes {
        seen += count;
        if seen > half {
            return size;
        }
    }
    10.0
}

fn paragraphs_of_notes(lines: &[PageLine], page: usize, vocabulary: &WordCounts) -> Vec<PageParagraph> {
    let mut flow = Flow::new(vocabulary);
    let measured = PageMeasures::of(lines);
    let mut number = None;
    for (at, line) in lines.iter().enumerate() {
        let mark = notes::number_of(line);
        if mark.is_some() && (number.is_none() || mark == number.map(|number| number + 1)) {
            flow.close();
            number = mark;
        }
        flow.take(page, line, &Beside::of(lines, at), &measured);
    }
    flow.close();
    let paragraphs = flow.blocks.into_iter().filter_map(|block| match block {
        Block::Paragraph(paragraph) => Some(PageParagraph { is_note: true, ..paragraph }),
        Block::Table(..) => None,
    });
    paragraphs.collect()
}

/// What is usual on a page.
struct PageMeasures {
    /// From one baseline to the next.
    pitch: f32,
    /// For each line how far those reach that stand above and below it without a gap.
    rights: Vec<f32>,
}

/// How far the lines reach that each line stands among: those of one size, one below the other, that begin at about one side.
fn rights_of(lines: &[PageLine]) -> Vec<f32> {
    let follows = |above: &PageLine, line: &PageLine| {
        let step = line.baseline - above.baseline;
        line.turns == above.turns
            && line.table.is_none()
            && (line.size - above.size).abs() < 0.12 * line.size
            && step > 0.5 * line.size
            && step < 3.0 * line.size
            && (line.left() - above.left()).abs() < 3.0 * line.size
    };
    lines
        .chunk_by(follows)
        .flat_map(|block| {
            let right = block.iter().map(PageLine::right).fold(0.0, f32::max);
            std::iter::repeat_n(right, block.len())
        })
        .collect()
}

impl PageMeasures {
    fn of(lines: &[PageLine]) -> Self {
        let mut steps: Vec<f32> = lines
            .windows(2)
            .filter_map(|pair| match pair {
                [a, b] if (a.size - b.size).abs() < 0.1 * a.size => Some(b.baseline - a.baseline),
                _ => None,
            })
            .filter(|step| *step > 1.0)
            .collect();
        steps.sort_by(f32::total_cmp);
        // the smaller half: steps between paragraphs are no lines
        let pitch = steps.get(steps.len() * 2 / 5).copied();
        Self {
            pitch: pitch.unwrap_or_else(|| lines.first().map_or(12.0, |line| 1.2 * line.size)),
            rights: rights_of(lines),
        }
    }
}

/// The lines before and behind one.
struct Beside<'a> {
    before: Option<&'a PageLine>,
    next: Option<&'a PageLine>,
    /// Its place among the lines of its page.
    at: usize,
}

impl<'a> Beside<'a> {
    fn of(lines: &'a [PageLine], at: usize) -> Self {
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        Self { before, next: lines.get(at + 1), at }
    }
}

struct Flow<'a> {
    vocabulary: &'a WordCounts,
    blocks: Vec<Block>,
    open: Option<OpenParagraph>,
    /// How many blocks there were behind the last ruled table, and where its columns end.
    ruled: (usize, Vec<f32>),
}

/// A paragraph that may go on.
struct OpenParagraph {
    paragraph: PageParagraph,
    last: PageLine,
    /// How far its lines reach.
    left: f32,
    right: f32,
}

impl<'a> Flow<'a> {
    fn new(vocabulary: &'a WordCounts) -> Self {
        Self { vocabulary, blocks: Vec::new(), open: None, ruled: (0, Vec::new()) }
    }

    /// Takes a ruled table: where it goes on with the one before it in the column before, its rows become rows of that one;
    /// at the top of the page behind, it stands under the header of that one.
    fn take_table(&mut self, page: usize, table: &RuledTable) {
        let is_behind = self.open.is_none() && self.ruled.0 == self.blocks.len();
        self.close();
        let mut rows = in_cells(&table.rows, self.vocabulary);
        let has_same_columns = tables::are_same(&self.ruled.1, &table.columns);
        match self.blocks.last_mut() {
            Some(Block::Table(before, known))
                if is_behind && *before == page && table.goes_on && !tables::has_own_header(&rows) =>
            {
                known.extend(rows.into_iter().filter(|row| known.first() != Some(row)).collect::<Vec<_>>());
                return;
            }
            Some(Block::Table(before, known)) if is_behind && *before + 1 == page && has_same_columns => {
                rows.splice(0..0, tables::header_for(known, &rows));
            }
            _ => {}
        }
        self.blocks.push(Block::Table(page, rows));
        self.ruled = (self.blocks.len(), table.columns.clone());
    }

    fn take(&mut self, page: usize, line: &PageLine, beside: &Beside<'_>, measured: &PageMeasures) {
        let goes_on = self.open.as_ref().is_some_and(|open| open.goes_on(line, beside, measured));
        if !goes_on {
            self.close();
        }
        let Some(open) = &mut self.open else {
            let text = line.text();
            let paragraph = PageParagraph {
                pieces: vec![(page, "", text)],
                size: line.size,
                is_bold: line.is_bold,
                line_count: 1,
                left: line.left(),
                is_code: false,
                is_note: false,
            };
            let (left, right) = (line.left(), line.right());
            self.open = Some(OpenParagraph { paragraph, last: line.clone(), left, right });
            return;
        };
        open.append(page, line, self.vocabulary);
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.blocks.push(Block::Paragraph(open.paragraph));
        }
    }
}

impl OpenParagraph {
    /// Whether a line belongs to the paragraph.
    fn goes_on(&self, line: &PageLine, beside: &Beside<'_>, measured: &PageMeasures) -> bool {
        let &Beside { before, next, at } = beside;
        let last = &self.last;
        let size = last.size.max(line.size);
        if line.turns != last.turns
            || (line.size - last.size).abs() > 0.12 * size
            || starts_item(line) && !self.runs_into(line)
        {
            return false;
        }
        if line.is_bold != last.is_bold
            && (line.is_bold || self.paragraph.is_bold)
            && self.paragraph.line_count <= 2
        {
            return false;
        }
        let ends_open = !ends_sentence(last);
        let step = line.baseline - last.baseline;
        let is_next_page = before.is_none();
        let overlaps = line.left() < self.right && line.right() > self.left;
        if is_next_page || step < -0.5 * size || !overlaps {
            // on the next page or in the next column
            let starts_small = line.first().is_some_and(|first| first.is_lowercase() || is_cjk(first));
            let is_full = self.paragraph.line_count > 1 && self.is_full(last, line);
            return if ends_open {
                starts_small || last.last() == Some('-') || is_full
            } else {
                is_full && self.begins_indented() && next.is_some_and(|next| is_flush(line, next))
            };
        }
        if step > 1.4 * measured.pitch.max(1.05 * size) {
            return false;
        }
        if step.abs() < 0.3 * size {
            // beside it
            return ends_open
                && line.left() > last.right() - 0.5 * size
                && line.left() - last.right() < 3.0 * size;
        }
        let indent = line.left() - last.left();
        let returns = next.is_none_or(|next| next.left() < line.left() - 0.6 * size);
        if indent > 0.8 * size
            && returns
            && !ends_open
            && !starts_item(last)
            && self.paragraph.line_count != 1
        {
            return false;
        }
        if indent > 0.8 * size && returns && !ends_open && last.right() < self.right - size {
            return false;
        }
        // an entry behind one whose lines hang
        if indent < -0.8 * size && self.paragraph.line_count > 1 && !ends_open {
            return false;
        }
        // a first line shorter than those around it was ended by who wrote it
        let around = measured.rights.get(at).copied().filter(|_| self.paragraph.line_count == 1);
        self.is_full(last, line) && around.is_none_or(|right| !ends_early(last, line, right))
            || ends_open && line.first().is_some_and(char::is_lowercase)
            || ends_in_half(last)
    }

    /// Whether the number that a line begins with is one of its sentence: the line before breaks off in full, and the number
    /// is not the one behind that of an item.
    fn runs_into(&self, line: &PageLine) -> bool {
        let number = number_of(&line.text());
        let text = self.paragraph.text();
        let is_next = number_of(&text).map(|before| before + 1) == number;
        let is_flush = line.left() - self.left < 0.5 * line.size;
        number.is_some()
            && !is_next
            && is_flush
            && !ends_sentence(&self.last)
            && self.is_full(&self.last, line)
    }

    /// Whether its first line is set in, as those of all paragraphs are then.
    fn begins_indented(&self) -> bool {
        self.paragraph.left - self.left > 0.6 * self.last.size
    }

    /// Whether the first word of a line would not have fitted on the one before.
    fn is_full(&self, last: &PageLine, line: &PageLine) -> bool {
        // the next column lies further right
        let is_below = line.left() < self.right && line.right() > self.left;
        let right = if is_below { self.right.max(line.right()) } else { self.right };
        last.right() + first_word(line) > right - 0.2 * line.size
    }

    fn append(&mut self, page: usize, line: &PageLine, vocabulary: &WordCounts) {
        let text = line.text();
        let paragraph = &mut self.paragraph;
        let joint =
            paragraph.pieces.last().map_or(Joint::Space, |(_, _, before)| vocabulary.joint(before, &text));
        if joint == Joint::Dropped
            && let Some((_, _, before)) = paragraph.pieces.last_mut()
        {
            before.pop();
        }
        let separator = if joint == Joint::Space { " " } else { "" };
        match paragraph.pieces.last_mut() {
            Some((known, _, before)) if *known == page => {
                before.push_str(separator);
                before.push_str(&text);
            }
            _ => paragraph.pieces.push((page, separator, text)),
        }
        paragraph.line_count += 1;
        paragraph.is_bold &= line.is_bold;
        let moved =
            line.baseline < self.last.baseline || line.left() > self.right || line.right() < self.left;
        (self.left, self.right) = if moved {
            (line.left(), line.right())
        } else {
            (self.left.min(line.left()), self.right.max(line.right()))
        };
        self.last = line.clone();
    }
}

/// Whether a line begins at the same side as the one below it.
fn is_flush(line: &PageLine, next: &PageLine) -> bool {
    let step = next.baseline - line.baseline;
    (next.left() - line.left()).abs() < 0.3 * line.size
        && step > 0.3 * line.size
        && step < 2.0 * line.size
        && (next.size - line.size).abs() < 0.1 * line.size
}

/// How wide the first word of a line is, with the space before it.
fn first_word(line: &PageLine) -> f32 {
    let text = line.text();
    let width = (line.right() - line.left()) / text.chars().count().max(1) as f32;
    let word = if line.first().is_some_and(is_cjk) {
        3.0
    } else {
        text.split(' ').next().map_or(0, |word| word.chars().count()).min(30) as f32
    };
    (word + 1.0) * width
}

/// Whether a line leaves much of the width to a right side unused though the next one's first word would have fitted.
fn ends_early(last: &PageLine, line: &PageLine, right: f32) -> bool {
    let unused = right - last.right() - first_word(line);
    unused > 0.2 * line.size && right - last.right() > 0.2 * (right - last.left())
}

/// Whether a line ends with a hyphen behind a letter or a digit: the rest of the word is still to come.
fn ends_in_half(line: &PageLine) -> bool {
    let text = line.text();
    text.strip_suffix(['-', '\u{2010}']).is_some_and(|word| word.ends_with(char::is_alphanumeric))
}

/// Whether a line ends a sentence.
pub(super) fn ends_sentence(line: &PageLine) -> bool {
    let text = line.text();
    let bare = without_mark(&text).trim_end_matches(['"', '\'', '”', '’', ')', '）', '」', '』', ']']);
    bare.ends_with(['.', '!', '?', ':', '。', '！', '？', '：', '…'])
}

/// A text without the mark of a note that it ends with.
fn without_mark(text: &str) -> &str {
    let marked = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    let is_mark = |mark: &str| (1..=4).contains(&mark.chars().count()) && !mark.contains(char::is_alphabetic);
    marked.filter(|(_, mark)| is_mark(mark)).map_or(text, |(before, _)| before)
}

/// Marks that begin an item of a list.
const BULLETS: [char; 14] = ['•', '▪', '◦', '‣', '●', '○', '■', '□', '–', '➢', '✓', '·', '∙', '\u{2043}'];

/// Whether a line begins an item of a list.
pub(super) fn starts_item(line: &PageLine) -> bool {
    let text = line.segments.first().map_or("", |segment| segment.text.as_str());
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return false };
    let rest = characters.as_str();
    if BULLETS.contains(&first) {
        return rest.is_empty() || rest.starts_with(' ');
    }
    number_of(text).is_some()
        || first == '('
            && rest.get(1..3).is_some_and(|mark| mark.starts_with(')'))
            && rest.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// The number of an item that a text begins with.
fn number_of(text: &str) -> Option<u32> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text.get(digits..)?;
    let is_item = (1..=2).contains(&digits) && (after.starts_with(". ") || after.starts_with(") "));
    text.get(..digits).filter(|_| is_item)?.parse().ok()
}

/// Whether a paragraph is an item with a number: set apart from its words, as lists have it, or with a stop.
pub(super) fn is_numbered(paragraph: &PageParagraph) -> bool {
    paragraph.pieces.first().is_some_and(|(.., text)| number_of(text).is_some())
}

/// The text of an item without its mark, where it has one that is only a mark.
pub(super) fn without_bullet(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(BULLETS)?;
    (rest.starts_with(' ') && !rest.trim().is_empty()).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line from `left` that reaches as far as its words do.
    fn line(text: &str, left: f32, baseline: f32) -> PageLine {
        let right = left + 5.0 * f32::from(u8::try_from(text.chars().count()).unwrap());
        PageLine::plain(text, left..right, baseline)
    }

    fn texts(pages: &[Vec<PageLine>]) -> Vec<String> {
        let blocks = of_pages(pages, &WordCounts::of(pages));
        let text = |block: &Block| match block {
            Block::Paragraph(paragraph) => paragraph.text(),
            Block::Table(..) => "a table".to_owned(),
        };
        blocks.iter().map(text).collect()
    }

    #[test]
    fn a_number_at_the_beginning_of_a_line_goes_on_with_its_sentence() {
        let page = vec![
            line("The careful lantern counted the tower on day", 0.0, 10.0),
            line("12. The grey bell ignored all of it for good,", 0.0, 22.0),
            line("and so it went on.", 0.0, 34.0),
        ];
        assert_eq!(texts(&[page]).len(), 1);
        let list = vec![
            line("11. The first of them is a very long item indeed", 0.0, 10.0),
            line("12. The second of them", 0.0, 22.0),
        ];
        assert_eq!(texts(&[list]).len(), 2);
    }

    #[test]
    fn lines_that_end_early_are_no_paragraph() {
        let page = vec![
            line("Invoice no. 4711", 0.0, 10.0),
            line("Customer: Firm A Ltd", 0.0, 22.0),
            line("3 cases of candles", 0.0, 34.0),
            line("Payable within 30 days to account 12345 of the bank of", 0.0, 46.0),
            line("Lymington in England.", 0.0, 58.0),
        ];
        let wanted = [
            "Invoice no. 4711",
            "Customer: Firm A Ltd",
            "3 cases of candles",
            "Payable within 30 days to account 12345 of the bank of Lymington in England.",
        ];
        assert_eq!(texts(&[page]), wanted);
    }

    #[test]
    fn rows_at_the_top_of_a_page_go_on_with_the_table_before() {
        let row = |cells: [&str; 3], baseline: f32| {
            let mut row = line(cells[0], 0.0, baseline);
            for (place, cell) in cells.iter().enumerate().skip(1) {
                let left = 100.0 * f32::from(u8::try_from(place).unwrap());
                row.segments.extend(line(cell, left, baseline).segments);
            }
            row
        };
        let cell = |text: &str| vec![text.to_owned()];
        let table =
            vec![vec![cell("Item"), cell("2022"), cell("2023")], vec![cell("Coal"), cell("1"), cell("2")]];
        let table = RuledTable { rows: table, ..RuledTable::default() };
        let first = PageLine { table: Some(table), ..line("", 0.0, 700.0) };
        let pages =
            [vec![first], vec![row(["Oil", "412", "517"], 10.0), line("All was counted.", 0.0, 40.0)]];
        let blocks = of_pages(&pages, &WordCounts::of(&pages));
        let Some(Block::Table(1, rows)) = blocks.get(1) else { panic!("no table") };
        assert_eq!(rows, &[["Item", "2022", "2023"], ["Oil", "412", "517"]]);
        assert_eq!(blocks.len(), 3);
    }

    #[test]
    fn a_paragraph_goes_on_with_a_number_in_the_next_column() {
        let page = vec![
            line("Old Mr. Tregenza was told by all of them that", 0.0, 10.0),
            line("he had of course refused at once to certify", 0.0, 22.0),
            line("784 half-finished dinghies, for the insurance", 300.0, 10.0),
            line("had lapsed at Michaelmas.", 300.0, 22.0),
        ];
        assert_eq!(texts(&[page]).len(), 1);
    }

    #[test]
    fn what_is_not_set_in_at_the_top_of_the_next_column_goes_on_with_a_paragraph_that_is() {
        let page = |left: f32| {
            vec![
                line("Old Mr. Tregenza was told by all of", 10.0, 10.0),
                line("them what he had of course refused to", 0.0, 22.0),
                line("certify at once; nobody was surprised.", 0.0, 34.0),
                line("The insurance had lapsed at Martinmas", 300.0 + left, 10.0),
                line("and the harbour master knew of it too.", 300.0, 22.0),
            ]
        };
        assert_eq!(texts(&[page(0.0)]).len(), 1);
        assert_eq!(texts(&[page(10.0)]).len(), 2, "a paragraph of its own");
    }

    #[test]
    fn a_ruled_table_goes_on_in_the_next_column_and_on_the_next_page() {
        let table = |rows: &[[&str; 3]], goes_on: bool| {
            let rows =
                rows.iter().map(|row| row.iter().map(|cell| vec![(*cell).to_owned()]).collect()).collect();
            PageLine {
                table: Some(RuledTable { rows, columns: vec![60.0, 90.0, 120.0], goes_on }),
                ..line("", 0.0, 700.0)
            }
        };
        let tables = |pages: &[Vec<PageLine>]| -> Vec<(usize, String)> {
            let told = |block: &Block| match block {
                Block::Table(page, rows) => {
                    (*page, rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>().join(" / "))
                }
                Block::Paragraph(paragraph) => (paragraph.page(), paragraph.text()),
            };
            of_pages(pages, &WordCounts::of(pages)).iter().map(told).collect()
        };
        let first = || table(&[["Item", "2022", "2023"], ["Coal", "1", "2"]], false);
        let oil = [["Oil", "412", "517"]];
        let whole = (0, "Item 2022 2023 / Coal 1 2 / Oil 412 517".to_owned());
        assert_eq!(tables(&[vec![first(), table(&oil, true)]]), [whole]);
        assert_eq!(tables(&[vec![first(), table(&oil, false)]]).len(), 2, "another table");
        let behind = (1, "Item 2022 2023 / Oil 412 517".to_owned());
        assert_eq!(tables(&[vec![first()], vec![table(&oil, false)]])[1], behind);
        let again = table(&[["Item", "2022", "2023"], ["Oil", "412", "517"]], false);
        assert_eq!(tables(&[vec![first()], vec![again]])[1], behind, "its header is repeated");
        let other = table(&[["Name", "Age", "Town"], ["Ada", "36", "London"]], false);
        assert_eq!(tables(&[vec![first()], vec![other]])[1].1, "Name Age Town / Ada 36 London");
        let text = line("The second table:", 0.0, 10.0);
        assert_eq!(tables(&[vec![first()], vec![text, table(&oil, false)]])[2].1, "Oil 412 517");
    }

    #[test]
    fn a_line_that_ends_with_half_a_word_goes_on() {
        let page = vec![
            line("It stands in the long report of the year 2019-", 0.0, 10.0),
            line("2020 report of Jean-", 0.0, 22.0),
            line("Luc Picard.", 0.0, 34.0),
        ];
        assert_eq!(
            texts(&[page]),
            ["It stands in the long report of the year 2019-2020 report of Jean-Luc Picard."]
        );
    }

    #[test]
    fn footnotes_stand_behind_the_paragraph_that_bears_their_mark() {
        let small = |text: &str, baseline: f32| PageLine { size: 7.0, ..line(text, 0.0, baseline) };
        let body = [
            line("It was filed in 1843.[1]", 0.0, 10.0),
            line("Another paragraph stands further below.[2]", 0.0, 40.0),
        ];
        let notes = [small("[1] A footnote.", 200.0), small("[2] Another one.", 208.0)];
        let wanted = [
            "It was filed in 1843.[1]",
            "[1] A footnote.",
            "Another paragraph stands further below.[2]",
            "[2] Another one.",
        ];
        // drawn last, and drawn first
        assert_eq!(texts(&[[body.as_slice(), &notes].concat()]), wanted);
        assert_eq!(texts(&[[notes.as_slice(), &body].concat()]), wanted);
    }

    #[test]
    fn a_note_on_the_page_behind_its_mark_stands_behind_the_paragraph_that_bears_it() {
        let small = |text: &str, baseline: f32| PageLine { size: 7.0, ..line(text, 0.0, baseline) };
        let first = vec![
            line("It was filed in 1843.[1]", 0.0, 10.0),
            line("Another paragraph stands further below.[2]", 0.0, 40.0),
            small("[1] A footnote.", 200.0),
        ];
        let second = vec![
            line("A third paragraph stands on the page behind.[3]", 0.0, 10.0),
            small("[2] Another one.", 200.0),
            small("[3] A third one.", 208.0),
        ];
        let wanted = [
            "It was filed in 1843.[1]",
            "[1] A footnote.",
            "Another paragraph stands further below.[2]",
            "[2] Another one.",
            "A third paragraph stands on the page behind.[3]",
            "[3] A third one.",
        ];
        assert_eq!(texts(&[first, second]), wanted);
        // the mark of the page before has a note of its own
        let starred = |page: &str| {
            vec![
                line(&format!("The {page} page bears a mark.[*]"), 0.0, 10.0),
                line("Another paragraph.", 0.0, 40.0),
                small("[*] A footnote.", 200.0),
            ]
        };
        let unmarked = vec![line("The last page bears none.", 0.0, 10.0), small("[*] A footnote.", 200.0)];
        let told = texts(&[starred("first"), starred("second"), unmarked]);
        assert_eq!(told.last().map(String::as_str), Some("[*] A footnote."), "{told:?}");
        assert_eq!(told[told.len() - 2], "The last page bears none.", "{told:?}");
    }

    #[test]
    fn a_note_of_a_short_column_parts_no_sentence_that_goes_on() {
        let note = PageLine { size: 7.0, ..line("[1] A footnote.", 300.0, 190.0) };
        let pages = [
            vec![
                line("All that he had was filed in 1843.[1]", 0.0, 10.0),
                line("The left column reaches down to the end.", 0.0, 200.0),
                line("Nobody in the whole of the town had ever", 300.0, 170.0),
                note,
            ],
            vec![line("inquired the way.", 0.0, 10.0)],
        ];
        let wanted = [
            "All that he had was filed in 1843.[1] The left column reaches down to the end.",
            "[1] A footnote.",
            "Nobody in the whole of the town had ever inquired the way.",
        ];
        assert_eq!(texts(&pages), wanted);
    }

    #[test]
    fn lines_of_a_program_stay_lines() {
        let code =
            |text: &str, left: f32, baseline: f32| PageLine { is_fixed: true, ..line(text, left, baseline) };
        let page = vec![
            line("It is done by a few lines that everybody knows, and by nothing else.", 0.0, 10.0),
            code("for lamp in lamps:", 0.0, 40.0),
            code("refill(lamp)", 24.0, 52.0),
        ];
        assert_eq!(texts(&[page])[1], "for lamp in lamps:\n    refill(lamp)");
        // half of a manual may be programs, and one line of it may stand alone
        let manual = vec![
            line("A lamp is lit by", 0.0, 10.0),
            code("light(lamp) and by nothing else that is known", 0.0, 26.0),
            line("which may take a while, for the name", 0.0, 42.0),
            code("lamp.of_the_northern_tower", 0.0, 54.0),
            line("is long and stands alone on its line.", 0.0, 66.0),
        ];
        let told = texts(&[manual]);
        assert_eq!(told[1], "light(lamp) and by nothing else that is known");
        assert!(told[2].contains("for the name lamp.of_the_northern_tower is long"), "{told:?}");
    }

    #[test]
    fn entries_of_contents_stay_lines_and_their_dots_are_one_mark() {
        let page = vec![
            line("1 Traffic . . . . . . . . . 2", 0.0, 10.0),
            line("1.1 港口........................ iv", 0.0, 22.0),
            line("And so on. . . it went in 1843", 0.0, 34.0),
        ];
        assert_eq!(texts(&[page]), ["1 Traffic … 2\n1.1 港口 … iv", "And so on. . . it went in 1843"]);
    }

    #[test]
    fn lines_of_ideographs_and_digits_are_joined_as_they_stand_inside_lines() {
        let page = |inside: &str| {
            vec![
                line(&format!("港口{inside}年共增加到"), 0.0, 10.0),
                line("165辆，运来灯油若干桶", 0.0, 22.0),
            ]
        };
        assert_eq!(texts(&[page("2021")]), ["港口2021年共增加到165辆，运来灯油若干桶"]);
        assert_eq!(texts(&[page(" 2021 ")]), ["港口 2021 年共增加到 165辆，运来灯油若干桶"]);
    }
}
