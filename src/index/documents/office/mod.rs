//! Office documents: zip archives of XML.

mod cells;
mod docx;
mod drawings;
mod number_formats;
mod numbering;
mod ods_cells;
mod open_document;
mod pptx;
mod properties;
mod relations;
mod sheets;
mod xls_formats;

/// What is told of slides that a presentation does not show.
const HIDDEN_SLIDES: &str = "no place in the show: hidden, and left out; unhide what is to be read";

pub(super) use docx::read as read_docx;
pub(super) use open_document::{read_odp, read_odt};
pub(super) use pptx::read as read_pptx;
pub(super) use properties::chosen_title;
pub(super) use sheets::read as read_sheets;
