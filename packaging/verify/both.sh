# What the checks of packages have in common; read by the scripts beside it.
set -eu

# A failed check is named, and ends the script.
fail() {
    echo "FAILED: $*" >&2
    exit 1
}

step() {
    echo "--- $*"
}

# Waits until a command succeeds, at most 60 seconds.
await() {
    for _ in $(seq 300); do
        if "$@" >/dev/null 2>&1; then
            return 0
        fi
        sleep 0.2
    done
    fail "it never came to: $*"
}

answers() {
    curl --fail --silent --max-time 5 "$ADDRESS$1"
}

# The number that /images/count names.
images() {
    answers /images/count | tr -dc '0-9'
}

# Uploads a file with the token in $TOKEN, and prints the hash of the image.
upload() {
    curl --fail --silent --max-time 60 -H "Authorization: Bearer $TOKEN" -F "image=@$1" \
        "$ADDRESS/images/add" | grep -o 'ash":"[0-9a-f]*"' | cut -d'"' -f3
}
