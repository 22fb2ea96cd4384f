#!/bin/sh
# A tool of the compiler for macOS: that of zig (of the Python $ZIG), which has the headers of macOS and
# compiles the libraries that are written in C. This file is called cc, c++ or ar. zig knows its target,
# and not the options by which Apple's compiler knows it.
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case $word in
    --target=* | -mmacosx-version-min=*) ;;
    -arch | -isysroot)
        shift
        left=$((left - 1))
        ;;
    *) set -- "$@" "$word" ;;
    esac
done
tool=$(basename "$0")
[ "$tool" = ar ] || set -- -target aarch64-macos "$@"
exec "$ZIG" -m ziglang "$tool" "$@"
