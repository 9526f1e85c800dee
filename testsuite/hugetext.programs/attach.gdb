# What is asked of a running program.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
set confirm off
set width 0
set print address off
backtrace -frame-arguments none
frame function main
print outer (3)
print pages ()
handle SIGUSR1 nostop noprint pass
break inner if n == 2
signal SIGUSR1
backtrace 3
up
print sum
delete
detach
