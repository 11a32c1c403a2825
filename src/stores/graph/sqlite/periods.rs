//! Periods: counts written with the sums of entities and relationships, those of several entities together, and sentiments
//! kept with mentions.

use super::SqliteGraph;
use super::rows::{all, count, from_json, id, json, run};
use crate::domain::{Id, Interval, OwnDays, PeriodCount, PeriodTotals, SentimentOf, TextsOfTimes};
use crate::stores::StoreResult;
use crate::stores::graph::{CountsOf, PeriodReader};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, Row};

#[async_trait]
impl PeriodReader for SqliteGraph {
    async fn periods(&self) -> StoreResult<Vec<PeriodTotals>> {
        self.file.read(periods).await
    }

    async fn own_days(&self) -> StoreResult<Vec<OwnDays>> {
        self.file.read(own_days).await
    }

    async fn texts_of_times(&self, times: &[Interval], most: usize) -> StoreResult<Option<TextsOfTimes>> {
        let times = times.to_vec();
        self.file.read(move |connection| texts_of_times(connection, &times, most)).await
    }

    async fn entity_periods(&self, ids: &[Id]) -> StoreResult<Vec<CountsOf>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| entity_periods(connection, &json(&ids)?)).await
    }

    async fn relationship_periods(&self, ids: &[Id]) -> StoreResult<Vec<CountsOf>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| relationship_periods(connection, &json(&ids)?)).await
    }

    async fn periods_together(&self, entities: &[Id]) -> StoreResult<Vec<PeriodCount>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| periods_together(connection, &json(&ids)?)).await
    }

    async fn sentiments_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<SentimentOf>> {
        let ids = text_units.to_vec();
        self.file.read(move |connection| sentiments(connection, "u.id", &json(&ids)?)).await
    }

    async fn sentiments_of(&self, entities: &[Id]) -> StoreResult<Vec<SentimentOf>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| sentiments(connection, "e.id", &json(&ids)?)).await
    }
}

/// A column that holds an interval, where it holds one.
pub(super) fn interval(row: &Row<'_>, column: usize) -> Outcome<Option<Interval>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| text.parse().ok()))
}

fn periods(connection: &Connection) -> Outcome<Vec<PeriodTotals>> {
    let statement = "
        SELECT u.period, count(DISTINCT u.document), count(*),
            coalesce(sum((SELECT count(*) FROM claims c WHERE c.unit = u.node)), 0)
        FROM text_units u WHERE u.period IS NOT NULL GROUP BY u.period";
    let rows = all(connection, statement, [], |row| {
        let Some(period) = interval(row, 0)? else { return Ok(None) };
        let (documents, text_units, claims) = (count(row, 1)?, count(row, 2)?, count(row, 3)?);
        Ok(Some(PeriodTotals { period, documents, text_units, claims }))
    })?;
    let mut found: Vec<PeriodTotals> = rows.into_iter().flatten().collect();
    found.sort_unstable_by_key(|totals| totals.period);
    Ok(found)
}

fn own_days(connection: &Connection) -> Outcome<Vec<OwnDays>> {
    let statement = "
        SELECT u.id, d.id, u.period FROM text_units u JOIN documents d ON d.node = u.document
        WHERE u.period IS NOT NULL
            AND u.period IS NOT json_extract(d.date, '$.from') || '/' || json_extract(d.date, '$.to')
        ORDER BY u.id";
    let rows = all(connection, statement, [], |row| {
        let Some(days) = interval(row, 2)? else { return Ok(None) };
        Ok(Some(OwnDays { text_unit: id(row, 0)?, document: id(row, 1)?, days }))
    })?;
    Ok(rows.into_iter().flatten().collect())
}

/// Each period of the workspace by one step in the index of text units.
const EACH_PERIOD: &str = "
    WITH RECURSIVE each(period) AS (
        SELECT min(period) FROM text_units WHERE period IS NOT NULL
        UNION ALL
        SELECT (SELECT min(u.period) FROM text_units u WHERE u.period > each.period) FROM each
        WHERE each.period IS NOT NULL)
    SELECT period FROM each WHERE period IS NOT NULL";

