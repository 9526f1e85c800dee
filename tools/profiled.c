/* Which objects of a process have a profile.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "profiled.h"
#include "heat.h"
#include "json.h"

#include <unistd.h>

/* Set TEXT to what is to be said of OBJECT of process PID.  False if there is
   nothing.  */
static bool
find (pid_t pid, const struct object_text *object, char text[static 160])
{
  struct heat heat;
  int fd = objtext_open (pid, object);
  if (fd < 0)
    return false;
  heat_read (&heat, NULL, fd, NULL);
  close (fd);
  bool known = heat.plan.heat.weight != NULL;
  if (known)
    heat_text (&heat, text);
  heat_free (&heat);
  return known;
}

void
profiled_print (FILE *stream, pid_t pid, const struct object_list *objects)
{
  char text[160];
  if (!heat_any (NULL))
    return;
  for (size_t i = 0; i < objects->count; i++)
    if (find (pid, &objects->list[i], text))
      fprintf (stream, "profile of %s: %s\n", objects->list[i].name, text);
}

struct json_object *
profiled_json (pid_t pid, const struct object_list *objects)
{
  char text[160];
  struct json_object *array = json_object_new_array ();
  for (size_t i = 0; heat_any (NULL) && i < objects->count; i++)
    if (find (pid, &objects->list[i], text))
      {
        struct json_object *json = json_object_new_object ();
        json_set_string (json, "name", objects->list[i].name);
        json_set_string (json, "profile", text);
        json_object_array_add (array, json);
      }
  return array;
}
