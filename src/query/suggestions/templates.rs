//! Questions of several kinds that the graph can answer, put without a model.

use super::class::{Class, class};
use super::titled::EntityTitles;
use crate::domain::{Entity, Id, Relationship};
use crate::language::words::is_han;
use crate::query::retrieval::leading::Leading;
use std::collections::{BTreeMap, BTreeSet};

/// What questions of all kinds need to know of the documents.
#[derive(Debug, Default)]
pub(super) struct DocumentTitles {
    /// How many there are.
    pub(super) count: u64,
    /// What they are called.
    pub(super) titles: EntityTitles,
}

/// A question, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proposed {
    pub(super) text: String,
    pub(super) about: Vec<Id>,
}

impl Proposed {
    fn new(text: String, about: &[&Entity]) -> Self {
        Self { text, about: about.iter().map(|entity| entity.id.clone()).collect() }
    }
}

/// Questions by kind, each kind's best first: of the whole, of one thing by what it is, of two and three that are linked, of
/// what links two that are not, of a time, of documents and of a report, and those that most texts answer at the end.
pub(super) fn by_kind(leading: &Leading, documents: &DocumentTitles) -> Vec<Vec<Proposed>> {
    let asked = LeadingTopic { leading, links: EntityLinks::of(leading), titles: &documents.titles };
    let themes = asked.put("What are the main themes?".to_owned(), "资料主要讲了什么？".to_owned(), &[]);
    let [person, organisation, place, other] = asked.of_one(|entity| !is_thin(entity));
    let deeds = asked.of(Class::Person).filter(|entity| !is_thin(entity));
    let deed =
        |e: &Entity| asked.put(format!("What did {} do?", e.name), format!("{}做了什么？", e.name), &[e]);
    vec![
        vec![themes],
        person,
        asked.pairs(),
        organisation,
        place,
        other,
        asked.triples(),
        asked.in_common(),
        asked.times(),
        deeds.map(deed).collect(),
        asked.mentioned(documents.count),
        asked.reports(),
        asked.journeys(),
        asked.people(),
        asked.years_of_people(),
        asked.statements(),
        asked.sites(),
        asked.staff(),
        asked.of_several(),
    ]
}

/// The same of what is named in passing alone, one kind behind the other: for texts that tell little of anything.
pub(super) fn of_passing(leading: &Leading, documents: &DocumentTitles) -> Vec<Vec<Proposed>> {
    LeadingTopic { leading, links: EntityLinks::of(leading), titles: &documents.titles }
        .of_one(is_thin)
        .into()
}

/// What leads, as it is asked about.
struct LeadingTopic<'a> {
    leading: &'a Leading,
    links: EntityLinks<'a>,
    titles: &'a EntityTitles,
}

/// Makes a question about a name.
type NameQuestion = fn(&str) -> String;

impl<'a> LeadingTopic<'a> {
    fn put(&self, english: String, han: String, about: &[&Entity]) -> Proposed {
        // a corpus of two languages is asked about each name in that of its text
        let is_han_alone = !about.is_empty() && about.iter().all(|entity| entity.name.contains(is_han));
        Proposed::new(if self.leading.chinese || is_han_alone { han } else { english }, about)
    }

