#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs make and numbers its steps: with-steps.sh make -j2 build/swai shows "[3/207]  CXX ...". The sum is what make expects:
# files of a model are only known when it has been made, and let the sum grow (-k: all others are counted); what turns out to
# be unchanged is not built. The shell reads line by line; awk would wait for some kilobytes of them.
set -eu -o pipefail
total=$("$@" -n -k 2>/dev/null | grep -c "printf '  %-9s" || true)
step=0
"$@" | while IFS= read -r line; do
  if [[ $line =~ ^'  '[A-Z-]+' ' ]]; then
    step=$((step + 1))
    total=$((step > total ? step : total))
    line="[$step/$total]$line"
  fi
  printf '%s\n' "$line"
done
