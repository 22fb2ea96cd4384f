//! Tests the object store as the Worker and readers use it: a small object is written with the
//! keys, read at the public address without them, and removed. That of a Worker's own store is read
//! by a signed request, too.

use std::time::Duration;

use object_store::path::Path as Key;
use object_store::{
    Attribute, Attributes, ObjectStore as _, ObjectStoreExt as _, PutOptions, PutPayload,
};
use reqwest::Response;
use reqwest::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_TYPE, ORIGIN};

use super::StorageSettings;
use super::remote::{client, safe_message};
use super::settings::StorageKind;
use crate::error::message::Message;
use crate::http::client_tls::cause_of;
use crate::storage::window::{StoreCheck, StoreStep};
use crate::text::address::WebAddress;

/// A slower public address counts as failed.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// A blog that might read.
const A_BLOG: &str = "https://blog.example";
/// What browsers and the Worker are to see.
const TYPE: &str = "text/plain; charset=utf-8";

/// Tests the store of these settings with an object that is removed in any case.
pub async fn test_store(storage: &StorageSettings) -> Vec<StoreCheck> {
    let mut checks = Vec::new();
    let mut add = |step, found: Result<(), Message>| {
        let trouble = found.err();
        checks.push(StoreCheck { step, trouble });
    };
    let word = || hex::encode(rand::random::<[u8; 16]>());
    let name = format!("porchlight-test-{}.txt", word());
    let content = word();
    // An object store is tested before anything goes there.
    let (kind, address) = match storage.kind {
        StorageKind::Edge => (StorageKind::Edge, Ok(String::new())),
        _ => (StorageKind::S3, public_address(storage, &name)),
    };
    let opened = address.and_then(|address| Ok((client(storage, kind, 0)?, address)));
    let (store, address) = match opened {
        Ok(opened) => opened,
        Err(why) => {
            add(StoreStep::Write, Err(why));
            return checks;
        }
    };
    let key = Key::from(name.as_str());
    let options = PutOptions {
        attributes: Attributes::from_iter([
            (Attribute::ContentType, TYPE),
            (Attribute::CacheControl, "no-store"),
        ]),
        ..PutOptions::default()
    };
    let payload = PutPayload::from(content.clone());
    let written = within(store.put_opts(&key, payload, options)).await;
    let is_written = written.is_ok();
    add(StoreStep::Write, written.map(drop));
    if is_written && kind == StorageKind::Edge {
        let read = within(async { store.get(&key).await?.bytes().await }).await;
        let differs = Err(crate::detail!("its answer cannot be understood"));
        add(
            StoreStep::Read,
            read.and_then(|read| if read == content { Ok(()) } else { differs }),
        );
    } else if is_written {
        match read(&address, &content).await {
            Ok(response) => {
                add(StoreStep::Read, Ok(()));
                add(StoreStep::Type, has_type(&response, &address));
                add(StoreStep::Cors, is_for_other_sites(&response, &address));
            }
            Err(why) => add(StoreStep::Read, Err(why)),
        }
    }
    // A write that seems to have failed may have been done.
    let removed = within(store.delete(&key)).await;
    if is_written {
        add(StoreStep::Remove, removed);
    }
    checks
}

/// Waits for the store, but not for ever.
async fn within<T>(call: impl Future<Output = object_store::Result<T>>) -> Result<T, Message> {
    match tokio::time::timeout(ANSWER_WITHIN, call).await {
        Ok(answer) => answer.map_err(|error| safe_message(&error)),
        Err(_) => Err(crate::detail!("no answer came in time")),
    }
}

/// Where everybody reads an object of this name.
fn public_address(storage: &StorageSettings, name: &str) -> Result<String, Message> {
    let unset = || crate::detail!("{name} is not set", name = "storage.storage_url");
    let url: &WebAddress = storage.storage_url.as_ref().ok_or_else(unset)?;
    Ok(url.join(&format!("/{name}")))
}

/// Reads the object as a page of a blog does. The answer comes without its body.
async fn read(address: &str, content: &str) -> Result<Response, Message> {
    let failed = |error: reqwest::Error| Message::AddressSilent {
        address: address.into(),
        why: cause_of(&error).into(),
    };
    let client = crate::http::client_tls::http_client()
        .timeout(ANSWER_WITHIN)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(failed)?;
    let request = client.get(address).header(ORIGIN, A_BLOG);
    let mut response = request.send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(Message::StoreNotPublic {
            address: address.into(),
            status: response.status().as_u16().into(),
        });
    }
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&part);
        if body.len() > content.len() {
            break;
        }
    }
    if body == content.as_bytes() {
        Ok(response)
    } else {
        Err(crate::detail!(
            "{address} answers with something else than what was written: it is not the public address of this bucket"
        ))
    }
}

fn has_type(response: &Response, address: &str) -> Result<(), Message> {
    let given = response.headers().get(CONTENT_TYPE);
    let given = given
        .and_then(|given| given.to_str().ok())
        .unwrap_or_default();
    if given.starts_with("text/plain") {
        return Ok(());
    }
    Err(Message::StoreWrongType {
        address: address.into(),
        given: given.into(),
    })
}

