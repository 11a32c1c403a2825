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

pub(super) use docx::read as read_docx;
pub(super) use open_document::{read_odp, read_odt};
pub(super) use pptx::read as read_pptx;
pub(super) use properties::chosen_title;
pub(super) use sheets::read as read_sheets;
