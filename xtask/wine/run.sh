#!/bin/sh
# Runs a command that runs Windows programs by Wine. The folder $WINEPREFIX holds drive C and the
# registry; a later run uses it again. It needs a display: without one Wine makes no windows, neither now
# nor later on a desktop that began so.
set -e
here=$(dirname "$0")
system=$WINEPREFIX/drive_c/windows/system32
# Neither messages of Wine itself, nor questions whether to fetch .NET and a browser.
export WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
# What cargo runs Windows programs by. One of tests that takes longer than 900 seconds hangs; at random
# addresses, about one start of a program in 5,000 fails (error 1359).
runner="timeout --kill-after=9 900 setarch --addr-no-randomize wine"
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER="$runner"

compile() { x86_64-w64-mingw32-gcc "$2" -o "$system/$1" "$here/${1%.*}.c" -ladvapi32; }

mkdir -p "$WINEPREFIX"
# What an interrupted run left has a display that is gone.
wineserver --kill || true
trap 'wineserver --kill || true' EXIT
trap 'exit 1' INT TERM
# Otherwise it starts anew, with its services, for each program of tests.
wineserver --persistent
[ -d "$system" ] || wineboot --init 2>/dev/null
# A later Wine has its own.
[ -e "$system/bcryptprimitives.dll" ] || compile bcryptprimitives.dll -shared
compile window.exe -s
# It ends with this Wine, and the file has a line once it is there.
made=$WINEPREFIX/window-made
rm -f "$made"
wine window.exe >"$made" 2>/dev/null &
timeout 60 sh -c 'until [ -s "$1" ]; do sleep 0.1; done' sh "$made"
"$@"
