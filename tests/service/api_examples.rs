//! The examples of `docs/api.md`, run unchanged against a separate service.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::harness::TestService;

/// The example after this line, for this service.
fn example(service: &TestService, opening: &str) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/api.md"));
    let page = page.expect("the page");
    let (_, after) = page.split_once(opening).expect("the example");
    let (example, _) = after.split_once("```").expect("its end");
    example.replace(
        "http://127.0.0.1:4780",
        service.url("").trim_end_matches('/'),
    )
}

/// A folder with the header files of the page, in a clone of the repository.
fn folder(service: &TestService) -> TempDir {
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
    folder
}

/// What the program prints, which must succeed.
fn printed(folder: &Path, program: &str, words: &[&str]) -> String {
    let ran = Command::new(program)
        .args(words)
        .current_dir(folder)
        .output()
        .expect(program);
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{errors}\n{output}");
    output
}

#[tokio::test]
async fn every_curl_example_of_the_api_page_works() {
    let service = TestService::start(&[]).await;
    let folder = folder(&service);
    let script = example(&service, "<!-- examples -->\n```sh\n")
        .replace("curl ", "curl --silent --show-error --fail-with-body ");
    printed(folder.path(), "bash", &["-e", "-x", "-c", &script]);
    let picture = fs::read(folder.path().join("narrower.webp")).expect("the picture");
    assert_eq!(&picture[8..12], b"WEBP");
}

/// TypeScript's compiler comes with the tests of the Worker: `cargo xtask test --only edge`.
#[tokio::test]
async fn the_examples_in_typescript_and_python_work() {
    let service = TestService::start(&[]).await;
    let folder = folder(&service);
    let typescript = example(&service, "\n```ts\n");
    fs::write(folder.path().join("example.mts"), typescript).expect("written");
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/edge/node_modules");
    let compiler = format!("{modules}/typescript/bin/tsc");
    let types = format!("{modules}/@types");
    let options = "--strict --target es2022 --module nodenext --types node --typeRoots";
    let words: Vec<&str> = [compiler.as_str()]
        .into_iter()
        .chain(options.split(' '))
        .chain([types.as_str(), "example.mts"])
        .collect();
    printed(folder.path(), "node", &words);
    let lines = printed(folder.path(), "node", &["example.mjs"]);
    let stored = service.json("/images/list").await["images"][0]["hash"].take();
    let link = service.url(&format!("/i/{}.webp", stored.as_str().expect("a hash")));
    assert_eq!(lines, format!("{link}\nZed 1\n"));

    let python = example(&service, "\n```python\n");
    let lines = printed(folder.path(), "python3", &["-c", &python]);
    assert!(lines.starts_with(&format!("Zed\n{link} 20")), "{lines}");
}
