# Make a cluster in DIRECTORY, start its server, run SQL from FILE, stop it.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: server.sh DIRECTORY FILE, with the directory of the programs in BIN.

set -e
data=$1/data
# The socket is in the abstract namespace, so it needs no directory with a
# short name.
socket=@hugetext-$$

"$BIN/initdb" -N -A trust -U test -E UTF8 --locale=C -D "$data" \
  >"$1/initdb.log"
"$BIN/postgres" -D "$data" -F -c listen_addresses= \
  -c unix_socket_directories="$socket" -c huge_pages=off -c log_line_prefix= \
  -c shared_buffers=32MB -c max_parallel_workers_per_gather=2 \
  -c min_parallel_table_scan_size=0 -c parallel_setup_cost=0 \
  -c parallel_tuple_cost=0 >"$1/server.log" 2>&1 &
server=$!
trap 'kill -9 $server' EXIT
trap 'exit 143' HUP INT TERM
n=0
until "$BIN/pg_isready" -q -h "$socket"; do
  n=$((n + 1))
  if test $n -gt 200; then cat "$1/server.log"; exit 1; fi
  sleep 0.1
done

"$BIN/psql" -X -h "$socket" -U test -d postgres -f "$2" 2>&1
"$BIN/pg_dump" -h "$socket" -U test --inserts -t small postgres \
  | grep '^INSERT'
trap - EXIT
"$BIN/pg_ctl" stop -s -w -m smart -D "$data"
wait $server
echo "server: $?"
grep -c 'database system is shut down' "$1/server.log"
grep -E 'FATAL|PANIC|terminated' "$1/server.log" | grep -v 'starting up' \
  || true
