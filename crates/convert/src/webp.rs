//! WebP as a source. What is WebP already is not encoded a second time unless it must be turned,
//! recoloured or made smaller; but it is decoded once, so that nothing broken is stored.

use std::io::Cursor;

use image::codecs::webp::WebPDecoder;
use image::metadata::{LoopCount, Orientation};
use image::{AnimationDecoder as _, DynamicImage, Rgba};

use super::animation::{self, Animation};
use super::canvas::Frame;
use super::colour::{Colour, Profile, by_icc};
use super::error::caught;
use super::riff::Webp;
use super::still::{Coding, Still, orientation};
use super::{ConvertError, ConvertOptions, Converted, Decoded, Preview, Target, encode, progress};

pub(super) fn open<'a>(
    source: &'a [u8],
    limits: &ConvertOptions,
) -> Result<Decoded<'a>, ConvertError> {
    let webp = Webp::parse(source)?;
    limits.check(webp.size, webp.frames)?;
    Ok(Decoded::WebP(webp))
}

pub(super) fn convert(
    webp: Webp<'_>,
    target: Target,
    limits: &ConvertOptions,
) -> Result<Converted, ConvertError> {
    if webp.orientation() != Orientation::NoTransforms
        || target.fit(webp.size) != webp.size
        || Colour::new(webp.profile()).changes()
    {
        return encoded_again(&webp, target, limits);
    }
    if webp.frames > 1 {
        let mut animation = webp.animation()?;
        while animation.next()?.is_some() {
            progress::made();
        }
    }
    Ok(Converted {
        preview: preview(&webp)?,
        width: webp.size.0,
        height: webp.size.1,
        frames: webp.frames,
        format: target.format,
        webp: webp.file,
    })
}

/// Decodes it and encodes the pixels anew.
pub(super) fn encoded_again(
    webp: &Webp<'_>,
    target: Target,
    limits: &ConvertOptions,
) -> Result<Converted, ConvertError> {
    if webp.is_animation() {
        animation::convert(webp.animation()?, target, limits)
    } else {
        encode::still(caught(|| webp.still())?, target)
    }
}

/// The preview of a WebP that is upright.
pub(super) fn preview(webp: &Webp<'_>) -> Result<Preview, ConvertError> {
    let image = if webp.is_animation() {
        webp.animation()?.first()?
    } else {
        let still = caught(|| webp.still())?;
        Colour::new(still.profile).srgb(still.image)?
    };
    Preview::of(&image)
}

impl Webp<'_> {
    fn decoder(&self) -> Result<WebPDecoder<Cursor<&[u8]>>, ConvertError> {
        Ok(WebPDecoder::new(Cursor::new(self.file.as_slice()))?)
    }

    /// Also one of a single frame that does not cover its canvas.
    fn is_animation(&self) -> bool {
        self.decoder().is_ok_and(|decoder| decoder.has_animation())
    }

    fn profile(&self) -> Profile {
        self.icc.and_then(by_icc)
    }

    fn orientation(&self) -> Orientation {
        self.exif.map_or(Orientation::NoTransforms, orientation)
    }

    fn still(&self) -> Result<Still, ConvertError> {
        Ok(Still {
            image: DynamicImage::from_decoder(self.decoder()?)?,
            profile: self.profile(),
            orientation: self.orientation(),
            coding: self.lossless.map_or(Coding::Lossy, Coding::Lossless),
        })
    }

    fn animation(&self) -> Result<Animation<'_>, ConvertError> {
        let mut decoder = self.decoder()?;
        // Transparent, whatever colour the file names.
        decoder.set_background_color(Rgba([0; 4]))?;
        let plays = match decoder.loop_count() {
            LoopCount::Infinite => 0,
            LoopCount::Finite(times) => u16::try_from(times.get()).unwrap_or(u16::MAX),
        };
        let colour = Colour::new(self.profile());
        let frames = decoder.into_frames().map(move |frame| {
            let frame = frame?;
            let (milliseconds, of) = frame.delay().numer_denom_ms();
            let image = colour.srgb(frame.into_buffer().into())?;
            Ok(Frame::whole(image, milliseconds / of))
        });
        Ok(Animation {
            size: self.size,
            count: self.frames,
            plays,
            orientation: self.orientation(),
            frames: Box::new(frames),
        })
    }
}
