# Start mariadbd on a machine that confines it, and record the result.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

server=/usr/sbin/mariadbd
interpreter=/lib64/ld-linux-x86-64.so.2
snippet=/etc/apparmor.d/abstractions/base.d/ld-hugetext
on=glibc.mem.hugetext=1:glibc.mem.hugetext_backing
mkdir -p /var/lib/mysql /run/mysqld

# Print how many lines of the kernel's log say that AppArmor's profile $1, or
# IMA for the program $1, has refused something.
denied ()
{
  dmesg | grep -c -e 'apparmor="DENIED".*profile="[^"]*'"$1"'"' \
    -e 'op=appraise_data.*comm="'"$1"'"'
}

# Print how many KiB process $1 has in executable mappings of the file $2, of
# its images, and of no file, and how many KiB of each are huge.
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
    END { printf "file=%d images=%d copies=%d huge_file=%d huge_images=%d ",
            size["file"], size["images"], size["copies"], huge["file"],
            huge["images"]
          printf "huge_copies=%d", huge["copies"] }' "/proc/$1/smaps"
}

# Start $server, a mariadbd, by $start if this variable is set, wait until it is
# ready, attach to it with backing $attach if this variable is set, and end it:
# "ready=yes|no status=N denied=N confined=MODE explained=N image=N".
# "explained" and "image" count lines that name the snippet, and lines that say
# that images were refused.  Then comes the output of text.
serve ()
{
  rm -rf /var/lib/mysql/* /run/stdout
  dmesg -C
  GLIBC_TUNABLES=$tunables $start $server --no-defaults --user=root \
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
  : >/run/attached
  test -z "$attach" || hugetext attach --backing=$attach $pid >/run/attached 2>&1
  confined=$(cat /proc/$pid/attr/current 2>/dev/null)
  facts=$(text $pid mariadbd)
  hugetext explain $pid >/run/explain 2>&1
  kill $pid
  wait $pid
  echo "ready=$ready status=$? denied=$(denied mariadbd)" \
    "confined=${confined#* } $facts" \
    "explained=$(grep -c "$snippet" /run/explain)" \
    "image=$(tr -s '\n ' '  ' </run/explain \
      | grep -c 'could not use images in the store')"
  dmesg | grep -e DENIED -e op=appraise_data >/run/denied
}

# attempt CASE TUNABLES [START [ATTACH]]: run serve and write its output as a
# record of $part.
attempt ()
{
  title=$1
  tunables=$2
  start=$3
  attach=$4
  progress "$part: $title"
  record "$part $title $(serve)"
  say "$part $title" /run/stdout
  say "$part $title attach" /run/attached
  say "$part $title denied" /run/denied
}

# code CASE: let a program make four huge pages of code at run time, with our
# loader as the system's loader: "CASE status=N huge=N denied=N".
code ()
{
  dmesg -C
  GLIBC_TUNABLES=glibc.mem.hugetext=2 /confined/code grow 4 >/run/stdout 2>&1
  record "$part $1 status=$? huge=$(mawk '$1 == "huge" { print $3 }' \
    /run/stdout) denied=$(denied /confined/code)"
  dmesg | grep -e DENIED -e op=appraise_data >/run/denied
  say "$part $1" /run/stdout
  say "$part $1 denied" /run/denied
}

# evict: make the next start read files from the disk.
evict ()
{
  sync
  echo 3 >/proc/sys/vm/drop_caches
}
