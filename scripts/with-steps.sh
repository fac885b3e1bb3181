#!/bin/bash
# Runs make and numbers its steps: with-steps.sh make -j2 build/swai shows "[3/207]  CXX ...". The sum is what make expects:
# files of a model are only known when it has been made, and let the sum grow (-k: all others are counted); what turns out to
# be unchanged is not built.
set -eu -o pipefail
total=$("$@" -n -k 2>/dev/null | grep -c "printf '  %-9s" || true)
"$@" | awk -v total="$total" '
  /^  [A-Z-]+ / { if (++step > total) total = step; printf "[%d/%d]%s\n", step, total, $0; fflush(); next }
  { print; fflush() }'
