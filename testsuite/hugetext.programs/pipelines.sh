# Pipelines, subshells, substitutions and jobs.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

set -o pipefail

seq 1 20000 | awk '{ print $1 % 97, $1 }' | sort -k1,1n -k2,2nr \
  | sed -n '1~500p' | tr ' ' : | paste -sd, | cut -c1-200
printf '%s\n' {a..e}{1..3} | xargs -n 4 | while read -r line; do
  echo "[${line^^}]"
done
diff <(seq 1 10) <(seq 1 2 10) | grep -c '^<'
(echo one; (echo two; exit 7); echo "status $?") | cat -n
pids=
for n in 1 2 3 4; do (seq $((n * 1000)) | tail -n 1; exit $n) >/dev/null &
  pids="$pids $!"
done
for pid in $pids; do wait $pid; echo "waited $?"; done
seq 1 100000 | head -n 1
false | true
echo "pipe ${PIPESTATUS[*]} $?"
trap 'echo trapped' USR1
kill -USR1 $$
sum=0
for ((i = 0; i < 30000; ++i)); do ((sum += i * i % 7)); done
echo "sum $sum"
declare -A map=([x]=1 [y]=2)
[[ abc123 =~ ^([a-z]+)([0-9]+)$ ]] && echo "${BASH_REMATCH[@]} ${map[y]}"
coproc cat
echo through >&"${COPROC[1]}"
read -r answer <&"${COPROC[0]}"
echo "$answer"
head -c 300000 /dev/zero | gzip -9 | gzip -d | sha256sum
exit 0
