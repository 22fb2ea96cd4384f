//! How much memory the service takes while sixty-four photographs of 24
//! megapixels are uploaded to it at once.

use std::path::Path;

use anyhow::Result;
use futures_util::future::try_join_all;
use porchlight_test_harness::memory::children;
use porchlight_test_harness::process::peak_memory;
use serde_json::json;

use crate::service::{self, upload};
use crate::table::Line;
use crate::{sharp, upload};

const PHOTOGRAPHS: usize = 64;
const AIM_MEBIBYTES: f64 = 1024.0;

/// Uploads them all at once and reads the peak memory from the system.
pub(crate) async fn measure(folder: &Path, photographs: &Path) -> Result<Vec<Line>> {
    println!("==> memory: {PHOTOGRAPHS} uploads of 24 megapixels at once");
    let real = upload::photographs(photographs)?;
    let out = folder.join("24-megapixels.jpg");
    sharp(
        "jpeg",
        &json!({ "file": real[0], "width": 6000, "height": 4000, "quality": 90, "out": out }),
    )?;
    let jpeg = std::fs::read(out)?;
    let service = service::start(&folder.join("memory")).await?;
    let uploads = (0..PHOTOGRAPHS).map(|which| upload(&service, another(jpeg.clone(), which)));
    let taken = try_join_all(uploads).await?.len();
    // Helper processes stay for a minute: their own peaks, added up, are at least the peak of the sum.
    let peak = |pid| peak_memory(pid) as f64 / 1024.0 / 1024.0;
    let (alone, helpers) = (peak(service.pid()), children(service.pid()));
    let most = alone + helpers.into_iter().map(peak).sum::<f64>();
    Ok(vec![Line::below(
        format!("memory, {taken} uploads of 24 megapixels at once, all taken"),
        format!("{most:.0} MiB, the service alone {alone:.0}"),
        most,
        AIM_MEBIBYTES,
        "MiB",
    )])
}

/// The same photograph with its two lowest frequencies weighed otherwise (DQT, ITU-T T.81, B.2.4.1):
/// other pixels, and so another image, in the same number of bytes. No other frequencies are surely
/// in every photograph.
fn another(mut jpeg: Vec<u8>, which: usize) -> Vec<u8> {
    let table = jpeg.windows(2).position(|bytes| bytes == [0xff, 0xdb]);
    let marker_length_and_table = 5;
    let at = table.expect("a JPEG has a quantisation table") + marker_length_and_table;
    for (at, more) in [(at, which / 8), (at + 1, which % 8)] {
        jpeg[at] = jpeg[at].saturating_add(u8::try_from(more).unwrap_or(u8::MAX));
    }
    jpeg
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::another;

    #[test]
    fn no_two_variants_are_the_same() {
        let jpeg = [&[0xff, 0xd8, 0xff, 0xdb, 0, 67, 0][..], &[1; 64]].concat();
        let variants: HashSet<_> = (0..64).map(|which| another(jpeg.clone(), which)).collect();
        assert_eq!(variants.len(), 64);
    }
}
