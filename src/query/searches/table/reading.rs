//! How a question becomes a plan: by patterns, or by a model where they read none.
//!
//! `--method table` asks a model for every question that no pattern reads. `auto` pays for one only where the question asks
//! for rows in so many words: any other is answered from texts, and better so.

use crate::domain::Id;
use crate::language::folding::fold;
use crate::llm::{ModelError, Usage};
use crate::query::answer::table::{ReadBy, TakenFor};
use crate::query::plans::asking::{self, GraphVocabulary};
use crate::query::plans::budget::TooManyRows;
use crate::query::plans::compilation::{Compiled, Compiler, Refused};
use crate::query::plans::form::Form;
use crate::query::plans::wording::Wording;
use crate::query::plans::{Execution, RowBudget, meaning, questions, signs};
use crate::query::question::names::named_at;
use crate::query::search::Search;
use anyhow::Result;
use std::collections::BTreeSet;

/// Types of entities and of relationships that a model is shown.
const TYPES: usize = 40;
const KINDS: usize = 60;
/// Rows of the graph that are read to know which types of relationships there are around a name.
const KIND_ROWS: u64 = 20_000;

/// A question with its plan.
pub(super) struct PlannedQuestion {
    pub(super) form: Form,
    pub(super) plan: Compiled,
    pub(super) by: ReadBy,
}

/// Why a question has no plan, and the form that came nearest.
pub(super) struct NotUnderstood {
    pub(super) form: Option<Form>,
    pub(super) why: Option<Refused>,
}

/// A question that is being read over one state of the graph.
pub(super) struct QuestionReading<'a> {
    search: &'a Search<'a>,
    compiler: Compiler<'a>,
    /// What plans are run by.
    pub(super) execution: Execution<'a>,
    /// What was asked of models.
    pub(super) spent: Vec<Usage>,
}

impl<'a> QuestionReading<'a> {
    pub(super) fn of(search: &'a Search<'a>) -> Self {
        let (reader, ids) = (search.reader.as_ref(), &search.services.ids);
        let execution = Execution::new(reader, ids, search.calendar(), RowBudget::default());
        let mut compiler = Compiler::new(reader, ids, search.calendar(), &execution);
        compiler.as_of.clone_from(&search.request.as_of);
        Self { search, compiler, execution, spent: Vec::new() }
    }

    /// The plan of a question that is to be answered by a table.
    pub(super) async fn wanted(&mut self) -> Result<Result<PlannedQuestion, NotUnderstood>> {
        let mut not = NotUnderstood { form: None, why: None };
        if let Some(asked) = self.by_patterns().await? {
            if let Some(understood) = self.whole(&asked).await? {
                return Ok(Ok(understood));
            }
            match self.compiler.compile(&asked.form).await? {
                Ok(plan) => return Ok(Ok(PlannedQuestion { form: asked.form, plan, by: ReadBy::Patterns })),
                Err(why) => not = NotUnderstood { form: Some(asked.form), why: Some(why) },
            }
        } else if let Some(form) = self.with_unknown_names().await?
            && let Err(why) = self.compiler.compile(&form).await?
        {
            not = NotUnderstood { form: Some(form), why: Some(why) };
        }
        // no model knows a name that the graph does not know, nor a date that cannot be read
        if matches!(not.why, Some(Refused::UnknownName(_) | Refused::NoDate(_))) {
            return Ok(Err(not));
        }
        Ok(self.by_model().await?.unwrap_or(Err(not)))
    }

    /// The plan of a question that can hardly be answered otherwise; nothing for any other. Why there is none is told where
    /// it asks for what was not done and no model is there to read sentences.
    pub(super) async fn surely(&mut self) -> Result<Result<Option<PlannedQuestion>, NotUnderstood>> {
        let Some(asked) = self.by_patterns().await? else {
            if !signs::asks_for_rows(&fold(&self.search.request.question)) {
                return Ok(Ok(None));
            }
            return Ok(Ok(self.by_model().await?.and_then(Result::ok)));
        };
        if !asked.sure {
            return Ok(Ok(None));
        }
        if let Some(understood) = self.whole(&asked).await? {
            return Ok(Ok(Some(understood)));
        }
        Ok(match self.compiler.compile(&asked.form).await? {
            Ok(_) if self.compiler.counts_by_a_word(&asked.form) => Ok(None),
            Ok(plan) => Ok(Some(PlannedQuestion { form: asked.form, plan, by: ReadBy::Patterns })),
            Err(why) if asked.form.is_denied() && self.search.services.chat.is_none() => {
                Err(NotUnderstood { form: Some(asked.form), why: Some(why) })
            }
            Err(_) => Ok(None),
        })
    }

    /// What a model makes of a question of which patterns left words unread; nothing where they left none.
    async fn whole(&mut self, asked: &questions::QuestionForm) -> Result<Option<PlannedQuestion>> {
        if asked.form.unread().is_empty() {
            return Ok(None);
        }
        Ok(self.by_model().await?.and_then(Result::ok))
    }

