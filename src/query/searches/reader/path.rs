//! One path: an agent with a notebook of its own that walks from a key element over facts, chunks and neighbours.

use super::agent::{Agent, Called};
use super::graph::chunk_name;
use super::reply::StepReply;
use crate::domain::RecordKind;
use crate::language::unbroken;
use crate::llm::reply;
use crate::llm::{Message, Usage};
use crate::prompts::{Data, PromptName, ReaderChunk, ReaderFacts, ReaderNeighbours, RepairReply, short_line};
use crate::query::answer::trace::{PathTrace, Step};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What is shown where there is nothing yet.
const NOTHING: &str = "(nothing yet)";
/// Tokens of another path's notes.
const NOTED: usize = 200;
/// What a reply should be.
const FORM: &str = "one JSON object with notebook, rationale, action and arguments";

/// What one path may spend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Calls of the model.
    pub(super) calls: u64,
    /// Tokens of prompts.
    pub(super) tokens: u64,
}

/// Chunks that some path has read, with the notebook that it had then, or is reading: no other one reads them again, since
/// the answer is written from all notebooks.
#[derive(Default)]
pub(super) struct ClaimedChunks(BTreeMap<usize, Option<String>>);

impl ClaimedChunks {
    /// Notes at the end of a round what was read in it; what was taken and not read is free again.
    pub(super) fn end_of_round(&mut self, paths: &[Path<'_>]) {
        for path in paths {
            for chunk in &path.read {
                if let Some(noted) = self.0.get_mut(chunk).filter(|noted| noted.is_none()) {
                    *noted = Some(path.notebook.clone());
                }
            }
        }
        self.0.retain(|_, noted| noted.is_some());
    }
}

/// A path that has ended.
pub(super) struct Walked {
    /// The notebook.
    pub(super) notebook: String,
    /// The chunks that were read, in that order.
    pub(super) read: Vec<usize>,
    /// What each call used.
    pub(super) usages: Vec<Usage>,
    /// Citations in notes that named nothing that was read.
    pub(super) citations_removed: u64,
    /// What was done.
    pub(super) trace: PathTrace,
}

/// Where a path stands.
#[derive(Clone, Debug)]
enum PathPosition {
    /// At the facts of a key element, some chunks of which are still to be read.
    Facts { element: usize, chunks: Vec<usize> },
    /// At the text of a chunk.
    Chunk(usize),
    /// At the neighbours of a key element.
    Neighbours { element: usize, others: Vec<usize> },
}

/// What is done next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    ReadChunks(Vec<usize>),
    StopAndReadNeighbor,
    SearchMore,
    ReadPrevious(usize),
    ReadSubsequent(usize),
    ReadNeighborNode(usize),
    Termination,
}

/// A walk under way.
pub(super) struct Path<'a> {
    agent: &'a Agent<'a>,
    share: Share,
    start: usize,
    element: usize,
    /// Where the next step is taken; nothing where the path has ended.
    place: Option<PathPosition>,
    /// Chunks beside the one it stands at that are shown to this path or another one: the text that they share is sent once.
    beside: Vec<usize>,
    /// Whether it waits for another path that reads the chunk it stands at.
    waits: bool,
    ended_by: String,
    /// Whether the model holds that its notebook answers the question.
    enough: bool,
    notebook: String,
    done: Vec<String>,
    waiting: VecDeque<usize>,
    read: Vec<usize>,
    visited: BTreeSet<usize>,
    usages: Vec<Usage>,
    tokens: u64,
    citations_removed: u64,
    steps: Vec<Step>,
}

impl<'a> Path<'a> {
    /// A path that begins at a key element.
    pub(super) fn new(agent: &'a Agent<'a>, element: usize, share: Share) -> Self {
        let mut path = Self {
            agent,
            share,
            start: element,
            element,
            place: None,
            beside: Vec::new(),
            waits: false,
            ended_by: "no neighbour is left".to_owned(),
            enough: false,
            notebook: String::new(),
            done: Vec::new(),
            waiting: VecDeque::new(),
            read: Vec::new(),
            visited: BTreeSet::new(),
            usages: Vec::new(),
            tokens: 0,
            citations_removed: 0,
            steps: Vec::new(),
        };
        path.place = path.at_element(element);
        path
    }

