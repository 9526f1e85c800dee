# A machine with a simulated systemd, for enable.tcl and sessions.exp.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: unshare -m sh world.sh DIR HUGETEXT SCRIPT
#
# SCRIPT runs in a mount namespace in which /etc, /run, /var/lib and /var/cache
# have only files that hugetext and programs need. systemctl is a function of
# the files in DIR/units.  The file NAME has the properties of the unit NAME as
# "systemctl show" prints them.  NAME.up exists while the unit is up.  If
# NAME.fails exists, the unit does not start with a drop-in; if NAME.broken
# exists, it never starts; a timer NAME with NAME.stays cannot be disabled.
# NAME.runs is a script that the unit runs in its control group (see "runs"
# below).  DIR/log has all commands given to systemctl except "show" and
# "list-units".
set -eu

dir=$1
hugetext=$2
script=$3
command=${4-}

# The hugetext command runs this script as its systemctl.
if test "$command" = systemctl; then
  shift 4
  verb=
  name=
  for word; do
    case $word in
      -*) ;;
      *) if test -z "$verb"; then verb=$word; else name=$word; fi ;;
    esac
  done
  unit=$dir/units/$name
  dropins=/etc/systemd/system/$name.d
  timers=/etc/systemd/system/timers.target.wants
  case $verb in
    show | list-units) ;;
    *) echo "$verb${name:+ }$name" >>"$dir/log" ;;
  esac
  case $verb in
    show)
      if ! test -e "$unit"; then
        echo "Id=$name"
        echo LoadState=not-found
        exit 0
      fi
      cat "$unit"
      name=$(sed -n 's/^Id=//p' "$unit")
      if test -e "$dir/units/$name.up"; then
        echo ActiveState=active
      elif test -e "$dir/units/$name.broken"; then
        echo ActiveState=failed
      else
        echo ActiveState=inactive
      fi
      test ! -e "$unit.main" || echo "MainPID=$(cat "$unit.main")"
      ;;
    list-units)
      sed -n 's/^Id=\(.*\)/\1 loaded active running A unit/p' "$dir"/units/*
      # systemd also lists units that have no file, if other units name them.
      echo absent.service not-found inactive dead absent.service
      ;;
    daemon-reload)
      # The log would show two commands that run at once.
      echo begin >>"$dir/log"
      sleep 0.2
      echo end >>"$dir/log"
      ;;
    start | restart)
      rm -f "$unit.up"
      if test -e "$unit.broken" \
          || { test -e "$unit.fails" && test -e "$dropins/hugetext.conf"; }
      then
        echo "Job for $name failed."
        exit 1
      fi
      touch "$unit.up"
      test ! -e "$unit.runs" || sh -eu "$unit.runs" "$dropins/hugetext.conf"
      ;;
    # The command calls "systemctl enable" only with --now, and only for
    # timers.
    enable)
      mkdir -p "$timers"
      ln -s /lib/systemd/system/some.timer "$timers/$name"
      if test -e "$unit.broken"; then
        echo "Failed to start $name."
        exit 1
      fi
      touch "$unit.up"
      ;;
    disable)
      if test -e "$unit.stays"; then
        echo "Failed to disable $name."
        exit 1
      fi
      rm -f "$timers/$name" "$unit.up"
      rmdir "$timers"
      ;;
  esac
  exit 0
fi

rm -rf "$dir"
mkdir -p "$dir/units" "$dir/bin" "$dir/etc"
printf '#!/bin/sh\nexec sh "%s" "%s" - - systemctl "$@"\n' "$0" "$dir" \
  >"$dir/bin/systemctl"
chmod 755 "$dir/bin/systemctl"
for file in passwd group nsswitch.conf ld.so.cache; do
  test ! -e /etc/$file || cp /etc/$file "$dir/etc"
done
for place in /etc /run /var/lib /var/cache; do
  mount -t tmpfs -o mode=755 tmpfs $place
done
cp "$dir"/etc/* /etc
mkdir -p /run/systemd/system /etc/systemd/system /run/lock
# /run/disk is not on a tmpfs, so files in it may have images.
rm -rf "$dir/disk"
mkdir /run/disk "$dir/disk"
chmod 755 "$dir/disk"
mount --bind "$dir/disk" /run/disk
# The command looks for programs where systemd does.
mount --bind "$dir/bin" /usr/local/sbin
cd "$dir"

# Wait until the command is true, five minutes at most.
await ()
{
  tries=6000
  until "$@"; do
    tries=$((tries - 1))
    test $tries -gt 0 || { echo "in vain: $*"; return 1; }
    sleep 0.05
  done
}

# The unit NAME with further PROPERTY=VALUE.
unit ()
{
  name=$1
  shift
  printf '%s\n' "Id=$name" LoadState=loaded "$@" >"units/$name"
}

# Wait until a process holds the lock of FILE $1.
is_locked ()
{
  ! flock -n "$1" true
}
locked ()
{
  await is_locked "$1"
}

# service NAME PROGRAM: make a service that starts PROGRAM.
service ()
{
  unit "$1" "ExecStart={ path=$2 ; argv[]=$2 -x ; ignore_errors=no ; }"
}

# Let the service NAME run PROGRAM, whose loader is LOADER.  As under systemd,
# a drop-in of the service may mount another loader over LOADER.  PROGRAM is
# Python, and executes the code $4 before it waits.
runs ()
{
  mkdir -p "$group/$1"
  echo "ControlGroup=${group#"$groups"}/$1" >>"units/$1"
  cat >"units/$1.runs" <<END
ended ()
{
  test -z "\$(cat "$group/$1/cgroup.procs")"
}
cat "$group/$1/cgroup.procs" | xargs -r kill -9
until ended; do sleep 0.05; done
test ! -e "\$1" || "$hugetext" guard "$1"
unshare -m --propagation private sh -eu >/dev/null 2>&1 -c '
  bound=/var/lib/hugetext/bound/$1
  test ! -e "\$bound" || mount --bind "\$bound" "$(realpath "$3")"
  echo 0 >"$group/$1/cgroup.procs"
  echo \$\$ >"$dir/units/$1.main"
  exec "$2" -c "${4-}import time; open(\"$dir/runs\", \"w\"); time.sleep(600)"' &
until test -e "$dir/runs"; do sleep 0.05; done
rm "$dir/runs"
END
}

# The directory in which control groups can be created, or "".
groups=$(sed -n 's/^[^ ]* \([^ ]*\) cgroup [^ ]*name=systemd.*/\1/p' \
           /proc/self/mounts)
