"""A small window that files are dragged out of: `drag_source.py FILE…`."""

import pathlib
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

window = Gtk.Window(title="Drag source")
window.set_default_size(120, 80)
window.set_keep_above(True)
box = Gtk.EventBox()
box.add(Gtk.Label(label="files"))
box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
box.drag_source_add_uri_targets()
uris = [pathlib.Path(name).absolute().as_uri() for name in sys.argv[1:]]
box.connect("drag-data-get", lambda _box, _context, selection, *_: selection.set_uris(uris))
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
window.move(4, 4)
Gtk.main()
