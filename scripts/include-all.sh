#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# include-all.sh -DNAME=VALUE... FILE...: a source that includes all others of a model, as Verilator's own includer writes it; but
# what runs once (files __Slow and __Syms) is not optimised, as it is not where each file is compiled alone.
for word; do
  case $word in
    -D*) word=${word#-D} && echo "#define ${word/=/ }" ;;
    *__Slow.cpp | *__Syms*.cpp) printf '#pragma clang optimize off\n#include "%s"\n#pragma clang optimize on\n' "$word" ;;
    *) printf '#include "%s"\n' "$word" ;;
  esac
done
