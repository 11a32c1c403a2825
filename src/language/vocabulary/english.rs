//! Closed lists of English words that the rules know. Lower case, sorted.

/// Words that are no name by themselves, however they are written: pronouns, calls, parts of books, forms of address.
#[rustfmt::skip]
pub(crate) const PRONOUNS_AND_CALLS: &[&str] = &[
    "a", "act", "actually", "again", "ah", "aha", "al", "alas", "all", "also", "always", "am",
    "amen", "an", "and", "another", "any", "appendix", "are", "as", "at", "aunt", "author", "aye",
    "basically", "be", "been", "book", "both", "bravo", "brother", "but", "by", "bye", "can",
    "canto", "chap", "chapter", "com", "come", "contents", "copyright", "could", "credits", "dad",
    "date", "did", "do", "does", "dr", "dr.", "e.g", "e.g.", "each", "edition", "eight", "either",
    "email", "et", "etc", "even", "ever", "every", "father", "few", "fig", "figure", "first", "five",
    "footnote", "for", "four", "from", "frontispiece", "get", "give", "go", "going", "good",
    "goodbye", "got", "grandma", "grandpa", "granny", "great", "ha", "had", "hallo", "hark", "has",
    "have", "he", "heading", "hello", "her", "here", "hers", "hey", "hi", "him", "his", "hmm",
    "hooray", "how", "http", "https", "hullo", "hurrah", "hush", "i", "i.e", "i.e.", "ibid", "if",
    "illustration", "illustrations", "in", "indeed", "index", "introduction", "is", "isbn", "it",
    "its", "just", "know", "language", "last", "let", "lets", "like", "lo", "look", "ma'am", "madam",
    "make", "mama", "mamma", "many", "may", "maybe", "me", "might", "mine", "miss", "mom", "more",
    "most", "mother", "mr", "mr.", "mrs", "mrs.", "ms", "ms.", "much", "mum", "must", "my", "myself",
    "nay", "neither", "never", "next", "nine", "no", "none", "nope", "nor", "not", "note", "notes",
    "now", "of", "oh", "ok", "okay", "on", "once", "one", "only", "or", "other", "our", "ours",
    "own", "p.s", "page", "papa", "paragraph", "part", "perhaps", "please", "pooh", "pray",
    "preface", "produced", "prof", "prof.", "really", "release", "right", "said", "same", "say",
    "scene", "second", "section", "see", "seven", "several", "shall", "she", "should", "sir",
    "sister", "six", "so", "some", "sorry", "st", "st.", "still", "subject", "such", "sure", "table",
    "take", "ten", "than", "thank", "thanks", "that", "the", "their", "theirs", "them", "then",
    "there", "therefore", "thereupon", "these", "they", "think", "third", "this", "those", "three",
    "title", "to", "too", "tut", "two", "ugh", "uh", "um", "uncle", "updated", "us", "v", "vol",
    "volume", "vs", "want", "was", "we", "well", "were", "what", "when", "where", "whereat",
    "wherefore", "whereupon", "which", "who", "whom", "whose", "why", "will", "with", "would", "wow",
    "www", "yea", "yeah", "yep", "yes", "yet", "you", "your", "yours",
];

/// Last or leading words of organisations' names.
#[rustfmt::skip]
pub(crate) const ORGANIZATION_HEADS: &[&str] = &[
    "a.f.c.", "a/s", "ab", "academy", "ag", "agency", "airline", "airlines", "airways", "alliance",
    "army", "asa", "assembly", "association", "authority", "bakery", "band", "bank", "battalion",
    "biologics", "biotech", "board", "breweries", "brewery", "brigade", "broadcasting", "bureau", "bv",
    "capital", "center", "centre", "choir", "church", "club", "co", "co.", "college", "commission",
    "committee", "company", "confederation", "congress", "conservatory", "consortium", "corp", "corp.",
    "corporation", "corporations", "council", "court", "department", "electronics", "energy",
    "entertainment", "f.c.", "fc", "federation", "foods", "force", "forces", "foundation", "fund", "gmbh",
    "government", "group", "guild", "holdings", "hospital", "inc", "inc.", "industries", "institute",
    "institution", "insurance", "kg", "laboratories", "labs", "league", "library", "llc", "llp",
    "logistics", "ltd", "ltd.", "media", "ministry", "motors", "museum", "navy", "network", "networks",
    "news", "nv", "office", "orchestra", "organisation", "organization", "oyj", "parliament", "partners",
    "party", "pharma", "pharmaceuticals", "pictures", "plc", "police", "press", "productions", "pty",
    "publishers", "publishing", "railway", "railways", "records", "regiment", "robotics", "school",
    "semiconductor", "semiconductors", "seminary", "senate", "shipping", "shipyard", "society",
    "software", "studios", "systems", "team", "technologies", "technology", "telecom", "trust", "union",
    "university", "ventures",
];

