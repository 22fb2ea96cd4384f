#!/bin/sh
# Unpacks three themes of npm into a folder: their example sites are moved by tests/blog/themes.rs. None of
# their code runs.
set -eu
mkdir -p "$1"
cd "$1"
for theme in create-docusaurus@3.9.2 astro-accelerator@5.10.19 hexo-theme-a4@2.0.1; do
    name=${theme%@*}
    [ -d "$name" ] && continue
    tar -xzf "$(npm pack "$theme" --silent)"
    mv package "$name"
done