    fn of(&self, wanted: Class) -> impl Iterator<Item = &'a Entity> {
        self.leading.entities.iter().filter(move |entity| class(&entity.kind) == wanted)
    }

    /// Of one person, organisation, place and thing, as they are asked about, of those that are wanted.
    fn of_one(&self, wanted: fn(&Entity) -> bool) -> [Vec<Proposed>; 4] {
        let ways: [(Class, NameQuestion, NameQuestion); 4] = [
            (Class::Person, |name| format!("Who is {name}?"), |name| format!("{name}是谁？")),
            (
                Class::Organisation,
                |name| format!("What does {name} do?"),
                |name| format!("{name}是做什么的？"),
            ),
            (
                Class::Place,
                |name| format!("What happened in {name}?"),
                |name| format!("在{name}发生了什么？"),
            ),
            (Class::Other, |name| format!("What is {name}?"), |name| format!("{name}是什么？")),
        ];
        ways.map(|(class, english, han)| {
            let of_class = self.of(class).filter(|entity| wanted(entity));
            of_class.map(|e| self.put(english(&e.name), han(&e.name), &[e])).collect()
        })
    }

    /// Those first whose both ends are somebody or something with a place in the world.
    fn pairs(&self) -> Vec<Proposed> {
        let mut pairs: Vec<(&Entity, &Entity)> =
            self.links.pairs().filter(|(a, b)| self.are_two(a, b)).collect();
        pairs.sort_by_key(|(a, b)| [a, b].iter().filter(|e| class(&e.kind) == Class::Other).count());
        let put =
            |(a, b): (&Entity, &Entity)| Proposed::new(two(self.leading.chinese, &a.name, &b.name), &[a, b]);
        pairs.into_iter().map(put).collect()
    }

    fn triples(&self) -> Vec<Proposed> {
        let are_three =
            |[a, b, c]: &[&Entity; 3]| self.are_two(a, b) && self.are_two(b, c) && self.are_two(a, c);
        let triples = self.links.triples().filter(are_three);
        let put = |[a, b, c]: [&Entity; 3]| {
            let english = format!("How are {}, {} and {} related?", a.name, b.name, c.name);
            self.put(english, format!("{}、{}、{}之间有什么关系？", a.name, b.name, c.name), &[a, b, c])
        };
        triples.map(put).collect()
    }

    fn in_common(&self) -> Vec<Proposed> {
        let apart = self.links.apart().filter(|(a, b)| self.are_two(a, b));
        let put = |(a, b): (&Entity, &Entity)| {
            let english = format!("What do {} and {} have in common?", a.name, b.name);
            self.put(english, format!("{}和{}有什么共同之处？", a.name, b.name), &[a, b])
        };
        apart.map(put).collect()
    }

    /// Of dates that name a year: others say nothing outside of their text.
    fn times(&self) -> Vec<Proposed> {
        let dates =
            self.leading.entities.iter().filter(|e| class(&e.kind) == Class::Date && names_a_year(&e.name));
        let put = |date: &Entity| {
            let is_day = date.name.starts_with(|c: char| c.is_ascii_digit()) && date.name.contains(' ');
            let english = format!("What happened {} {}?", if is_day { "on" } else { "in" }, date.name);
            self.put(english, format!("{}发生了什么？", date.name), &[date])
        };
        dates.map(put).collect()
    }

    /// Where there are several documents, and several texts name it.
    fn mentioned(&self, documents: u64) -> Vec<Proposed> {
        let several =
            |entity: &&Entity| documents > 1 && entity.text_unit_count > 1 && is_asked_about(entity);
        let put = |e: &Entity| {
            self.put(
                format!("Which documents mention {}?", e.name),
                format!("哪些文档提到了{}？", e.name),
                &[e],
            )
        };
        self.leading.entities.iter().filter(several).map(put).collect()
    }

    /// Of reports whose title says more than whom they are about.
    fn reports(&self) -> Vec<Proposed> {
        let titles = self.leading.reports.iter().map(|c| c.report.title.trim().trim_end_matches(['.', '。']));
        let names: BTreeSet<&str> = self.leading.entities.iter().map(|entity| entity.name.as_str()).collect();
        let titles = titles.filter(|title| !title.is_empty() && !is_list_of_names(title, &names));
        let put = |title: &str| {
            self.put(format!("What is told of {title}?"), format!("关于“{title}”，资料说了什么？"), &[])
        };
        titles.map(put).collect()
    }

    /// Those of a class that a relationship links with one of another, each with the first of these.
    fn linked(&self, of: Class, with: Class) -> impl Iterator<Item = (&'a Entity, &'a Entity)> {
        self.of(of).filter_map(move |e| {
            let near = self.links.neighbours(&e.id);
            Some((e, near.into_iter().find(|other| class(&other.kind) == with)?))
        })
    }

    fn journeys(&self) -> Vec<Proposed> {
        let put = |(e, place): (&Entity, &Entity)| {
            let english = format!("What brings {} to {}?", e.name, place.name);
            self.put(english, format!("{}为什么到{}？", e.name, place.name), &[e, place])
        };
        self.linked(Class::Person, Class::Place).map(put).collect()
    }

    /// Of organisations first, then of places and people.
    fn people(&self) -> Vec<Proposed> {
        let put = |(e, _): (&Entity, &Entity)| {
            self.put(format!("Who has to do with {}?", e.name), format!("哪些人与{}有关？", e.name), &[e])
        };
        let classes = [Class::Organisation, Class::Place, Class::Person].into_iter();
        classes.flat_map(|of| self.linked(of, Class::Person)).map(put).collect()
    }

    /// Of people and the dates that name a year beside them.
    fn years_of_people(&self) -> Vec<Proposed> {
        let with_year = self.linked(Class::Person, Class::Date).filter(|(_, date)| names_a_year(&date.name));
        let put = |(e, date): (&Entity, &Entity)| {
            let english = format!("What did {} do in {}?", e.name, date.name);
            self.put(english, format!("{}在{}做了什么？", e.name, date.name), &[e, date])
        };
        with_year.map(put).collect()
    }

    /// Of those whose statements are known.
    fn statements(&self) -> Vec<Proposed> {
        let known = |id: &Id| self.leading.entities.iter().find(|entity| entity.id == *id);
        let told = self.leading.claims.iter().filter(|claim| !claim.holder.is_empty());
        let told = told.filter_map(|claim| Some((claim, known(&claim.subject)?)));
        let of_others = told.filter(|(claim, subject)| claim.holder != subject.name);
        let put = |(claim, subject): (&crate::domain::Claim, &Entity)| {
            let english = format!("What does {} say about {}?", claim.holder, subject.name);
            self.put(english, format!("{}怎么说{}？", claim.holder, subject.name), &[subject])
        };
        of_others.map(put).collect()
    }

    /// Of what stands somewhere.
    fn sites(&self) -> Vec<Proposed> {
        let put = |(e, _): (&Entity, &Entity)| {
            self.put(format!("Where is {}?", e.name), format!("{}在哪里？", e.name), &[e])
        };
        let classes = [Class::Organisation, Class::Other].into_iter();
        classes.flat_map(|of| self.linked(of, Class::Place)).map(put).collect()
    }

    fn staff(&self) -> Vec<Proposed> {
        let put = |(e, _): (&Entity, &Entity)| {
            self.put(format!("Who works for {}?", e.name), format!("谁在{}工作？", e.name), &[e])
        };
        self.linked(Class::Organisation, Class::Person).map(put).collect()
    }

    /// Of whatever more than one text or thing tells.
    fn of_several(&self) -> Vec<Proposed> {
        let of = self.leading.entities.iter().filter(|entity| is_asked_about(entity) && !is_thin(entity));
        of.map(|e| self.put(of_one(false, &e.name), of_one(true, &e.name), &[e])).collect()
    }

    /// Whether two may be asked about together, and neither is the title of the other's document.
    fn are_two(&self, one: &Entity, other: &Entity) -> bool {
        are_two(one, other) && !self.titles.part(one, other)
    }
}