    /// Whether there is a next step.
    pub(super) fn goes_on(&self) -> bool {
        self.place.is_some()
    }

    /// Whether its next step is at facts or at a text, and it waits for nobody.
    pub(super) fn reads_on(&self) -> bool {
        !self.waits && matches!(self.place, Some(PathPosition::Facts { .. } | PathPosition::Chunk(_)))
    }

    /// Leaves its neighbours for later.
    pub(super) fn hold_at_neighbours(&mut self) {
        self.waits |= matches!(self.place, Some(PathPosition::Neighbours { .. }));
    }

    /// Whether the model has ended it because its notebook answers the question in full.
    pub(super) fn has_enough(&self) -> bool {
        self.enough
    }

    /// Ends it, for a reason.
    pub(super) fn end(&mut self, reason: &str) {
        if self.place.take().is_some() {
            reason.clone_into(&mut self.ended_by);
        }
    }

    /// Passes over chunks that other paths have read, with what these noted, waits for one that another path is reading,
    /// and takes the one that is read next.
    pub(super) fn prepare(&mut self, taken: &mut ClaimedChunks) {
        self.waits = false;
        loop {
            match self.place.take() {
                Some(PathPosition::Chunk(chunk)) if taken.0.contains_key(&chunk) => {
                    if let Some(Some(noted)) = taken.0.get(&chunk) {
                        self.hear(chunk, noted);
                        self.place = self.at_next_chunk();
                    } else {
                        self.waits = true;
                        self.place = Some(PathPosition::Chunk(chunk));
                        break;
                    }
                }
                Some(PathPosition::Facts { element, chunks }) => {
                    self.place = self.at_facts_left(element, chunks, taken);
                    if self.waits || !matches!(self.place, Some(PathPosition::Neighbours { .. })) {
                        break;
                    }
                }
                Some(PathPosition::Neighbours { element, .. }) => {
                    self.place = self.at_neighbours_left(element, taken);
                    break;
                }
                place => {
                    if let Some(PathPosition::Chunk(chunk)) = &place {
                        let graph = self.agent.graph;
                        let beside = graph.previous(*chunk).into_iter().chain(graph.subsequent(*chunk));
                        self.beside = beside.filter(|other| taken.0.contains_key(other)).collect();
                        taken.0.insert(*chunk, None);
                    }
                    self.place = place;
                    break;
                }
            }
        }
        let limit = self.agent.settings.path_calls;
        if self.steps.len() >= limit {
            self.end(&format!("path_calls = {limit}"));
        }
    }

    /// A key element's facts but for those of chunks that other paths have taken: where nothing is left, it waits for what
    /// is being read, or looks at the neighbours.
    fn at_facts_left(
        &mut self,
        element: usize,
        chunks: Vec<usize>,
        taken: &ClaimedChunks,
    ) -> Option<PathPosition> {
        for chunk in &chunks {
            if let Some(Some(noted)) = taken.0.get(chunk) {
                self.hear(*chunk, noted);
            }
        }
        let left: Vec<usize> = chunks.iter().copied().filter(|chunk| !taken.0.contains_key(chunk)).collect();
        if !left.is_empty() {
            return Some(PathPosition::Facts { element, chunks: left });
        }
        self.waits = chunks.iter().any(|chunk| matches!(taken.0.get(chunk), Some(None)));
        if self.waits { Some(PathPosition::Facts { element, chunks }) } else { self.at_neighbours() }
    }

