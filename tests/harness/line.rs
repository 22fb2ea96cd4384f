//! A proxy to a service on this machine that can be cut and restored, like a
//! network connection.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// The proxy; it is cut permanently when this is dropped.
pub struct Line {
    near: SocketAddr,
    far: SocketAddr,
    calls: Arc<Mutex<JoinSet<()>>>,
    accepting: Option<JoinHandle<()>>,
    /// While it is cut: the port stays reserved, and nothing is accepted there.
    cut: Option<TcpSocket>,
}

impl Line {
    /// A line to `far`.
    pub fn to(far: SocketAddr) -> Self {
        let socket = bound(([127, 0, 0, 1], 0).into());
        let mut line = Self {
            near: socket.local_addr().expect("an address"),
            far,
            calls: Arc::default(),
            accepting: None,
            cut: Some(socket),
        };
        line.mend();
        line
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.near
    }

    /// Breaks every connection and refuses new ones.
    pub async fn cut(&mut self) {
        let accepting = self.accepting.take().expect("a whole line");
        accepting.abort();
        let _ = accepting.await;
        let mut calls = std::mem::take(&mut *self.calls.lock().expect("no panic"));
        calls.shutdown().await;
        self.cut = Some(bound(self.near));
    }

    /// Takes connections again.
    pub fn mend(&mut self) {
        let socket = self.cut.take().expect("a line that is cut");
        let listener = socket.listen(1024).expect("a port of our own");
        let (far, calls) = (self.far, Arc::clone(&self.calls));
        self.accepting = Some(tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.expect("a connection");
                calls.lock().expect("no panic").spawn(carry(near, far));
            }
        }));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(accepting) = &self.accepting {
            accepting.abort();
        }
    }
}

async fn carry(mut near: TcpStream, far: SocketAddr) {
    if let Ok(mut far) = TcpStream::connect(far).await {
        // It ends when either end has hung up.
        let _ = copy_bidirectional(&mut near, &mut far).await;
    }
}

fn bound(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("a port of our own");
    socket.bind(address).expect("a free port");
    socket
}
