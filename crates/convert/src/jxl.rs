//! JPEG XL, still and animated, by jxl-oxide.

use jxl_oxide::color::ColourSpace;
use jxl_oxide::frame::Encoding;
use jxl_oxide::image::BitDepth;
use jxl_oxide::{
    AllocTracker, EnumColourEncoding, ExtraChannelType, FrameBufferSample, HdrType, JxlImage,
    JxlThreadPool, PixelFormat, Render, RenderingIntent,
};

use super::animation::Frames;
use super::canvas::{Blend, Dispose, Frame};
use super::colour::Colour;
use super::limits::Limits;
use super::orientation::Orientation;
use super::picture::{Channels, Coding, Raster, Samples};
use super::space::{Numbers, Space};
use super::still::Still;
use super::{ConvertError, Decoded};

/// What the decoder may hold for a pixel: planes of 32 bits, in each step, and of the frames that
/// later ones build upon.
const BYTES_A_PIXEL: u64 = 192;
/// And whatever the size.
const BYTES: u64 = 64 << 20;

pub(super) fn decode(source: &[u8], limits: &Limits) -> Result<Decoded<'static>, ConvertError> {
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
        PixelFormat::Gray => Channels::Grey,
        PixelFormat::Graya => Channels::GreyAlpha,
        PixelFormat::Rgb => Channels::Rgb,
        PixelFormat::Rgba => Channels::Rgba,
        PixelFormat::Cmyk | PixelFormat::Cmyka => return Err(ConvertError::Unsupported),
    };
    let sixteen = deep || image.hdr_type().is_some();
    let space = colours(&mut image, channels);
    let mut decoder = Decoder {
        image,
        channels,
        sixteen,
        premultiplied,
        next: 0,
    };
    if frames > 1 {
        return Ok(Decoded::Animation(Box::new(Animation {
            decoder,
            size,
            frames,
            plays,
            ticks,
            colour: Colour::new(&space),
        })));
    }
    let (raster, _) = decoder.next(size)?;
    Ok(Decoded::Still(Still {
        raster,
        space,
        // Applied as the samples are written.
        orientation: Orientation::NoTransforms,
        coding: if lossy {
            Coding::Lossy
        } else {
            Coding::Unknown
        },
    }))
}

/// Decodes the frames one by one.
struct Decoder {
    image: JxlImage,
    channels: Channels,
    /// Samples of 16 bits, not of 8.
    sixteen: bool,
    premultiplied: bool,
    next: usize,
}

impl Decoder {
    /// The next frame as it is shown, and how many ticks it lasts.
    fn next(&mut self, (width, height): (u32, u32)) -> Result<(Raster, u32), ConvertError> {
        let render = self.image.render_frame(self.next);
        let render = render.map_err(ConvertError::invalid)?;
        self.next += 1;
        let channels = match self.channels {
            Channels::Grey => 1,
            Channels::GreyAlpha => 2,
            Channels::Rgb => 3,
            _ => 4,
        };
        let expected = u64::from(width) * u64::from(height) * channels;
        let mut samples = if self.sixteen {
            Samples::Sixteen(written::<u16>(&render, expected)?)
        } else {
            Samples::Eight(written::<u8>(&render, expected)?)
        };
        if self.premultiplied && self.channels.has_alpha() {
            samples.divide_by_alpha(self.channels);
        }
        let raster = Raster {
            width,
            height,
            channels: self.channels,
            samples,
        };
        Ok((raster, render.duration()))
    }
}

/// An animation whose frames each show the whole picture.
struct Animation {
    decoder: Decoder,
    size: (u32, u32),
    frames: u32,
    plays: u16,
    /// Ticks a second, as a fraction.
    ticks: (u32, u32),
    colour: Colour,
}

impl Frames for Animation {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn count(&self) -> u32 {
        self.frames
    }

    fn plays(&self) -> u16 {
        self.plays
    }

    fn orientation(&self) -> Orientation {
        Orientation::NoTransforms
    }

    fn next(&mut self, _limits: &Limits) -> Result<Option<Frame>, ConvertError> {
        if self.decoder.next == self.frames as usize {
            return Ok(None);
        }
        let (raster, duration) = self.decoder.next(self.size)?;
        let (numerator, denominator) = self.ticks;
        let milliseconds =
            u64::from(duration) * 1000 * u64::from(denominator) / u64::from(numerator.max(1));
        Ok(Some(Frame {
            x: 0,
            y: 0,
            picture: self.colour.srgb(raster)?.into_rgba(),
            blend: Blend::Replace,
            dispose: Dispose::Keep,
            milliseconds: u32::try_from(milliseconds).unwrap_or(u32::MAX),
        }))
    }
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

/// Asks for sRGB where the colours are named by numbers, and for these numbers where they are brighter
/// than white. Where a profile describes the colours, it is given back.
fn colours(image: &mut JxlImage, channels: Channels) -> Space {
    if let Some(icc) = image.original_icc()
        && !image.image_header().metadata.xyb_encoded
    {
        return Space::Icc(icc.to_vec());
    }
    let intent = RenderingIntent::Relative;
    let hdr = image.hdr_type();
    let mut encoding = match hdr {
        Some(HdrType::Pq) => EnumColourEncoding::bt2100_pq(intent),
        Some(HdrType::Hlg) => EnumColourEncoding::bt2100_hlg(intent),
        None => EnumColourEncoding::srgb(intent),
    };
    if matches!(channels, Channels::Grey | Channels::GreyAlpha) {
        encoding.colour_space = ColourSpace::Grey;
    }
    image.request_color_encoding(encoding);
    let transfer = match hdr {
        Some(HdrType::Pq) => 16,
        Some(HdrType::Hlg) => 18,
        None => return Space::Srgb,
    };
    Space::Numbers(Numbers {
        primaries: 9,
        transfer,
    })
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
