#!/bin/busybox sh
# Run programs from all kinds of files, and record which of their text is huge.
# The first process of the machine that kernels/boot starts.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Says its progress on the console, in lines that begin with "@ ".  Writes to
# the disk "records", in lines of their own:
#
#   kernel RELEASE
#   filesystem NAME unsupported: REASON
#   busy DIRECTORY      it cannot be unmounted
#   store fs=NAME state=STATE status=N
#                       what "hugetext store add" ended with; "say ..." what it
#                       and "hugetext store list" said
#   run fs=NAME state=STATE mode=MODE way=WAY program=NAME
#   status N, read KIB, output same|different, claim ..., object ..., say ...
#                       what the run above did: its exit status, what it had
#                       read from disks, its output compared with the stock
#                       loader's, what the loader says, what the kernel says
#                       (testsuite/lib/facts.h)
#   written fs=NAME status=N output=same|different kept=yes|no text=BYTES
#     huge=BYTES copied=BYTES open=BYTES
#                       what became of a library that is opened for writing
#                       while it is used: HUGE of its TEXT on huge pages before,
#                       COPIED in copies, OPEN huge then; KEPT: nothing that was
#                       written to it is lost
#   end
#
# STATE is how the program's files are cached: "cold": not cached; "small": in
# the pages that reading the files leaves; "huge": in the pages that this
# loader leaves; "written": in the pages that copying the program leaves, with
# its libraries cold; "mapped": as for "small", and a process under the stock
# loader still has the files mapped.  MODE is a special condition of the run:
# "user" means none, and "stock" means the stock loader.  WAY is "explicit" (an
# argument of the loader) or "interp" (mapped by the kernel).

/bin/busybox mkdir -p /proc /sys /dev /mnt /out /stock
/bin/busybox mount -t proc none /proc
export PATH=/bin
for applet in $(/bin/busybox --list); do
  test -e /bin/$applet || /bin/busybox ln -s busybox /bin/$applet
done

if grep -q hugetext=trial /proc/cmdline; then
  echo '@ trial'
  poweroff -f
fi

mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /out
for module in /modules/*; do
  test -f "$module" || continue
  insmod "$module" || echo "cannot load $module"
done

say ()
{
  echo "@ $(cut -d . -f 1 /proc/uptime) s: $*"
}

# The device with serial number $1.
disk ()
{
  for serial in /sys/block/*/serial; do
    test "$(cat "$serial")" != "$1" \
      || { echo "/dev/$(echo "$serial" | cut -d / -f 4)"; return 0; }
  done
  return 1
}

# Everything that record prints is written to the disk one after the other.
exec 3>"$(disk records)"
record ()
{
  echo "$*" >&3
}

thp=/sys/kernel/mm/transparent_hugepage
record "kernel $(uname -r)"
# Which sizes of huge pages there are, for the log.
ls /sys/kernel/mm/hugepages
# A program that is large enough where huge pages are larger than 2 MiB.  If
# huge pages have 512 MiB, no program is large enough.
large=
pool=64
case $(cat $thp/hpage_pmd_size) in
  2097152) ;;
  536870912) pool=1 ;;
  *) large=large pool=8 ;;
esac
echo madvise >$thp/enabled


# Filesystems, at /mnt/NAME

# Unmount POINT...  A filesystem may be busy for a moment after the last
# process that used it has ended; the reason is not known.
unmount ()
{
  for point; do
    tries=0
    until umount "$point" 2>/refused; do
      tries=$((tries + 1))
      if test $tries -eq 100; then
        cat /refused >&2
        record "busy $point"
        break
      fi
      usleep 100000
    done
  done
}

prepare_root ()
{
  mount -t proc none "$1/proc"
  mount -t sysfs none "$1/sys"
  mount --bind /out "$1/out"
  chmod 1777 /out
}

leave_root ()
{
  unmount "$1/proc" "$1/sys" "$1/out"
}

fill ()
{
  tar -x -f "$(disk tree)" -C "$1"
  sync
}

