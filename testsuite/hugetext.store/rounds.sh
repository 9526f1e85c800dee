#!/bin/sh
# Replace a library and start a program, again and again: the text that
# the program sees is always the library's.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Run as root in a namespace that has the test's own store: rounds.sh ROUNDS
# DIRECTORY LOADER STOCK-LOADER HUGETEXT REPLACE LIBRARY OTHER PROGRAM.
# The script replaces the bytes of LIBRARY by those of OTHER and back, each
# time in another way of replace.c.  It compares the text, and the results of
# its functions, with what the stock loader gives for the same bytes.  Every 50
# rounds, the store is refreshed, and its images must then be used.
set -eu

rounds=$1 dir=$2 loader=$3 stock=$4 hugetext=$5 replace=$6 library=$7 other=$8
program=$9
on=glibc.mem.hugetext=1:glibc.mem.hugetext_max=1000
ways='inode write truncate rename exchange link mapped range links atime'

use ()
{
  "$@" "$program" one
}

cp -p "$library" "$dir/0.so"
cp -p "$other" "$dir/1.so"
for version in 1 0; do
  "$replace" write "$library" "$dir/$version.so" >"$dir/said"
  use "$stock" >"$dir/$version.out"
done
if cmp -s "$dir/0.out" "$dir/1.out"; then
  echo "the two versions are the same"
  exit 1
fi

wrong=0 same=0 used=0 filled=0 round=0
while test $round -lt "$rounds"; do
  if test $((round % 50)) -eq 0; then
    "$hugetext" store add "$library" >/dev/null
    filled=$((filled + 1))
    GLIBC_TUNABLES=$on:glibc.mem.hugetext_backing=4 \
      HUGETEXT_SMAPS=$dir/smaps use "$loader" >"$dir/out"
    cmp -s "$dir/out" "$dir/$((round % 2)).out" || wrong=$((wrong + 1))
    ! grep -q '/store/libone\.so\.' "$dir/smaps" || used=$((used + 1))
  fi
  version=$(((round + 1) % 2))
  # shellcheck disable=SC2086
  way=$(set -- $ways; shift $((round % $#)); echo "$1")
  said=$("$replace" "$way" "$library" "$dir/$version.so")
  test "$said" != 'same inode, same size, same mtime' || same=$((same + 1))
  GLIBC_TUNABLES=$on:glibc.mem.hugetext_backing=$((round / 10 % 2 * 4)) use "$loader" >"$dir/out"
  if ! cmp -s "$dir/out" "$dir/$version.out"; then
    wrong=$((wrong + 1))
    echo "round $round, $way: other bytes" >&2
  fi
  round=$((round + 1))
done
echo "$rounds rounds, $same with the same inode, size and mtime;" \
  "the store was used $used times of $filled; $wrong wrong"
