//! Tokens that are made and revoked in the window.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::form;
use crate::harness::pictures::photo;

/// What an upload and a heartbeat with this token are answered.
async fn answers(app: &Driven, token: &str) -> [u16; 2] {
    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &photo());
    let upload = app.service.request(Method::POST, "/images/add");
    let upload = upload.header(CONTENT_TYPE, content_type).body(body);
    let heartbeat = app.service.request(Method::POST, "/heartbeat");
    let mut answers = [0; 2];
    for (answer, request) in answers.iter_mut().zip([upload, heartbeat]) {
        let response = request.bearer_auth(token).send().await;
        *answer = response.expect("an answer").status().as_u16();
    }
    answers
}

#[tokio::test]
async fn a_token_made_in_the_window_works_for_its_scope_is_nowhere_on_the_page_and_can_be_revoked()
{
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("Access tokens").await;
    app.press("New token…").await;
    app.write("Name", "telescope").await;
    app.tick("Upload").await;
    app.press("Create and copy").await;
    app.see("Token copied.").await;
    let token = eventually("the token", async || {
        let token = desktop.clipboard().await;
        (token.len() >= 43).then_some(token)
    })
    .await;

    assert_eq!(answers(&app, &token).await, [201, 403]);
    app.see("Revoke").await;
    app.nowhere_on_the_page(&token).await;

    app.press_named("Revoke “telescope”").await;
    app.see("Revoke “telescope”?").await;
    let yes = "//dialog[@open]//button[@type='submit']";
    app.click(yes).await;
    app.see("Token revoked").await;
    assert_eq!(answers(&app, &token).await, [401, 401]);
    app.see_no_more("telescope").await;
    assert_eq!(app.service.count().await, 1);
}
