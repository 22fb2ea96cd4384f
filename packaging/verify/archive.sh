#!/bin/sh
# Runs the program of the archive in a folder that has nothing but a glibc and certificates.
# usage: archive.sh ROOT PROGRAM PICTURE
. "$(dirname "$0")/both.sh"
root=$1 program=$2 picture=$3

chroot "$root" "$program" --data-dir /data serve --listen 127.0.0.1:0 >"$root/output" &
service=$!
trap 'kill $service 2>/dev/null || true' EXIT
await grep '^listening on ' "$root/output"
ADDRESS=$(sed -n 's/^listening on //p' "$root/output")
TOKEN=$(chroot "$root" "$program" --data-dir /data token new --name check --scope admin)
hash=$(upload "$picture")
answers "/i/$hash" | head -c 4 | grep -q RIFF || fail "the image did not come back"
kill $service
wait $service || fail "it did not end cleanly"
trap - EXIT
step "the archive runs with $(chroot "$root" /lib64/ld-linux-x86-64.so.2 /lib/x86_64-linux-gnu/libc.so.6 | head -1)"
