//! What a document is made of: paragraphs and tables, with the pages that they stand on.

/// A run of text that stands together.
#[derive(Debug)]
pub(super) struct PageParagraph {
    /// What stands on each page that it crosses: the page from 0, what stands before it, and the words.
    pub(super) pieces: Vec<(usize, &'static str, String)>,
    pub(super) size: f32,
    pub(super) is_bold: bool,
    pub(super) line_count: usize,
    /// How far from the left it begins.
    pub(super) left: f32,
    /// Whether it is lines of a program, each a line of its own.
    pub(super) is_code: bool,
    /// Whether it stands below the text of its page, smaller: a footnote.
    pub(super) is_note: bool,
}

impl PageParagraph {
    /// All of it.
    pub(super) fn text(&self) -> String {
        self.pieces.iter().flat_map(|(_, before, text)| [*before, text.as_str()]).collect()
    }

    /// The page that it begins on, from 0.
    pub(super) fn page(&self) -> usize {
        self.pieces.first().map_or(0, |(page, ..)| *page)
    }
}

/// What a document is made of.
#[derive(Debug)]
pub(super) enum Block {
    Paragraph(PageParagraph),
    /// Rows of cells, and the page from 0.
    Table(usize, Vec<Vec<String>>),
}

impl Block {
    /// The page that it begins on, from 0.
    pub(super) fn page(&self) -> usize {
        match self {
            Self::Paragraph(paragraph) => paragraph.page(),
            Self::Table(page, _) => *page,
        }
    }
}
