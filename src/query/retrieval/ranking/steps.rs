//! The second step of a question that describes somebody and asks something else of them: 把剑借给他的人，后来死在哪里？
//!
//! 1. The description is searched for by itself. In the best of what is found the sentence that says it is looked for; who
//!    stands in it or near it may be whom the question means.
//! 2. The passages that mention one of these are held against what is asked, sentence by sentence around the mention.
//! 3. The scores of the description and of the second step are fused with the order of the whole question.
//!
//! A sentence holds a word where it holds it, one that says the same, or a character of it: texts in classical Chinese
//! say in one character what a question says in two.

use super::RankingQuery;
use super::pool::Pool;
use crate::domain::{Id, is_person};
use crate::language::steps::{Steps, told_as_answer};
use crate::language::synonymous::{longest_words, pieces};
use crate::language::vocabulary::synonyms::CHINESE_LIGHT;
use crate::language::{is_stop_word, questions, sentences};
use crate::query::question::{NamePatterns, flatten};
use crate::services::Services;
use crate::stores::graph::{GraphReader, MentionEdge, VectorKind};
use crate::stores::vectors::{Hit, VectorQuery, bm25};
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Passages that may hold the description.
const DESCRIBING: usize = 40;
/// The best of them, whose persons are followed.
const STARTS: usize = 5;
/// Entities that are followed.
const BRIDGES: usize = 32;
/// Mentions of each.
const MENTIONS: usize = 60;
/// Passages that they lead to.
const REACHED: usize = 300;
/// Weight of a passage's best sentence beside its BM25 score.
const SENTENCE: f64 = 0.7;
/// How much counts what a neighbouring sentence says.
const BESIDE: f64 = 0.65;
/// Weight of a word that stands in any text.
const LIGHT: f64 = 0.3;
/// Weight of a form of answering beside words.
const FORM: f64 = 0.75;
/// How much counts who stands in the sentence of the description (1), in the one beside it, in the one beside that, and
/// elsewhere in the passage.
const NEAR: [f64; 3] = [1.0, 0.7, 0.45];
const FAR: f64 = 0.3;
/// How much more counts each sentence of the passage that names somebody, and how far that goes: whom all of it is about
/// may be meant, though the sentence says another name or none.
const AGAIN: f64 = 0.05;
const AGAIN_AT_MOST: f64 = 0.7;
/// Weight of what is nobody where somebody is described.
const THING: f64 = 0.3;
/// What a description ends with that describes a thing or a place: 东西, 地方, 那座城, 剑.
const THINGS: &str = "城山河江湖海关县州郡村镇寺庙宫殿楼桥刀剑枪马印玺诏书信诗物西方处国酒药船";
/// Weight of a name that the second step has, as a share of that of the rarest word.
const NAMED: f64 = 0.85;
/// How kin is told of a name, 马腾之子; and how much a character of kin says that stands in many words: 天子, 公子.
const KIN: [(&str, &str); 8] = [
    ("儿子", "之子"),
    ("女儿", "之女"),
    ("弟弟", "之弟"),
    ("哥哥", "之兄"),
    ("妻子", "之妻"),
    ("丈夫", "之妻"),
    ("叔父", "之叔"),
    ("侄子", "之侄"),
];
const KIN_CHARACTERS: [&str; 2] = ["子", "女"];
const KIN_CHARACTER: f64 = 0.3;
/// How surely a given name alone names somebody.
const GIVEN: f64 = 0.8;
/// How much a passage counts for mentioning somebody, beside what it says that is asked.
const MENTIONED: f64 = 0.1;
/// Weights of the description and of the second step, and the powers of their scores, as shares of the best ones: one
/// passage describes, several may tell what is asked. Weight of the order of the whole question.
const DESCRIBED: (f64, i32) = (1.0, 8);
const TOLD: (f64, i32) = (1.2, 3);
const WHOLE: f64 = 0.5;
/// Least score of the best passage of the second step that counts in full: what is told weakly proves little, though nothing
/// else is told at all.
const SURE: f64 = 0.2;

/// The orders that the steps give.
#[derive(Debug, Default)]
pub(super) struct Stepped {
    /// Passages with how well each says the description, the best first.
    described: Vec<(Id, f64)>,
    /// Passages with how well each says what is asked of whom the description means, the best first.
    reached: Vec<(Id, f64)>,
}

