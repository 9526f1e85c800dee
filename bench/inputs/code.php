<?php
// Functions that PHP's JIT compiles, for bench/code: code.php FUNCTIONS ROUNDS
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

$file = tempnam (sys_get_temp_dir (), 'code');
$text = '<?php';
for ($i = 0; $i < $argv[1]; $i++)
  $text .= "\nfunction f$i (\$n) { \$s = $i;"
    . ' for ($k = 0; $k < $n; $k++) { $s = ($s * 31 + $k) & 0xffffff;'
    . ' if ($s % 3 == 0) $s += strlen ((string) $s);'
    . " else if (\$s & 8) \$s ^= $i; else \$s -= \$k; } return \$s; }";
file_put_contents ($file, $text);
require $file;
unlink ($file);
for ($sum = 0, $r = 0; $r < $argv[2]; $r++)
  for ($i = 0; $i < $argv[1]; $i++)
    $sum = ($sum * 31 + ("f$i") (20)) & 0xffffff;
echo $sum, "\n";
