//! Distinguishes the app of one data folder from that of another, in the names of
//! its entries and on the session bus.

use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Bytes of the digest that are enough.
const BYTES: usize = 8;

/// Sixteen digits that are the same in every build.
pub(super) fn fingerprint(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    hex::encode(&digest[..BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_a_prefix_of_the_sha_256_of_the_path() {
        // printf /srv/light | sha256sum
        assert_eq!(fingerprint(Path::new("/srv/light")), "70a1a8f959b1bb8f");
        assert_ne!(
            fingerprint(Path::new("/srv/light")),
            fingerprint(Path::new("/srv/lamp"))
        );
    }
}
