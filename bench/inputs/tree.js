// Something to compile or run for bench/heat.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

const zlib = require('zlib'), fs = require('fs'), url = require('url'), vm = require('vm');
class T { constructor(k) { this.k = k; this.c = new Map(); } add(p) { let t = this; for (const x of p.split('/')) { if (!t.c.has(x)) t.c.set(x, new T(x)); t = t.c.get(x); } } *walk() { yield this.k; for (const x of this.c.values()) yield* x.walk(); } }
(async () => { for (let r = 0; r < (process.argv[2] || 6); r++) { const t = new T(''); for (let i = 0; i < 20000; i++) t.add(`a${i % 17}/b${i % 101}/c${i}`); const a = [...t.walk()]; const z = zlib.gzipSync(Buffer.from(a.join('\n'))); const u = zlib.gunzipSync(z).toString().split('\n').map((x, i) => new URL('http://x.org/' + x + '?q=' + i).pathname); await Promise.all(u.slice(0, 3000).map(async x => { await null; return x.replace(/[a-z]/gu, c => c.toUpperCase()).padStart(12); })); let src = ''; for (let i = 0; i < 3000; i++) src += `function f${i}(a,b){ let c=[a,b,${i}]; return c.map(x=>x*2).filter(x=>x>${i}).reduce((p,q)=>p+q,0); }\n`; vm.runInNewContext(src + 'f1(2,3)'); } })();
