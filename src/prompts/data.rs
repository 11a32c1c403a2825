//! What others wrote, as it goes into prompts.

use serde::Serialize;
use std::borrow::Cow;

/// Text that others wrote: documents, names, replies, history. A prompt's field is either this or ours.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Data<'a> {
    /// One text.
    Text(Cow<'a, str>),
    /// Several, each on a line of its own.
    Lines(Vec<Cow<'a, str>>),
}

impl<'a> Data<'a> {
    /// A whole text.
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A title, a name, a question: one line.
    pub(crate) fn line(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Titles, names, questions: a line for each.
    pub(crate) fn lines<T: Into<Cow<'a, str>>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Lines(texts.into_iter().map(Into::into).collect())
    }
}

impl Default for Data<'_> {
    fn default() -> Self {
        Self::Text(Cow::Borrowed(""))
    }
}
