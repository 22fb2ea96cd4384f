//! A stand-in for Cloudflare's API with one user, and for the Worker that is deployed through it. It
//! answers with Cloudflare's shapes and codes, mistakes included: a token of an account is unknown
//! at the address for those of users, the list of accounts can be empty, a migration is refused the
//! second time, and secrets are lost at an upload that does not repeat them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRequest as _, Multipart, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The token that is valid.
pub const TOKEN: &str = "5EC7E7-cloudflare-00000000000000000000000";

/// The account.
pub const ACCOUNT: &str = "0123456789abcdef0123456789abcdef";

/// What the user has, and what was done.
#[derive(Debug)]
pub struct Cloud {
    /// Whether the token belongs to the account and not to a user.
    pub account_token: bool,
    /// Ids and names of the accounts that are listed.
    pub accounts: Vec<(&'static str, &'static str)>,
    /// Whether the token may change Workers.
    pub may_edit: bool,
    pub email_verified: bool,
    /// The account's name at workers.dev.
    pub subdomain: Option<String>,
    /// A name at workers.dev that another account has.
    pub taken: &'static str,
    /// The buckets; `None` where R2 is not on.
    pub buckets: Option<Vec<String>>,
    /// The metadata of the Worker `light`.
    pub worker: Option<Value>,
    /// Its code.
    pub code: String,
    /// Whether it has its store.
    pub migrated: bool,
    /// Whether its address below workers.dev is on.
    pub route: bool,
    /// The bodies of attached domains.
    pub domains: Vec<Value>,
    /// Whether the Worker answers at its address already.
    pub answers: bool,
    /// Whether the Worker's requests of the day are used up.
    pub spent: bool,
    /// Whether all calls are too many.
    pub busy: bool,
    /// Whether an upload is refused with an error that repeats what was sent.
    pub repeats: bool,
    /// Method and path of each call that was not GET.
    pub changes: Vec<String>,
    /// How many times the store of the Worker was asked.
    pub proofs: usize,
}

/// The running stand-in.
pub struct FakeCloudflare {
    address: SocketAddr,
    cloud: Arc<watch::Sender<Cloud>>,
    server: JoinHandle<()>,
}

impl FakeCloudflare {
    /// Starts with a valid token, and an account that has a name at workers.dev and no Worker.
    pub async fn start() -> Self {
        let cloud = Arc::new(watch::Sender::new(Cloud {
            account_token: false,
            accounts: vec![(ACCOUNT, "Blog")],
            may_edit: true,
            email_verified: true,
            subdomain: Some("blog".to_owned()),
            taken: "taken",
            buckets: None,
            worker: None,
            code: String::new(),
            migrated: false,
            route: false,
            domains: Vec::new(),
            answers: true,
            spent: false,
            busy: false,
            repeats: false,
            changes: Vec::new(),
            proofs: 0,
        }));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(take).with_state(Arc::clone(&cloud));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("to serve");
        });
        Self {
            address,
            cloud,
            server,
        }
    }

    /// Where it and the Worker are.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The setting that leads a command here.
    pub fn setting(&self) -> String {
        format!("edge.cloudflare_url=http://{}/client/v4", self.address)
    }

    /// Changes what it answers from now on.
    pub fn change(&self, change: impl FnOnce(&mut Cloud)) {
        self.cloud.send_modify(change);
    }

    /// Reads what it has.
    pub fn read<T>(&self, read: impl FnOnce(&Cloud) -> T) -> T {
        read(&self.cloud.borrow())
    }

    /// Waits until this is so.
    pub async fn until(&self, is_so: impl FnMut(&Cloud) -> bool) {
        let mut cloud = self.cloud.subscribe();
        let waited = tokio::time::timeout(super::TIMEOUT, cloud.wait_for(is_so)).await;
        waited.expect("in time").expect("it lives");
    }
}

impl Drop for FakeCloudflare {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Cloud {
    /// The value of a binding of the Worker.
    pub fn binding(&self, name: &str) -> Option<Value> {
        let bindings = self.worker.as_ref()?["bindings"].as_array()?;
        bindings.iter().find(|one| one["name"] == name).cloned()
    }

    /// Writes the Worker into a folder, for workerd: its code, and the configuration of the edge's own
    /// template with the bindings that were deployed.
    pub fn write_worker(&self, folder: &Path) {
        let worker = self.worker.as_ref().expect("a Worker");
        let bindings = worker["bindings"].as_array().expect("bindings");
        let bindings: Vec<String> = bindings
            .iter()
            .map(|binding| match text(&binding["class_name"]).as_str() {
                "" => format!("(name = {}, text = {})", binding["name"], binding["text"]),
                class => format!(
                    "(name = {}, durableObjectNamespace = {class:?})",
                    binding["name"]
                ),
            })
            .collect();
        let template = include_str!("../../edge/workerd.capnp");
        let (head, _) = template.split_once("bindings = [").expect("bindings");
        let config = format!("{head}bindings = [{}],\n);\n", bindings.join(", "));
        std::fs::write(folder.join("workerd.capnp"), config).expect("a file");
        std::fs::write(folder.join("worker.js"), &self.code).expect("a file");
    }