    /// The neighbours that lead to a chunk which no path has taken, those of the neighbours where none does: a walk over
    /// what has been read finds nothing. Where all is taken that they lead to, it waits for what is being read, or ends.
    fn at_neighbours_left(&mut self, element: usize, taken: &ClaimedChunks) -> Option<PathPosition> {
        let graph = self.agent.graph;
        let is_open = |other: &usize| {
            !self.visited.contains(other)
                && graph.chunks_of(*other).into_iter().any(|chunk| !taken.0.contains_key(&chunk))
        };
        let near = graph.neighbours(element);
        let mut others: Vec<usize> = near.iter().copied().filter(is_open).collect();
        if others.is_empty() {
            let mut seen: BTreeSet<usize> = near.iter().copied().chain([element]).collect();
            let behind = near.iter().flat_map(|other| graph.neighbours(*other));
            others = behind.filter(|other| seen.insert(*other) && is_open(other)).collect();
        }
        others.truncate(self.agent.settings.neighbours);
        if !others.is_empty() {
            return Some(PathPosition::Neighbours { element, others });
        }
        self.waits = taken.0.values().any(Option::is_none);
        self.waits.then_some(PathPosition::Neighbours { element, others })
    }

    /// Takes note of a chunk that another path has read.
    fn hear(&mut self, chunk: usize, noted: &str) {
        if self.read.contains(&chunk) {
            return;
        }
        self.read.push(chunk);
        let noted = self.agent.services.tokens.truncate(noted.trim(), NOTED).trim_end();
        let told = if noted.is_empty() { String::new() } else { format!("; its notes then: {noted}") };
        self.done.push(format!("chunk {}: read by another reader{told}", chunk_name(chunk)));
    }

    /// Takes one step: the path ends where the model terminates, nothing is left to look at, or a limit is reached.
    ///
    /// # Errors
    /// What the store says; a model that cannot be reached or refuses.
    pub(super) async fn advance(mut self) -> Result<Self> {
        let Some(here) = self.place.clone().filter(|_| !self.waits) else { return Ok(self) };
        match self.step(&here).await? {
            Ok(Action::Termination) => {
                self.enough = matches!(here, PathPosition::Chunk(_));
                self.end("termination");
            }
            Ok(action) => self.place = self.go(action),
            Err(limit) => self.end(&limit),
        }
        Ok(self)
    }

    /// What came of it.
    pub(super) fn finish(self) -> Walked {
        let start = self.agent.graph.name_of(self.start).to_owned();
        Walked {
            read: self.read,
            usages: self.usages,
            citations_removed: self.citations_removed,
            trace: PathTrace {
                start,
                steps: self.steps,
                notebook: self.notebook.clone(),
                ended_by: self.ended_by,
            },
            notebook: self.notebook,
        }
    }

    /// A key element's facts, or its neighbours where all its chunks have been read.
    fn at_element(&mut self, element: usize) -> Option<PathPosition> {
        self.element = element;
        self.visited.insert(element);
        let chunks = self.agent.graph.facts_by_chunk(element).into_keys();
        let chunks: Vec<usize> = chunks.filter(|chunk| !self.read.contains(chunk)).collect();
        if chunks.is_empty() { self.at_neighbours() } else { Some(PathPosition::Facts { element, chunks }) }
    }

    fn at_neighbours(&self) -> Option<PathPosition> {
        let others = self.agent.graph.neighbours(self.element).into_iter();
        let others: Vec<usize> = others
            .filter(|other| !self.visited.contains(other))
            .take(self.agent.settings.neighbours)
            .collect();
        (!others.is_empty()).then_some(PathPosition::Neighbours { element: self.element, others })
    }

    /// The next chunk that waits, else the neighbours.
    fn at_next_chunk(&mut self) -> Option<PathPosition> {
        match self.waiting.pop_front() {
            Some(chunk) => Some(PathPosition::Chunk(chunk)),
            None => self.at_neighbours(),
        }
    }

    fn go(&mut self, action: Action) -> Option<PathPosition> {
        match action {
            Action::ReadChunks(chunks) => {
                self.waiting.extend(chunks);
                self.at_next_chunk()
            }
            Action::ReadPrevious(chunk) | Action::ReadSubsequent(chunk) => {
                self.waiting.retain(|waiting| *waiting != chunk);
                self.waiting.push_front(chunk);
                self.at_next_chunk()
            }
            Action::SearchMore => self.at_next_chunk(),
            Action::StopAndReadNeighbor => self.at_neighbours(),
            Action::ReadNeighborNode(element) => self.at_element(element),
            Action::Termination => None,
        }
    }

