//! A socket of Lanyard's protocol, from its first message to its last.
//!
//! Each holds little memory, since there may be a thousand; what they are sent is made once for all.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, copy, sink};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_util::io::InspectReader;
use tokio_util::sync::CancellationToken;

use crate::presence::lanyard::LanyardMessages;
use crate::state::StateReader;

/// A client that sends nothing for this long is disconnected; it is asked to send every 30 s.
const SILENT_FOR: Duration = Duration::from_secs(60);
const HELLO: &[u8] = br#"{"op":1,"d":{"heartbeat_interval":30000}}"#;
/// `INIT_STATE` without a user.
const NOBODY: &[u8] = br#"{"op":0,"t":"INIT_STATE","d":{}}"#;
/// The most messages of a client in [`SILENT_FOR`]: some are answered.
const MOST_MESSAGES: u32 = 120;
/// And the most bytes: the parts that a message comes in may be empty, and without end.
const MOST_BYTES: usize = 64 * 1024;
/// The most bytes of a client's message, and the size of the buffer that it is read into.
const LONGEST: usize = 4 * 1024;
/// A client that takes nothing of a message for this long is disconnected.
const TAKE_WITHIN: Duration = Duration::from_secs(10);
/// So long a client has to take the last message and to end the connection.
const LEAVE_WITHIN: Duration = Duration::from_secs(2);

/// Why a socket is closed, as its client receives it.
type End = (u16, &'static str);

const NORMAL: End = (1000, "");
const GOING_AWAY: End = (1001, "");
const TOO_MANY: End = (1008, "too_many_messages");
const TOO_LARGE: End = (1009, "message_too_large");
const UNKNOWN_OPCODE: End = (4004, "unknown_opcode");
const REQUIRES_DATA: End = (4005, "requires_data_object");
const INVALID_PAYLOAD: End = (4006, "invalid_payload");

/// Serves one until its client leaves, is silent or takes nothing, until `stop`, or until the owner
/// turns Lanyard's protocol off or chooses another id. `read` was read of the stream already.
pub(crate) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    read: Vec<u8>,
    messages: StateReader<Option<LanyardMessages>>,
    stop: CancellationToken,
) {
    let config = WebSocketConfig::default()
        .read_buffer_size(LONGEST)
        .write_buffer_size(0)
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST));
    let flooded = Notify::new();
    let (mut counted_since, mut bytes) = (Instant::now(), 0);
    let stream = InspectReader::new(stream, |read: &[u8]| {
        if counted_since.elapsed() > SILENT_FOR {
            (counted_since, bytes) = (Instant::now(), 0);
        }
        bytes += read.len();
        if bytes > MOST_BYTES {
            flooded.notify_one();
        }
    });
    let mut socket =
        WebSocketStream::from_partially_read(stream, read, Role::Server, Some(config)).await;
    let end = tokio::select! {
        end = talk(&mut socket, messages, &stop) => end,
        () = flooded.notified() => Some(TOO_MANY),
    };
    let leave = async {
        let frame = end.map(|(code, reason)| CloseFrame {
            code: code.into(),
            reason: Utf8Bytes::from_static(reason),
        });
        socket.close(frame).await.ok()?;
        while matches!(socket.next().await, Some(Ok(_))) {}
        // To close the connection at once would drop what its client has not taken yet if that sends
        // anything more.
        let stream = socket.get_mut();
        stream.shutdown().await.ok()?;
        copy(stream, &mut sink()).await.ok()
    };
    let _ = timeout(LEAVE_WITHIN, leave).await;
}

/// Why it ends; `None` where the client has ended it or takes nothing.
async fn talk<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    mut messages: StateReader<Option<LanyardMessages>>,
    stop: &CancellationToken,
) -> Option<End> {
    let Some(mut shown) = messages.latest() else {
        return Some(GOING_AWAY);
    };
    let mut is_subscribed = false;
    let (mut heard, mut counted_since, mut count) = (Instant::now(), Instant::now(), 0);
    send(socket, Bytes::from_static(HELLO)).await?;
    loop {
        let next = tokio::select! {
            biased;
            () = stop.cancelled() => {
                if is_subscribed {
                    send(socket, shown.offline).await?;
                }
                return Some(GOING_AWAY);
            }
            changed = messages.changed() => {
                let new = messages.get().filter(|new| new.id == shown.id && changed.is_ok());
                let Some(new) = new else {
                    return Some(GOING_AWAY);
                };
                shown = new;
                is_subscribed.then(|| shown.update.clone())
            }
            () = sleep_until(heard + SILENT_FOR) => return Some(NORMAL),
            message = socket.next() => {
                heard = Instant::now();
                if heard > counted_since + SILENT_FOR {
                    (counted_since, count) = (heard, 0);
                }
                count += 1;
                let given = match message? {
                    _ if count > MOST_MESSAGES => return Some(TOO_MANY),
                    Ok(Message::Text(text)) => Bytes::from(text),
                    Ok(Message::Binary(bytes)) => bytes,
                    Ok(Message::Close(_)) => return None,
                    Ok(_) => continue,
                    Err(Error::Capacity(_)) => return Some(TOO_LARGE),
                    Err(_) => return None,
                };
                match answer(&given, &shown, &mut is_subscribed) {
                    Ok(answer) => answer,
                    Err(end) => return Some(end),
                }
            }
        };
        if let Some(next) = next {
            send(socket, next).await?;
        }
    }
}

/// `None` where the client does not take it.
async fn send<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    text: Bytes,
) -> Option<()> {
    let message = Message::Text(Utf8Bytes::try_from(text).ok()?);
    let sent = timeout(TAKE_WITHIN, socket.send(message)).await;
    sent.ok()?.ok()
}

/// The answer to a message of a client, if it gets one.
fn answer(
    given: &[u8],
    shown: &LanyardMessages,
    is_subscribed: &mut bool,
) -> Result<Option<Bytes>, End> {
    let Ok(Value::Object(message)) = serde_json::from_slice(given) else {
        return Err(INVALID_PAYLOAD);
    };
    let data = message.get("d").and_then(Value::as_object);
    let is_own = |given: &Value| given.as_str() == Some(&*shown.id);
    let has_own = |given: &Value| Some(given.as_array()?.iter().any(is_own));
    let is_true = |given: &Value| given.as_bool() == Some(true);
    match message.get("op").and_then(Value::as_u64) {
        Some(2) => {
            let data = data.filter(|data| !data.is_empty()).ok_or(REQUIRES_DATA)?;
            let (is_known, init) = if let Some(ids) = data.get("subscribe_to_ids") {
                (has_own(ids).ok_or(INVALID_PAYLOAD)?, &shown.map)
            } else if let Some(id) = data.get("subscribe_to_id") {
                (is_own(id), &shown.one)
            } else if data.get("subscribe_to_all").is_some_and(is_true) {
                (true, &shown.map)
            } else {
                return Err(INVALID_PAYLOAD);
            };
            *is_subscribed |= is_known;
            let init = is_known.then(|| init.clone());
            Ok(Some(init.unwrap_or(Bytes::from_static(NOBODY))))
        }
        Some(3) => Ok(None),
        Some(4) => {
            let given = |key| data.and_then(|data| data.get(key));
            let ends = given("unsubscribe_from_ids").and_then(has_own) == Some(true)
                || given("unsubscribe_from_id").is_some_and(is_own)
                || given("unsubscribe_from_all").is_some_and(is_true);
            *is_subscribed &= !ends;
            Ok(None)
        }
        _ => Err(UNKNOWN_OPCODE),
    }
}

#[cfg(test)]
mod tests;
