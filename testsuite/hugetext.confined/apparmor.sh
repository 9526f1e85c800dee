# Text on huge pages under AppArmor, with and without our lines in the profile.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

profile=/etc/apparmor.d/usr.sbin.mariadbd

cp /confined/mariadbd.profile $profile

# Open libraries a hundred times, confined by a profile that includes base
# alone: "again CASE status=N denied=N".
again ()
{
  dmesg -C
  GLIBC_TUNABLES=$on=store /confined/reopen /usr/lib/x86_64-linux-gnu/lib*.so.3 \
    >/run/stdout 2>&1
  record "apparmor again-$1 status=$? denied=$(denied reopen)"
  dmesg | grep DENIED >/run/denied
  say "apparmor again-$1" /run/stdout
  say "apparmor again-$1 denied" /run/denied
}

cat >/etc/apparmor.d/reopen <<'END'
include <tunables/global>
/confined/reopen {
  include <abstractions/base>
  /confined/reopen mr,
}
/confined/code {
  include <abstractions/base>
  /confined/code mr,
}
END

hugetext store add /usr/sbin/mariadbd >/run/stored 2>&1
record "apparmor store status=$?"
say 'apparmor store' /run/stored

apparmor_parser -r -W $profile /etc/apparmor.d/reopen 2>/run/parser
say parser /run/parser
attempt stock ''
mount --bind $ours $system
attempt without $on=store
hugetext enable --backing=store /usr/sbin/mariadbd >/run/enabled 2>&1
record "apparmor enable status=$?"
say 'apparmor enable' /run/enabled
attempt enabled-without ''
again without
code code-without
mkdir -p ${snippet%/*}
cp /confined/ld-hugetext.apparmor $snippet
# Make the snippet newer than the cached profile, as installing the package
# does.
touch $snippet
apparmor_parser -r -W $profile /etc/apparmor.d/reopen
attempt with $on=store
attempt copies $on=thp
attempt enabled-with ''
again with
code code-with
umount -l $system
attempt attach-copies '' '' thp
attempt run '' 'hugetext run --backing=store'
mount --bind $ours $system
evict
attempt file $on=file
umount -l $system
# Debian's own profiles, which apply when their programs start.
mount --bind $ours $system
for words in '/usr/sbin/chronyd -v' '/usr/sbin/named -v' \
             '/usr/bin/tcpdump --version'; do
  program=${words%% *}
  name=${program##*/}
  apparmor_parser -r -W /etc/apparmor.d/usr.*bin.$name
  hugetext store add $program >/run/stored 2>&1
  dmesg -C
  GLIBC_TUNABLES=$on=store $words >/run/stdout 2>&1
  record "apparmor debian-$name status=$? denied=$(denied $name)"
  dmesg | grep DENIED >/run/denied
  say "apparmor debian-$name denied" /run/denied
  say "apparmor debian-$name" /run/stdout
done
umount -l $system
# Replace the path in PT_INTERP by another one of the same length.
cp $server /confined/mariadbd
cp $server /run/mariadbd
sed -i "s|$interpreter\x00|/usr/lib/ld-hugetext.so\x00\x00\x00\x00\x00|" \
  /run/mariadbd
cat /run/mariadbd >$server
attempt interp $on=thp

cat /confined/mariadbd >$server
hugetext disable $server >/run/disabled 2>&1
record "apparmor disable status=$?"
say 'apparmor disable' /run/disabled
apparmor_parser -R $profile /etc/apparmor.d/reopen
