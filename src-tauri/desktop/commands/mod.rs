//! What the page may ask for: one command for each intention of the owner, in
//! a file for each place. A command that fails returns a message.

use tauri::Wry;
use tauri::ipc::Invoke;

mod blogs;
mod devices;
mod editors;
mod game;
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

pub(super) use blogs::ChosenBlog;
pub(super) use devices::TypedFields;

/// All of them. The permission of the window and the page's `ui/src/api/commands.ts` are made from
/// this list.
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
        images::put_in_album,
        images::rename_album,
        images::albums,
        images::remove_images,
        images::put_back_images,
        images::trash,
        blogs::posts,
        blogs::posts_of,
        blogs::open_post,
        blogs::choose_blog,
        blogs::plan_blog,
        blogs::adopt_blog,
        blogs::undo_blog,
        statistics::statistics,
        statistics::save_statistics,
        home::copy_address,
        native::start_at_login,
        native::menu_entry,
        home::copy_install_line,
        home::try_now,
        home::pause_watching,
        home::blog_lines,
        home::copy_blog_lines,
        presence::presence,
        presence::presence_history,
        presence::try_rules,
        presence::program_of,
        presence::set_rules,
        presence::turn_on_gnome_extension,
        devices::allow_device,
        devices::rename_device,
        devices::forget_device,
        devices::order_devices,
        devices::add_device,
        devices::copy_device_field,
        devices::finish_adding_device,
        game::game,
        settings::settings,
        settings::check_settings,
        settings::update_settings,
        settings::choose_folder,
        settings::choose_file,
        settings::appearance,
        settings::quit,
        settings::open_folder,
        settings::check_for_updates,
        reach::reach,
        reach::take_over_worker,
        reach::test_store,
        reach::write_edge_files,
        reach::copy_for_edge,
        reach::open_token_page,
        reach::set_up_edge,
        reach::stop_edge_setup,
        reach::put_off_edge_update,
        reach::forget_edge_token,
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
    ]
}

#[cfg(test)]
mod tests {
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
