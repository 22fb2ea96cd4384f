"""A program with one window.

    window.py NAME TITLE [fullscreen]

NAME is what the program is called, as its window class.
"""

import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk

name, title, *more = sys.argv[1:]
GLib.set_prgname(name)
Gdk.set_program_class(name)
Gtk.init([])
window = Gtk.Window(title=title)
window.set_default_size(300, 200)
window.connect("destroy", Gtk.main_quit)
window.show_all()
if "fullscreen" in more:
    window.fullscreen()
Gtk.main()
