//! Slow callers, and many at once.

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::*;
use crate::uploads::tests::Run;

/// No test waits for longer.
const AT_MOST: Duration = Duration::from_secs(20);
/// Longer than any test.
const EVER: Duration = Duration::from_secs(600);
/// Soon over.
const SOON: Duration = Duration::from_millis(100);

async fn listening(head: Duration, body: Duration) -> Listening {
    let limits = Limits {
        head,
        body,
        turn: EVER,
        clipboard: EVER,
    };
    listening_with(None, limits).await
}

async fn listening_with(secret: Option<&str>, limits: Limits) -> Listening {
    listening_on(secret, limits, Arc::new(|| Ok(Vec::new()))).await
}

async fn listening_on(secret: Option<&str>, limits: Limits, clipboard: Clipboard) -> Listening {
    let picgo = PicGo {
        own: Run::new().await.uploads.own().clone(),
        secret: secret.map(Into::into),
        clipboard,
        deletions: None,
    };
    let listening = picgo.listen_within(0, limits).await;
    listening.expect("a port")
}

/// A program that uploads.
struct Editor(BufReader<TcpStream>);

impl Editor {
    async fn connect(listening: &Listening) -> Self {
        let stream = TcpStream::connect(listening.address()).await;
        Self(BufReader::new(stream.expect("a connection")))
    }

    /// Sends the head of a request whose body is announced.
    async fn start(listening: &Listening) -> Self {
        let mut editor = Self::connect(listening).await;
        let port = listening.address().port();
        let head = format!(
            "POST /upload HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 100\r\n\
             Expect: 100-continue\r\n\r\n"
        );
        editor.send(&head).await;
        editor
    }

    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.expect("sent");
    }

    /// The next line that is answered; empty at the end.
    async fn line(&mut self) -> String {
        let mut line = String::new();
        let read = tokio::time::timeout(AT_MOST, self.0.read_line(&mut line)).await;
        read.expect("an answer in time").expect("a line");
        line
    }

    async fn is_read(&mut self) {
        assert_eq!(self.line().await, "HTTP/1.1 100 Continue\r\n");
        assert_eq!(self.line().await, "\r\n");
    }

    fn is_answered(&self) -> bool {
        let mut byte = [0];
        self.0.get_ref().try_read(&mut byte).is_ok()
    }

    /// The rest of the answer. A connection that was cut has none.
    async fn rest(mut self) -> String {
        let mut rest = Vec::new();
        let read = tokio::time::timeout(AT_MOST, self.0.read_to_end(&mut rest)).await;
        drop(read.expect("the connection is kept"));
        String::from_utf8_lossy(&rest).into_owned()
    }
}

#[tokio::test]
async fn half_a_request_does_not_keep_it_from_ending() {
    let listening = listening(EVER, EVER).await;
    let mut editor = Editor::start(&listening).await;
    editor.is_read().await;
    editor.send("{\"list\"").await;
    let stopped = tokio::time::timeout(AT_MOST, listening.stop()).await;
    stopped.expect("it waits for the rest without an end");
    editor.rest().await;
}

#[tokio::test]
async fn a_head_that_does_not_end_times_out() {
    let listening = listening(SOON, EVER).await;
    let mut editor = Editor::connect(&listening).await;
    editor.send("POST /upload HTTP/1.1\r\nHost:").await;
    editor.rest().await;
    listening.stop().await;
}

#[tokio::test]
async fn a_body_that_does_not_end_times_out() {
    let listening = listening(EVER, SOON).await;
    let mut editor = Editor::start(&listening).await;
    editor.is_read().await;
    editor.send("{\"list\"").await;
    let rest = editor.rest().await;
    assert!(rest.starts_with("HTTP/1.1 408 "), "{rest}");
    listening.stop().await;
}

#[tokio::test]
async fn concurrent_uploads_are_limited_before_their_bodies_are_read() {
    let listening = listening(EVER, EVER).await;
    let mut first = Vec::new();
    for _ in 0..UPLOADS_AT_ONCE {
        let mut editor = Editor::start(&listening).await;
        editor.is_read().await;
        first.push(editor);
    }
    let mut next = Editor::start(&listening).await;
    // Other requests are answered in between.
    for _ in 0..20 {
        let mut other = Editor::connect(&listening).await;
        let port = listening.address().port();
        other
            .send(&format!(
                "GET /heartbeat HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
            ))
            .await;
        assert!(
            other
                .rest()
                .await
                .ends_with(r#"{"result":"alive","success":true}"#)
        );
        assert!(!next.is_answered(), "its body is read");
    }
    drop(first.pop());
    next.is_read().await;
    listening.stop().await;
}

#[tokio::test]
async fn a_request_that_waits_too_long_for_its_turn_is_given_up() {
    let limits = Limits {
        head: EVER,
        body: EVER,
        turn: SOON,
        clipboard: EVER,
    };
    let listening = listening_with(None, limits).await;
    let mut first = Vec::new();
    for _ in 0..UPLOADS_AT_ONCE {
        let mut editor = Editor::start(&listening).await;
        editor.is_read().await;
        first.push(editor);
    }
    let next = Editor::start(&listening).await;
    let rest = next.rest().await;
    assert!(rest.starts_with("HTTP/1.1 408 "), "{rest}");
    drop(first);
    listening.stop().await;
}

#[tokio::test]
async fn a_clipboard_that_does_not_answer_is_given_up_and_holds_one_thread() {
    let limits = Limits {
        clipboard: SOON,
        ..LIMITS
    };
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    let (began, reads) = std::sync::mpsc::channel();
    let clipboard: Clipboard = Arc::new(move || {
        began.send(()).expect("the test waits");
        let released = released.lock();
        let _ = released.recv();
        Ok(Vec::new())
    });
    let listening = listening_on(None, limits, clipboard).await;
    let port = listening.address().port();
    for _ in 0..2 {
        let mut editor = Editor::connect(&listening).await;
        let head = format!(
            "POST /upload HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\n\
             Connection: close\r\n\r\n"
        );
        editor.send(&head).await;
        let rest = editor.rest().await;
        assert!(rest.starts_with("HTTP/1.1 500 "), "{rest}");
        assert!(rest.contains("could not be read in time"), "{rest}");
    }
    reads.recv().expect("a read");
    assert!(reads.try_recv().is_err(), "another thread waits");
    drop(release);
    listening.stop().await;
}

#[tokio::test]
async fn the_ready_address_brings_the_secret_along_and_no_debug_output_does() {
    for (secret, query) in [(None, ""), (Some("a&b c"), "?secret=a%26b+c")] {
        let listening = listening_with(secret, LIMITS).await;
        let address = format!("http://{}/upload{query}", listening.address());
        assert_eq!(listening.ready_address().expose_secret(), address);
        assert!(!format!("{listening:?}").contains("a&b"));
        listening.stop().await;
    }
}

/// On Windows a program that wants to share the address would get it.
#[tokio::test]
async fn no_other_program_can_listen_at_the_same_port() {
    let first = listening(EVER, EVER).await;
    let other = TcpSocket::new_v4().expect("a socket");
    other.set_reuseaddr(true).expect("an option");
    let taken = other.bind(first.address()).and_then(|()| other.listen(1));
    assert!(taken.is_err(), "it is shared");
}