/// Last or leading words of places' names.
#[rustfmt::skip]
pub(crate) const PLACE_HEADS: &[&str] = &[
    "abbey", "airport", "avenue", "bay", "beach", "borough", "boulevard", "bridge", "building",
    "canal", "canyon", "cape", "castle", "cathedral", "cemetery", "city", "coast", "commonwealth",
    "county", "creek", "desert", "district", "drive", "emirate", "empire", "falls", "forest", "garden",
    "gardens", "gulf", "hall", "harbor", "harbour", "heights", "hill", "hills", "house", "island",
    "islands", "isle", "kingdom", "lake", "lane", "market", "monastery", "mount", "mountain",
    "mountains", "mt", "mt.", "municipality", "ocean", "palace", "parish", "park", "peninsula",
    "plaza", "port", "prefecture", "province", "region", "republic", "river", "road", "sea", "springs",
    "square", "st.", "stadium", "state", "states", "station", "strait", "street", "temple",
    "territory", "theater", "theatre", "tower", "town", "township", "valley", "village",
];

/// Last or leading words of events' names.
#[rustfmt::skip]
pub(crate) const EVENT_HEADS: &[&str] = &[
    "awards", "battle", "campaign", "carnival", "ceremony", "championship", "championships", "conference",
    "congress", "conspiracy", "coronation", "crisis", "cup", "day", "derby", "earthquake", "election",
    "elections", "eve", "exhibition", "expedition", "fair", "festival", "flood", "games", "hurricane",
    "marathon", "massacre", "olympics", "open", "prix", "rebellion", "revolution", "riots", "season",
    "siege", "summit", "tour", "tournament", "treaty", "uprising", "war", "wars",
];

/// Days that are celebrated.
#[rustfmt::skip]
pub(crate) const HOLIDAYS: &[&str] = &[
    "advent", "carnival", "christmas", "diwali", "easter", "halloween", "hanukkah", "lent",
    "michaelmas", "passover", "pentecost", "ramadan", "thanksgiving", "yom", "yuletide",
];

/// Last or leading words of works' names, and nouns before them.
#[rustfmt::skip]
pub(crate) const WORK_HEADS: &[&str] = &[
    "album", "anime", "anthem", "ballet", "bible", "book", "cartoon", "chronicle", "comic", "concerto",
    "documentary", "episode", "film", "game", "gazette", "herald", "journal", "magazine", "manga",
    "movie", "musical", "novel", "opera", "painting", "play", "poem", "review", "saga", "series",
    "single", "sitcom", "sonata", "song", "soundtrack", "suite", "symphony", "trilogy", "videogame",
    "videogames",
];