impl Stepped {
    /// Fuses the scores of the steps with the order of the whole question; the scores stay those of the places.
    pub(super) fn fuse(&self, order: &mut [(Id, f64)]) {
        let whole: Vec<Id> = order.iter().map(|(id, _)| id.clone()).collect();
        let mut fused: FxHashMap<&Id, f64> = FxHashMap::default();
        let parts = [(&self.described, DESCRIBED, f64::MIN_POSITIVE), (&self.reached, TOLD, SURE)];
        for (scored, (share, power), least) in parts {
            let best = scored.first().map_or(least, |(_, score)| score.max(least));
            for (id, score) in scored {
                *fused.entry(id).or_default() += share * (score / best).powi(power);
            }
        }
        for (rank, id) in whole.iter().enumerate() {
            *fused.entry(id).or_default() += WHOLE / (rank as f64 + 1.0);
        }
        let scores: Vec<f64> = order.iter().map(|(_, score)| *score).collect();
        let fused_of = |id: &Id| fused.get(id).copied().unwrap_or(0.0);
        order.sort_by(|a, b| fused_of(&b.0).total_cmp(&fused_of(&a.0)).then_with(|| a.0.cmp(&b.0)));
        for ((_, score), of_place) in order.iter_mut().zip(scores) {
            *score = of_place;
        }
    }
}

/// Takes both steps. What they find is taken into the pool.
pub(super) async fn take(
    services: &Services,
    reader: &dyn GraphReader,
    query: &RankingQuery<'_>,
    steps: &Steps,
    pool: &mut Pool,
) -> Result<Stepped> {
    let described = words(&steps.described, pool);
    let mut starts = describing(services, reader, query, steps, &described, pool).await?;
    starts.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    let is_thing = steps.described.ends_with(|c| THINGS.contains(c));
    let best = starts.get(..STARTS).unwrap_or(&starts);
    let bridges = bridges(reader, query, best, if is_thing { 1.0 } else { THING }, pool.unit_count).await?;
    let mut asked = words(&steps.asked, pool);
    let greatest = (pool.unit_count as f64 + 1.0).ln();
    asked.iter_mut().for_each(tell_of_kin);
    name_whole(&mut asked, &steps.asked, query, NAMED * greatest);
    asked.extend(told_as_answer(&steps.asked).map(|told| WeightedWord {
        pieces: told.iter().map(|(piece, weight)| ((*piece).to_owned(), *weight)).collect(),
        weight: FORM * greatest,
    }));
    let reached = reached(reader, query, &bridges, &asked, pool).await?;
    Ok(Stepped { described: starts.into_iter().map(|start| (start.id, start.score)).collect(), reached })
}

/// Makes one word of each name that what is asked has: 李傕 is more than 李 and 傕.
fn name_whole(words: &mut Vec<WeightedWord>, asked: &str, query: &RankingQuery<'_>, weight: f64) {
    let flat = flatten(asked);
    for (entity, _) in query.named {
        let name = NamePatterns::of(entity);
        if !name.whole.iter().any(|whole| whole.chars().count() > 1 && flat.contains(whole.as_str())) {
            continue;
        }
        let is_part = |word: &WeightedWord| {
            let of = word.pieces.first().map_or("", |(of, _)| of.as_str());
            name.whole.iter().any(|whole| whole.contains(of))
        };
        words.retain(|word| !is_part(word));
        let whole = name.whole.into_iter().map(|whole| (whole, 1.0));
        let given = name.given.map(|given| (given, GIVEN));
        words.push(WeightedWord { pieces: whole.chain(given).collect(), weight });
    }
}

/// A word with all that says it, and how much it weighs.
struct WeightedWord {
    pieces: Vec<(String, f64)>,
    weight: f64,
}

fn words(part: &str, pool: &Pool) -> Vec<WeightedWord> {
    let mut found: BTreeMap<String, WeightedWord> = BTreeMap::new();
    for mut word in longest_words(part) {
        if is_stop_word(&word) || questions::is_question_word(&word) {
            continue;
        }
        let weight = pool.inverse_frequency(&word);
        // 走了 is 走
        if word.chars().count() > 1 && word.ends_with(['了', '着', '过']) {
            word.pop();
        }
        let light = if CHINESE_LIGHT.contains(&word.as_str()) { LIGHT } else { 1.0 };
        found.insert(word.clone(), WeightedWord { pieces: pieces(&word), weight: weight * light });
    }
    found.into_values().collect()
}

