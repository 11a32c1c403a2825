//! What a model says that a text says for or against a thing: read from its record, held against the text, and given to
//! the thing's entity record.

use super::fields;
use crate::domain::{MentionSentiment, Opinion, Record, name_key};
use std::collections::BTreeMap;

/// Words that carry a sentiment, at most.
const WORDS: usize = 12;

/// A record of a reply: entity, score, words, holder, quote.
pub(super) fn read(values: &[String]) -> Result<(String, MentionSentiment), &'static str> {
    let [entity, score, rest @ ..] = values else { return Err("a sentiment without its fields") };
    if fields::is_nothing(entity) {
        return Err("a sentiment of nothing");
    }
    let score = read_score(score).ok_or("a sentiment without a score from -1 to 1")?;
    let field = |place: usize| rest.get(place).map(String::as_str).filter(|text| !fields::is_nothing(text));
    let words =
        field(0).map(|words| words.split([';', '；']).map(str::trim).map(str::to_owned).collect::<Vec<_>>());
    let words = words.unwrap_or_default().into_iter().filter(|word| !word.is_empty()).take(WORDS).collect();
    let opinion = field(1).zip(field(2));
    let opinions = opinion
        .map(|(holder, quote)| Opinion { holder: holder.to_owned(), score, quote: quote.to_owned() })
        .into_iter()
        .collect();
    Ok((entity.clone(), MentionSentiment { score, words, opinions }))
}

/// A score from -1 to 1, in thousandths.
fn read_score(text: &str) -> Option<i32> {
    let plain = text.trim().replace(['−', '–'], "-").replace('，', ".");
    let score: f64 = plain.trim_start_matches('+').parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "it lies between -1 and 1")]
    (-1.0..=1.0).contains(&score).then(|| (score * 1000.0).round() as i32)
}

/// Gives sentiments to the entity records that they are of. Words and quotes that the text does not have go.
pub(super) fn give(records: &mut [Record], found: Vec<(String, MentionSentiment)>, text: &str) {
    let mut by_name: BTreeMap<String, Vec<MentionSentiment>> = BTreeMap::new();
    for (name, mut sentiment) in found {
        sentiment.words.retain(|word| text.contains(word.as_str()));
        sentiment.opinions.retain(|opinion| text.contains(opinion.quote.as_str()));
        by_name.entry(name_key(&name)).or_default().push(sentiment);
    }
    for record in records {
        let Record::Entity(entity) = record else { continue };
        let names = std::iter::once(&entity.name).chain(&entity.aliases);
        let own = names.map(|name| name_key(name)).find_map(|key| by_name.remove(&key));
        if let Some(own) = own.and_then(MentionSentiment::mean) {
            entity.sentiment = Some(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::EntityRecord;
    use crate::index::extraction::model::parser::parse;

    #[test]
    fn a_reply_judges_things_and_what_the_text_does_not_say_goes() {
        let text = "Azure grew strongly. Ann Lee said: Surface fell badly.";
        let reply = "(\"entity\"<|>Azure<|>product<|>A cloud.)\n(\"entity\"<|>Surface<|>product<|>A tablet.)\n\
                     (\"sentiment\"<|>Azure<|>0.7<|>grew strongly; brilliant<|>NONE<|>Azure grew strongly.)\n\
                     (\"sentiment\"<|>Surface<|>-0.6<|>fell badly<|>Ann Lee<|>Surface fell badly.)\n\
                     (\"sentiment\"<|>Xbox<|>1<|>x<|>NONE<|>y)\n(\"sentiment\"<|>Azure<|>fine<|>x<|>NONE<|>y)\n\
                     <|COMPLETE|>";
        let mut parsed = parse(reply);
        assert_eq!((parsed.records.len(), parsed.sentiments.len(), parsed.records_lost), (2, 3, 1));
        give(&mut parsed.records, parsed.sentiments, text);
        let of = |at: usize| match &parsed.records[at] {
            Record::Entity(EntityRecord { sentiment, .. }) => sentiment.clone().unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (of(0).score, of(0).words, of(0).opinions.len()),
            (700, vec!["grew strongly".to_owned()], 0)
        );
        let holder = of(1).opinions[0].holder.clone();
        assert_eq!((of(1).score, holder.as_str()), (-600, "Ann Lee"));
    }

    #[test]
    fn a_score_lies_between_minus_one_and_one() {
        for (text, score) in
            [("0.5", Some(500)), ("+1", Some(1000)), ("−0.25", Some(-250)), ("3", None), ("good", None)]
        {
            assert_eq!(read_score(text), score, "{text}");
        }
    }
}
