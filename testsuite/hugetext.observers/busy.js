// Spend time in the program's own text.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

const list = [];
for (let i = 0; i < 20000; ++i) list.push ({ number: i, name: "n" + i });
const text = JSON.stringify (list);
const end = Date.now () + 500;
while (Date.now () < end) JSON.parse (text);
