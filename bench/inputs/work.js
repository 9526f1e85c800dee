// Strings, JSON, regular expressions and sorting, for bench/work and the kit:
// work.js ROUNDS
// This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

const crypto = require("crypto"), zlib = require("zlib");
let words = [];
for (let i = 0; i < 20000; i++)
  words.push(crypto.createHash("sha1").update(String(i)).digest("hex"));
for (let k = 0; k < Number(process.argv[2]); k++) {
  const text = JSON.stringify(words.map(w => ({ w, l: w.split("") })));
  const data = JSON.parse(text);
  const counts = new Map();
  for (const m of text.matchAll(/[a-f]+/g))
    counts.set(m[0], (counts.get(m[0]) || 0) + 1);
  zlib.inflateSync(zlib.deflateSync(text.slice(0, 1 << 20)));
  words.sort((a, b) => (counts.get(a.slice(0, 2)) || 0)
                       - (counts.get(b.slice(0, 2)) || 0));
}