fn texts_of_times(connection: &Connection, times: &[Interval], most: usize) -> Outcome<Option<TextsOfTimes>> {
    let wanted: Vec<String> = all(connection, EACH_PERIOD, [], |row| interval(row, 0))?
        .into_iter()
        .flatten()
        .filter(|days| times.iter().any(|time| days.overlaps(*time)))
        .map(|days| days.to_string())
        .collect();
    let wanted = json(&wanted)?;
    let statement = "
        SELECT DISTINCT u.document FROM json_each(?1) given CROSS JOIN text_units u ON u.period = given.value LIMIT ?2";
    let limit = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    let nodes: Vec<i64> = all(connection, statement, (&wanted, limit), |row| Ok(row.get(0)?))?;
    if nodes.len() > most {
        return Ok(None);
    }
    let statement = "
        SELECT u.id, u.period IN (SELECT value FROM json_each(?2)), d.id
        FROM documents d JOIN text_units u ON u.document = d.node WHERE d.node = ?1 AND u.period IS NOT NULL";
    let mut found = TextsOfTimes::default();
    for node in nodes {
        let units: Vec<(Id, bool, Id)> =
            all(connection, statement, (node, &wanted), |row| Ok((id(row, 0)?, row.get(1)?, id(row, 2)?)))?;
        let Some(document) = units.first().map(|(_, _, document)| document.clone()) else { continue };
        let (inside, outside): (Vec<_>, Vec<_>) = units.into_iter().partition(|(_, is_inside, _)| *is_inside);
        let ids = |units: Vec<(Id, bool, Id)>| units.into_iter().map(|(unit, ..)| unit).collect();
        found.add(document, ids(inside), ids(outside));
    }
    Ok(Some(found.sorted()))
}

fn entity_periods(connection: &Connection, ids: &str) -> Outcome<Vec<CountsOf>> {
    let statement = "
        SELECT e.id, p.period, p.documents, p.text_units, p.mentions, 0, p.claims, p.sentiment, p.judged
        FROM entities e JOIN entity_periods p ON p.entity = e.node
        WHERE e.summed = 1 AND e.id IN (SELECT value FROM json_each(?1)) ORDER BY e.id";
    counts(connection, statement, ids)
}

fn relationship_periods(connection: &Connection, ids: &str) -> Outcome<Vec<CountsOf>> {
    let statement = "
        SELECT r.id, p.period, p.documents, p.text_units, p.mentions, p.strength, 0, 0, 0
        FROM relationships r JOIN relationship_periods p ON p.relationship = r.node
        WHERE r.summed = 1 AND r.id IN (SELECT value FROM json_each(?1)) ORDER BY r.id";
    counts(connection, statement, ids)
}

/// Rows of counts, those of one id in a row, gathered and put in the order of time.
fn counts(connection: &Connection, statement: &str, ids: &str) -> Outcome<Vec<CountsOf>> {
    let rows = all(connection, statement, [ids], |row| {
        let Some(count) = period_count(row)? else { return Ok(None) };
        Ok(Some((id(row, 0)?, count)))
    })?;
    let mut found: Vec<CountsOf> = Vec::new();
    for (id, count) in rows.into_iter().flatten() {
        match found.last_mut() {
            Some((last, counts)) if *last == id => counts.push(count),
            _ => found.push((id, vec![count])),
        }
    }
    for (_, counts) in &mut found {
        counts.sort_unstable_by_key(|count| count.period);
    }
    Ok(found)
}

/// A row of counts behind its first column, which names what is counted.
fn period_count(row: &Row<'_>) -> Outcome<Option<PeriodCount>> {
    let Some(period) = interval(row, 1)? else { return Ok(None) };
    Ok(Some(PeriodCount {
        period,
        documents: row.get(2)?,
        text_units: row.get(3)?,
        mentions: row.get(4)?,
        strength: row.get(5)?,
        claims: row.get(6)?,
        sentiment: row.get(7)?,
        judged: row.get(8)?,
    }))
}

