#!/bin/sh
# Runs as root in a fresh Debian with systemd: the service's package is installed, used under its
# unit's sandbox, upgraded, removed and purged.
. /verify/both.sh
ADDRESS=http://127.0.0.1:4780
DATA=/var/lib/porchlight

porchlight_() {
    porchlight --data-dir "$DATA" "$@"
}

step "an older package is installed and not started"
apt-get install -y /packages/before/porchlight-headless_*.deb
systemctl is-active porchlight && fail "it was started before its owner said so"

step "it starts and answers"
systemctl enable --now porchlight
await answers /
answers /sysinfo | grep -q Memory || fail "/sysinfo is empty: $(answers /sysinfo)"
TOKEN=$(porchlight_ token new --name check --scope admin)
[ "$(stat -c %a /var/lib/private/porchlight)" = 700 ] || fail "others can read the data"

step "images of each kind of decoder arrive, the separate process of some included"
for file in /pictures/baseline.jpg /pictures/lossy.avif /pictures/lossy.jxl; do
    hash=$(upload "$file")
    answers "/i/$hash" | head -c 4 | grep -q RIFF || fail "$file"
done
[ "$(images)" = 3 ] || fail "of three images there are $(images)"
journalctl -u porchlight --no-pager
journalctl -u porchlight | grep -i -E 'landlock|seccomp' && fail "decoders lost their sandbox"

step "systemd rates the sandbox"
systemd-analyze security porchlight --no-pager | tail -1
systemd-analyze security porchlight --no-pager --threshold=30 >/dev/null || fail "exposure above 3.0"

step "an upgrade goes on with the data"
before=$(systemctl show -p MainPID --value porchlight)
apt-get install -y /packages/now/porchlight-headless_*.deb
[ "$(systemctl show -p MainPID --value porchlight)" != "$before" ] || fail "the old one still runs"
await answers /
[ "$(images)" = 3 ] || fail "after the upgrade there are $(images) images"
systemctl stop porchlight

step "the unit of a user starts, too"
useradd --create-home ada
loginctl enable-linger ada
await test -S "/run/user/$(id -u ada)/systemd/private"
user() {
    runuser -u ada -- env XDG_RUNTIME_DIR="/run/user/$(id -u ada)" systemctl --user "$@"
}
user start porchlight
await answers /
TOKEN=$(runuser -u ada -- porchlight token new --name check --scope admin)
[ -n "$(upload /pictures/lossy.avif)" ] || fail "an AVIF under the user's unit"
[ -f /home/ada/.local/share/porchlight/porchlight.db ] || fail "the user's data is elsewhere"
user stop porchlight

step "removed and purged, it leaves the data"
systemctl start porchlight
apt-get remove -y porchlight-headless 2>&1 | tee /tmp/output
grep -q /var/lib/porchlight /tmp/output || fail "it did not say where the data is"
[ ! -e /usr/bin/porchlight ] || fail "the program is still there"
systemctl is-active porchlight && fail "it still runs"
apt-get purge -y porchlight-headless
[ "$(find /var/lib/private/porchlight/images -name '*.webp' | wc -l)" = 3 ] || fail "images are gone"
step "the headless package holds"
