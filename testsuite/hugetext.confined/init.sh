#!/bin/busybox sh
# Make the root filesystem of a guest, and continue in it.  The first process
# of the machine that kernels/boot starts.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

/bin/busybox --install -s /bin
export PATH=/bin:/usr/sbin:/usr/bin:/sbin
mkdir -p /proc /sys /dev /new
mount -t proc none /proc
if grep -q hugetext=trial /proc/cmdline; then
  echo '@ trial'
  poweroff -f
fi
mount -t sysfs none /sys
mount -t devtmpfs none /dev
for module in /modules/*; do
  test ! -f "$module" || insmod "$module" || echo "cannot load $module"
done

# The device with serial number $1.
disk ()
{
  for serial in /sys/block/*/serial; do
    test "$(cat "$serial")" != "$1" \
      || echo "/dev/$(echo "$serial" | cut -d / -f 4)"
  done
}

mount -t ext4 -o noatime "$(disk ext4)" /new
tar -x -f "$(disk tree)" -C /new
cp /bin/busybox /new/confined
mkdir -p /new/proc /new/sys /new/dev /new/run /new/tmp
disk records >/new/confined/records
disk btrfs >/new/confined/spare
for directory in proc sys dev; do
  mount --move /$directory /new/$directory
done
exec switch_root /new /bin/sh /confined/guest.sh
