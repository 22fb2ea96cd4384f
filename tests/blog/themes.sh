#!/bin/sh
# Unpacks three themes of npm into the folder $1, and installs what builds their example sites there; Hexo's packages
# are in $2. tests/blog/themes.rs adopts and builds them. Scripts of packages do not run. What is there is kept.
set -eu
mkdir -p "$1"
cd "$1"
for theme in create-docusaurus@3.9.2 astro-accelerator@5.10.19 hexo-theme-a4@2.0.1; do
    name=${theme%@*}
    [ -d "$name" ] && continue
    tar -xzf "$(npm pack "$theme" --silent)"
    mv package "$name"
done

install() {
    [ -e "$1/installed" ] && return
    mkdir -p "$1"
    cp "$2/package.json" "$1"
    (cd "$1" && timeout 600 npm install --silent --omit=dev --ignore-scripts --legacy-peer-deps --no-audit --no-fund $3)
    touch "$1/installed"
}
# Docusaurus 3.9 does not start with a later webpack.
install docusaurus create-docusaurus/templates/classic webpack@5.102.1
install astro astro-accelerator ""
mkdir -p hexo
ln -sfn "$2" hexo/node_modules
