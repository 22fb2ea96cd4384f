#!/usr/bin/env bash
# What only a release knows: the address of its repository, its version, and its checksums. In the
# checkout that is released:
#
#   packaging/release.sh address REPOSITORY VERSION
#       before `cargo xtask package`: into the packages' headers and the description for app stores
#   packaging/release.sh manifests REPOSITORY VERSION SHA256SUMS FOLDER
#       afterwards: the manifests of package managers, filled, into a new FOLDER
set -euo pipefail
command=$1 repository=$2 version=$3

case $command in
address)
    sed -i "s|^homepage = \"\"|homepage = \"$repository\"|" packaging/identity.toml
    shot() {
        local image="<image>$repository/raw/v$version/docs/screenshots/$2-light.png</image>"
        echo "    <screenshot$1><caption>$3</caption>$image</screenshot>\\"
    }
    sed -i "/packaging\/release.sh/c\\
  <url type=\"homepage\">$repository</url>\\
  <screenshots>\\
$(shot ' type="default"' home 'What readers see, and the state of each service')
$(shot '' images 'Your pictures, and the upload queue')
$(shot '' statistics 'Readers, and what your blog asked for')
  </screenshots>" packaging/linux/blog.porchlight.Porchlight.metainfo.xml
    ;;
manifests)
    sums=$4 folder=$5
    mkdir "$folder"
    cp -R packaging/managers/. "$folder"
    known=(-e "s|@VERSION@|$version|g" -e "s|@REPOSITORY@|$repository|g")
    while read -r sum name; do
        known+=(-e "s|@SHA256:$name@|$sum|")
    done <"$sums"
    find "$folder" -type f -exec sed -i "${known[@]}" {} +
    if grep -rnE '@(SHA256|VERSION|REPOSITORY)' "$folder"; then
        echo "There is no checksum for these." >&2
        exit 1
    fi
    ;;
esac