/// Of kin also how it is told of a name.
fn tell_of_kin(word: &mut WeightedWord) {
    for (piece, counts) in &mut word.pieces {
        if KIN_CHARACTERS.contains(&piece.as_str()) {
            *counts = KIN_CHARACTER;
        }
    }
    let of = word.pieces.first().map_or("", |(of, _)| of.as_str());
    let told = KIN.iter().filter(|(kin, _)| *kin == of).map(|(_, told)| ((*told).to_owned(), 1.0));
    word.pieces.extend(told.collect::<Vec<_>>());
}

/// A text, sentence by sentence.
struct SplitText {
    sentences: Vec<String>,
}

impl SplitText {
    fn of(text: &str) -> Self {
        let sentences = sentences(text).into_iter().map(|range| flatten(text.get(range).unwrap_or("")));
        Self { sentences: sentences.collect() }
    }

    /// Of each sentence the share of the words' weight that it holds, what its neighbours hold counted less.
    fn holds(&self, words: &[WeightedWord]) -> Vec<f64> {
        let held = |sentence: &String| -> Vec<f64> {
            let strength = |word: &WeightedWord| {
                let found = word.pieces.iter().filter(|(piece, _)| sentence.contains(piece.as_str()));
                found.map(|(_, weight)| *weight).fold(0.0, f64::max)
            };
            words.iter().map(strength).collect()
        };
        let held: Vec<Vec<f64>> = self.sentences.iter().map(held).collect();
        let all: f64 = words.iter().map(|word| word.weight).sum::<f64>().max(f64::MIN_POSITIVE);
        let at = |sentence: Option<usize>, word: usize| {
            sentence.and_then(|sentence| held.get(sentence)?.get(word)).copied().unwrap_or(0.0)
        };
        let share = |sentence: usize| {
            let of_word = |(place, word): (usize, &WeightedWord)| {
                let beside = at(sentence.checked_sub(1), place).max(at(Some(sentence + 1), place));
                word.weight * at(Some(sentence), place).max(BESIDE * beside)
            };
            words.iter().enumerate().map(of_word).sum::<f64>() / all
        };
        (0..held.len()).map(share).collect()
    }

    /// Of each sentence how surely it names somebody: by a whole name, or by the given name alone.
    fn names(&self, name: &NamePatterns) -> Vec<f64> {
        let named = |sentence: &String| {
            if name.whole.iter().any(|whole| questions::find_name(sentence, whole).is_some()) {
                1.0
            } else if name.given.as_ref().is_some_and(|given| sentence.contains(given.as_str())) {
                GIVEN
            } else {
                0.0
            }
        };
        self.sentences.iter().map(named).collect()
    }
}

/// A passage that may hold the description.
struct StartPassage {
    id: Id,
    told: SplitText,
    /// The sentence that says most of the description.
    sentence: usize,
    score: f64,
}

async fn describing(
    services: &Services,
    reader: &dyn GraphReader,
    query: &RankingQuery<'_>,
    steps: &Steps,
    words: &[WeightedWord],
    pool: &mut Pool,
) -> Result<Vec<StartPassage>> {
    let search = VectorQuery {
        dense: None,
        sparse: Some(bm25::query_vector(&steps.described)),
        filter: query.filters.of_units(),
        limit: DESCRIBING,
        ..VectorQuery::default()
    };
    let hits = services.vectors.search(VectorKind::TextUnits, &search).await?;
    follow(reader, query, hits.iter().map(|hit| &hit.id), pool).await?;
    let hits: Vec<&Hit> = hits.iter().filter(|hit| pool.place(&hit.id).is_some()).collect();
    let best = hits.iter().map(|hit| hit.score).fold(f64::MIN_POSITIVE, f64::max);
    let ids: Vec<Id> = hits.iter().map(|hit| hit.id.clone()).collect();
    let texts = texts(reader, &ids).await?;
    let start = |hit: &&Hit| {
        let told = SplitText::of(texts.get(&hit.id)?);
        let held = told.holds(words);
        let most = held.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let score = (1.0 - SENTENCE) * hit.score / best + SENTENCE * most.1;
        Some(StartPassage { id: hit.id.clone(), told, sentence: most.0, score })
    };
    Ok(hits.iter().filter_map(start).collect())
}

/// Takes units into the pool that are not in it.
async fn follow<'a>(
    reader: &dyn GraphReader,
    query: &RankingQuery<'_>,
    ids: impl Iterator<Item = &'a Id>,
    pool: &mut Pool,
) -> Result<()> {
    let outside: BTreeSet<Id> = ids.filter(|id| pool.place(id).is_none()).cloned().collect();
    if outside.is_empty() {
        return Ok(());
    }
    pool.follow(reader, outside, query.filters).await
}

