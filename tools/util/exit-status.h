/* The exit statuses of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXIT_STATUS_H
#define EXIT_STATUS_H

enum
{
  STATUS_OK = 0,
  STATUS_PARTLY = 1, /* Something could not be had; said on stderr.  */
  STATUS_USAGE = 2,  /* Nothing was done.  */
  STATUS_LOW = 3,    /* The subject lacks something that it needs.  */
};

/* For "run", those of a shell for a command that cannot be run, as for env,
   nohup and timeout.  */
enum
{
  STATUS_RUN_ERROR = 125,
  STATUS_CANNOT_RUN = 126,
  STATUS_NOT_FOUND = 127,
};

#endif
