# Medians, and ratios to a base in the same round.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# Input: lines of variant,round,value, as bench/alternate prints them.
# Variables: what (the first column of the output), base (a variant).
# Output: what,variant,rounds,median,low,high,ratio,ratio_low,ratio_high.  Low
# and high are quartiles; ratio is the median of the ratios of the rounds, so
# that slow drift does not matter.

BEGIN { FS = "," }

{
  if (!($1 in count))
    order[++variants] = $1
  count[$1]++
  value[$1, $2] = $3
  if ($2 + 0 > last)
    last = $2 + 0
}

# The quantile Q of the N sorted values in LIST.
function quantile(list, n, q,    at, low) {
  at = 1 + q * (n - 1)
  low = int(at)
  return low >= n ? list[n] : list[low] + (at - low) * (list[low + 1] \
                                                        - list[low])
}

function sort(list, n,    i, k, x) {
  for (i = 2; i <= n; i++) {
    x = list[i]
    for (k = i - 1; k > 0 && list[k] > x; k--)
      list[k + 1] = list[k]
    list[k + 1] = x
  }
}

END {
  for (v = 1; v <= variants; v++) {
    n = m = 0
    for (r = 0; r <= last; r++) {
      if (!((order[v], r) in value))
        continue
      plain[++n] = value[order[v], r]
      if ((base, r) in value)
        ratio[++m] = value[order[v], r] / value[base, r]
    }
    sort(plain, n)
    sort(ratio, m)
    printf "%s,%s,%d,%.6g,%.6g,%.6g,%.4f,%.4f,%.4f\n", what, order[v], n,
      quantile(plain, n, .5), quantile(plain, n, .25),
      quantile(plain, n, .75), quantile(ratio, m, .5),
      quantile(ratio, m, .25), quantile(ratio, m, .75)
  }
}
