//! Short forms of English given names that are no beginning of them. Lower case.

use super::holds;

/// Short forms by the full name, sorted by it; each list sorted.
const SHORT_FORMS: &[(&str, &[&str])] = &[
    ("abigail", &["abbie", "abby", "gail"]),
    ("alexander", &["lex", "sandy", "sasha", "xander"]),
    ("alexandra", &["lexie", "sandra", "sasha"]),
    ("andrew", &["drew"]),
    ("anne", &["annie", "nan", "nancy"]),
    ("anthony", &["tony"]),
    ("barbara", &["babs"]),
    ("catherine", &["kate", "kathy", "katie", "kit", "kitty"]),
    ("charles", &["chuck"]),
    ("charlotte", &["lottie"]),
    ("christopher", &["kit", "topher"]),
    ("dorothy", &["dolly", "dot", "dottie"]),
    ("edward", &["ned", "ted", "teddy"]),
    ("eleanor", &["ellie", "nell", "nellie", "nora"]),
    ("elizabeth", &["bess", "bessie", "beth", "betsy", "betty", "libby", "liz", "lizzie", "lizzy"]),
    ("florence", &["flo", "flossie"]),
    ("frances", &["fanny"]),
    ("francis", &["frank"]),
    ("francisco", &["paco", "pancho"]),
    ("frederick", &["fritz"]),
    ("gerald", &["jerry"]),
    ("gregory", &["greg"]),
    ("harold", &["hal", "harry"]),
    ("helen", &["nell", "nellie"]),
    ("henry", &["hal", "hank", "harry"]),
    ("isabella", &["bella", "belle"]),
    ("jacob", &["jake"]),
    ("james", &["jim", "jimmy"]),
    ("jane", &["janie", "jenny"]),
    ("john", &["jack", "johnnie", "johnny"]),
    ("joseph", &["jo"]),
    ("katherine", &["kate", "kathy", "katie", "kay", "kit", "kitty"]),
    ("lawrence", &["larry"]),
    ("margaret", &["daisy", "maggie", "meg", "megan", "peg", "peggy", "rita"]),
    ("martha", &["patsy", "patty"]),
    ("mary", &["mamie", "mollie", "molly", "polly"]),
    ("matilda", &["tilly"]),
    ("michael", &["mick", "mike"]),
    ("nathaniel", &["nate"]),
    ("nicholas", &["klaus", "nick"]),
    ("patricia", &["patsy", "patty", "tricia", "trish"]),
    ("patrick", &["paddy"]),
    ("peter", &["pete"]),
    ("philip", &["pip"]),
    ("rebecca", &["becky"]),
    ("richard", &["dick", "rick", "ricky"]),
    ("robert", &["bob", "bobbie", "bobby"]),
    ("samantha", &["mantha"]),
    ("sarah", &["sadie", "sally"]),
    ("susan", &["sukie"]),
    ("theodore", &["ted", "teddy"]),
    ("theresa", &["terry", "tess", "tessa"]),
    ("thomas", &["tommy"]),
    ("victoria", &["tori", "vicky"]),
    ("virginia", &["ginny"]),
    ("walter", &["wat"]),
    ("wilhelmina", &["mina", "minnie"]),
    ("william", &["bill", "billy", "liam"]),
];

/// Letters from which the beginning of a given name, or its end, is taken for a short form.
const BEGINNING: usize = 3;
const END: usize = 4;

/// The full given names that a word is a listed short form of.
pub(crate) fn full_names_of(short: &str) -> impl Iterator<Item = &'static str> {
    SHORT_FORMS.iter().filter(move |(_, forms)| holds(forms, short)).map(|(full, _)| *full)
}

/// Whether a word may be short for a given name: "peg" for "margaret", "dan" for "daniel", "seun" for "oluwaseun",
/// "danny" for "daniel". Both in lower case.
pub(crate) fn may_be_short_for(short: &str, given: &str) -> bool {
    if short == given || given.chars().count() <= short.chars().count() {
        return full_names_of(short).any(|full| full == given);
    }
    let letters = short.chars().count();
    let begins = |part: &str| part.chars().count() >= BEGINNING && given.starts_with(part);
    // danny, rosie: an ending on the beginning, whose last letter may be doubled
    let stem = ["ie", "y", "i"].iter().find_map(|ending| short.strip_suffix(ending)).unwrap_or_default();
    let mut last = stem.chars().rev();
    let is_doubled = matches!((last.next(), last.next()), (Some(a), Some(b)) if a == b);
    let single = if is_doubled { stem.get(..stem.len() - 1).unwrap_or_default() } else { stem };
    begins(short)
        || begins(single)
        || letters >= END && given.ends_with(short)
        || full_names_of(short).any(|full| full == given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_without_repetition() {
        assert!(SHORT_FORMS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (full, forms) in SHORT_FORMS {
            let mut sorted = forms.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(&sorted, forms, "{full}");
        }
    }

    #[test]
    fn short_forms_are_listed_or_a_beginning_or_an_end() {
        for (short, given) in [
            ("peg", "margaret"),
            ("bob", "robert"),
            ("dan", "daniel"),
            ("danny", "daniel"),
            ("rosie", "rosemary"),
            ("seun", "oluwaseun"),
        ] {
            assert!(may_be_short_for(short, given), "{short} for {given}");
        }
        for (short, given) in
            [("dan", "dan"), ("bo", "boris"), ("ann", "joann"), ("daniel", "dan"), ("y", "yara")]
        {
            assert!(!may_be_short_for(short, given), "{short} for {given}");
        }
    }
}
