//! `picture://localhost/<hash>?w=320`: the pixels of a stored picture,
//! `picture://localhost/trash-<hash>`: those of a deleted one,
//! `picture://localhost/game-<number>`: the cover of the game that runs,
//! `picture://localhost/code-address`: the address for a blog as a QR code, and
//! `picture://localhost/code-<number>`: what to type into the client of a new device, likewise. The page
//! shows all of them, and can read none. They are for the window alone, need no port and no token, and
//! work while the listener is down.

use porchlight_service::images::{Images, ImagesError, WIDTHS};
use porchlight_service::text::image_hash::ImageHash;
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};
use secrecy::ExposeSecret as _;
use tauri::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use tauri::http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use tauri::{AppHandle, Manager as _, UriSchemeContext, UriSchemeResponder, Wry};

use super::commands::TypedFields;
use super::{host_of, window};

pub(super) const SCHEME: &str = "picture";

/// Answers a request of the window; those of any other get a 404.
pub(super) fn answer(
    context: UriSchemeContext<'_, Wry>,
    request: Request<Vec<u8>>,
    responder: UriSchemeResponder,
) {
    let asked = (context.webview_label() == window::LABEL && request.method() == Method::GET)
        .then(|| asked_for(request.uri()))
        .flatten();
    let app = context.app_handle().clone();
    tauri::async_runtime::spawn(async move {
        let picture = match asked {
            Some(asked) => read(&app, asked).await,
            None => None,
        };
        responder.respond(response(picture));
    });
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// A picture, no wider than this in pixels if a width is given.
    Stored(ImageHash, Option<u32>),
    /// A deleted picture.
    Deleted(ImageHash),
    /// The cover of the game with this number.
    Cover(u32),
    /// The code of the address for a blog.
    AddressCode,
    /// The code of the field of the new device with this number.
    FieldCode(usize),
}

struct Picture {
    bytes: Vec<u8>,
    media_type: &'static str,
    cache: &'static str,
}

fn asked_for(uri: &Uri) -> Option<Asked> {
    let name = uri.path().strip_prefix('/')?;
    if let Some(number) = name.strip_prefix("game-") {
        return number.parse().ok().map(Asked::Cover);
    }
    if let Some(hash) = name.strip_prefix("trash-") {
        return ImageHash::from_path(hash).ok().map(Asked::Deleted);
    }
    match name.strip_prefix("code-") {
        Some("address") => return Some(Asked::AddressCode),
        Some(number) => return number.parse().ok().map(Asked::FieldCode),
        None => {}
    }
    let hash = ImageHash::from_path(name).ok()?;
    let width = uri
        .query()
        .and_then(|query| query.strip_prefix("w=")?.parse::<u32>().ok());
    // One of the widths that are kept, so that the page cannot fill the disk.
    let width = width.and_then(|width| WIDTHS.into_iter().find(|kept| *kept >= width));
    Some(Asked::Stored(hash, width))
}

async fn read(app: &AppHandle, asked: Asked) -> Option<Picture> {
    let host = host_of(app);
    let (hash, width) = match asked {
        Asked::Stored(hash, width) => (hash, width),
        Asked::Deleted(hash) => {
            return Some(Picture {
                bytes: host.service().images().deleted_bytes(hash).await?.into(),
                media_type: "image/webp",
                cache: "no-store",
            });
        }
        Asked::AddressCode => return code(&host.blog_url()),
        Asked::FieldCode(number) => {
            let field = app.state::<TypedFields>().get(number)?;
            return code(field.expose_secret());
        }
        Asked::Cover(number) => {
            let cover = host.service().game().cover(number).await?;
            return Some(Picture {
                bytes: cover.bytes,
                media_type: cover.media_type,
                // The process keeps it, and it may be private a moment later.
                cache: "no-store",
            });
        }
    };
    let bytes = match pixels(host.service().images(), hash, width).await {
        Ok(picture) => picture?,
        // Deleted in this moment.
        Err(ImagesError::Gone(_)) => return None,
        Err(error) => {
            tracing::error!(%hash, %error, "a picture cannot be shown");
            return None;
        }
    };
    Some(Picture {
        bytes,
        media_type: "image/webp",
        cache: "private, max-age=31536000, immutable",
    })
}

/// A QR code with its quiet zone, dark on light in every theme; `None` of a text that is too long.
fn code(text: &str) -> Option<Picture> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let drawn = code.render::<svg::Color<'_>>().build();
    Some(Picture {
        bytes: drawn.into_bytes(),
        media_type: "image/svg+xml",
        cache: "no-store",
    })
}

async fn pixels(
    images: &Images,
    hash: ImageHash,
    width: Option<u32>,
) -> Result<Option<Vec<u8>>, ImagesError> {
    let width = width.unwrap_or(u32::MAX);
    let Some(picture) = images.open_rendition_for_owner(hash, width).await? else {
        return Ok(None);
    };
    let body = picture.body(0..picture.size()).await?;
    Ok(Some(body.whole().await?.into()))
}

fn response(picture: Option<Picture>) -> Response<Vec<u8>> {
    let Some(picture) = picture else {
        let mut response = Response::new(Vec::new());
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    };
    let mut response = Response::new(picture.bytes);
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, picture.media_type),
        (CACHE_CONTROL, picture.cache),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef";

    fn width(uri: &str) -> Option<Option<u32>> {
        match asked_for(&uri.parse().expect("an address"))? {
            Asked::Stored(_, width) => Some(width),
            _ => None,
        }
    }

    #[test]
    fn only_widths_that_are_kept_are_made() {
        let of = |query| width(&format!("picture://localhost/{HASH}{query}"));
        assert_eq!(of(""), Some(None));
        assert_eq!(of("?w=1"), Some(Some(320)));
        assert_eq!(of("?w=320"), Some(Some(320)));
        assert_eq!(of("?w=321"), Some(Some(640)));
        assert_eq!(of("?w=99999"), Some(None));
        assert_eq!(of("?w=-1"), Some(None));
    }

    #[test]
    fn a_cover_is_named_by_the_number_of_its_game() {
        let of = |name| asked_for(&format!("picture://localhost/{name}").parse().expect("it"));
        assert_eq!(of("game-620"), Some(Asked::Cover(620)));
        for name in ["game-", "game--1", "game-99999999999", "game-1/2", "game-x"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn a_code_is_a_drawing_without_its_text() {
        let drawn = code("https://light.example.org").expect("a code").bytes;
        let drawn = String::from_utf8(drawn).expect("text");
        assert!(
            drawn.contains("<svg") && !drawn.contains("light"),
            "{drawn}"
        );
        assert!(code(&"x".repeat(5_000)).is_none());
        let of = |name| asked_for(&format!("picture://localhost/{name}").parse().expect("it"));
        assert_eq!(of("code-1"), Some(Asked::FieldCode(1)));
        assert_eq!(of("code-address"), Some(Asked::AddressCode));
        assert_eq!(of("code-x"), None);
    }

    #[test]
    fn an_invalid_hash_is_no_picture() {
        for path in [
            "",
            "x",
            "..%2fporchlight.db",
            "0123",
            "i/0123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(
                width(&format!("picture://localhost/{path}")),
                None,
                "{path}"
            );
        }
        assert_eq!(response(None).status(), StatusCode::NOT_FOUND);
    }
}
