/* Tests of the parser of settings files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "index/config.h"
#include "object/settings.h"

#include "trust.h"

/* A settings file, and what the parser must say about it: a pattern for
   errors, as lines "LINE: PROBLEM", or the result as "[PATTERN] KEY=VALUE...
   @LINE".  */
static const struct
{
  const char *text, *said;
} cases[] = {
  { "# comment\r\n   # and another\n\n[/opt/a b/x]\n\thugetext=on\nbacking = "
    "thp\nmax=32\npad = 64K\nobjects =  libjvm.so \t !libLLVM*\n"
    "[/opt/**/y]\nmax = 0\npad = 1M\n[/opt/z]\npad = 2097151\nhugetext = off\n"
    "backing = store\nobjects =\n[/w]",
    "[/opt/a b/x] hugetext=on backing=thp pad=65536 max=32"
    " objects=libjvm.so !libLLVM* @4\n"
    "[/opt/**/y] pad=1048576 max=0 @10\n"
    "[/opt/z] hugetext=off backing=store pad=2097151 objects= @13\n"
    "[/w] @18\n" },
  { "", "" },
  { "[/x]\nhugetext = on+code+prctl\nmax = 7",
    "[/x] hugetext=on+code+prctl max=7 @1\n" },
  { "max = 3", "1: max is in no section; write it below *\n" },
  { "[/x]\nmaximum = 3", "2: there is no setting \"maximum\"; use one of "
                         "hugetext, backing,* max,*\n" },
  { "[/x]\nglibc.mem.hugetext_max=3", "2: there is no setting *\n" },
  { "[/x]\nmax = 3\npad = 1\nmax = 4",
    "4: max is set twice in a section; *\n" },
  { "[postgres]\nmax = 3", "1: [[]postgres] is not the path of a program; a "
                           "path must begin with /*\n" },
  { "[**/postgres]\nmax = 3", "1: * must begin with /*\n" },
  { "[/usr/bin/]\nmax = 3", "1: * not end with /*\n" },
  { "[/usr//bin/x]\nmax = 3", "1: * not contain //*\n" },
  { "[/usr/../bin/x]\n[/./x]\n[/x/..]", "1: * not contain *\n"
                                        "2: * not contain *\n"
                                        "3: * not contain *\n" },
  { "[/x\nmax = 3", "1: [[]/x: must end with ]\n" },
  { "[/x]\nmax = 3\nmax", "3: max: must be *\n" },
  { "[/x]\nhugetext = yes\nbacking = disk\nmax = -1\npad = 2M",
    "2: hugetext = yes: must be one of off, on, code, *\n"
    "3: backing = disk: must be one of auto, file, thp, hugetlb, store\n"
    "4: max = -1: must be a number of huge pages*\n"
    "5: pad = 2M: must be a number of bytes from 0 to 2097151 *\n" },
  { "[/x]\nmax = 18446744073709551616\npad = 2097152\n",
    "2: max = 18446744073709551616: *\n3: pad = 2097152: *\n" },
  { "[/x]\nmax =\npad = K\nhugetext",
    "2: max = : *\n3: pad = K: *\n4: hugetext: must be *\n" },
  { "[/x]\nobjects = a, b", "2: objects = a, b: * not by commas\n" },
  /* The lines of a section with a wrong header are checked, too.  */
  { "[x]\nmax = 3\nmin = 3\nmax = y",
    "1: [[]x] is not *\n3: there is no setting \"min\"*\n4: max = y: *\n" },
  { "[/x]\n\033\a = 3", "2: there is no setting \"[?][?]\"*\n" },
};

static char said[8192];

/* Append LINE, which is "FILE:LINE: problem", without the name of the
   file.  */
static void
say (void *closure, bool wrong, const char *line)
{
  (void) closure;
  size_t length = strlen (said);
  const char *place = strchr (line, ':');
  snprintf (said + length, sizeof said - length, "%s%s\n",
            wrong ? "" : "warning: ", place != NULL ? place + 1 : line);
}

/* Append what SECTION says.  */
static void
print (const struct config_section *section)
{
  FILE *stream = fmemopen (said, sizeof said, "a");
  fprintf (stream, "[%s]", section->pattern);
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    if ((section->given & 1u << key) != 0)
      fprintf (stream, " %s=%s", settings_key (key),
               key == HUGETEXT_KEY_OBJECTS
                   ? section->objects
                   : settings_print (key, section->value[key]));
  fprintf (stream, " @%s\n", strrchr (section->source, ':') + 1);
  fclose (stream);
}

/* Read the SIZE bytes at TEXT.  Return true if the result is WANT (if GOOD is
   true) or matches the pattern WANT (if GOOD is false).  */
static bool
check (const char *text, size_t size, const char *want)
{
  char path[64];
  struct config config;
  int fd = memfd_create ("config", MFD_CLOEXEC);
  if (fd < 0 || write (fd, text, size) != (ssize_t) size)
    return false;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  memset (said, 0, sizeof said);
  bool good = config_read (path, &config, say, NULL);
  for (size_t i = 0; good && i < config.count; ++i)
    print (&config.sections[i]);
  config_free (&config);
  close (fd);
  if (good ? strcmp (said, want) == 0 : fnmatch (want, said, 0) == 0)
    return true;
  printf ("%s says %s, not %s\n", text, said, want);
  return false;
}

int
main (void)
{
  static const char null[] = "[/x]\nmax = 3\n# \0";
  char text[2048];
  const size_t count = sizeof cases / sizeof cases[0];
  bool good = true;
  for (size_t i = 0; i < count; ++i)
    good &= check (cases[i].text, strlen (cases[i].text), cases[i].said);
  good &= check (
      null, sizeof null - 1,
      "3: the settings file contains a null byte; it must be text\n");
  snprintf (text, sizeof text, "[/%01023d]\nmax = 1\n[/x]\nobjects = %0512d",
            1, 1);
  good &= check (
      text, strlen (text),
      "1: * must be shorter than 1024 bytes\n"
      "4: the value of \"objects\" is too long; * shorter than 512 bytes\n");
  if (good)
    printf ("ok settings files: %zu cases\n", count + 2);
  return !good;
}
