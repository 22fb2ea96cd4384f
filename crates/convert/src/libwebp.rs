//! The one place that calls libwebp directly, for what its safe wrapper lacks: pixels handed over
//! without a copy in another colour space, and animations whose last frame
//! has a duration.

#![allow(unsafe_code, reason = "libwebp is C; this file is the fence around it")]

use std::borrow::Borrow;
use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::slice;

use image::DynamicImage;

use libwebp_sys::{
    WEBP_MUX_ABI_VERSION, WebPAnimEncoder, WebPAnimEncoderAdd, WebPAnimEncoderAssemble,
    WebPAnimEncoderDelete, WebPAnimEncoderGetError, WebPAnimEncoderNewInternal,
    WebPAnimEncoderOptions, WebPAnimEncoderOptionsInitInternal, WebPConfig, WebPData,
    WebPDataClear, WebPEncode, WebPEncodingError, WebPMemoryWrite, WebPMemoryWriter,
    WebPMemoryWriterClear, WebPMemoryWriterInit, WebPPicture, WebPPictureFree,
    WebPPictureImportRGB, WebPPictureImportRGBA,
};

use super::{ConvertError, progress};

/// Lossy WebP. An owned image is freed as soon as libwebp has its own planes, so that both are in
/// memory only briefly.
pub(super) fn lossy(
    image: impl Borrow<DynamicImage>,
    quality: u8,
) -> Result<Vec<u8>, ConvertError> {
    let config = lossy_config(quality)?;
    let planes = Planes::of(image.borrow(), false)?;
    drop(image);
    encode(planes, &config)
}

fn encode(mut planes: Planes, config: &WebPConfig) -> Result<Vec<u8>, ConvertError> {
    let mut file = MaybeUninit::<WebPMemoryWriter>::uninit();
    // SAFETY: the writer is initialised before it is used and cleared once, and outlives the call that
    // writes to it; configuration and picture are initialised, too.
    let (done, file) = unsafe {
        WebPMemoryWriterInit(file.as_mut_ptr());
        let mut file = file.assume_init();
        planes.0.writer = Some(WebPMemoryWrite);
        planes.0.custom_ptr = (&raw mut file).cast();
        let done = WebPEncode(config, &mut planes.0);
        let bytes = if done == 0 {
            Vec::new()
        } else {
            slice::from_raw_parts(file.mem, file.size).to_vec()
        };
        WebPMemoryWriterClear(&mut file);
        (done, bytes)
    };
    if done == 0 {
        return Err(encoding_error(planes.0.error_code));
    }
    Ok(file)
}

/// Lossless WebP.
pub(super) fn lossless(image: &DynamicImage) -> Result<Vec<u8>, ConvertError> {
    encode(Planes::of(image, true)?, &lossless_config()?)
}

/// What an error of the encoder means here.
fn encoding_error(error: WebPEncodingError) -> ConvertError {
    use WebPEncodingError::{
        VP8_ENC_ERROR_BAD_WRITE, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY, VP8_ENC_ERROR_OUT_OF_MEMORY,
    };
    match error {
        // Writing goes to memory too.
        VP8_ENC_ERROR_OUT_OF_MEMORY
        | VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY
        | VP8_ENC_ERROR_BAD_WRITE => ConvertError::OutOfMemory,
        other => ConvertError::Internal(format!("{other:?}")),
    }
}

fn other_version() -> ConvertError {
    ConvertError::Internal("libwebp is of another version".into())
}

/// Whether this processor has what libwebp is compiled for. Of the x86 ones, some made before 2013
/// have not.
pub(super) fn check_processor() -> Result<(), ConvertError> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if !std::arch::is_x86_feature_detected!("sse4.1") {
        return Err(ConvertError::Internal(
            "this processor is too old: pictures need SSE4.1".into(),
        ));
    }
    Ok(())
}

/// Method 4 is libwebp's own default, and that of the tools this is measured against: 6 is a
/// quarter slower for three percent, 2 is three times as fast, five percent larger and half a
/// decibel worse. What else there is to set, bought its bytes with what eyes see of them. Alpha is
/// kept exactly; colours under transparent pixels are not.
fn lossy_config(quality: u8) -> Result<WebPConfig, ConvertError> {
    let mut config = WebPConfig::new().map_err(|()| other_version())?;
    config.quality = f32::from(quality);
    config.method = 4;
    config.alpha_quality = 100;
    config.exact = 0;
    Ok(config)
}

/// What libwebp calls quality is the effort of the encoder here. Its middle preset, 70 at method 4, takes
/// two thirds more time for a hundredth less bytes.
fn lossless_config() -> Result<WebPConfig, ConvertError> {
    let mut config = lossy_config(0)?;
    config.lossless = 1;
    config.quality = 50.0;
    config.method = 2;
    Ok(config)
}

/// Reports a step of the encoder, and has it go on.
unsafe extern "C" fn report(_percent: c_int, _picture: *const WebPPicture) -> c_int {
    progress::made();
    1
}

/// A picture in libwebp's memory, freed with this value.
struct Planes(WebPPicture);

impl Drop for Planes {
    fn drop(&mut self) {
        // SAFETY: the picture was initialised by libwebp, and is freed once.
        unsafe { WebPPictureFree(&mut self.0) };
    }
}

