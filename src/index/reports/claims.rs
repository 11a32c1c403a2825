//! Many claims of one subject as one line of a report's input: summarised where they are long, with every claim that
//! the line stands for, so that its citations lead to all of them.

use crate::domain::{Claim, ClaimStatus, Entity, Id};
use crate::index::graph::summaries::Summariser;
use anyhow::Result;
use std::collections::BTreeMap;

/// The claims of each subject as a report shows them.
#[derive(Debug, Default)]
pub struct ShownClaims {
    /// By subject, by id.
    pub claims: BTreeMap<Id, Vec<Claim>>,
    /// The claims that a shown one stands for, itself included; only where they are more than one.
    pub stand_for: BTreeMap<Id, Vec<Id>>,
}

/// Brings the claims of each subject into the form that a report shows. A subject with several claims that are too
/// long together gets one, which has the first one's id and the summary of all.
///
/// # Errors
/// A model that refuses, or a budget that is used up; other failures leave the claims as they are.
pub async fn shown_claims(
    summariser: Option<&Summariser>,
    claims: BTreeMap<Id, Vec<Claim>>,
    entities: &BTreeMap<Id, Entity>,
) -> Result<ShownClaims> {
    let mut shown = ShownClaims { claims, stand_for: BTreeMap::new() };
    let Some(summariser) = summariser else { return Ok(shown) };
    let subjects: Vec<(Id, String, Vec<String>)> = shown
        .claims
        .iter()
        .filter(|(_, claims)| claims.len() > 1)
        .map(|(subject, claims)| {
            let name = entities.get(subject).map_or_else(String::new, |entity| entity.name.clone());
            (subject.clone(), name, claims.iter().map(told).collect())
        })
        .collect();
    let work = subjects.iter().map(|(_, name, told)| (vec![name.clone()], told.clone())).collect();
    for (place, text) in summariser.texts(work).await? {
        let Some((subject, _, _)) = subjects.get(place) else { continue };
        let Some(claims) = shown.claims.get_mut(subject) else { continue };
        let ids: Vec<Id> = claims.iter().map(|claim| claim.id.clone()).collect();
        let status = common_status(claims);
        claims.truncate(1);
        if let Some(one) = claims.first_mut() {
            one.description = text;
            one.kind = format!("{} claims", ids.len());
            one.status = status;
            shown.stand_for.insert(one.id.clone(), ids);
        }
    }
    Ok(shown)
}

/// A claim with its status and dates, as a summary needs them.
fn told(claim: &Claim) -> String {
    let dates = match (claim.start_date.as_str(), claim.end_date.as_str()) {
        ("", "") => String::new(),
        (start, end) if start == end || end.is_empty() => format!(", {start}"),
        (start, end) => format!(", {start} to {end}"),
    };
    format!("{} ({}{dates}): {}", claim.kind, claim.status.as_str(), claim.description)
}

/// The status that all have, else that it is open.
fn common_status(claims: &[Claim]) -> ClaimStatus {
    let first = claims.first().map_or(ClaimStatus::Suspected, |claim| claim.status);
    if claims.iter().all(|claim| claim.status == first) { first } else { ClaimStatus::Suspected }
}
