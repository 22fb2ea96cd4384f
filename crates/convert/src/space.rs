//! How files describe their colours.

/// How a file describes its colours.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Space {
    /// As sRGB, or not at all.
    Srgb,
    /// By an ICC profile.
    Icc(Vec<u8>),
    Numbers(Numbers),
    Gamma(Gamma),
}

/// Colours by number, as ITU-T H.273 has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) primaries: u8,
    pub(super) transfer: u8,
}

/// Colours by a power of light and by where they lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gamma {
    /// What a sample is raised to to become light.
    pub(super) exponent: f64,
    /// x and y of white, red, green and blue; those of sRGB where there are none.
    pub(super) chromaticities: Option<[(f64, f64); 4]>,
}

impl Numbers {
    /// Perceptual quantisation, or hybrid log-gamma.
    pub(super) fn is_hdr(self) -> bool {
        matches!(self.transfer, 16 | 18)
    }
}
