//! `porchlight edge init`: what a person gets who runs it beside the service.

use crate::harness::TestService;

#[tokio::test]
async fn the_worker_is_written_and_the_line_that_deploys_it_is_printed() {
    let service = TestService::start(&[]).await;
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("worker");
    let folder = folder.to_str().expect("UTF-8");
    // Without an object store, too: the Worker has a store of its own.
    let done = service.run(&["edge", "init", folder]).await;
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
    let settings = std::fs::read_to_string(service.data_dir().join("settings.toml"));
    let settings: toml::Table = settings.expect("settings").parse().expect("TOML");
    let key = settings["edge"]["secret"].as_str().expect("a key");
    assert!(!done.stderr.contains(key) && !done.stdout.contains(key));
}
