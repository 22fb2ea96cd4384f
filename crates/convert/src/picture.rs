//! Pixels in memory: as a decoder gave them ([`Raster`]), and as the encoder wants them
//! ([`Picture`]).

/// What the samples of a decoded pixel are, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channels {
    Grey,
    GreyAlpha,
    Rgb,
    Rgba,
    /// Amounts of ink: 0 is none, the highest value is full.
    Cmyk,
}

impl Channels {
    pub(super) fn has_alpha(self) -> bool {
        matches!(self, Self::GreyAlpha | Self::Rgba)
    }
}

/// Samples of 8 or 16 bits, row by row, without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Samples {
    Eight(Vec<u8>),
    Sixteen(Vec<u16>),
}

impl Samples {
    /// Undoes the multiplication of colours by their alpha, the last sample of each pixel.
    pub(super) fn divide_by_alpha(&mut self, channels: Channels) {
        match self {
            Self::Eight(samples) => divide(samples, channels, u8::MAX),
            Self::Sixteen(samples) => divide(samples, channels, u16::MAX),
        }
    }
}

fn divide<Sample>(samples: &mut [Sample], channels: Channels, full: Sample)
where
    Sample: Copy + Into<u32> + TryFrom<u32>,
{
    let step = if channels == Channels::GreyAlpha {
        2
    } else {
        4
    };
    let full_value = full.into();
    for pixel in samples.chunks_exact_mut(step) {
        let alpha = pixel[step - 1].into();
        if alpha == 0 || alpha == full_value {
            continue;
        }
        for colour in &mut pixel[..step - 1] {
            let value = (u64::from((*colour).into()) * u64::from(full_value)
                + u64::from(alpha) / 2)
                / u64::from(alpha);
            let value = value.min(u64::from(full_value)) as u32;
            *colour = Sample::try_from(value).unwrap_or(full);
        }
    }
}

/// Pixels in the colours of their source.
#[derive(Debug, Clone)]
pub(super) struct Raster {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) channels: Channels,
    pub(super) samples: Samples,
}

/// What the encoding of a source implies for the size of lossless WebP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Lossy: such pixels are noisy, and lossless is never smaller.
    Lossy,
    /// Lossless, and compressed to this many bytes.
    Lossless(usize),
    /// Lossless, and uncompressed or compressed by an unknown amount: the size of the source is no
    /// indication.
    Unknown,
}

/// The samples of an encodable pixel, each of 8 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Rgb,
    Rgba,
}

impl Layout {
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }
}

/// Pixels in sRGB, 8 bits a sample, row by row, without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) layout: Layout,
    pub(super) pixels: Vec<u8>,
}

impl Picture {
    /// The same picture with red, green, blue and alpha.
    pub(super) fn into_rgba(self) -> Self {
        let pixels = match self.layout {
            Layout::Rgba => self.pixels,
            Layout::Rgb => {
                let pixels = self.pixels.as_chunks::<3>().0.iter();
                pixels.flat_map(|&[r, g, b]| [r, g, b, 255]).collect()
            }
        };
        Self {
            layout: Layout::Rgba,
            pixels,
            ..self
        }
    }
}
