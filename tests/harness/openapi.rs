//! `docs/openapi.json`, held against what the service answers.

use std::sync::LazyLock;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../docs/openapi.json");
    serde_json::from_str(text).expect("JSON")
});

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

    /// Whether an address is of this path; of two that may be, the one that names more is.
    fn has(&self, address: &str) -> bool {
        let segments = |path: &'static str| path.split('/').skip(1);
        let is_open = self.path.starts_with("/api_stats/");
        let mut asked = address.split('/').skip(1);
        segments(self.path).all(|segment| {
            asked
                .next()
                .is_some_and(|given| segment.starts_with('{') || segment == given)
        }) && (is_open || asked.next().is_none())
    }

    /// The statuses that it may answer.
    pub fn statuses(&self) -> impl Iterator<Item = u16> + use<> {
        let responses = self.what["responses"].as_object().expect("responses");
        responses
            .keys()
            .map(|status| status.parse().expect("a status"))
    }

    /// Its group.
    pub fn tag(&self) -> &'static str {
        self.what["tags"][0].as_str().expect("a tag")
    }

    /// Whether it takes a token.
    pub fn takes_a_token(&self) -> bool {
        self.what["security"].is_array()
    }

    /// Why this answer is not one of it.
    fn refuses(&self, status: u16, headers: &HeaderMap, body: Option<&Value>) -> Option<String> {
        let Some(response) = self.what["responses"].get(status.to_string()) else {
            return Some("the status is not there".to_owned());
        };
        let response = found(response);
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            if header["required"] == true && !headers.contains_key(name.as_str()) {
                return Some(format!("{name} is missing"));
            }
        }
        let kind = headers
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        let kind = kind
            .unwrap_or_default()
            .split(';')
            .next()
            .unwrap_or_default();
        let content = &response["content"];
        match (content.is_object(), content.get(kind), body) {
            (false, ..) if kind.is_empty() => None,
            (_, None, _) => Some(format!("its type is {kind:?}")),
            (_, Some(content), Some(body)) => misfit(&content["schema"], body),
            (_, Some(_), None) => None,
        }
    }
}

/// Asserts that the document has an answer to this method, if it is known, of this path.
pub fn assert_documented(
    method: Option<&str>,
    address: &str,
    (status, headers, body): (u16, &HeaderMap, Option<&Value>),
) {
    // Another program's answer, that to a preflight, and one to a method that the path does not have.
    if !headers.contains_key("x-porchlight") || status == 204 || status == 405 {
        return;
    }
    let fitting = |named: bool| {
        Operation::all().filter(move |operation| {
            operation.path.contains('{') != named
                && operation.has(address)
                && method.is_none_or(|method| method == operation.method)
        })
    };
    let mut operations = fitting(true).collect::<Vec<_>>();
    if operations.is_empty() {
        operations = fitting(false).collect();
    }
    let why = operations
        .iter()
        .map(|operation| operation.refuses(status, headers, body));
    let why: Option<Vec<String>> = why.collect();
    // No operation at all: an unknown path.
    if let Some(why) = why.filter(|why| !why.is_empty()) {
        panic!("docs/openapi.json has no {status} of {address} as it came: {why:?}\n{body:?}");
    }
}

/// What a reference leads to.
fn found(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(place) => found(DOCUMENT.pointer(&place[1..]).expect(place)),
        None => value,
    }
}

/// Why a value does not fit a schema, by the words that the answers of the document use; patterns and
/// formats are for schemathesis.
fn misfit(schema: &'static Value, value: &Value) -> Option<String> {
    let schema = found(schema);
    let no = |why: &str| Some(format!("{value} {why} {schema}"));
    if schema.get("const").is_some_and(|only| only != value) {
        return no("is not");
    }
    let one_of = |name: &str| schema.get(name).and_then(Value::as_array);
    if one_of("enum").is_some_and(|all| !all.contains(value)) {
        return no("is none of");
    }
    if let Some(all) = one_of("oneOf")
        && all
            .iter()
            .filter(|one| misfit(one, value).is_none())
            .count()
            != 1
    {
        return no("is not exactly one of");
    }
    let is = |kind: &Value| match kind.as_str().expect("a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    let fits = match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
    };
    if !fits {
        return no("is not of the type of");
    }
    if let (Some(items), Value::Array(values)) = (schema.get("items"), value) {
        return values.iter().find_map(|value| misfit(items, value));
    }
    let Value::Object(members) = value else {
        return None;
    };
    let lacks = |names: &Value| {
        let names = names.as_array().expect("names").iter();
        let mut names = names.map(|name| name.as_str().expect("a name"));
        names.any(|name| !members.contains_key(name))
    };
    let dependent = schema["dependentRequired"].as_object();
    let mut dependent = dependent.into_iter().flatten();
    if schema.get("required").is_some_and(lacks)
        || dependent.any(|(name, names)| members.contains_key(name) && lacks(names))
    {
        return no("lacks a field of");
    }
    members.iter().find_map(|(name, member)| {
        let known = schema["properties"].get(name);
        match known.or(schema.get("additionalProperties")) {
            None => None,
            Some(Value::Bool(_)) => no("has more fields than"),
            Some(known) => misfit(known, member),
        }
    })
}
