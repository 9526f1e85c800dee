# Use XS modules, regular expressions and processes.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

use strict;
use warnings;
use Data::Dumper;
use Digest::SHA qw(sha256_hex);
use Encode qw(encode decode);
use List::Util qw(sum max first shuffle);
use POSIX qw(floor fmod strftime WEXITSTATUS);
use Storable qw(freeze thaw);
use Time::HiRes qw(usleep);

$Data::Dumper::Sortkeys = 1;
$| = 1;

my %words;
for my $n (1 .. 20000)
  {
    my $word = sprintf ("w%05d", ($n * 7919) % 9973);
    $words{$word} += length $word . $n;
  }
my $text = join (" ", map { "$_=$words{$_}" } sort keys %words);
my $copy = thaw (freeze (\%words));
print scalar (keys %$copy), " ", sum (values %$copy), " ",
  sha256_hex ($text), "\n";
my @matches = $text =~ /\b(w\d*?(\d)\2\d*)=(\d+)\b/g;
print scalar (@matches), " ", max (map { length } @matches), "\n";
print Dumper ({ list => [1 .. 3], utf8 => length encode ("UTF-8",
              decode ("iso-8859-1", "caf\xe9")) });
print floor (-2.5), " ", fmod (7, 3), " ",
  strftime ("%Y-%m-%d", gmtime 86400 * 365), "\n";

pipe (my $read, my $write) or die;
my $pid = fork;
die unless defined $pid;
if ($pid == 0)
  {
    close $read;
    print $write "child: $_\n" for 1 .. 3;
    close $write;
    POSIX::_exit (5);
  }
close $write;
print while <$read>;
waitpid ($pid, 0);
print "status ", WEXITSTATUS ($?), "\n";
print `echo from a shell`, $? >> 8, "\n";
eval { die { code => 42 } };
print "caught $@->{code}\n";