/// Documents and text units are those of all mentions, each once; the rest is added up from the sums.
fn periods_together(connection: &Connection, ids: &str) -> Outcome<Vec<PeriodCount>> {
    let statement = "
        WITH members AS MATERIALIZED (
            SELECT e.node FROM json_each(?1) given CROSS JOIN entities e ON e.id = given.value WHERE e.summed = 1),
        told AS (
            SELECT u.period, count(DISTINCT u.document) AS documents, count(DISTINCT u.node) AS text_units
            FROM members CROSS JOIN mentions m ON m.entity = members.node CROSS JOIN text_units u ON u.node = m.unit
            WHERE u.period IS NOT NULL GROUP BY u.period),
        summed AS (
            SELECT p.period, sum(p.mentions) AS mentions, sum(p.claims) AS claims, sum(p.sentiment) AS sentiment,
                sum(p.judged) AS judged
            FROM members CROSS JOIN entity_periods p ON p.entity = members.node GROUP BY p.period),
        tied AS (
            SELECT p.period, sum(p.strength) AS strength
            FROM members CROSS JOIN relationships r ON r.low = members.node
            CROSS JOIN relationship_periods p ON p.relationship = r.node
            WHERE r.summed = 1 AND r.high IN (SELECT node FROM members) GROUP BY p.period)
        SELECT '', told.period, told.documents, told.text_units, coalesce(summed.mentions, 0),
            coalesce(tied.strength, 0), coalesce(summed.claims, 0), coalesce(summed.sentiment, 0),
            coalesce(summed.judged, 0)
        FROM told LEFT JOIN summed ON summed.period = told.period LEFT JOIN tied ON tied.period = told.period";
    let mut found: Vec<PeriodCount> =
        all(connection, statement, [ids], period_count)?.into_iter().flatten().collect();
    found.sort_unstable_by_key(|count| count.period);
    Ok(found)
}

/// The sentiments of mentions of which a column holds one of some ids.
fn sentiments(connection: &Connection, column: &str, ids: &str) -> Outcome<Vec<SentimentOf>> {
    let statement = format!(
        "SELECT e.id, u.id, m.sentiment FROM entities e JOIN mentions m ON m.entity = e.node
        JOIN text_units u ON u.node = m.unit
        WHERE m.sentiment IS NOT NULL AND {column} IN (SELECT value FROM json_each(?1)) ORDER BY e.id, u.id"
    );
    all(connection, &statement, [ids], |row| {
        Ok(SentimentOf { entity: id(row, 0)?, text_unit: id(row, 1)?, sentiment: from_json(row, 2)? })
    })
}

/// Makes the counts of an entity what is given.
pub(super) fn save_entity(connection: &Connection, node: i64, counts: &[PeriodCount]) -> Outcome<()> {
    run(connection, "DELETE FROM entity_periods WHERE entity = ?1", [node])?;
    let statement = "INSERT INTO entity_periods
        (entity, period, documents, text_units, mentions, claims, sentiment, judged)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    for count in counts {
        let period = count.period.to_string();
        let numbers = (count.documents, count.text_units, count.mentions, count.claims);
        run(
            connection,
            statement,
            (node, period, numbers.0, numbers.1, numbers.2, numbers.3, count.sentiment, count.judged),
        )?;
    }
    Ok(())
}

/// Makes the counts of a relationship what is given.
pub(super) fn save_relationship(connection: &Connection, node: i64, counts: &[PeriodCount]) -> Outcome<()> {
    run(connection, "DELETE FROM relationship_periods WHERE relationship = ?1", [node])?;
    let statement = "INSERT INTO relationship_periods
        (relationship, period, documents, text_units, mentions, strength) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for count in counts {
        let period = count.period.to_string();
        let numbers = (count.documents, count.text_units, count.mentions, count.strength);
        run(connection, statement, (node, period, numbers.0, numbers.1, numbers.2, numbers.3))?;
    }
    Ok(())
}