# Mount filesystem $1; on failure record why.
mount_filesystem ()
{
  mkdir -p "/mnt/$1"
  case $1 in
    tmpfs) options=size=300m type=tmpfs device=none ;;
    tmpfs-huge) options=size=300m,huge=always type=tmpfs device=none ;;
    overlay)
      mkdir -p /mnt/ext4
      if ! mount -t ext4 "$(disk ext4)" /mnt/ext4; then
        record "filesystem $1 unsupported: ext4 cannot be mounted again"
        return 1
      fi
      mkdir -p /mnt/ext4/lower /mnt/ext4/upper /mnt/ext4/scratch
      mount -t tmpfs none /mnt/overlay
      options=lowerdir=/mnt/ext4/lower,upperdir=/mnt/ext4/upper
      options=$options,workdir=/mnt/ext4/scratch type=overlay device=none
      fill /mnt/ext4/lower ;;
    squashfs | erofs) options=ro type=$1 device=$(disk "$1") ;;
    *) options=noatime type=$1 device=$(disk "$1") ;;
  esac
  if test -z "$device"; then
    why='no image'
  elif ! grep -qw "$type" /proc/filesystems; then
    why='not in this kernel'
  elif ! mount -t "$type" -o "$options" "$device" "/mnt/$1"; then
    why='cannot be mounted'
  else
    case $1 in
      overlay | squashfs | erofs) ;;
      *) fill "/mnt/$1" ;;
    esac
    prepare_root "/mnt/$1"
    return 0
  fi
  record "filesystem $1 unsupported: $why"
  return 1
}

unmount_filesystem ()
{
  evict
  leave_root "/mnt/$1"
  unmount "/mnt/$1"
  test "$1" != overlay || unmount /mnt/overlay /mnt/ext4
}


# States of a file

holder=
evict ()
{
  if test -n "$holder"; then
    kill "$holder"
    # Wait until the holder has ended, because its mapped filesystem cannot
    # be unmounted before.
    wait "$holder" || :
  fi
  holder=
  sync
  echo 3 >/proc/sys/vm/drop_caches
}

# Bring the files of program $2 below $1 into state $3.
prepare_state ()
{
  case $3 in
    cold | written) evict ;;
    small)
      evict
      while read -r file; do
        dd "if=$1$file" of=/dev/null bs=64k 2>/dev/null
      done <"$1/files.$2" ;;
    mapped | stored | memory)
      evict
      hold "$1$(head -n 1 "$1/files.$2")" >/held &
      holder=$!
      while test ! -s /held && test -d /proc/$holder; do usleep 10000; done
      rm /held ;;
    huge) ;;
  esac
  if test "$3" = written; then
    file=$1$(head -n 1 "$1/files.$2")
    cp -p "$file" "$file.new"
    mv "$file.new" "$file"
    sync
  fi
}


# Runs

# run ROOT USER PREFIX LOADER PROGRAM ARG...: as USER, under LOADER unless that
# is "interp".  Older versions of busybox do not export variables that are set
# before a function call.
run ()
{
  root=$1
  user=$2
  prefix=$3
  loader=$4
  shift 4
  test "$loader" = interp || set -- "$loader" "$@"
  # shellcheck disable=SC2086
  $prefix /bin/enter "$root" "$user" "$@" </dev/null
}

system_loader=$(cat /system-loader)

# What the programs do under the stock loader, once, below $1.
run_stock ()
{
  mount --bind "$1/ld-stock.so" "$1$system_loader"
  while read -r program command; do
    for way in explicit interp; do
      loader=$way
      test $way = interp || loader=/ld-stock.so
      # shellcheck disable=SC2086
      run "$1" 1000 '' $loader $command \
        >"/stock/$program.$way" 2>"/stock/$program.$way.error"
      echo $? >"/stock/$program.$way.status"
    done
  done <"$1/programs"
  unmount "$1$system_loader"
}

