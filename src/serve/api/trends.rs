//! `trends`: what documents name more and more, less and less, for the first time and no more.

use super::work::on_a_thread;
use crate::progress::Progress;
use crate::query::question::filters::span;
use crate::serve::app::Shared;
use crate::serve::input::{QueryString, SearchPlace};
use crate::serve::problem::{Outcome, Problem};
use crate::serve::routes::{About, Routes};
use crate::serve::tokens::{Caller, Role};
use crate::serve::workspaces::Workspace;
use crate::stores::StoreError;
use crate::trends::{self, Every, TrendRequest, Trends};
use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Entities of each list where nothing is said.
const TOP: usize = 15;
/// Entities of each list at most.
const MOST: usize = 1_000;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/trends",
        read,
        About::new("trends", Role::Read, "What rises, falls, begins and ends, with curves and sentences.")
            .fields::<TrendFields>()
            .reply::<Trends>()
            .tagged(),
    );
}

/// What is looked at.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TrendFields {
    /// Begin with this time: 2016, 2023-10, Q3 2019.
    pub(crate) from: Option<String>,
    /// End with this time.
    pub(crate) to: Option<String>,
    /// How long a period is: day, week, month, quarter, year, or chapter, where the order of the text is the time.
    pub(crate) every: Option<String>,
    /// Only what has to do with this entity or community, its own curve first.
    pub(crate) about: Option<String>,
    /// Entities of each list: 1 to 1,000; 15 where absent.
    pub(crate) top: Option<usize>,
    /// Whether this time is told against as many periods before, as a text with its sentences.
    pub(crate) report: bool,
    /// The time that it is told against instead.
    pub(crate) against: Option<String>,
}

async fn read(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<TrendFields>,
) -> Outcome<Json<Trends>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(counted(&workspace, fields).await?))
}

/// The trends of a workspace.
pub(crate) async fn counted(workspace: &Workspace, fields: TrendFields) -> Outcome<Trends> {
    let top = fields.top.unwrap_or(TOP);
    if !(1..=MOST).contains(&top) {
        return Err(Problem::invalid(format!("top is {top}; it must be from 1 to {MOST}")));
    }
    let every: Option<Every> = match fields.every.as_deref() {
        None | Some("") => None,
        Some(name) => Some(serde_json::from_value(Value::from(name)).map_err(|_error| {
            Problem::invalid(format!(
                "every is {name:?}; there are day, week, month, quarter, year and chapter"
            ))
        })?),
    };
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let services = workspace.services.clone();
    let calendar = services.config.documents.fiscal_calendar();
    let (from, to) = span(filled(&fields.from).as_deref(), filled(&fields.to).as_deref(), calendar)
        .map_err(|error| Problem::invalid(format!("{error:#}").replace("--", "")))?;
    let against = span(filled(&fields.against).as_deref(), None, calendar)
        .map_err(|error| Problem::invalid(format!("{error:#}").replace("--", "")))?
        .0;
    let report = fields.report || against.is_some();
    let request = TrendRequest {
        from,
        to,
        every,
        about: filled(&fields.about),
        top,
        report,
        against,
        watch_all: false,
    };
    // it counts for as long as a processor has work
    let counted =
        on_a_thread(move || async move { trends::trends(&services, &request, &Progress::silent()).await });
    counted.await?.map_err(|error| {
        if error.chain().any(<dyn std::error::Error>::is::<StoreError>) {
            error.into()
        } else {
            // no dates, a time without documents, a name that is not known: a sentence that says so
            Problem::invalid(format!("{error:#}").replace("--", ""))
        }
    })
}
