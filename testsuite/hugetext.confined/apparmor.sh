# What AppArmor makes of text on huge pages, with and without our snippet.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

profile=/etc/apparmor.d/usr.sbin.mariadbd
interpreter=/lib64/ld-linux-x86-64.so.2
snippet=/etc/apparmor.d/abstractions/base.d/ld-hugetext

mkdir -p /var/lib/mysql /run/mysqld
cp /confined/mariadbd.profile $profile

# Lines of the kernel's log that say what was refused to whom.
denied ()
{
  dmesg | grep -c 'apparmor="DENIED".*profile="[^"]*'"$1"'"'
}

# What process $1 has of executable mappings of the file $2, of images of it,
# and of no file, in KiB, and what of them is huge, as the kernel says.
text ()
{
  mawk -v name="$2" '
    /^[0-9a-f]+-[0-9a-f]+ / {
      kind = ""
      if ($2 !~ /x/ || $6 ~ /^\[/) next
      kind = $6 == "" ? "copies" : $6 ~ "/store/.*" name ? "images" \
             : $6 ~ name "$" ? "file" : ""
    }
    kind != "" && $1 == "Size:" { size[kind] += $2 }
    kind != "" && $1 ~ /^(FilePmdMapped|AnonHugePages):/ { huge[kind] += $2 }
    END { printf "file=%d images=%d copies=%d huge_images=%d huge_copies=%d",
            size["file"], size["images"], size["copies"], huge["images"],
            huge["copies"] }' "/proc/$1/smaps"
}

# Start mariadbd, by way of $start if that is set, let it become ready, and end
# it: "ready=yes|no status=N denied=N confined=MODE listed=N explained=N", the
# last two being lines that name the snippet, and what text says.
serve ()
{
  rm -rf /var/lib/mysql/* /run/stdout
  dmesg -C
  GLIBC_TUNABLES=$tunables $start /usr/sbin/mariadbd --no-defaults --user=root \
    --skip-grant-tables --skip-networking --innodb-buffer-pool-size=8M \
    --innodb-log-file-size=4M --datadir=/var/lib/mysql \
    --socket=/run/mysqld/s --pid-file=/run/mysqld/p >/run/stdout 2>&1 &
  pid=$!
  tries=0 ready=no
  until test $ready = yes || test $tries -gt 600 || ! kill -0 $pid; do
    sleep 0.2
    tries=$((tries + 1))
    ! grep -q 'ready for connections' /run/stdout || ready=yes
  done
  confined=$(cat /proc/$pid/attr/current 2>/dev/null)
  facts=$(text $pid mariadbd)
  hugetext list >/run/list 2>&1
  hugetext explain $pid >/run/explain 2>&1
  kill $pid
  wait $pid
  echo "ready=$ready status=$? denied=$(denied mariadbd)" \
    "confined=${confined#* } $facts listed=$(grep -c "$snippet" /run/list)" \
    "explained=$(grep -c "$snippet" /run/explain)"
  dmesg | grep DENIED >/run/denied
}

# attempt CASE TUNABLES
attempt ()
{
  title=$1
  tunables=$2
  start=$3
  progress "apparmor: $title"
  record "apparmor $title $(serve)"
  say "apparmor $title" /run/stdout
  say "apparmor $title denied" /run/denied
  say "apparmor $title list" /run/list
}

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
END

hugetext store add /usr/sbin/mariadbd >/run/stored 2>&1
record "apparmor store status=$?"
say 'apparmor store' /run/stored

on=glibc.mem.hugetext=1:glibc.mem.hugetext_backing
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
mkdir -p ${snippet%/*}
cp /confined/ld-hugetext.apparmor $snippet
# As the package does: a cached profile is older then.
touch $snippet
apparmor_parser -r -W $profile /etc/apparmor.d/reopen
attempt with $on=store
attempt copies $on=thp
attempt enabled-with ''
again with
umount $system
attempt run '' 'hugetext run --backing=store'
# PT_INTERP, which a change of as many bytes replaces.
cp /usr/sbin/mariadbd /run/mariadbd
sed -i "s|$interpreter\x00|/usr/lib/ld-hugetext.so\x00\x00\x00\x00\x00|" \
  /run/mariadbd
cat /run/mariadbd >/usr/sbin/mariadbd
attempt interp $on=thp
