//! JPEG XL, still and animated, by jxl-oxide.

use jxl_oxide::frame::Encoding;
use jxl_oxide::image::BitDepth;
use jxl_oxide::{
    AllocTracker, EnumColourEncoding, ExtraChannelType, FrameBufferSample, JxlImage, JxlThreadPool,
    PixelFormat, Render, RenderingIntent,
};

use super::super::ConvertError;
use super::super::limits::Limits;
use super::super::orientation::Orientation;
use super::super::picture::{Channels, Samples};
use super::wire::Head;
use super::{DecodedFrame, Decoding};

/// What the decoder may hold for a pixel: planes of 32 bits, in each step, and of the frames that
/// later ones build upon.
const BYTES_A_PIXEL: u64 = 192;
/// And whatever the size.
const BYTES: u64 = 64 << 20;

pub(super) fn open<'a>(source: &'a [u8], limits: &Limits) -> Result<Decoding<'a>, ConvertError> {
    let mut image = read(source, limits)?;
    let header = image.image_header();
    let metadata = &header.metadata;
    let (width, height) = (image.width(), image.height());
    limits.check_frame(width, height)?;
    let frames = u32::try_from(image.num_loaded_keyframes()).unwrap_or(u32::MAX);
    if frames == 0 {
        return Err(ConvertError::invalid("there is no frame in it"));
    }
    let pixels = u64::from(width) * u64::from(height);
    if frames > 1 {
        limits.check_frames(frames, pixels)?;
    }
    let (plays, ticks) = match &metadata.animation {
        Some(animation) => (
            u16::try_from(animation.num_loops).unwrap_or(u16::MAX),
            (animation.tps_numerator, animation.tps_denominator),
        ),
        None => (1, (1, 1)),
    };
    let premultiplied = metadata.ec_info.iter().any(|channel| {
        matches!(channel.ty, ExtraChannelType::Alpha { alpha_associated } if alpha_associated)
    });
    let lossy = metadata.xyb_encoded
        || image
            .frame_header(0)
            .is_some_and(|frame| frame.encoding == Encoding::VarDct);
    let sixteen = !matches!(
        metadata.bit_depth,
        BitDepth::IntegerSample { bits_per_sample } if bits_per_sample <= 8
    );
    // What is brighter than white has no place in a WebP, and squeezing it in is a matter of taste.
    if image.hdr_type().is_some() {
        return Err(ConvertError::Unsupported);
    }
    let channels = match image.pixel_format() {
        PixelFormat::Gray => Channels::Grey,
        PixelFormat::Graya => Channels::GreyAlpha,
        PixelFormat::Rgb => Channels::Rgb,
        PixelFormat::Rgba => Channels::Rgba,
        PixelFormat::Cmyk | PixelFormat::Cmyka => return Err(ConvertError::Unsupported),
    };
    let profile = colours(&mut image, channels);
    let head = Head {
        width,
        height,
        frames,
        plays,
        // Applied as the samples are written.
        orientation: Orientation::UPRIGHT,
        channels,
        sixteen,
        lossy,
        profile,
    };
    let mut next = 0;
    let expected = head.samples();
    let frames = move || {
        if next == frames as usize {
            return Ok(None);
        }
        let render = image.render_frame(next).map_err(ConvertError::invalid)?;
        next += 1;
        let (numerator, denominator) = ticks;
        let milliseconds = u64::from(render.duration()) * 1000 * u64::from(denominator)
            / u64::from(numerator.max(1));
        let mut samples = if sixteen {
            Samples::Sixteen(written::<u16>(&render, expected)?)
        } else {
            Samples::Eight(written::<u8>(&render, expected)?)
        };
        if premultiplied && channels.has_alpha() {
            samples.divide_by_alpha(channels);
        }
        Ok(Some(DecodedFrame {
            milliseconds: u32::try_from(milliseconds).unwrap_or(u32::MAX),
            samples,
        }))
    };
    Ok(Decoding {
        head,
        frames: Box::new(frames),
    })
}

/// Reads the whole file: the header, and where each frame is.
fn read(source: &[u8], limits: &Limits) -> Result<JxlImage, ConvertError> {
    let budget = BYTES.saturating_add(limits.max_pixels().saturating_mul(BYTES_A_PIXEL));
    let mut waiting = JxlImage::builder()
        .pool(JxlThreadPool::none())
        .alloc_tracker(AllocTracker::with_limit(
            usize::try_from(budget).unwrap_or(usize::MAX),
        ))
        .build_uninit();
    waiting.feed_bytes(source).map_err(ConvertError::invalid)?;
    let initialized = waiting.try_init().map_err(ConvertError::invalid)?;
    let jxl_oxide::InitializeResult::Initialized(mut image) = initialized else {
        return Err(ConvertError::invalid("the file ends in its header"));
    };
    image.finalize().map_err(ConvertError::invalid)?;
    if !image.is_loading_done() {
        return Err(ConvertError::invalid("the file ends before its last frame"));
    }
    Ok(image)
}

/// Asks for sRGB where the colours are named by numbers; where a profile describes them, it is
/// given back.
fn colours(image: &mut JxlImage, channels: Channels) -> Option<Vec<u8>> {
    if image.original_icc().is_some() && !image.image_header().metadata.xyb_encoded {
        return image.original_icc().map(<[u8]>::to_vec);
    }
    let intent = RenderingIntent::Relative;
    image.request_color_encoding(match channels {
        Channels::Grey | Channels::GreyAlpha => EnumColourEncoding::gray_srgb(intent),
        _ => EnumColourEncoding::srgb(intent),
    });
    None
}

fn written<Sample: FrameBufferSample + Default + Copy>(
    render: &Render,
    expected: u64,
) -> Result<Vec<Sample>, ConvertError> {
    let mut stream = render.stream();
    let there =
        u64::from(stream.width()) * u64::from(stream.height()) * u64::from(stream.channels());
    if there != expected {
        return Err(ConvertError::invalid("a frame of another size"));
    }
    let length = usize::try_from(expected).map_err(ConvertError::invalid)?;
    let mut samples = vec![Sample::default(); length];
    let count = stream.write_to_buffer(&mut samples);
    if count != length {
        return Err(ConvertError::invalid("a frame is cut short"));
    }
    Ok(samples)
}
