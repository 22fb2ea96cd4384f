#!/usr/bin/env bash
# Packs one product for Linux; `cargo xtask package` calls it.
#
#   packaging/pack-linux.sh NAME VERSION MAINTAINER HOMEPAGE WORK OUT
#
# WORK/usr is what becomes /usr, and SOURCE_DATE_EPOCH the date of everything, so that the same files give
# the same bytes. OUT gets the rpm and the deb; of the service also the archive and what `docker build -`
# takes.
set -euo pipefail
name=$1 version=$2 maintainer=$3 homepage=$4 work=$5 out=$6
packaging=$(cd "$(dirname "$0")" && pwd)
arch=$(uname -m)
usr=$work/usr

# Lets all read everything below a folder and run its programs, whatever this user's umask is.
open() { chmod -R u=rwX,go=rX "$1"; }

# Packs FOLDER/INSIDE as ARCHIVE, with nothing of this machine or moment in it.
pack() {
    open "$1/$2"
    tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu --mtime="@$SOURCE_DATE_EPOCH" \
        --use-compress-program="gzip -9 -n" -cf "$out/$3.tar.gz" -C "$1" "$2"
}

open "$usr"

# For Fedora and openSUSE, by rpmbuild.
rpmbuild -bb --quiet --target "$arch" \
    --define "_topdir $work/rpm" \
    --define "_rpmdir $out" \
    --define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
    --define "product $name" \
    --define "release_version $version" \
    --define "maintainer $maintainer" \
    --define "date $(date --date="@$SOURCE_DATE_EPOCH" '+%a %b %d %Y')" \
    --define "tree $usr" \
    --define "scripts $packaging/scripts" \
    ${homepage:+--define "homepage $homepage"} \
    "$packaging/rpm/porchlight.spec"

if [ "$name" = porchlight-headless ]; then
    # The program with its manual, completions, units and licences, to unpack on any Linux.
    archive=$name-$version-$arch
    cp -a "$usr" "$work/$archive"
    cp "$packaging"/../{LICENSE-MIT,LICENSE-APACHE,docs/install.md} "$work/$archive"
    pack "$work" "$archive" "$archive"

    # A container, with the certificates that this system trusts.
    container=$work/container
    mkdir -p "$container/data"
    certificates=/etc/ssl/certs/ca-certificates.crt
    [ -e $certificates ] || certificates=/etc/pki/tls/certs/ca-bundle.crt
    cp $certificates "$container/ca-certificates.crt"
    cp "$packaging/container/Containerfile" "$container/Dockerfile"
    cp "$usr/bin/porchlight" "$container"
    pack "$container" . "porchlight-container-$version-$arch"
fi

# For Debian and Ubuntu, by dpkg's own programs. Debian's zsh looks for completions elsewhere.
cd "$work"
mkdir -p root/DEBIAN debian
mv usr root/usr
mv root/usr/share/zsh/{site-functions,vendor-completions}
# The history in Debian's form; that of the project is `CHANGELOG.md`.
cat >debian/changelog <<END
$name ($version) stable; urgency=medium

  * Porchlight $version.

 -- $maintainer  $(date -R --date="@$SOURCE_DATE_EPOCH")
END
gzip -9 -n <debian/changelog >"root/usr/share/doc/$name/changelog.gz"
sed "s|@PRODUCT@|$name|; s|@MAINTAINER@|$maintainer|; s|@HOMEPAGE@|$homepage|; /^Homepage: \$/d" \
    "$packaging/debian/control" >debian/control
# The checksums by which `dpkg --verify` finds changed files.
(cd root && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
dpkg-shlibdeps --warnings=0 root/usr/bin/porchlight
dpkg-gencontrol "-p$name" -Proot
open root
for script in "$packaging/scripts/$name".*; do
    install -m 755 "$script" "root/DEBIAN/${script##*.}"
done
# With one thread the compressed bytes do not depend on how many cores a machine has.
DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build root "$out"
