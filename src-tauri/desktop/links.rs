//! The public addresses that the owner copies, or has copied.

use std::collections::HashMap;

use porchlight_api::ImageHash;
use porchlight_api::window::{AddressKind, LinkForm, LinkGlance, Upload, UploadState};
use porchlight_app::host::Host;
use porchlight_companion::link::LinkTemplate;
use porchlight_companion::watch::WatchOutcome;
use porchlight_core::images::{ImageDetails, WIDTHS};
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
        form: form_of(template),
        template: template.to_string(),
        elsewhere: elsewhere(host),
    }
}

fn form_of(template: &LinkTemplate) -> LinkForm {
    match template.name() {
        Some("url") => LinkForm::Url,
        Some("markdown") => LinkForm::Markdown,
        Some("html") => LinkForm::Html,
        Some("responsive") => LinkForm::Responsive,
        Some("bbcode") => LinkForm::Bbcode,
        _ => LinkForm::Own,
    }
}

fn link(
    details: Option<&ImageDetails>,
    form: LinkForm,
    own: &LinkTemplate,
    address: &str,
) -> String {
    let name = details.and_then(|one| one.name.as_deref());
    let name = name.unwrap_or_default();
    let form = if form == LinkForm::Own {
        form_of(own)
    } else {
        form
    };
    match form {
        LinkForm::Own => own.fill(address),
        LinkForm::Url => address.to_owned(),
        LinkForm::Markdown => format!("![{}]({address})", escaped(name, &IN_MARKDOWN)),
        LinkForm::Html | LinkForm::Responsive => {
            let [address, name] = [address, name].map(|text| escaped(text, &IN_HTML));
            let size = details.map(|one| {
                format!(
                    " width=\"{}\" height=\"{}\"",
                    one.image.width, one.image.height
                )
            });
            let widths = match form {
                LinkForm::Responsive => srcset(&address, details.map(|one| one.image.width)),
                _ => String::new(),
            };
            format!(
                "<img src=\"{address}\"{widths}{} alt=\"{name}\">",
                size.unwrap_or_default()
            )
        }
        LinkForm::Bbcode => format!("[img]{address}[/img]"),
    }
}

/// The attributes with which a browser takes the narrowest image that fills its place: all widths that
/// are less than the image's, and its own.
fn srcset(address: &str, own: Option<u32>) -> String {
    let narrower = WIDTHS
        .iter()
        .filter(|width| own.is_none_or(|own| **width < own));
    let narrower = narrower.map(|width| format!("{address}?w={width} {width}w"));
    let own = own.map(|own| format!("{address} {own}w"));
    let all: Vec<_> = narrower.chain(own).collect();
    format!(
        " srcset=\"{}\" sizes=\"auto, 100vw\" loading=\"lazy\"",
        all.join(", ")
    )
}

/// What ends the text of a link in Markdown, or begins something in it.
const IN_MARKDOWN: [(char, &str); 9] = [
    ('\\', "\\\\"),
    ('[', "\\["),
    (']', "\\]"),
    ('`', "\\`"),
    ('*', "\\*"),
    ('_', "\\_"),
    ('<', "&lt;"),
    ('>', "&gt;"),
    ('&', "&amp;"),
];
/// What ends an attribute in HTML, or begins something in it.
const IN_HTML: [(char, &str); 5] = [
    ('&', "&amp;"),
    ('"', "&quot;"),
    ('\'', "&#39;"),
    ('<', "&lt;"),
    ('>', "&gt;"),
];

fn escaped(text: &str, replacements: &[(char, &str)]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match replacements
            .iter()
            .find(|(special, _)| *special == character)
        {
            Some((_, replacement)) => escaped.push_str(replacement),
            None => escaped.push(character),
        }
    }
    escaped
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

    fn as_form(form: LinkForm, own: &str) -> String {
        let own = own.parse().expect("a template");
        links(&[image(0x11)], form, &own, "https://b.example/a&b")
    }

    #[test]
    fn a_link_is_written_in_the_form_that_is_wanted() {
        let address = "https://b.example/a&b/i/11111111111111111111111111111111.webp";
        let own = "{url} | {url}?w=640";
        for (form, link) in [
            (LinkForm::Own, format!("{address} | {address}?w=640")),
            (LinkForm::Url, address.to_owned()),
            (LinkForm::Markdown, format!("![]({address})")),
            (
                LinkForm::Html,
                format!(
                    "<img src=\"{}\" width=\"640\" height=\"480\" alt=\"\">",
                    address.replace('&', "&amp;")
                ),
            ),
            (
                LinkForm::Responsive,
                format!(
                    "<img src=\"{0}\" srcset=\"{0}?w=320 320w, {0} 640w\" sizes=\"auto, 100vw\" \
                     loading=\"lazy\" width=\"640\" height=\"480\" alt=\"\">",
                    address.replace('&', "&amp;")
                ),
            ),
            (LinkForm::Bbcode, format!("[img]{address}[/img]")),
        ] {
            assert_eq!(as_form(form, own), link);
        }
        for (own, form) in [
            ("url", LinkForm::Url),
            ("markdown", LinkForm::Markdown),
            ("html", LinkForm::Html),
            ("responsive", LinkForm::Responsive),
            ("bbcode", LinkForm::Bbcode),
        ] {
            assert_eq!(as_form(LinkForm::Own, own), as_form(form, "{url}"));
        }
        let own = "html".parse().expect("a template");
        assert_eq!(
            link(None, LinkForm::Own, &own, "https://b.example/i/1"),
            "<img src=\"https://b.example/i/1\" alt=\"\">"
        );
    }

    // The same cases as in ui/tests/links.test.ts.
    #[test]
    fn a_name_is_alternative_text_and_nothing_else() {
        let own = LinkTemplate::default();
        for (name, markdown, html) in [
            ("harbour", "harbour", "harbour"),
            (
                "a](http://x) [b\\",
                r"a\](http://x) \[b\\",
                "a](http://x) [b\\",
            ),
            ("`c` *d* _e_", r"\`c\` \*d\* \_e\_", "`c` *d* _e_"),
            (
                "\"><script>&'",
                "\"&gt;&lt;script&gt;&amp;'",
                "&quot;&gt;&lt;script&gt;&amp;&#39;",
            ),
        ] {
            let named = ImageDetails {
                name: Some(name.to_owned()),
                ..image(1)
            };
            let as_form = |form| link(Some(&named), form, &own, "http://b/1");
            assert_eq!(
                as_form(LinkForm::Markdown),
                format!("![{markdown}](http://b/1)")
            );
            assert_eq!(
                as_form(LinkForm::Html),
                format!("<img src=\"http://b/1\" width=\"640\" height=\"480\" alt=\"{html}\">")
            );
            assert_eq!(as_form(LinkForm::Bbcode), "[img]http://b/1[/img]");
        }
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