    fn answer(&mut self, method: &str, path: &[&str], body: &Value) -> Result<Value, Refusal> {
        if self.busy {
            return Err((429, 10429, "rate limited"));
        }
        match (method, path) {
            ("GET", ["user", "tokens", "verify"]) if !self.account_token => Ok(active()),
            ("GET", ["user", "tokens", "verify"]) => Err(UNKNOWN_TOKEN),
            ("GET", ["accounts", ACCOUNT, "tokens", "verify"]) if self.account_token => {
                Ok(active())
            }
            ("GET", ["accounts"]) => {
                let accounts = self.accounts.iter();
                Ok(accounts
                    .map(|(id, name)| json!({ "id": id, "name": name }))
                    .collect())
            }
            ("GET", ["accounts", ACCOUNT, "r2", "buckets"]) => {
                let buckets = self.buckets.as_ref().ok_or(R2_OFF)?;
                let buckets = buckets.iter().map(|name| json!({ "name": name }));
                Ok(json!({ "buckets": buckets.collect::<Value>() }))
            }
            ("GET", ["accounts", ACCOUNT, "workers", rest @ ..]) => self.look(rest),
            ("GET", _) => Err((404, 7003, "Could not route to your request")),
            _ if !self.may_edit => Err((403, 10000, "Authentication error")),
            (_, ["accounts", ACCOUNT, "r2", "buckets"]) => {
                let buckets = self.buckets.as_mut().ok_or(R2_OFF)?;
                buckets.push(text(&body["name"]));
                Ok(body.clone())
            }
            (method, ["accounts", ACCOUNT, "workers", rest @ ..]) => self.alter(method, rest, body),
            _ => Err((404, 7003, "Could not route to your request")),
        }
    }

    fn look(&self, path: &[&str]) -> Result<Value, Refusal> {
        match path {
            ["subdomain"] => {
                let none: Refusal = (404, 10007, "You do not have a workers.dev subdomain.");
                let name = self.subdomain.as_ref().ok_or(none)?;
                Ok(json!({ "subdomain": name }))
            }
            ["subdomains", name] if *name == self.taken => Err(NAME_TAKEN),
            ["subdomains", _] => Err((404, 10032, "Subdomain is available.")),
            ["scripts", "light", "settings"] => {
                let mut worker = self.worker.clone().ok_or(NO_WORKER)?;
                for binding in worker["bindings"].as_array_mut().expect("bindings") {
                    // Secrets are never given back.
                    if binding["type"] == "secret_text" {
                        binding["text"].take();
                    }
                }
                Ok(worker)
            }
            _ => Err(NO_WORKER),
        }
    }

    fn alter(&mut self, method: &str, path: &[&str], body: &Value) -> Result<Value, Refusal> {
        match (method, path) {
            ("PUT", ["subdomain"]) => {
                let name = text(&body["subdomain"]);
                if name == self.taken {
                    return Err(NAME_TAKEN);
                }
                self.subdomain = Some(name);
            }
            ("PUT", ["scripts", "light"]) => self.upload(body)?,
            ("POST", ["scripts", "light", "subdomain"]) => {
                self.worker.as_ref().ok_or(NO_WORKER)?;
                self.route = body["enabled"] == true;
            }
            ("PUT", ["domains"]) => self.domains.push(body.clone()),
            // Whatever follows the name: the trap.
            ("DELETE", ["scripts", "light", ..]) => {
                self.worker.take().ok_or(NO_WORKER)?;
                (self.migrated, self.route) = (false, false);
            }
            _ => return Err(NO_WORKER),
        }
        Ok(Value::Null)
    }

    fn upload(&mut self, body: &Value) -> Result<(), Refusal> {
        let metadata = &body["metadata"];
        if !self.email_verified {
            return Err((403, 10034, "You need to verify your email address"));
        }
        let is_module = text(&body["type"]) == "application/javascript+module";
        if !is_module || metadata["main_module"] != "worker.js" {
            return Err((
                400,
                10021,
                "Uncaught SyntaxError: Unexpected token 'export'",
            ));
        }
        if self.repeats {
            return Err((
                400,
                10021,
                &*format!("{TOKEN}: cannot parse {metadata}").leak(),
            ));
        }
        let migrates = metadata.get("migrations").is_some();
        if migrates && self.migrated {
            return Err((412, 10079, "migration tag precondition failed"));
        }
        if !migrates && !self.migrated {
            return Err((400, 10061, "Cannot create binding for class 'Store'"));
        }
        for binding in metadata["bindings"].as_array().expect("bindings") {
            let bucket = text(&binding["bucket_name"]);
            let is_there = self.buckets.iter().flatten().any(|there| *there == bucket);
            if binding["type"] == "r2_bucket" && !is_there {
                return Err((400, 10085, "R2 bucket not found"));
            }
        }
        let mut metadata = metadata.clone();
        for binding in metadata["bindings"].as_array_mut().expect("bindings") {
            if binding["type"] == "inherit" {
                let before = self.binding(&text(&binding["name"]));
                *binding = before.ok_or((400, 10021, "there is no binding to inherit"))?;
            }
        }
        self.migrated = true;
        self.code = text(&body["code"]);
        self.worker = Some(metadata);
        Ok(())
    }