/// What a person is.
#[rustfmt::skip]
pub(crate) const PERSON_NOUNS: &[&str] = &[
    "activist", "actor", "actress", "admiral", "analyst", "anthropologist", "apprentice", "archaeologist",
    "architect", "artist", "astronaut", "astronomer", "athlete", "attorney", "aunt", "author", "bachelor",
    "baker", "banker", "barrister", "biographer", "biologist", "bishop", "blacksmith", "boxer", "boy",
    "broadcaster", "brother", "businessman", "businesswoman", "butcher", "captain", "carpenter", "ceo",
    "chairman", "chairwoman", "chef", "chemist", "child", "clerk", "coach", "colleague", "colonel",
    "columnist", "comedian", "commander", "composer", "conductor", "consultant", "cook", "correspondent",
    "count", "cousin", "cricketer", "critic", "curator", "cyclist", "dancer", "daughter", "designer",
    "detective", "diplomat", "director", "doctor", "driver", "drummer", "duke", "earl", "economist",
    "editor", "emperor", "engineer", "entrepreneur", "essayist", "executive", "explorer", "farmer",
    "farmhand", "father", "filmmaker", "fisherman", "footballer", "founder", "friend", "gardener",
    "general", "girl", "golfer", "governor", "granddaughter", "grandfather", "grandmother", "grandson",
    "guitarist", "historian", "host", "husband", "inventor", "investor", "journalist", "judge", "king",
    "knight", "lawyer", "lieutenant", "linguist", "man", "manager", "mathematician", "mayor", "member",
    "member of", "merchant", "midwife", "minister", "missionary", "model", "monk", "mother", "musician",
    "neighbor", "neighbour", "nephew", "niece", "nobleman", "noblewoman", "novelist", "nun", "nurse",
    "officer", "painter", "partner", "people", "person", "philosopher", "photographer", "physician",
    "physicist", "pianist", "player", "playwright", "poet", "politician", "pope", "presenter",
    "president", "priest", "prince", "princess", "producer", "professor", "programmer", "psychologist",
    "publisher", "queen", "rapper", "reporter", "researcher", "sailor", "saint", "scholar", "scientist",
    "screenwriter", "sculptor", "secretary", "senator", "sergeant", "singer", "sister", "skier",
    "sociologist", "soldier", "solicitor", "son", "songwriter", "spokesman", "spokesperson",
    "spokeswoman", "sprinter", "star", "surgeon", "swimmer", "teacher", "tenant", "theologian",
    "translator", "treasurer", "trustee", "uncle", "volunteer", "widow", "widower", "wife", "woman",
    "wrestler", "writer",
];

/// What a place is.
#[rustfmt::skip]
pub(crate) const PLACE_NOUNS: &[&str] = &[
    "airport", "area", "bay", "borough", "bridge", "building", "canal", "capital", "castle",
    "cathedral", "cemetery", "church", "city", "commune", "community", "country", "county", "creek",
    "dam", "desert", "district", "forest", "hamlet", "harbor", "harbour", "hill", "island", "lake",
    "mountain", "municipality", "nation", "neighborhood", "neighbourhood", "ocean", "palace", "parish",
    "park", "peak", "peninsula", "port", "prefecture", "province", "region", "reservoir", "river",
    "road", "sea", "settlement", "site", "skyscraper", "stadium", "state", "station", "street",
    "suburb", "temple", "territory", "tower", "town", "township", "valley", "village",
];

/// What an organisation is.
#[rustfmt::skip]
pub(crate) const ORGANIZATION_NOUNS: &[&str] = &[
    "academy", "agency", "airline", "army", "association", "automaker", "bakery", "band", "bank",
    "bookmaker", "brand", "brewer", "brewery", "carmaker", "chain", "channel", "charity", "chipmaker",
    "club", "college", "committee", "company", "conglomerate", "consultancy", "corporation", "council",
    "dealership", "department", "division", "drugmaker", "duo", "dynasty", "family", "firm", "foundation",
    "grocer", "group", "hospital", "institute", "insurer", "label", "league", "lender", "library",
    "maker", "manufacturer", "ministry", "multinational", "museum", "network", "newspaper", "nonprofit",
    "orchestra", "organisation", "organization", "party", "planemaker", "publisher", "refiner",
    "regiment", "regulator", "retailer", "school", "shipbuilder", "shipyard", "society", "start-up",
    "startup", "station", "steelmaker", "studio", "subsidiary", "supermarket", "supplier", "team",
    "tribe", "trio", "union", "university", "utility", "watchdog", "wholesaler",
];

/// What a work is.
#[rustfmt::skip]
pub(crate) const WORK_NOUNS: &[&str] = &[
    "album", "anime", "anthology", "ballet", "book", "comedy", "comic", "dictionary", "documentary",
    "drama", "encyclopedia", "ep", "episode", "film", "game", "journal", "magazine", "manga",
    "mixtape", "movie", "musical", "newspaper", "novel", "novella", "opera", "painting", "play",
    "poem", "program", "programme", "sculpture", "series", "show", "single", "sitcom", "song",
    "soundtrack", "story", "symphony", "thriller", "western",
];

