# Compile the program that the benchmark of page walks measures (bench/walk.c).
# A script sets "top" and includes this file.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

# compile_walk TARGET MIB ALIGN OPTION...: compile a program with MIB of text,
# and a function in every page, or in one page of $every.
compile_walk ()
{
  target=$1
  case $(uname -m) in
    aarch64) jump=b ;;
    *) jump=jmp ;;
  esac
  awk -v pages=$(($2 * 256)) -v every="${every:-1}" -v align="$3" \
    -v jump=$jump -f "$top/bench/walk.awk" >"$target.s"
  shift 3
  cc -O2 -D_GNU_SOURCE "$@" -o "$target" "$top/bench/walk.c" "$target.s"
}