# KiB read from all disks so far.  A sector is 512 bytes whatever the disk.
kib_read ()
{
  cat /sys/block/*/stat | awk '{ sum += $3 } END { printf "%d\n", sum / 2 }'
}

# run_ours FS STATE MODE WAY PROGRAM COMMAND...
run_ours ()
{
  fs=$1 state=$2 mode=$3 way=$4 program=$5
  shift 5
  loader=$way
  test "$way" = interp || loader=$system_loader
  tunables=glibc.mem.hugetext=1:glibc.mem.hugetext_max=100000
  user=1000
  prefix=
  case $mode in
    root) user=0 ;;
    stock) loader=/ld-stock.so tunables= ;;
    mdwe | traced) prefix="/bin/under $mode" ;;
    hugetlb) tunables=$tunables:glibc.mem.hugetext_backing=3 ;;
  esac
  # Our own test programs write facts themselves, without facts.so.
  preload=/facts.so
  case $program in
    pie | large | marked) preload= ;;
  esac

  prepare_state "/mnt/$fs" "$program" "$state"
  rm -f /out/facts /out/debug.*
  before=$(kib_read)
  (export GLIBC_TUNABLES="$tunables" LD_PRELOAD="$preload"
   export LD_DEBUG=files LD_DEBUG_OUTPUT=/out/debug HUGETEXT_FACTS=/out/facts
   run "/mnt/$fs" $user "$prefix" $loader "$@" >/stdout 2>/stderr)
  status=$?

  record "run fs=$fs state=$state mode=$mode way=$way program=$program"
  record "status $status"
  record "read $(($(kib_read) - before))"
  if cmp -s /stdout "/stock/$program.$way" \
      && cmp -s /stderr "/stock/$program.$way.error" \
      && test $status = "$(cat "/stock/$program.$way.status")"; then
    record 'output same'
  else
    record 'output different'
    head -n 20 /stderr | sed 's/^/say /' >&3
  fi
  cat /out/debug.* 2>/dev/null | grep ';  hugetext: ' \
    | sed 's/^[^f]*file=/claim /' >&3
  grep '^object ' /out/facts >&3
}

# run_programs FS STATES MODE PROGRAM...: run each PROGRAM that exists on the
# filesystem in each of STATES, both explicitly and as its interpreter.
run_programs ()
{
  fs=$1 states=$2 mode=$3
  shift 3
  for program; do
    command=$(sed -n "s/^$program //p" "/mnt/$fs/programs")
    test -n "$command" || continue
    for way in explicit interp; do
      test "$mode$way" != stockinterp || continue
      for state in $states; do
        # shellcheck disable=SC2086
        run_ours "$fs" "$state" "$mode" $way "$program" $command
      done
    done
  done
}

# Print the number with the name $2 in the facts TAG about libwritten.so, the
# library that another process writes to.
written_fact ()
{
  awk -v tag="$1" -v name="$2" '
    $1 == "process" { now = $2 }
    $1 == "object" && $2 == "libwritten.so" && now == tag {
      for (i = 3; i <= NF; i++)
        if (index($i, name "=") == 1) print substr($i, length(name) + 2)
    }' /out/facts
}

# A library in use on filesystem $1 is cached in small pages.  The test writes
# something to the end of the library that may not be on the disk yet, runs a
# program with the library under our loader, and opens the library for writing
# meanwhile.
test_written ()
{
  say "$1, written to while it is used"
  library=/usr/lib/libwritten.so
  evict
  mount --bind "/mnt/$1/ld-stock.so" "/mnt/$1$system_loader"
  (export HUGETEXT_FACTS=/out/facts
   run "/mnt/$1" 0 '' interp /written $library >/stdout.stock 2>&1)
  unmount "/mnt/$1$system_loader"
  hold "/mnt/$1$library" >/held &
  holder=$!
  while test ! -s /held && test -d /proc/$holder; do usleep 10000; done
  rm /held
  sync
  printf x >>"/mnt/$1$library"
  rm -f /out/facts
  status=0
  (export GLIBC_TUNABLES=glibc.mem.hugetext=1:glibc.mem.hugetext_max=100000
   export HUGETEXT_FACTS=/out/facts
   run "/mnt/$1" 0 '' interp /written $library >/stdout 2>&1) || status=$?
  output=different
  ! cmp -s /stdout /stdout.stock || output=same
  kept=no
  test "$(tail -c 3 "/mnt/$1$library")" != wxw || kept=yes
  record "written fs=$1 status=$status output=$output kept=$kept" \
    "text=$(written_fact before text) huge=$(written_fact before huge)" \
    "copied=$(written_fact before copied) open=$(written_fact open huge)"
  sed 's/^/say /' /stdout >&3
}

# Have images of PROGRAM...: make_store FS STATE PROGRAM...
make_store ()
{
  directory=/mnt/$1/var/cache/hugetext
  # Nothing can be written there.
  case $1 in
    squashfs | erofs) mount -t tmpfs -o mode=755 none "$directory"
      mkdir "$directory/store" ;;
  esac
  test "$2" != memory \
    || mount -t tmpfs -o huge=always,mode=755,size=128m none "$directory/store"
  fs=$1 state=$2
  shift 2
  files=
  for program; do
    command=$(sed -n "s/^$program \([^ ]*\).*/\1/p" "/mnt/$fs/programs")
    files="$files $command"
  done
  status=0
  # shellcheck disable=SC2086
  run "/mnt/$fs" 0 '' interp /usr/bin/hugetext store add $files \
    >/stdout 2>&1 || status=$?
  run "/mnt/$fs" 0 '' interp /usr/bin/hugetext store list >>/stdout 2>&1 || :
  record "store fs=$fs state=$state status=$status"
  sed 's/^/say /' /stdout >&3
}

