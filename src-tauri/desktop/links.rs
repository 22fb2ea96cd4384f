//! The public addresses that the owner copies, or has copied.

use std::collections::HashMap;

use porchlight_api::ImageHash;
use porchlight_api::window::{AddressKind, LinkForm, LinkGlance, Upload, UploadState};
use porchlight_app::host::Host;
use porchlight_companion::link::LinkTemplate;
use porchlight_companion::watch::WatchOutcome;
use porchlight_core::images::ImageDetails;
use tauri::AppHandle;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::put_on_clipboard;

pub(super) fn link_to(host: &Host, hash: ImageHash) -> String {
    address_below(&host.blog_url(), hash)
}

fn address_below(blog_url: &str, hash: ImageHash) -> String {
    format!("{blog_url}/i/{hash}.webp")
}

/// The links of these pictures below the address of the service, a line each;
/// `own` is the owner's template.
pub(super) fn links(
    images: &[ImageDetails],
    form: LinkForm,
    own: &LinkTemplate,
    blog_url: &str,
) -> String {
    let links = images.iter().map(|image| {
        let address = address_below(blog_url, image.image.hash);
        link(Some(image), form, own, &address)
    });
    links.collect::<Vec<_>>().join("\n")
}

/// The links of the uploads among these that went well, in the owner's form. Where another service
/// has the picture, its size is not known here.
pub(super) async fn links_of_uploads(host: &Host, uploads: &[Upload]) -> Vec<String> {
    let stored: Vec<_> = uploads.iter().filter_map(stored).collect();
    let hashes = stored.iter().filter_map(|(hash, _)| *hash).collect();
    let images = host.service().images().named(hashes).await;
    let images = images.unwrap_or_else(|error| {
        tracing::warn!(%error, "the sizes of new pictures cannot be read");
        Vec::new()
    });
    let images: HashMap<_, _> = images.iter().map(|one| (one.image.hash, one)).collect();
    let own = &host.settings().links.template;
    let links = stored.into_iter().map(|(hash, url)| {
        let image = hash.and_then(|hash| images.get(&hash).copied());
        let address = image.map(|one| link_to(host, one.image.hash));
        link(image, LinkForm::Own, own, address.as_deref().unwrap_or(url))
    });
    links.collect()
}

/// How long the links of these uploads lead to their pictures.
pub(super) fn kind_of_uploads(host: &Host, uploads: &[Upload]) -> AddressKind {
    let is_here = |upload| matches!(stored(upload), Some((Some(_), _)));
    match elsewhere(host) {
        Some(kind) if !uploads.iter().any(is_here) => kind,
        _ => host.address_kind(),
    }
}

/// The kind of the links to the service that uploads go to, where that is another one.
fn elsewhere(host: &Host) -> Option<AddressKind> {
    let target = &host.settings().presence.target_url;
    target.as_ref().map(AddressKind::of_chosen)
}

/// The hash and the address of an upload that went well.
fn stored(upload: &Upload) -> Option<(Option<ImageHash>, &str)> {
    match &upload.progress {
        UploadState::Done { hash, url, .. } | UploadState::Duplicate { hash, url } => {
            Some((*hash, url))
        }
        _ => None,
    }
}

/// How the owner's links are made.
pub(super) fn glance(host: &Host) -> LinkGlance {
    let template = &host.settings().links.template;
    LinkGlance {
        form: template.form(),
        template: template.to_string(),
        elsewhere: elsewhere(host),
    }
}

fn link(
    details: Option<&ImageDetails>,
    form: LinkForm,
    own: &LinkTemplate,
    address: &str,
) -> String {
    let name = details.and_then(|one| one.name.as_deref());
    let pixels = details.map(|one| (one.image.width, one.image.height));
    own.link_as(form, address, name.unwrap_or_default(), pixels)
}

/// The owner's link to a picture.
pub(super) fn own(host: &Host, details: &ImageDetails) -> String {
    let template = &host.settings().links.template;
    link(
        Some(details),
        LinkForm::Own,
        template,
        &link_to(host, details.image.hash),
    )
}

