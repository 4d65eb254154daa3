#!/usr/bin/env bash
# Installs the command for `action.yml`, from a released archive if there is one, otherwise with cargo.
#
# VERSION is the version to install. If it is empty, and ACTION_REF is the tag of a release, such as v1.2.3, that release is
# installed; from any other revision of the action, its source is built. Archives are those of ACTION_REPOSITORY at SERVER.
set -euo pipefail

note() {
  echo "::notice title=Trimtab::$1"
}

# The command with the features of the released one.
build() {
  if [ -n "$VERSION" ]; then
    cargo install --locked trimtab --version "$VERSION" --features exact
  else
    cargo install --locked --path "$GITHUB_ACTION_PATH" --features exact
  fi
}

fall_back() {
  note "$1; cargo builds the command, which takes some minutes"
  build
  exit
}

# The target of the archive for this runner.
target() {
  local libc=gnu
  case "$(ldd --version 2>&1)" in *musl*) libc=musl ;; esac
  case "$RUNNER_OS-$RUNNER_ARCH" in
    Linux-X64) echo "x86_64-unknown-linux-$libc" ;;
    Linux-ARM64) echo "aarch64-unknown-linux-$libc" ;;
    macOS-X64) echo x86_64-apple-darwin ;;
    macOS-ARM64) echo aarch64-apple-darwin ;;
    # Windows on ARM runs x64 programs.
    Windows-X64 | Windows-ARM64) echo x86_64-pc-windows-msvc ;;
    *) return 1 ;;
  esac
}

download() {
  curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"
}

verify() {
  # macOS has no sha256sum.
  if command -v sha256sum >/dev/null; then sha256sum --check -; else shasum --algorithm 256 --check -; fi
}

unpack() {
  case "$1" in
    # The tar of Windows reads zip files, that of Git Bash does not.
    *.zip) "$(cygpath --unix "$SYSTEMROOT")/System32/tar.exe" -xf "$1" ;;
    *) tar -xzf "$1" ;;
  esac
}

VERSION=${VERSION#v}
release=$VERSION
full='^v?([0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?)$'
if [ -z "$release" ] && [[ "${ACTION_REF:-}" =~ ^v ]] && [[ "$ACTION_REF" =~ $full ]]; then
  release=${BASH_REMATCH[1]}
fi
if [ -z "$release" ]; then
  build
  exit
fi
if ! [[ "$release" =~ $full ]]; then
  fall_back "\`$release\` is not a full version such as 1.2.3"
fi

target=$(target) || fall_back "there is no released binary for $RUNNER_OS on $RUNNER_ARCH"
case "$target" in *windows*) archive=trimtab-$target.zip ;; *) archive=trimtab-$target.tar.gz ;; esac
# Empty if the workflow of the same repository uses the action by its path.
address=$SERVER/${ACTION_REPOSITORY:-$GITHUB_REPOSITORY}/releases/download/v$release

# New for each run: a runner may be used for several jobs.
temporary=$RUNNER_TEMP
if [ "$RUNNER_OS" = Windows ]; then temporary=$(cygpath --unix "$temporary"); fi
folder=$(mktemp -d "$temporary/trimtab.XXXXXX")
cd "$folder"
download "$address/$archive" "$archive" || fall_back "there is no archive $archive of version $release"
# From here on, a failure is no reason to install something else.
download "$address/SHA256SUMS" SHA256SUMS
grep " $archive\$" SHA256SUMS | verify || {
  echo "::error title=Trimtab::the checksum of $archive is wrong"
  exit 1
}
unpack "$archive"
bin=$folder/trimtab-$target
"$bin/trimtab" --version || fall_back "the released binary does not start on this runner"
if [ "$RUNNER_OS" = Windows ]; then bin=$(cygpath --windows "$bin"); fi
echo "$bin" >> "$GITHUB_PATH"