/// Whether one text unit names it, and it is linked with one thing at most.
fn is_thin(entity: &Entity) -> bool {
    entity.text_unit_count < 2 && entity.degree < 2
}

fn is_asked_about(entity: &Entity) -> bool {
    !matches!(class(&entity.kind), Class::Date | Class::Measure)
}

/// Whether two may be asked about together: neither is a date or an amount, and the name of neither holds the other's.
fn are_two(one: &Entity, other: &Entity) -> bool {
    let (a, b) = (one.name.to_lowercase(), other.name.to_lowercase());
    is_asked_about(one) && is_asked_about(other) && !a.contains(&b) && !b.contains(&a)
}

/// Whether a date names its year: four digits, or 年.
fn names_a_year(date: &str) -> bool {
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    date.contains('年') || date.split(|c: char| !c.is_ascii_alphanumeric()).any(is_year)
}

/// Whether a title only says who is in it: "Ann, Bob and others", as those that no model wrote.
fn is_list_of_names(title: &str, names: &BTreeSet<&str>) -> bool {
    let whole = title.trim_end_matches('等').trim_end_matches(" and others");
    let parts: Vec<&str> =
        whole.split([',', '、']).flat_map(|part| part.split(" and ")).map(str::trim).collect();
    let known = parts.iter().filter(|part| names.contains(*part)).count();
    whole.len() < title.len() || parts.len() == known || (parts.len() > 1 && known > 0)
}

