//! The items of the tray's menu. Only what has changed is set again: on Linux
//! each change sends the whole menu over the session bus.

use tauri::menu::{Menu, MenuItem, PredefinedMenuItem, Submenu};
use tauri::{AppHandle, Wry};

use super::content::Content;

// What the items are called in a click.
pub(super) const ALERT: &str = "alert";
pub(super) const PAUSE: &str = "pause";
pub(super) const PAUSE_FOR_HALF_AN_HOUR: &str = "pause-for-half-an-hour";
pub(super) const PAUSE_UNTIL_TOMORROW: &str = "pause-until-tomorrow";
pub(super) const RESUME: &str = "resume";
pub(super) const SET_STATUS: &str = "set-status";
pub(super) const CLEAR_STATUS: &str = "clear-status";
/// The place of the status in the list follows, from 0.
pub(super) const USE_STATUS: &str = "use-status-";
pub(super) const UPLOAD: &str = "upload-from-clipboard";
pub(super) const COPY_LAST_LINK: &str = "copy-last-link";
pub(super) const COPY_ADDRESS: &str = "copy-address";
/// A picture's hash follows.
pub(super) const COPY_LINK: &str = "copy-link-of-";
pub(super) const OPEN: &str = "open";
pub(super) const QUIT: &str = "quit";

/// The position of the line with what needs the owner.
const PLACE_OF_NEED: usize = 1;
/// The position of the line about the address, without that one.
const PLACE_OF_ADDRESS: usize = 9;

/// The menu, and its items that change.
pub(super) struct TrayMenu {
    app: AppHandle,
    pub(super) menu: Menu<Wry>,
    shared: MenuItem<Wry>,
    alert: MenuItem<Wry>,
    pause: Submenu<Wry>,
    pauses: [MenuItem<Wry>; 3],
    resume: MenuItem<Wry>,
    status: Submenu<Wry>,
    set_status: MenuItem<Wry>,
    clear_status: MenuItem<Wry>,
    upload: MenuItem<Wry>,
    copy_last_link: MenuItem<Wry>,
    copy_address: MenuItem<Wry>,
    address: MenuItem<Wry>,
    recent: Submenu<Wry>,
    open: MenuItem<Wry>,
    quit: MenuItem<Wry>,
}

impl TrayMenu {
    /// The menu that shows this. Must be called on the main thread.
    pub(super) fn build(app: &AppHandle, content: &Content) -> tauri::Result<Self> {
        let words = content.words;
        let item = |id: &str, text: &str, enabled| {
            MenuItem::with_id(app, id, plain(text), enabled, None::<&str>)
        };
        let pauses = [
            item(PAUSE_FOR_HALF_AN_HOUR, words.for_half_an_hour, true)?,
            item(PAUSE_UNTIL_TOMORROW, words.until_tomorrow, true)?,
            item(PAUSE, words.until_resumed, true)?,
        ];
        let pause = Submenu::with_items(
            app,
            words.pause,
            content.can_pause,
            &[&pauses[0], &pauses[1], &pauses[2]],
        )?;
        let recent = Submenu::new(app, words.recent_uploads, !content.recent.is_empty())?;
        let this = Self {
            app: app.clone(),
            menu: Menu::new(app)?,
            shared: item("shared", &content.shared, false)?,
            alert: item(ALERT, "", true)?,
            pause,
            pauses,
            resume: item(RESUME, content.resume.0, content.resume.1)?,
            status: Submenu::new(app, words.status, content.can_pause)?,
            set_status: item(SET_STATUS, words.set_status, true)?,
            clear_status: item(CLEAR_STATUS, words.clear_status, content.has_status)?,
            upload: item(UPLOAD, words.upload_from_clipboard, true)?,
            copy_last_link: item(
                COPY_LAST_LINK,
                words.copy_last_link,
                !content.recent.is_empty(),
            )?,
            copy_address: item(COPY_ADDRESS, words.copy_address, true)?,
            address: item("address", "", false)?,
            recent,
            open: item(OPEN, words.open, true)?,
            quit: item(QUIT, words.quit, true)?,
        };
        let line = || PredefinedMenuItem::separator(app);
        this.menu.append_items(&[
            &this.shared,
            &line()?,
            &this.pause,
            &this.resume,
            &this.status,
            &line()?,
            &this.upload,
            &this.copy_last_link,
            &this.copy_address,
            &this.recent,
            &line()?,
            &this.open,
            &this.quit,
        ])?;
        this.list_statuses(content)?;
        this.list_recent(content)?;
        this.show_alert(None, content.alert.as_deref())?;
        this.name_address(None, content)?;
        Ok(this)
    }

