#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# keep-same.sh NEW OLD: the generated sources of the folder NEW replace those of OLD, which keeps the times of files whose
# text is the same, and what was compiled from them. NEW is gone then.
set -eu
new=$1 old=$2
mkdir -p "$old"
changed='' flags=''
for file in "$new"/*; do
  cmp -s "$file" "$old/${file##*/}" && continue
  cp -f "$file" "$old/"
  case $file in
    *.mk) flags=1 ;;
    *.cpp | *.h) changed=1 ;;
  esac
done
# What is not generated any more, with what was compiled from it; and the source that includes all others, which make writes.
for file in "$old"/*.cpp "$old"/*.h; do
  case $file in
    *__ALL.cpp) [ -z "$changed$flags" ] || rm -f "$file" ;;
    *)
      [ -e "$new/${file##*/}" ] && continue
      rm -f "$file"
      # Verilator's rules have none for a header that is gone.
      for needs in $(grep -l -w -F -s "${file##*/}" "$old"/*.d); do
        case $needs in *__ver.d) ;; *) rm -f "$needs" "${needs%.d}.o" ;; esac
      done
      ;;
  esac
done
# Nothing says by itself which flags an object was compiled with.
[ -z "$flags" ] || rm -f "$old"/*.o "$old"/*.a
rm -rf "$new"
