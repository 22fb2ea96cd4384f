//! The location of an image stays private: metadata of cameras and programs is in no file that the
//! service stores or serves.

use crate::harness::{TestService, files, pictures};

/// As text, in descriptions, XMP, IPTC, comments and an embedded thumbnail.
const PLACE: &[u8] = b"48.858370";
/// Seconds of latitude, as EXIF writes them: 3013 / 100.
const SECONDS: &[u8] = &[0, 0, 0x0B, 0xC5, 0, 0, 0, 100];

fn holds(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

#[tokio::test]
async fn the_location_of_an_image_is_neither_stored_nor_served() {
    let service = TestService::start(&[]).await;
    let mut sources = 0;
    for (name, bytes) in pictures::kept() {
        if !name.starts_with("place.") {
            continue;
        }
        sources += 1;
        assert!(holds(&bytes, PLACE), "{name} is not what the test means");
        if name == "place.jpg" {
            assert!(holds(&bytes, SECONDS), "{name} has no coordinates");
            assert!(holds(&bytes, b"THUMBNAIL"), "{name} has no thumbnail");
        }
        let response = service.upload_as(bytes, "place.jpg", "image/jpeg").await;
        assert!([201, 409].contains(&response.status().as_u16()), "{name}");
    }
    assert_eq!(sources, 7);
    // A wide one, for the sake of its rendition.
    let photo = pictures::jpeg(&pictures::scene(pictures::next_seed(), 800, 100));
    let place = String::from_utf8_lossy(PLACE);
    let wide = pictures::jpeg_with_exif(&photo, &pictures::exif(1, &place));
    let hash = service.stored(wide).await;
    let narrow = service.get(&format!("/i/{hash}?w=320")).await;
    let narrow = narrow.bytes().await.expect("a body");
    assert!(pictures::is_webp(&narrow) && !holds(&narrow, PLACE));

    let kept = files::below(service.data_dir());
    assert!(kept.len() > 5, "{kept:?}");
    for path in kept {
        let bytes = std::fs::read(&path).expect("readable");
        for what in [PLACE, SECONDS, b"THUMBNAIL", b"xmpmeta", b"Photoshop"] {
            assert!(
                !holds(&bytes, what),
                "{path:?} holds {:?}",
                String::from_utf8_lossy(what)
            );
        }
    }
}
