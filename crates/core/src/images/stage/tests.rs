//! What is told of files of several kinds while they become images.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use image::codecs::gif::GifEncoder;
use image::{Frame, Rgb, RgbImage, RgbaImage};

use super::*;
use crate::Service;
use crate::clock::Clock;
use crate::images::IngestError;
use crate::settings::Settings;

struct Porch {
    service: Service,
    folder: tempfile::TempDir,
}

impl Porch {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let service = Service::open(folder.path(), Settings::default(), Clock::system()).await;
        Self {
            service: service.expect("a data folder"),
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn stages_of(&self, file: &Path) -> (Vec<Stage>, Result<(), IngestError>) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let hear: Hear = {
            let told = Arc::clone(&told);
            Arc::new(move |stage| told.lock().expect("a lock").push(stage))
        };
        let images = self.service.images();
        let end = images.ingest_file_heard(file, hear).await;
        let told = told.lock().expect("a lock").clone();
        (told, end.map(drop))
    }
}

fn noise(side: u32) -> RgbImage {
    let mut noise = 7_u32;
    RgbImage::from_fn(side, side, |_, _| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Rgb([(noise >> 24) as u8, (noise >> 16) as u8, (noise >> 8) as u8])
    })
}

#[tokio::test]
async fn a_still_is_read_in_parts_then_decoded_encoded_and_stored() {
    let porch = Porch::new().await;
    let file = porch.path("noise.png");
    noise(400).save(&file).expect("a PNG");
    let size = file.metadata().expect("a file").len();
    assert!(size > 256 * 1024, "it takes more than one chunk");
    let (told, end) = porch.stages_of(&file).await;
    end.expect("an image");
    let reading = told.len() - 3;
    let mut before = 0;
    for stage in &told[..reading] {
        let Stage::Read { bytes, of } = *stage else {
            panic!("{stage:?} before all is read");
        };
        assert!(before < bytes && of == size);
        before = bytes;
    }
    assert!(reading > 1 && before == size);
    let rest = [Stage::Begun, Stage::Decoded, Stage::Encoded];
    assert_eq!(told[reading..], rest);

    // What is here already is read, and nothing more.
    let (told, end) = porch.stages_of(&file).await;
    assert!(matches!(end, Err(IngestError::Duplicate(_))));
    assert!(matches!(told[told.len() - 1], Stage::Read { bytes, .. } if bytes == size));
}

#[tokio::test]
async fn an_animation_is_told_frame_by_frame() {
    let porch = Porch::new().await;
    let file = porch.path("three.gif");
    let gif = std::fs::File::create(&file).expect("a file");
    let mut encoder = GifEncoder::new(gif);
    for shade in [10, 120, 250] {
        let frame = RgbaImage::from_pixel(8, 8, image::Rgba([shade, 0, 0, 255]));
        encoder.encode_frame(Frame::new(frame)).expect("a frame");
    }
    drop(encoder);
    let (told, end) = porch.stages_of(&file).await;
    end.expect("an image");
    let frames = [1, 2, 3].map(|done| Stage::Frames { done, of: 3 });
    let mut expected = vec![Stage::Begun];
    expected.extend(frames);
    expected.push(Stage::Encoded);
    assert_eq!(told[1..], expected);
}

#[tokio::test]
async fn a_picture_that_does_not_decode_is_never_told_as_decoded() {
    let porch = Porch::new().await;
    let (whole, file) = (porch.path("whole.png"), porch.path("cut.png"));
    noise(60).save(&whole).expect("a PNG");
    let bytes = std::fs::read(&whole).expect("a file");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("a file");
    let (told, end) = porch.stages_of(&file).await;
    assert!(matches!(end, Err(IngestError::Invalid(_))));
    assert_eq!(told[1..], [Stage::Begun]);
}

#[tokio::test]
async fn a_webp_that_is_kept_as_it_is_is_encoded_by_nobody() {
    let porch = Porch::new().await;
    let file = porch.path("small.webp");
    noise(16).save(&file).expect("a WebP");
    let (told, end) = porch.stages_of(&file).await;
    end.expect("an image");
    assert_eq!(told[1..], [Stage::Begun, Stage::Encoded]);
}
