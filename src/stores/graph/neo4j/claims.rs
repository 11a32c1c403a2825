//! Claims; they are written with the evidence of their text unit.

use super::Neo4jGraph;
use super::connection::{id, map, number};
use super::queries::with;
use crate::domain::{Claim, ClaimStatus, Id};
use crate::stores::StoreResult;
use crate::stores::graph::ClaimReader;
use async_trait::async_trait;
use neo4rs::{BoltType, Query};
use serde::Deserialize;

const CLAIMS: &str = include_str!("../../../../cypher/store/claims.cypher");
const CLAIMS_BY_ID: &str = include_str!("../../../../cypher/store/claims_by_id.cypher");
const FIRST_CLAIMS_OF: &str = include_str!("../../../../cypher/store/first_claims_of.cypher");
const CLAIMS_OF: &str = include_str!("../../../../cypher/store/claims_of.cypher");

#[derive(Deserialize)]
struct StoredClaimRow {
    id: Id,
    text_unit: Id,
    subject: Id,
    object: Option<Id>,
    kind: String,
    status: String,
    description: String,
    start_date: String,
    end_date: String,
    source_text: String,
    holder: Option<String>,
}

#[async_trait]
impl ClaimReader for Neo4jGraph {
    async fn claims(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Claim>> {
        self.read_claims(vec![self.page(CLAIMS, after.map(Id::as_str), limit)]).await
    }

    async fn claims_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Claim>> {
        self.read_claims(self.of_ids(CLAIMS_BY_ID, ids)).await
    }

    async fn claims_of(&self, entities: &[Id]) -> StoreResult<Vec<Claim>> {
        self.read_claims(self.of_ids(CLAIMS_OF, entities)).await
    }

    async fn first_claims_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Claim>> {
        let queries = with(self.of_ids(FIRST_CLAIMS_OF, entities), "limit", &number(limit));
        let mut claims = self.read_claims(queries).await?;
        claims.truncate(limit);
        Ok(claims)
    }
}

impl Neo4jGraph {
    async fn read_claims(&self, queries: Vec<Query>) -> StoreResult<Vec<Claim>> {
        let rows: Vec<StoredClaimRow> = self.connection.read_all(queries).await?;
        let claim = |row: StoredClaimRow| Claim {
            id: row.id,
            text_unit: row.text_unit,
            subject: row.subject,
            object: row.object,
            kind: row.kind,
            status: ClaimStatus::from_text(&row.status),
            description: row.description,
            start_date: row.start_date,
            end_date: row.end_date,
            source_text: row.source_text,
            holder: row.holder.unwrap_or_default(),
        };
        let mut claims: Vec<Claim> = rows.into_iter().map(claim).collect();
        claims.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(claims)
    }
}

pub(super) fn claim_row(claim: &Claim) -> BoltType {
    map([
        ("id", id(&claim.id)),
        ("text_unit", id(&claim.text_unit)),
        ("subject", id(&claim.subject)),
        ("object", claim.object.as_ref().map(Id::as_str).into()),
        (
            "properties",
            map([
                ("type", claim.kind.as_str().into()),
                ("status", claim.status.as_str().into()),
                ("description", claim.description.as_str().into()),
                ("start_date", claim.start_date.as_str().into()),
                ("end_date", claim.end_date.as_str().into()),
                ("source_text", claim.source_text.as_str().into()),
                ("holder", Some(claim.holder.as_str()).filter(|holder| !holder.is_empty()).into()),
            ]),
        ),
    ])
}
