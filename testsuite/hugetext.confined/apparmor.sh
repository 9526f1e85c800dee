# What AppArmor makes of text on huge pages, with and without our snippet.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

profile=/etc/apparmor.d/usr.sbin.mariadbd
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

# Start mariadbd, let it become ready, and end it:
# "ready=yes|no status=N denied=N confined=MODE", and what text says.
serve ()
{
  rm -rf /var/lib/mysql/* /run/stdout
  dmesg -C
  GLIBC_TUNABLES=$tunables mariadbd --no-defaults --user=root \
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
  kill $pid
  wait $pid
  echo "ready=$ready status=$? denied=$(denied mariadbd)" \
    "confined=${confined#* } $facts"
  dmesg | grep DENIED >/run/denied
}

# attempt CASE TUNABLES
attempt ()
{
  title=$1
  tunables=$2
  progress "apparmor: $title"
  record "apparmor $title $(serve)"
  say "apparmor $title" /run/stdout
  say "apparmor $title denied" /run/denied
}

hugetext store add /usr/sbin/mariadbd >/run/stored 2>&1
record "apparmor store status=$?"
say 'apparmor store' /run/stored

on=glibc.mem.hugetext=1:glibc.mem.hugetext_backing
apparmor_parser -r -W $profile 2>/run/parser
say parser /run/parser
attempt stock ''
mount --bind $ours $system
attempt without $on=store
mkdir -p ${snippet%/*}
cp /confined/ld-hugetext.apparmor $snippet
# As the package does: a cached profile is older then.
touch $snippet
apparmor_parser -r -W $profile
attempt with $on=store
attempt copies $on=thp
umount $system
