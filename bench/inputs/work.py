# Strings, JSON, regular expressions and sorting, for bench/work and the kit:
# work.py ROUNDS
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import collections, hashlib, json, re, sys
words = [hashlib.sha1(b"%d" % i).hexdigest() for i in range(4000)]
for _ in range(int(sys.argv[1])):
    text = json.dumps({w: list(w) for w in words})
    data = json.loads(text)
    counts = collections.Counter(re.findall(r"[a-f]+", text))
    tree = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
    words.sort(key=lambda w: (counts[w[:2]], w[::-1]))
