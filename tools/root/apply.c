/* Have the machine take notice of changed files, one of us at a time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "apply.h"
#include "command.h"
#include "index-write.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* The longest line that is kept.  */
#define LINE 1024

const char *
apply_lock (void)
{
  /* Not a folder: whoever can read one can lock it, and keep us waiting.  It
     is gone with the next boot.  */
  static const char path[] = "/run/hugetext.lock";
  static char text[64 + sizeof path];
  if (change_is_simulated ())
    return NULL;
  int fd = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0 && flock (fd, LOCK_EX) == 0)
    return NULL;
  snprintf (text, sizeof text, "%s: %s", path, strerror (errno));
  return text;
}

/* Keep in CLOSURE the first LINE about what is wrong.  */
static void
keep_line (void *closure, bool wrong, const char *line)
{
  char *text = closure;
  if (wrong && text[0] == '\0')
    snprintf (text, LINE, "%s", line);
}

const char *
apply_index (void)
{
  static char text[LINE];
  if (change_is_simulated ())
    {
      puts ("would run: hugetext index");
      return NULL;
    }
  text[0] = '\0';
  return index_update (CONFIG_PATH, INDEX_PATH, keep_line, text) ? NULL : text;
}

const char *
apply_units (void)
{
  if (!change_is_simulated ())
    return unit_systemd_runs () ? unit_do ("daemon-reload", NULL) : NULL;
  puts ("would run: systemctl daemon-reload");
  return NULL;
}

/* Whether UNIT, which systemd had restarted BEFORE times by itself, stays up.
   A service of Type=simple counts as started before it is executed.  */
static const char *
watch (const char *name, long before)
{
  for (int i = 0; i < 10; i++)
    {
      struct unit unit;
      const char *problem = unit_read (name, &unit);
      if (problem != NULL)
        return problem;
      bool good = (unit_is_up (&unit) || strcmp (unit.result, "success") == 0)
                  && unit.restarts <= before;
      unit_free (&unit);
      if (!good)
        return "it started, and failed at once";
      nanosleep (&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL);
    }
  return NULL;
}

const char *
apply_restart (const char *name)
{
  if (change_is_simulated ())
    {
      printf ("would run: systemctl restart %s\n", name);
      return NULL;
    }
  const char *problem = unit_do ("restart", name);
  /* Whoever restarts it sets its count to 0.  */
  return problem != NULL ? problem : watch (name, 0);
}

int
apply_fail (const char *verb, const char *subject, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fflush (stdout);
  fprintf (stderr, "hugetext %s: %s: ", verb, subject);
  vfprintf (stderr, format, ap);
  fputc ('\n', stderr);
  va_end (ap);
  return STATUS_PARTLY;
}