    /// Shows what is here and asks what to do; once more where the reply cannot be used, and then goes on without it.
    /// The inner error is the limit that was reached.
    async fn step(&mut self, here: &PathPosition) -> Result<Result<Action, String>> {
        let mut messages = self.prompt(here).await?;
        if let PathPosition::Chunk(chunk) = here {
            self.read.push(*chunk);
        }
        let mut step = Step { looked_at: self.describe(here), ..Step::default() };
        let mut usable = None;
        for again in [false, true] {
            let reply = match self.ask(here, messages.clone()).await? {
                Ok(reply) => reply,
                Err(limit) => return Ok(Err(limit)),
            };
            let (action, problem) = match StepReply::read(&reply) {
                None => (None, Some("it is no JSON object with an action".to_owned())),
                Some(read) => {
                    if let Some(notebook) = read.notebook.as_deref().filter(|notes| !notes.is_empty()) {
                        self.note(notebook);
                    }
                    step.rationale.clone_from(&read.rationale);
                    self.decide(here, &read)
                }
            };
            usable = action.or(usable);
            let Some(problem) = problem else { break };
            if !again {
                messages.push(Message::assistant(reply));
                let repair = RepairReply { problem: Data::text(problem.as_str()), form: FORM };
                messages.extend(self.agent.services.prompts.render(&repair)?);
            }
            step.refused.push(problem);
        }
        let action = usable.unwrap_or(match here {
            PathPosition::Facts { .. } => Action::StopAndReadNeighbor,
            PathPosition::Chunk(_) => Action::SearchMore,
            PathPosition::Neighbours { .. } => Action::Termination,
        });
        step.action = self.written(&action);
        self.done.push(format!("{}: {}", step.looked_at, step.action));
        self.steps.push(step);
        Ok(Ok(action))
    }

    async fn ask(&mut self, here: &PathPosition, messages: Vec<Message>) -> Result<Result<String, String>> {
        let settings = self.agent.settings;
        if self.usages.len() as u64 >= self.share.calls {
            return Ok(Err(format!("max_calls = {}", settings.max_calls)));
        }
        let tokens = self.agent.count(&messages);
        if self.tokens + tokens > self.share.tokens {
            return Ok(Err(format!("max_tokens = {}", settings.max_tokens)));
        }
        self.tokens += tokens;
        Ok(match self.agent.call(task(here), messages).await? {
            Called::Reply(reply) => {
                self.usages.push(reply.usage);
                Ok(reply.text)
            }
            Called::Ended(reason) => Err(reason),
        })
    }

    /// Replaces the notebook: citations of what was not read go, and what is too long is cut.
    fn note(&mut self, notebook: &str) {
        let mut removed = 0;
        let notebook = reply::rewrite(notebook, |kind, number| {
            let known = kind == RecordKind::Sources && self.has_read(number);
            removed += u64::from(!known);
            known.then(|| number.to_string())
        });
        self.citations_removed += removed;
        let room = self.agent.settings.window_tokens / 2;
        self.agent.services.tokens.truncate(&notebook, room).clone_into(&mut self.notebook);
    }

    fn has_read(&self, number: u32) -> bool {
        self.read.iter().filter_map(|chunk| self.agent.graph.chunks.get(*chunk)).any(|chunk| {
            usize::try_from(number)
                .is_ok_and(|n| (chunk.first_number..chunk.first_number + chunk.text_units.len()).contains(&n))
        })
    }

