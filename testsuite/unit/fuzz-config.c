/* libFuzzer target: neither settings files nor the settings files of services
   can harm the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "damage.h"

#include "index/config.h"
#include "index/entry.c"

#include "trust.h"

static const char right[]
    = "# Written by \"hugetext enable\" for a.service\n"
      "[/usr/bin/*]\nhugetext = on+code\nbacking = auto\nmax = 0x10\n"
      "pad = 64K\nobjects = !*.so, lib?.so\n# why\n\n[/opt/x y]\n"
      "hugetext = off\nhugetlb_reserve = 3\n[\n]\n=\n[]\nlock = 1";

static void
say (void *closure, bool wrong, const char *line)
{
  (void) closure;
  (void) wrong;
  EXPECT (line != NULL && line[0] != '\0');
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  char bytes[4096], path[64];
  struct config config;
  struct entry entry;
  size = damage (bytes, sizeof bytes, right, sizeof right - 1, data, size);
  snprintf (path, sizeof path, "/proc/self/fd/%d", damaged_file (bytes, size));
  config_read (path, &config, say, NULL);
  for (size_t i = 0; i < config.count; ++i)
    EXPECT (config.sections[i].pattern != NULL);
  config_free (&config);
  if (entry_read_file (path, &entry))
    entry_free (&entry);
  return 0;
}