/// Of one, whatever it is.
pub(super) fn of_one(chinese: bool, name: &str) -> String {
    if chinese { format!("关于{name}说了什么？") } else { format!("What is said about {name}?") }
}

/// Of two that a relationship links.
pub(super) fn two(chinese: bool, first: &str, second: &str) -> String {
    if chinese {
        format!("{first}和{second}是什么关系？")
    } else {
        format!("What is the relationship between {first} and {second}?")
    }
}

/// The leading entities and what links them.
struct EntityLinks<'a> {
    leading: &'a Leading,
    by_id: BTreeMap<&'a Id, &'a Entity>,
    of: BTreeMap<&'a Id, Vec<&'a Relationship>>,
}

impl<'a> EntityLinks<'a> {
    fn of(leading: &'a Leading) -> Self {
        let mut of: BTreeMap<&Id, Vec<&Relationship>> = BTreeMap::new();
        for relationship in &leading.relationships {
            for end in [&relationship.source, &relationship.target] {
                of.entry(end).or_default().push(relationship);
            }
        }
        Self { leading, by_id: leading.entities.iter().map(|e| (&e.id, e)).collect(), of }
    }

    fn pairs(&self) -> impl Iterator<Item = (&'a Entity, &'a Entity)> {
        let ends = |r: &Relationship| Some((*self.by_id.get(&r.source)?, *self.by_id.get(&r.target)?));
        self.leading.relationships.iter().filter_map(ends)
    }

