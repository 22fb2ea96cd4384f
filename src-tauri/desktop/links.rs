//! The public addresses that the owner copies, or has copied.

use std::collections::HashMap;

use porchlight_service::app::host::Host;
use porchlight_service::images::ImageDetails;
use porchlight_service::images::link::LinkTemplate;
use porchlight_service::images::window::LinkForm;
use porchlight_service::status::window::home::LinkGlance;
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::uploads::watch::WatchOutcome;
use porchlight_service::uploads::window::{Upload, UploadState};
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
        link(image, form, own, &address)
    });
    links.collect::<Vec<_>>().join("\n")
}

/// The links of the uploads among these that went well, in the owner's form.
pub(super) async fn links_of_uploads(host: &Host, uploads: &[Upload]) -> Vec<String> {
    let stored: Vec<_> = uploads.iter().filter_map(stored).collect();
    let images = host.service().images().named(stored.clone()).await;
    let images = images.unwrap_or_else(|error| {
        tracing::warn!(%error, "new pictures cannot be read");
        Vec::new()
    });
    let images: HashMap<_, _> = images.iter().map(|one| (one.image.hash, one)).collect();
    let links = stored.iter().filter_map(|hash| images.get(hash));
    links.map(|image| own(host, image)).collect()
}

fn stored(upload: &Upload) -> Option<ImageHash> {
    match &upload.progress {
        UploadState::Done { hash, .. } | UploadState::Duplicate { hash, .. } => Some(*hash),
        _ => None,
    }
}

/// How the owner's links are made.
pub(super) fn glance(host: &Host) -> LinkGlance {
    let template = &host.settings().links.template;
    LinkGlance {
        form: template.form(),
        template: template.to_string(),
    }
}

fn link(details: &ImageDetails, form: LinkForm, own: &LinkTemplate, address: &str) -> String {
    let name = details.name.as_deref().unwrap_or_default();
    let pixels = (details.image.width, details.image.height);
    own.link_as(form, address, name, Some(pixels))
}

/// The owner's link to a picture.
pub(super) fn own(host: &Host, details: &ImageDetails) -> String {
    let template = &host.settings().links.template;
    let address = link_to(host, details.image.hash);
    link(details, LinkForm::Own, template, &address)
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
        let hash = match outcomes.recv().await {
            Ok(WatchOutcome::Uploaded { hash, .. }) => hash,
            // The newest are kept.
            Ok(_) | Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        if host.settings().watch.copy_link
            && let Ok(found) = host.service().images().named(vec![hash]).await
            && let Some(image) = found.first()
        {
            copy(&app, &own(&host, image));
        }
    }
}

#[cfg(test)]
mod tests {
    use porchlight_service::clock::timestamp::Timestamp;
    use porchlight_service::images::StoredImage;
    use porchlight_service::settings::sections::StorageKind;

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
}
