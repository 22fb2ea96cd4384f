//! Images that came in over HTTP, in the window.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::harness::pictures::{jpeg, kept, next_seed, scene};

#[tokio::test]
async fn a_photograph_uploaded_over_http_shows_in_the_window() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.see("No pictures yet.").await;

    let hash = app
        .service
        .upload(&jpeg(&scene(next_seed(), 900, 600)))
        .await;
    let image = format!("document.querySelector('img[src*=\"{hash}\"]')");
    let width = app
        .until("the thumbnail", &format!("return {image}?.naturalWidth"))
        .await;
    assert_eq!(width, 320, "a narrower copy");
    let source = app.script(&format!("return {image}.src")).await;
    assert_eq!(source, format!("picture://localhost/{hash}?w=320"));
    app.see("1 in total").await;
    app.go("Pictures").await;
    app.until(
        "the same in the grid",
        &format!("return {image}?.naturalWidth"),
    )
    .await;
    app.go("Statistics").await;
    app.see("Uploads").await;
}

#[tokio::test]
async fn formats_that_are_decoded_in_a_sandbox_are_stored_by_the_app_with_all_its_libraries() {
    let desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let files = ["lossy.avif", "lossy.jxl"];
    for (name, bytes) in kept() {
        if files.contains(&name.as_str()) {
            app.service.upload(&bytes).await;
        }
    }
    assert_eq!(app.service.count().await, files.len() as u64);
}

#[tokio::test]
async fn the_page_reaches_neither_the_network_nor_more_than_its_own_commands() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.see("No pictures yet.").await;
    let hash = app.service.upload(&jpeg(&scene(next_seed(), 90, 60))).await;
    let url = app.service.url();

    let invoke = |command: &str| {
        format!(
            "try {{ await window.__TAURI_INTERNALS__.invoke({command}); return 'done' }} catch {{ return 'refused' }}"
        )
    };
    // An element with its own text, which does nothing.
    let events = |kind: &str, fill: &str, done: &str| {
        format!(
            "const element = document.createElement('{kind}'); {fill}; \
             document.head.append(element); return {done} ? 'done' : 'refused'"
        )
    };
    // What the policy forbids, with an event to the page.
    let violated = |attempt: &str| {
        format!(
            "const outcome = new Promise((done) => {{ \
             document.addEventListener('securitypolicyviolation', () => done('refused'), {{ once: true }}); \
             setTimeout(() => done('done'), 2000) }}); \
             {attempt}; return await outcome"
        )
    };
    let refused = [
        format!("try {{ await fetch('{url}/check'); return 'done' }} catch {{ return 'refused' }}"),
        format!(
            "const image = new Image(); image.src = '{url}/i/{hash}'; \
             return await image.decode().then(() => 'done', () => 'refused')"
        ),
        "try { return new Function(\"return 'done'\")() } catch { return 'refused' }".to_owned(),
        events(
            "script",
            "element.textContent = 'parent.heard = true'",
            "window.heard",
        ),
        events(
            "style",
            "element.textContent = 'body { outline-style: dotted }'",
            "getComputedStyle(document.body).outlineStyle === 'dotted'",
        ),
        violated(&format!(
            "const frame = document.createElement('iframe'); frame.src = '{url}/'; \
             document.body.append(frame)"
        )),
        violated(&format!(
            "const form = document.createElement('form'); form.action = '{url}/images/add'; \
             form.method = 'post'; document.body.append(form); form.submit()"
        )),
        violated(&format!(
            "try {{ new WebSocket('{}') }} catch {{ }}",
            url.replace("http", "ws")
        )),
        violated(
            "const base = document.createElement('base'); base.href = 'https://example.org/'; \
             document.head.append(base)",
        ),
        invoke("'plugin:clipboard-manager|read_text'"),
        invoke("'plugin:dialog|open', { options: {} }"),
        invoke("'plugin:event|emit', { event: 'home-changed' }"),
        invoke("'plugin:window|close', { label: 'main' }"),
        invoke("'plugin:fs|read_text_file', { path: '/etc/hostname' }"),
        invoke("'plugin:opener|open_url', { url: 'https://example.org' }"),
        invoke("'read_file', { path: '/etc/hostname' }"),
        invoke(
            "'plugin:webview|create_webview_window', { options: { label: 'x', url: 'https://example.org' } }",
        ),
    ];
    for script in refused {
        assert_eq!(app.wait_for(&script).await, "refused", "{script}");
    }
    // The same injection works for what the page is allowed to do.
    assert_eq!(app.wait_for(&invoke("'home'")).await, "done");
}
