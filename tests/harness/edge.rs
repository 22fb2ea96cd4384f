//! A stand-in for Cloudflare's edge: an HTTPS server that knows which name
//! leads to which tunnel, and overwrites a reader's headers with its own. Names
//! are not resolved: readers connect through a proxy, which is this too.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use rcgen::{Certificate, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, KeyPair};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// The running edge.
pub struct Edge {
    address: SocketAddr,
    /// The tunnels by name.
    tunnels: Tunnels,
    /// The certificate of those who signed its own, as PEM.
    pub authority: String,
    server: tokio::task::JoinHandle<()>,
}

/// The port of each tunnel's end, and what requests go through before it.
type Tunnels = Arc<Mutex<HashMap<String, (u16, Before)>>>;

/// What stands in front of a tunnel.
#[derive(Clone, Copy)]
pub enum Before {
    /// Cloudflare.
    Cloudflare,
    /// A proxy that passes on what it gets.
    ProxyThatKeepsHost,
    /// A proxy without configuration: it puts the port's own address into `Host`.
    ProxyThatRewritesHost,
}

/// The certificate for all names below this one.
const ZONE: &str = "trycloudflare.com";

impl Edge {
    pub async fn start() -> Self {
        Self::of(&format!("*.{ZONE}")).await
    }

    /// One whose certificate is for this name.
    pub async fn of(name: &str) -> Self {
        let (authority, acceptor) = certificate(name);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let tunnels = Tunnels::default();
        let known = Arc::clone(&tunnels);
        let server = tokio::spawn(async move {
            while let Ok((reader, _)) = listener.accept().await {
                let (known, acceptor) = (Arc::clone(&known), acceptor.clone());
                // A reader who hangs up is no failure of the test.
                tokio::spawn(async move { serve(reader, &known, acceptor).await });
            }
        });
        Self {
            address,
            tunnels,
            authority,
            server,
        }
    }

    /// Where readers' proxy settings lead.
    pub fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on this name leads to this port.
    pub fn connect(&self, name: &str, port: u16) {
        self.connect_through(Before::Cloudflare, name, port);
    }

    /// The same, with something else in front.
    pub fn connect_through(&self, before: Before, name: &str, port: u16) {
        let mut tunnels = self.tunnels.lock().expect("a lock");
        tunnels.insert(name.to_owned(), (port, before));
    }

    /// Nothing leads anywhere any more.
    pub fn disconnect(&self) {
        self.tunnels.lock().expect("a lock").clear();
    }

    /// A reader on the internet.
    pub fn reader(&self) -> reqwest::Client {
        let authority = reqwest::Certificate::from_pem(self.authority.as_bytes());
        porchlight_service::http::client_tls::http_client()
            .proxy(reqwest::Proxy::all(self.proxy()).expect("a proxy"))
            .add_root_certificate(authority.expect("a certificate"))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client")
    }
}

/// Who signed a certificate for this name, as PEM, and a server that has it.
pub(crate) fn certificate(name: &str) -> (String, TlsAcceptor) {
    let (authority, certificate, key) = signed(&[name]);
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )
        .expect("a configuration");
    (authority, TlsAcceptor::from(Arc::new(config)))
}

/// Who signed a certificate for these names and addresses, the certificate, and its key, as PEM.
pub fn signed_for(names: &[&str]) -> [String; 3] {
    let (authority, certificate, key) = signed(names);
    [authority, certificate.pem(), key.serialize_pem()]
}

fn signed(names: &[&str]) -> (String, Certificate, KeyPair) {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, authority_key).expect("an authority");
    let key = KeyPair::generate().expect("a key");
    let all: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut params = CertificateParams::new(all).expect("parameters");
    // A certificate whose issuer is its own subject counts as self-signed.
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, names[0]);
    let certificate = params.signed_by(&key, &authority).expect("a certificate");
    (authority.pem(), certificate, key)
}

