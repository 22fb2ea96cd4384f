//! What the targets share: a service in this process, and an answer from it.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use porchlight_convert::ConvertOptions;
use porchlight_service::clock::Clock;
use porchlight_service::router::listener_state::Shared;
use porchlight_service::service::Service;
use porchlight_service::settings::Settings;
use porchlight_service::settings::sections::ImagesSettings;
use porchlight_service::tokens::scope::Scope;
use secrecy::SecretString;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// The token that the service takes; the seeds of requests carry it.
pub const TOKEN: &str = "porchlight-fuzz-porchlight-fuzz-porchlight";

/// What converts the images that the service gets.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/debug/porchlight");

/// No answer may take longer.
const TIMEOUT: Duration = Duration::from_secs(20);

/// More pixels only cost time.
const PIXELS: u64 = 1 << 16;

/// How images are converted here.
pub fn options() -> ConvertOptions {
    ConvertOptions {
        quality: 75,
        max_side: 0,
        max_pixels: PIXELS,
        max_animation_pixels: 4 * PIXELS,
    }
}

struct Running {
    runtime: Runtime,
    address: std::net::SocketAddr,
    _folder: tempfile::TempDir,
}

/// The one service of this process, started by the first who asks.
fn service() -> &'static Running {
    static RUNNING: OnceLock<Running> = OnceLock::new();
    RUNNING.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("threads");
        let folder = tempfile::tempdir().expect("a folder");
        let address = runtime.block_on(start(folder.path()));
        Running {
            runtime,
            address,
            _folder: folder,
        }
    })
}

async fn start(folder: &std::path::Path) -> std::net::SocketAddr {
    let settings = Settings {
        images: ImagesSettings {
            max_upload_bytes: 1 << 20,
            max_pixels: PIXELS,
            max_animation_pixels: 4 * PIXELS,
            helper: Some(Path::new(PROGRAM).into()),
            ..ImagesSettings::default()
        },
        ..Settings::default()
    };
    let service = Service::open(folder, settings, Clock::system())
        .await
        .expect("a service");
    service
        .tokens()
        .accept_for_this_run(Scope::Admin, &SecretString::from(TOKEN));
    let mut settings = porchlight_service::settings::Settings::default();
    settings.limits.requests_per_second = 0;
    // Public, so that requests with any host are processed.
    settings.server.public_url = "https://light.example".parse().ok();
    let bound = porchlight_service::router::listen::bind(
        service,
        ([127, 0, 0, 1], 0).into(),
        Shared::with(settings),
    )
    .await
    .expect("a listener");
    let address = bound.address();
    tokio::spawn(bound.serve(CancellationToken::new()));
    address
}

/// Sends these bytes and returns the whole response. `hang_up` closes the sending side.
///
/// # Panics
/// When there is no answer in time, or one that blames the service.
pub fn sent(request: &[u8], hang_up: bool) -> Vec<u8> {
    let running = service();
    let answer = running.runtime.block_on(async {
        let exchange = async {
            let mut stream = TcpStream::connect(running.address).await?;
            let mut answer = Vec::new();
            // After an early refusal the rest may not be read, and the response still arrives.
            let _ = stream.write_all(request).await;
            if hang_up {
                let _ = stream.shutdown().await;
            }
            let _ = stream.read_to_end(&mut answer).await;
            std::io::Result::Ok(answer)
        };
        tokio::time::timeout(TIMEOUT, exchange).await
    });
    let answer = answer.expect("an answer in time").expect("a connection");
    let blames_itself = answer.starts_with(b"HTTP/1.1 5") && !answer.starts_with(b"HTTP/1.1 503");
    assert!(!blames_itself, "{}", String::from_utf8_lossy(&answer));
    answer
}
