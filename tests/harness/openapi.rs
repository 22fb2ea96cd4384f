//! `docs/openapi.json`, held against each answer of the service that a test receives.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{LazyLock, Mutex};

use axum::http::{self, Extensions};
use futures_util::future::{BoxFuture, FutureExt as _};
use regex::Regex;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Request, Response, ResponseBuilderExt as _};
use reqwest_middleware::Next;
use serde_json::Value;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../docs/openapi.json");
    serde_json::from_str(text).expect("JSON")
});

/// Answers of paths and methods that the document does not have; its introduction names them.
const ELSEWHERE: [(u16, &str); 7] = [
    (204, "Preflight"),
    (308, "HttpsRedirect"),
    (403, "Forbidden"),
    (404, "NotFound"),
    (405, "MethodNotAllowed"),
    (429, "TooManyRequests"),
    (500, "Internal"),
];

/// A method, a path of the document, and a status.
type Answer = (&'static str, &'static str, u16);

#[derive(Default)]
struct Seen {
    answers: BTreeSet<Answer>,
    properties: BTreeSet<usize>,
}

thread_local! {
    // Each test has its own thread, in which all of it runs.
    static SEEN: RefCell<Seen> = RefCell::default();
}

/// One method of one path of the document.
#[derive(Clone, Copy)]
pub struct Operation {
    /// In capitals.
    pub method: &'static str,
    /// With names in braces.
    pub path: &'static str,
    what: &'static Value,
}

impl Operation {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let paths = DOCUMENT["paths"].as_object().expect("paths");
        paths.iter().flat_map(|(path, item)| {
            let methods = found(item).as_object().expect("methods").iter();
            methods.map(move |(method, what)| Self {
                method: match method.as_str() {
                    "get" => "GET",
                    "post" => "POST",
                    "delete" => "DELETE",
                    other => panic!("{other} of {path} is unknown here"),
                },
                path,
                what,
            })
        })
    }

    /// Whether an address is of this path.
    fn has(&self, address: &str) -> bool {
        let segments = self.path.split('/').skip(1);
        let is_open = self.path.starts_with("/api_stats/");
        let mut asked = address.split('/').skip(1);
        segments.into_iter().all(|segment| {
            asked.next().is_some_and(|given| match segment {
                _ if segment.starts_with('{') => is_open || !given.is_empty(),
                _ => segment == given,
            })
        }) && (is_open || asked.next().is_none())
    }

    /// The statuses that it may answer.
    pub fn statuses(&self) -> impl Iterator<Item = u16> + use<> {
        self.responses().map(|(status, _)| status)
    }

    fn responses(&self) -> impl Iterator<Item = (u16, &'static Value)> + use<> {
        let responses = self.what["responses"].as_object().expect("responses");
        responses
            .iter()
            .map(|(status, response)| (status.parse().expect("a status"), found(response)))
    }

    /// Its group.
    pub fn tag(&self) -> &'static str {
        self.what["tags"][0].as_str().expect("a tag")
    }

    /// Whether it takes a token.
    pub fn takes_a_token(&self) -> bool {
        self.what["security"].is_array()
    }
}

/// Middleware of the clients of the tests: panics where the service answers what the document does not have.
pub(crate) fn hold<'a>(
    request: Request,
    extensions: &'a mut Extensions,
    next: Next<'a>,
) -> BoxFuture<'a, reqwest_middleware::Result<Response>> {
    async move {
        let method = request.method().clone();
        let response = next.run(request, extensions).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let url = response.url().clone();
        if kind(&headers) != "application/json" {
            assert_documented(method.as_str(), url.path(), status.as_u16(), &headers, &[]);
            return Ok(response);
        }
        let body = response.bytes().await?;
        assert_documented(
            method.as_str(),
            url.path(),
            status.as_u16(),
            &headers,
            &body,
        );
        let again = http::Response::builder().status(status).url(url).body(body);
        let mut again = again.expect("an answer");
        *again.headers_mut() = headers;
        Ok(again.into())
    }
    .boxed()
}

