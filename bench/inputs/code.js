// Functions that a compiler of JavaScript compiles, for bench/code:
// code.js FUNCTIONS ROUNDS, with node and gjs.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

const words = typeof process === 'undefined' ? ARGV : process.argv.slice(2);
const list = [];
for (let i = 0; i < +words[0]; i++)
  list.push(new Function('n', `let s = ${i};
    for (let k = 0; k < n; k++) {
      s = (s * 31 + k) & 0xffffff;
      if (s % 3 == 0) s += String(s).length; else s ^= ${i};
    }
    return s;`));
let sum = 0;
for (let r = 0; r < +words[1]; r++)
  for (const f of list)
    sum = (sum * 31 + f(20)) & 0xffffff;
(typeof print === 'undefined' ? console.log : print)(sum);
