/* The exit statuses of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXIT_STATUS_H
#define EXIT_STATUS_H

enum
{
  STATUS_OK = 0,
  STATUS_PARTLY = 1, /* The exit status if a part of the work was impossible;
                        messages on standard error say which part.  */
  STATUS_USAGE = 2,  /* The exit status if the usage was wrong, and nothing was
                        done.  */
  STATUS_LOW = 3,    /* The exit status if something that huge text needs is
                        missing in the process or on the machine.  */
};

/* The exit statuses of "hugetext run" if the command cannot be run.  The
   statuses are the same as those of env, nohup and timeout.  */
enum
{
  STATUS_RUN_ERROR = 125,
  STATUS_CANNOT_RUN = 126,
  STATUS_NOT_FOUND = 127,
};

#endif
