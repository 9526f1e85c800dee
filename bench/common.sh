# Functions for the benchmarks.  A benchmark sets "top" and includes this file.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

build=$(realpath "${1:-$top/build}")
loader=$build/ld-hugetext.so
command=$build/hugetext
alternate=$build/bench/alternate
results=$build/bench/results
# The directory is not called "work", because a build in the tree has a script
# of this name.
work=$build/bench/tmp
stock=$(realpath /lib64/ld-linux-x86-64.so.2)
step=$top/scripts/step
logs=$build/bench/log
name=$(basename "$0")
mkdir -p "$results" "$work" "$logs"

# The tunables of a backing, without a cap, because the benchmarks compare
# backings.
all=glibc.mem.hugetext=1:glibc.mem.hugetext_max=100000
file=$all:glibc.mem.hugetext_backing=1
thp=$all:glibc.mem.hugetext_backing=2
hugetlb=$all:glibc.mem.hugetext_backing=3

fail ()
{
  echo "bench/$name: $1" >&2
  exit 1
}

# Stop unless the packages that have PROGRAM... are installed, named in one
# line: need PROGRAM=PACKAGE...
need ()
{
  missing=
  for pair; do
    command -v "${pair%%=*}" >/dev/null 2>&1 \
      || missing="$missing ${pair#*=}"
  done
  test -z "$missing" || fail "first: apt-get install$missing"
}

for file_needed in "$loader" "$command" "$alternate"; do
  test -x "$file_needed" \
    || fail "$file_needed is missing: make bench builds it"
done
test "$(id -u)" -eq 0 \
  || fail 'run as root: for namespaces, control groups and the hugetlb pool'

# Continue in a new mount namespace, so that all mounts end with this script.
# The function gets the arguments of the script.
own_namespace ()
{
  test -z "${BENCH_NAMESPACE-}" || return 0
  BENCH_NAMESPACE=yes exec unshare -m "$0" "$@"
}

# own_index makes this directory in a mount namespace of its own, where other
# directories can then be mounted over it.
cache=$(dirname "$(sed -n 's/^INDEX_PATH = //p' "$build/Makefile")")
own_index ()
{
  mount -t tmpfs -o mode=755 none "$(dirname "$cache")"
  mkdir "$cache"
}

# Print the directory in which our loader looks for hugetext-code.so.
loader_directory ()
{
  printf 'include Makefile\nprint:\n\t@echo $(loaderdir)\n' \
    | make -s --no-print-directory -C "$build" -f - print
}

# Put hugetext-code.so into the directory in which our loader looks for it, in
# this mount namespace only.
own_object ()
{
  directory=$(loader_directory)
  if ! test -d "$directory"; then
    case $(dirname "$directory") in
      /lib | /usr/lib) fail "$directory is missing, and /usr/lib is in use" ;;
    esac
    mount -t tmpfs -o mode=755 none "$(dirname "$directory")"
    mkdir "$directory"
  else
    mount -t tmpfs -o mode=755 none "$directory"
  fi
  cp "$build/hugetext-code.so" "$directory"
}

# make_store DIRECTORY FILE...: make an index, and images of these programs and
# of all libraries that they need, for a bind mount over $cache.  The log has a
# line for each file that can have no image.
make_store ()
{
  mkdir -p "$1"
  chmod 755 "$1"
  unshare -m sh -c '
    mount --bind "$1" "$2"
    command=$3
    shift 3
    "$command" store add "$@"' sh "$1" "$cache" \
    "$command" $(shift; echo "$@") >>"$logs/$name-store" 2>&1 || true
}

# The libc6 of Debian experimental, with glibc 2.44, in a tree of its own.
peer=$build/bench/glibc-2.44
peer_loader=$peer/root/usr/lib64/ld-linux-x86-64.so.2
peer_libraries=$peer/root/usr/lib/x86_64-linux-gnu
fetch_peer ()
{
  test ! -f "$peer/unpacked" || return 0
  rm -rf "$peer"
  mkdir -p "$peer"
  "$top/scripts/debian-apt" "$peer/apt" experimental amd64
  (cd "$peer/apt/archives" \
    && APT_CONFIG="$peer/apt/conf" apt-get -q download 'libc6=2.44*')
  dpkg -x "$peer"/apt/archives/libc6_*.deb "$peer/root"
  rm -rf "$peer/apt"
  : >"$peer/unpacked"
}

