//! Which answers count as "stored": those that name the image, and no others.

use crate::Uploader;
use crate::folder;
use crate::plain::{Plain, Trouble};

/// Answers of parked domains, captive portals and proxies, and answers of servers to other
/// requests.
const NO_ANSWERS: [Trouble; 8] = [
    Trouble::Answers(200, "<html>Welcome</html>"),
    Trouble::Answers(200, ""),
    Trouble::Answers(200, "{\"status\":\"ok\"}"),
    Trouble::Answers(201, "{\"hash\":\"../../etc\"}"),
    Trouble::Answers(202, "{\"hash\":\"ab12\"}"),
    Trouble::Answers(204, ""),
    Trouble::Answers(409, "{\"error\":\"Image already exists\"}"),
    Trouble::Answers(409, "<html>Conflict</html>"),
];

#[tokio::test]
async fn an_answer_that_names_no_image_is_a_failure_that_is_tried_again() {
    for no_answer in NO_ANSWERS {
        let plain = Plain::start(&[no_answer; 2]).await;
        let uploader = Uploader::new();
        let pictures = folder::of_pictures(1);
        let once = ["--retries", "0"];
        let report = uploader
            .run_json(pictures.path(), &plain.url(), &once)
            .await;
        assert_eq!(report.code, Some(1), "{no_answer:?}: {report:?}");
        assert_eq!(report.counts(), [0, 0, 0, 1], "{no_answer:?}: {report:?}");
        let reason = report.of_status("failed")[0]["reason"].to_string();
        assert!(reason.contains("not one of a service"), "{reason}");
        // Nothing was recorded: the next run sends it again.
        let report = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
        assert_eq!(report.counts(), [1, 0, 0, 0], "{no_answer:?}: {report:?}");
        assert_eq!(plain.arrived(), (1, 1), "{no_answer:?}");
    }
}

/// The script is for a shell.
#[cfg(unix)]
#[tokio::test]
async fn the_script_rejects_the_same_answers() {
    for no_answer in NO_ANSWERS {
        let plain = Plain::start(&[no_answer; 2]).await;
        let uploader = Uploader::new();
        let pictures = folder::of_pictures(1);
        let once = ["--retries", "0"];
        let ended = uploader
            .run_script(pictures.path(), &plain.url(), &once)
            .await;
        assert_eq!(ended.status.code(), Some(1), "{no_answer:?}: {ended:?}");
        let stderr = &ended.stderr;
        assert!(stderr.contains("not one of a service"), "{stderr}");
        let ended = uploader
            .run_script(pictures.path(), &plain.url(), &[])
            .await;
        assert_eq!(ended.status.code(), Some(0), "{no_answer:?}: {ended:?}");
        assert!(ended.stdout.contains("\n1 uploaded"), "{ended:?}");
        assert_eq!(plain.arrived(), (1, 1), "{no_answer:?}");
    }
}

/// The script is for a shell.
#[cfg(unix)]
#[tokio::test]
async fn a_ledger_entry_counts_only_where_the_server_has_the_image() {
    let plain = Plain::start(&[]).await;
    let (uploader, script) = (Uploader::new(), Uploader::new());
    let pictures = folder::of_pictures(2);
    let report = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    assert_eq!(report.counts(), [2, 0, 0, 0], "{report:?}");
    let ended = script.run_script(pictures.path(), &plain.url(), &[]).await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(plain.arrived(), (4, 2));
    // From now on it answers with a page for images that it does not have.
    plain.has_pages();
    plain.delete_one();
    let report = uploader.run_json(pictures.path(), &plain.url(), &[]).await;
    assert_eq!(report.counts(), [1, 1, 0, 0], "{report:?}");
    plain.delete_one();
    let ended = script.run_script(pictures.path(), &plain.url(), &[]).await;
    assert!(
        ended.stdout.contains("\n1 uploaded") && ended.stdout.contains("1 already there"),
        "{ended:?}"
    );
    assert_eq!(plain.arrived(), (6, 2));
}

#[tokio::test]
async fn an_endless_answer_is_read_up_to_the_limit() {
    for by_script in [false, cfg!(unix)] {
        let plain = Plain::start(&[Trouble::Endless]).await;
        let uploader = Uploader::new();
        let pictures = folder::of_pictures(1);
        let (folder, url, once) = (pictures.path(), plain.url(), ["--retries", "0"]);
        let code = match by_script {
            #[cfg(unix)]
            true => {
                let ended = uploader.run_script(folder, &url, &once).await;
                ended.status.code()
            }
            _ => uploader.run_json(folder, &url, &once).await.code,
        };
        assert_eq!(code, Some(1), "by the script: {by_script}");
        // One mebibyte is read, and some more is in buffers.
        let poured = plain.poured();
        assert!(poured < 32 << 20, "by the script: {by_script}: {poured}");
    }
}
