"""A small window that prints the URI list of what is dropped on it, a line each."""

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402


def dropped(_box, context, _x, _y, selection, _info, time):
    for uri in selection.get_uris():
        print(uri, flush=True)
    context.finish(True, False, time)


window = Gtk.Window(title="Drop target")
window.set_default_size(160, 120)
window.set_keep_above(True)
box = Gtk.EventBox()
box.add(Gtk.Label(label="here"))
box.drag_dest_set(Gtk.DestDefaults.ALL, [], Gdk.DragAction.COPY | Gdk.DragAction.LINK)
box.drag_dest_add_uri_targets()
box.connect("drag-data-received", dropped)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
window.move(4, 4)
Gtk.main()
