//! The one place that calls libwebp directly, for what its safe wrapper lacks: pixels handed over
//! without a copy in another colour space, and animations whose last frame
//! has a duration.

#![allow(unsafe_code, reason = "libwebp is C; this file is the fence around it")]

use std::borrow::Borrow;
use std::ffi::{CStr, c_int};
use std::slice;

use libwebp_sys::{
    WEBP_MUX_ABI_VERSION, WebPAnimEncoder, WebPAnimEncoderAdd, WebPAnimEncoderAssemble,
    WebPAnimEncoderDelete, WebPAnimEncoderGetError, WebPAnimEncoderNewInternal,
    WebPAnimEncoderOptions, WebPAnimEncoderOptionsInitInternal, WebPConfig, WebPData,
    WebPDataClear, WebPEncode, WebPEncodingError, WebPPicture, WebPPictureFree,
    WebPPictureImportRGB, WebPPictureImportRGBA,
};

use super::picture::{Layout, Picture};
use super::{ConvertError, progress};

/// Lossy WebP. An owned image is freed as soon as libwebp has its own planes, so that both are in
/// memory only briefly.
pub(super) fn lossy(picture: impl Borrow<Picture>, quality: u8) -> Result<Vec<u8>, ConvertError> {
    let config = lossy_config(quality)?;
    let planes = Planes::of(picture.borrow())?;
    drop(picture);
    encode(planes, &config)
}

fn encode(mut planes: Planes, config: &WebPConfig) -> Result<Vec<u8>, ConvertError> {
    let mut file: Vec<u8> = Vec::new();
    planes.0.writer = Some(append);
    planes.0.custom_ptr = (&raw mut file).cast();
    // SAFETY: the configuration and the picture are initialised and belong to this function;
    // `append` finds in `custom_ptr` the vector above, which outlives the call and is not touched
    // in between.
    let done = unsafe { WebPEncode(config, &mut planes.0) };
    if done == 0 {
        return Err(encoding_error(planes.0.error_code));
    }
    Ok(file)
}

/// Lossless WebP.
pub(super) fn lossless(picture: &Picture) -> Result<Vec<u8>, ConvertError> {
    encode(Planes::argb(picture)?, &lossless_config()?)
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
    let mut config = WebPConfig::new()
        .map_err(|()| ConvertError::Internal("libwebp is of another version".into()))?;
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

/// The writer that libwebp calls with each piece of the file.
unsafe extern "C" fn append(data: *const u8, size: usize, picture: *const WebPPicture) -> c_int {
    if size == 0 {
        return 1;
    }
    // SAFETY: libwebp hands over `size` readable bytes and the picture it was given, whose
    // `custom_ptr` is the vector of `lossy`, which no other code holds during the call.
    let (bytes, file) = unsafe {
        (
            slice::from_raw_parts(data, size),
            &mut *(*picture).custom_ptr.cast::<Vec<u8>>(),
        )
    };
    if file.try_reserve(size).is_err() {
        return 0;
    }
    file.extend_from_slice(bytes);
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
    fn empty(picture: &Picture) -> Result<Self, ConvertError> {
        let expected = picture.width as usize * picture.height as usize * picture.layout.bytes();
        if picture.pixels.len() != expected {
            return Err(ConvertError::Internal("pixels are missing".into()));
        }
        let side = |pixels: u32| {
            c_int::try_from(pixels).map_err(|_| ConvertError::Internal("a side too long".into()))
        };
        let mut planes = WebPPicture::new()
            .map_err(|()| ConvertError::Internal("libwebp is of another version".into()))?;
        planes.progress_hook = Some(report);
        planes.width = side(picture.width)?;
        planes.height = side(picture.height)?;
        Ok(Self(planes))
    }

    /// In YUV, as lossy WebP is stored: a fifth of the memory of going by way of ARGB, and faster.
    fn of(picture: &Picture) -> Result<Self, ConvertError> {
        let mut planes = Self::empty(picture)?;
        planes.0.use_argb = 0;
        planes.import(picture)?;
        Ok(planes)
    }

    /// In ARGB, as the encoder of animations compares its frames.
    fn argb(picture: &Picture) -> Result<Self, ConvertError> {
        let mut planes = Self::empty(picture)?;
        planes.0.use_argb = 1;
        planes.import(picture)?;
        Ok(planes)
    }

    fn import(&mut self, picture: &Picture) -> Result<(), ConvertError> {
        let from = picture.pixels.as_ptr();
        // SAFETY: the buffer holds `height` rows of `stride` bytes, checked in `empty`; libwebp
        // copies them into memory of its own.
        let done = unsafe {
            if picture.layout == Layout::Rgb {
                WebPPictureImportRGB(&mut self.0, from, self.0.width * 3)
            } else {
                WebPPictureImportRGBA(&mut self.0, from, self.0.width * 4)
            }
        };
        if done == 0 {
            Err(encoding_error(self.0.error_code))
        } else {
            Ok(())
        }
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
        width: u32,
        height: u32,
        plays: u16,
        quality: u8,
    ) -> Result<Self, ConvertError> {
        let (lossy, lossless) = (lossy_config(quality)?, lossless_config()?);
        let abi = WEBP_MUX_ABI_VERSION as c_int;
        let mut options = std::mem::MaybeUninit::<WebPAnimEncoderOptions>::uninit();
        // SAFETY: the call fills in the whole structure where it returns other than 0.
        let mut options = unsafe {
            if WebPAnimEncoderOptionsInitInternal(options.as_mut_ptr(), abi) == 0 {
                return Err(ConvertError::Internal(
                    "libwebp is of another version".into(),
                ));
            }
            options.assume_init()
        };
        options.anim_params.loop_count = c_int::from(plays);
        // A whole frame now and then, so that a player can start there and errors do not add up.
        // Frames between the two numbers are encoded twice, so these are near each other.
        options.kmin = 27;
        options.kmax = 30;
        let side = |pixels: u32| c_int::try_from(pixels).unwrap_or(c_int::MAX);
        // SAFETY: the options are initialised and only read.
        let encoder =
            unsafe { WebPAnimEncoderNewInternal(side(width), side(height), &options, abi) };
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
        shown: &Picture,
        milliseconds: u32,
        lossless: bool,
    ) -> Result<(), ConvertError> {
        let config = if lossless {
            &self.lossless
        } else {
            &self.lossy
        };
        let mut planes = Planes::argb(shown)?;
        self.has_alpha |= shown.layout == Layout::Rgba
            && shown
                .pixels
                .as_chunks::<4>()
                .0
                .iter()
                .any(|pixel| pixel[3] < 255);
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