/// What an event is.
#[rustfmt::skip]
pub(crate) const EVENT_NOUNS: &[&str] = &[
    "attack", "battle", "campaign", "census", "ceremony", "championship", "competition", "conference",
    "disaster", "earthquake", "election", "event", "exhibition", "expedition", "festival", "flood",
    "holiday", "hurricane", "incident", "massacre", "match", "race", "rebellion", "revolution",
    "season", "siege", "tournament", "treaty", "uprising", "war",
];

/// What people do with words and minds, in the past and the present.
#[rustfmt::skip]
pub(crate) const SPEECH_VERBS: &[&str] = &[
    "added", "answered", "answers", "asked", "asks", "believed", "called", "continued", "cried",
    "cries", "demanded", "died", "enquired", "exclaimed", "faltered", "felt", "growled", "hinted",
    "inquired", "interposed", "knew", "laughed", "looked", "married", "murmured", "muttered", "nodded",
    "observed", "remarked", "repeated", "replied", "replies", "retorted", "returned", "said", "sat",
    "say", "says", "screamed", "shouted", "sighed", "smiled", "sobbed", "spoke", "stood", "tells",
    "thinks", "thought", "told", "walked", "wept", "whispered", "writes", "wrote",
];

/// Verbs of speech that stand before the speaker.
#[rustfmt::skip]
pub(crate) const SPEECH_VERBS_INVERTED: &[&str] = &[
    "added", "answered", "asked", "cried", "demanded", "enquired", "exclaimed", "faltered", "growled",
    "inquired", "interposed", "laughed", "murmured", "muttered", "observed", "repeated", "replied",
    "retorted", "returned", "said", "says", "shouted", "urged", "whispered",
];

/// What a person has.
#[rustfmt::skip]
pub(crate) const BODY_AND_KIN: &[&str] = &[
    "arm", "arms", "aunt", "birth", "brother", "career", "child", "children", "clerk", "cousin",
    "daughter", "death", "eye", "eyes", "face", "family", "father", "feet", "friend", "friends",
    "grandfather", "grandmother", "hair", "hand", "hands", "head", "heart", "house", "husband",
    "knee", "life", "lips", "love", "mind", "mother", "nephew", "niece", "partner", "room",
    "shoulder", "sister", "son", "uncle", "voice", "widow", "wife",
];

/// Modifiers that are never the beginning of a name.
#[rustfmt::skip]
pub(crate) const GREETINGS: &[&str] = &[
    "current", "dear", "entire", "former", "good", "happy", "late", "mere", "merry", "poor", "very",
    "whole",
];

/// Words that open a sentence rather than a name.
#[rustfmt::skip]
pub(crate) const MODIFIERS: &[&str] = &[
    "about", "according", "african", "after", "against", "along", "although", "american", "among",
    "ancient", "asian", "australian", "based", "because", "before", "between", "big", "both",
    "british", "canadian", "chinese", "currently", "despite", "during", "earlier", "early", "eastern",
    "eight", "english", "european", "eventually", "famous", "fellow", "finally", "five", "following",
    "formerly", "four", "french", "furthermore", "generally", "german", "great", "hence", "high",
    "however", "hundred", "indian", "initially", "irish", "italian", "japanese", "later", "like",
    "little", "long", "low", "many", "meanwhile", "modern", "moreover", "most", "new", "nine",
    "northern", "notable", "often", "old", "originally", "other", "over", "real", "recently",
    "russian", "scottish", "seven", "several", "since", "six", "small", "sometimes", "southern",
    "spanish", "ten", "though", "thousand", "three", "through", "thus", "today", "tomorrow", "tonight",
    "true", "two", "under", "unless", "unlike", "until", "upon", "usually", "western", "whereas",
    "whether", "while", "within", "without", "yesterday", "young",
];

