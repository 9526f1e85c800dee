#!/bin/sh
# Run programs on a machine that confines them, and record which of their text
# is huge.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Says its progress on the console, in lines that begin with "@ ".  Writes to
# the disk "records" lines "PART CASE NAME=VALUE...", which confined.exp
# judges, what was said in lines "say PART CASE: TEXT", and "end".

export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t tmpfs none /run
mount -t tmpfs none /tmp
mount -t securityfs none /sys/kernel/security
echo 0 >/proc/sys/kernel/printk_ratelimit
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
ln -s /proc/self/fd /dev/fd
mkdir -p /dev/shm
mount -t tmpfs none /dev/shm
ip link set lo up 2>/dev/null || :
system=$(realpath /lib64/ld-linux-x86-64.so.2)
ours=/usr/lib/ld-hugetext/ld-hugetext.so

exec 3>"$(cat /confined/records)"
record ()
{
  echo "$*" >&3
}

progress ()
{
  echo "@ $(cut -d . -f 1 /proc/uptime) s: $*"
}

# say TITLE FILE: keep what FILE says for the log.
say ()
{
  sed "s/^/say $1: /" "$2" >&3
}

record "kernel $(uname -r)"
. /confined/serve.sh
for part in verity apparmor ima; do
  progress "$part"
  . /confined/$part.sh
done
dmesg >/run/dmesg
say dmesg /run/dmesg
record end
sync
echo o >/proc/sysrq-trigger
sleep 60
