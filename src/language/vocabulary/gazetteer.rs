//! Names that are the same in every text: given names, places, well-known organisations and products.
//!
//! `given_names.txt`: the most frequent given names of the 1990 census of the United States (public domain), and frequent
//! ones of other countries. `organizations.txt`, `products.txt`: organisations and products that news and
//! talks name often, written by hand. A single word of these gives way to a person of the text who bears it as a surname.
//! `places.txt`: countries, their capitals and larger cities, from `GeoNames` (<https://www.geonames.org>, CC BY 4.0), with
//! the states of the United States and the continents; names with marks stand there without them, too. Both in lower
//! case, a name a line; cities whose name is a common word are left out.

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

static GIVEN_NAMES: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| include_str!("given_names.txt").lines().collect());
static PLACES: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| include_str!("places.txt").lines().collect());

static ORGANIZATIONS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| include_str!("organizations.txt").lines().collect());
static PRODUCTS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| include_str!("products.txt").lines().collect());

/// Whether a word, in lower case, is a person's given name.
pub(crate) fn is_given_name(word: &str) -> bool {
    GIVEN_NAMES.contains(word)
}

/// Whether a name, in lower case, is that of a country, a state or a larger city.
pub(crate) fn is_place(name: &str) -> bool {
    PLACES.contains(name)
}

/// Whether a name, in lower case, is that of an organisation that is known everywhere.
pub(crate) fn is_known_organization(name: &str) -> bool {
    ORGANIZATIONS.contains(name)
}

/// Whether a name, in lower case, is that of a product that is known everywhere.
pub(crate) fn is_known_product(name: &str) -> bool {
    PRODUCTS.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_lower_case_whatever_their_words() {
        assert!(
            is_known_organization("microsoft") && is_known_product("linux") && !is_known_product("table")
        );
        assert!(is_given_name("mary") && is_given_name("kevin") && !is_given_name("table"));
        assert!(
            is_place("vienna") && is_place("new york") && is_place("south africa") && !is_place("reading")
        );
    }

    #[test]
    fn the_lists_are_sorted_and_without_repetition() {
        for list in [
            include_str!("given_names.txt"),
            include_str!("places.txt"),
            include_str!("organizations.txt"),
            include_str!("products.txt"),
        ] {
            let lines: Vec<&str> = list.lines().collect();
            assert!(lines.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
