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
    check.publishing();
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
            let why = Message::DeliveryContradicts {
                delivery: delivery_name(delivery).into(),
                behaviour: name.into(),
            };
            self.complain("images.delivery", why);
        }
        let fields = self.settings.heartbeat.fields;
        if self.is_set("heartbeat.fields") && fields != behaviour.fields() {
            let why = Message::FieldsContradict {
                fields: fields.to_string().into(),
                behaviour: name.into(),
            };
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
            let (named, value) = (key.into(), value.into());
            self.complain(key, Message::NeedsObjectStore { key: named, value });
        }
        if storage.storage_url.is_none() {
            let (named, value) = (key.into(), value.into());
            self.complain(key, Message::NeedsStorageUrl { key: named, value });
        }
    }

    fn object_store(&mut self) {
        let storage = &self.settings.storage;
        let missing = storage.missing_for(storage.kind);
        if !missing.is_empty() {
            let missing: Vec<String> = missing.iter().map(|key| format!("`{key}`")).collect();
            let (kind, keys) = (storage.kind.name().into(), missing.join(", ").into());
            self.complain("storage.kind", Message::ObjectStoreNeeds { kind, keys });
        }
    }

    fn publishing(&mut self) {
        let storage = &self.settings.storage;
        if !self.settings.publish.enabled {
            return;
        }
        if storage.kind == StorageKind::Disk {
            self.complain("publish.enabled", Message::PublishNeedsStore);
        }
        if storage.kind != StorageKind::Edge && storage.storage_url.is_none() {
            self.complain("publish.enabled", Message::PublishNeedsStorageUrl);
        }
    }

    /// What is sealed with a short key, and public, can be opened by trying keys.
    fn edge(&mut self) {
        let secret = self.settings.edge.secret.as_ref();
        if secret.is_some_and(|secret| secret.expose_secret().chars().count() < SHORTEST_KEY) {
            let least = SHORTEST_KEY.into();
            self.complain("edge.secret", Message::EdgeSecretShort { least });
        }
        let url = self.settings.edge.url.as_ref();
        let is_open = |url: &&WebAddress| !url.is_https() && !url.is_loopback();
        if self.settings.storage.kind == StorageKind::Edge
            && let Some(url) = url.filter(is_open)
        {
            let url = url.as_str().into();
            self.complain("edge.url", Message::EdgeInTheClear { url });
        }
        let api = &self.settings.edge.cloudflare_url;
        if api.as_str() != EdgeSettings::CLOUDFLARE && !api.is_loopback() {
            let url = api.as_str().into();
            self.complain("edge.cloudflare_url", Message::CloudflareElsewhere { url });
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
            let url = url.as_str().into();
            self.complain("presence.target_url", Message::TokenInTheClear { url });
        }
        if presence.target_url.is_some() && presence.token.is_none() {
            self.complain("presence.target_url", Message::TargetNeedsToken);
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
            let url = url.as_str().into();
            self.complain("update.url", Message::UpdateInTheClear { url });
        }
    }
}

fn delivery_name(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Direct => "direct",
        Delivery::Redirect => "redirect",
    }
}
