//! Word lists that the rules rest on. Short on purpose: a word that is missing costs a merge, never makes a wrong
//! one, except where said.

use crate::language::vocabulary::particles::is_particle;
use crate::language::vocabulary::titles::{Gender, is_kin, title};
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

/// The gender that a given name tells, of well-known names that tell one.
pub(super) fn gender_of(given: &str) -> Option<Gender> {
    match (MALE.contains(given), FEMALE.contains(given)) {
        (true, false) => Some(Gender::Male),
        (false, true) => Some(Gender::Female),
        _ => None,
    }
}

/// Whether a word is a well-known given name.
pub(super) fn is_given_name(word: &str) -> bool {
    MALE.contains(word) || FEMALE.contains(word)
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

static MALE: Words = LazyLock::new(|| {
    "aaron abdul abraham adam adolf adrian ahmed alan albert alec alejandro alex alexander alexandre alfred ali allan allen \
     alphonse alvin ambrose amos anatole anders andre andreas andrew andrei andy angus anthony antoine anton antonio \
     archibald arnold arthur aubrey august augustus austin barack barnaby barney barry bartholomew basil ben benedict \
     benito benjamin bernard bernhard bert bill billy bob bobby boris brad bradley brendan brian bruce bruno bryan calvin \
     carl carlo carlos cecil cedric cesar charles charlie chester chris christian christoph christopher clarence claude \
     claudio clement clifford clinton colin conrad constantine craig curtis cyril damian dan daniel daryl dave david dean \
     dennis derek desmond dick diego dietrich dmitri dominic don donald dougal douglas duncan dwight ebenezer ed eddie \
     edgar edmund eduardo edward edwin eli elias elijah elliot elliott elon emil emile emmanuel enrico eric erich erik \
     ernest ernst erwin ethan eugene evan ezra federico felix ferdinand fernando fidel floyd francesco francis francisco \
     francois frank franklin franz fred frederic frederick friedrich fritz gabriel gareth gary gavin geoffrey george georg \
     georges gerald gerard gerhard giacomo gilbert giovanni giuseppe glenn godfrey gordon graham grant greg gregory guido \
     guillaume gunter gus gustav guy hank hans harold harry harvey heinrich helmut henri henry herbert herman hermann \
     homer horace horatio howard hubert hugh hugo humphrey ian ibrahim igor immanuel ira isaac isaiah ivan jack jackson \
     jacob jacques jake james jamie jan jared jason jasper jay jean jeff jeffrey jeremiah jeremy jerome jerry jesse jim \
     jimmy joachim joaquin joe joel johann johannes john johnny jonah jonas jonathan jorge jose josef joseph josh joshua \
     juan jules julian julius justin karl keith ken kenneth kevin klaus konrad kurt kyle lance larry laurence lawrence leo \
     leon leonard leonardo leonid leopold leroy leslie lewis liam lionel lloyd lorenzo louis luca lucas luigi luis luke \
     luther malcolm manuel marc marcel marcello marco marcus mario mark marshall martin marvin matt matthew matthias \
     maurice max maximilian maxwell michael michel miguel mike mikhail miles milton mitchell mohamed mohammed morris moses \
     muhammad murray nathan nathaniel ned neil nelson neville nicholas nick nicolas nigel nikita nikolai nikolaus noah \
     noel norman oliver omar orson oscar osman oswald otto owen pablo patrick paul pedro percival percy perry pete peter \
     phil philip philippe phillip pierre pietro rafael ralph randall randolph randy raphael ray raymond reginald rene rex \
     ricardo richard rick robert roberto robin rod roderick rodney roger roland rolf roman ronald ronnie rory ross roy \
     rudolf rudolph rufus rupert russell salvador sam samuel satya scott sean sebastian sergei seth sidney siegfried sigmund \
     silas simon solomon spencer stanislav stanley stefan stephen steve steven stewart stuart sven ted terence terrence \
     thaddeus theodor theodore thomas tim timothy toby todd tom tommy tony travis trevor tristan tyler ulysses umberto \
     victor vincent vincenzo virgil vladimir wallace walter warren wayne wendell werner wilbur wilfred wilhelm will willard \
     william willie winston wolfgang woodrow xavier yuri zachary"
        .split_whitespace()
        .collect()
});

static FEMALE: Words = LazyLock::new(|| {
    "abigail ada adele adelaide agatha agnes aileen alexandra alice alicia alison amanda amelia amy ana anastasia andrea \
     angela angelica anita ann anna anne annette annie antoinette antonia arabella audrey aurora barbara beatrice becky \
     belinda belle bella bernadette bertha beth betsy betty beverly bianca blanche brenda bridget brigitte camilla carla \
     carmen carol caroline carolyn carrie cassandra catherine cecilia celeste celia charlotte cheryl christina christine \
     claire clara clarissa claudia clementine colleen constance cora cordelia cornelia crystal cynthia daisy dana daphne \
     deborah debra deirdre delia denise diana diane dolores dora doreen doris dorothea dorothy edith edna eileen elaine \
     eleanor elena elinor elisabeth eliza elizabeth ella ellen eloise elsa elsie emilia emily emma erica erika esmeralda \
     esther ethel eugenia eunice eva evangeline eve evelyn fanny felicia felicity fiona flora florence frances francesca \
     freda frida gail georgia georgiana georgina geraldine gertrude gina giulia gladys gloria grace greta gretchen guinevere \
     gwen gwendolyn hannah harriet hazel heather heidi helen helena henrietta hermione hilary hilda hillary hortense ida \
     imogen ingrid irene iris irma isabel isabella isadora ivy jackie jacqueline jane janet janice jean jeanne jemima jenna \
     jennifer jenny jessica jill joan joanna joanne jocelyn josephine joyce juanita judith judy julia juliana julie juliet \
     june karen kate katharina katharine katherine kathleen kathryn kathy katie katrina kitty kristen kristin laura lauren \
     laurie lavinia leah lena leonora letitia lilian lillian lily linda lisa livia lois lola lorraine louisa louise lucia \
     lucille lucinda lucretia lucy lydia mabel madeleine madeline magdalena maggie margaret margarita margery marguerite \
     maria marian marianne marie marilyn marina marion marjorie marlene martha mary matilda maud maude maureen mavis maxine \
     melanie melinda melissa mercedes meryl michelle mildred millicent minerva minnie miranda miriam moira molly monica \
     muriel myra myrtle nadia nancy naomi natalia natalie natasha nell nellie nicole nina nora norma octavia olga olive \
     olivia ophelia oprah pamela pat patricia patty paula pauline pearl peggy penelope penny petra philippa phoebe phyllis \
     polly priscilla prudence rachel ramona rebecca regina renata rhoda rita roberta rosa rosalie rosalind rosamund rose \
     rosemary roxanne ruby ruth sabrina sally samantha sandra sara sarah selma serena sharon sheila shirley sibyl sigrid \
     silvia simone sofia sonia sophia sophie stella stephanie sue susan susanna susannah suzanne sylvia tabitha tamara tanya \
     tatiana teresa tess thelma theodora theresa tiffany tina tracy ursula valentina valerie vanessa vera verity veronica \
     victoria viola violet virginia vivian vivien wanda wendy whitney wilhelmina wilma winifred winnie yolanda yoko yvette \
     yvonne zelda zoe"
        .split_whitespace()
        .collect()
});
