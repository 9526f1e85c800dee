# clang compiles the same C++ again and again in one process.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
set -e
top=$(cd "$(dirname "$0")/../../.." && pwd)
clang=$(realpath "$(command -v clang)")
case $1 in
  --check) command -v clang++ ;;
  --words)
    # The shell executes clang after it has written the file READY.
    printf '%s\n' sh "$top/lab/heat/workloads/clang.sh" --run ;;
  --run)
    input=$(mktemp)
    clang++ -E "$top/bench/inputs/regex.cc" -o "$input"
    set --
    while test $# -lt 200; do
      set -- "$@" "$input"
    done
    (sleep 4; echo $$ >"$READY") &
    exec "$clang" -cc1 -triple "$(uname -m)-pc-linux-gnu" -emit-llvm-only -O2 \
      -fexceptions -fcxx-exceptions -x c++-cpp-output "$@" ;;
esac
