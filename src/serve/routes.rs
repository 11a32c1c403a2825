//! One list of routes: it makes the router, says who may call what, and describes the API.

use super::app::Shared;
use super::problem::ProblemType;
use super::tokens::Role;
use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, on};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Shape = fn(&mut SchemaGenerator) -> Schema;

/// What a route is for.
#[derive(Clone)]
pub(crate) struct About {
    /// Its name in clients that are made from the description.
    id: &'static str,
    /// What it does, in a sentence.
    summary: &'static str,
    /// Who may call it; absent: everybody who reaches the server.
    role: Option<Role>,
    fields: Option<Shape>,
    body: Option<Shape>,
    reply: Option<Shape>,
    status: u16,
    /// What it replies with another status, and when.
    also: Option<(u16, &'static str, Shape)>,
    /// What it sends beside JSON.
    other: Vec<(&'static str, &'static str)>,
    /// Whether the stored graph alone decides what it replies.
    is_tagged: bool,
}

impl About {
    /// A route that replies with 200.
    pub(crate) fn new(id: &'static str, role: Role, summary: &'static str) -> Self {
        Self {
            id,
            summary,
            role: Some(role),
            fields: None,
            body: None,
            reply: None,
            status: 200,
            also: None,
            other: Vec::new(),
            is_tagged: false,
        }
    }

    /// A route that needs no token.
    pub(crate) fn open(id: &'static str, summary: &'static str) -> Self {
        Self { role: None, ..Self::new(id, Role::Read, summary) }
    }

    /// Fields of the address.
    pub(crate) fn fields<T: JsonSchema>(mut self) -> Self {
        self.fields = Some(|generator| T::json_schema(generator));
        self
    }

