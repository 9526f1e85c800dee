// Something to compile or run for bench/heat.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

const words = {}; let text = '';
for (let i = 0; i < 60000; i++) { const w = (i * 7919 % 10007).toString(36); words[w] = (words[w] || 0) + 1; text += w + (i % 9 ? ' ' : '\n'); }
for (let r = 0; r < (process.argv[2] || 8); r++) { const s = JSON.stringify(words); const o = JSON.parse(s); let n = 0; for (const m of text.matchAll(/([a-f]+)(\d*)\s/g)) n += m[1].length; Object.entries(o).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)); require('crypto').createHash('sha256').update(text).digest('hex'); }
