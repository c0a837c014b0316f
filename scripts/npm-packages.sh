#!/bin/sh
# SPDX-License-Identifier: MIT
# npm-packages.sh OUT: installs what scripts/npm/package-lock.json pins into OUT/npm, and prints that
# folder. They are tools of lint (biome) and of the browser tests (axe-core); nothing that is
# installed or that a picture carries comes from npm.
#
# Without npm, or out of its registry's reach, it says so and ends with status 1. The lock file names
# no registry: npm takes the one that it is set to.
set -eu

if [ $# -ne 1 ]; then
  echo "usage: npm-packages.sh OUT" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")/npm" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)/npm

if ! cmp -s "$here/package-lock.json" "$folder/installed"; then
  if ! command -v npm > /dev/null; then
    echo "npm-packages.sh: npm is missing; as root: apt-get install npm" >&2
    exit 1
  fi
  mkdir -p "$folder"
  cp "$here/package.json" "$here/package-lock.json" "$folder"
  if ! (cd "$folder" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 \
      --loglevel=error) > "$folder/log" 2>&1; then
    echo "npm-packages.sh: npm cannot install $here/package-lock.json:" >&2
    grep -m 3 'npm error' "$folder/log" >&2 || tail -n 3 "$folder/log" >&2
    exit 1
  fi
  cp "$here/package-lock.json" "$folder/installed"
fi
echo "$folder"
