//! Bytes of any kind become a WebP that is its own source, or are refused.
#![no_main]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use porchlight_convert::{ConvertError, SourceFormat, convert, narrow};
use porchlight_fuzz::options;

/// A decoder's panic means that the file is broken. libFuzzer would stop at it; what is caught in the
/// helper process is no finding.
fn let_decoders_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

fuzz_target!(|source: &[u8]| {
    let_decoders_panic();
    // rav1d ends the process that it is in where AV1 is broken.
    if SourceFormat::of(source) == Ok(SourceFormat::Avif) {
        return;
    }
    let options = options();
    let converted = catch_unwind(AssertUnwindSafe(|| convert(source, &options)));
    match converted.unwrap_or(Err(ConvertError::Unsupported)) {
        Ok(stored) => {
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