groups=${groups:-$(sed -n 's/^[^ ]* \([^ ]*\) cgroup2 .*/\1/p' \
                     /proc/self/mounts)}
group=$groups/hugetext-$$.slice
# End the processes that the script has left in its mount namespace.  (The ID
# in $! is not always that of a program: if a function ran in the background,
# the ID is that of a subshell, and the program is its child.)
end_processes ()
{
  test "$(readlink /proc/self/ns/mnt)" != "$(readlink /proc/$PPID/ns/mnt)" \
    || return 0
  for process in $(pgrep --ns $$ --nslist mnt); do
    test "$process" -eq $$ || kill -9 "$process" 2>/dev/null || true
  done
}
leave ()
{
  end_processes
  test -d "$group" || return 0
  find "$group" -name cgroup.procs -exec cat {} + | xargs -r kill -9
  until test -z "$(find "$group" -name cgroup.procs -exec cat {} +)"; do
    sleep 0.05
  done
  find "$group" -depth -type d -exec rmdir {} +
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

# Remove the control groups that killed runs of the tests have left.  A group
# with processes stays.
for old in "$groups"/hugetext-*.slice; do
  pid=${old##*/hugetext-}
  test ! -d "$old" || test -e "/proc/${pid%.slice}" \
    || find "$old" -depth -type d -exec rmdir {} + 2>/dev/null || true
done

# Print the paths and modes of all files and directories that the command can
# make, and the text of the files in /etc.
facts ()
{
  find /etc /var/lib /var/cache ! -path '*/ld.so.cache' -printf '%p %M\n' \
    | sort
  find /etc/hugetext* /etc/systemd -type f -exec sed 's/^/  /' {} + \
    2>/dev/null || true
}

# Run the command without making images, except in tests about images.
hugetext ()
{
  if test "$1" != enable; then
    "$hugetext" "$@"
    return
  fi
  shift
  test "${images-}" = yes || set -- --backing=thp "$@"
  # What enable says of a cap depends on the CPU.
  ended=0
  said=$("$hugetext" enable "$@") || ended=$?
  printf '%s\n' "$said" | grep -v -e '^$' -e ': max = .* instruction TLB of ' || true
  return $ended
}

# Print the lines of "hugetext list" about services without processes, but
# without the columns of tools/text/columns.def.  All values in these columns
# must be 0 or missing.
listed ()
{
  hugetext list | sed -E 's/^ *//; s/^procs .* enabled$/procs enabled/
    s/^0( +[0-])+ +([^ ]+)$/0 \2/; s/  +/ /g'
}

. "$script"
