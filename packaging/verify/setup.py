"""Installs the setup for Windows silently, uses the app, upgrades it while it runs and has
pictures to upload, and removes it. On Windows it runs the programs directly, elsewhere under the
Wine of WINEPREFIX. Where Porchlight is installed or has data already, it does nothing.

usage: setup.py SETUP [--before OLDER_SETUP] [--zip SERVICE.zip] [--window TAURI_DRIVER MSEDGEDRIVER]
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
import zlib
from pathlib import Path

# The module beside this one leaves no file in the checkout.
sys.dont_write_bytecode = True
import window

NATIVE = sys.platform == "win32"
# What waits in the queue when the upgrade begins.
PICTURES = 12
UNINSTALL = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Porchlight"
RUN = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Run"
# Of the first of the endings, by which the app sees whether its owner wants the verbs.
VERB = r"HKCU\Software\Classes\SystemFileAssociations\.jpg\shell\Porchlight"
# Where Microsoft's loader looks for WebView2, by the identifier of the runtime.
WEBVIEW = r"HKCU\Software\Microsoft\EdgeUpdate\ClientState\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"


def step(what):
    print(f"--- {what}", flush=True)


def check(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def until(what, condition, seconds=120):
    """Waits until the condition gives something, and gives that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    sys.exit(f"FAILED: it never came to: {what}")


def words(program, *more):
    return [*([] if NATIVE else ["wine"]), str(program), *map(str, more)]


def run(program, *more):
    """Runs a Windows program to its end."""
    # No pipe: what it starts and leaves running would keep that open.
    with tempfile.TemporaryFile() as printed:
        done = subprocess.run(
            words(program, *more), stdin=subprocess.DEVNULL, stdout=printed, timeout=600
        )
        printed.seek(0)
        done.stdout = printed.read()
    return done


def local_app_data():
    if NATIVE:
        return Path(os.environ["LOCALAPPDATA"])
    users = Path(os.environ["WINEPREFIX"], "drive_c/users").iterdir()
    [user] = [user for user in users if user.name != "Public"]
    return user / "AppData/Local"


def of_windows(path):
    """The path as a Windows program takes it."""
    path = Path(path).resolve()
    return str(path) if NATIVE else "Z:" + str(path).replace("/", "\\")


def registry(key, name=None):
    """A value of the registry; `None` where there is none."""
    value = ["/ve"] if name is None else ["/v", name]
    found = run("reg", "query", key, *value)
    if found.returncode != 0:
        return None
    # Whatever the console's encoding is, what is looked for is ASCII.
    line = re.search(r"REG_(?:SZ|DWORD)\s+(.*)", found.stdout.decode("ascii", "replace"))
    return line and line.group(1).strip()


def png(path, seed):
    """A picture of noise: it takes a moment, and no two are the same."""
    size, state, rows = 700, seed * 2654435761 % 2**32 or 1, bytearray()
    for _ in range(size):
        row = bytearray()
        while len(row) < size * 3:
            state = (state * 1103515245 + 12345) % 2**31
            row += state.to_bytes(4, "little")[:3]
        rows += b"\0" + row

    def chunk(name, data):
        data = name + data
        return (len(data) - 4).to_bytes(4, "big") + data + zlib.crc32(data).to_bytes(4, "big")

    header = size.to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    data = zlib.compress(bytes(rows), 1)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )
    return path


