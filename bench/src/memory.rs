//! How much memory the service takes while sixty-four photographs of 24
//! megapixels are uploaded to it at once.

use std::fs;
use std::path::PathBuf;

use tokio::task::JoinSet;

use crate::pictures::Pictures;
use crate::porchlight::{HIGH_LIMIT, Porchlight, client};
use crate::sharp::Sharp;
use crate::table::Line;
use crate::{Place, Result};

const PHOTOGRAPHS: usize = 64;
const MEGAPIXELS: f64 = 24.0;
const AIM_BYTES: u64 = 1 << 30;

/// Uploads them all at once and reads the peak memory from the system.
pub(crate) async fn measure(place: &Place<'_>) -> Result<Vec<Line>> {
    println!("==> memory: {PHOTOGRAPHS} uploads of {MEGAPIXELS} megapixels at once");
    let pictures = Pictures::bring(place.kept, &mut Sharp::start(place.sharp)?)?;
    let large: Vec<&PathBuf> = pictures
        .files
        .iter()
        .filter(|file| file.to_string_lossy().contains("6000x4000"))
        .collect();
    let service = Porchlight::start(place.porchlight, &place.scratch.join("memory"), &HIGH_LIMIT)?;
    let client = client()?;
    let mut uploads = JoinSet::new();
    for variant in 0..PHOTOGRAPHS {
        let file = large[variant % large.len()];
        let bytes = another(fs::read(file)?, variant / large.len())?;
        let (service, client) = (service.clone(), client.clone());
        uploads.spawn(async move { service.upload_bytes(&client, bytes).await });
    }
    let mut taken = 0;
    while let Some(upload) = uploads.join_next().await {
        upload??;
        taken += 1;
    }
    let most = service.most_memory()?;
    println!("    {} MiB at the most", most >> 20);
    Ok(vec![Line {
        what: format!("memory, {taken} uploads of {MEGAPIXELS} megapixels at once, all taken"),
        ours: format!("{} MiB", most >> 20),
        aim: Some(("< 1024 MiB".to_owned(), most < AIM_BYTES)),
        ..Line::default()
    }])
}

/// The same photograph with one step of its quantisation table changed (DQT,
/// ITU-T T.81, B.2.4.1): other pixels, and so another image, in the same number
/// of bytes.
fn another(mut jpeg: Vec<u8>, which: usize) -> Result<Vec<u8>> {
    const MARKER_LENGTH_AND_TABLE: usize = 5;
    let table = jpeg
        .windows(2)
        .position(|bytes| bytes == [0xff, 0xdb])
        .ok_or("a JPEG without a quantisation table")?;
    let step = jpeg
        .get_mut(table + MARKER_LENGTH_AND_TABLE + which)
        .ok_or("a JPEG that ends in its tables")?;
    *step = step.saturating_add(1);
    Ok(jpeg)
}

#[cfg(test)]
mod tests {
    use super::another;

    #[test]
    fn each_variant_differs_in_one_step_of_the_table() {
        let jpeg = [&[0xff, 0xd8, 0xff, 0xdb, 0, 67, 0][..], &[1; 64]].concat();
        let third = another(jpeg.clone(), 2).expect("a table");
        let differ: Vec<_> = (0..jpeg.len())
            .filter(|at| jpeg[*at] != third[*at])
            .collect();
        assert_eq!(differ, [7 + 2]);
        assert!(another(vec![0xff, 0xd8], 0).is_err());
    }
}
