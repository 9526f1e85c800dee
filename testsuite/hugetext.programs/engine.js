// Make V8 compile, and use native parts of node.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node engine.js [again], where "again" has it start itself, too.

'use strict';

const crypto = require('crypto');
const zlib = require('zlib');
const child_process = require('child_process');
const { Worker, isMainThread, parentPort } = require('worker_threads');

function sieve(n) {
  const composite = new Uint8Array(n + 1);
  let count = 0;
  for (let i = 2; i <= n; ++i) {
    if (composite[i]) continue;
    ++count;
    for (let j = i * i; j <= n; j += i) composite[j] = 1;
  }
  return count;
}

if (!isMainThread) {
  parentPort.postMessage(sieve(200000));
} else {
  let rounds = 0;
  for (let i = 0; i < 30; ++i) rounds += sieve(100000);
  console.log('primes', rounds);

  const objects = [];
  for (let i = 0; i < 50000; ++i)
    objects.push({ id: i, name: `name${(i * 7919) % 50000}`, half: i / 2 });
  objects.sort((a, b) => (a.name < b.name ? -1 : 1));
  const text = JSON.stringify(objects);
  console.log('json', text.length,
              crypto.createHash('sha256').update(text).digest('hex'));
  console.log('regexp', text.match(/"name(\d)\1\d*"/g).length);
  const packed = zlib.gzipSync(text);
  console.log('zlib', zlib.gunzipSync(packed).toString() === text);
  const cipher = crypto.createCipheriv('aes-256-gcm', Buffer.alloc(32, 1),
                                       Buffer.alloc(12, 2));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  console.log('aes', crypto.createHash('md5').update(sealed).digest('hex'));
  console.log('intl', new Intl.NumberFormat('de').format(1234567.891));
  // (module (func (export "add") (param i32 i32) (result i32) ...))
  const wasm = new WebAssembly.Instance(new WebAssembly.Module(
    Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1,
                  127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1,
                  7, 0, 32, 0, 32, 1, 106, 11)));
  console.log('wasm', wasm.exports.add(40, 2));
  console.log('shell', child_process.execSync('echo $((6 * 7))').toString());
  if (process.argv[2] === 'again')
    console.log('again', child_process.execFileSync(
      process.execPath, ['-p', '6 * 7']).toString());
  new Worker(__filename).on('message', (count) => console.log('worker', count))
    .on('exit', (status) => console.log('exit', status));
}