class App:
    """The installed app, and its data."""

    def __init__(self):
        here = local_app_data()
        self.folder = here / "Programs/Porchlight"
        self.program = self.folder / "porchlight.exe"
        self.console = self.folder / "porchlight.com"
        self.data = here / "Porchlight"
        shortcuts = here.parent / "Roaming/Microsoft/Windows/Start Menu/Programs"
        self.shortcut = shortcuts / "Porchlight.lnk"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"http://127.0.0.1:{free.getsockname()[1]}"

    def write_settings(self):
        self.data.mkdir()
        listen = self.address.removeprefix("http://")
        settings = f'[server]\nlisten = "{listen}"\n[presence]\nenabled = false\n'
        (self.data / "settings.toml").write_text(settings)

    def get(self, path):
        try:
            with urllib.request.urlopen(self.address + path, timeout=10) as answer:
                return answer.read()
        except OSError:
            return None

    def images(self):
        count = self.get("/images/count")
        return json.loads(count)["count"] if count else None

    def start(self):
        process = subprocess.Popen(
            words(self.program, "--hidden"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        until("the app answers", lambda: self.get("/") is not None)
        return process


def install(setup, app):
    began = time.monotonic()
    done = run(of_windows(setup), "/S")
    check(done.returncode == 0, f"{setup.name} ended with {done.returncode}")
    version = re.fullmatch(r"porchlight-(.*)-setup\.exe", setup.name).group(1)
    check(registry(UNINSTALL, "DisplayVersion") == version, "Windows lists another version")
    for file in [app.program, app.console, app.folder / "WebView2Loader.dll", app.shortcut]:
        check(file.is_file(), f"{file} is missing")
    print(f"    installed {version} in {time.monotonic() - began:.0f} s")


def use(app, pictures):
    """The console twin, the way over HTTP, and Explorer's verb."""
    step("typed in a console, it prints and gives its exit code")
    token = run(app.console, "token", "new", "--name", "check", "--scope", "upload")
    check(token.returncode == 0, f"no token: {token}")
    check(run(app.console, "token", "new").returncode == 2, "wrong usage is not 2")
    token = token.stdout.decode().strip()

    step("a picture over HTTP")
    boundary, picture = "a-boundary-of-the-check", png(pictures / "http.png", 1).read_bytes()
    body = f'--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n'
    body = body.encode() + b"\r\n" + picture + f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    }
    request = urllib.request.Request(app.address + "/images/add", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        check(answer.status in (200, 201), f"the upload is answered with {answer.status}")
    check(app.images() == 1, f"there are {app.images()} images")

    step("a picture by Explorer's verb")
    command = registry(VERB + r"\command")
    check(command == f'"{windows_place(app)}" --upload "%1"', f"the verb is {command}")
    handed = run(app.program, "--upload", of_windows(png(pictures / "光 verb.png", 2)))
    check(handed.returncode == 0, f"the files were not handed over: {handed}")
    until("the verb's picture is there", lambda: app.images() == 2)


def windows_place(app):
    """The program, as the registry names it."""
    location = registry(UNINSTALL, "InstallLocation")
    check(location.endswith(r"\AppData\Local\Programs\Porchlight"), f"it is in {location}")
    return location + r"\porchlight.exe"


def upgrade(setup, app, process, pictures):
    step("an upgrade while the app uploads")
    # As a choice of the owner: an upgrade does not bring back what was switched off.
    run("reg", "delete", VERB, "/f")
    files = [of_windows(png(pictures / f"{n}.png", n + 3)) for n in range(PICTURES)]
    check(run(app.program, "--upload", *files).returncode == 0, "the files were not handed over")
    before = app.images()
    install(setup, app)
    print(f"    when it began, {before - 2} of {PICTURES} pictures had been uploaded")
    check(before < 2 + PICTURES, "nothing was left to upload: the check needs more pictures")
    check(process.wait(timeout=60) == 0, f"the old one ended with {process.returncode}")
    until("it runs again", lambda: app.get("/") is not None)
    until("all pictures are there", lambda: app.images() == 2 + PICTURES, 300)
    check(registry(VERB) is None, "Explorer's verb is back")


def consoles(app, work):
    step("the setup's option ends each process of the program, whatever its data folder")
    words_of_it = ["--data-dir", of_windows(work / "other"), "serve", "--listen", "127.0.0.1:0"]
    other = subprocess.Popen(
        words(app.console, *words_of_it), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    check(other.stdout.readline().startswith(b"listening on "), "the second does not serve")
    check(run(app.program, "--quit").returncode == 0, "they were not asked to end")
    until("the app has ended", lambda: app.get("/") is None)
    check(other.wait(timeout=60) == 0, f"the second ended with {other.returncode}")

    step("typed in a console without a command, it starts the app and returns")
    check(run(app.console, "--hidden").returncode == 0, "it does not start the app")
    until("the app answers", lambda: app.get("/") is not None)


def titled_porchlight():
    """The windows and dialogs of the app that are shown."""
    search = ["xdotool", "search", "--onlyvisible", "--name", "^Porchlight$"]
    return subprocess.run(search, stdout=subprocess.PIPE).stdout.split()


def without_webview(app):
    """Wine has no WebView2: a window that does not come is explained."""
    step("without WebView2 the app says what is missing")
    run(app.program)
    until("a dialog", titled_porchlight)
    check(app.get("/") is not None, "the service does not go on")

    step("after its installation the app restarts to show its window")
    # As far as the loader sees it; what it then loads is no library.
    library = "drive_c/webview/130.0.2849.39/EBWebView/x64/EmbeddedBrowserWebView.dll"
    library = Path(os.environ["WINEPREFIX"], library)
    library.parent.mkdir(parents=True)
    library.touch()
    run("reg", "add", WEBVIEW, "/v", "EBWebView", "/d", r"C:\webview\130.0.2849.39", "/f")
    run(app.program)
    until("the dialog is gone", lambda: not titled_porchlight())
    until("the app answers", lambda: app.get("/") is not None)

    step("removed again, the app says so")
    run("reg", "delete", WEBVIEW, "/f")
    run(app.program)
    until("a dialog", titled_porchlight)


def remove(app):
    step("removed while it runs, it leaves the data")
    starts = f'"{windows_place(app)}" --hidden'
    for name, value in [("Porchlight", starts), ("Other", "other.exe")]:
        run("reg", "add", RUN, "/v", name, "/d", value, "/f")
    run("reg", "add", VERB + "-1\\command", "/ve", "/d", starts, "/f")
    check(registry(RUN, "Porchlight") == starts, "the test could not prepare the registry")
    images = len(list((app.data / "images").rglob("*.webp")))
    # It runs from a copy of itself, which goes on when it has ended.
    run(app.folder / "uninstall.exe", "/S")
    until("the folder is gone", lambda: not app.folder.exists())
    until("Windows does not list it", lambda: registry(UNINSTALL, "DisplayName") is None)
    until("it does not start at login", lambda: registry(RUN, "Porchlight") is None)
    check(app.get("/") is None, "it still answers")
    check(not app.shortcut.exists(), "it is still in the start menu")
    check(registry(VERB + r"-1\command") is None, "a verb is left")
    check(registry(RUN, "Other") == "other.exe", "another program does not start any more")
    run("reg", "delete", RUN, "/v", "Other", "/f")
    check(images > 0, "there were no images")
    left = len(list((app.data / "images").rglob("*.webp")))
    check(left == images and (app.data / "porchlight.db").is_file(), "the data is gone")


def service(archive, work):
    step("the service of the zip")
    with zipfile.ZipFile(archive) as files:
        files.extractall(work / "zip")
    [program] = (work / "zip").rglob("porchlight.exe")
    data = of_windows(work / "data")
    process = subprocess.Popen(
        words(program, "--data-dir", data, "serve", "--listen", "127.0.0.1:0"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    line = process.stdout.readline().decode().strip()
    address = line.removeprefix("listening on ")
    check(address.startswith("http://127.0.0.1:"), f"it printed {line!r}")
    with urllib.request.urlopen(address + "/images/count", timeout=30) as answer:
        check(json.load(answer)["count"] == 0, "it is not empty")
    process.kill()
    process.wait()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("setup", type=Path)
    arguments.add_argument("--before", type=Path)
    arguments.add_argument("--zip", type=Path)
    arguments.add_argument("--window", nargs=2, metavar=("TAURI_DRIVER", "MSEDGEDRIVER"))
    wanted = arguments.parse_args()
    if not NATIVE:
        # The number of a free display comes on standard output.
        display = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        os.environ["DISPLAY"] = ":" + display.stdout.readline().decode().strip()
        # What may still run there has no display.
        subprocess.run(["wineserver", "--kill"], check=False)
    app = App()
    there = app.folder.exists() or app.data.exists()
    check(not there, f"Porchlight is here already: {app.folder}, {app.data}")
    work = Path(tempfile.mkdtemp())
    try:
        app.write_settings()
        step("installed silently")
        install(wanted.before or wanted.setup, app)
        step("started hidden")
        process = app.start()
        use(app, work)
        if not NATIVE:
            check(not titled_porchlight(), "it shows a window or a dialog")
        if wanted.before:
            upgrade(wanted.setup, app, process, work)
        consoles(app, work)
        if wanted.window:
            step("its window")
            check(run(app.program, "--quit").returncode == 0, "it does not quit")
            until("it has quit", lambda: app.get("/") is None)
            window.see(app.program, *wanted.window, Path("window.png"))
            # The driver may have ended it with its window.
            if app.get("/") is None:
                app.start()
        elif not NATIVE:
            without_webview(app)
        remove(app)
        if wanted.zip:
            service(wanted.zip, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if not NATIVE:
            display.terminate()
    step("the setup holds")


main()
