//! Slow callers, and what the owner is shown.

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::*;
use crate::testing::host;

/// No test waits for longer.
const AT_MOST: Duration = Duration::from_secs(20);

async fn listening(secret: Option<&str>, clipboard: Clipboard, within: Duration) -> Listening {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    let secret: Option<SecretString> = secret.map(Into::into);
    let uploads = host.uploads().clone();
    let routes = PicGo::new(uploads, secret.clone(), clipboard, None);
    let routes = routes.with_clipboard_within(within);
    let limits = &host.settings().limits;
    let bound = bind_picgo(host.service().clone(), limits, 0, routes).await;
    Listening::serve(bound.expect("a port"), secret)
}

async fn listening_with(secret: Option<&str>) -> Listening {
    listening(secret, Arc::new(|| Ok(Vec::new())), AT_MOST).await
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
    let listening = listening_with(None).await;
    let mut editor = Editor::start(&listening).await;
    editor.is_read().await;
    editor.send("{\"list\"").await;
    let stopped = tokio::time::timeout(AT_MOST, listening.stop()).await;
    stopped.expect("it waits for the rest without an end");
    editor.rest().await;
}

#[tokio::test]
async fn a_clipboard_that_does_not_answer_is_given_up_and_holds_one_thread() {
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    let (began, reads) = std::sync::mpsc::channel();
    let clipboard: Clipboard = Arc::new(move || {
        began.send(()).expect("the test waits");
        let released = released.lock();
        let _ = released.recv();
        Ok(Vec::new())
    });
    let listening = listening(None, clipboard, Duration::from_millis(100)).await;
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
        let listening = listening_with(secret).await;
        let address = format!("http://{}/upload{query}", listening.address());
        assert_eq!(listening.ready_address().expose_secret(), address);
        assert!(!format!("{listening:?}").contains("a&b"));
        listening.stop().await;
    }
}