fn is_for_other_sites(response: &Response, address: &str) -> Result<(), Message> {
    let allowed = response.headers().get(ACCESS_CONTROL_ALLOW_ORIGIN);
    if allowed.is_some_and(|allowed| allowed == "*" || allowed == A_BLOG) {
        return Ok(());
    }
    let address = address.into();
    Err(Message::StoreNoCors { address })
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use porchlight_test_harness::garage::Garage;
    use porchlight_test_harness::s3::{ObjectStore, StoreMode};

    use super::*;

    /// The settings of a store, as the harness writes them for the command line.
    fn storage(settings: &[String]) -> StorageSettings {
        let value = |key: &str| {
            let start = format!("storage.{key}=");
            let found = settings.iter().find_map(|set| set.strip_prefix(&start));
            found.map(str::to_owned)
        };
        let url = |key| value(key).map(|url| url.parse().expect("an address"));
        StorageSettings {
            kind: StorageKind::S3,
            endpoint: url("endpoint"),
            region: value("region"),
            bucket: value("bucket"),
            access_key: value("access_key").map(Into::into),
            secret_key: value("secret_key").map(Into::into),
            storage_url: url("storage_url"),
            ..StorageSettings::default()
        }
    }

    async fn tested(storage: &StorageSettings) -> Vec<(StoreStep, Option<Message>)> {
        let checks = test_store(storage).await;
        let parts = |check: StoreCheck| (check.step, check.trouble);
        checks.into_iter().map(parts).collect()
    }

    /// Garage is not made for Windows.
    #[cfg(unix)]
    #[tokio::test]
    async fn a_real_store_passes_once_everybody_and_other_sites_may_read() {
        let garage = Garage::start().await;
        let mut storage = storage(&garage.settings());
        // The store's own port wants a key.
        storage.storage_url = storage.endpoint.clone();
        let closed = tested(&storage).await;
        assert_eq!(closed[0], (StoreStep::Write, None));
        let (step, why) = &closed[1];
        assert_eq!(*step, StoreStep::Read);
        assert!(
            matches!(why, Some(Message::StoreNotPublic { .. })),
            "{why:?}"
        );
        assert_eq!(closed[2], (StoreStep::Remove, None));

        storage.storage_url = garage.on_localhost().await.parse().ok();
        let found = tested(&storage).await;
        let steps: Vec<_> = found.iter().map(|(step, _)| *step).collect();
        let all = [
            StoreStep::Write,
            StoreStep::Read,
            StoreStep::Type,
            StoreStep::Cors,
            StoreStep::Remove,
        ];
        assert_eq!(steps, all);
        for (step, trouble) in found {
            match step {
                StoreStep::Cors => {
                    assert!(
                        matches!(trouble, Some(Message::StoreNoCors { .. })),
                        "{trouble:?}"
                    );
                }
                _ => assert_eq!(trouble, None, "{step:?}"),
            }
        }

        garage.let_other_sites_read().await;
        let found = tested(&storage).await;
        assert!(
            found.iter().all(|(_, trouble)| trouble.is_none()),
            "{found:?}"
        );
        assert_eq!(garage.objects().await, 0);
    }

    #[tokio::test]
    async fn the_store_test_names_what_a_store_does_not_do() {
        let store = ObjectStore::start().await;
        let mut storage = storage(&store.settings());
        store.is(StoreMode::NamesTheKey("InvalidAccessKeyId"));
        let refused = tested(&storage).await;
        let [(StoreStep::Write, Some(why))] = refused.as_slice() else {
            panic!("{refused:?}");
        };
        assert!(
            why.to_string()
                .contains("403 Forbidden, InvalidAccessKeyId"),
            "{why}"
        );

        // Without a type, and for no other sites.
        store.is(StoreMode::Well);
        let found = tested(&storage).await;
        let trouble = |wanted| {
            let mut all = found.iter();
            all.find_map(|(step, trouble)| (*step == wanted).then_some(trouble.as_ref()))
        };
        assert!(matches!(trouble(StoreStep::Read), Some(None)), "{found:?}");
        let kind = trouble(StoreStep::Type).flatten();
        assert!(
            matches!(kind, Some(Message::StoreWrongType { .. })),
            "{kind:?}"
        );
        let cors = trouble(StoreStep::Cors).flatten();
        assert!(
            matches!(cors, Some(Message::StoreNoCors { .. })),
            "{cors:?}"
        );
        assert!(store.objects().is_empty());

        // Another bucket's address.
        store.is(StoreMode::Well);
        let other = ObjectStore::start().await;
        storage.storage_url = Some(format!("{}/pictures", other.url()).parse().expect("a URL"));
        let elsewhere = tested(&storage).await;
        let (step, why) = &elsewhere[1];
        assert_eq!(*step, StoreStep::Read);
        assert!(
            matches!(why, Some(Message::StoreNotPublic { .. })),
            "{why:?}"
        );
        storage.storage_url = None;
        let unset = tested(&storage).await;
        let unset_url = crate::detail!("storage.storage_url is not set");
        assert_eq!(unset, [(StoreStep::Write, Some(unset_url))]);
    }

    #[tokio::test]
    async fn an_endless_listing_is_given_up() {
        let store = ObjectStore::start().await;
        for number in 0..60 {
            store.holds(&format!("randomimg/{number}.txt"), "");
        }
        let storage = storage(&store.settings());
        let place = super::super::remote::RemoteStore::open(&storage, StorageKind::S3);
        let listed = place.expect("a store").look_through().await;
        let error = listed.expect_err("too many");
        assert!(error.to_string().contains("more than 50"), "{error}");
    }
}
