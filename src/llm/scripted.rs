//! A model for tests: its replies are a function of the request.

use super::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole, Usage};
use async_trait::async_trait;
use std::sync::Mutex;

type Script = Box<dyn FnMut(&ChatRequest) -> Result<ChatReply, ModelError> + Send>;

/// Answers by a script and remembers what it was asked.
pub(crate) struct Scripted {
    script: Mutex<Script>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Scripted {
    /// A model that answers by a function.
    pub(crate) fn new(
        script: impl FnMut(&ChatRequest) -> Result<ChatReply, ModelError> + Send + 'static,
    ) -> Self {
        Self { script: Mutex::new(Box::new(script)), requests: Mutex::default() }
    }

    /// A model that gives these replies one after another.
    pub(crate) fn replies(replies: &[&str]) -> Self {
        let mut rest: Vec<String> = replies.iter().rev().map(|&reply| reply.to_owned()).collect();
        Self::new(move |_| Ok(reply(&rest.pop().unwrap_or_default())))
    }

    /// What it was asked so far.
    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// The tasks it was asked for so far.
    pub(crate) fn tasks(&self) -> Vec<&'static str> {
        self.requests().iter().map(|request| request.task).collect()
    }
}

/// A whole reply of that text.
pub(crate) fn reply(text: &str) -> ChatReply {
    ChatReply { text: text.to_owned(), usage: Usage::default(), truncated: false, from_cache: false }
}

#[async_trait]
impl ChatModel for Scripted {
    fn describe(&self, _role: ModelRole) -> String {
        "scripted".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        (self.script.lock().unwrap())(request)
    }
}
