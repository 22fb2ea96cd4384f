//! Bytes of any kind become a WebP that is its own source, or are refused.
#![no_main]

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use porchlight_convert::{ConvertError, Sandbox, convert, inspect, narrow};
use porchlight_fuzz::options;

/// A decoder's panic is caught where it happens, and means that the file is broken. libFuzzer would
/// stop at it; an uncaught one still stops it.
fn let_decoders_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

fuzz_target!(|source: &[u8]| {
    let_decoders_panic();
    let options = options(Sandbox::Unavailable);
    let inspected = inspect(source, &options);
    match convert(source, &options) {
        Ok(stored) => {
            let header = inspected.expect("what converts can be inspected");
            assert_eq!(header.format, stored.format);
            let again = convert(&stored.webp, &options).expect("what was stored is a source");
            assert!(
                again.webp == stored.webp,
                "what is stored is its own source"
            );
            if stored.width > 16 {
                narrow(&stored.webp, 16, options.quality).expect("a narrower copy");
            }
        }
        Err(ConvertError::Internal(why)) => unreachable!("{why}"),
        Err(_) => {}
    }
});