remove_store ()
{
  directory=/mnt/$1/var/cache/hugetext
  evict
  case $2 in
    memory) unmount "$directory/store" ;;
    *) rm -rf "$directory/store"/* ;;
  esac
  case $1 in
    squashfs | erofs) unmount "$directory" ;;
    *) rm -f "$directory/index" ;;
  esac
}

# Programs whose files are in use and cached in small pages, with a store on
# the same filesystem and with a store in memory.
test_store ()
{
  fs=$1
  shift
  test -x "/mnt/$fs/usr/bin/hugetext" || return 0
  for state in stored memory; do
    case $state-$fs in
      stored-squashfs | stored-erofs) continue ;;
    esac
    say "$fs, $state"
    make_store "$fs" $state "$@"
    run_programs "$fs" $state user "$@"
    remove_store "$fs" $state
  done
}

# A run in the first of the states leaves the files in the second state.
test_filesystem ()
{
  case $1 in
    tmpfs*) states='written huge' ;;
    squashfs | erofs) states='cold huge small' ;;
    *) states='cold huge small mapped written' ;;
  esac
  say "$1"
  mount_filesystem "$1" || return 0
  test -f /stock/pie.interp || run_stock "/mnt/$1"
  # shellcheck disable=SC2086
  run_programs "$1" "$states" user pie $large marked
  run_programs "$1" "${states%% *}" stock pie marked
  case $1 in
    tmpfs) run_programs "$1" "$states" user postgres ;;
    overlay) run_programs "$1" 'cold huge small' user postgres ;;
    ext4 | xfs)
      run_programs "$1" 'cold huge small' user python postgres
      run_programs "$1" cold stock postgres
      run_programs "$1" 'cold small' user gdb
      test_modes "$1" ;;
  esac
  # shellcheck disable=SC2086
  case $1 in
    tmpfs*) ;;
    ext4 | xfs) test_store "$1" pie $large python ;;
    *) test_store "$1" pie $large ;;
  esac
  case $1 in
    tmpfs* | squashfs | erofs) ;;
    *) test_written "$1" ;;
  esac
  unmount_filesystem "$1"
}

# Put $1 pages into the pools of other sizes than the usual one, up to 32 MiB.
set_pools ()
{
  for dir in /sys/kernel/mm/hugepages/*; do
    size=${dir##*-}
    size=${size%kB}
    test $((size * 1024)) -eq "$(cat $thp/hpage_pmd_size)" \
      || test "$size" -gt 32768 || echo "$1" >"$dir/nr_hugepages"
  done
}

# Test special cases of processes and of the kernel with filesystem $1.
test_modes ()
{
  say "$1, special cases"
  run_programs "$1" 'cold huge small' root pie
  for mode in always never; do
    echo $mode >$thp/enabled
    run_programs "$1" 'cold small' $mode pie
    echo madvise >$thp/enabled
  done
  run_programs "$1" 'cold small' traced pie
  # From Linux 6.3 on.
  if under mdwe /bin/true; then
    run_programs "$1" 'cold small' mdwe pie marked postgres
  fi
  # The loader must not take huge pages of other sizes.
  set_pools 4
  echo $pool >/proc/sys/vm/nr_hugepages
  # shellcheck disable=SC2086
  run_programs "$1" small hugetlb pie $large marked
  echo 0 >/proc/sys/vm/nr_hugepages
  set_pools 0
}

for filesystem in ext4 xfs overlay tmpfs tmpfs-huge btrfs squashfs erofs; do
  test_filesystem $filesystem
  # Write the records to the disk after each program.
  sync
done
record end
sync
say 'done'
poweroff -f
