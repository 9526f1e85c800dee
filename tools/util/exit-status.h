/* The exit statuses of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXIT_STATUS_H
#define EXIT_STATUS_H

enum
{
  STATUS_OK = 0,
  STATUS_PARTLY = 1, /* A part was impossible; a message on stderr says
                        which.  */
  STATUS_USAGE = 2,  /* Wrong usage: nothing was done.  */
  STATUS_LOW = 3,    /* The process or machine lacks something that huge text
                        needs.  */
};

/* The exit statuses of "run" for a command that cannot be run, as in env,
   nohup and timeout.  */
enum
{
  STATUS_RUN_ERROR = 125,
  STATUS_CANNOT_RUN = 126,
  STATUS_NOT_FOUND = 127,
};

#endif
