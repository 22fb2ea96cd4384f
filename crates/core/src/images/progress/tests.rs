//! Progress reported for files of several kinds.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use image::codecs::gif::GifEncoder;
use image::{Frame, Rgb, RgbImage, RgbaImage};

use super::*;
use crate::Service;
use crate::clock::Clock;
use crate::images::IngestError;
use crate::settings::Settings;

struct Fixture {
    service: Service,
    folder: tempfile::TempDir,
}

impl Fixture {
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

    async fn progress_of(&self, file: &Path) -> (Vec<Progress>, Result<(), IngestError>) {
        let reported = Arc::new(Mutex::new(Vec::new()));
        let progress: ProgressSink = {
            let reported = Arc::clone(&reported);
            Arc::new(move |stage| reported.lock().expect("a lock").push(stage))
        };
        let images = self.service.images();
        let end = images.ingest_file_reporting(file, progress).await;
        let reported = reported.lock().expect("a lock").clone();
        (reported, end.map(drop))
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
    let fixture = Fixture::new().await;
    let file = fixture.path("noise.png");
    noise(400).save(&file).expect("a PNG");
    let size = file.metadata().expect("a file").len();
    assert!(size > 256 * 1024, "it takes more than one chunk");
    let (reported, end) = fixture.progress_of(&file).await;
    end.expect("an image");
    let reading = reported.len() - 3;
    let mut before = 0;
    for stage in &reported[..reading] {
        let Progress::Read { bytes, of } = *stage else {
            panic!("{stage:?} before all is read");
        };
        assert!(before < bytes && of == size);
        before = bytes;
    }
    assert!(reading > 1 && before == size);
    let rest = [Progress::Started, Progress::Decoded, Progress::Encoded];
    assert_eq!(reported[reading..], rest);

    // What is here already is read, and nothing more.
    let (reported, end) = fixture.progress_of(&file).await;
    assert!(matches!(end, Err(IngestError::Duplicate(_))));
    assert!(matches!(reported[reported.len() - 1], Progress::Read { bytes, .. } if bytes == size));
}

#[tokio::test]
async fn an_animation_reports_progress_frame_by_frame() {
    let fixture = Fixture::new().await;
    let file = fixture.path("three.gif");
    let gif = std::fs::File::create(&file).expect("a file");
    let mut encoder = GifEncoder::new(gif);
    for shade in [10, 120, 250] {
        let frame = RgbaImage::from_pixel(8, 8, image::Rgba([shade, 0, 0, 255]));
        encoder.encode_frame(Frame::new(frame)).expect("a frame");
    }
    drop(encoder);
    let (reported, end) = fixture.progress_of(&file).await;
    end.expect("an image");
    let frames = [1, 2, 3].map(|done| Progress::Frames { done, of: 3 });
    let mut expected = vec![Progress::Started];
    expected.extend(frames);
    expected.push(Progress::Encoded);
    assert_eq!(reported[1..], expected);
}

#[tokio::test]
async fn an_image_that_does_not_decode_never_reports_decoded() {
    let fixture = Fixture::new().await;
    let (whole, file) = (fixture.path("whole.png"), fixture.path("cut.png"));
    noise(60).save(&whole).expect("a PNG");
    let bytes = std::fs::read(&whole).expect("a file");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("a file");
    let (reported, end) = fixture.progress_of(&file).await;
    assert!(matches!(end, Err(IngestError::Invalid(_))));
    assert_eq!(reported[1..], [Progress::Started]);
}

#[tokio::test]
async fn a_webp_that_is_stored_unchanged_is_not_encoded() {
    let fixture = Fixture::new().await;
    let file = fixture.path("small.webp");
    noise(16).save(&file).expect("a WebP");
    let (reported, end) = fixture.progress_of(&file).await;
    end.expect("an image");
    assert_eq!(reported[1..], [Progress::Started, Progress::Encoded]);
}
