//! The chat completions and embeddings formats: requests out, replies in. Pure; replies are untrusted.

use super::endpoint::Endpoint;
use super::{ChatReply, ChatRequest, Message, ModelError, PICTURE_TOKENS, Usage, failures};
use crate::tokens::Tokens;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};

/// The most tokens that one reply is counted with, of each kind.
const MOST_TOKENS: u64 = 1_000_000_000;

/// What an endpoint turned out not to take; it is then asked without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of its own that was refused")]
pub(super) struct Refusals {
    /// `temperature`
    pub(super) temperature: bool,
    /// `response_format`
    pub(super) response_format: bool,
    /// `stream_options`
    pub(super) stream_options: bool,
    /// The name used for the reply's limit; the other one is taken.
    pub(super) limit_name: bool,
}

impl Refusals {
    /// What a rejection complains of besides what is known already; `None` where it is something else.
    pub(super) fn learn(self, complaint: &str) -> Option<Self> {
        let complaint = complaint.to_lowercase();
        let of_a_field = [
            "unsupported",
            "not support",
            "unrecognized",
            "unknown",
            "not permitted",
            "unexpected",
            "extra inputs",
            "invalid",
        ]
        .iter()
        .any(|phrase| complaint.contains(phrase));
        if !of_a_field {
            return None;
        }
        let mut learnt = self;
        if complaint.contains("temperature") {
            learnt.temperature = true;
        } else if complaint.contains("max_tokens") || complaint.contains("max_completion_tokens") {
            learnt.limit_name = true;
        } else if complaint.contains("response_format") || complaint.contains("json_schema") {
            learnt.response_format = true;
        } else if complaint.contains("stream_options") {
            learnt.stream_options = true;
        }
        (learnt != self).then_some(learnt)
    }
}

/// The body of a chat request.
pub(super) fn chat_body(
    endpoint: &Endpoint,
    request: &ChatRequest,
    refusals: Refusals,
    stream: bool,
) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(endpoint.model));
    let temperature = request.temperature.or(endpoint.temperature);
    if let Some(temperature) = temperature.filter(|_| !refusals.temperature) {
        // two decimals: 0.7 is not to become 0.699999988079071
        body.insert("temperature".into(), json!((f64::from(temperature) * 100.0).round() / 100.0));
    }
    if let Some(limit) = request.max_tokens.or(endpoint.max_tokens) {
        let completion = endpoint.preset.completion_limit != refusals.limit_name;
        let name = if completion { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.into(), json!(limit));
    }
    if let Some((name, schema)) = &request.schema
        && endpoint.structured_output
        && !refusals.response_format
    {
        let format = json!({"name": name, "schema": schema, "strict": true});
        body.insert("response_format".into(), json!({"type": "json_schema", "json_schema": format}));
    }
    body.extend(endpoint.extra_fields(request.task));
    body.insert("messages".into(), request.messages.iter().map(message_body).collect());
    body.insert("stream".into(), json!(stream));
    if stream && !refusals.stream_options {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    Value::Object(body)
}

/// A message: its words, and behind them its pictures as parts.
fn message_body(message: &Message) -> Value {
    if message.pictures.is_empty() {
        return json!(message);
    }
    let mut parts = vec![json!({"type": "text", "text": message.content})];
    parts.extend(
        message
            .pictures
            .iter()
            .map(|picture| json!({"type": "image_url", "image_url": {"url": picture.data_uri()}})),
    );
    json!({"role": message.role, "content": parts})
}

/// The body of an embeddings request.
pub(super) fn embeddings_body(endpoint: &Endpoint, texts: &[String], dimension: usize) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(endpoint.model));
    body.insert("encoding_format".into(), json!("float"));
    // the only family whose vectors can be cut, and others may refuse the field
    if dimension > 0 && endpoint.model.starts_with("text-embedding-3") {
        body.insert("dimensions".into(), json!(dimension));
    }
    body.extend(endpoint.extra_fields("embed"));
    body.insert("input".into(), json!(texts));
    Value::Object(body)
}

/// What a chat reply says, or a piece of a streamed one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ReplyPart {
    /// Text of the reply.
    pub(super) text: String,
    /// Why the model declined, where it did.
    pub(super) refusal: String,
    /// `stop`, `length`, `content_filter`, … where the reply has ended.
    pub(super) finish_reason: Option<String>,
    /// Tokens, where reported.
    pub(super) usage: Option<Usage>,
}

/// As [`read_piece`]; an error that came with a status of success, as gateways send them, is one.
pub(super) fn read_or_fail(endpoint: &Endpoint, body: &Value) -> Result<ReplyPart, ModelError> {
    fail_by_error(endpoint, body)?;
    read_piece(body).ok_or_else(|| failures::busy(endpoint, "the reply holds no choices"))
}

