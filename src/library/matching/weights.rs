//! What counts how much when two questions are compared. Chosen on one half of a test set and checked on the other.

/// What counts how much.
#[derive(Clone, Debug)]
pub(crate) struct MatchWeights {
    /// Two words of one meaning.
    pub(crate) synonym: f64,
    /// A word of the question inside of one of the entry: it says less.
    pub(crate) part: f64,
    /// A word of the entry inside of one of the question: the question says more.
    pub(crate) whole: f64,
    /// A word that may be misspelt.
    pub(crate) misspelt: f64,
    /// A Han word that may be misspelt.
    pub(crate) han_misspelt: f64,
    /// A word of another phrasing of the same entry.
    pub(crate) other_phrasing: f64,
    /// A word of the entry's tags and terms.
    pub(crate) term: f64,
    /// A word of the answer.
    pub(crate) answer: f64,
    /// A word that names how the entry asks.
    pub(crate) kind: f64,
    /// A word of one meaning with one that another word of the question says itself, where that has several meanings.
    pub(crate) taken: f64,
    /// What a light word weighs.
    pub(crate) light: f64,
    /// What a word weighs at least that most entries have.
    pub(crate) common: f64,
    /// From which likeness on a word counts as said.
    pub(crate) said: f64,
    /// How steeply what the entry does not speak of costs.
    pub(crate) asked_power: f64,
    /// What is left of an entry of which the question names almost nothing.
    pub(crate) stored_floor: f64,
    /// What one word that the entry does not speak of leaves.
    pub(crate) unsaid: f64,
    /// An opposite instead of the word.
    pub(crate) opposite: f64,
    /// The entry asks what it takes to do something, and the question does not name what is done.
    pub(crate) other_action: f64,
    /// The question asks how, and the entry only whether.
    pub(crate) only_whether: f64,
    /// A word denied by one side only.
    pub(crate) denied: f64,
    /// Another number.
    pub(crate) other_number: f64,
    /// What a last clause counts where the question has several.
    pub(crate) clause: f64,
    /// Confidence from which on a question says all of an entry.
    pub(crate) literally: f64,
    /// From which share of the first's confidence on a second entry fits as well.
    pub(crate) near_tie: f64,
    /// What is left of both where two fit as well.
    pub(crate) rival: f64,
    /// Keywords that ask in no way, to an entry that tells when, how long or how much alone.
    pub(crate) keywords: f64,
}

impl Default for MatchWeights {
    fn default() -> Self {
        Self {
            synonym: 0.95,
            part: 0.85,
            whole: 0.5,
            misspelt: 0.92,
            han_misspelt: 0.88,
            other_phrasing: 0.9,
            term: 0.92,
            answer: 0.5,
            kind: 0.8,
            taken: 0.5,
            light: 0.02,
            common: 0.7,
            said: 0.6,
            asked_power: 1.8,
            stored_floor: 0.6,
            unsaid: 0.6,
            opposite: 0.35,
            other_action: 0.55,
            only_whether: 0.54,
            denied: 0.5,
            other_number: 0.35,
            clause: 0.92,
            literally: 0.97,
            near_tie: 0.9,
            rival: 0.55,
            keywords: 0.88,
        }
    }
}
