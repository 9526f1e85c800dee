# Stop in a program's text.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
set confirm off
set width 0
set print address off
set print inferior-events off
break inner if n == 3
tbreak page_8000
tbreak leave
run
backtrace
info args
up
info locals
finish
continue
backtrace
continue
kill
