//! The errors of the interface.

use serde::{Deserialize, Serialize};

/// Every error of the interface, with the text that its body carries.
///
/// The text is fixed: blogs compare it. What went wrong inside is for the log
/// and never part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// 401: the token is missing, malformed or unknown.
    #[error("Unauthorized")]
    Unauthorized,
    /// 403: the token is known but of too low a scope.
    #[error("Forbidden")]
    Forbidden,
    /// 403: a token came over plain HTTP.
    #[error("HTTPS required")]
    HttpsRequired,
    /// 404: no such path.
    #[error("Resource not found")]
    NotFound,
    /// 405: the path is there, the method is not.
    #[error("Method not allowed")]
    MethodNotAllowed,
    /// 429: the caller's rate is used up.
    #[error("Too many requests")]
    TooManyRequests,
    /// 500: something broke inside; the cause is in the log.
    #[error("Internal server error")]
    Internal,
    /// 404: nothing is stored yet, so nothing can be chosen.
    #[error("No images available")]
    NoImages,
    /// 404: no image has this hash.
    #[error("Image not found")]
    ImageNotFound,
    /// 400: the form has no `image` file.
    #[error("Image file is required")]
    ImageRequired,
    /// 409: these bytes, or this image, are stored already.
    #[error("Image already exists")]
    ImageExists,
    /// 413: more bytes or pixels than the limits allow.
    #[error("Image too large")]
    ImageTooLarge,
    /// 415: the content is of no format that is read here.
    #[error("Unsupported image format")]
    UnsupportedFormat,
    /// 422: a known format that does not decode.
    #[error("Invalid image")]
    InvalidImage,
    /// 507: the disk or the object store is full.
    #[error("Not enough storage")]
    StorageFull,
    /// 400: the value of this parameter is none that it takes.
    #[error("Invalid {0}")]
    Invalid(&'static str),
    /// 403: too many devices wait for the owner.
    #[error("Too many devices are waiting")]
    TooManyDevices,
    /// 416: the range is outside of the image.
    #[error("Range not satisfiable")]
    RangeNotSatisfiable,
    /// 400: the body of a request does not match its declared type.
    #[error("Invalid request body")]
    InvalidBody,
    /// 400: a form with too many parts, or `form` is none of image, json and redirect.
    #[error("Invalid form")]
    InvalidForm,
    /// 413: a body beyond what this endpoint takes.
    #[error("Request body too large")]
    BodyTooLarge,
    /// 408: the body stopped coming.
    #[error("Request timeout")]
    Timeout,
    /// 400: `/ipcheck` was called without `ip`.
    #[error("IP address is required")]
    IpRequired,
    /// 400: `ip` is no address.
    #[error("Invalid IP address")]
    InvalidIp,
    /// 400: the path is for WebSockets alone.
    #[error("WebSocket required")]
    WebSocketRequired,
    /// 503: as many sockets are open as there may be.
    #[error("Too many sockets")]
    TooManySockets,
    /// 502: the provider of IP information did not answer.
    #[error("IP lookup failed")]
    IpLookupFailed,
}

impl ApiError {
    /// The HTTP status that goes with it.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::Invalid(_)
            | Self::InvalidBody
            | Self::InvalidForm
            | Self::IpRequired
            | Self::InvalidIp
            | Self::WebSocketRequired
            | Self::ImageRequired => 400,
            Self::Unauthorized => 401,
            Self::Forbidden | Self::HttpsRequired | Self::TooManyDevices => 403,
            Self::NotFound | Self::NoImages | Self::ImageNotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Timeout => 408,
            Self::ImageExists => 409,
            Self::ImageTooLarge | Self::BodyTooLarge => 413,
            Self::UnsupportedFormat => 415,
            Self::RangeNotSatisfiable => 416,
            Self::InvalidImage => 422,
            Self::TooManyRequests => 429,
            Self::Internal => 500,
            Self::IpLookupFailed => 502,
            Self::TooManySockets => 503,
            Self::StorageFull => 507,
        }
    }
}

/// The body of every error that carries nothing more than its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// One of the texts of [`ApiError`].
    pub error: String,
}

impl From<ApiError> for ErrorBody {
    fn from(error: ApiError) -> Self {
        Self {
            error: error.to_string(),
        }
    }
}
