//! `porchlight edge init`: what a person gets who runs it beside the service.

use crate::harness::TestService;

#[tokio::test]
async fn the_worker_is_written_and_the_line_that_deploys_it_is_printed() {
    let mut service = TestService::start(&[]).await;
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("worker");
    let folder = folder.to_str().expect("UTF-8");
    let refused = service.run(&["edge", "init", folder]).await;
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(refused.stderr.contains("`storage.storage_url`"));

    let store = ["--set", "storage.storage_url=https://cdn.example"];
    let words = [&["edge", "init", folder][..], &store].concat();
    let done = service.run(&words).await;
    assert!(done.status.success(), "{done:?}");
    assert_eq!(
        done.stdout,
        "npx wrangler deploy && npx wrangler secret bulk secrets.json\n"
    );
    for name in [
        ".gitignore",
        "secrets.json",
        "worker.js",
        "workerd.capnp",
        "wrangler.toml",
    ] {
        assert!(home.path().join("worker").join(name).is_file(), "{name}");
    }
    // The key is in force from the next start on.
    let settings = std::fs::read_to_string(service.data_dir().join("settings.toml"));
    let settings: toml::Table = settings.expect("settings").parse().expect("TOML");
    let key = settings["edge"]["secret"].as_str().expect("a key");
    assert!(!done.stderr.contains(key) && !done.stdout.contains(key));
    service.restart().await;
    assert_eq!(service.get("/check").await.status(), 200);
}
