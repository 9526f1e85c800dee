# Text on huge pages with fs-verity: sealed programs and images.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

spare=$(cat /confined/spare)
mkdir /verity
mkfs.ext4 -q -F -b 4096 -O verity "$spare"
mount -t ext4 -o noatime "$spare" /verity
mkdir /verity/store
cp /usr/sbin/mariadbd /verity

# add CASE: make images of $server, and record "CASE status=N sealed=N huge=N":
# the exit status, and the numbers of lines which say that the file is sealed
# and that it is not cached in huge pages.
add ()
{
  hugetext store add $server >/run/stored 2>&1
  record "verity $1 status=$? sealed=$(grep -c 'sealed by fs-verity' \
    /run/stored) huge=$(grep -c 'not cached in huge pages' /run/stored)"
  say "verity $1" /run/stored
}

mount --bind $ours $system
evict
attempt plain $on=file
server=/verity/mariadbd
evict
attempt feature $on=file
add add-feature
attempt image $on=store
rm -rf /var/cache/hugetext/store/*
fsverity enable $server
fsverity measure $server >/run/measured 2>&1
record "verity enable status=$?"
say 'verity enable' /run/measured
evict
attempt sealed $on=file
add add-sealed
attempt sealed-auto $on=auto
# Put the store on the filesystem with fs-verity, and add a program that is not
# sealed.
server=/usr/sbin/mariadbd
mount --bind /verity/store /var/cache/hugetext/store
add add-there
umount /var/cache/hugetext/store
umount -l $system
rm -rf /var/cache/hugetext/store/*
