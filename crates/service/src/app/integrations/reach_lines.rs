//! The lines that the page "Always reachable" offers for the object store and the Worker. Only the
//! key of the Worker is a secret, and it goes to the clipboard alone.

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::edge::DEPLOY;
use crate::error::message::Message;
use crate::settings::Settings;
use crate::settings::layers::Layers;
use crate::status::window::reach::{ReachLines, ReachText, StoreMaker};

/// Whose object store these settings name.
pub fn maker(settings: &Settings) -> StoreMaker {
    let storage = &settings.storage;
    let urls = [&storage.endpoint, &storage.storage_url];
    let mut hosts = urls.into_iter().flatten().map(super::edge::host);
    let endpoint = hosts.next().unwrap_or_default();
    let name = endpoint.split(':').next().unwrap_or_default();
    if [endpoint, hosts.next().unwrap_or_default()]
        .iter()
        .any(|host| host.ends_with(".r2.cloudflarestorage.com") || host.ends_with(".r2.dev"))
    {
        return StoreMaker::R2;
    }
    let is_region = storage.region.as_deref() == Some("garage");
    let is_local =
        name == "localhost" || !name.contains('.') || name.parse::<std::net::IpAddr>().is_ok();
    match is_region || is_local {
        true => StoreMaker::Own,
        false => StoreMaker::Other,
    }
}

pub fn lines(settings: &Settings) -> ReachLines {
    let storage = &settings.storage;
    let bucket = in_shell(storage.bucket.as_deref().unwrap_or("BUCKET"));
    let endpoint = storage.endpoint.as_ref();
    let endpoint = in_shell(endpoint.map_or("ENDPOINT", |url| url.as_str()));
    let all = json!({ "CORSRules": rules() });
    ReachLines {
        deploy: DEPLOY.to_owned(),
        cors: format!("{:#}", rules()),
        cors_command: format!(
            "aws s3api put-bucket-cors --endpoint-url {endpoint} --bucket {bucket} \
             --cors-configuration '{all}'"
        ),
        website: format!("garage bucket website --allow {bucket}"),
    }
}

/// The variables of the Worker but for the key, as its files have them.
pub fn variables(settings: &Settings) -> Vec<(String, String)> {
    let address = settings.edge.url.as_ref();
    let address = address.map_or(String::new(), ToString::to_string);
    [
        ("CLIENT_IP_HEADER", "CF-Connecting-IP".to_owned()),
        ("ADDRESS", address),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// A text for the clipboard. The key is read from the file, where it may have been written a moment
/// ago.
///
/// # Errors
/// Where there is no key, or the file cannot be read.
pub fn text(which: ReachText, settings: &Settings, layers: &Layers) -> Result<String, Message> {
    let lines = lines(settings);
    Ok(match which {
        ReachText::Deploy => lines.deploy,
        ReachText::Cors => lines.cors,
        ReachText::CorsCommand => lines.cors_command,
        ReachText::Website => lines.website,
        ReachText::Secret => {
            let key = layers.read()?.settings.edge.secret;
            key.ok_or(crate::detail!(
                "there is no key yet: save the Worker’s files first"
            ))?
            .expose_secret()
            .to_owned()
        }
    })
}

/// Everybody may read, from any site.
fn rules() -> Value {
    json!([{
        "AllowedOrigins": ["*"],
        "AllowedMethods": ["GET", "HEAD"],
        "AllowedHeaders": ["*"],
        "MaxAgeSeconds": 86400
    }])
}

/// One word of a POSIX shell.
fn in_shell(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/:".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(endpoint: &str, storage_url: &str, bucket: &str) -> Settings {
        let mut settings = Settings::default();
        let url = |text: &str| Some(text.parse().expect("an address"));
        settings.storage.endpoint = url(endpoint);
        settings.storage.storage_url = url(storage_url);
        settings.storage.bucket = Some(bucket.to_owned());
        settings.storage.secret_key = Some("hush".into());
        settings.edge.secret = Some("hush".into());
        settings
    }

    #[test]
    fn the_maker_follows_from_the_addresses() {
        for (endpoint, public, made_by) in [
            (
                "https://a1.r2.cloudflarestorage.com",
                "https://i.example",
                StoreMaker::R2,
            ),
            ("https://s3.example", "https://pub-1.r2.dev", StoreMaker::R2),
            (
                "http://127.0.0.1:3900",
                "https://i.example",
                StoreMaker::Own,
            ),
            ("http://nas:3900", "https://i.example", StoreMaker::Own),
            ("https://s3.example", "https://i.example", StoreMaker::Other),
        ] {
            assert_eq!(
                maker(&settings(endpoint, public, "b")),
                made_by,
                "{endpoint}"
            );
        }
        let mut garage = settings("https://s3.example", "https://i.example", "b");
        garage.storage.region = Some("garage".to_owned());
        assert_eq!(maker(&garage), StoreMaker::Own);
    }

    #[test]
    fn lines_are_whole_words_of_a_shell_and_hold_no_key() {
        let of = |bucket| {
            lines(&settings(
                "http://s3.example:3900",
                "https://i.example",
                bucket,
            ))
        };
        let plain = of("blog");
        assert_eq!(plain.website, "garage bucket website --allow blog");
        let (_, rules) = plain
            .cors_command
            .split_once("--cors-configuration ")
            .expect("rules");
        let rules: Value = serde_json::from_str(rules.trim_matches('\'')).expect("JSON");
        let page: Value = serde_json::from_str(&plain.cors).expect("JSON");
        assert_eq!(rules["CORSRules"], page);
        let odd = of("it's; rm -rf ~");
        assert!(
            odd.website.ends_with(r"'it'\''s; rm -rf ~'"),
            "{}",
            odd.website
        );
        let all = serde_json::to_string(&odd).expect("JSON");
        assert!(!all.contains("hush"), "{all}");
    }
}
