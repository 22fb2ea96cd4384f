//! JPEG XL, still and animated, by jxl-oxide.

use image::metadata::Orientation;
use jxl_oxide::color::ColourSpace;
use jxl_oxide::frame::Encoding;
use jxl_oxide::image::BitDepth;
use jxl_oxide::{
    AllocTracker, EnumColourEncoding, ExtraChannelType, FrameBufferSample, HdrType, JxlImage,
    JxlThreadPool, PixelFormat, Render, RenderingIntent,
};

use super::animation::Animation;
use super::canvas::Frame;
use super::colour::{Colour, Profile, by_icc, by_numbers};
use super::still::{Coding, Still, divide_by_alpha, image_of};
use super::{ConvertError, ConvertOptions, Decoded};

/// What the decoder may hold for a pixel: planes of 32 bits, in each step, and of the frames that
/// later ones build upon.
const BYTES_A_PIXEL: u64 = 192;
/// And whatever the size.
const BYTES: u64 = 64 << 20;

pub(super) fn decode(
    source: &[u8],
    limits: &ConvertOptions,
) -> Result<Decoded<'static>, ConvertError> {
    let mut image = read(source, limits)?;
    let metadata = &image.image_header().metadata;
    let size = (image.width(), image.height());
    let frames = u32::try_from(image.num_loaded_keyframes()).unwrap_or(u32::MAX);
    if frames == 0 {
        return Err(ConvertError::invalid("there is no frame in it"));
    }
    limits.check(size, frames)?;
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
    let deep = !matches!(
        metadata.bit_depth,
        BitDepth::IntegerSample { bits_per_sample } if bits_per_sample <= 8
    );
    let channels = match image.pixel_format() {
        PixelFormat::Gray => 1,
        PixelFormat::Graya => 2,
        PixelFormat::Rgb => 3,
        PixelFormat::Rgba => 4,
        PixelFormat::Cmyk | PixelFormat::Cmyka => return Err(ConvertError::Unsupported),
    };
    let deep = deep || image.hdr_type().is_some();
    let profile = colours(&mut image, channels < 3);
    // The frame of this number as it is shown, and how many ticks it lasts.
    let render = move |number: usize| {
        let render = image.render_frame(number).map_err(ConvertError::invalid)?;
        let mut shown = if deep {
            image_of::<u16>(size, channels, written(&render, size, channels)?)?
        } else {
            image_of::<u8>(size, channels, written(&render, size, channels)?)?
        };
        if premultiplied {
            divide_by_alpha(&mut shown)?;
        }
        Ok::<_, ConvertError>((shown, render.duration()))
    };
    if frames == 1 {
        return Ok(Decoded::Still(Still {
            profile,
            coding: if lossy {
                Coding::Lossy
            } else {
                Coding::Unknown
            },
            // Turned as the samples are written.
            ..Still::of(render(0)?.0)
        }));
    }
    let colour = Colour::new(profile);
    let (numerator, denominator) = ticks;
    let frame = move |number: u32| {
        let (shown, duration) = render(number as usize)?;
        let milliseconds =
            u64::from(duration) * 1000 * u64::from(denominator) / u64::from(numerator.max(1));
        let milliseconds = u32::try_from(milliseconds).unwrap_or(u32::MAX);
        Ok(Frame::whole(colour.srgb(shown)?, milliseconds))
    };
    Ok(Decoded::Animation(Animation {
        size,
        count: frames,
        plays,
        orientation: Orientation::NoTransforms,
        frames: Box::new((0..frames).map(frame)),
    }))
}

/// Reads the whole file: the header, and where each frame is.
fn read(source: &[u8], limits: &ConvertOptions) -> Result<JxlImage, ConvertError> {
    let budget = BYTES.saturating_add(limits.max_pixels.saturating_mul(BYTES_A_PIXEL));
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

/// Asks for sRGB where the colours are named by numbers, and for these numbers where they are brighter
/// than white. Where a profile describes the colours, it is given back.
fn colours(image: &mut JxlImage, is_grey: bool) -> Profile {
    if let Some(icc) = image.original_icc()
        && !image.image_header().metadata.xyb_encoded
    {
        return by_icc(icc);
    }
    let intent = RenderingIntent::Relative;
    let hdr = image.hdr_type();
    let mut encoding = match hdr {
        Some(HdrType::Pq) => EnumColourEncoding::bt2100_pq(intent),
        Some(HdrType::Hlg) => EnumColourEncoding::bt2100_hlg(intent),
        None => EnumColourEncoding::srgb(intent),
    };
    if is_grey {
        encoding.colour_space = ColourSpace::Grey;
    }
    image.request_color_encoding(encoding);
    match hdr? {
        HdrType::Pq => by_numbers(9, 16),
        HdrType::Hlg => by_numbers(9, 18),
    }
}

/// The samples of a frame, which must have this size and so many channels.
fn written<Sample: FrameBufferSample + Default + Copy>(
    render: &Render,
    (width, height): (u32, u32),
    channels: usize,
) -> Result<Vec<Sample>, ConvertError> {
    let mut stream = render.stream();
    if (stream.width(), stream.height(), stream.channels()) != (width, height, channels as u32) {
        return Err(ConvertError::invalid("a frame of another size"));
    }
    let mut samples = vec![Sample::default(); width as usize * height as usize * channels];
    if stream.write_to_buffer(&mut samples) != samples.len() {
        return Err(ConvertError::invalid("a frame is cut short"));
    }
    Ok(samples)
}
