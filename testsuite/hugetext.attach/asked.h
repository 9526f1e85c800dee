/* What the programs for tests of "hugetext attach" have in common: handlers of
   the signals that end a program or ask it to go on, and a check of the text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ASKED_H
#define ASKED_H 1

#include "text-step.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The functions of text.S, which return their own numbers.  */
extern const char main_text[];

static volatile sig_atomic_t stop, asked;

static void
on_term (int signal)
{
  (void) signal;
  stop = 1;
}

static void
on_user (int signal)
{
  (void) signal;
  asked = 1;
}

static void
fail (const char *what)
{
  printf ("wrong: %s (%s)\n", what, strerror (errno));
  fflush (stdout);
  _exit (1);
}

/* Call functions in each part of TEXT, which has SIZE bytes.  */
static void
check_text (const char *text, size_t size)
{
  for (size_t i = 0; i < size / STEP; i += 97)
    if (((int (*) (void)) (text + i * STEP)) () != (int) i)
      fail ("text");
}

#endif
