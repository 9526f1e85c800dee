# Text on huge pages under IMA's appraisal, with and without hashes of images.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# This part of the test runs last, because the kernel keeps its policy.  Hashes
# in security.ima stand for signatures, because a Debian kernel verifies
# signatures only with keys that were built into it.  The policy leaves out the
# kernel's own filesystems, but not tmpfs, as appraise_tcb does: that is the
# stricter case for memory files.

# hash DIRECTORY...: put hashes into security.ima of all files in it.
hash ()
{
  for directory; do
    evmctl ima_hash -r -t f -a sha256 "$directory" >/run/hashed 2>&1 || return 1
  done
}

progress 'ima: hashes'
hash /usr/bin /usr/sbin /usr/lib /confined
record "ima hashes status=$?"
# A change of security.ima also changes the ctime of a file, so the images are
# made afterwards.
hugetext store add $server >/run/stored 2>&1
record "ima store status=$?"
cat >/run/policy <<'END'
dont_appraise fsmagic=0x9fa0
dont_appraise fsmagic=0x62656572
dont_appraise fsmagic=0x73636673
appraise func=BPRM_CHECK fowner=0
appraise func=MMAP_CHECK mask=MAY_EXEC fowner=0
END
mount -t securityfs none /sys/kernel/security 2>/dev/null
sync
cat /run/policy >/sys/kernel/security/ima/policy
record "ima policy status=$?"
# If programs without a hash run, the kernel appraises nothing.
cp /usr/bin/true /confined/unknown
/confined/unknown 2>/run/unknown
record "ima unknown status=$?"

attempt stock ''
mount --bind $ours $system
attempt without $on=store
attempt auto $on=auto
attempt copies $on=thp
code code
hash /var/cache/hugetext/store
record "ima images status=$?"
attempt hashed $on=store
hugetext store refresh >/run/stored 2>&1
record "ima refresh status=$?"
say 'ima refresh' /run/stored
attempt with $on=store
evict
attempt file $on=file
umount -l $system
attempt attach-copies '' '' thp
