//! The decoders that normally run in a separate process, in this process: JPEG XL, and the
//! container of AVIF. A panic is what the sandbox is for, and no finding; memory, time and the code
//! around them are.
#![no_main]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use porchlight_convert::{ConvertError, Sandbox, SourceFormat, convert, inspect};
use porchlight_fuzz::options;

fuzz_target!(|source: &[u8]| {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let options = options(Sandbox::InThisProcess);
    let outcome = match SourceFormat::of(source) {
        // rav1d ends the process that it is in where AV1 is broken; its header is read by others.
        Ok(SourceFormat::Avif) => inspect(source, &options).map(|_| ()),
        Ok(SourceFormat::JpegXl) => {
            let converted = catch_unwind(AssertUnwindSafe(|| convert(source, &options)));
            converted.map_or(Ok(()), |converted| converted.map(|_| ()))
        }
        _ => return,
    };
    if let Err(ConvertError::Internal(why)) = outcome {
        unreachable!("{why}");
    }
});
