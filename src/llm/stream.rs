//! A streamed reply: read to its end within limits of bytes and time that are counted on the raw stream, and shown as
//! it comes without the model's thoughts.

use super::body::{self, CHAT};
use super::endpoint::Endpoint;
use super::events::Events;
use super::wire::{self, ReplyPart};
use super::{ModelError, failures};
use reqwest::Response;
use tokio::time::Instant;

/// Bytes of a stream beyond which an endpoint is not to be trusted: each token comes in some 300 bytes of JSON.
const MAX_STREAM_BYTES: usize = 64 << 20;
/// A reply may stream for so many times as long as a call waits for its first sign.
const MAX_TIMEOUTS: u32 = 5;

/// A reply that streams.
pub(super) struct Stream<'a> {
    endpoint: &'a Endpoint,
    whole: ReplyPart,
    visible: Visible,
    done: bool,
    bytes: usize,
    /// When it has lasted too long.
    end: Instant,
}

impl<'a> Stream<'a> {
    pub(super) fn new(endpoint: &'a Endpoint) -> Self {
        let end = Instant::now() + endpoint.timeout * MAX_TIMEOUTS;
        let (whole, visible) = (ReplyPart::default(), Visible::default());
        Self { endpoint, whole, visible, done: false, bytes: 0, end }
    }

    /// Reads to the end, handing on what is to be seen; the reply, and how many bytes of its text were handed on.
    pub(super) async fn read(
        mut self,
        mut response: Response,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<(ReplyPart, usize), ModelError> {
        let mut events = Events::new(CHAT.bytes);
        let mut silent_until = Instant::now() + self.endpoint.timeout;
        while !self.done {
            let chunk = tokio::time::timeout_at(silent_until.min(self.end), response.chunk()).await;
            let chunk = chunk.map_err(|elapsed| {
                if Instant::now() >= self.end { self.endless() } else { body::late(self.endpoint, &elapsed) }
            })?;
            let chunk = chunk.map_err(|error| failures::of_transport(self.endpoint, error))?;
            let Some(chunk) = chunk else { break };
            self.bytes += chunk.len();
            if self.bytes > MAX_STREAM_BYTES {
                return Err(self.endless());
            }
            let complete = events.feed(&chunk).map_err(|_too_long| body::too_long(self.endpoint, CHAT))?;
            if !complete.is_empty() {
                silent_until = Instant::now() + self.endpoint.timeout;
            }
            for data in complete {
                self.take(&data, on_text)?;
            }
        }
        if !self.done
            && let Some(data) = events.end()
        {
            self.take(&data, on_text)?;
        }
        if !self.done && self.whole.finish_reason.is_none() {
            let reason = "the connection broke in the middle of the reply";
            return Err(failures::busy(self.endpoint, reason));
        }
        Ok((self.whole, self.visible.shown))
    }

    fn take(
        &mut self,
        data: &str,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<(), ModelError> {
        if self.done || data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let event = match body::parse(data.as_bytes(), CHAT) {
            Ok(Some(event)) => event,
            Ok(None) => return Err(body::too_long(self.endpoint, CHAT)),
            // not for us
            Err(_) => return Ok(()),
        };
        let piece = wire::read_or_fail(self.endpoint, &event)?;
        self.whole.text.push_str(&piece.text);
        self.whole.refusal.push_str(&piece.refusal);
        if self.whole.text.len() + self.whole.refusal.len() > CHAT.bytes {
            return Err(body::too_long(self.endpoint, CHAT));
        }
        self.whole.finish_reason = piece.finish_reason.or_else(|| self.whole.finish_reason.take());
        self.whole.usage = piece.usage.or(self.whole.usage);
        let fresh = self.visible.fresh(&self.whole.text);
        if !fresh.is_empty() {
            on_text(fresh);
        }
        Ok(())
    }

    fn endless(&self) -> ModelError {
        let seconds = (self.endpoint.timeout * MAX_TIMEOUTS).as_secs();
        let reason =
            format!("the reply does not end: {} bytes, at most {seconds} s; raise timeout_s", self.bytes);
        failures::rejected(self.endpoint, &reason)
    }
}

/// What is to be seen of a text that grows: all but a leading `<think>…</think>`. Every byte is looked at once or twice.
#[derive(Default)]
pub(super) struct Visible {
    part: ReplyStage,
    /// Where the next look begins.
    at: usize,
    /// Bytes of the visible text that were handed on.
    shown: usize,
}

#[derive(Default, PartialEq)]
enum ReplyStage {
    /// It may yet become a thought.
    #[default]
    Beginning,
    Thought,
    /// Blank lines between thought and text.
    Behind,
    Text,
}

impl Visible {
    /// What has become visible since the last time.
    pub(super) fn fresh<'t>(&mut self, whole: &'t str) -> &'t str {
        const OPEN: &str = "<think>";
        const CLOSE: &str = "</think>";
        loop {
            let rest = whole.get(self.at..).unwrap_or_default();
            let blank = rest.len() - rest.trim_start().len();
            match self.part {
                ReplyStage::Beginning => {
                    self.at += blank;
                    let rest = rest.trim_start();
                    if rest.starts_with(OPEN) {
                        (self.part, self.at) = (ReplyStage::Thought, self.at + OPEN.len());
                    } else if OPEN.starts_with(rest) {
                        return "";
                    } else {
                        // the blanks belong to it
                        (self.part, self.at) = (ReplyStage::Text, 0);
                    }
                }
                ReplyStage::Thought => {
                    let Some(end) = rest.find(CLOSE) else {
                        let mut next = whole.len().saturating_sub(CLOSE.len() - 1).max(self.at);
                        while !whole.is_char_boundary(next) {
                            next -= 1;
                        }
                        self.at = next;
                        return "";
                    };
                    (self.part, self.at) = (ReplyStage::Behind, self.at + end + CLOSE.len());
                }
                ReplyStage::Behind => {
                    self.at += blank;
                    if blank == rest.len() {
                        return "";
                    }
                    self.part = ReplyStage::Text;
                }
                ReplyStage::Text => {
                    self.at = whole.len();
                    self.shown += rest.len();
                    return rest;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_the_reply_without_its_thoughts_however_it_comes() {
        for text in [
            "plain",
            "  plain",
            "<think>hm</think>\n\nyes",
            " <think>刘备</think> 曹操 <think>",
            "<think>cut",
            "<thi",
            "yes <think>no</think>",
            "<think></think>",
            "<think>a</think> ",
            "",
            " \n",
        ] {
            let mut visible = Visible::default();
            let mut seen = String::new();
            for (end, sign) in text.char_indices() {
                seen.push_str(visible.fresh(&text[..end + sign.len_utf8()]));
            }
            assert_eq!(visible.shown, seen.len());
            let whole = wire::without_thoughts(text);
            let rest = whole.get(visible.shown..).unwrap_or_default();
            assert_eq!(seen + rest, whole, "{text:?}");
        }
    }

    #[test]
    fn a_long_thought_is_looked_through_once() {
        let mut visible = Visible::default();
        let mut whole = "<think>".to_owned();
        let mut furthest_back = 0;
        for _ in 0..1000 {
            whole.push_str("刘备 thinks on ");
            let before = visible.at;
            assert_eq!(visible.fresh(&whole), "");
            furthest_back = furthest_back.max(whole.len() - visible.at);
            assert!(visible.at >= before);
        }
        assert!(furthest_back < 12, "{furthest_back} bytes are looked at again");
    }
}
