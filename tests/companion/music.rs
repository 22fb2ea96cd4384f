//! What a media player plays, as the line about the owner.

use serde_json::Value;

use crate::fixture::{Home, at, terminal};
use crate::harness::bus::Player;

const SHARED: &str = "presence.share_music=true";

fn line(wanted: &'static str) -> impl Fn(&Value) -> bool {
    move |check| check["application"] == "XTerm" && check["introduce"] == wanted
}

#[tokio::test]
async fn the_track_is_the_line_while_it_plays() {
    let home = Home::start(&[SHARED]).await;
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", line("At the command line")).await;
    let player = Player::start_named(&home.desktop, "spotify", "Playing").await;
    let track = line("♪ Clair de lune – Claude Debussy");
    home.sees("the track", track).await.soon();
    player.plays("Arabesque").await;
    let next = line("♪ Arabesque – Claude Debussy");
    home.sees("the next track", next).await.soon();
    // A track that is named like something private.
    player.plays("Online Banking").await;
    home.sees("no track", line("At the command line"))
        .await
        .soon();
    player.plays("Arabesque").await;
    let again = line("♪ Arabesque – Claude Debussy");
    home.sees("the track again", again).await.soon();
    player.becomes("Paused").await;
    let paused = line("At the command line");
    home.sees("the terminal again", paused).await.soon();
    let log = home.companion.terminated().await;
    assert!(!log.stderr.contains("Arabesque"), "{}", log.stderr);
}

#[tokio::test]
async fn without_consent_for_it_no_track_is_read_and_browsers_need_another() {
    let home = Home::start(&[]).await;
    let _player = Player::start_named(&home.desktop, "spotify", "Playing").await;
    let terminal = home.terminal("Shell").await;
    home.sees("the terminal", line("At the command line")).await;
    // By now the players have been looked at.
    drop(terminal);
    let nothing = |check: &Value| check["application"] == "" && check["introduce"] == "";
    home.sees("an empty desktop", nothing).await;

    let home = Home::start(&[SHARED]).await;
    let browser = Player::start_named(&home.desktop, "firefox.instance_1_7", "Playing").await;
    browser.plays("A film").await;
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", line("At the command line")).await;
    let _player = Player::start_named(&home.desktop, "zplayer", "Playing").await;
    let track = line("♪ Clair de lune – Claude Debussy");
    home.sees("the track of the player", track).await.soon();
}

#[tokio::test]
async fn a_rule_for_the_player_changes_or_hides_its_text() {
    let rules = "presence.rules=[{ program = 'spotify', introduce = 'Hears {title}' },\
                 { program = 'vlc', hide = true }]";
    let home = Home::start(&[SHARED, rules]).await;
    let _terminal = home.terminal("Shell").await;
    let vlc = Player::start_named(&home.desktop, "vlc", "Playing").await;
    let player = Player::start_named(&home.desktop, "spotify", "Playing").await;
    let worded = line("Hears Clair de lune – Claude Debussy");
    home.sees("the rule's words", worded).await.soon();
    drop(player);
    let nothing = line("At the command line");
    home.sees("nothing of the hidden player", nothing).await;
    drop(vlc);
    home.sees("the terminal", at("XTerm")).await;
}

#[tokio::test]
async fn a_film_a_file_name_and_media_beside_a_private_app_are_no_music() {
    let films = "presence.rules=[{ program = 'mpv', introduce = 'Hears {title}' }]";
    let home = Home::start(&[SHARED, films]).await;
    let _terminal = home.terminal("Shell").await;
    let vlc = Player::start_named(&home.desktop, "vlc", "Playing").await;
    vlc.plays("2024-03-01 clinic.mp4").await;
    let file = Player::start_named(&home.desktop, "mystery-player", "Playing").await;
    file.plays_by("voice memo 12.ogg", "").await;
    // The owner has words for this one.
    let allowed = Player::start_named(&home.desktop, "mpv", "Playing").await;
    allowed.plays_by("A concert", "").await;
    let worded = line("Hears A concert");
    home.sees("the rule's words", worded).await.soon();
    drop(allowed);
    let nothing = line("At the command line");
    home.sees("neither film nor file name", nothing)
        .await
        .soon();

    let spotify = Player::start_named(&home.desktop, "spotify", "Playing").await;
    let track = line("♪ Clair de lune – Claude Debussy");
    home.sees("the track", track).await.soon();
    let private = home.program("keepassxc", "Accounts").await;
    let nothing = |check: &Value| check["application"] == "" && check["introduce"] == "";
    home.sees("nothing", nothing).await.soon();
    drop(private);
    let _again = terminal(&home.desktop, "Second shell");
    home.bring_to_front("Second shell").await;
    home.sees("the track again", line("♪ Clair de lune – Claude Debussy"))
        .await;
    drop(spotify);
    home.sees("the terminal", line("At the command line")).await;
}

/// A player that is killed or that stops says nothing of it.
#[tokio::test]
async fn the_track_of_a_player_that_ends_without_a_signal_is_followed_by_that_of_another() {
    let home = Home::start(&[SHARED]).await;
    let _terminal = home.terminal("Shell").await;
    let first = Player::start_named(&home.desktop, "zplayer", "Playing").await;
    first.plays("Arabesque").await;
    let of_the_first = line("♪ Arabesque – Claude Debussy");
    home.sees("the first", &of_the_first).await;
    // By its name it comes before the first.
    let second = Player::start_named(&home.desktop, "spotify", "Playing").await;
    let of_the_second = line("♪ Clair de lune – Claude Debussy");
    home.sees("the second", &of_the_second).await;
    second.falls_silent().await;
    home.sees("the first again", &of_the_first).await;
    drop(second);
    let second = Player::start_named(&home.desktop, "spotify", "Playing").await;
    home.sees("the second again", &of_the_second).await;
    drop(second);
    home.sees("the first yet again", &of_the_first).await.soon();
    first.falls_silent().await;
    home.sees("the terminal", line("At the command line")).await;
}