    /// Shows this, where it showed `before`.
    pub(super) fn follow(&self, before: &Content, content: &Content) -> tauri::Result<()> {
        if before.words != content.words {
            self.speak(content)?;
        }
        if before.shared != content.shared {
            self.shared.set_text(plain(&content.shared))?;
        }
        if before.alert != content.alert {
            self.show_alert(before.alert.as_deref(), content.alert.as_deref())?;
        }
        if before.address != content.address {
            self.name_address(before.address, content)?;
        }
        if before.can_pause != content.can_pause {
            self.pause.set_enabled(content.can_pause)?;
            self.status.set_enabled(content.can_pause)?;
        }
        if before.resume != content.resume {
            self.resume.set_text(content.resume.0)?;
            self.resume.set_enabled(content.resume.1)?;
        }
        if before.has_status != content.has_status {
            self.clear_status.set_enabled(content.has_status)?;
        }
        if before.statuses != content.statuses {
            self.list_statuses(content)?;
        }
        if before.recent != content.recent {
            self.list_recent(content)?;
            let any = !content.recent.is_empty();
            if any == before.recent.is_empty() {
                self.recent.set_enabled(any)?;
                self.copy_last_link.set_enabled(any)?;
            }
        }
        Ok(())
    }

    /// Puts what never changes but by its language into these words.
    fn speak(&self, content: &Content) -> tauri::Result<()> {
        let words = content.words;
        self.pause.set_text(words.pause)?;
        self.pauses[0].set_text(words.for_half_an_hour)?;
        self.pauses[1].set_text(words.until_tomorrow)?;
        self.pauses[2].set_text(words.until_resumed)?;
        self.status.set_text(words.status)?;
        self.set_status.set_text(words.set_status)?;
        self.clear_status.set_text(words.clear_status)?;
        self.upload.set_text(words.upload_from_clipboard)?;
        self.copy_last_link.set_text(words.copy_last_link)?;
        self.copy_address.set_text(words.copy_address)?;
        self.recent.set_text(words.recent_uploads)?;
        self.open.set_text(words.open)?;
        self.quit.set_text(words.quit)
    }

    fn show_alert(&self, before: Option<&str>, need: Option<&str>) -> tauri::Result<()> {
        if let Some(need) = need {
            self.alert.set_text(plain(need))?;
        }
        match (before, need) {
            (None, Some(_)) => self.menu.insert(&self.alert, PLACE_OF_NEED),
            (Some(_), None) => self.menu.remove(&self.alert),
            _ => Ok(()),
        }
    }

    fn name_address(&self, before: Option<&str>, content: &Content) -> tauri::Result<()> {
        if let Some(address) = content.address {
            self.address.set_text(plain(address))?;
        }
        match (before, content.address) {
            (None, Some(_)) => {
                let needs = usize::from(content.alert.is_some());
                self.menu.insert(&self.address, PLACE_OF_ADDRESS + needs)
            }
            (Some(_), None) => self.menu.remove(&self.address),
            _ => Ok(()),
        }
    }

    fn list_statuses(&self, content: &Content) -> tauri::Result<()> {
        while self.status.remove_at(0)?.is_some() {}
        for (place, text) in content.statuses.iter().enumerate() {
            let id = format!("{}{place}", USE_STATUS);
            let item = MenuItem::with_id(&self.app, id, plain(text), true, None::<&str>)?;
            self.status.append(&item)?;
        }
        if !content.statuses.is_empty() {
            self.status
                .append(&PredefinedMenuItem::separator(&self.app)?)?;
        }
        self.status
            .append_items(&[&self.set_status, &self.clear_status])
    }

    fn list_recent(&self, content: &Content) -> tauri::Result<()> {
        while self.recent.remove_at(0)?.is_some() {}
        for (hash, text) in &content.recent {
            let id = format!("{}{hash}", COPY_LINK);
            let item = MenuItem::with_id(&self.app, id, plain(text), true, None::<&str>)?;
            self.recent.append(&item)?;
        }
        Ok(())
    }
}

/// A text in which nothing underlines the letter after it.
fn plain(text: &str) -> String {
    text.replace('&', "&&")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_program_whose_name_has_an_ampersand_keeps_it() {
        assert_eq!(plain("Tom & Jerry"), "Tom && Jerry");
        // The library escapes underscores for GTK.
        assert_eq!(plain("&&_a"), "&&&&_a");
    }
}
