//! Editors and screenshot tools, with what `porchlight editor` makes for them:
//! each is run, or replayed as the program that it is for would send it. What needs a shell is for
//! Unix.

use porchlight_test_harness as harness;
#[cfg(unix)]
use std::{os::unix::fs::PermissionsExt as _, path::Path};

use harness::files::assert_mode;
use harness::pictures::{png, scene};
#[cfg(unix)]
use harness::process::{Ended, RunningProcess, clean_command};
use harness::{TestService, answer};
use serde_json::Value;

#[cfg(unix)]
async fn editor(service: &TestService, words: &[&str]) -> Ended {
    let ended = service.run(&[&["editor"], words].concat()).await;
    assert!(ended.status.success(), "{}", ended.stderr);
    ended
}

/// Runs a line as a shell does, in a folder.
#[cfg(unix)]
async fn shell(line: &str, folder: &Path) -> Ended {
    let mut command = clean_command("sh", folder);
    command.arg("-c").arg(line).current_dir(folder);
    RunningProcess::spawn(command).ended().await
}

fn picture(number: u64) -> Vec<u8> {
    png(&scene(number, 32, 24))
}

#[cfg(unix)]
fn write(folder: &Path, name: &str, number: u64) {
    std::fs::write(folder.join(name), picture(number)).expect("a file");
}

async fn names(service: &TestService) -> Vec<(String, String)> {
    let ended = service.run(&["token", "list", "--json"]).await;
    let rows: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let rows = rows.as_array().expect("a list");
    let text = |row: &Value, key: &str| row[key].as_str().expect("text").to_owned();
    rows.iter()
        .map(|row| (text(row, "name"), text(row, "scope")))
        .collect()
}

#[cfg(unix)]
#[tokio::test]
async fn the_curl_line_uploads_a_picture_and_holds_no_token() {
    let service = TestService::start(&[]).await;
    let made = editor(&service, &["curl"]).await;
    let header = service.data_dir().join("editors/curl.header");
    assert_mode(&header, 0o600);
    let token = std::fs::read_to_string(&header).expect("a header");
    let token = token.trim().strip_prefix("Authorization: Bearer ");
    let token = token.expect("a header").to_owned();
    assert!(!made.stdout.contains(&token) && !made.stderr.contains(&token));

    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "picture.png", 1);
    let ended = shell(made.stdout.trim(), folder.path()).await;
    let reply: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let hash = reply["hash"].as_str().expect("a hash");
    assert!(!service.webp(hash).await.is_empty());
}

#[tokio::test]
async fn share_x_gets_the_address_of_its_upload() {
    let service = TestService::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("porchlight.sxcu");
    let share_x = async |words: &[&str]| service.run(&[&["sharex"], words].concat()).await;
    let file_name = file.to_str().expect("UTF-8");
    let made = share_x(&[file_name]).await;
    assert!(made.status.success() && made.stdout.is_empty(), "{made:?}");
    assert_mode(&file, 0o600);
    let text = std::fs::read_to_string(&file).expect("a file");
    let uploader: Value = serde_json::from_str(&text).expect("JSON");
    let field = |key: &str| uploader[key].as_str().expect("text").to_owned();
    assert_eq!(field("Body"), "MultipartFormData");

    // As ShareX sends it: its method, address, headers, and the file as a part
    // of the form; the address is read off the answer.
    let (kind, body) =
        harness::form::file(&field("FileFormName"), "shot.png", "image/png", &picture(2));
    let send = async || {
        let method = field("RequestMethod").parse().expect("a method");
        let mut request = service.http.request(method, field("RequestURL"));
        for (name, value) in uploader["Headers"].as_object().expect("headers") {
            request = request.header(name, value.as_str().expect("text"));
        }
        let request = request
            .header("Content-Type", kind.clone())
            .body(body.clone());
        answer(request.send().await.expect("an answer")).await
    };
    let (status, reply) = send().await;
    assert_eq!(status, 201, "{reply}");
    let address = field("URL").replace("{json:hash}", reply["hash"].as_str().expect("a hash"));
    let picture = service.http.get(address).send().await.expect("an answer");
    assert_eq!(picture.headers()["content-type"], "image/webp");
    // It reads an address only from a success.
    let (status, again) = send().await;
    assert_eq!((status, again), (200, reply));
    assert_eq!(field("ErrorMessage"), "{json:error}");

    // A file that is there is replaced only if that is wanted; without one the uploader is printed.
    let refused = share_x(&[file_name]).await;
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), text);
    assert!(share_x(&[file_name, "--force"]).await.status.success());
    let replaced = std::fs::read_to_string(&file).expect("a file");
    assert_ne!(replaced, text, "it has a token of its own");
    let printed = share_x(&["--address", "https://light.example"]).await;
    let printed: Value = serde_json::from_str(&printed.stdout).expect("JSON");
    assert_eq!(
        printed["RequestURL"],
        "https://light.example/images/add?duplicate=ok"
    );
    let made = names(&service).await.into_iter();
    let made: Vec<_> = made
        .filter(|(name, _)| name.starts_with("ShareX"))
        .collect();
    assert_eq!(made.len(), 3, "{made:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn ksnip_and_flameshot_get_the_address_of_their_screenshot() {
    let service = TestService::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "it's one.png", 1);
    let printed = async |ended: Ended| {
        let address = ended.stdout.trim().to_owned();
        assert!(
            ended.status.success() && !address.contains('\n'),
            "{ended:?}"
        );
        let picture = service.http.get(&address).send().await.expect("an answer");
        assert_eq!(picture.headers()["content-type"], "image/webp");
        address
    };
    let made = editor(&service, &["ksnip"]).await;
    let script = Path::new(made.stdout.trim());
    let mode = std::fs::metadata(script).expect("a script").permissions();
    assert_eq!(mode.mode() & 0o777, 0o700);
    // As ksnip starts it: no shell, the file as its only argument.
    let mut command = clean_command(made.stdout.trim(), folder.path());
    command.arg(folder.path().join("it's one.png"));
    let first = printed(RunningProcess::spawn(command).ended().await).await;

    let programs = folder.path().join("bin");
    std::fs::create_dir(&programs).expect("a folder");
    let flameshot = programs.join("flameshot");
    let shot = "#!/bin/sh\n[ \"$*\" = 'gui --raw' ] && cat \"$HOME/it's one.png\"\n";
    std::fs::write(&flameshot, shot).expect("written");
    let runnable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&flameshot, runnable).expect("runnable");
    let made = editor(&service, &["flameshot"]).await;
    let line = format!("PATH={}:$PATH; {}", programs.display(), made.stdout.trim());
    assert_eq!(printed(shell(&line, folder.path()).await).await, first);
    // A screenshot that was given up.
    std::fs::write(&flameshot, "#!/bin/sh\nexit 1\n").expect("written");
    assert_eq!(shell(&line, folder.path()).await.stdout, "");
}

