//! The time limits, on a paused clock, and a connection that takes little.

use tokio::io::{DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::*;
use crate::state::State;

/// What the network takes that is not read.
const ROOM: usize = 16 * 1024;

struct Open {
    client: WebSocketStream<DuplexStream>,
    messages: State<Option<LanyardMessages>>,
    serving: JoinHandle<()>,
    stop: CancellationToken,
}

fn messages(number: usize) -> LanyardMessages {
    let of = |event: &str| Bytes::from(format!("{event} {number}"));
    LanyardMessages {
        id: "7".to_owned(),
        update: of("update"),
        one: of("one"),
        map: of("map"),
        offline: of("offline"),
    }
}

impl Open {
    async fn new() -> Self {
        let (client, server) = duplex(ROOM);
        let messages = State::new(Some(messages(1)));
        let stop = CancellationToken::new();
        let serving = serve(server, Vec::new(), messages.reader(), stop.clone());
        let serving = tokio::spawn(serving);
        let client = WebSocketStream::from_raw_socket(client, Role::Client, None).await;
        let mut open = Self {
            client,
            messages,
            serving,
            stop,
        };
        assert_eq!(open.next().await.as_bytes(), HELLO);
        open
    }

    async fn subscribed() -> Self {
        let mut open = Self::new().await;
        open.send(r#"{"op":2,"d":{"subscribe_to_id":"7"}}"#).await;
        assert_eq!(open.next().await, "one 1");
        open
    }

    async fn send(&mut self, text: &str) {
        self.client.send(Message::text(text)).await.expect("open");
    }

    async fn next(&mut self) -> String {
        match self.client.next().await {
            Some(Ok(Message::Text(text))) => text.to_string(),
            other => panic!("{other:?}"),
        }
    }

    async fn end(&mut self) -> (u16, String) {
        match self.client.next().await {
            Some(Ok(Message::Close(Some(frame)))) => (frame.code.into(), frame.reason.to_string()),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_silent_for_a_minute_is_disconnected() {
    let mut open = Open::subscribed().await;
    let began = Instant::now();
    for _ in 0..5 {
        sleep(Duration::from_secs(59)).await;
        open.send(r#"{"op":3}"#).await;
    }
    assert_eq!(open.end().await.0, 1000);
    let took = began.elapsed().as_secs();
    assert_eq!(took, 5 * 59 + 60, "a heartbeat is not answered");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_is_disconnected() {
    let open = Open::subscribed().await;
    let mut large = messages(2);
    large.update = vec![b'x'; 2 * ROOM].into();
    let began = Instant::now();
    open.messages.set(Some(large));
    open.serving.await.expect("no panic");
    assert_eq!(began.elapsed(), TAKE_WITHIN + LEAVE_WITHIN);
}

#[tokio::test(start_paused = true)]
async fn of_changes_that_come_too_fast_the_last_is_sent() {
    let mut open = Open::subscribed().await;
    for number in 2..=9 {
        open.messages.set(Some(messages(number)));
    }
    assert_eq!(open.next().await, "update 9");
    open.messages.update(|shown| *shown = Some(messages(9)));
    open.stop.cancel();
    assert_eq!(open.next().await, "offline 9", "nothing has changed before");
    assert_eq!(open.end().await.0, 1001);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_too_much_is_disconnected() {
    let mut open = Open::new().await;
    for _ in 0..MOST_MESSAGES {
        open.send(r#"{"op":3}"#).await;
    }
    sleep(SILENT_FOR / 2).await;
    open.send(r#"{"op":3}"#).await;
    let (code, reason) = open.end().await;
    assert_eq!((code, &*reason), TOO_MANY);
}

#[tokio::test(start_paused = true)]
async fn another_id_and_none_end_all_sockets() {
    for new in [None, Some("8")] {
        let mut open = Open::new().await;
        let new = new.map(|id| LanyardMessages {
            id: id.to_owned(),
            ..messages(1)
        });
        open.messages.set(new);
        assert_eq!(open.end().await.0, 1001);
    }
}
