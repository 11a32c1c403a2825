//! What the corpus calls its things: names found again in other text units ([`linking`]), and names of one thing that
//! become one ([`resolution`]).

mod kinds;
pub mod linking;
pub mod resolution;