    /// The answer of the deployed Worker to a signed request.
    fn prove(&mut self, path: &str, signature: &str) -> (u16, Value) {
        self.proofs += 1;
        if self.spent {
            return (429, json!("error code: 1027"));
        }
        let is_reachable = self.route || !self.domains.is_empty();
        let key = self
            .binding("EDGE_SECRET")
            .map(|binding| text(&binding["text"]));
        let Some(key) = key.filter(|_| is_reachable && self.answers) else {
            return (404, json!("error code: 1042"));
        };
        let field = |name: &str| {
            let fields = signature.split(", ");
            let value = fields
                .filter_map(|one| one.split_once('='))
                .find(|(key, _)| *key == name);
            value.map(|(_, value)| value).unwrap_or_default()
        };
        let signed = format!("store\n{}\nGET\n{path}\n{}", field("t"), field("body"));
        let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("a key");
        let mac = mac.chain_update(signed).finalize().into_bytes();
        if hex::encode(mac) == field("v1") {
            (200, json!({ "objects": [], "next": null }))
        } else {
            (401, json!({ "error": "Unauthorized" }))
        }
    }
}

/// Status, code and message.
type Refusal = (u16, u32, &'static str);

const UNKNOWN_TOKEN: Refusal = (401, 1000, "Invalid API Token");
const NAME_TAKEN: Refusal = (409, 10031, "Subdomain is unavailable.");
const NO_WORKER: Refusal = (404, 10007, "This Worker does not exist on your account.");
const R2_OFF: Refusal = (
    403,
    10042,
    "Please enable R2 through the Cloudflare Dashboard.",
);

fn active() -> Value {
    json!({ "id": "ed17574386854bf78a67040be0a770b0", "status": "active" })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

async fn take(State(cloud): State<Arc<watch::Sender<Cloud>>>, request: Request) -> Response {
    let method = request.method().to_string();
    let path = request.uri().path().to_owned();
    let [signature, authorization, kind] = ["x-porchlight-store", "authorization", "content-type"]
        .map(|name| {
            let value = request.headers().get(name);
            let value = value.map(|value| value.to_str().expect("text").to_owned());
            value.unwrap_or_default()
        });
    if path.starts_with("/-/store") {
        let asked = request.uri().to_string();
        let mut answer = (500, Value::Null);
        cloud.send_modify(|cloud| answer = cloud.prove(&asked, &signature));
        return answered(answer.0, &answer.1);
    }
    let is_known = authorization == format!("Bearer {TOKEN}");
    let body = if kind.starts_with("multipart/form-data") {
        form(Multipart::from_request(request, &()).await.expect("a form")).await
    } else {
        let body = Bytes::from_request(request, &()).await.expect("a body");
        serde_json::from_slice(&body).unwrap_or_default()
    };
    let segments: Vec<&str> = path
        .strip_prefix("/client/v4/")
        .map(|path| path.split('/').collect())
        .unwrap_or_default();
    let mut answer = Err(UNKNOWN_TOKEN);
    if is_known {
        cloud.send_modify(|cloud| {
            if method != "GET" {
                cloud.changes.push(format!("{method} {path}"));
            }
            answer = cloud.answer(&method, &segments, &body);
        });
    } else if path.starts_with("/client/v4/accounts") {
        answer = Err((403, 9109, "Invalid access token"));
    }
    match answer {
        Ok(result) => answered(
            200,
            &json!({ "success": true, "errors": [], "messages": [], "result": result }),
        ),
        Err((status, code, message)) => answered(
            status,
            &json!({
                "success": false,
                "errors": [{ "code": code, "message": message }],
                "messages": [],
                "result": null
            }),
        ),
    }
}

/// The metadata of an upload, and the code and type of its module.
async fn form(mut form: Multipart) -> Value {
    let mut found = json!({});
    while let Some(field) = form.next_field().await.expect("a field") {
        let name = field.name().expect("a name").to_owned();
        let kind = field.content_type().unwrap_or_default().to_owned();
        let content = field.text().await.expect("text");
        if name == "metadata" {
            found["metadata"] = serde_json::from_str(&content).expect("JSON");
        } else if name == "worker.js" && content.contains("export default") {
            found["type"] = kind.into();
            found["code"] = content.into();
        }
    }
    found
}

fn answered(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body.to_string()).into_response()
}
