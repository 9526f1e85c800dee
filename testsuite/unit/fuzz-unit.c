/* libFuzzer target: what systemctl prints about a unit cannot harm the
   command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "damage.h"

#include <unistd.h>

/* The command runs systemctl only if systemd runs.  */
#define access(path, mode) 0
#include "host/unit.c"

static const char right[]
    = "Id=a@b.service\nLoadState=loaded\nActiveState=active\nResult=success\n"
      "ControlGroup=/system.slice/a.service\nConsistsOf=a.service b.service\n"
      "RootDirectory=/r\nRootImage=/i\n"
      "ExecStart={ path=/usr/bin/x ; argv[]=/usr/bin/x -y ; pid=1 }\n"
      "NRestarts=3\nKillMode=process\nDelegate=yes\nStandardError=truncate\n";

static const char *answer;
static size_t answer_size;

/* Replaces the function that runs systemctl.  */
int
child_run (const char *const argv[], int seconds, char **output)
{
  (void) argv, (void) seconds;
  *output = malloc (answer_size + 1);
  EXPECT (*output != NULL);
  memcpy (*output, answer, answer_size);
  (*output)[answer_size] = '\0';
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  char bytes[4096];
  static struct unit unit;
  answer_size
      = damage (bytes, sizeof bytes, right, sizeof right - 1, data, size);
  answer = bytes;
  struct problem problem;
  if (unit_read ("a.service", &unit, &problem))
    {
      EXPECT (strlen (unit.root) < sizeof unit.root);
      EXPECT (strlen (unit.command) < sizeof unit.command);
      unit_is_up (&unit);
      unit_free (&unit);
    }
  bytes[answer_size < sizeof bytes ? answer_size : sizeof bytes - 1] = '\0';
  unit_name (bytes);
  return 0;
}
