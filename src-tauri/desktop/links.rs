//! The public addresses that the owner copies.

use porchlight_api::ImageHash;

use crate::host::Host;

/// A picture's public address.
pub(super) fn link_to(host: &Host, hash: ImageHash) -> String {
    format!("{}/i/{hash}", host.blog_url())
}
