# What the benchmarks share; read with "." by those that have set "top".
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

build=$(realpath "${1:-$top/build}")
loader=$build/ld-hugetext.so
command=$build/hugetext
alternate=$build/bench/alternate
results=$build/bench/results
# Not "work": in a build in the tree that is a script.
work=$build/bench/tmp
stock=$(realpath /lib64/ld-linux-x86-64.so.2)
step=$top/scripts/step
logs=$build/bench/log
name=$(basename "$0")
mkdir -p "$results" "$work" "$logs"

# The tunables of a backing, without a cap; what is compared is the backing.
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

# Go on in a mount namespace of our own: what is mounted goes with us.  The
# arguments are those of the script.
own_namespace ()
{
  test -z "${BENCH_NAMESPACE-}" || return 0
  BENCH_NAMESPACE=yes exec unshare -m "$0" "$@"
}

# Where the index and the store are.  own_index has a place for others in this
# mount namespace; then they can be bound there.
cache=$(dirname "$(sed -n 's/^INDEX_PATH = //p' "$build/Makefile")")
own_index ()
{
  mount -t tmpfs -o mode=755 none "$(dirname "$cache")"
  mkdir "$cache"
}

# The folder where our loader looks for the object that follows code.
loader_folder ()
{
  printf 'include Makefile\nprint:\n\t@echo $(loaderdir)\n' \
    | make -s --no-print-directory -C "$build" -f - print
}

# Have the object that follows code there, in this mount namespace.
own_object ()
{
  folder=$(loader_folder)
  if ! test -d "$folder"; then
    case $(dirname "$folder") in
      /lib | /usr/lib) fail "$folder is missing, and /usr/lib is in use" ;;
    esac
    mount -t tmpfs -o mode=755 none "$(dirname "$folder")"
    mkdir "$folder"
  else
    mount -t tmpfs -o mode=755 none "$folder"
  fi
  cp "$build/hugetext-code.so" "$folder"
}

# make_store DIRECTORY FILE...: an index and images of these programs and all
# libraries that they need, to be bound over $cache.  Of what can have none
# there is a line in the log.
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

# take_pool COUNT: have as many free pages in the pool until the end.  The lock
# is that of the test suite.  The kernel ends it with this shell.
pool=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
lock=/run/lock/ld-hugetext-testsuite.lock
pool_was=

give_back ()
{
  test -n "$pool_was" || return 0
  echo "$pool_was" >$pool
  pool_was=
  exec 9>&-
}

take_pool ()
{
  exec 9>$lock
  flock 9
  # What processes still hold of a larger pool is not meant to stay.
  size=$(cat $pool)
  pool_was=$((size - $(cat ${pool%nr_hugepages}surplus_hugepages)))
  free=$(cat ${pool%nr_hugepages}free_hugepages)
  echo $((size - free + $1)) >$pool
  free=$(cat ${pool%nr_hugepages}free_hugepages)
  test "$free" -ge "$1" || fail "only $free of $1 huge pages for the pool"
}

# measured WHAT QUANTITY: lines of a table, of what hugetext measure --json
# prints.
measured ()
{
  awk -v what="$1" -v quantity="$2" -f "$top/bench/measured.awk"
}

# Have FILE read in anew, whole pages or not: as the next reader wants it.
evict ()
{
  sync "$1"
  dd if="$1" iflag=nocache count=0 status=none
}

# Have FILE cached in small pages.
cache_small ()
{
  evict "$1"
  cat "$1" >/dev/null
}

# Have FILE cached page by page.
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

. "$top/bench/walk.sh"

trap give_back EXIT
trap 'exit 1' INT TERM
