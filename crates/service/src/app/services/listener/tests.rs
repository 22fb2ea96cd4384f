//! A port that somebody else has, and a listener that ends.

use std::path::Path;

use porchlight_test_harness::free_port;

use super::*;
use crate::app::host::{Host, StartOptions};
use crate::testing::taken;
use crate::tunnel::window::TunnelState;

fn options(folder: &Path, set: &[String]) -> StartOptions {
    StartOptions {
        data_dir: Some(folder.to_owned()),
        listen: None,
        set: set.to_vec(),
        without_keyring: true,
    }
}

async fn host(folder: &Path, set: &[String]) -> Host {
    match Host::start(options(folder, set), Kind::Desktop).await {
        Ok(host) => host,
        Err(error) => panic!("{error}"),
    }
}

fn listen(folder: &Path, address: SocketAddr) {
    let text = format!("[server]\nlisten = \"{address}\"\n");
    std::fs::write(folder.join("settings.toml"), text).expect("to write");
}

async fn status(url: &str) -> Option<u16> {
    let client = crate::http::client_tls::http_client().no_proxy().build();
    let answer = client.expect("a client").get(format!("{url}/check"));
    Some(answer.send().await.ok()?.status().as_u16())
}

#[tokio::test]
async fn a_port_in_use_leaves_the_tray_app_running_and_is_retried_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let (held, address) = taken();
    listen(folder.path(), address);
    let host = host(folder.path(), &[]).await;
    let glance = host.blog_address();
    let why = glance.trouble.expect("a reason");
    assert!(
        why.to_string().contains("in use by another program"),
        "{why}"
    );
    assert_eq!(glance.port, None);
    assert_eq!(glance.url, format!("http://{address}"));
    // Nothing of the app's own goes to whoever has that port.
    let own = host.listener().own_url().get();
    assert!(own.starts_with("http://127.0.0.1:") && own != glance.url);
    assert_eq!(status(&own).await, Some(200));

    host.try_now().await;
    assert_eq!(host.blog_address().port, None);
    drop(held);
    host.try_now().await;
    let glance = host.blog_address();
    assert_eq!((glance.port, glance.trouble), (Some(address.port()), None));
    assert_eq!(host.listener().own_url().get(), glance.url);
    assert_eq!(status(&glance.url).await, Some(200));
    assert_eq!(status(&own).await, None, "nobody needs it any more");
    host.stop().await;
    for url in [&glance.url, &own] {
        assert_eq!(status(url).await, None, "{url}");
    }
}

#[tokio::test]
async fn another_port_in_the_settings_counts_at_once_while_nothing_listens() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_held, address) = taken();
    let (_too, also_taken) = taken();
    let other = (Ipv4Addr::LOCALHOST, free_port()).into();
    listen(folder.path(), address);
    let host = host(folder.path(), &[]).await;
    let change = async |to: SocketAddr| {
        let value = serde_json::json!(to.to_string());
        let change = [("server.listen".to_owned(), value)].into();
        host.store().change(&change).await
    };
    let refused = change(also_taken).await.expect_err("taken, too");
    assert!(
        refused.to_string().contains(&also_taken.to_string()),
        "{refused}"
    );
    let other_setting = [("app.theme".to_owned(), serde_json::json!("dark"))].into();
    assert_eq!(host.store().change(&other_setting).await, Ok(Vec::new()));
    assert_eq!(change(other).await, Ok(Vec::new()));
    assert_eq!(host.blog_address().port, Some(other.port()));
    assert_eq!(status(&format!("http://{other}")).await, Some(200));
    host.stop().await;
}

#[tokio::test]
async fn a_listener_moves_and_stays_where_its_new_address_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let first: SocketAddr = (Ipv4Addr::LOCALHOST, free_port()).into();
    listen(folder.path(), first);
    let host = host(folder.path(), &[]).await;
    let change = async |to: SocketAddr| {
        let value = serde_json::json!(to.to_string());
        let change = [("server.listen".to_owned(), value)].into();
        host.store().change(&change).await
    };
    let is_at = async |at: SocketAddr, not: SocketAddr| {
        assert_eq!(status(&format!("http://{at}")).await, Some(200), "{at}");
        assert_eq!(status(&format!("http://{not}")).await, None, "{not}");
        assert_eq!(host.listener().own_url().get(), format!("http://{at}"));
        assert_eq!(host.blog_address().port, Some(at.port()));
    };
    let second = (Ipv4Addr::LOCALHOST, free_port()).into();
    assert_eq!(change(second).await, Ok(Vec::new()));
    is_at(second, first).await;

    let (_held, taken) = taken();
    let refused = change(taken).await.expect_err("it is taken");
    assert!(
        refused.to_string().contains(&taken.to_string()),
        "{refused}"
    );
    is_at(second, first).await;

    // The same port: the old one closes first, and comes back where the new one fails.
    if cfg!(target_os = "linux") {
        let beside = |last| SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), second.port()));
        assert_eq!(change(beside(2)).await, Ok(Vec::new()));
        is_at(beside(2), second).await;
        let _held = std::net::TcpListener::bind(beside(3)).expect("a free address");
        change(beside(3)).await.expect_err("it is taken");
        is_at(beside(2), second).await;
    }
    host.stop().await;
}

#[tokio::test]
async fn a_listener_that_ends_by_itself_is_reported_and_restarted_at_its_address() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &["server.listen=127.0.0.1:0".to_owned()]).await;
    let wanted = host.settings().server.listen;
    let bound = Listener::bind(Kind::Desktop, wanted, host.service(), Shared::default()).await;
    let (listener, bound) = bound.expect("a free port");
    let url = listener.url();
    // As when serving panics: the port is free, and no command has asked for that.
    let address = bound.address();
    drop(bound);
    listener.0.has_ended(address);
    listener.ended().await;
    let why = listener.port().expect_err("it has ended");
    assert!(why.to_string().contains("stopped listening"), "{why}");
    assert_eq!(status(&url).await, None);

    assert_eq!(listener.follow(wanted).await, Ok(()));
    assert_eq!(listener.port(), Ok(address.port()));
    assert_eq!(status(&url).await, Some(200));
    listener.stop().await;
    host.stop().await;
}

#[tokio::test]
async fn a_tunnel_whose_port_is_taken_is_stopped_with_the_reason_until_it_is_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (held, address) = taken();
    let set = [
        "server.listen=127.0.0.1:0".to_owned(),
        "tunnel.kind=command".to_owned(),
        "tunnel.command=[\"no-such-tunnel\", \"{port}\"]".to_owned(),
        "tunnel.pattern=(https://x)".to_owned(),
        format!("tunnel.port={}", address.port()),
    ];
    let host = host(folder.path(), &set).await;
    let TunnelState::Stopped { why } = host.tunnel() else {
        panic!("{:?}", host.tunnel());
    };
    assert!(
        why.to_string().contains("in use by another program"),
        "{why}"
    );
    drop(held);
    host.try_now().await;
    assert!(!matches!(host.tunnel(), TunnelState::Stopped { .. }));
    host.stop().await;
}
