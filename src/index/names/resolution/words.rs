//! Word lists that the rules rest on. Short on purpose: a word that is missing costs a merge, never makes a wrong
//! one, except where said.

use crate::language::vocabulary::particles::is_particle;
use crate::language::vocabulary::titles::{is_kin, title};
use std::collections::HashSet;
use std::sync::LazyLock;

type Words = LazyLock<HashSet<&'static str>>;

/// Whether a word before a name says something of a person without being a title: "Old Joe", "Uncle Ben". Such
/// names are never joined by rule, and they make the bare name ambiguous.
pub(super) fn is_epithet(word: &str) -> bool {
    EPITHETS.contains(word) || is_kin(word)
}

/// Whether a word is no person's name, though a name may begin or end with it: "Dead Man", "Abbey Road".
pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(word) || PLACES.contains(word) || is_epithet(word) || title(word).is_some()
}

/// Whether a noun by itself says so little that with an article it means another thing in every chapter.
pub(super) fn is_generic(word: &str) -> bool {
    GENERIC.contains(word)
}

/// Whether a single word is somebody's whole name, so that "Abraham" is not taken for a short "Abraham Lincoln".
pub(super) fn is_whole_name(word: &str) -> bool {
    WHOLE.contains(word)
}

/// Whether a word inside a name shows that it is no person's: "Ghost of Marley".
pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION.contains(word)
}

/// Whether a word belongs to the family name behind it: "van", "de", "st".
pub(super) fn joins_family_name(word: &str) -> bool {
    is_particle(word) || word == "st"
}

/// Whether a family name is so frequent that two people with the same given name have it as a matter of course.
pub(super) fn is_frequent_surname(word: &str) -> bool {
    FREQUENT_SURNAMES.contains(word)
}

/// One spelling of a word that says what form a company has; `None` where it is none.
pub(super) fn company_suffix(word: &str) -> Option<&'static str> {
    Some(match word {
        "inc" | "incorporated" => "inc",
        "corp" | "corporation" => "corp",
        "co" | "company" => "co",
        "ltd" | "limited" => "ltd",
        "llc" => "llc",
        "llp" => "llp",
        "plc" => "plc",
        "gmbh" => "gmbh",
        "ag" => "ag",
        "sa" => "sa",
        "nv" => "nv",
        "bv" => "bv",
        "spa" => "spa",
        "srl" => "srl",
        "pty" => "pty",
        "sarl" => "sarl",
        "kg" => "kg",
        _ => return None,
    })
}

/// Whether a suffix can be nothing but a company's, whatever stands before it.
pub(super) fn is_plain_suffix(suffix: &str) -> bool {
    matches!(suffix, "inc" | "corp" | "ltd" | "llc" | "llp" | "plc" | "gmbh")
}

static FUNCTION: Words = LazyLock::new(|| {
    "of the and at in on for to with by from or as is vs versus into over under near without a an who that his her"
        .split_whitespace()
        .collect()
});

static EPITHETS: Words = LazyLock::new(|| {
    "old young little tiny poor dear great big small older younger elder late blind good bad fat tall handsome baby boy girl \
     senior junior dead another other nurse friar fr sr nephew niece widow squire first second third last former"
        .split_whitespace()
        .collect()
});

static WHOLE: Words = LazyLock::new(|| {
    "god jesus christ allah buddha satan abraham moses adam eve noah solomon abel cain isaac jacobs isaiah elijah muhammad \
     mohammed mary joseph david plato aristotle socrates homer caesar napoleon hercules zeus apollo venus mars mercury \
     hamlet othello confucius freud marx einstein darwin newton shakespeare beethoven mozart bach euclid galileo \
     dante virgil horace terence ovid cicero rembrandt michelangelo raphael voltaire madonna prince cher"
        .split_whitespace()
        .collect()
});