/// Asserts that the document has this answer to the method at this path, if it is the service's.
pub(crate) fn assert_documented(
    method: &str,
    address: &str,
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
) {
    if !headers.contains_key("x-porchlight") {
        return;
    }
    let here = Operation::all().filter(|one| one.has(address));
    // Of two paths that may be it, the one without names is.
    let path = here
        .map(|one| one.path)
        .min_by_key(|path| path.contains('{'));
    let asked = if method == "HEAD" { "GET" } else { method };
    let mut operations = Operation::all().filter(|one| Some(one.path) == path);
    let operation = operations.find(|one| one.method == asked);
    let documented = operation.and_then(|one| one.responses().find(|(known, _)| *known == status));
    let response = documented.map(|(_, response)| response).or_else(|| {
        let (_, name) = ELSEWHERE.iter().find(|(known, _)| *known == status)?;
        let is_its_own = operation.is_some_and(|one| one.method == method);
        let fits = match status {
            204 => method == "OPTIONS",
            405 => path.is_some(),
            _ => true,
        };
        (fits && !is_its_own).then(|| &DOCUMENT["components"]["responses"][name])
    });
    let mut properties = BTreeSet::new();
    let why = match response {
        None => Some("the status is not there".to_owned()),
        Some(response) => refusal(
            response,
            headers,
            (method != "HEAD").then_some(body),
            &mut properties,
        ),
    };
    if let Some(why) = why {
        let body = String::from_utf8_lossy(body);
        panic!("docs/openapi.json has no {status} of {method} {address} as it came: {why}\n{body}");
    }
    SEEN.with_borrow_mut(|seen| {
        seen.properties.extend(properties);
        if let Some(operation) = operation {
            seen.answers
                .insert((operation.method, operation.path, status));
        }
    });
}

/// What the document has and no answer to this test had, each as `METHOD /path status`, with the place of a
/// property in the body.
pub fn never_seen() -> Vec<String> {
    SEEN.with_borrow(|seen| {
        let mut properties = BTreeMap::new();
        let mut never = Vec::new();
        for one in Operation::all() {
            for (status, response) in one.responses() {
                let name = format!("{} {} {status}", one.method, one.path);
                for content in response["content"].as_object().into_iter().flatten() {
                    name_properties(&content.1["schema"], &name, &mut properties);
                }
                if !seen.answers.contains(&(one.method, one.path, status)) {
                    never.push(name);
                }
            }
        }
        properties.retain(|property, _| !seen.properties.contains(property));
        never.extend(properties.into_values());
        never
    })
}

/// The properties of a schema and of what is in it, by their identity, each with its place.
fn name_properties(schema: &'static Value, place: &str, into: &mut BTreeMap<usize, String>) {
    let schema = found(schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{place} {name}");
        if into.insert(identity(property), place.clone()).is_none() {
            name_properties(property, &place, into);
        }
    }
    let more = schema["oneOf"].as_array().into_iter().flatten();
    for inside in more
        .chain(schema.get("items"))
        .chain(schema.get("additionalProperties"))
    {
        name_properties(inside, place, into);
    }
}

/// The document stays where it is.
fn identity(value: &'static Value) -> usize {
    std::ptr::from_ref(value).addr()
}

fn kind(headers: &HeaderMap) -> &str {
    let kind = headers.get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok());
    kind.and_then(|kind| kind.split(';').next())
        .unwrap_or_default()
}

/// Why an answer is not this response. The body is none to a `HEAD`.
fn refusal(
    response: &'static Value,
    headers: &HeaderMap,
    body: Option<&[u8]>,
    seen: &mut BTreeSet<usize>,
) -> Option<String> {
    for (name, header) in response["headers"].as_object().into_iter().flatten() {
        let Some(value) = headers.get(name) else {
            if header["required"] == true {
                return Some(format!("{name} is missing"));
            }
            continue;
        };
        let text = value.to_str().expect("text");
        let value = match header["schema"]["type"] == "integer" {
            true => serde_json::from_str(text).unwrap_or_default(),
            false => Value::from(text),
        };
        if let Some(why) = misfit(&header["schema"], &value, seen) {
            return Some(format!("{name}: {why}"));
        }
    }
    let kind = kind(headers);
    let content = response["content"].as_object();
    match (content.map(|content| content.get(kind)), body) {
        (None, _) if kind.is_empty() => None,
        (None | Some(None), _) => Some(format!("its type is {kind:?}")),
        (Some(Some(content)), Some(body)) if kind == "application/json" => {
            let Ok(body) = serde_json::from_slice(body) else {
                return Some("it is no JSON".to_owned());
            };
            misfit(&content["schema"], &body, seen)
        }
        _ => None,
    }
}

