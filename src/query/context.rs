//! What a question's answer is written from.

/// The packed context.
#[derive(Clone, Debug, Default)]
pub struct Context;