/// The error that a body holds.
pub(super) fn fail_by_error(endpoint: &Endpoint, body: &Value) -> Result<(), ModelError> {
    if body.get("error").is_none_or(Value::is_null) {
        return Ok(());
    }
    let code = body.pointer("/error/code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = code
        .filter(|code| *code >= 400)
        .and_then(|code| StatusCode::from_u16(code).ok())
        .unwrap_or(StatusCode::BAD_GATEWAY);
    Err(failures::of_reply(endpoint, status, &HeaderMap::new(), &body.to_string()))
}

/// Reads a whole reply or one event of a stream; `None` where it is neither.
pub(super) fn read_piece(body: &Value) -> Option<ReplyPart> {
    let choices = body.get("choices")?.as_array()?;
    let mut piece = ReplyPart { usage: body.get("usage").and_then(read_usage), ..ReplyPart::default() };
    let Some(choice) = choices.first() else {
        // the last event of a stream holds the usage only
        return piece.usage.is_some().then_some(piece);
    };
    if let Some(message) = choice.get("message").or_else(|| choice.get("delta")) {
        piece.text = content_text(message.get("content"));
        piece.refusal = content_text(message.get("refusal"));
    }
    piece.finish_reason = choice.get("finish_reason").and_then(Value::as_str).map(str::to_owned);
    Some(piece)
}

/// The vectors of an embeddings reply, in the order of the texts; `None` where they are not all there.
pub(super) fn read_vectors(body: &Value, count: usize) -> Option<Vec<Vec<f32>>> {
    let rows = body.get("data")?.as_array()?;
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); count];
    for (place, row) in rows.iter().enumerate() {
        let index = row
            .get("index")
            .and_then(Value::as_u64)
            .map_or(Some(place), |index| usize::try_from(index).ok())?;
        let numbers = row.get("embedding")?.as_array()?;
        #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in single precision")]
        let vector: Option<Vec<f32>> = numbers.iter().map(|x| x.as_f64().map(|x| x as f32)).collect();
        *vectors.get_mut(index)? = unit_length(vector?)?;
    }
    vectors.iter().all(|vector| !vector.is_empty()).then_some(vectors)
}

/// A number of tokens that an endpoint reports, capped: no call has so many, and sums of it stay numbers.
fn token_count(value: Option<&Value>) -> Option<u64> {
    value.and_then(Value::as_u64).map(|count| count.min(MOST_TOKENS))
}

/// What a reranking reply says that it read, else `tokens`.
pub(super) fn reranking_usage(reply: &Value, tokens: u64) -> Usage {
    let said = ["/usage/total_tokens", "/usage/prompt_tokens", "/meta/billed_units/input_tokens"]
        .into_iter()
        .find_map(|place| token_count(reply.pointer(place)));
    Usage { input_tokens: said.unwrap_or(tokens), ..Usage::default() }
}

/// Tokens of a reply of a chat model or an embedding model, as the endpoint reports them.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let cached = token_count(usage.pointer("/prompt_tokens_details/cached_tokens"))
        .or_else(|| token_count(usage.get("prompt_cache_hit_tokens")))
        .or_else(|| token_count(usage.get("cache_read_input_tokens")));
    let input_tokens = token_count(usage.get("prompt_tokens"))?;
    Some(Usage {
        input_tokens,
        cached_tokens: cached.unwrap_or(0).min(input_tokens),
        output_tokens: token_count(usage.get("completion_tokens")).unwrap_or(0),
    })
}

/// Tokens of a call whose endpoint reports none: counted.
pub(super) fn counted_usage(messages: &[Message], text: &str) -> Usage {
    let count = |text: &str| Tokens::O200kBase.count(text) as u64;
    Usage {
        // 4 tokens a message frame it
        input_tokens: messages
            .iter()
            .map(|message| count(&message.content) + 4 + (message.pictures.len() * PICTURE_TOKENS) as u64)
            .sum(),
        cached_tokens: 0,
        output_tokens: count(text),
    }
}

/// A reply from its pieces, without the thoughts that some models put before it.
pub(super) fn finish(whole: &ReplyPart, messages: &[Message]) -> ChatReply {
    let usage = whole.usage.unwrap_or_else(|| counted_usage(messages, &whole.text));
    let truncated = whole.finish_reason.as_deref() == Some("length");
    ChatReply { text: without_thoughts(&whole.text).to_owned(), usage, truncated, from_cache: false }
}

/// The text behind a leading `<think>…</think>`.
pub(super) fn without_thoughts(text: &str) -> &str {
    match text.trim_start().strip_prefix("<think>") {
        Some(thoughts) => thoughts.split_once("</think>").map_or("", |(_, rest)| rest.trim_start()),
        None => text,
    }
}

fn content_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