/// What a reference leads to.
fn found(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(place) => found(DOCUMENT.pointer(&place[1..]).expect(place)),
        None => value,
    }
}

/// Why a value does not fit a schema, by the words that the answers of the document use. Adds the properties
/// that it has.
fn misfit(schema: &'static Value, value: &Value, seen: &mut BTreeSet<usize>) -> Option<String> {
    let schema = found(schema);
    let words = schema.as_object().expect("a schema");
    if schema["type"] == "object" && !words.contains_key("additionalProperties") {
        return Some(format!(
            "it is open whether there are other fields: {schema}"
        ));
    }
    words.iter().find_map(|(word, rule)| {
        let length = value.as_str().map(|text| text.chars().count() as u64);
        let fits = match (word.as_str(), value) {
            ("description" | "format", _) => true,
            ("const", _) => rule == value,
            ("enum", _) => rule.as_array().expect("values").contains(value),
            ("type", _) => match rule {
                Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
                kind => is(kind, value),
            },
            ("oneOf", _) => {
                let all = rule.as_array().expect("schemas").iter();
                let fitting = all.filter_map(|one| {
                    let mut inside = BTreeSet::new();
                    misfit(one, value, &mut inside).is_none().then_some(inside)
                });
                let fitting: Vec<_> = fitting.collect();
                seen.extend(fitting.iter().flatten());
                fitting.len() == 1
            }
            ("pattern", Value::String(text)) => matches(rule, text),
            ("minimum", Value::Number(number)) => number.as_f64() >= rule.as_f64(),
            ("maximum", Value::Number(number)) => number.as_f64() <= rule.as_f64(),
            ("minLength", Value::String(_)) => length >= rule.as_u64(),
            ("maxLength", Value::String(_)) => length <= rule.as_u64(),
            ("maxItems", Value::Array(items)) => Some(items.len() as u64) <= rule.as_u64(),
            ("items", Value::Array(items)) => {
                return items.iter().find_map(|item| misfit(rule, item, seen));
            }
            ("required", Value::Object(members)) => has_all(rule, members),
            ("dependentRequired", Value::Object(members)) => {
                let rules = rule.as_object().expect("names").iter();
                let mut given = rules.filter(|(name, _)| members.contains_key(*name));
                given.all(|(_, names)| has_all(names, members))
            }
            ("properties", Value::Object(members)) => {
                return members.iter().find_map(|(name, member)| {
                    let property = rule.get(name)?;
                    seen.insert(identity(property));
                    misfit(property, member, seen)
                });
            }
            ("additionalProperties", Value::Object(members)) => {
                let known = &schema["properties"];
                let mut others = members.iter().filter(|(name, _)| known.get(name).is_none());
                return match rule {
                    Value::Bool(true) => None,
                    Value::Bool(false) => others
                        .next()
                        .map(|(name, _)| format!("{name} is not in {schema}")),
                    rule => others.find_map(|(_, member)| misfit(rule, member, seen)),
                };
            }
            // Rules for values of another type.
            ("pattern" | "minimum" | "maximum" | "minLength" | "maxLength", _) => true,
            ("maxItems" | "items" | "required" | "dependentRequired", _) => true,
            ("properties" | "additionalProperties", _) => true,
            (word, _) => panic!("the tests do not know {word}"),
        };
        (!fits).then(|| format!("{value} is against {word:?} of {schema}"))
    })
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}

fn has_all(names: &Value, members: &serde_json::Map<String, Value>) -> bool {
    let mut names = names.as_array().expect("names").iter();
    names.all(|name| members.contains_key(name.as_str().expect("a name")))
}

fn matches(pattern: &'static Value, text: &str) -> bool {
    static PATTERNS: Mutex<Option<HashMap<&str, Regex>>> = Mutex::new(None);
    let pattern = pattern.as_str().expect("a pattern");
    let mut patterns = PATTERNS.lock().expect("patterns");
    let patterns = patterns.get_or_insert_default();
    let made = || Regex::new(pattern).expect(pattern);
    patterns.entry(pattern).or_insert_with(made).is_match(text)
}
