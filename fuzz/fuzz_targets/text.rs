//! The small words of the interface and of the settings: read, and written as they were meant.
#![no_main]

use libfuzzer_sys::fuzz_target;
use porchlight_service::http::settings::{LimitsSettings, ServerSettings};
use porchlight_service::settings::sections::{
    GameSettings, HeartbeatSettings, ImagesSettings, StorageSettings,
};
use porchlight_service::text::address::WebAddress;
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::text::rgba::Rgba;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(colour) = text.parse::<Rgba>() {
        assert_eq!(colour.to_string().parse::<Rgba>().ok(), Some(colour));
    }
    if let Ok(hash) = text.parse::<ImageHash>() {
        assert_eq!(hash.to_string().parse::<ImageHash>().ok(), Some(hash));
    }
    if let Ok(address) = text.parse::<WebAddress>() {
        let again = address.to_string().parse::<WebAddress>();
        assert_eq!(
            again.map(|again| again.to_string()).ok(),
            Some(address.to_string())
        );
    }
    let _ = toml::from_str::<ImagesSettings>(text);
    let _ = toml::from_str::<HeartbeatSettings>(text);
    let _ = toml::from_str::<StorageSettings>(text);
    let _ = toml::from_str::<GameSettings>(text);
    let _ = toml::from_str::<ServerSettings>(text);
    let _ = toml::from_str::<LimitsSettings>(text);
});
