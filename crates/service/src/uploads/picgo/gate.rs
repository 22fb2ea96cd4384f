//! Who may call the PicGo listener.

use std::sync::Arc;

use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// The header that PicGo itself knows for its secret, beside `Authorization`.
const SECRET: &str = "x-picgo-secret";

/// The secret in the address, for programs that can only configure an address.
#[derive(Deserialize, Default)]
struct InAddress {
    secret: Option<String>,
    key: Option<String>,
}

#[derive(Clone)]
pub(super) struct Gate(Arc<Requirements>);

struct Requirements {
    /// The names of this listener.
    hosts: [String; 3],
    secret: Option<SecretString>,
}

impl Gate {
    pub(super) fn new(port: u16, secret: Option<SecretString>) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
        Self(Arc::new(Requirements { hosts, secret }))
    }

    fn refusal(&self, headers: &HeaderMap, uri: &Uri) -> Option<(StatusCode, &'static str)> {
        let text = |name| {
            headers
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        // After DNS rebinding, a page sends its own host name.
        let host = text(header::HOST.as_str()).unwrap_or_default();
        if !self
            .0
            .hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(host))
        {
            return Some((
                StatusCode::FORBIDDEN,
                "this is not the host of this listener",
            ));
        }
        let Some(secret) = &self.0.secret else {
            let from_a_page = headers.contains_key(header::ORIGIN);
            return from_a_page.then_some((
                StatusCode::FORBIDDEN,
                "pages may upload only with a secret, and picgo.secret says that there is none",
            ));
        };
        let bearer = text(header::AUTHORIZATION.as_str()).and_then(|value| {
            let (scheme, secret) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
        });
        let Query(address) = Query::<InAddress>::try_from_uri(uri).unwrap_or_default();
        let (in_secret, in_key) = (address.secret.as_deref(), address.key.as_deref());
        // Compares digests, so that the time does not depend on the secret.
        let wanted = Sha256::digest(secret.expose_secret());
        let known = [bearer, text(SECRET), in_secret, in_key]
            .into_iter()
            .flatten()
            .any(|given| Sha256::digest(given) == wanted);
        (!known).then_some((StatusCode::UNAUTHORIZED, "the secret is missing or wrong"))
    }
}

/// Admits a request, or answers it.
pub(super) async fn admit(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let with_secret = gate.0.secret.is_some();
    // A preflight carries no secret; the request after it does.
    if request.method() == Method::OPTIONS && with_secret {
        return readable(StatusCode::NO_CONTENT.into_response());
    }
    let answer = match gate.refusal(request.headers(), request.uri()) {
        None => next.run(request).await,
        Some((status, why)) => super::failed(status, why),
    };
    if with_secret {
        readable(answer)
    } else {
        answer
    }
}

/// Pages that know the secret may read the answer.
fn readable(mut answer: Response) -> Response {
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "POST, OPTIONS"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, X-PicGo-Secret",
        ),
    ] {
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    answer
}
