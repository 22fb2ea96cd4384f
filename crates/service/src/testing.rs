//! What the tests of this package have in common.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

use porchlight_test_harness::free_port;

use crate::app::host::{Host, Kind, StartOptions};
use crate::app::tokens::secret_store::{Secret, SecretStore};
use crate::images::{IngestError, StoredImage};

/// The tray app's host in this data folder, on a free port, with these settings.
pub(crate) async fn host(folder: &Path, set: &[&str]) -> Host {
    let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
    host_with(folder, set).await
}

/// The same, with settings that were put together.
pub(crate) async fn host_with(folder: &Path, set: impl Into<Vec<String>>) -> Host {
    let options = StartOptions {
        data_dir: Some(folder.to_owned()),
        listen: Some(([127, 0, 0, 1], 0).into()),
        set: set.into(),
        without_keyring: true,
    };
    match Host::start(options, Kind::Desktop).await {
        Ok(host) => host,
        Err(error) => panic!("{error}"),
    }
}

/// A port that another program has. Nothing else takes it once the listener is dropped.
pub(crate) fn taken() -> (TcpListener, SocketAddr) {
    let address = (Ipv4Addr::LOCALHOST, free_port()).into();
    (TcpListener::bind(address).expect("a free port"), address)
}

/// This path, which begins with a slash, as a full one of this system.
pub(crate) fn full(path: &str) -> String {
    let drive = if cfg!(windows) { "C:" } else { "" };
    format!("{drive}{path}")
}

/// Keeps a secret of the app in the file of this data folder; what it is.
pub(crate) async fn keep_a_secret(folder: &Path) -> &'static str {
    let secret = "the-secret-for-editors";
    let kept = SecretStore::of(folder, false);
    let kept = kept.keep(Secret::PicGo, &secret.into()).await;
    kept.expect("written");
    secret
}

/// A small picture as a PNG file, another one each time.
pub(crate) fn picture() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 8, 8);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a PNG");
    let bytes: [u8; 64] = std::array::from_fn(|_| rand::random());
    writer.write_image_data(&bytes).expect("a PNG");
    writer.finish().expect("a PNG");
    file
}

pub(crate) async fn upload(host: &Host, bytes: Vec<u8>) -> Result<StoredImage, IngestError> {
    let images = host.service().images();
    let mut incoming = images.start_upload().await?;
    incoming.write(&bytes.into()).await?;
    images.ingest(incoming).await
}

/// The images, newest first.
pub(crate) async fn hashes(host: &Host) -> Vec<String> {
    let page = host
        .service()
        .images()
        .page(0, 10, None)
        .await
        .expect("a page");
    page.images
        .iter()
        .map(|listed| listed.image.hash.to_string())
        .collect()
}

/// Stores a picture; its hash.
pub(crate) async fn stored(host: &Host) -> String {
    let image = upload(host, picture()).await;
    image.expect("an image").hash.to_string()
}