impl Planes {
    /// Of an image of red, green and blue, and maybe alpha, of 8 bits each. In ARGB, as lossless WebP is
    /// stored and the encoder of animations compares its frames; or in YUV, as lossy WebP is stored: a fifth
    /// of the memory of going by way of ARGB, and faster.
    fn of(image: &DynamicImage, argb: bool) -> Result<Self, ConvertError> {
        // libwebp refuses sides that are too long.
        let (width, height) = (image.width().cast_signed(), image.height().cast_signed());
        let planes = WebPPicture::new();
        let mut planes = Self(planes.map_err(|()| other_version())?);
        planes.0.progress_hook = Some(report);
        (planes.0.width, planes.0.height) = (width, height);
        planes.0.use_argb = c_int::from(argb);
        let from = image.as_bytes().as_ptr();
        // SAFETY: an image holds `height` rows of `width` pixels, of 3 or 4 bytes each in these two kinds;
        // libwebp copies them into memory of its own.
        let done = match image {
            DynamicImage::ImageRgb8(_) => unsafe {
                WebPPictureImportRGB(&mut planes.0, from, width * 3)
            },
            DynamicImage::ImageRgba8(_) => unsafe {
                WebPPictureImportRGBA(&mut planes.0, from, width * 4)
            },
            _ => return Err(ConvertError::Internal("pixels of another kind".into())),
        };
        if done == 0 {
            return Err(encoding_error(planes.0.error_code));
        }
        Ok(planes)
    }
}

/// Sets the alpha flag in the header of an animation. The encoder sets it only when a frame has
/// transparent pixels, and not when the frames do not cover the canvas; some viewers then show
/// black.
fn announce_alpha(webp: &mut [u8]) {
    const ALPHA: u8 = 0x10;
    if webp.get(12..16) == Some(b"VP8X")
        && let Some(flags) = webp.get_mut(20)
    {
        *flags |= ALPHA;
    }
}

/// Makes an animated WebP, frame by frame.
pub(super) struct AnimationEncoder {
    /// Never null; freed with this value.
    encoder: *mut WebPAnimEncoder,
    lossy: WebPConfig,
    lossless: WebPConfig,
    /// Whether a pixel of what was shown is not opaque.
    has_alpha: bool,
}

impl Drop for AnimationEncoder {
    fn drop(&mut self) {
        // SAFETY: made by `WebPAnimEncoderNewInternal`, and freed once.
        unsafe { WebPAnimEncoderDelete(self.encoder) };
    }
}

impl AnimationEncoder {
    /// For frames of this size, in pixels; `plays` is how often, 0 for ever.
    pub(super) fn new(
        (width, height): (u32, u32),
        plays: u16,
        quality: u8,
    ) -> Result<Self, ConvertError> {
        let (lossy, lossless) = (lossy_config(quality)?, lossless_config()?);
        let (width, height) = (width.cast_signed(), height.cast_signed());
        let abi = WEBP_MUX_ABI_VERSION as c_int;
        let mut options = MaybeUninit::<WebPAnimEncoderOptions>::uninit();
        // SAFETY: the call fills in the whole structure where it returns other than 0.
        let mut options = unsafe {
            if WebPAnimEncoderOptionsInitInternal(options.as_mut_ptr(), abi) == 0 {
                return Err(other_version());
            }
            options.assume_init()
        };
        options.anim_params.loop_count = c_int::from(plays);
        // A whole frame now and then, so that a player can start there and errors do not add up.
        // Frames between the two numbers are encoded twice, so these are near each other.
        options.kmin = 27;
        options.kmax = 30;
        // SAFETY: the options are initialised and only read.
        let encoder = unsafe { WebPAnimEncoderNewInternal(width, height, &options, abi) };
        if encoder.is_null() {
            return Err(ConvertError::OutOfMemory);
        }
        Ok(Self {
            encoder,
            lossy,
            lossless,
            has_alpha: false,
        })
    }

    /// Adds what is shown from `milliseconds` on.
    pub(super) fn add(
        &mut self,
        shown: &DynamicImage,
        milliseconds: u32,
        lossless: bool,
    ) -> Result<(), ConvertError> {
        let config = if lossless {
            &self.lossless
        } else {
            &self.lossy
        };
        let mut planes = Planes::of(shown, true)?;
        let pixels = shown.as_rgba8().map(|image| image.pixels());
        self.has_alpha |= pixels.is_some_and(|mut pixels| pixels.any(|pixel| pixel.0[3] < 255));
        let start = c_int::try_from(milliseconds).unwrap_or(c_int::MAX);
        // SAFETY: encoder, picture and configuration are alive; libwebp copies what it keeps.
        let done = unsafe { WebPAnimEncoderAdd(self.encoder, &mut planes.0, start, config) };
        if done == 0 { Err(self.error()) } else { Ok(()) }
    }

    /// The file; the last frame lasts until `milliseconds`.
    pub(super) fn finish(self, milliseconds: u32) -> Result<Vec<u8>, ConvertError> {
        let end = c_int::try_from(milliseconds).unwrap_or(c_int::MAX);
        let nothing = std::ptr::null_mut();
        let mut file = WebPData::default();
        // SAFETY: no picture means that the animation is over; then the encoder fills in `file`
        // with memory of its own, which is copied here and freed once.
        unsafe {
            if WebPAnimEncoderAdd(self.encoder, nothing, end, std::ptr::null()) == 0
                || WebPAnimEncoderAssemble(self.encoder, &mut file) == 0
            {
                return Err(self.error());
            }
            let mut bytes = slice::from_raw_parts(file.bytes, file.size).to_vec();
            WebPDataClear(&mut file);
            if self.has_alpha {
                announce_alpha(&mut bytes);
            }
            Ok(bytes)
        }
    }

    fn error(&self) -> ConvertError {
        // SAFETY: the encoder is alive, and its message is a C string that lives as long.
        let message = unsafe {
            let message = WebPAnimEncoderGetError(self.encoder);
            if message.is_null() {
                c"no reason given"
            } else {
                CStr::from_ptr(message)
            }
        };
        ConvertError::Internal(message.to_string_lossy().into_owned())
    }
}