#[cfg(unix)]
#[tokio::test]
async fn typora_gets_an_address_for_each_file_in_their_order() {
    let service = TestService::start(&[]).await;
    let made = editor(&service, &["typora"]).await;
    assert_mode(&service.data_dir().join("editors/typora.token"), 0o600);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "it's one.png", 1);
    write(folder.path(), "two.png", 2);
    let line = format!("{} \"it's one.png\" two.png", made.stdout.trim());
    let first = shell(&line, folder.path()).await;
    assert!(first.status.success(), "{}", first.stderr);
    let addresses: Vec<&str> = first.stdout.lines().collect();
    assert_eq!(addresses.len(), 2, "{}", first.stdout);
    for address in &addresses {
        let picture = service.http.get(*address).send().await.expect("an answer");
        assert_eq!(picture.headers()["content-type"], "image/webp");
    }
    // The second time they are there already, and have the same addresses.
    let line = format!("{} two.png \"it's one.png\"", made.stdout.trim());
    let second = shell(&line, folder.path()).await;
    let turned: Vec<&str> = second.stdout.lines().rev().collect();
    assert_eq!(turned, addresses);
    let line = format!("{} no-such.png two.png", made.stdout.trim());
    let third = shell(&line, folder.path()).await;
    assert_eq!(third.status.code(), Some(1));
    assert_eq!(third.stdout.trim(), addresses[1]);
    assert!(third.stderr.contains("no-such.png"), "{}", third.stderr);
}

#[cfg(unix)]
#[tokio::test]
async fn each_editor_has_its_own_token_that_cannot_delete() {
    let service = TestService::start(&[]).await;
    for _ in 0..2 {
        editor(&service, &["--address", "https://light.example", "curl"]).await;
    }
    let made = editor(&service, &["--address", "https://light.example", "typora"]).await;
    assert!(
        made.stdout.contains("--api 'https://light.example'"),
        "{}",
        made.stdout
    );
    let names = names(&service).await;
    for name in ["curl", "curl 2", "Typora"] {
        assert!(
            names.contains(&(name.to_owned(), "upload".to_owned())),
            "{names:?}"
        );
    }
    let header = service.data_dir().join("editors/curl-2.header");
    let token = std::fs::read_to_string(header).expect("a header");
    let hash = service.stored(picture(3)).await;
    let refused = service
        .request(reqwest::Method::DELETE, &format!("/images/{hash}"))
        .header(
            "Authorization",
            token.trim().trim_start_matches("Authorization: "),
        )
        .send()
        .await;
    assert_eq!(refused.expect("an answer").status(), 403);
}

#[tokio::test]
async fn a_file_that_cannot_be_written_leaves_no_token() {
    let service = TestService::start(&[]).await;
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("no/such/folder.sxcu");
    let ended = service
        .run(&["sharex", file.to_str().expect("UTF-8")])
        .await;
    assert_eq!(ended.status.code(), Some(1), "{}", ended.stderr);
    let names = names(&service).await;
    assert!(!names.iter().any(|(name, _)| name == "ShareX"), "{names:?}");
}