    /// The body.
    pub(crate) fn body<T: JsonSchema>(mut self) -> Self {
        self.body = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// The reply.
    pub(crate) fn reply<T: JsonSchema>(mut self) -> Self {
        self.reply = Some(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// The status of a reply.
    pub(crate) fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The reply, with 200, of a call that only asks what would be done.
    pub(crate) fn preview<T: JsonSchema>(self) -> Self {
        self.also::<T>(200, "what would be done, with dry_run")
    }

    /// A reply with another status, and when it comes.
    pub(crate) fn also<T: JsonSchema>(mut self, status: u16, when: &'static str) -> Self {
        self.also = Some((status, when, SchemaGenerator::subschema_for::<T>));
        self
    }

    /// The stored graph alone decides the reply: it has a tag, and whoever brings the tag is told that nothing has changed.
    pub(crate) fn tagged(mut self) -> Self {
        self.is_tagged = true;
        self
    }

    /// Another type of reply, and what it holds.
    pub(crate) fn other(mut self, kind: &'static str, what: &'static str) -> Self {
        self.other.push((kind, what));
        self
    }
}

/// The routes so far.
#[derive(Default)]
pub(crate) struct Routes {
    router: Router<Shared>,
    list: Vec<(Method, &'static str, About)>,
}

/// Who may call what: by method and template of the address.
pub(crate) type Roles = BTreeMap<(String, String), Option<Role>>;

impl Routes {
    /// One more.
    pub(crate) fn add<H, T>(&mut self, method: Method, path: &'static str, handler: H, about: About)
    where
        H: Handler<T, Shared>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET);
        self.router = std::mem::take(&mut self.router).route(path, on(filter, handler));
        self.list.push((method, path, about));
    }

    /// A GET route.
    pub(crate) fn get<H, T>(&mut self, path: &'static str, handler: H, about: About)
    where
        H: Handler<T, Shared>,
        T: 'static,
    {
        self.add(Method::GET, path, handler, about);
    }

    /// A POST route.
    pub(crate) fn post<H, T>(&mut self, path: &'static str, handler: H, about: About)
    where
        H: Handler<T, Shared>,
        T: 'static,
    {
        self.add(Method::POST, path, handler, about);
    }

    /// A DELETE route.
    pub(crate) fn delete<H, T>(&mut self, path: &'static str, handler: H, about: About)
    where
        H: Handler<T, Shared>,
        T: 'static,
    {
        self.add(Method::DELETE, path, handler, about);
    }

    /// Templates of the addresses whose replies have a tag.
    pub(crate) fn tagged(&self) -> BTreeSet<String> {
        let tagged = self.list.iter().filter(|(_, _, about)| about.is_tagged);
        tagged.map(|(_, path, _)| (*path).to_owned()).collect()
    }

    /// The router, and who may call what.
    pub(crate) fn finish(self) -> (Router<Shared>, Roles) {
        let mut roles = Roles::new();
        for (method, path, about) in &self.list {
            roles.insert((method.to_string(), (*path).to_owned()), about.role);
            if method == Method::GET {
                roles.insert((Method::HEAD.to_string(), (*path).to_owned()), about.role);
            }
        }
        (self.router, roles)
    }

    /// The description of the API, as `OpenAPI` 3.1 has it. `server` stands before every route.
    pub(crate) fn openapi(&self, server: &str) -> Value {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        // what may be left out of a request is not what may be absent from a reply
        let mut replies = settings.clone().for_serialize().into_generator();
        let mut requests = settings.into_generator();
        let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
        for (method, path, about) in &self.list {
            // a part that may hold slashes is one part for OpenAPI
            let path = path.replace("{*", "{");
            let operation = describe_operation(&mut requests, &mut replies, &path, about);
            paths.entry(path).or_default().insert(method.as_str().to_lowercase(), operation);
        }
        let mut schemas: Map<String, Value> = requests.take_definitions(true).into_iter().collect();
        schemas.extend(replies.take_definitions(true));
        schemas.insert("Problem".to_owned(), problem_schema());
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "graphwright",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Documents as a knowledge graph: answers with citations down to the sentence.",
            },
            "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
            "servers": [{"url": server}],
            "paths": paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
        })
    }
}

fn describe_operation(
    requests: &mut SchemaGenerator,
    replies: &mut SchemaGenerator,
    path: &str,
    about: &About,
) -> Value {
    let mut parameters: Vec<Value> = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect();
    if let Some(fields) = about.fields {
        let schema = fields(requests).to_value();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, shape) in schema["properties"].as_object().into_iter().flatten() {
            parameters.push(json!({
                "name": name,
                "in": "query",
                "required": required.contains(&name.as_str()),
                "description": shape["description"],
                "schema": shape,
            }));
        }
    }
    let mut content = Map::new();
    if let Some(reply) = about.reply {
        content.insert("application/json".to_owned(), json!({"schema": reply(replies).to_value()}));
    }
    for (kind, what) in &about.other {
        content.insert((*kind).to_owned(), json!({"schema": {"type": "string", "description": what}}));
    }
    let mut reply = json!({"description": "done"});
    if !content.is_empty() {
        reply["content"] = Value::Object(content);
    }
    let mut operation = json!({
        "operationId": about.id,
        "summary": about.summary,
        "responses": {
            about.status.to_string(): reply,
            "default": {
                "description": "a problem, as RFC 9457 has it",
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
            },
        },
    });
    if let Some((status, when, shape)) = about.also {
        operation["responses"][status.to_string()] = json!({
            "description": when,
            "content": {"application/json": {"schema": shape(replies).to_value()}},
        });
    }
    if about.is_tagged {
        operation["responses"]["304"] =
            json!({"description": "nothing has changed since the reply whose ETag came as If-None-Match"});
        parameters.push(json!({
            "name": "If-None-Match",
            "in": "header",
            "required": false,
            "description": "the ETag of a reply that is known",
            "schema": {"type": "string"},
        }));
    }
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = about.body {
        let schema = body(requests).to_value();
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
    }
    if let Some(role) = about.role {
        operation["security"] = json!([{"token": []}]);
        operation["x-role"] = json!(role);
    }
    operation
}

fn problem_schema() -> Value {
    let names: Vec<String> =
        ProblemType::ALL.iter().map(|kind| format!("/problems/{}", kind.name())).collect();
    json!({
        "type": "object",
        "description": "What went wrong, what was wanted, and how to mend it.",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": {"type": "string", "enum": names},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "instance": {"type": "string"},
            "request_id": {"type": "string"},
            "retry_after_s": {"type": "integer"},
        },
    })
}
