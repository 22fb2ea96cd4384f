//! `picture://localhost/<hash>?w=320`: the pixels of a stored picture, for the
//! window alone. It needs no port and no token, and works while the listener
//! is down.

use porchlight_api::ImageHash;
use porchlight_core::images::{Images, ImagesError, WIDTHS};
use tauri::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use tauri::http::{Method, Request, Response, StatusCode, Uri};
use tauri::{AppHandle, UriSchemeContext, UriSchemeResponder, Wry};

use super::{host_of, window};

/// The scheme's name.
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

/// A picture, no wider than this in pixels if a width is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    hash: ImageHash,
    width: Option<u32>,
}

fn asked_for(uri: &Uri) -> Option<Asked> {
    let hash = ImageHash::from_path(uri.path().strip_prefix('/')?).ok()?;
    let width = uri
        .query()
        .and_then(|query| query.strip_prefix("w=")?.parse::<u32>().ok());
    // One of the widths that are kept, so that the page cannot fill the disk.
    let width = width.and_then(|width| WIDTHS.into_iter().find(|kept| *kept >= width));
    Some(Asked { hash, width })
}

async fn read(app: &AppHandle, asked: Asked) -> Option<Vec<u8>> {
    match pixels(host_of(app).service().images(), asked).await {
        Ok(picture) => picture,
        // Deleted in this moment.
        Err(ImagesError::Gone(_)) => None,
        Err(error) => {
            tracing::error!(hash = %asked.hash, %error, "a picture cannot be shown");
            None
        }
    }
}

async fn pixels(images: &Images, asked: Asked) -> Result<Option<Vec<u8>>, ImagesError> {
    let width = asked.width.unwrap_or(u32::MAX);
    let Some(picture) = images.open_rendition_for_owner(asked.hash, width).await? else {
        return Ok(None);
    };
    let body = picture.body(0..picture.size()).await?;
    Ok(Some(body.whole().await?.into()))
}

fn response(picture: Option<Vec<u8>>) -> Response<Vec<u8>> {
    let found = picture.is_some();
    let mut response = Response::new(picture.unwrap_or_default());
    let headers = response.headers_mut();
    if found {
        headers.insert(CONTENT_TYPE, "image/webp".parse().expect("a header value"));
        let forever = "private, max-age=31536000, immutable";
        headers.insert(CACHE_CONTROL, forever.parse().expect("a header value"));
        headers.insert(
            X_CONTENT_TYPE_OPTIONS,
            "nosniff".parse().expect("a header value"),
        );
    } else {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef";

    fn width(uri: &str) -> Option<Option<u32>> {
        asked_for(&uri.parse().expect("an address")).map(|asked| asked.width)
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
    fn what_is_no_hash_is_no_picture() {
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
