//! The examples of `docs/api.md`, run unchanged against a separate service.

use std::fs;
use std::process::Command;

use crate::harness::TestService;

fn examples() -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/api.md"));
    let page = page.expect("the page");
    let (_, after) = page
        .split_once("<!-- examples -->\n```sh\n")
        .expect("the examples");
    let (examples, _) = after.split_once("```").expect("their end");
    examples.to_owned()
}

#[tokio::test]
async fn every_curl_example_of_the_api_page_works() {
    let service = TestService::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    for (name, token) in [
        ("heartbeat", &service.heartbeat_token),
        ("admin", &service.admin_token),
    ] {
        let header = format!("Authorization: Bearer {token}\n");
        fs::write(folder.path().join(format!("{name}.header")), header).expect("a header file");
    }
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    std::os::unix::fs::symlink(sample, folder.path().join("docs")).expect("a link");
    let script = examples()
        .replace(
            "http://127.0.0.1:4780",
            service.url("").trim_end_matches('/'),
        )
        .replace("curl ", "curl --silent --show-error --fail-with-body ");
    let ran = Command::new("bash")
        .args(["-e", "-x", "-c", &script])
        .current_dir(folder.path())
        .output()
        .expect("bash");
    let output = String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.success(),
        "{output}\n{}",
        String::from_utf8_lossy(&ran.stdout)
    );
    let picture = fs::read(folder.path().join("narrower.webp")).expect("the picture");
    assert_eq!(&picture[8..12], b"WEBP");
}
