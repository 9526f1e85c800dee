// The inputs of bench/heat in node, for ever.
// This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';
const fs = require ('fs'), vm = require ('vm'), zlib = require ('zlib');

const text = fs.readFileSync (__filename, 'utf8');
const warm = Date.now () + 2000;
let ready = false, turn = 0;

function work ()
{
  ++turn;
  const source = 'function f' + turn + ' (x) { return x.map ((y) => y * '
                 + turn + '); } f' + turn + ' ([1, 2, 3])';
  vm.runInNewContext (source);
  const tree = JSON.parse (JSON.stringify (
    Array.from ({ length: 200 }, (_, i) => ({ n: i, s: text.slice (i, 40) }))));
  tree.sort ((a, b) => b.s < a.s ? 1 : -1);
  zlib.inflateSync (zlib.deflateSync (text));
  text.replace (/[a-z]+ (\w+)/g, (m, w) => w.toUpperCase ());
}

function loop ()
{
  work ();
  if (!ready && Date.now () > warm)
    {
      ready = true;
      fs.writeFileSync (process.env.READY, String (process.pid));
    }
  setImmediate (loop);
}

loop ();
