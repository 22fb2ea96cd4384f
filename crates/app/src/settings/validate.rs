//! What keys ask of each other. Every sentence names both.

use std::collections::HashMap;

use porchlight_companion::tunnel::{InvalidTunnel, Plan};
use porchlight_core::settings::{Delivery, StorageKind};
use porchlight_server::settings::ClientIp;
use secrecy::ExposeSecret as _;

use super::problem::{Origin, Problem};
use super::{Behaviour, Settings};

/// The fewest characters of `edge.secret`.
const SHORTEST_KEY: usize = 32;

/// The rules that these settings break.
pub(super) fn broken(settings: &Settings, origins: &HashMap<String, Origin>) -> Vec<Problem> {
    let mut check = Check {
        settings,
        origins,
        problems: Vec::new(),
    };
    check.behaviour();
    check.redirect();
    check.object_store();
    check.publishing();
    check.edge();
    check.listener();
    check.target();
    check.tunnel();
    check.problems
}

struct Check<'a> {
    settings: &'a Settings,
    origins: &'a HashMap<String, Origin>,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn is_set(&self, key: &str) -> bool {
        self.origins.contains_key(key)
    }

    fn complain(&mut self, key: &str, text: String) {
        self.problems.push(Problem {
            origin: self.origins.get(key).cloned(),
            key: Some(key.to_owned()),
            text,
        });
    }

    fn behaviour(&mut self) {
        let Some(behaviour) = self.settings.behaviour else {
            return;
        };
        let name = match behaviour {
            Behaviour::A => "A",
            Behaviour::B => "B",
        };
        let delivery = self.settings.images.delivery;
        if self.is_set("images.delivery") && delivery != behaviour.delivery() {
            let delivery = delivery_name(delivery);
            let text = format!(
                "`images.delivery` is \"{delivery}\", which contradicts `behaviour` = \"{name}\": \
                 remove one of the two"
            );
            self.complain("images.delivery", text);
        }
        let fields = self.settings.heartbeat.fields;
        if self.is_set("heartbeat.fields") && fields != behaviour.fields() {
            let text = format!(
                "`heartbeat.fields` is {fields}, which contradicts `behaviour` = \"{name}\": \
                 remove one of the two"
            );
            self.complain("heartbeat.fields", text);
        }
    }

    fn redirect(&mut self) {
        let (key, value, delivery) = match self.settings.behaviour {
            Some(Behaviour::B) => ("behaviour", "B", Delivery::Redirect),
            Some(Behaviour::A) => return,
            None => ("images.delivery", "redirect", self.settings.images.delivery),
        };
        if delivery != Delivery::Redirect {
            return;
        }
        let storage = &self.settings.storage;
        if storage.kind != StorageKind::S3 {
            let text = format!(
                "`{key}` = \"{value}\" needs an object store, but `storage.kind` is \"disk\": \
                 set `storage.kind` to \"s3\" and say where it is"
            );
            self.complain(key, text);
        }
        if storage.storage_url.is_none() {
            let text = format!(
                "`{key}` = \"{value}\" needs `storage.storage_url`, the public address of the store"
            );
            self.complain(key, text);
        }
    }

    fn object_store(&mut self) {
        let storage = &self.settings.storage;
        if storage.kind != StorageKind::S3 {
            return;
        }
        let missing: Vec<String> = [
            ("endpoint", storage.endpoint.is_none()),
            ("bucket", storage.bucket.is_none()),
            ("access_key", storage.access_key.is_none()),
            ("secret_key", storage.secret_key.is_none()),
        ]
        .into_iter()
        .filter(|(_, missing)| *missing)
        .map(|(name, _)| format!("`storage.{name}`"))
        .collect();
        if !missing.is_empty() {
            let text = format!("`storage.kind` = \"s3\" needs {}", missing.join(", "));
            self.complain("storage.kind", text);
        }
    }

    fn publishing(&mut self) {
        let storage = &self.settings.storage;
        if !self.settings.publish.enabled {
            return;
        }
        if storage.kind != StorageKind::S3 {
            let text = "`publish.enabled` needs an object store, but `storage.kind` is \"disk\": \
                        set `storage.kind` to \"s3\" and say where it is";
            self.complain("publish.enabled", text.to_owned());
        }
        if storage.storage_url.is_none() {
            let text = "`publish.enabled` needs `storage.storage_url`, the public address of the \
                        store";
            self.complain("publish.enabled", text.to_owned());
        }
    }

    /// What is sealed with a short key, and public, can be opened by trying keys.
    fn edge(&mut self) {
        let secret = self.settings.edge.secret.as_ref();
        if secret.is_some_and(|secret| secret.expose_secret().chars().count() < SHORTEST_KEY) {
            let text = format!(
                "`edge.secret` has fewer than {SHORTEST_KEY} characters: remove it, and \
                 `porchlight edge init` makes one"
            );
            self.complain("edge.secret", text);
        }
    }

    fn listener(&mut self) {
        let server = &self.settings.server;
        if server.client_ip == ClientIp::Peer && !server.listen.ip().to_canonical().is_loopback() {
            let text = format!(
                "`server.listen` = \"{}\" is reachable from other machines, which is refused unless \
                 `server.client_ip` names the header of your own proxy: \"x-forwarded-for\" or \
                 \"cf-connecting-ip\"",
                server.listen
            );
            self.complain("server.listen", text);
        }
    }

    fn target(&mut self) {
        let presence = &self.settings.presence;
        let elsewhere = presence.target_url.as_ref();
        if let Some(url) = elsewhere.filter(|url| !url.is_https() && !url.is_loopback()) {
            let text = format!(
                "`presence.target_url` = \"{url}\" would send `presence.token` in the clear: \
                 use the https:// address of that service"
            );
            self.complain("presence.target_url", text);
        }
        if presence.target_url.is_some() && presence.token.is_none() {
            let text = "`presence.target_url` needs `presence.token`, a token of that service";
            self.complain("presence.target_url", text.to_owned());
        }
    }

    fn tunnel(&mut self) {
        if let Err(InvalidTunnel { key, text }) = Plan::of(&self.settings.tunnel) {
            self.complain(key, text);
        }
    }
}

fn delivery_name(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Direct => "direct",
        Delivery::Redirect => "redirect",
    }
}