/// Nouns too general for a node of their own.
#[rustfmt::skip]
pub(crate) const GENERAL_NOUNS: &[&str] = &[
    "ability", "activity", "addition", "afternoon", "air", "am", "amount", "answer", "answers",
    "anybody", "anyone", "anything", "area", "areas", "arm", "arms", "back", "bag", "bed",
    "beginning", "bell", "billion", "bit", "body", "book", "books", "bottom", "boy", "boys",
    "breast", "brother", "bunch", "case", "cases", "ceiling", "century", "chair", "chance", "change",
    "cheek", "child", "children", "clock", "conversation", "corner", "couple", "course", "daughter",
    "day", "days", "deal", "decrease", "degree", "dog", "door", "dozen", "effect", "end", "ends",
    "episode", "evening", "everybody", "everyone", "everything", "example", "examples", "experience",
    "eye", "eyes", "face", "fact", "facts", "family", "father", "feeling", "feet", "fellow",
    "figure", "finger", "fingers", "fire", "floor", "folk", "folks", "foot", "form", "friend",
    "friends", "front", "gentleman", "gentlemen", "girl", "girls", "glance", "glass", "group",
    "groups", "guy", "guys", "hair", "half", "hand", "hands", "hat", "head", "heap", "heart", "home",
    "hour", "hours", "house", "hundred", "husband", "idea", "ideas", "inch", "increase", "issue",
    "issues", "job", "kind", "kinds", "knee", "ladies", "lady", "left", "letter", "level", "life",
    "light", "line", "lines", "lip", "look", "lot", "lots", "man", "manner", "matter", "member",
    "members", "men", "middle", "mile", "miles", "million", "mind", "minute", "minutes", "moment",
    "moments", "month", "months", "morning", "mother", "name", "names", "night", "nobody", "noise",
    "note", "nothing", "number", "numbers", "one", "ones", "opportunity", "order", "others", "page",
    "pair", "paper", "part", "parts", "party", "people", "percent", "person", "piece", "pieces",
    "place", "places", "play", "pm", "pocket", "podcast", "point", "points", "problem", "problems",
    "purpose", "question", "questions", "reason", "reasons", "rest", "result", "results", "right",
    "role", "room", "round", "self", "sense", "series", "set", "shoulder", "side", "sides", "sister",
    "smile", "somebody", "someone", "something", "son", "sort", "sound", "stair", "stairs", "start",
    "state", "step", "story", "street", "streets", "stuff", "table", "talk", "tear", "tears", "term",
    "terms", "text", "thanks", "thing", "things", "thought", "thoughts", "thousand", "time", "times",
    "today", "tomorrow", "tone", "tonight", "top", "topic", "transcript", "trick", "turn", "type",
    "types", "use", "version", "view", "voice", "wall", "walls", "water", "way", "ways", "week",
    "weeks", "whole", "wife", "window", "woman", "women", "word", "words", "work", "works", "world",
    "year", "years", "yesterday",
];

/// Adjectives that make no term.
#[rustfmt::skip]
pub(crate) const GENERAL_ADJECTIVES: &[&str] = &[
    "able", "actual", "additional", "afraid", "alive", "alone", "amazing", "awesome", "bad",
    "beautiful", "best", "better", "big", "certain", "close", "common", "cool", "crazy", "current",
    "dead", "dear", "different", "double", "early", "easy", "entire", "extra", "extraordinary", "fair",
    "fantastic", "few", "final", "fine", "first", "following", "former", "free", "full", "fun",
    "further", "general", "glad", "good", "great", "half", "happy", "hard", "high", "huge",
    "important", "incredible", "initial", "interesting", "kind", "large", "last", "late", "latter",
    "least", "less", "likely", "little", "long", "lovely", "low", "main", "major", "many", "minor",
    "more", "most", "much", "new", "next", "nice", "old", "only", "open", "original", "other", "own",
    "particular", "poor", "possible", "pretty", "previous", "ready", "real", "recent", "right", "sad",
    "same", "second", "several", "short", "similar", "single", "small", "special", "specific",
    "strange", "subsequent", "such", "super", "sure", "third", "tiny", "tremendous", "true", "various",
    "very", "whole", "wonderful", "worst", "wrong", "young",
];

/// Headings that say nothing of what a section is about.
#[rustfmt::skip]
pub(crate) const GENERIC_HEADINGS: &[&str] = &[
    "abstract", "acknowledgements", "acknowledgments", "appendix", "author", "authors", "background",
    "bibliography", "biography", "career", "chapter", "characters", "conclusion", "conclusions",
    "contents", "copyright", "credits", "data", "discussion", "document", "epilogue", "etymology",
    "evaluation", "examples", "experiments", "external links", "faq", "file", "foreword",
    "further reading", "gallery", "glossary", "history", "home", "illustrations", "index", "input",
    "intro", "introduction", "legacy", "licence", "license", "links", "list of illustrations",
    "method", "methods", "notes", "notice", "overview", "page", "part", "plot", "preface", "prologue",
    "readme", "reception", "reference", "references", "related work", "results", "section", "see also",
    "sources", "summary", "table of contents", "text", "title", "todo", "unknown", "untitled",
];

