#!/usr/bin/env bash
# Sends every picture below a folder to a service of the interface, with bash and
# curl alone, one after the other. `porchlight upload` does the same faster.
#
# What was taken is not sent again: Porchlight itself is asked what it has, and
# for other servers a list is kept in the user's state folder.
set -u
export LC_ALL=C

usage() {
    cat <<'TEXT'
usage: upload.sh --folder DIR --api URL [--token TOKEN] [--retries 3] [--timeout 60]

  --folder DIR     every picture below it, hidden ones too; links are not followed
  --api URL        the service, as in https://light.example.blog
  --token TOKEN    a token that may upload; PORCHLIGHT_ADMIN_TOKEN keeps it out of
                   the command line, where other users can see it
  --retries N      how often a picture is tried again
  --timeout S      seconds that one try may take

exit code: 0 all is there, 1 something is not (each is named), 2 wrong usage
TEXT
}

wrong() {
    printf 'upload.sh: %s\n' "$1" >&2
    usage >&2
    exit 2
}

folder='' api='' retries=3 timeout=60
token=${PORCHLIGHT_ADMIN_TOKEN-}
unset PORCHLIGHT_ADMIN_TOKEN
while (($#)); do
    case $1 in
        --folder | --api | --token | --retries | --timeout)
            (($# > 1)) || wrong "$1 needs a value"
            declare "${1#--}=$2"
            shift 2
            ;;
        --help | -h)
            usage
            exit 0
            ;;
        # The word itself is not repeated: it may be a token in the wrong place.
        *) wrong 'there is a word too many' ;;
    esac
done
[[ -n $folder ]] || wrong '--folder is missing'
[[ -n $api ]] || wrong '--api is missing'
[[ -n $token ]] || wrong 'no token: use PORCHLIGHT_ADMIN_TOKEN or --token'
[[ $token != *[![:graph:]]* ]] || wrong 'the token holds what no header can carry'
[[ $api == http://?* || $api == https://?* ]] || wrong "--api is no http:// or https:// address"
[[ $retries =~ ^[0-9]{1,3}$ ]] || wrong '--retries is no whole number'
[[ $timeout =~ ^[1-9][0-9]{0,4}$ ]] || wrong '--timeout is no whole number of seconds'
retries=$((10#$retries))
while [[ $api == */ ]]; do api=${api%/}; done
cd -- "$folder" 2>/dev/null || wrong "$(printf '%q' "$folder") is no folder that can be entered"
command -v curl >/dev/null || wrong 'curl is missing'

if command -v sha256sum >/dev/null; then
    digest_of() { sha256sum; }
elif command -v shasum >/dev/null; then
    digest_of() { shasum -a 256; }
else
    wrong 'sha256sum or shasum is missing'
fi

umask 077
work=$(mktemp -d) || exit 1
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The same list, of the same form, as that of `porchlight upload`: a line for each
# picture, the SHA-256 of the source and the hash there.
ledgers=${XDG_STATE_HOME:-${HOME:?}/.local/state}/porchlight/uploads
ledger_name=$(printf '%s' "$api" | digest_of)
ledger=$ledgers/${ledger_name%% *}.ledger

open_ledger() {
    mkdir -p -- "$ledgers" && touch -- "$ledger" || {
        printf 'upload.sh: the list of what was taken cannot be kept in %q\n' "$ledgers" >&2
        exit 1
    }
    if [[ ! -s $ledger ]]; then
        printf '# pictures that %s has taken\n' "$api" >>"$ledger"
    elif [[ -n $(tail -c 1 -- "$ledger") ]]; then
        # A line that a crash cut off ends here.
        printf '\n' >>"$ledger"
    fi
}

# Calls curl with the token in a header that it reads from a pipe, so that it is
# in no list of processes. Leaves `status`, as it was answered; `code`, the same, or
# 000 where the answer is not whole; and $work/body, 1 MiB of it at most.
call() {
    : >"$work/body" >"$work/head"
    status=$(
        # When the limit is reached, curl fails to write and exits.
        trap '' XFSZ
        ulimit -f 1024
        curl --silent --globoff --max-time "$timeout" --output "$work/body" \
            --dump-header "$work/head" --write-out '%{http_code}' \
            --header @<(printf 'Authorization: Bearer %s\n' "$token") "$@" 2>"$work/error"
    )
    failed=$?
    code=$status
    ((failed == 0)) || code=000
}

# The value of a header of the answer.
header() {
    tr -d '\r' <"$work/head" | grep -i "^$1:" | tail -n 1 | sed 's/^[^:]*: *//'
}

# The value of a text field in the answer.
field() {
    local body pattern="\"$1\"[[:space:]]*:[[:space:]]*\"([^\"]*)\""
    body=$(head -c 4096 "$work/body" | tr -d '\0')
    [[ $body =~ $pattern ]] && printf '%s' "${BASH_REMATCH[1]}"
}

# The hash in the answer, or `-`.
hash_in_answer() {
    local hash
    hash=$(field existingHash) || hash=$(field hash) || hash=-
    [[ $hash =~ ^[0-9A-Za-z]{1,128}$ ]] || hash=-
    printf '%s' "$hash"
}

# Whether the call may be answered otherwise a little later.
may_pass() {
    case $code in
        # 26: the file itself cannot be read.
        000) ((failed != 26)) ;;
        408 | 429 | 5??) true ;;
        *) false ;;
    esac
}

# Waits before try number $1 + 1: as long as the service asks, else each time
# twice as long, less up to a half by chance.
pause() {
    local asked
    asked=$(header retry-after)
    if [[ $asked =~ ^[0-9]{1,4}$ ]]; then
        ((asked = 10#$asked, asked > 3600)) && asked=3600
        sleep "$asked.$((RANDOM % 3))"
    else
        local longest=$((500 << ($1 < 8 ? $1 - 1 : 7)))
        ((longest > 60000)) && longest=60000
        local ms=$((longest / 2 + RANDOM * longest / 65536))
        sleep "$((ms / 1000)).$(printf '%03d' $((ms % 1000)))"
    fi
}

# What went wrong, in a line that moves no cursor.
reason() {
    local text
    if [[ $code == 000 ]]; then
        text="the service did not answer (curl: $failed)"
    elif [[ $code == 2?? || $code == 409 ]]; then
        text="the answer ($code) is not one of a service of this interface"
    else
        text="the service answered $code: $(field error)"
    fi
    printf '%s' "$text" | tr -d '\000-\037\177'
}

# The type that the name promises, or that the file begins like.
type_of() {
    local name=${1##*/} first
    case $(printf '%s' "${name##*.}" | tr '[:upper:]' '[:lower:]') in
        "$name") ;;
        jpg | jpeg | jpe | jfif) printf image/jpeg && return ;;
        png | gif | webp | bmp | tiff | avif | heic | heif | jxl | qoi | apng)
            printf 'image/%s' "$(printf '%s' "${name##*.}" | tr '[:upper:]' '[:lower:]')" && return
            ;;
        dib) printf image/bmp && return ;;
        tif) printf image/tiff && return ;;
        svg) printf image/svg+xml && return ;;
        ico) printf image/x-icon && return ;;
    esac
    first=$(head -c 20 <"$1" | od -An -v -tx1 | tr -d ' \n')
    case $first in
        ffd8ff*) printf image/jpeg ;;
        89504e470d0a1a0a*) printf image/png ;;
        474946383[79]61*) printf image/gif ;;
        52494646????????57454250*) printf image/webp ;;
        49492a00* | 4d4d002a* | 49492b00* | 4d4d002b*) printf image/tiff ;;
        716f6966*) printf image/qoi ;;
        ff0a* | 0000000c4a584c200d0a870a*) printf image/jxl ;;
        ????????6674797061766966* | ????????6674797061766973*) printf image/avif ;;
        ????????6674797068656963* | ????????6674797068656978* | ????????6674797068657663* | \
            ????????667479706d696631* | ????????667479706d736631*) printf image/heic ;;
        424d????????00000000??????????000000*) printf image/bmp ;;
        000001000000*) return 1 ;;
        00000100*) printf image/x-icon ;;
        *) return 1 ;;
    esac
}