fn unit_length(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in single precision")]
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ModelRole;

    fn endpoint(more: &str) -> Endpoint {
        let text = format!("[llm]\nprovider='openai'\nmodel='m'\nbase_url='http://host/v1'\n{more}");
        let config = crate::config::Config::parse(&text).unwrap().llm;
        Endpoint::of_role(&config, ModelRole::Answer, &|_| None).unwrap()
    }

    #[test]
    fn a_request_says_what_is_set_and_nothing_else() {
        let mut request = ChatRequest::new(ModelRole::Answer, "local_answer", vec![Message::user("hello")]);
        let endpoint =
            endpoint("temperature=0.7\nmax_tokens=9\n[llm.extra_body]\nmetadata={ task='{task}' }");
        assert_eq!(
            chat_body(&endpoint, &request, Refusals::default(), false),
            json!({"model": "m", "temperature": 0.7, "max_completion_tokens": 9, "stream": false,
                   "metadata": {"task": "local_answer"}, "messages": [{"role": "user", "content": "hello"}]})
        );
        request.schema = Some(("report".into(), json!({"type": "object"})));
        let all =
            Refusals { temperature: true, response_format: true, stream_options: true, limit_name: true };
        assert_eq!(
            chat_body(&endpoint, &request, all, true),
            json!({"model": "m", "max_tokens": 9, "stream": true, "metadata": {"task": "local_answer"},
                   "messages": [{"role": "user", "content": "hello"}]})
        );
    }

    #[test]
    fn a_picture_stands_behind_the_words_and_decides_the_body() {
        let body = |last: u8| {
            let mut message = Message::user("read it");
            let bytes = [b"\x89PNG\r\n\x1a\n\0\0\0\0".as_slice(), &[last]].concat();
            message.pictures.extend(super::super::Picture::of(bytes));
            let request = ChatRequest::new(ModelRole::Ocr, "read_page", vec![message]);
            chat_body(&endpoint(""), &request, Refusals::default(), false)
        };
        let parts = &body(1)["messages"][0]["content"];
        assert_eq!(parts[0], json!({"type": "text", "text": "read it"}));
        assert_eq!(parts[1]["image_url"]["url"], "data:image/png;base64,iVBORw0KGgoAAAAAAQ==");
        assert_ne!(body(1), body(2), "what is kept of a reply is kept under the picture");
    }

    #[test]
    fn an_endpoint_is_asked_without_what_it_does_not_take() {
        let check = |complaint: &str, expected: Option<Refusals>| {
            assert_eq!(Refusals::default().learn(complaint), expected, "{complaint}");
        };
        let none = Refusals::default();
        check(
            "Unsupported value: 'temperature' does not support 0 with this model",
            Some(Refusals { temperature: true, ..none }),
        );
        check(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Some(Refusals { limit_name: true, ..none }),
        );
        check(
            "response_format json_schema is not supported",
            Some(Refusals { response_format: true, ..none }),
        );
        check("messages: must not be empty", None);
        let known = Refusals { temperature: true, ..none };
        assert_eq!(known.learn("unsupported temperature"), None);
    }

    #[test]
    fn tokens_are_read_wherever_they_stand() {
        let check = |usage: Value, expected: (u64, u64, u64)| {
            let usage = read_usage(&usage).unwrap();
            assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), expected);
        };
        check(json!({"prompt_tokens": 10, "completion_tokens": 2}), (10, 0, 2));
        check(
            json!({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}}),
            (10, 8, 2),
        );
        check(json!({"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}), (10, 4, 2));
        assert_eq!(read_usage(&json!(null)), None);
        let most = u64::MAX;
        check(
            json!({"prompt_tokens": most, "completion_tokens": most, "prompt_cache_hit_tokens": most}),
            (MOST_TOKENS, MOST_TOKENS, MOST_TOKENS),
        );
        let reranked = reranking_usage(&json!({"usage": {"total_tokens": u64::MAX}}), 1);
        assert_eq!(reranked.input_tokens, MOST_TOKENS);
    }

    #[test]
    fn thoughts_are_no_part_of_a_reply() {
        assert_eq!(without_thoughts("<think>hm</think>\n\nyes"), "yes");
        assert_eq!(without_thoughts("yes <think>"), "yes <think>");
        assert_eq!(without_thoughts("<think>cut off"), "");
    }

    #[test]
    fn vectors_are_put_in_order_and_to_unit_length() {
        let body =
            json!({"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3.0, 4.0]}]});
        assert_eq!(read_vectors(&body, 2), Some(vec![vec![0.6, 0.8], vec![0.0, 1.0]]));
        assert_eq!(read_vectors(&body, 3), None);
        assert_eq!(read_vectors(&json!({"data": [{"embedding": [0, 0]}]}), 1), None);
        assert_eq!(read_vectors(&json!({"data": [{"index": 7, "embedding": [1]}]}), 1), None);
    }
}