    /// The plan of a question that patterns read, however surely, and that rows can answer where no sentence does.
    pub(super) async fn read(&mut self) -> Result<Option<PlannedQuestion>> {
        let asked = self.by_patterns().await?.filter(|asked| !questions::asks_for_a_figure(&asked.form));
        let Some(asked) = asked else { return Ok(None) };
        let plan = self.compiler.compile(&asked.form).await?.ok();
        let plan = plan.filter(|_| !self.compiler.counts_by_a_word(&asked.form));
        Ok(plan.map(|plan| PlannedQuestion { form: asked.form, plan, by: ReadBy::Patterns }))
    }

    /// Whether patterns surely read the question as one for what was not done.
    pub(super) async fn asks_what_was_not_done(&self) -> Result<bool> {
        Ok(self.by_patterns().await?.is_some_and(|asked| asked.sure && asked.form.is_denied()))
    }

    async fn by_patterns(&self) -> Result<Option<questions::QuestionForm>> {
        let search = self.search;
        let ids = &search.services.ids;
        questions::read(search.reader.as_ref(), ids, search.calendar(), &fold(&search.request.question)).await
    }

    async fn with_unknown_names(&self) -> Result<Option<Form>> {
        let search = self.search;
        let ids = &search.services.ids;
        let question = fold(&search.request.question);
        signs::with_unknown_names(search.reader.as_ref(), ids, search.calendar(), &question).await
    }

    /// What a model makes of the question; nothing where there is no model.
    async fn by_model(&mut self) -> Result<Option<Result<PlannedQuestion, NotUnderstood>>> {
        let search = self.search;
        let Some(model) = &search.services.chat else { return Ok(None) };
        search.request.progress().note("a model reads what the question asks for");
        let known = self.graph_vocabulary().await?;
        let models = (model.as_ref(), search.services.prompts.as_ref());
        let filled = asking::ask(models, &search.request.question, &known, &self.compiler).await?;
        self.spent.extend(filled.spent);
        Ok(Some(match filled.outcome {
            Ok((form, plan)) => Ok(PlannedQuestion { form, plan, by: ReadBy::Model }),
            Err((form, why)) => Err(NotUnderstood { form, why: Some(why) }),
        }))
    }

    /// What a model is shown of the graph.
    async fn graph_vocabulary(&mut self) -> Result<GraphVocabulary> {
        let search = self.search;
        let question = &search.request.question;
        let found = named_at(search.reader.as_ref(), &search.services.ids, question).await?;
        let names: BTreeSet<&str> = found.iter().filter_map(|(span, _)| question.get(span.clone())).collect();
        let entities: BTreeSet<Id> = found.iter().map(|(_, entity)| entity.id.clone()).collect();
        let kinds = self.kinds(&entities.into_iter().collect::<Vec<_>>()).await?;
        let types = search.reader.entity_kinds().await?.into_iter().map(|(kind, _)| kind);
        Ok(GraphVocabulary {
            types: types.filter(|kind| !kind.is_empty()).take(TYPES).collect(),
            kinds: kinds.into_iter().take(KINDS).collect(),
            names: names.into_iter().map(str::to_owned).collect(),
        })
    }

    /// Types of relationships around entities; none where they have too many relationships to look at.
    async fn kinds(&self, entities: &[Id]) -> Result<Vec<String>> {
        let (reader, ids) = (self.search.reader.as_ref(), &self.search.services.ids);
        let mut looking = Execution::new(reader, ids, self.search.calendar(), RowBudget::of(KIND_ROWS));
        match looking.relationship_kinds(entities).await {
            Err(error) if error.is::<TooManyRows>() => Ok(Vec::new()),
            kinds => kinds,
        }
    }

    /// Lets wordings of a plan mean what an embedding model finds near them, around what the question names. A model that
    /// cannot be asked leaves words to decide.
    pub(super) async fn widen(&mut self, plan: &Compiled) -> Result<Vec<TakenFor>> {
        let Some(model) = &self.search.services.embedding else { return Ok(Vec::new()) };
        if plan.wordings.is_empty() || plan.named.is_empty() {
            return Ok(Vec::new());
        }
        let kinds = self.kinds(&plan.named).await?;
        let mut found = Vec::new();
        for written in &plan.wordings {
            let mut wording = Wording::read(written);
            let near = match meaning::near(model.as_ref(), &wording, &kinds).await {
                Ok(near) => near,
                Err(error @ ModelError::Budget(_)) => return Err(error.into()),
                Err(error) => {
                    tracing::warn!(%error, "relationships are found by words alone");
                    return Ok(found);
                }
            };
            if near.kinds.is_empty() {
                continue;
            }
            near.kinds.iter().for_each(|kind| wording.also(kind));
            self.execution.know(wording);
            found.push(TakenFor {
                written: written.clone(),
                taken: Vec::new(),
                near: near.kinds,
                near_above: Some((near.above * 100.0).round() / 100.0),
            });
        }
        Ok(found)
    }
}