static PLACES: Words = LazyLock::new(|| {
    "street road avenue lane square park bridge river lake mountain mount hill hills island islands bay beach valley \
     county city town village state states province district region kingdom republic empire nation country territory \
     college university school institute academy library museum theatre theater hospital church cathedral chapel abbey \
     castle palace tower house hall hotel station airport harbor harbour port stadium arena center centre building \
     company corporation group records band orchestra club team league cup award awards prize show series film movie \
     album song book novel magazine journal times post news press radio television network channel \
     party association society union federation foundation committee council court department ministry agency bureau \
     office act treaty war battle army navy force day night week month year memorial monument cemetery garden gardens \
     north south east west northern southern eastern western upper lower central new san santa los las fort \
     conference championship championships tournament festival museum gallery ocean sea creek canyon falls forest desert \
     trail highway railway railroad line bank market mall estate division brigade regiment family families dynasty \
     theory law effect disease syndrome method test prison plant works factory"
        .split_whitespace()
        .collect()
});

static COMMON: Words = LazyLock::new(|| {
    "man men woman women child children person people gentleman gentlemen lady ladies fellow fellows folk stranger friend \
     friends neighbour neighbor guest guests visitor customer host hostess husband wife son daughter parent parents twin \
     ghost ghosts spirit spirits phantom phantoms angel angels devil demon demons god gods goddess hero heroes giant \
     giants witch wizard monster baby infant boy boys girls followers follower apprentice apprentices clerk clerks \
     servant servants maid housemaid cook cooks baker bakers butcher miller smith tailor porter singer \
     singers grocer grocers merchant merchants trader banker lawyer doctor nurse teacher student \
     students pupil professor scientist engineer author writer writers poet editor reader readers actor \
     actress director producer artist painter musician player players coach captain officer officers soldier soldiers \
     sailor sailors knight knights guard guards police policeman judge minister ministers priest priests monk nun bishop \
     pope king kings queen queens prince princes princess emperor president presidents mayor governor senator chief \
     leader leaders member members owner owners worker workers labourer labourers farmer farmers miner miners keeper \
     keepers driver drivers pilot speaker speakers narrator creditor beggar beggars thief thieves \
     prisoner prisoners volunteer volunteers donor donors \
     employee employees agent distributor holder manager executive founder partner partners colleague assistant secretary \
     victim victims enemy enemies ally allies critic critics expert experts official officials citizen citizens native \
     natives tribe tribes american english british french german italian spanish chinese japanese russian indian african \
     european asian greek roman jewish christian muslim catholic protestant black white red blue green yellow grey gray \
     brown golden silver thin rich wise wild mad strange unknown unnamed dying wounded sick hungry drunk \
     one two three four five six seven eight nine ten half many several some every each all both no"
        .split_whitespace()
        .collect()
});

static GENERIC: Words = LazyLock::new(|| {
    "man men woman women boy boys girl girls child children baby babies infant father mother parents brother brothers sister \
     sisters son sons daughter daughters husband wife uncle aunt nephew niece cousin friend friends people person guest \
     guests gentleman gentlemen lady ladies master mistress servant servants neighbour neighbours housekeeper housekeepers \
     customer customers stranger strangers crowd family group team company room rooms house houses home door doors window \
     windows bed chair table wall floor stairs parlour kitchen bedroom hall shop shops store office offices street streets \
     road roads lane square yard garden field fields building buildings school schools church churches town towns village \
     villages place places country river lake bridge hill mountain island beach coast area region world fire \
     light lamp box book books letter letters paper papers day days night nights morning evening afternoon dinner lunch \
     party meeting event events song songs novel film movie show game games match war battle scene story report study \
     author writer narrator speaker hero leader driver winner owner doctor teacher student students king queen president"
        .split_whitespace()
        .collect()
});

static FREQUENT_SURNAMES: Words = LazyLock::new(|| {
    "adams allen anderson bailey baker bell bennett brooks brown bryant butler campbell carter chen clark clarke coleman collins \
     cook cooper cox cruz davies davis diaz edwards evans fisher flores foster garcia gomez gonzalez gray green griffin hall \
     hamilton harris harrison hayes henderson hernandez hill howard hughes hunter jackson jenkins johnson jones kelly kim \
     king lee lewis li liu long lopez marshall martin martinez mason miller mitchell moore morgan morris murphy murray \
     myers nelson nguyen palmer park parker patel patterson perez perry peterson phillips powell price ramirez reed reyes \
     reynolds richardson rivera roberts robertson robinson rodriguez rogers ross russell sanchez sanders scott shaw \
     simmons simpson singh smith stevens stewart sullivan taylor thomas thompson torres turner walker wallace wang ward \
     washington watson west white williams wilson wood woods wright wu yang young zhang"
        .split_whitespace()
        .collect()
});
