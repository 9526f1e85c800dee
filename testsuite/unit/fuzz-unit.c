/* libFuzzer target: the output of systemctl about a unit cannot harm the
   unprivileged process that parses it, and the answer of this process cannot
   harm the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "damage.h"

#include "host/systemctl.c"

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

/* Replaces the function that says how long systemctl was allowed to run.  */
int
child_limit (void)
{
  return 0;
}

/* Replaces the function that has a child process parse the output.  */
bool
reader_ask_parser (reader_work *work, const void *asked,
                   struct message *message, struct problem *problem)
{
  (void) problem;
  *message = (struct message){ 0 };
  work (NULL, asked, message);
  return true;
}

static void
check_unit (struct unit *unit)
{
  EXPECT (strlen (unit->root) < sizeof unit->root);
  EXPECT (strlen (unit->command) < sizeof unit->command);
  EXPECT (unit->id[0] == '\0' || unit_is_full_name (unit->id));
  EXPECT (unit->group[0] == '\0' || unit->group[0] == '/');
  EXPECT (strstr (unit->group, "/../") == NULL);
  EXPECT (is_printable (unit->group) && is_printable (unit->root)
          && is_printable (unit->load) && is_printable (unit->active)
          && is_printable (unit->result) && is_printable (unit->command));
  EXPECT (unit->starters == NULL || is_printable (unit->starters));
  EXPECT (unit->main >= 0 && unit->start_limit >= -1);
  free (unit->parts);
  free (unit->starts);
  free (unit->starters);
}

/* Check NAMES, and free them.  */
static void
check_names (struct file_list *names)
{
  EXPECT (names->count <= SERVICES_MOST);
  for (size_t i = 0; i < names->count; ++i)
    {
      EXPECT (unit_is_full_name (names->names[i]));
      EXPECT (i == 0 || strcmp (names->names[i - 1], names->names[i]) < 0);
    }
  file_list_free (names);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  char bytes[4096];
  static struct unit unit;
  struct problem problem;
  struct file_list names = { 0 };
  answer_size
      = damage (bytes, sizeof bytes, right, sizeof right - 1, data, size);
  answer = bytes;
  unit = (struct unit){ .start_limit = -1 };
  systemctl_show ("a.service", &unit, &problem);
  check_unit (&unit);
  systemctl_services (&names, &problem);
  check_names (&names);
  systemctl_related ("a.service", "Id", "b.service", &names, &problem);
  check_names (&names);
  /* Use the bytes as the answer of the process that parses.  */
  struct message said = { .data = (char *) data, .size = size };
  unit = (struct unit){ .start_limit = -1 };
  get_unit (&said, &unit);
  check_unit (&unit);
  said = (struct message){ .data = (char *) data, .size = size };
  systemctl_merge_names (&said, &names);
  check_names (&names);
  return 0;
}
