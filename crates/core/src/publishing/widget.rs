//! `widget.js`: the custom element, below a line that proves that its publisher has the key of the
//! Worker. The Worker sends nothing else as a script.

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

/// The script with its first line.
pub(super) fn signed(script: &str, secret: &SecretString) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes());
    let mac = mac.expect("a key may have any length").chain_update(script);
    format!("//{}\n{script}", hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_hmac_of_the_rest() {
        // Made by another implementation (Python's `hmac`).
        let line = "//5c5bbf8cd1b6c9a3aaa595c7b7f3c3c27b535187807e10c60582e2fff83f2430";
        let signed = signed("let a = 1;\n", &"k".repeat(32).into());
        assert_eq!(signed, format!("{line}\nlet a = 1;\n"));
    }
}
