"""The tray of a desktop, as far as the tests need one.

    tray.py watch            owns the name that icons register with, and prints
                             the bus name and object path of each that does
    tray.py watch --no-host  the same, while no host shows icons; SIGUSR1 changes
                             that
    tray.py watch --refuses  the same, and takes no icon
    tray.py watch --hides-icons
                             the same, and does not say which icons it has
    tray.py menu NAME PATH   prints the icon's menu as JSON, each submenu's items
                             after it
    tray.py icon NAME PATH   prints the file of its picture
    tray.py object NAME PATH prints the object path of its menu
    tray.py click NAME PATH LABEL
                             clicks the item whose label begins with LABEL
    tray.py show NAME PATH   shows the menu, and prints the number of its window
"""

import json
import signal
import sys

from gi.repository import Gio, GLib

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
INTERFACE = """
<node>
  <interface name="org.kde.StatusNotifierWatcher">
    <method name="RegisterStatusNotifierItem"><arg name="service" type="s" direction="in"/></method>
    <method name="RegisterStatusNotifierHost"><arg name="service" type="s" direction="in"/></method>
    <property name="RegisteredStatusNotifierItems" type="as" access="read"/>
    <property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
    <property name="ProtocolVersion" type="i" access="read"/>
    <signal name="StatusNotifierItemRegistered"><arg type="s"/></signal>
    <signal name="StatusNotifierHostRegistered"/>
    <signal name="StatusNotifierHostUnregistered"/>
  </interface>
</node>
"""

bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def watch(host=True, refuses=False, hides_icons=False):
    items = []
    shows = [host]

    def on_call(_bus, sender, _path, _interface, method, parameters, invocation):
        (service,) = parameters.unpack()
        if method == "RegisterStatusNotifierItem":
            # Some register their object path, some their bus name.
            name, path = (sender, service) if service.startswith("/") else (service, "/StatusNotifierItem")
            if refuses:
                invocation.return_dbus_error("org.freedesktop.DBus.Error.AccessDenied", "no icons")
                return
            items.append(name + path)
            registered = GLib.Variant("(s)", (name + path,))
            bus.emit_signal(None, "/StatusNotifierWatcher", WATCHER, "StatusNotifierItemRegistered", registered)
            print(f"item {name} {path}", flush=True)
        invocation.return_value(None)

    def on_get(_bus, _sender, _path, _interface, prop):
        return {
            "RegisteredStatusNotifierItems": GLib.Variant("as", items),
            "IsStatusNotifierHostRegistered": GLib.Variant("b", shows[0]),
            "ProtocolVersion": GLib.Variant("i", 0),
        }[prop]

    known = [line for line in INTERFACE.splitlines() if not (hides_icons and '"RegisteredStatusNotifierItems"' in line)]
    interface = Gio.DBusNodeInfo.new_for_xml("\n".join(known)).interfaces[0]
    bus.register_object("/StatusNotifierWatcher", interface, on_call, on_get, None)
    Gio.bus_own_name_on_connection(
        bus, WATCHER, Gio.BusNameOwnerFlags.NONE, lambda *_: print("watching", flush=True), None
    )

    def on_signal():
        shows[0] = not shows[0]
        name = "StatusNotifierHostRegistered" if shows[0] else "StatusNotifierHostUnregistered"
        bus.emit_signal(None, "/StatusNotifierWatcher", WATCHER, name, None)
        return True

    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, on_signal)
    GLib.MainLoop().run()


def call(name, path, interface, method, parameters):
    reply = bus.call_sync(name, path, interface, method, parameters, None, Gio.DBusCallFlags.NONE, 5000, None)
    return reply.unpack()


def prop(name, path, key):
    return call(name, path, "org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (ITEM, key)))[0]


def entries(name, path):
    menu = prop(name, path, "Menu")
    _, layout = call(name, menu, MENU, "GetLayout", GLib.Variant("(iias)", (0, -1, [])))
    return menu, list(items(layout))


def items(layout):
    for number, values, children in layout[2]:
        if values.get("type") != "separator":
            # An underline is written twice where it is meant.
            label = values.get("label", "").replace("__", "_")
            yield {"id": number, "label": label, "enabled": values.get("enabled", True)}
        yield from items((number, values, children))


def click(name, path, label):
    menu, found = entries(name, path)
    number = next(item["id"] for item in found if item["label"].startswith(label))
    event = GLib.Variant("(isvu)", (number, "clicked", GLib.Variant("s", ""), 0))
    call(name, menu, MENU, "Event", event)


def show(name, path):
    import gi

    gi.require_version("GdkX11", "3.0")
    gi.require_version("Gtk", "3.0")
    from gi.repository import GdkX11, Gtk  # noqa: F401: the window has a number by GdkX11

    def drawn(children):
        menu = Gtk.Menu()
        for _number, values, below in children:
            if values.get("type") == "separator":
                item = Gtk.SeparatorMenuItem()
            else:
                item = Gtk.MenuItem.new_with_mnemonic(values.get("label", ""))
                item.set_sensitive(values.get("enabled", True))
            if below:
                item.set_submenu(drawn(below))
            menu.append(item)
        menu.show_all()
        return menu

    _, layout = call(name, prop(name, path, "Menu"), MENU, "GetLayout", GLib.Variant("(iias)", (0, -1, [])))
    menu = drawn(layout[2])
    above = menu.get_toplevel()
    above.connect("map-event", lambda *_: print(f"window {above.get_window().get_xid()}", flush=True))
    menu.popup(None, None, lambda *_: (40, 40, False), None, 0, 0)
    Gtk.main()


action, *words = sys.argv[1:]
if action == "watch":
    watch("--no-host" not in words, "--refuses" in words, "--hides-icons" in words)
elif action == "menu":
    print(json.dumps(entries(*words)[1]))
elif action == "icon":
    print(prop(*words, "IconName"))
elif action == "object":
    print(prop(*words, "Menu"))
elif action == "click":
    click(*words)
elif action == "show":
    show(*words)