/// Parts after a comma that belong to the name before.
#[rustfmt::skip]
pub(crate) const ABBREVIATED_TITLES: &[&str] = &[
    "esq", "esq.", "inc", "inc.", "jr", "jr.", "llc", "ltd", "ltd.", "m.d.", "ph.d", "ph.d.", "sr",
    "sr.",
];

/// Last words of products' names.
#[rustfmt::skip]
pub(crate) const PRODUCT_HEADS: &[&str] = &[
    "air", "analytics", "api", "app", "book", "browser", "cloud", "console", "controller", "db", "directory",
    "edition", "editor", "engine", "explorer", "go", "headset", "hub", "kit", "laptop", "lite", "manager", "max",
    "mini", "mobile", "online", "os", "pad", "pay", "phone", "platform", "player", "plus", "pro", "processor",
    "sdk", "search", "server", "service", "services", "shop", "sql", "stack", "studio", "suite", "tablet",
    "teams", "tv", "ultra", "update", "watch",
];

/// What stands behind a product's name, or before it.
#[rustfmt::skip]
pub(crate) const PRODUCT_NOUNS: &[&str] = &[
    "app", "application", "applications", "apps", "browser", "browsers", "client", "clients", "console",
    "consoles", "deployment", "deployments", "edition", "editions", "engine", "handset", "handsets",
    "laptop", "laptops", "license", "licenses", "licensing", "phone", "phones", "plugin", "plugins",
    "seats", "server", "servers", "smartphone", "smartphones", "subscriber", "subscribers",
    "subscription", "subscriptions", "tablet", "tablets", "usage", "users", "version", "versions", "vm",
    "vms", "workload", "workloads",
];

/// What is done with a product.
#[rustfmt::skip]
pub(crate) const USE_VERBS: &[&str] = &[
    "adopt", "adopted", "adopting", "deploy", "deployed", "deploying", "install", "installed",
    "installing", "launch", "launched", "launching", "run", "running", "runs", "ship", "shipped",
    "shipping", "upgrade", "upgraded", "upgrading", "use", "used", "uses", "using",
];

/// What organisations do, behind their name.
#[rustfmt::skip]
pub(crate) const COMPANY_VERBS: &[&str] = &[
    "acquired", "acquires", "advised", "agreed", "announced", "announces", "bought", "buys", "competes",
    "developed", "develops", "employs", "filed", "hired", "hires", "invested", "invests", "launched",
    "launches", "makes", "manufactures", "merged", "operates", "outbid", "owns", "partnered", "produces",
    "provides", "published", "publishes", "raised", "recalled", "released", "releases", "reported",
    "reports", "sells", "signed", "sold", "sued", "unveiled",
];

/// Who and what an organisation has.
#[rustfmt::skip]
pub(crate) const COMPANY_MEMBERS: &[&str] = &[
    "acquisition", "analyst", "analysts", "board", "ceo", "cfo", "chairman", "co-founder", "competitors",
    "cto", "customers", "employees", "engineers", "executives", "founder", "founders", "headquarters",
    "investors", "ipo", "lawyers", "management", "president", "researchers", "shareholders", "shares",
    "spokesman", "spokespeople", "spokesperson", "spokeswoman", "stock", "subsidiaries", "subsidiary",
    "vp",
];

/// Who works or studies for an organisation, behind its name: "a Pixar engineer".
#[rustfmt::skip]
pub(crate) const STAFF: &[&str] = &[
    "alum", "alumna", "alumni", "alumnus", "employee", "employees", "engineer", "engineers", "executive",
    "executives", "faculty", "graduate", "graduates", "intern", "interns", "professor", "professors",
    "spokesman", "spokesperson", "spokeswoman", "staff", "student", "students",
];

