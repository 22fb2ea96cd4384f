#!/usr/bin/env bash
# Packs the app and the service for Windows; `cargo xtask package --windows` calls it.
#
#   packaging/pack-windows.sh VERSION PUBLISHER APP SERVICE WORK OUT
#
# APP and SERVICE are folders with the files, and SOURCE_DATE_EPOCH is the date of all of them, so that the
# same files give the same bytes. OUT gets the setup of the app and the service in a zip.
set -euo pipefail
version=$1 publisher=$2 app=$3 service=$4 work=$5 out=$6
packaging=$(cd "$(dirname "$0")" && pwd)

# A copy of a folder that all may read, of that date.
stage() {
    cp -R "$1" "$2"
    chmod -R u=rwX,go=rX "$2"
    find "$2" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
}

mkdir -p "$work"
# For one user, by NSIS.
stage "$app" "$work/setup"
bytes=$(find "$work/setup" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
makensis -V2 -WX -INPUTCHARSET UTF8 "-DFOLDER=$work/setup" "-DOUT=$out/porchlight-$version-setup.exe" \
    "-DVERSION=$version" "-DPUBLISHER=$publisher" "-DSIZE=$((bytes / 1024))" \
    "$packaging/windows/porchlight.nsi"

# To unpack anywhere.
name=porchlight-headless-$version-x86_64-windows
stage "$service" "$work/$name"
cd "$work"
zip -q -9 -X -r "$out/$name.zip" "$name"