impl Drop for Edge {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// One reader: `CONNECT name:443`, then TLS, then one request.
async fn serve(reader: TcpStream, tunnels: &Tunnels, acceptor: TlsAcceptor) -> std::io::Result<()> {
    let mut reader = BufReader::new(reader);
    let asked = head(&mut reader).await?;
    let name = asked
        .strip_prefix("CONNECT ")
        .and_then(|rest| rest.split(':').next());
    let name = name.unwrap_or_default().to_owned();
    reader.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    let mut reader = BufReader::new(acceptor.accept(reader).await?);
    let asked = head(&mut reader).await?;
    let found = tunnels.lock().expect("a lock").get(&name).copied();
    let Some((port, before)) = found else {
        // As Cloudflare does for a tunnel that it has lost.
        let body = "error code: 1033";
        let answer = format!(
            "HTTP/1.1 530 \r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        reader.write_all(answer.as_bytes()).await?;
        return reader.shutdown().await;
    };
    let mut tunnel = TcpStream::connect(("127.0.0.1", port)).await?;
    let passed_on = match before {
        Before::Cloudflare => passed_on(&asked),
        Before::ProxyThatKeepsHost => with_host(&asked, &name),
        Before::ProxyThatRewritesHost => with_host(&asked, &format!("127.0.0.1:{port}")),
    };
    tunnel.write_all(passed_on.as_bytes()).await?;
    let (mut asks, mut reads) = tokio::io::split(reader);
    let (answers, mut asked) = tunnel.split();
    let mut answers = BufReader::new(answers);
    let request = async {
        tokio::io::copy(&mut asks, &mut asked).await?;
        asked.shutdown().await
    };
    let answer = async {
        // Not every end closes a connection that is asked for one answer.
        let mut head = head(&mut answers).await?;
        if !head.starts_with("HTTP/1.1 101") {
            head.insert_str(head.trim_end().len(), "\r\nConnection: close");
        }
        reads.write_all(head.as_bytes()).await?;
        tokio::io::copy(&mut answers, &mut reads).await?;
        reads.shutdown().await
    };
    tokio::try_join!(request, answer)?;
    Ok(())
}

/// A request's head, to the empty line.
async fn head<R: tokio::io::AsyncRead + Unpin>(
    reader: &mut BufReader<R>,
) -> std::io::Result<String> {
    let mut head = String::new();
    // No head in these tests is longer.
    let mut limited = reader.take(64 << 10);
    while limited.read_line(&mut head).await? > 2 {}
    Ok(head)
}

/// The head for another host, and for one request.
fn with_host(head: &str, host: &str) -> String {
    let own = |line: &&str| {
        let (name, _) = line.split_once(':').unwrap_or_default();
        !name.eq_ignore_ascii_case("host") && !name.eq_ignore_ascii_case("connection")
    };
    let kept: Vec<&str> = head.trim_end().lines().filter(own).collect();
    let kept = kept.join("\r\n");
    format!("{kept}\r\nHost: {host}\r\nConnection: close\r\n\r\n")
}

/// The head with the headers that the edge sets, for a WebSocket or for one request. The reader's address comes
/// from a test's `X-Test-Reader`, since all of them are on this machine.
fn passed_on(head: &str) -> String {
    let value = |name: &str| {
        head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then(|| value.to_owned())
        })
    };
    let reader = value("x-test-reader").unwrap_or_else(|| "198.51.100.1".to_owned());
    let scheme = value("x-test-scheme").unwrap_or_else(|| "https".to_owned());
    let forwarded = match value("x-forwarded-for") {
        Some(sent) => format!("{sent}, {reader}"),
        None => reader.clone(),
    };
    let own = [
        "cf-connecting-ip",
        "x-forwarded-for",
        "x-forwarded-proto",
        "connection",
    ];
    let kept = head.trim_end().lines().filter(|line| {
        let name = line
            .split(':')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        !own.contains(&name.as_str())
    });
    let kept: Vec<&str> = kept.collect();
    let connection = value("upgrade").map_or("close", |_| "Upgrade");
    format!(
        "{}\r\nCF-Connecting-IP: {reader}\r\nX-Forwarded-For: {forwarded}\r\n\
         X-Forwarded-Proto: {scheme}\r\nConnection: {connection}\r\n\r\n",
        kept.join("\r\n")
    )
}