# Print how many pages of the hugetlb pool are free and not reserved by a process.
count_unused ()
{
  echo $(($(cat "${pool%nr_hugepages}free_hugepages") \
    - $(cat "${pool%nr_hugepages}resv_hugepages")))
}

# take_pool COUNT: keep COUNT free pages in the hugetlb pool, and the lock of the
# test suite, until give_back or the end of this shell.  scripts/keep-settings then
# puts the pool back, also if this shell is killed.  pool_held is the number of
# pages of the pool that other processes use or have reserved.
pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
pool_was=
keeper=

give_back ()
{
  test -n "$keeper" || return 0
  exec 9>&- 6<&-
  ending=$keeper
  keeper=
  wait "$ending" || fail "$pool is not back at $pool_was"
}

take_pool ()
{
  talk=$(mktemp -d)
  mkfifo "$talk/in" "$talk/out"
  "$top/scripts/keep-settings" <"$talk/in" >"$talk/out" &
  keeper=$!
  exec 9>"$talk/in" 6<"$talk/out"
  rm -r "$talk"
  while read -r line <&6 && test "$line" != held; do
    echo "${0##*/}: $line" >&2
  done
  test "${line-}" = held || fail "another run has the pool"
  # Leave out surplus pages, which processes still hold from a time when the
  # pool was larger.
  size=$(cat $pool)
  pool_was=$((size - $(cat ${pool%nr_hugepages}surplus_hugepages)))
  pool_held=$((size - $(count_unused)))
  echo "note $pool $pool_was" >&9
  read -r line <&6 && test "$line" = noted || fail "$pool: not noted"
  echo $((pool_held + $1)) >$pool
  unused=$(count_unused)
  test "$unused" -ge "$1" || fail "only $unused of $1 huge pages for the pool"
}

# measured WHAT QUANTITY: turn the output of hugetext measure --json into lines
# of a table.
measured ()
{
  awk -v what="$1" -v quantity="$2" -f "$top/bench/measured.awk"
}

# Drop FILE from the page cache, so that its next reader decides in which
# pages it is cached.
evict ()
{
  sync "$1"
  dd if="$1" iflag=nocache count=0 status=none
}

# Cache FILE in small pages.
cache_small ()
{
  evict "$1"
  cat "$1" >/dev/null
}

# Cache FILE page by page.
cache_single ()
{
  evict "$1"
  python3 - "$1" <<'END'
import os, sys
fd = os.open (sys.argv[1], os.O_RDONLY)
os.posix_fadvise (fd, 0, 0, os.POSIX_FADV_RANDOM)
for offset in range (0, os.fstat (fd).st_size, 4096):
    os.pread (fd, 4096, offset)
END
}

# The Pss of processes $*, KiB.
pss ()
{
  for pid; do
    sed -n 's/^Pss: *\([0-9]*\) kB/\1/p' "/proc/$pid/smaps_rollup"
  done | awk '{ sum += $1 } END { print sum }'
}

# Wait until processes $* use no more time.
settle ()
{
  before=
  quiet=0
  while test $quiet -lt 5; do
    sleep 0.2
    # Compare both the state and the processor time: a process that waits for a
    # processor uses no time, but is not idle.
    now=$(for pid; do cut -d ' ' -f 3,14,15 "/proc/$pid/stat"; done)
    case $now in
      *R* | *D*) quiet=0 ;;
      "$before") quiet=$((quiet + 1)) ;;
      *) quiet=0 ;;
    esac
    before=$now
  done
}

# Stop unless libhugetlbfs can be preloaded; hugectl is in another package.
need_libhugetlbfs ()
{
  /sbin/ldconfig -p | grep -q libhugetlbfs.so.0 \
    || fail 'first: apt-get install libhugetlbfs0'
}

. "$top/bench/walk.sh"

# End what this shell has in the background.  (In a subshell, dash's jobs shows
# no jobs.)
end_jobs ()
{
  test -n "${!-}" && jobs=$(mktemp) || return 0
  jobs -p >"$jobs"
  while read -r job; do
    kill "$job" 2>/dev/null || true
  done <"$jobs"
  rm -f "$jobs"
}

trap 'end_jobs; give_back' EXIT
trap 'exit 1' HUP INT TERM
