//! The second probe: through the Worker. It shows whether the Worker answers, and whether it
//! reaches this very process or answers from the snapshot.

use std::time::{Duration, Instant};

use serde::Deserialize;

use super::probe::Prober;
use crate::error::message::Message;
use crate::http::client_tls::cause_of;
use crate::text::address::{Probe, WebAddress};

/// On the service's own answers; those from the snapshot come without it.
const MARK: &str = "x-porchlight";
/// The most that is read of an answer, in bytes.
const LONGEST: usize = 64 * 1024;
/// What Cloudflare writes, with status 429, when the free plan's requests are used up.
const USED_UP: [&[u8]; 2] = [b"error code: 1027", b"Error 1027"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundAtEdge {
    /// This process, after this time.
    Service(Duration),
    Snapshot,
    /// The plan allows no more requests.
    Limit,
}

#[derive(Debug, Clone)]
pub struct EdgeProber(Prober);

/// The answer of `/images/count`. Asking for it is not counted as a reader's question for the
/// status.
#[derive(Deserialize)]
struct Count {
    count: u64,
}

impl EdgeProber {
    /// One that knows this process by the probe of its public listener.
    ///
    /// # Errors
    /// When no HTTPS client can be set up.
    pub fn new(probe: Probe) -> Result<Self, reqwest::Error> {
        Prober::new(probe).map(Self)
    }

    /// Sends one probe. Where Worker and service share no secret, only the listener of a tunnel
    /// answers the secret path; then the service is known by `images`, the number of its images,
    /// if that is given.
    ///
    /// # Errors
    /// Why the address does not lead to a Worker of this process.
    pub async fn at(
        &self,
        address: &WebAddress,
        images: Option<u64>,
    ) -> Result<FoundAtEdge, Message> {
        let failed = |error: reqwest::Error| Message::AddressSilent {
            address: address.as_str().into(),
            why: cause_of(&error).into(),
        };
        let started = Instant::now();
        let request = self.0.http().get(address.join("/images/count"));
        let mut answer = request.send().await.map_err(failed)?;
        let status = answer.status().as_u16();
        let is_own = answer.headers().get(MARK).is_some_and(|mark| mark == "1");
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            body.extend_from_slice(&part);
            if body.len() > LONGEST {
                break;
            }
        }
        let elsewhere = || Message::AddressElsewhere {
            address: address.as_str().into(),
        };
        match status {
            200 => {}
            _ if USED_UP.iter().any(|code| contains(&body, code)) => {
                return Ok(FoundAtEdge::Limit);
            }
            503 if contains(&body, b"The service is offline") => {
                let address = address.as_str().into();
                return Err(Message::EdgeEmpty { address });
            }
            _ => {
                return Err(Message::AddressAnswers {
                    address: address.as_str().into(),
                    status: status.into(),
                });
            }
        }
        let count: Count = serde_json::from_slice(&body).map_err(|_| elsewhere())?;
        if !is_own {
            return Ok(FoundAtEdge::Snapshot);
        }
        let took = started.elapsed();
        match self.0.at(address).await {
            Err(_) if images != Some(count.count) => Err(elsewhere()),
            _ => Ok(FoundAtEdge::Service(took)),
        }
    }
}

fn contains(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|here| here == part)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// A server that answers `/images/count` like this, and the secret path with its answer or not.
    async fn server(count: &'static str, probe: Probe, has_secret: bool) -> WebAddress {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = Vec::new();
                while !contains(&request, b"\r\n\r\n") {
                    if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
                        break;
                    }
                }
                let secret = format!(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
                    probe.answer.len(),
                    probe.answer
                );
                let asks_secret = contains(&request, probe.path.as_bytes());
                let answer = match (asks_secret, has_secret) {
                    (false, _) => count,
                    (true, true) => &secret,
                    (true, false) => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                };
                // The client may be gone.
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        format!("http://{address}").parse().expect("an address")
    }

    async fn found(
        count: &'static str,
        has_secret: bool,
        images: Option<u64>,
    ) -> Result<FoundAtEdge, Message> {
        let probe = Probe::of([[1; 16], [2; 16]]);
        let address = server(count, probe.clone(), has_secret).await;
        let prober = EdgeProber::new(probe).expect("a client");
        prober.at(&address, images).await
    }

    #[tokio::test]
    async fn the_probe_distinguishes_this_service_its_snapshot_another_service_and_a_used_up_plan()
    {
        const OWN: &str = "HTTP/1.1 200 OK\r\nX-Porchlight: 1\r\nConnection: close\r\n\
                           Content-Length: 11\r\n\r\n{\"count\":7}";
        const OTHER: &str = "HTTP/1.1 200 OK\r\nX-Porchlight: 1\r\nConnection: close\r\n\
                             Content-Length: 11\r\n\r\n{\"count\":8}";
        for (answer, has_secret, images) in [
            (OWN, true, None),
            (OTHER, true, Some(7)),
            (OWN, false, Some(7)),
        ] {
            let found = found(answer, has_secret, images).await;
            assert!(matches!(found, Ok(FoundAtEdge::Service(_))), "{found:?}");
        }
        // A copy that was restored elsewhere has as many images, and cannot know the secret path.
        for (answer, images) in [(OTHER, Some(7)), (OWN, None)] {
            let another = found(answer, false, images).await;
            assert!(
                matches!(another, Err(Message::AddressElsewhere { .. })),
                "{another:?}"
            );
        }

        let snapshot = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 11\r\n\r\n\
                        {\"count\":7}";
        assert_eq!(
            found(snapshot, false, None).await,
            Ok(FoundAtEdge::Snapshot)
        );
        let limit = "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\n\
                     Content-Length: 16\r\n\r\nerror code: 1027";
        assert_eq!(found(limit, false, None).await, Ok(FoundAtEdge::Limit));
        let busy =
            "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        let busy = found(busy, false, None).await;
        assert!(
            matches!(busy, Err(Message::AddressAnswers { status: _, .. })),
            "{busy:?}"
        );
        let empty = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\
                     Content-Length: 34\r\n\r\n{\"error\":\"The service is offline\"}";
        let empty = found(empty, false, None).await;
        assert!(matches!(empty, Err(Message::EdgeEmpty { .. })), "{empty:?}");
        let page = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\n<html>";
        let page = found(page, false, None).await;
        assert!(
            matches!(page, Err(Message::AddressElsewhere { .. })),
            "{page:?}"
        );
    }
}
