"""Opens the app's window under tauri-driver and looks whether its page is there.

usage: window.py APP TAURI_DRIVER NATIVE_DRIVER PICTURE [ARGUMENT…]
"""

import base64
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

# The places in the page's navigation, in English.
PLACES = ["Home", "Pictures", "Presence", "Game", "Statistics", "Settings"]


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def see(app, driver, native, picture, arguments=()):
    """Fails unless the page shows all its places; keeps a picture of it."""
    port, native_port = free_port(), free_port()
    started = subprocess.Popen(
        [driver, "--port", str(port), "--native-port", str(native_port), "--native-driver", native]
    )
    try:
        look(f"http://127.0.0.1:{port}", app, picture, arguments)
    finally:
        started.terminate()
        started.wait()


def ask(method, address, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        address, data, {"Content-Type": "application/json"}, method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        sys.exit(f"FAILED: {method} {address}: {error.read().decode()}")


def look(driver, app, picture, arguments):
    for _ in range(150):
        try:
            urllib.request.urlopen(driver + "/status", timeout=5).close()
            break
        except OSError:
            time.sleep(0.2)
    options = {"application": str(app), "args": list(arguments)}
    wanted = {"capabilities": {"alwaysMatch": {"tauri:options": options}}}
    session = driver + "/session/" + ask("POST", driver + "/session", wanted)["sessionId"]
    script = "return [...document.querySelectorAll('nav button, nav a')].map((b) => b.innerText)"
    shown = []
    for _ in range(150):
        shown = ask("POST", session + "/execute/sync", {"script": script, "args": []})
        if [place for place in PLACES if any(place in text for text in shown)] == PLACES:
            break
        time.sleep(0.2)
    else:
        sys.exit(f"FAILED: the page shows {shown}")
    picture.write_bytes(base64.b64decode(ask("GET", session + "/screenshot")))
    print(f"    the page shows {', '.join(PLACES)}: {picture}")
    ask("DELETE", session)


if __name__ == "__main__":
    program, driver, native, picture, *arguments = sys.argv[1:]
    see(program, driver, native, Path(picture), arguments)
