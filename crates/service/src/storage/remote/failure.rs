//! What of a failure may be shown. `object_store` prints whole responses, and
//! the response of a store that rejects a key can contain that key: the log,
//! the page and callers see only the status and the code.

use std::error::Error as _;

use object_store::client::{HttpError, HttpErrorKind};

use super::edge::EdgeRefusal;
use super::{ObjectName, StorageError, key};
use crate::error::message::Message;

/// How stores report that they are full: the status, the code of MinIO, and the
/// code of Ceph for a bucket that has reached its quota.
const NO_ROOM: [&str; 3] = [
    "507 Insufficient Storage",
    "XMinioStorageFull",
    "<Code>QuotaExceeded<",
];

/// What `object_store` prints before the status of a response.
const BEFORE_STATUS: &str = "status code: ";
/// The longest code that is shown; those of stores are shorter.
const LONGEST_CODE: usize = 64;

/// The store did not do `what` to an object.
pub(super) fn failure(what: &str, name: ObjectName, error: &object_store::Error) -> StorageError {
    if let object_store::Error::NotFound { .. } = error {
        return StorageError::Missing(key(name).to_string());
    }
    let message = crate::detail!(
        "the object store did not {what} {name}: {why}",
        name = key(name).to_string(),
        why = safe_message(error)
    );
    if is_full(error) {
        StorageError::Full(message)
    } else if is_refused(error) {
        StorageError::Refused(message)
    } else {
        StorageError::Failed(message)
    }
}

fn is_refused(error: &object_store::Error) -> bool {
    use object_store::Error::{PermissionDenied, Unauthenticated};

    let of_the_edge = refusal(error).is_some_and(EdgeRefusal::is_of_authority);
    of_the_edge || matches!(error, PermissionDenied { .. } | Unauthenticated { .. })
}

/// Whether the store reports that it is full.
pub(super) fn is_full(error: &object_store::Error) -> bool {
    if let Some(refusal) = refusal(error) {
        return refusal.is_full();
    }
    // There is no other way to get the status and the code of a response.
    let whole = error.to_string();
    NO_ROOM.iter().any(|code| whole.contains(code))
}

/// The status and the code of an answer, or why there was none.
pub(in crate::storage) fn safe_message(error: &object_store::Error) -> Message {
    if let Some(refusal) = refusal(error) {
        return refusal.message();
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return without_answer(error);
        }
        cause = error.source();
    }
    let whole = error.to_string();
    let known: Vec<&str> = [status(&whole), code(&whole)]
        .into_iter()
        .flatten()
        .collect();
    if known.is_empty() {
        crate::detail!("its answer cannot be understood")
    } else {
        let answer = known.join(", ");
        crate::detail!("it answered {answer}")
    }
}

/// What the Worker answered.
fn refusal(error: &object_store::Error) -> Option<&EdgeRefusal> {
    error.source()?.downcast_ref()
}

fn without_answer(error: &HttpError) -> Message {
    let what = match error.kind() {
        HttpErrorKind::Connect => crate::detail!("the storage can’t be reached"),
        HttpErrorKind::Timeout => crate::detail!("the storage took too long to answer"),
        _ => crate::detail!("the connection broke off"),
    };
    // The innermost cause is the system's: refused, no such name, no route.
    match error.source() {
        Some(cause) => Message::about(what, Message::cause(cause)),
        None => what,
    }
}

/// `403 Forbidden`, as the HTTP library writes it.
fn status(whole: &str) -> Option<&str> {
    let (_, after) = whole.split_once(BEFORE_STATUS)?;
    let status = after.split(':').next()?;
    status.get(..3)?.parse::<u16>().ok().map(|_| status)
}

/// The content of `<Code>`, when it is one word.
fn code(whole: &str) -> Option<&str> {
    let (_, after) = whole.split_once("<Code>")?;
    let (code, _) = after.split_once("</Code>")?;
    let is_word = !code.is_empty()
        && code.len() <= LONGEST_CODE
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef";

    fn refused(message: &str) -> StorageError {
        let error = object_store::Error::PermissionDenied {
            path: "randomimg/a.webp".to_owned(),
            source: message.into(),
        };
        let name = ObjectName::image(HASH.parse().expect("a hash"));
        failure("take", name, &error)
    }

    fn answered(status: &str, body: &str) -> String {
        format!(
            "Error performing PUT http://127.0.0.1:9/b/randomimg/a.webp in 1ms - \
             Server returned non-2xx status code: {status}: {body}"
        )
    }

    #[test]
    fn only_the_status_and_the_code_of_a_response_are_shown() {
        let body = "<Error><Code>InvalidAccessKeyId</Code><Message>The AWS Access Key Id you \
                    provided does not exist in our records.</Message><AWSAccessKeyId>my-key\
                    </AWSAccessKeyId></Error>";
        assert_eq!(
            refused(&answered("403 Forbidden", body)).to_string(),
            format!(
                "the object store did not take randomimg/{HASH}.webp: it answered 403 Forbidden, \
                 InvalidAccessKeyId"
            )
        );
        for (message, shown) in [
            (answered("502 Bad Gateway", "my-key"), "502 Bad Gateway"),
            (
                "Server returned error response: <Code>SlowDown</Code> my-key".to_owned(),
                "SlowDown",
            ),
            (
                answered("400 Bad Request", "<Code>my-key</Code>"),
                "400 Bad Request",
            ),
            ("my-key".to_owned(), "its answer cannot be understood"),
        ] {
            let message = refused(&message).to_string();
            assert!(
                message.ends_with(shown) && !message.contains("my-key"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_full_store_is_recognised_by_status_and_codes() {
        for message in [
            answered("507 Insufficient Storage", ""),
            answered(
                "500 Internal Server Error",
                "<Code>XMinioStorageFull</Code>",
            ),
            answered("403 Forbidden", "<Error><Code>QuotaExceeded</Code></Error>"),
        ] {
            assert!(
                matches!(refused(&message), StorageError::Full(_)),
                "{message}"
            );
        }
        let other = refused(&answered("403 Forbidden", ""));
        assert!(matches!(other, StorageError::Refused(_)));
    }
}
