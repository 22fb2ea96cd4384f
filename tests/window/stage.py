"""A program's window: `stage.py CLASS TITLE FILE X Y WIDTH HEIGHT`. FILE is an image, or a text."""

import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GdkPixbuf, GLib, Gtk  # noqa: E402

program, title, file, *place = sys.argv[1:]
left, top, width, height = map(int, place)
GLib.set_prgname(program)
Gdk.set_program_class(program)
style = Gtk.CssProvider()
style.load_from_data(b"textview text { background: #23272f; color: #d9dde5; } textview { font: 15px monospace; }")
Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), style, 600)
window = Gtk.Window(title=title)
if file.endswith(".jpg"):
    picture = GdkPixbuf.Pixbuf.new_from_file_at_scale(file, width, -1, True)
    layout = Gtk.Layout()
    layout.put(Gtk.Image.new_from_pixbuf(picture), 0, (height - picture.get_height()) // 2)
    window.add(layout)
else:
    view = Gtk.TextView(editable=False, cursor_visible=False, left_margin=18, top_margin=14)
    with open(file, encoding="utf-8") as text:
        view.get_buffer().set_text(text.read())
    window.add(view)
window.set_default_size(width, height)
window.connect("destroy", Gtk.main_quit)
window.show_all()
window.move(left, top)
Gtk.main()
