//! A client of Lanyard's protocol on a bare socket, for messages that no well-behaved one sends.

use std::net::SocketAddr;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::TIMEOUT;

/// An open socket.
pub struct LanyardSocket(WebSocketStream<TcpStream>);

impl LanyardSocket {
    /// Opens one at this service.
    ///
    /// # Errors
    /// The status with which it is refused.
    pub async fn open(address: SocketAddr) -> Result<Self, u16> {
        let stream = TcpStream::connect(address).await.expect("a connection");
        Self::over(stream, address).await
    }

    /// One whose system takes only a few kilobytes that are not read.
    pub async fn with_little_room(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4096).expect("less room");
        let stream = socket.connect(address).await.expect("a connection");
        Self::over(stream, address).await.expect("a place")
    }

    async fn over(stream: TcpStream, address: SocketAddr) -> Result<Self, u16> {
        match client_async(format!("ws://{address}/socket"), stream).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(Error::Http(refused)) => Err(refused.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    /// One that has read the first message and is subscribed to this id; with what it was answered.
    pub async fn subscribed(address: SocketAddr, id: &str) -> (Self, Value) {
        let mut socket = Self::open(address).await.expect("a place");
        assert_eq!(socket.next().await["op"], 1);
        let subscribe = serde_json::json!({ "op": 2, "d": { "subscribe_to_id": id } });
        socket.send(&subscribe.to_string()).await;
        let init = socket.next().await;
        assert_eq!(init["t"], "INIT_STATE");
        (socket, init["d"].clone())
    }

    /// Sends a text.
    pub async fn send(&mut self, text: &str) {
        let sent = self.0.send(Message::text(text)).await;
        sent.expect("an open socket");
    }

    /// Sends bytes that are no whole message.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        let sent = self.0.get_mut().write_all(bytes).await;
        sent.expect("an open socket");
    }

    async fn message(&mut self) -> Option<Message> {
        let message = timeout(TIMEOUT * 2, self.0.next()).await;
        message.expect("a message in time")?.ok()
    }

    /// The next message, which must be JSON.
    pub async fn next(&mut self) -> Value {
        match self.message().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("no message: {other:?}"),
        }
    }

    /// The content of the next message, which must be an update.
    pub async fn update(&mut self) -> Value {
        let mut message = self.next().await;
        assert_eq!(message["op"], 0, "{message}");
        assert_eq!(message["t"], "PRESENCE_UPDATE", "{message}");
        message["d"].take()
    }

    /// The code and the reason with which the service closes it, with nothing sent before; `None` where
    /// the connection ends without them.
    pub async fn closed(&mut self) -> Option<(u16, String)> {
        match self.message().await? {
            Message::Close(frame) => {
                let frame = frame.expect("a code");
                Some((frame.code.into(), frame.reason.to_string()))
            }
            other => panic!("it is not closed: {other:?}"),
        }
    }
}
