#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lints the C++ sources: clang-format in check mode, and cppcheck, of some folders or all; and whether each includes what
# it needs. `scripts/lint/cpp.sh format` rewrites them instead.
set -euo pipefail
cd "$(dirname "$0")/../.."

folders=(abi firmware sim host cpe-kernels examples verif)
# Sources of the repository, with or without git.
sources() {
  find "${folders[@]}" -name '*.cpp' -o -name '*.hpp' 2>/dev/null | sort
}

case "${1:-all}" in
  format)
    sources | xargs -r clang-format -i
    ;;
  check-format)
    sources | xargs -r clang-format --dry-run -Werror
    ;;
  cppcheck)
    shift
    [ $# -gt 0 ] || set -- "${folders[@]}"
    work=build/cppcheck/$1
    mkdir -p "$work"
    # Headers are checked through the sources that include them. They mention __GNUC__ for an attribute alone: with and
    # without it each source would be checked twice.
    find "$@" -name '*.cpp' | sort >"$work/sources"
    cppcheck --quiet --std=c++20 --language=c++ -U__GNUC__ -I . -I build/gen -j "$(nproc)" --cppcheck-build-dir="$work" \
      --include=scripts/lint/cppcheck_doctest.hpp \
      --enable=warning,portability --inline-suppr --suppressions-list=scripts/lint/cppcheck.txt \
      --template='{file}:{line}: {severity}: {message} [{id}]' --error-exitcode=1 --file-list="$work/sources"
    ;;
  includes)
    # The sources of these targets, or of all tests, without precompiled headers; the models they include must be there.
    shift
    [ $# -gt 0 ] || set -- $(python3 scripts/run-tests.py --needs)
    make "$@" >/dev/null
    make --dry-run --always-make PRECOMPILED= "$@" |
      grep '^clang++ .* -MMD -MP -c -o ' | awk '!seen[$NF]++' | sed 's/ -MMD -MP -c -o [^ ]*/ -fsyntax-only/' |
      xargs -d '\n' -n 1 -P "$(nproc)" bash -c
    ;;
  *)
    echo "usage: $0 format|check-format|cppcheck [FOLDER...]|includes [TARGET...]" >&2
    exit 2
    ;;
esac