# Whether the service is Porchlight, which can be asked what it has.
can_be_asked() {
    local try
    for ((try = 0; ; try++)); do
        call "$api/images/by-source/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        case $code in
            200) [[ $(hash_in_answer) != - ]] && return ;;
            404) [[ $(field error) == 'Image not found' ]] && return ;;
        esac
        may_pass && ((try < retries)) || return 1
        pause $((try + 1))
    done
}

# Whether the picture with digest $1 is there; leaves `hash`.
is_there() {
    if [[ $asked == yes ]]; then
        call "$api/images/by-source/$1"
        [[ $code == 200 ]] || return 1
        hash=$(hash_in_answer)
        [[ $hash != - ]]
    else
        hash=$(sed -n "s/^$1 \([0-9A-Za-z]\{1,128\}\)$/\1/p" "$ledger" | tail -n 1)
        [[ -n $hash ]] || return 1
        # It may have been deleted there since.
        has_image
    fi
}

# Whether the server has the image `hash`: it sends an image, or sends the caller
# on to a file of this name.
has_image() {
    local place
    call --range 0-0 "$api/images/$hash"
    case $status in
        200 | 206) [[ $(header content-type) == image/* ]] ;;
        301 | 302 | 307 | 308)
            place=$(header location)
            place=${place%%[?#]*}
            [[ $place != */images/"$hash" && ${place##*/} =~ ^"$hash"(\.|$) ]]
            ;;
        *) false ;;
    esac
}

uploaded=0 there=0 skipped=0 bad=0 before=0 after=0 stopped=''

fail() {
    ((bad += 1))
    printf 'failed  %q: %s\n' "$1" "$2" >&2
}

# Takes one file there.
take() {
    local file=$1 type=$2 digest size try
    digest=$(digest_of <"$file" 2>/dev/null) || digest=''
    digest=${digest%% *}
    [[ $digest =~ ^[0-9a-f]{64}$ ]] || { fail "$file" 'it cannot be read'; return; }
    [[ -s $file ]] || { fail "$file" 'the file is empty'; return; }
    for ((try = 0; ; try++)); do
        if is_there "$digest"; then
            ((there += 1))
            printf 'already there  %s  %q\n' "$hash" "$file"
            return
        fi
        # From standard input: in a name, curl would read meaning into quotes,
        # commas and semicolons.
        call --form "image=@-;filename=picture;type=$type" "$api/images/add" <"$file"
        [[ $code != 401 && $code != 403 ]] || {
            stopped="the service refused the token: it is wrong, or it may not upload pictures"
            fail "$file" "$(reason)"
            return
        }
        hash=$(hash_in_answer)
        case $code in
            200 | 201 | 409) [[ $hash == - ]] || break ;;
        esac
        # A success that names no image is the page of a proxy or another server.
        if [[ $code != 2?? && $code != 409 ]] && ! may_pass || ((try >= retries)); then
            fail "$file" "$(reason)"
            return
        fi
        pause $((try + 1))
    done
    if [[ $asked != yes ]]; then
        printf '%s %s\n' "$digest" "$hash" >>"$ledger" || {
            fail "$file" 'it was taken, but that cannot be written down'
            return
        }
        sync "$ledger" 2>/dev/null || sync
    fi
    if [[ $code == 409 ]]; then
        ((there += 1))
        printf 'already there  %s  %q\n' "$hash" "$file"
        return
    fi
    ((uploaded += 1))
    size=$(wc -c <"$file")
    ((before += size))
    [[ $(head -c 4096 "$work/body" | tr -d '\0') =~ \"size\"[[:space:]]*:[[:space:]]*([0-9]{1,15}) ]] &&
        ((after += 10#${BASH_REMATCH[1]}))
    printf 'uploaded  %s  %q\n' "$hash" "$file"
}

# Unreadable folders are named by find itself.
find . ! -type d -print0 >"$work/files" || fail "$folder" 'not all of it can be looked at'
asked=yes
can_be_asked || { asked=no; open_ledger; }
while IFS= read -r -d '' -u 3 file; do
    if [[ -L $file || ! -f $file ]]; then
        ((skipped += 1))
    elif [[ ! -r $file ]]; then
        fail "$file" 'it cannot be read'
    elif type=$(type_of "$file"); then
        take "$file" "$type"
        [[ -z $stopped ]] || break
    else
        ((skipped += 1))
    fi
done 3<"$work/files"

printf '%d uploaded (%d bytes became %d), %d already there, %d skipped, %d failed\n' \
    "$uploaded" "$before" "$after" "$there" "$skipped" "$bad"
if [[ -n $stopped ]]; then
    printf 'upload.sh: %s\n' "$stopped" >&2
fi
((bad == 0)) || exit 1
