//! The AV1 of an AVIF, by rav1d.

use re_rav1d::dav1d::{
    Decoder, Error, Picture, PixelLayout, PlanarImageComponent, Settings, pixel,
};

use super::super::ConvertError;
use super::super::limits::Limits;
use super::yuv::{Coding, Plane, Planes};

pub(super) fn decode(payload: Vec<u8>, limits: &Limits) -> Result<Planes, ConvertError> {
    let mut settings = Settings::new();
    settings.set_n_threads(1);
    settings.set_max_frame_delay(1);
    settings.set_frame_size_limit(u32::try_from(limits.max_pixels()).unwrap_or(u32::MAX));
    let mut decoder = Decoder::with_settings(&settings).map_err(refused)?;
    let mut sent = decoder.send_data(payload, None, None, None);
    loop {
        match decoder.get_picture() {
            Ok(picture) => return planes(&picture),
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

fn planes(picture: &Picture) -> Result<Planes, ConvertError> {
    let plane = |component: PlanarImageComponent| Plane {
        bytes: Box::new(picture.plane(component)),
        stride: picture.stride(component) as usize,
    };
    let layout = picture.pixel_layout();
    let bits = picture
        .bits_per_component()
        .ok_or_else(|| ConvertError::invalid("samples of an unknown width"))?;
    Ok(Planes {
        width: picture.width() as usize,
        height: picture.height() as usize,
        bits: bits.0 as u32,
        luma: plane(PlanarImageComponent::Y),
        chroma: (layout != PixelLayout::I400)
            .then(|| [PlanarImageComponent::U, PlanarImageComponent::V].map(plane)),
        thin: (
            matches!(layout, PixelLayout::I420 | PixelLayout::I422),
            layout == PixelLayout::I420,
        ),
        coding: Coding {
            primaries: picture.color_primaries() as u8,
            transfer: picture.transfer_characteristic() as u8,
            matrix: picture.matrix_coefficients() as u8,
            full_range: picture.color_range() == pixel::YUVRange::Full,
        },
    })
}