async fn texts(reader: &dyn GraphReader, ids: &[Id]) -> Result<BTreeMap<Id, String>> {
    let units = reader.passages_by_id(ids).await?;
    Ok(units.into_iter().map(|unit| (unit.unit.id.clone(), unit.unit.text)).collect())
}

/// Whom the question may mean.
struct BridgeCandidate {
    name: NamePatterns,
    weight: f64,
    /// The passage that describes it.
    from: Id,
}

async fn bridges(
    reader: &dyn GraphReader,
    query: &RankingQuery<'_>,
    starts: &[StartPassage],
    thing: f64,
    unit_count: u64,
) -> Result<BTreeMap<Id, BridgeCandidate>> {
    let ids: Vec<Id> = starts.iter().map(|start| start.id.clone()).collect();
    let edges = reader.mentions_in_units(&ids).await?;
    let named: BTreeSet<&Id> = query.named.iter().map(|(entity, _)| &entity.id).collect();
    let wanted: BTreeSet<Id> = edges.iter().map(|edge| edge.entity.clone()).collect();
    let wanted: Vec<Id> = wanted.into_iter().filter(|id| !named.contains(id)).collect();
    let entities = reader.entity_outlines(&wanted).await?;
    let best = starts.first().map_or(1.0, |start| start.score.max(f64::MIN_POSITIVE));
    let all = unit_count.max(2) as f64;
    let mut found: Vec<(Id, BridgeCandidate)> = Vec::new();
    for entity in entities {
        let name = NamePatterns::of(&entity);
        let rarity = (1.0 + all / f64::from(entity.text_unit_count.max(1))).ln() / (1.0 + all).ln();
        let kind = if is_person(&entity.kind) { 1.0 } else { thing };
        let mentioning = |start: &&StartPassage| {
            edges.iter().any(|edge| edge.text_unit == start.id && edge.entity == entity.id)
        };
        let weighed = starts
            .iter()
            .filter(mentioning)
            .map(|start| (start.score / best).powi(2) * nearness(start, &name) * rarity * kind);
        let weighed = weighed.zip(starts.iter().filter(mentioning));
        let Some((weight, start)) = weighed.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let from = start.id.clone();
        found.push((entity.id, BridgeCandidate { name, weight, from }));
    }
    found.sort_by(|a, b| b.1.weight.total_cmp(&a.1.weight).then_with(|| a.0.cmp(&b.0)));
    found.truncate(BRIDGES);
    Ok(found.into_iter().collect())
}

/// How near somebody stands to the sentence of the description, or how much of the passage is about them.
fn nearness(start: &StartPassage, name: &NamePatterns) -> f64 {
    let named = start.told.names(name);
    let again = named.iter().filter(|named| **named > 0.0).count() as f64;
    let about = (FAR + AGAIN * again).min(AGAIN_AT_MOST);
    let near = named
        .into_iter()
        .enumerate()
        .map(|(sentence, named)| named * NEAR.get(sentence.abs_diff(start.sentence)).copied().unwrap_or(FAR));
    near.fold(about, f64::max)
}

/// The passages that mention one of the bridges, by what they say of it that is asked.
async fn reached(
    reader: &dyn GraphReader,
    query: &RankingQuery<'_>,
    bridges: &BTreeMap<Id, BridgeCandidate>,
    asked: &[WeightedWord],
    pool: &mut Pool,
) -> Result<Vec<(Id, f64)>> {
    let ids: Vec<Id> = bridges.keys().cloned().collect();
    let mut edges: Vec<MentionEdge> = reader.mentions_of_entities(&ids, MENTIONS).await?;
    let weight_of = |edge: &MentionEdge| bridges.get(&edge.entity).map_or(0.0, |bridge| bridge.weight);
    edges.retain(|edge| bridges.get(&edge.entity).is_some_and(|bridge| bridge.from != edge.text_unit));
    edges.sort_by(|a, b| weight_of(b).total_cmp(&weight_of(a)).then_with(|| a.cmp(b)));
    let mut units: BTreeSet<Id> = BTreeSet::new();
    for edge in &edges {
        if units.len() < REACHED {
            units.insert(edge.text_unit.clone());
        }
    }
    follow(reader, query, units.iter(), pool).await?;
    let units: Vec<Id> = units.into_iter().filter(|id| pool.place(id).is_some()).collect();
    let told: BTreeMap<Id, (SplitText, Vec<f64>)> = texts(reader, &units)
        .await?
        .into_iter()
        .map(|(id, text)| {
            let told = SplitText::of(&text);
            let held = told.holds(asked);
            (id, (told, held))
        })
        .collect();
    let mut scores: BTreeMap<&Id, f64> = BTreeMap::new();
    for edge in &edges {
        let (Some(bridge), Some((told, held))) = (bridges.get(&edge.entity), told.get(&edge.text_unit))
        else {
            continue;
        };
        let score = bridge.weight * (MENTIONED + around(&told.names(&bridge.name), held));
        let known = scores.entry(&edge.text_unit).or_insert(score);
        *known = known.max(score);
    }
    let mut order: Vec<(&Id, f64)> = scores.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    Ok(order.into_iter().map(|(id, score)| (id.clone(), score)).collect())
}

