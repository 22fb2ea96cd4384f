// Reports to Porchlight which window has the focus, while Porchlight is on the session bus. It offers
// nothing that could be called. For GNOME Shell 42 to 44; that for newer ones differs in its modules.
/* exported init */
'use strict';

const {Gio, GLib, Shell} = imports.gi;

const NAME = 'blog.porchlight.Front';

class Focus {
    enable() {
        this._there = false;
        this._window = null;
        global.display.connectObject('notify::focus-window', () => this._follow(global.display.focus_window), this);
        this._follow(global.display.focus_window);
        this._watch = Gio.bus_watch_name(Gio.BusType.SESSION, NAME, Gio.BusNameWatcherFlags.NONE,
            () => {
                this._there = true;
                this._report();
            },
            () => {
                this._there = false;
            });
    }

    // Also called when the screen is locked: no window is reported from then on.
    disable() {
        global.display.disconnectObject(this);
        this._follow(null);
        Gio.bus_unwatch_name(this._watch);
        this._there = false;
    }

    _follow(window) {
        this._window?.disconnectObject(this);
        this._window = window;
        const report = () => this._report();
        window?.connectObject('notify::title', report, 'notify::fullscreen', report, 'notify::wm-class', report, this);
        report();
    }

    _report() {
        if (!this._there)
            return;
        const window = this._window;
        const app = window && Shell.WindowTracker.get_default().get_window_app(window);
        // A window without a menu entry has an id that the Shell made up.
        const entry = app?.is_window_backed() ? null : app?.get_id().replace(/\.desktop$/, '');
        const names = [window?.get_wm_class(), window?.get_sandboxed_app_id(), entry].filter(name => name);
        const words = [names, window?.get_title() ?? '', Math.max(window?.get_pid() ?? 0, 0), window?.is_fullscreen() ?? false];
        Gio.DBus.session.call(NAME, '/front', NAME, 'ReportWindow', new GLib.Variant('(assub)', words),
            null, Gio.DBusCallFlags.NO_AUTO_START, -1, null, null);
    }
}

function init() {
    return new Focus();
}
