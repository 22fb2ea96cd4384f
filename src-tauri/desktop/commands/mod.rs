//! What the page may ask for: one command for each intention of the owner, in
//! a file for each place. A command that fails returns a message.

use tauri::Wry;
use tauri::ipc::Invoke;

mod editors;
mod home;
mod images;
mod maintenance;
mod native;
mod presence;
mod reach;
mod settings;
mod sharing;
mod statistics;
mod tokens;
mod uploads;

pub(super) use settings::ChosenFolders;

/// All of them; `permissions/window.toml` names them, too.
pub(super) fn all() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        home::home,
        home::requested_page,
        uploads::uploads,
        sharing::share,
        sharing::pause,
        sharing::resume,
        sharing::fix_status,
        uploads::choose_pictures,
        uploads::choose_folder_of_pictures,
        uploads::paste_pictures,
        uploads::copy_upload_link,
        uploads::retry_upload,
        uploads::cancel_upload,
        uploads::clear_uploads,
        uploads::set_aside_files,
        uploads::retry_set_aside,
        uploads::dismiss_set_aside,
        images::images,
        images::image_days,
        images::image_hashes,
        images::copy_links,
        images::name_image,
        images::remove_images,
        images::keep_images,
        images::removals,
        statistics::statistics,
        statistics::save_statistics,
        home::copy_address,
        native::start_at_login,
        native::menu_entry,
        home::copy_install_line,
        home::install_tunnel_program,
        home::try_now,
        home::pause_watching,
        home::blog_lines,
        home::copy_blog_lines,
        presence::presence,
        presence::presence_history,
        presence::try_rules,
        presence::program_of,
        presence::set_rules,
        presence::game,
        presence::test_game,
        settings::settings,
        settings::check_settings,
        settings::update_settings,
        settings::choose_folder,
        settings::choose_file,
        settings::appearance,
        settings::restart,
        settings::open_folder,
        settings::check_for_updates,
        reach::reach,
        reach::probe_edge,
        reach::test_store,
        reach::write_edge_files,
        reach::copy_for_edge,
        tokens::tokens,
        tokens::new_token,
        tokens::revoke_token,
        editors::set_up_editor,
        editors::copy_editor_address,
        maintenance::log_lines,
        maintenance::copy_diagnostics,
        maintenance::copy_log_line,
        maintenance::maintenance,
        maintenance::back_up,
        maintenance::restore_backup,
        maintenance::check_images,
        maintenance::cancel_work,
        maintenance::import_images,
        maintenance::move_images,
        maintenance::take_over_snapshot,
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    /// What stands in quotes after `before`, each time.
    fn named<'a>(text: &'a str, before: &str, end: char) -> BTreeSet<&'a str> {
        text.split(before)
            .skip(1)
            .filter_map(|rest| rest.split(end).next())
            .collect()
    }

    #[test]
    fn page_process_and_permissions_name_the_same_commands() {
        let page = named(include_str!("../../../ui/src/native.ts"), "command(\"", '"');
        let (_, listed) = include_str!("../../permissions/window.toml")
            .split_once("commands.allow = [")
            .expect("the list");
        let allowed: BTreeSet<_> = named(listed, "  \"", '"');
        let own = include_str!("mod.rs");
        let (_, list) = own.split_once("generate_handler![").expect("the list");
        let (list, _) = list.split_once(']').expect("its end");
        let answered: BTreeSet<_> = named(list, "::", ',');
        assert!(page.len() > 50, "{page:?}");
        assert_eq!(page, allowed);
        assert_eq!(page, answered);
    }

    #[test]
    fn page_and_process_name_the_parameters_alike() {
        let page = include_str!("../../../ui/src/native.ts");
        let sent = page.split("command(\"").skip(1).map(|call| {
            let (name, rest) = call.split_once('"').expect("the end of a name");
            let (words, _) = rest.split_once(')').expect("the end of a call");
            let words = words.split(['{', '}']).nth(1).unwrap_or_default();
            let words = words
                .split(',')
                .map(str::trim)
                .filter(|word| !word.is_empty());
            (name.to_owned(), words.map(str::to_owned).collect())
        });
        let sent: BTreeMap<String, BTreeSet<String>> = sent.collect();

        let files = [
            include_str!("maintenance.rs"),
            include_str!("editors.rs"),
            include_str!("home.rs"),
            include_str!("images.rs"),
            include_str!("native.rs"),
            include_str!("presence.rs"),
            include_str!("reach.rs"),
            include_str!("settings.rs"),
            include_str!("statistics.rs"),
            include_str!("sharing.rs"),
            include_str!("tokens.rs"),
            include_str!("uploads.rs"),
        ];
        let commands = files
            .iter()
            .flat_map(|file| file.split("#[tauri::command").skip(1));
        let taken = commands.map(|command| {
            let (_, command) = command.split_once("fn ").expect("a function");
            let (name, rest) = command.split_once('(').expect("its parameters");
            let (parameters, _) = rest.split_once(')').expect("their end");
            (name.to_owned(), of_the_page(parameters))
        });
        let taken: BTreeMap<String, BTreeSet<String>> = taken.collect();
        assert_eq!(sent, taken);
    }

    /// The names of what the page gives, as it spells them: what Tauri gives
    /// by itself is left out.
    fn of_the_page(parameters: &str) -> BTreeSet<String> {
        let own = |(name, kind): &(&str, &str)| {
            let given = ["State<", "AppHandle", "WebviewWindow"];
            !name.contains('<') && !given.iter().any(|given| kind.trim().starts_with(given))
        };
        // A comma within a type parts what has no colon.
        let named = parameters.split(',').filter_map(|one| one.split_once(':'));
        let spelled = |(name, _): (&str, &str)| {
            let mut words = name.trim().split('_');
            let first = words.next().unwrap_or_default().to_owned();
            words.fold(first, |all, word| {
                let (head, tail) = word.split_at(1);
                all + &head.to_uppercase() + tail
            })
        };
        named.filter(own).map(spelled).collect()
    }

    #[test]
    fn the_page_may_receive_events_and_call_its_commands_and_no_more() {
        let capability = include_str!("../../capabilities/window.json");
        let capability: serde_json::Value = serde_json::from_str(capability).expect("JSON");
        assert_eq!(
            capability["permissions"],
            serde_json::json!([
                "core:event:allow-listen",
                "core:event:allow-unlisten",
                "intentions"
            ])
        );
        assert_eq!(capability["windows"], serde_json::json!(["main"]));
        assert!(capability.get("remote").is_none(), "{capability}");
    }
}