    /// What a reply wants, as far as it can be done here, and what is wrong with it.
    fn decide(&self, here: &PathPosition, reply: &StepReply) -> (Option<Action>, Option<String>) {
        let graph = self.agent.graph;
        let beside = |chunk: Option<usize>, which: &str, action: fn(usize) -> Action| match chunk {
            None => (None, Some(format!("there is no {which} chunk in this document"))),
            Some(chunk) if self.read.contains(&chunk) => {
                (None, Some(format!("the {which} chunk, {}, has been read already", chunk_name(chunk))))
            }
            Some(chunk) => (Some(action(chunk)), None),
        };
        match (here, reply.action.as_str()) {
            (PathPosition::Facts { chunks, .. }, "read_chunk") => self.chunks_of(chunks, &reply.arguments),
            (PathPosition::Facts { .. }, "stop_and_read_neighbor") => {
                (Some(Action::StopAndReadNeighbor), None)
            }
            (PathPosition::Chunk(_), "search_more") => (Some(Action::SearchMore), None),
            (PathPosition::Chunk(chunk), "read_previous_chunk") => {
                beside(graph.previous(*chunk), "previous", Action::ReadPrevious)
            }
            (PathPosition::Chunk(chunk), "read_subsequent_chunk") => {
                beside(graph.subsequent(*chunk), "subsequent", Action::ReadSubsequent)
            }
            (PathPosition::Chunk(_), "read_neighbor_node") => {
                let named = reply.arguments.first().map_or("", String::as_str);
                match graph.element(named) {
                    Some(element) if self.visited.contains(&element) => {
                        (None, Some(format!("{named:?} has been looked at already")))
                    }
                    Some(element) => (Some(Action::ReadNeighborNode(element)), None),
                    None => (None, Some(format!("{named:?} is no key element"))),
                }
            }
            (PathPosition::Neighbours { others, .. }, "read_neighbor_node") => {
                let named = reply.arguments.first().map_or("", String::as_str);
                match graph.element(named).filter(|element| others.contains(element)) {
                    Some(element) => (Some(Action::ReadNeighborNode(element)), None),
                    None => (None, Some(format!("{named:?} is not among the key elements that were shown"))),
                }
            }
            (PathPosition::Chunk(_) | PathPosition::Neighbours { .. }, "termination") => {
                (Some(Action::Termination), None)
            }
            (_, other) => (
                None,
                Some(format!("{other:?} is no function here; there are {}", functions(here).join(", "))),
            ),
        }
    }

    /// Those of the chunks that were asked for and shown; what is wrong where others were asked for.
    fn chunks_of(&self, shown: &[usize], arguments: &[String]) -> (Option<Action>, Option<String>) {
        let mut chunks: Vec<usize> = Vec::new();
        let mut unknown: Vec<&str> = Vec::new();
        for argument in arguments {
            let number = argument.trim().trim_start_matches(['C', 'c']).parse::<usize>().ok();
            match number.and_then(|number| number.checked_sub(1)).filter(|chunk| shown.contains(chunk)) {
                Some(chunk) if !chunks.contains(&chunk) => chunks.push(chunk),
                Some(_) => {}
                None => unknown.push(argument),
            }
        }
        chunks.retain(|chunk| !self.waiting.contains(chunk));
        let problem = if !unknown.is_empty() {
            Some(format!("{} not among the chunks that were shown", unknown.join(", ")))
        } else if chunks.is_empty() {
            Some("read_chunk names no chunk".to_owned())
        } else {
            None
        };
        ((!chunks.is_empty()).then_some(Action::ReadChunks(chunks)), problem)
    }

