//! Rules between settings. Every sentence names both keys.

use std::collections::HashMap;

use secrecy::ExposeSecret as _;

use super::problem::{Origin, Problem};
use super::{Behaviour, Settings};
use crate::error::message::Message;
use crate::http::settings::ClientIp;
use crate::settings::sections::{Delivery, EdgeSettings, StorageKind};
use crate::text::address::WebAddress;
use crate::tunnel::{InvalidTunnel, Plan};

/// The fewest characters of `edge.secret`.
const SHORTEST_KEY: usize = 32;

pub(super) fn broken(settings: &Settings, origins: &HashMap<String, Origin>) -> Vec<Problem> {
    let mut check = Check {
        settings,
        origins,
        problems: Vec::new(),
    };
    check.behaviour();
    check.redirect();
    check.object_store();
    check.edge();
    check.listener();
    check.target();
    check.tunnel();
    check.update();
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

    fn complain(&mut self, key: &str, why: Message) {
        self.problems.push(Problem {
            origin: self.origins.get(key).cloned(),
            key: Some(key.to_owned()),
            why,
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
            let why = crate::detail!(
                "`images.delivery` is \"{delivery}\", which contradicts `behaviour` = \"{behaviour}\": remove one of the two",
                delivery = delivery_name(delivery),
                behaviour = name
            );
            self.complain("images.delivery", why);
        }
        let fields = self.settings.heartbeat.fields;
        if self.is_set("heartbeat.fields") && fields != behaviour.fields() {
            let why = crate::detail!(
                "`heartbeat.fields` is {fields}, which contradicts `behaviour` = \"{behaviour}\": remove one of the two",
                fields = fields.to_string(),
                behaviour = name
            );
            self.complain("heartbeat.fields", why);
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
            let (named, value) = (key, value);
            self.complain(key, crate::detail!("`{key}` = \"{value}\" needs an object store, but `storage.kind` is \"disk\": set `storage.kind` to \"s3\" and say where it is", key = named));
        }
        if storage.storage_url.is_none() {
            let (named, value) = (key, value);
            self.complain(key, crate::detail!("`{key}` = \"{value}\" needs `storage.storage_url`, the public address of the store", key = named));
        }
    }

    fn object_store(&mut self) {
        let storage = &self.settings.storage;
        let missing = storage.missing_for(storage.kind);
        if !missing.is_empty() {
            let missing: Vec<String> = missing.iter().map(|key| format!("`{key}`")).collect();
            let (kind, keys) = (storage.kind.name(), missing.join(", "));
            self.complain(
                "storage.kind",
                crate::detail!("`storage.kind` = \"{kind}\" needs {keys}"),
            );
        }
    }

    /// What is signed with a short key can be signed by trying keys.
    fn edge(&mut self) {
        let secret = self.settings.edge.secret.as_ref();
        if secret.is_some_and(|secret| secret.expose_secret().chars().count() < SHORTEST_KEY) {
            self.complain("edge.secret", crate::detail!("`edge.secret` has fewer than {SHORTEST_KEY} characters: remove it, and `porchlight edge init` makes one"));
        }
        let url = self.settings.edge.url.as_ref();
        let is_open = |url: &&WebAddress| !url.is_https() && !url.is_loopback();
        if self.settings.storage.kind == StorageKind::Edge
            && let Some(url) = url.filter(is_open)
        {
            self.complain(
                "edge.url",
                crate::detail!("`edge.url` = \"{url}\" is not encrypted: use an https:// address"),
            );
        }
        let api = &self.settings.edge.cloudflare_url;
        if api.as_str() != EdgeSettings::CLOUDFLARE && !api.is_loopback() {
            let url = api.as_str();
            self.complain("edge.cloudflare_url", crate::detail!("`edge.cloudflare_url` = \"{url}\" would get the token of your Cloudflare account: leave it out; only tests on this machine need it"));
        }
    }

    fn listener(&mut self) {
        let server = &self.settings.server;
        if server.client_ip == ClientIp::Peer && !server.listen.ip().to_canonical().is_loopback() {
            let address = server.listen.to_string().into();
            self.complain("server.listen", Message::ListenNeedsProxy { address });
        }
    }

    fn target(&mut self) {
        let presence = &self.settings.presence;
        let elsewhere = presence.target_url.as_ref();
        if let Some(url) = elsewhere.filter(|url| !url.is_https() && !url.is_loopback()) {
            let url = url.as_str();
            self.complain("presence.target_url", crate::detail!("`presence.target_url` = \"{url}\" would send `presence.token` in the clear: use the https:// address of that service"));
        }
        if presence.target_url.is_some() && presence.token.is_none() {
            self.complain(
                "presence.target_url",
                crate::detail!(
                    "`presence.target_url` needs `presence.token`, a token of that service"
                ),
            );
        }
    }

    fn tunnel(&mut self) {
        if let Err(InvalidTunnel { key, why }) = Plan::of(&self.settings.tunnel) {
            self.complain(key, why);
        }
    }

    fn update(&mut self) {
        let url = self.settings.update.url.as_ref();
        if let Some(url) = url.filter(|url| !url.is_https() && !url.is_loopback()) {
            self.complain(
                "update.url",
                crate::detail!(
                    "`update.url` = \"{url}\" is not encrypted: use an https:// address"
                ),
            );
        }
    }
}

fn delivery_name(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Direct => "direct",
        Delivery::Redirect => "redirect",
    }
}
