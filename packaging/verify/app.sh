#!/bin/sh
# Runs as root in a fresh Debian without a desktop: the app's package is installed, started from
# its menu entry, used, upgraded, removed and purged. The same is then done with the rpm's files.
. /verify/both.sh
ADDRESS=http://127.0.0.1:4780
HOME_OF=/home/ada
ENTRIES=$HOME_OF/.local/share/applications
DATA=$HOME_OF/.local/share/porchlight
export DISPLAY=:99

# As the user of the desktop.
ada() {
    runuser -u ada -- env HOME=$HOME_OF XDG_RUNTIME_DIR=/run/user/ada \
        DBUS_SESSION_BUS_ADDRESS="$BUS" "$@"
}

start() {
    ada gio launch /usr/share/applications/porchlight.desktop
    await answers /
    await ada xdotool search --onlyvisible --name '^Porchlight$'
}

stop() {
    for process in $(pidof porchlight); do
        # Those that it started end with it.
        kill "$process" 2>/dev/null || true
    done
    await sh -c '! pidof porchlight'
}

link_in_clipboard() {
    ada xclip -selection clipboard -o -t UTF8_STRING | grep '^http'
}

useradd --create-home ada
mkdir -p /run/user/ada
chown ada: /run/user/ada
Xvfb :99 -screen 0 1280x900x24 >/dev/null 2>&1 &
BUS=""
BUS=$(ada dbus-daemon --session --fork --print-address)
await ada xdotool getdisplaygeometry

step "an entry that the app wrote before it was packaged"
ada mkdir -p "$ENTRIES"
ada tee "$ENTRIES/porchlight.desktop" >/dev/null <<'ENTRY'
[Desktop Entry]
Type=Application
Name=Porchlight
Exec="/opt/target/release/porchlight"
ENTRY

step "from the installation to the first link in the clipboard"
began=$(date +%s)
apt-get install -y /packages/before/porchlight_*.deb >/tmp/apt 2>&1 || fail "$(cat /tmp/apt)"
installed=$(date +%s)
start
picture=/usr/share/icons/hicolor/128x128/apps/porchlight.png
ada xclip -selection clipboard -t image/png -i $picture
ada porchlight --upload-clipboard
await link_in_clipboard
took=$(($(date +%s) - began))
echo "installation $((installed - began)) s, until the link in all $took s: $(link_in_clipboard)"
# The aim is a minute on a quiet machine.
[ "$took" -lt 180 ] || fail "three minutes were not enough"

step "the package's entries count"
await test ! -e "$ENTRIES/porchlight.desktop"
gio mime image/png | grep -q porchlight-upload.desktop || fail "file managers do not offer it"
bash -c '. /usr/share/bash-completion/completions/porchlight; complete -p porchlight' >/dev/null
for extension in focus focus45; do
    folder=/usr/share/gnome-shell/extensions/$extension@porchlight.app
    grep -q "\"$extension@porchlight.app\"" $folder/metadata.json || fail "no extension for GNOME"
    grep -q ReportWindow $folder/extension.js || fail "the extension $extension is empty"
done
zcat /usr/share/man/man1/porchlight-backup.1.gz | grep -q porchlight || fail "no manual"
dpkg --install /packages/now/porchlight-headless_*.deb && fail "both packages at once"
stop

step "an upgrade goes on with the data"
apt-get install -y /packages/now/porchlight_*.deb >/tmp/apt 2>&1 || fail "$(cat /tmp/apt)"
start
[ "$(images)" = 1 ] || fail "after the upgrade there are $(images) images"
stop

step "removed and purged, it leaves the data"
apt-get remove -y porchlight 2>&1 | tee /tmp/output
grep -q .local/share/porchlight /tmp/output || fail "it did not say where the data is"
[ ! -e /usr/bin/porchlight ] || fail "the program is still there"
apt-get purge -y porchlight
[ "$(find $DATA/images -name '*.webp' | wc -l)" = 1 ] || fail "the image is gone"

step "the files of the rpm run as well"
cp -a /rpm/usr/. /usr/
start
[ "$(images)" = 1 ] || fail "with the rpm's program there are $(images) images"
stop
step "the app's package holds"
