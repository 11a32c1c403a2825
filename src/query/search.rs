//! What every step of a search works with.

use super::counting::TokenCounting;
use super::question::filters::ResolvedFilters;
use super::request::QueryRequest;
use crate::domain::FiscalCalendar;
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::sync::Arc;

/// One search: the services, one state of the graph throughout, the question and what may be shown.
pub struct Search<'a> {
    /// The services.
    pub services: &'a Services,
    /// The question, and how it is to be answered.
    pub request: &'a QueryRequest,
    /// The graph at one generation.
    pub reader: Arc<dyn GraphReader>,
    /// The request's filters in terms of ids.
    pub filters: Arc<ResolvedFilters>,
}

impl<'a> Search<'a> {
    /// Takes a snapshot of the graph and resolves the request's filters in it.
    ///
    /// # Errors
    /// What the store says; filters that no document meets.
    pub async fn open(services: &'a Services, request: &'a QueryRequest) -> Result<Self> {
        let mut search = Self::unfiltered(services, request).await?;
        search.filters = Arc::new(request.filters.resolve(search.reader.as_ref()).await?);
        Ok(search)
    }

    /// As [`Self::open`], for a search that filters have no say in.
    ///
    /// # Errors
    /// What the store says.
    pub async fn unfiltered(services: &'a Services, request: &'a QueryRequest) -> Result<Self> {
        let reader = services.graph.snapshot().await?;
        Ok(Self { services, request, reader, filters: Arc::default() })
    }

    /// The same search for another question.
    pub(super) fn asking<'b>(&self, request: &'b QueryRequest) -> Search<'b>
    where
        'a: 'b,
    {
        let (reader, filters) = (Arc::clone(&self.reader), Arc::clone(&self.filters));
        Search { services: self.services, request, reader, filters }
    }

    /// When fiscal years begin.
    pub(super) fn calendar(&self) -> FiscalCalendar {
        self.services.config.documents.fiscal_calendar()
    }

    /// How tokens are counted: exactly where a model is going to read them.
    pub(super) fn counting(&self) -> TokenCounting {
        if self.services.chat.is_some() {
            TokenCounting::Exact(self.services.tokens)
        } else {
            TokenCounting::Estimate
        }
    }
}