/// The most that a sentence holds which names somebody, or stands beside one that does.
fn around(named: &[f64], held: &[f64]) -> f64 {
    let at = |sentence: Option<usize>| sentence.and_then(|at| named.get(at)).copied().unwrap_or(0.0);
    let of = |(sentence, held): (usize, &f64)| {
        let beside = at(sentence.checked_sub(1)).max(at(Some(sentence + 1)));
        held * at(Some(sentence)).max(BESIDE * beside)
    };
    held.iter().enumerate().map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(of: &str, weight: f64) -> WeightedWord {
        WeightedWord { pieces: pieces(of), weight }
    }

    #[test]
    fn a_sentence_holds_what_says_the_same_and_its_neighbours_count_less() {
        let told = SplitText::of("吕布至此。侯成盗马而去。众人皆惊。");
        let held = told.holds(&[word("偷走", 2.0), word("马", 1.0)]);
        assert_eq!(held.len(), 3);
        assert!(held[1] > held[0] && (held[0] - held[2]).abs() < f64::EPSILON && held[0] > 0.0, "{held:?}");
        assert!(told.holds(&[word("城", 1.0)]).iter().all(|held| *held == 0.0));
    }

    #[test]
    fn what_stands_around_a_name_counts() {
        assert!(around(&[0.0, 1.0, 0.0, 0.0], &[0.2, 0.9, 0.0, 0.5]) > 0.89);
        assert!((around(&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]) - BESIDE).abs() < 1e-9);
        assert!(around(&[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0]) < 1e-9);
    }

    #[test]
    fn what_the_steps_find_comes_first_and_the_scores_stay_those_of_the_places() {
        let id = |name: &str| Id::from_stored(name);
        let stepped = Stepped {
            described: vec![(id("a"), 0.5), (id("c"), 0.4)],
            reached: vec![(id("d"), 0.2), (id("b"), 0.18)],
        };
        let mut order: Vec<(Id, f64)> =
            [("a", 2.0), ("b", 1.0), ("c", 0.5), ("d", 0.1)].map(|(name, score)| (id(name), score)).to_vec();
        stepped.fuse(&mut order);
        let names: Vec<&str> = order.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(names, ["a", "d", "b", "c"]);
        assert_eq!(order.iter().map(|(_, score)| *score).collect::<Vec<_>>(), [2.0, 1.0, 0.5, 0.1]);
    }

    #[test]
    fn kin_is_told_of_a_name_and_its_character_alone_says_little() {
        let told = SplitText::of("原来那将即马腾之子马超。天子大惊。");
        let mut son = word("儿子", 1.0);
        tell_of_kin(&mut son);
        let held = told.holds(&[son]);
        assert!((held[0] - 1.0).abs() < 1e-9 && held[1] < 0.7, "{held:?}");
    }

    #[test]
    fn whom_a_passage_is_about_counts_though_nobody_stands_near() {
        let told =
            SplitText::of("孙策来。慈出马。慈大叫。慈拨马。慈回头。慈又战。众人看。两人厮打。无人敢近。");
        let start = StartPassage { id: Id::from_stored("a"), told, sentence: 8, score: 1.0 };
        let of = |name: &str, given: &str| NamePatterns {
            whole: vec![name.to_owned()],
            given: Some(given.to_owned()),
            ..NamePatterns::default()
        };
        assert!(nearness(&start, &of("太史慈", "慈")) > nearness(&start, &of("孙策", "策")));
    }
}