/// Puts a text on the clipboard; whether it is there.
pub(super) fn copy(app: &AppHandle, text: &str) -> bool {
    let copied = put_on_clipboard(app, text);
    if let Err(why) = &copied {
        tracing::error!("{why}");
    }
    copied.is_ok()
}

/// Puts the link of each picture that a watched folder brings on the clipboard,
/// for as long as the settings want it; of many at once the last one stays.
pub(super) async fn copy_those_of_watched(
    app: AppHandle,
    host: Host,
    mut outcomes: Receiver<WatchOutcome>,
) {
    loop {
        let (hash, link) = match outcomes.recv().await {
            Ok(WatchOutcome::Uploaded { hash, link, .. }) => (hash, link),
            // The newest are kept.
            Ok(_) | Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        if host.settings().watch.copy_link {
            let image = stored_here(&host, &hash).await;
            copy(&app, &image.map_or(link, |image| own(&host, &image)));
        }
    }
}

/// The picture that was uploaded under this hash, where it is stored here.
async fn stored_here(host: &Host, hash: &str) -> Option<ImageDetails> {
    if host.settings().presence.target_url.is_some() {
        return None;
    }
    let found = host.service().images().named(vec![hash.parse().ok()?]);
    found.await.ok()?.pop()
}

#[cfg(test)]
mod tests {
    use porchlight_api::Timestamp;
    use porchlight_app::host::{Kind, StartOptions};
    use porchlight_core::images::StoredImage;
    use porchlight_core::settings::StorageKind;

    use super::*;

    fn image(number: u8) -> ImageDetails {
        ImageDetails {
            image: StoredImage {
                hash: ImageHash::from_bytes([number; 16]),
                size: 1,
                width: 640,
                height: 480,
                created_at: Timestamp::from_millis(0),
                place: StorageKind::Disk,
            },
            source_size: 2,
            source_format: "PNG".to_owned(),
            frames: 1,
            views: 0,
            name: None,
            album: None,
        }
    }

    #[test]
    fn a_link_has_the_name_and_the_size_of_its_picture() {
        let named = ImageDetails {
            name: Some("harbour".to_owned()),
            ..image(0x11)
        };
        let own = "html".parse().expect("a template");
        assert_eq!(
            links(&[named], LinkForm::Own, &own, "https://b.example"),
            "<img src=\"https://b.example/i/11111111111111111111111111111111.webp\" width=\"640\" \
             height=\"480\" alt=\"harbour\">"
        );
    }

    #[test]
    fn links_are_in_the_requested_order_one_line_per_picture() {
        let own = LinkTemplate::default();
        let pictures = [image(0x22), image(0x11)];
        let text = links(&pictures, LinkForm::Url, &own, "http://127.0.0.1:4780");
        assert_eq!(
            text,
            "http://127.0.0.1:4780/i/22222222222222222222222222222222.webp\n\
             http://127.0.0.1:4780/i/11111111111111111111111111111111.webp"
        );
        assert_eq!(links(&[], LinkForm::Url, &own, "x"), "");
    }

    #[tokio::test]
    async fn a_link_to_another_service_in_the_own_network_is_local() {
        let upload = Upload {
            id: 1,
            name: "a.png".to_owned(),
            size: 1,
            progress: UploadState::Duplicate {
                hash: None,
                url: "https://nas.local/i/1".to_owned(),
            },
        };
        for (target, kind) in [
            ("https://nas.local", AddressKind::Local),
            ("https://192.168.1.5", AddressKind::Local),
            ("https://light.example", AddressKind::Permanent),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let options = StartOptions {
                data_dir: Some(folder.path().to_owned()),
                listen: Some(([127, 0, 0, 1], 0).into()),
                set: vec![
                    format!("presence.target_url={target}"),
                    "presence.token=a".to_owned(),
                ],
                without_keyring: true,
            };
            let host = match Host::start(options, Kind::Desktop).await {
                Ok(host) => host,
                Err(error) => panic!("{error}"),
            };
            assert_eq!(kind_of_uploads(&host, std::slice::from_ref(&upload)), kind);
            assert_eq!(glance(&host).elsewhere, Some(kind));
            host.stop().await;
        }
    }
}
