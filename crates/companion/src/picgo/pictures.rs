//! An image on its way from the machine to the service.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use porchlight_api::client::{Added, Client, ClientError};
use tokio::fs::File;
use tokio_util::io::ReaderStream;

/// Its declared type; the service inspects the content anyway.
const UNDECLARED: &str = "application/octet-stream";

#[derive(Debug, Clone)]
pub enum Picture {
    File(PathBuf),
    Bytes(Bytes),
}

/// Why an image was not sent, in two sentences.
#[derive(Debug)]
pub(super) struct NotSent {
    /// The reason, for the log.
    pub(super) why: String,
    /// The answer to the caller.
    pub(super) answer: String,
}

impl Picture {
    /// Sends it; its name there.
    ///
    /// # Errors
    /// For a file on this machine the answer is the same for every reason, so that a caller cannot
    /// find out which files exist.
    pub(super) async fn send(self, target: &Client) -> Result<String, NotSent> {
        match self {
            Self::File(file) => send_file(&file, target).await.map_err(|why| NotSent {
                why: format!("{file:?}: {why}"),
                // Escaped: a name can contain invisible and bidirectional characters.
                answer: format!("{file:?} was not uploaded: Porchlight's log says why"),
            }),
            Self::Bytes(bytes) => {
                let length = bytes.len() as u64;
                let whole = futures_util::stream::iter([Ok::<_, std::io::Error>(bytes)]);
                let added = target.add_image(whole, length, UNDECLARED, None).await;
                named(added).map_err(|why| NotSent {
                    answer: format!("the picture was not uploaded: {why}"),
                    why,
                })
            }
        }
    }
}

async fn send_file(file: &Path, target: &Client) -> Result<String, String> {
    let unreadable = |error: std::io::Error| error.to_string();
    // Checked first: opening something else than a file can block for ever.
    let known = tokio::fs::metadata(file).await.map_err(unreadable)?;
    if !known.is_file() {
        return Err("not a file".to_owned());
    }
    let open = File::open(file).await.map_err(unreadable)?;
    let bytes = ReaderStream::new(open);
    let added = target.add_image(bytes, known.len(), UNDECLARED, Some(file));
    named(added.await)
}

fn named(added: Result<Added, ClientError>) -> Result<String, String> {
    let (Added::Stored { hash, .. } | Added::AlreadyThere { hash }) =
        added.map_err(|error| error.to_string())?;
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_page_of_another_server_is_no_link() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut request = Vec::new();
            while !request.ends_with(b"--\r\n") {
                stream.read_buf(&mut request).await.expect("a form");
            }
            let page = b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n<html>Welcome</html>";
            stream.write_all(page).await.expect("sent");
        });
        let limit = Duration::from_secs(20);
        let target = Client::new(&base, "a-token".to_owned().into(), limit).expect("a client");
        let sent = Picture::Bytes(Bytes::from_static(b"a picture")).send(&target);
        let refused = sent.await.expect_err("no hash");
        assert!(refused.why.contains("not one of a service"), "{refused:?}");
    }
}
