// Does one kind of work for each request, and answers with a hash of its
// result: /KIND?NUMBER.
// This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';
const crypto = require ('crypto'), http = require ('http'), vm = require ('vm');
const zlib = require ('zlib');

const key = crypto.createHash ('sha256').update ('heat').digest ();

function text (n, length)
{
  let s = '', x = n + 1;
  while (s.length < length)
    {
      x = (x * 1103515245 + 12345) % 2147483648;
      s += x.toString (36) + ' ';
    }
  return s;
}

const kinds = {
  parse (n)
  {
    let all = '';
    for (let i = 0; i < 30; ++i)
      all += vm.runInNewContext (
        `(function f${i} (x) { return x.map ((y) => ({ a: y * ${i + n},`
        + ` b: [y, ...x], c: \`\${y}\` })); }) ([1, 2, ${n}])[2].a`) + ',';
    return all;
  },
  zlib (n)
  {
    const packed = zlib.deflateSync (text (n, 60000), { level: 9 });
    return zlib.inflateSync (packed).toString ().length + ' '
      + zlib.brotliDecompressSync (zlib.brotliCompressSync (text (n, 20000)))
        .toString ();
  },
  crypto (n)
  {
    return crypto.scryptSync ('heat' + n, key, 32, { N: 4096 })
      .toString ('hex')
      + crypto.createDiffieHellman (
        crypto.getDiffieHellman ('modp14').getPrime (), 2).getPrime ('hex');
  },
  intl (n)
  {
    let all = '';
    for (const locale of ['de', 'ar-EG', 'th', 'ja'])
      {
        const format = new Intl.DateTimeFormat (
          locale, { dateStyle: 'full', timeStyle: 'long', timeZone: 'UTC' });
        const number = new Intl.NumberFormat (
          locale, { style: 'currency', currency: 'EUR' });
        for (let i = 0; i < 60; ++i)
          all += format.format (1e12 + n * 1e9 + i * 1e7)
            + number.format (i * 1234.5 + n);
        const order = new Intl.Collator (locale).compare;
        all += text (n, 4000).normalize ('NFKD').split (' ').sort (order);
      }
    return all;
  },
  json (n)
  {
    const tree = Array.from ({ length: 3000 }, (_, i) => (
      { n: i * n, s: 'x' + i, f: i / 7, list: [i, n, null, true] }));
    return JSON.stringify (JSON.parse (JSON.stringify (tree)).reverse ());
  },
};

const server = http.createServer ((request, answer) => {
  const [kind, n] = request.url.slice (1).split ('?');
  const hash = crypto.createHash ('sha256').update (kinds[kind] (+n))
    .digest ('hex');
  answer.setHeader ('Content-Length', hash.length);
  answer.end (hash);
});
// A client may pause for longer than the five seconds after which the server
// would close the connection.
server.keepAliveTimeout = 0;
server.listen (+process.argv[2], '127.0.0.1');
