#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of scripts/deps.txt that are missing: install-deps.sh [GOAL] (default: test).
# Without root or sudo it prints the command instead. Plain sh: it must run before anything is installed.
set -eu

case "${1:-test}" in
  demo) goals=' demo ' ;;
  deb) goals=' demo deb ' ;;
  test) goals=' demo deb test ' ;;
  synth) goals=' demo deb test synth ' ;;
  train) goals=' train ' ;;
  *) echo "usage: $0 [demo|deb|test|synth|train]" >&2; exit 2 ;;
esac
list="$(dirname "$0")/deps.txt"

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: if something is missing below, see $list for what is needed." >&2
  exit 0
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | sed -n 's/ installed$//p' | tr '\n' ' ')
missing=
while read -r package goal command; do
  case "$package" in '' | '#'*) continue ;; esac
  case "$goals" in *" $goal "*) ;; *) continue ;; esac
  case " $installed" in *" $package "*) continue ;; esac
  if [ -n "$command" ] && command -v "$command" >/dev/null; then continue; fi
  missing="$missing $package"
done <"$list"
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
  as_root=sudo
else
  {
    echo "These Debian packages are missing:$missing"
    echo "As root, run:"
    echo "  apt-get update && $install"
  } >&2
  exit 1
fi

echo "Installing Debian packages:$missing"
export DEBIAN_FRONTEND=noninteractive
options='-o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0'
# shellcheck disable=SC2086  # word splitting is wanted
{
  $as_root apt-get $options -q update
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get $options ${install#apt-get }
}