/// Times and orders before a place that are no part of its name: "Communist Poland".
#[rustfmt::skip]
pub(crate) const PERIODS: &[&str] = &[
    "ancient", "capitalist", "coastal", "colonial", "communist", "continental", "downtown", "fascist",
    "imperial", "independent", "mainland", "medieval", "metropolitan", "modern", "nazi", "occupied", "postwar",
    "present-day", "prewar", "rural", "socialist", "suburban", "urban",
];

/// What persons do with organisations.
#[rustfmt::skip]
pub(crate) const JOIN_VERBS: &[&str] = &[
    "acquire", "acquired", "acquiring", "co-founded", "founded", "joined", "joining", "joins", "left",
    "quit",
];

/// What is done in or to places.
#[rustfmt::skip]
pub(crate) const RESIDENCE_VERBS: &[&str] = &[
    "arrested", "arrived", "based", "born", "built", "buried", "came", "died", "drove", "educated",
    "flew", "founded", "grew", "headquartered", "held", "hosted", "landed", "live", "lived", "lives",
    "living", "located", "moved", "moving", "opened", "raised", "resides", "settled", "situated",
    "studied", "trained", "traveled", "travelled", "went",
];

/// What is done with works.
#[rustfmt::skip]
pub(crate) const CONSUMPTION_VERBS: &[&str] = &[
    "play", "played", "playing", "read", "reading", "rewatched", "watch", "watched", "watching",
];

/// Times of history.
#[rustfmt::skip]
pub(crate) const EVENT_NAMES: &[&str] = &[
    "antebellum", "cretaceous", "enlightenment", "holocaust", "jurassic", "middle-ages", "perestroika",
    "prohibition", "reformation", "renaissance", "restoration",
];

/// What people and things of a country are called: adjectives, and no names by themselves.
#[rustfmt::skip]
pub(crate) const DEMONYMS: &[&str] = &[
    "african", "american", "arab", "argentine", "asian", "australian", "austrian", "belgian", "brazilian",
    "british", "bulgarian", "canadian", "chilean", "chinese", "colombian", "croatian", "cuban", "czech",
    "danish", "dutch", "egyptian", "english", "estonian", "european", "finnish", "french", "german",
    "greek", "hungarian", "icelandic", "indian", "indonesian", "iranian", "iraqi", "irish", "israeli",
    "italian", "jamaican", "japanese", "kenyan", "korean", "latvian", "lebanese", "lithuanian",
    "malaysian", "mexican", "moroccan", "nigerian", "norwegian", "pakistani", "peruvian", "polish",
    "portuguese", "romanian", "russian", "scottish", "serbian", "slovak", "slovenian", "spanish",
    "swedish", "swiss", "syrian", "taiwanese", "thai", "turkish", "ukrainian", "vietnamese", "welsh",
];

/// Words of offices: a run of them is what somebody is, not a name.
#[rustfmt::skip]
pub(crate) const OFFICE_WORDS: &[&str] = &[
    "acting", "adviser", "advisor", "assistant", "associate", "board", "ceo", "cfo", "chair", "chairman",
    "chairwoman", "chief", "commercial", "communications", "compliance", "coo", "corporate", "counsel",
    "cto", "deputy", "director", "directors", "editor", "executive", "executives", "finance", "financial",
    "general", "global", "head", "human", "independent", "information", "interim", "investor", "joint",
    "legal", "manager", "managing", "marketing", "medical", "non-executive", "officer", "officers",
    "operating", "operations", "partner", "people", "president", "principal", "product", "relations",
    "resources", "revenue", "sales", "secretary", "senior", "strategy", "technical", "technology",
    "treasurer", "vice",
];

/// Who holds an office, as the last word of its title: "Chief Engineer", "Programme Editor".
#[rustfmt::skip]
pub(crate) const OFFICE_HOLDERS: &[&str] = &[
    "accountant", "administrator", "architect", "bookkeeper", "caretaker", "chair", "clerk", "coordinator",
    "curator", "director", "editor", "engineer", "foreman", "inspector", "janitor", "manager", "officer",
    "organiser", "organizer", "presenter", "producer", "receptionist", "secretary", "supervisor",
    "technician", "treasurer", "trustee",
];

/// Short labels that no dictionary has: "Cc: ", "Ext: ".
#[rustfmt::skip]
pub(crate) const SHORT_LABELS: &[&str] = &[
    "bcc", "cc", "dob", "encl", "ext", "fax", "fwd", "mob", "nb", "ps", "tel", "url", "vat",
];

