# Attach gdb to a program that waits.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: attach.sh PROGRAM GDB..., with the name of a file that PROGRAM will
# make when it is ready in READY.

program=$1
shift
"$program" "$READY" &
pid=$!
trap 'kill $pid' EXIT
n=0
until test -e "$READY"; do
  n=$((n + 1))
  if test $n -gt 200; then exit 1; fi
  sleep 0.05
done
sleep 0.1
"$@" -iex 'set debuginfod enabled off' -iex 'set print inferior-events off' \
  -iex 'set print address off' -p $pid 2>&1 \
  | sed "s/$pid/PID/g; s/Thread 0x[0-9a-f]*/Thread ADDRESS/g"
# It lives on without gdb.
kill -USR1 $pid
sleep 0.2
