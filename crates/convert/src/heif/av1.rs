//! The AV1 of an AVIF, by rav1d.

use re_rav1d::dav1d::{
    Decoder, Error, Picture, PixelLayout, PlanarImageComponent, Settings, pixel,
};

use super::super::still::image_of;
use super::super::{ConvertError, ConvertOptions};
use super::yuv::{Coding, Frame, deep_plane};

pub(super) fn decode(payload: Vec<u8>, limits: &ConvertOptions) -> Result<Frame, ConvertError> {
    let mut settings = Settings::new();
    settings.set_n_threads(1);
    settings.set_max_frame_delay(1);
    settings.set_frame_size_limit(u32::try_from(limits.max_pixels).unwrap_or(u32::MAX));
    let mut decoder = Decoder::with_settings(&settings).map_err(refused)?;
    let mut sent = decoder.send_data(payload, None, None, None);
    loop {
        match decoder.get_picture() {
            Ok(picture) => return frame(&picture),
            Err(Error::Again) => {}
            Err(error) => return Err(refused(error)),
        }
        match sent {
            // All was taken, and no picture came of it.
            Ok(()) => return Err(ConvertError::invalid("there is no picture in it")),
            Err(Error::Again) => sent = decoder.send_pending_data(),
            Err(error) => return Err(refused(error)),
        }
    }
}

fn refused(error: Error) -> ConvertError {
    match error {
        Error::NotEnoughMemory => ConvertError::TooLarge,
        error => ConvertError::invalid(error),
    }
}

fn frame(picture: &Picture) -> Result<Frame, ConvertError> {
    let bits = picture.bits_per_component();
    let bits = bits.ok_or_else(|| ConvertError::invalid("samples of an unknown width"))?;
    let (width, height) = (picture.width(), picture.height());
    let (thin_columns, thin_rows) = match picture.pixel_layout() {
        PixelLayout::I420 => (2, 2),
        PixelLayout::I422 => (2, 1),
        _ => (1, 1),
    };
    let plane = |component, (width, height): (u32, u32)| {
        let (bytes, stride) = (picture.plane(component), picture.stride(component));
        let wide = if bits.0 > 8 { 2 } else { 1 };
        let rows = bytes.chunks(stride as usize).take(height as usize);
        let row = |row: &[u8]| row.get(..width as usize * wide).unwrap_or(row).to_vec();
        let samples: Vec<u8> = rows.flat_map(row).collect();
        if wide == 1 {
            return image_of::<u8>((width, height), 1, samples);
        }
        let pairs = samples.as_chunks::<2>().0.iter();
        let samples = pairs.map(|&pair| u16::from_ne_bytes(pair));
        deep_plane((width, height), bits.0 as u32, samples)
    };
    let thin = (width.div_ceil(thin_columns), height.div_ceil(thin_rows));
    let mut planes = vec![plane(PlanarImageComponent::Y, (width, height))?];
    if picture.pixel_layout() != PixelLayout::I400 {
        planes.push(plane(PlanarImageComponent::U, thin)?);
        planes.push(plane(PlanarImageComponent::V, thin)?);
    }
    Ok(Frame {
        planes,
        coding: Coding {
            primaries: picture.color_primaries() as u8,
            transfer: picture.transfer_characteristic() as u8,
            matrix: picture.matrix_coefficients() as u8,
            full_range: picture.color_range() == pixel::YUVRange::Full,
        },
    })
}