    /// The heaviest first.
    fn neighbours(&self, id: &Id) -> Vec<&'a Entity> {
        let related = self.of.get(id).into_iter().flatten();
        related
            .filter_map(|r| self.by_id.get(if r.source == *id { &r.target } else { &r.source }).copied())
            .collect()
    }

    /// Three in a row, the middle one linked with both.
    fn triples(&self) -> impl Iterator<Item = [&'a Entity; 3]> {
        self.leading.entities.iter().filter_map(|middle| match self.neighbours(&middle.id).as_slice() {
            [first, second, ..] if first.id != second.id => Some([*first, middle, *second]),
            _ => None,
        })
    }

    /// Two of the same type that nothing links but a third.
    fn apart(&self) -> impl Iterator<Item = (&'a Entity, &'a Entity)> {
        self.triples().filter_map(|[first, _, second]| {
            let near: BTreeSet<&Id> = self.neighbours(&first.id).iter().map(|e| &e.id).collect();
            (first.kind == second.kind && !near.contains(&second.id)).then_some((first, second))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn linked_things_of_several_types_are_asked_about_in_several_ways() {
        let ids = Ids::new("w");
        let entity = |name: &str, kind: &str| Entity {
            id: ids.entity(name),
            name: name.to_owned(),
            kind: kind.to_owned(),
            degree: 2,
            text_unit_count: 2,
            ..Entity::default()
        };
        let entities = vec![
            entity("Amy", "person"),
            entity("Acme", "organization"),
            entity("Bob", "person"),
            entity("Rome", "place"),
            entity("May 1934", "date"),
            entity("12 %", "number"),
            Entity { degree: 1, text_unit_count: 1, ..entity("Paris", "place") },
        ];
        let link = |a: &str, b: &str| Relationship {
            id: ids.other("r", &[a, b]),
            source: ids.entity(a),
            target: ids.entity(b),
            ..Relationship::default()
        };
        let relationships = vec![
            link("Amy", "Acme"),
            link("Bob", "Acme"),
            link("Amy", "Rome"),
            link("Acme", "Rome"),
            link("Amy", "May 1934"),
        ];
        let leading = Leading { entities, relationships, ..Leading::default() };
        let texts =
            |kinds: Vec<Vec<Proposed>>| kinds.concat().into_iter().map(|one| one.text).collect::<Vec<_>>();
        let documents = |count| DocumentTitles { count, ..DocumentTitles::default() };
        let questions = texts(by_kind(&leading, &documents(2)));
        for wanted in [
            "Who is Amy?",
            "What is the relationship between Amy and Acme?",
            "What does Acme do?",
            "What happened in Rome?",
            "What do Amy and Bob have in common?",
            "What brings Amy to Rome?",
            "Who has to do with Acme?",
            "What are the main themes?",
            "What did Bob do?",
            "What happened in May 1934?",
            "Which documents mention Acme?",
            "What did Amy do in May 1934?",
            "Who works for Acme?",
            "Who has to do with Rome?",
            "Where is Acme?",
            "What is said about Bob?",
        ] {
            assert!(questions.iter().any(|question| question == wanted), "{wanted}: {questions:#?}");
        }
        for (unwanted, why) in
            [("12 %", "an amount"), ("Paris", "named in passing"), ("mention May", "a date")]
        {
            assert!(!questions.iter().any(|question| question.contains(unwanted)), "{why}: {questions:#?}");
        }
        assert_eq!(texts(of_passing(&leading, &documents(1))), ["What happened in Paris?"]);
        assert!(
            !texts(by_kind(&leading, &documents(1))).iter().any(|question| question.contains("documents")),
            "there is one"
        );
        let leading = Leading { chinese: true, ..leading };
        assert!(texts(by_kind(&leading, &documents(1))).contains(&"Amy是谁？".to_owned()));
    }

    #[test]
    fn a_name_within_the_other_is_no_second_thing() {
        let check = |(one, one_kind): (&str, &str), (other, other_kind): (&str, &str), expected| {
            let entity =
                |name: &str, kind: &str| Entity { name: name.into(), kind: kind.into(), ..Entity::default() };
            assert_eq!(
                are_two(&entity(one, one_kind), &entity(other, other_kind)),
                expected,
                "{one}, {other}"
            );
        };
        check(("Harbour Office", "organization"), ("Anna", "person"), true);
        check(("Harbour Office", "organization"), ("harbour", "place"), false);
        check(("云岭镇", "地点"), ("云岭", "地点"), false);
        check(("Anna", "person"), ("1934", "date"), false);
        check(("Anna", "person"), ("40 %", "number"), false);
    }

    #[test]
    fn titles_that_only_list_names_are_not_asked_about() {
        let names = BTreeSet::from(["Ann", "Bob", "云岭", "老周"]);
        for (title, is_list) in [
            ("Ann and Bob", true),
            ("Ann, Carl and others", true),
            ("云岭、老周等", true),
            ("Bob", true),
            ("The flood of the mill", false),
            ("云岭的桥", false),
            ("The bridge, and who paid for it", false),
        ] {
            assert_eq!(is_list_of_names(title, &names), is_list, "{title}");
        }
    }

    #[test]
    fn a_time_is_asked_about_where_it_names_its_year() {
        for (date, expected) in [
            ("1934", true),
            ("4 March 2024", true),
            ("May 1934", true),
            ("2022年", true),
            ("Monday", false),
            ("fourth quarter", false),
            ("20 February", false),
        ] {
            assert_eq!(names_a_year(date), expected, "{date}");
        }
    }
}
