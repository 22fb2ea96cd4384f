//! A stand-in for a quick tunnel: a program that prints an HTTPS address, which leads to the port
//! that it was started for. After a move it prints another one.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use crate::edge::certificate;

/// The tunnel; its address leads nowhere once it is dropped.
pub struct QuickTunnel {
    /// The certificate of those who signed its own, as PEM.
    pub authority: String,
    acceptor: TlsAcceptor,
    server: JoinHandle<()>,
    folder: TempDir,
}

impl QuickTunnel {
    pub async fn new() -> Self {
        let (authority, acceptor) = certificate("localhost");
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("authority.pem"), &authority).expect("to write");
        let mut tunnel = Self {
            authority,
            acceptor,
            server: tokio::spawn(async {}),
            folder,
        };
        tunnel.moves().await;
        tunnel
    }

    /// From now on it has another address, and the former one leads nowhere.
    pub async fn moves(&mut self) {
        self.server.abort();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let port = self.folder.path().join("port");
        let program = format!(
            "echo $1 > {}\necho https://localhost:{own}\nexec sleep 600\n",
            port.display()
        );
        fs::write(self.program(), program).expect("to write");
        self.server = tokio::spawn(serve(listener, self.acceptor.clone(), port));
    }

    /// The settings with which a service starts it.
    pub fn settings(&self) -> Vec<String> {
        vec![
            "tunnel.kind=command".to_owned(),
            format!(
                "tunnel.command=['sh', '{}', '{{port}}']",
                self.program().display()
            ),
            "tunnel.pattern=(https[^ ]+)".to_owned(),
            "tunnel.check_seconds=1".to_owned(),
        ]
    }

    /// Whom a service must trust for it, as `SSL_CERT_FILE`.
    pub fn authority_file(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("quick-tunnel")
    }
}

impl Drop for QuickTunnel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, port: PathBuf) {
    let mut connections = JoinSet::new();
    while let Ok((reader, _)) = listener.accept().await {
        let (acceptor, port) = (acceptor.clone(), port.clone());
        // A connection that breaks is no failure of the test.
        connections.spawn(async move { pass_on(reader, acceptor, &port).await });
    }
}

async fn pass_on(reader: TcpStream, acceptor: TlsAcceptor, port: &Path) -> std::io::Result<()> {
    let mut reader = acceptor.accept(reader).await?;
    let port = fs::read_to_string(port)?;
    let port: u16 = port.trim().parse().map_err(std::io::Error::other)?;
    let mut service = TcpStream::connect(("127.0.0.1", port)).await?;
    tokio::io::copy_bidirectional(&mut reader, &mut service).await?;
    Ok(())
}
