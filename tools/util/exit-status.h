/* The exit statuses of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXIT_STATUS_H
#define EXIT_STATUS_H

enum
{
  STATUS_OK = 0,
  STATUS_PARTLY = 1, /* A part was not possible, as stderr says.  */
  STATUS_USAGE = 2,  /* Nothing was done.  */
  STATUS_LOW = 3,    /* The subject lacks something that it needs.  */
};

/* For "run", the exit statuses of env, nohup and timeout for a command that
   cannot be run.  */
enum
{
  STATUS_RUN_ERROR = 125,
  STATUS_CANNOT_RUN = 126,
  STATUS_NOT_FOUND = 127,
};

#endif