/// Units and coins by their signs, and those that are units only behind a number.
#[rustfmt::skip]
pub(crate) const UNIT_SIGNS: &[&str] = &[
    "aud", "cad", "chf", "cny", "db", "dkk", "dpi", "eur", "gbp", "ghz", "hz", "inr", "jpy", "khz", "kph",
    "kva", "kwh", "mah", "mbps", "mhz", "mph", "mwh", "nok", "pln", "ppm", "psi", "rmb", "rpm", "sek",
    "usd",
];
#[rustfmt::skip]
pub(crate) const UNITS_BEHIND_NUMBERS: &[&str] = &[
    "a", "gb", "kb", "kw", "mb", "mw", "tb", "v", "w",
];

/// What a product is, right before its name or where it is defined: "the database Redis", "Kestrel is a message broker".
#[rustfmt::skip]
pub(crate) const PRODUCT_DEFINERS: &[&str] = &[
    "app", "application", "browser", "chatbot", "chip", "codec", "compiler", "console", "database",
    "debugger", "framework", "handset", "headset", "hypervisor", "interpreter", "laptop", "middleware",
    "minivan", "motorcycle", "parser", "phone", "plugin", "processor", "protocol", "runtime", "sedan",
    "smartphone", "smartwatch", "software", "spreadsheet", "tablet", "tool", "toolkit", "vaccine",
];

/// Where people and things are at work or at home, before "in" and a place: "the factory in Esbjerg".
#[rustfmt::skip]
pub(crate) const SEATS: &[&str] = &[
    "apartment", "branch", "bureau", "clinic", "cottage", "depot", "factory", "farm", "flat", "group",
    "headquarters", "home", "hospital", "hotel", "house", "lab", "laboratory", "mill", "museum", "office",
    "offices", "plant", "prison", "pub", "restaurant", "school", "shop", "store", "studio", "team",
    "warehouse", "workshop", "yard",
];

/// What passes between two firms: "orders from Acme".
#[rustfmt::skip]
pub(crate) const DEALINGS: &[&str] = &[
    "bid", "bids", "contract", "contracts", "deal", "loan", "loans", "offer", "offers", "order", "orders",
];

/// Last words behind a known organisation that make no product of it: "Microsoft Research", "Nokia Commercial Agreement".
#[rustfmt::skip]
pub(crate) const NO_PRODUCTS: &[&str] = &[
    "academic", "agreement", "arena", "brain", "call", "commissioner", "communications", "conference",
    "draft", "engineering", "field", "films", "imagineering", "insider", "insiders", "lab", "labs",
    "management", "microelectronics", "mixtape", "music", "phd", "professor", "project", "quarter",
    "radio", "relations", "research", "researcher", "stadium", "team", "ventures", "women",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_without_repetition() {
        for list in [
            PRONOUNS_AND_CALLS,
            ORGANIZATION_HEADS,
            PLACE_HEADS,
            EVENT_HEADS,
            HOLIDAYS,
            WORK_HEADS,
            PERSON_NOUNS,
            PLACE_NOUNS,
            ORGANIZATION_NOUNS,
            WORK_NOUNS,
            EVENT_NOUNS,
            SPEECH_VERBS,
            SPEECH_VERBS_INVERTED,
            BODY_AND_KIN,
            GREETINGS,
            MODIFIERS,
            GENERAL_NOUNS,
            GENERAL_ADJECTIVES,
            GENERIC_HEADINGS,
            ABBREVIATED_TITLES,
            PRODUCT_HEADS,
            PRODUCT_NOUNS,
            USE_VERBS,
            COMPANY_VERBS,
            COMPANY_MEMBERS,
            JOIN_VERBS,
            STAFF,
            PERIODS,
            RESIDENCE_VERBS,
            CONSUMPTION_VERBS,
            EVENT_NAMES,
            DEMONYMS,
            OFFICE_WORDS,
            OFFICE_HOLDERS,
            SHORT_LABELS,
            UNIT_SIGNS,
            UNITS_BEHIND_NUMBERS,
            PRODUCT_DEFINERS,
            SEATS,
            DEALINGS,
            NO_PRODUCTS,
        ] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{list:?}");
        }
    }
}