    async fn prompt(&self, here: &PathPosition) -> Result<Vec<Message>> {
        let agent = self.agent;
        let tokens = agent.services.tokens;
        let room = agent.settings.window_tokens.saturating_sub(tokens.count(&self.notebook));
        let or_nothing = |text: &str| Data::text(if text.is_empty() { NOTHING } else { text }.to_owned());
        let (question, plan) = (agent.request.question_text(), or_nothing(&agent.plan));
        let actions = if self.done.is_empty() { or_nothing("") } else { Data::items(&self.done) };
        let notebook = or_nothing(&self.notebook);
        let prompts = &agent.services.prompts;
        match here {
            PathPosition::Facts { element, chunks } => {
                let facts = facts_shown(&agent.graph.facts_by_chunk(*element), chunks);
                let key_element = Data::line(agent.graph.name_of(*element));
                let facts = Data::text(tokens.truncate(&facts, room));
                prompts.render(&ReaderFacts { facts, question, plan, actions, notebook, key_element })
            }
            PathPosition::Chunk(chunk) => {
                let text = agent.text_of(*chunk, &self.beside).await?;
                let text = Data::text(tokens.truncate(&text, room));
                let chunk = &chunk_name(*chunk);
                prompts.render(&ReaderChunk { text, question, plan, actions, notebook, chunk })
            }
            PathPosition::Neighbours { element, others } => {
                let names: Vec<&str> = others.iter().map(|other| agent.graph.name_of(*other)).collect();
                let key_element = Data::line(agent.graph.name_of(*element));
                let names = names.join("\n");
                let neighbours = Data::text(tokens.truncate(&names, room));
                prompts.render(&ReaderNeighbours {
                    neighbours,
                    question,
                    plan,
                    actions,
                    notebook,
                    key_element,
                })
            }
        }
    }

    fn describe(&self, here: &PathPosition) -> String {
        let graph = self.agent.graph;
        match here {
            PathPosition::Facts { element, .. } => format!("facts of {}", graph.name_of(*element)),
            PathPosition::Chunk(chunk) => {
                let document = graph.chunks.get(*chunk).map_or("", |chunk| chunk.document.as_str());
                format!("chunk {} ({})", chunk_name(*chunk), short_line(document))
            }
            PathPosition::Neighbours { element, .. } => format!("neighbours of {}", graph.name_of(*element)),
        }
    }

    fn written(&self, action: &Action) -> String {
        match action {
            Action::ReadChunks(chunks) => {
                let names: Vec<String> = chunks.iter().map(|chunk| chunk_name(*chunk)).collect();
                format!("read_chunk({})", names.join(", "))
            }
            Action::StopAndReadNeighbor => "stop_and_read_neighbor()".to_owned(),
            Action::SearchMore => "search_more()".to_owned(),
            Action::ReadPrevious(_) => "read_previous_chunk()".to_owned(),
            Action::ReadSubsequent(_) => "read_subsequent_chunk()".to_owned(),
            Action::ReadNeighborNode(element) => {
                format!("read_neighbor_node({})", self.agent.graph.name_of(*element))
            }
            Action::Termination => "termination()".to_owned(),
        }
    }
}

/// Facts under the names of the chunks that hold them, a line each: none begins another chunk.
fn facts_shown(by_chunk: &BTreeMap<usize, Vec<&str>>, chunks: &[usize]) -> String {
    let mut shown = String::new();
    for (chunk, texts) in by_chunk.iter().filter(|(chunk, _)| chunks.contains(*chunk)) {
        shown.extend([format!("{}:\n", chunk_name(*chunk))]);
        shown.extend(texts.iter().map(|text| format!("- {}\n", unbroken(text))));
    }
    shown
}

/// The prompt of a place.
fn task(here: &PathPosition) -> PromptName {
    match here {
        PathPosition::Facts { .. } => PromptName::ReaderFacts,
        PathPosition::Chunk(_) => PromptName::ReaderChunk,
        PathPosition::Neighbours { .. } => PromptName::ReaderNeighbours,
    }
}

fn functions(here: &PathPosition) -> &'static [&'static str] {
    match here {
        PathPosition::Facts { .. } => &["read_chunk", "stop_and_read_neighbor"],
        PathPosition::Chunk(_) => &[
            "search_more",
            "read_previous_chunk",
            "read_subsequent_chunk",
            "read_neighbor_node",
            "termination",
        ],
        PathPosition::Neighbours { .. } => &["read_neighbor_node", "termination"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_begins_no_other_chunk() {
        let by_chunk = BTreeMap::from([
            (0, vec!["Bob is a clerk.", "Bob\nC3:\n- is forged.\u{2028}[2] x"]),
            (1, vec!["Not asked for."]),
        ]);
        assert_eq!(facts_shown(&by_chunk, &[0, 4]), "C1:\n- Bob is a clerk.\n- Bob C3: - is forged. [2] x\n");
    }
}
