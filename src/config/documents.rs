//! `[documents]`: how files are read.

use crate::domain::FiscalCalendar;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `[documents]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DocumentsConfig {
    /// Column of csv, or field of json and jsonl, that holds the text; empty: `text`, else `content`.
    pub text_field: String,
    /// Column or field that holds the title; empty: `title`.
    pub title_field: String,
    /// Column, field or key of the front matter that holds the date; empty: `date`, `published` and the like.
    pub date_field: String,
    /// Month that a company's year begins in: with 7, FY24Q1 is July to September 2023.
    pub fiscal_first_month: u8,
    /// Largest file in megabytes; a larger one is passed over and named.
    pub max_file_mb: u64,
    /// What becomes of the rows of spreadsheets.
    pub sheets: SheetRows,
    /// What reads pages that are pictures, and pictures given as files: `model` (that of `[llm.ocr]`), a command that
    /// prints the text of `{image}`, or one that gives a PDF `{in}` a text layer in the folder `{out}`. Empty: such pages
    /// are named and not read.
    pub ocr: String,
    /// Commands that make other formats readable, by extension (rtf, doc, ppt, msg, pages, numbers, key): `{in}` is the
    /// file, `{out}` a folder for what is made; without `{out}` what the command prints is the text. None is run unless
    /// it is set.
    pub converters: BTreeMap<String, String>,
}

/// What becomes of the rows of a spreadsheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SheetRows {
    /// A workbook is a document, its sheets are tables in it.
    #[default]
    Table,
    /// Every row below a sheet's header is a document.
    Documents,
}

/// What reads pages that are pictures, as `[documents] ocr` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageReading<'a> {
    /// Nothing: they are named.
    None,
    /// The model of `[llm.ocr]`.
    Model,
    /// A command that prints the text of a picture.
    Image(&'a str),
    /// A command that gives a PDF a text layer.
    Layer(&'a str),
    /// None of these.
    Unknown,
}

/// Extensions that a converter can be set for.
const CONVERTED: [&str; 7] = ["rtf", "doc", "ppt", "msg", "pages", "numbers", "key"];

impl Default for DocumentsConfig {
    fn default() -> Self {
        Self {
            text_field: String::new(),
            title_field: String::new(),
            date_field: String::new(),
            fiscal_first_month: 7,
            max_file_mb: 64,
            sheets: SheetRows::default(),
            ocr: String::new(),
            converters: BTreeMap::new(),
        }
    }
}

impl DocumentsConfig {
    /// When a company's year begins.
    pub fn fiscal_calendar(&self) -> FiscalCalendar {
        FiscalCalendar::new(self.fiscal_first_month).unwrap_or_default()
    }

    /// What reads pages that are pictures.
    pub fn page_reading(&self) -> PageReading<'_> {
        match self.ocr.trim() {
            "" => PageReading::None,
            "model" => PageReading::Model,
            command if command.contains("{image}") => PageReading::Image(command),
            command if command.contains("{out}") => PageReading::Layer(command),
            _ => PageReading::Unknown,
        }
    }

    /// Refuses what cannot work.
    ///
    /// # Errors
    /// Names the key, what was wanted and how to mend it.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.max_file_mb > 0, "[documents] max_file_mb is 0; it must be at least 1 megabyte");
        ensure!(
            FiscalCalendar::new(self.fiscal_first_month).is_some(),
            "[documents] fiscal_first_month is {}; it must be a month, 1 to 12",
            self.fiscal_first_month
        );
        ensure!(
            self.text_field.is_empty() || self.text_field != self.title_field,
            "[documents] text_field and title_field are both {:?}; name two columns",
            self.text_field
        );
        ensure!(
            self.page_reading() != PageReading::Unknown,
            "[documents] ocr is {:?}; wanted \"model\", a command that names {{image}} and prints its text, or one that \
             names {{out}}, the folder that the readable PDF is written to",
            self.ocr
        );
        for (format, command) in &self.converters {
            ensure!(
                CONVERTED.contains(&format.as_str()),
                "[documents.converters] {format:?} is none of {}",
                CONVERTED.join(", ")
            );
            ensure!(
                !command.trim().is_empty(),
                "[documents.converters] {format} is empty; write a command, or take it out"
            );
        }
        Ok(())
    }
}
