//! A whole request: method, path, query, headers and body in any shape.
#![no_main]

use libfuzzer_sys::fuzz_target;
use porchlight_fuzz::sent;

fuzz_target!(|request: &[u8]| {
    sent(request, true);
});
