//! The images on the clipboard: files that were copied in a file manager, or an
//! image that was copied out of a program.

use crate::error::message::Message;
use crate::uploads::UploadFile;

/// The current content of the clipboard; blocks until the program that owns the
/// clipboard has sent it.
///
/// # Errors
/// When there is no image on it, or no clipboard.
pub fn pictures() -> Result<Vec<UploadFile>, Message> {
    let why = |error: arboard::Error| error.to_string();
    let clipboard = arboard::Clipboard::new();
    let mut clipboard = clipboard
        .map_err(|error| crate::detail!("there is no clipboard: {why}", why = why(error)))?;
    match clipboard.get().file_list() {
        Ok(files) if !files.is_empty() => {
            return Ok(files.into_iter().map(UploadFile::File).collect());
        }
        // What is no list of files may still be an image.
        _ => {}
    }
    let image = match clipboard.get_image() {
        Ok(image) => image,
        // Some programs answer with their text whatever type is requested.
        Err(error) if no_image(&error) || clipboard.get_text().is_ok() => {
            return Err(Message::NoPictureOnClipboard);
        }
        Err(error) => {
            return Err(crate::detail!(
                "the clipboard could not be read: {why}",
                why = why(error)
            ));
        }
    };
    let (width, height) = (image.width, image.height);
    let png = png(width, height, &image.bytes)
        .ok_or_else(|| crate::detail!("an image of {width} × {height} cannot be sent on"))?;
    Ok(vec![UploadFile::Bytes(png.into())])
}

fn no_image(error: &arboard::Error) -> bool {
    matches!(error, arboard::Error::ContentNotAvailable)
}

/// The image, lossless, as a file.
fn png(width: usize, height: usize, rgba: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    // It is read again at once, on this machine.
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(rgba).ok()?;
    writer.finish().ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::png;

    const PIXELS: [u8; 8] = [255, 0, 0, 255, 0, 255, 0, 128];

    /// That these bytes are a PNG of these two pixels.
    fn assert_pixels(bytes: &[u8]) {
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().expect("a PNG");
        let mut read = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut read).expect("a frame");
        assert_eq!((info.width, info.height), (2, 1));
        assert_eq!(&read[..8], PIXELS);
    }

    #[test]
    fn an_image_is_sent_on_as_it_is() {
        assert_pixels(&png(2, 1, &PIXELS).expect("a PNG"));
    }

    /// It replaces what is on the clipboard. One test, since there is one clipboard.
    #[cfg(windows)]
    #[test]
    fn an_image_is_read_from_the_clipboard_of_windows_and_text_is_none() {
        use super::{Message, UploadFile, pictures};

        /// Another program may have the clipboard open for a moment.
        fn until<T>(mut done: impl FnMut() -> Option<T>) -> T {
            let began = std::time::Instant::now();
            loop {
                if let Some(done) = done() {
                    return done;
                }
                assert!(began.elapsed().as_secs() < 20, "{:?}", pictures());
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        }

        let mut clipboard = arboard::Clipboard::new().expect("a clipboard");
        until(|| clipboard.set_text("some words").ok());
        let is_text = || matches!(pictures(), Err(Message::NoPictureOnClipboard));
        until(|| is_text().then_some(()));
        let image = arboard::ImageData {
            width: 2,
            height: 1,
            bytes: std::borrow::Cow::Borrowed(&PIXELS),
        };
        until(|| clipboard.set_image(image.clone()).ok());
        let found = until(|| pictures().ok());
        let [UploadFile::Bytes(bytes)] = &found[..] else {
            panic!("{found:?}");
        };
        assert_pixels(bytes);
    }

    #[test]
    fn pixels_that_do_not_fill_the_sides_are_refused() {
        assert_eq!(png(2, 2, &[0; 4]), None);
        assert_eq!(png(0, 0, &[]), None);
    }
}
