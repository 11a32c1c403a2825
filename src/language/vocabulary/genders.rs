//! Well-known given names of men and of women. Lower case.

use super::titles::Gender;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

type Words = LazyLock<FxHashSet<&'static str>>;

/// The gender that a given name tells, of well-known names that tell one.
pub(crate) fn gender_of(given: &str) -> Option<Gender> {
    match (MALE.contains(given), FEMALE.contains(given)) {
        (true, false) => Some(Gender::Male),
        (false, true) => Some(Gender::Female),
        _ => None,
    }
}

/// Whether a word is a well-known given name that may tell a gender.
pub(crate) fn is_well_known(word: &str) -> bool {
    MALE.contains(word) || FEMALE.contains(word)
}

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
