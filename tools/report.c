/* Print a table of objects: text, how much of it on huge pages, backing.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "report.h"

#include <string.h>

/* Names of the bits of BACKING, joined by "+", in BUFFER.  */
static const char *
backing_name (unsigned int backing, char buffer[static 32])
{
  static const struct
  {
    unsigned int bit;
    const char *name;
  } names[] = {
    { BACKING_FILE, "file" },
    { BACKING_THP, "thp" },
    { BACKING_HUGETLB, "hugetlb" },
  };

  buffer[0] = '\0';
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (backing & names[i].bit)
      {
        if (buffer[0] != '\0')
          strcat (buffer, "+");
        strcat (buffer, names[i].name);
      }
  return buffer[0] != '\0' ? buffer : "-";
}

static void
print_row (FILE *stream, size_t text, size_t huge, const char *backing,
           const char *name)
{
  fprintf (stream, "%10zu %10zu %6.1f %%  %-8s %s\n", text / 1024, huge / 1024,
           text > 0 ? 100.0 * huge / text : 0.0, backing, name);
}

void
report_objects (FILE *stream, const struct object_list *objects)
{
  size_t text = 0, huge = 0;
  unsigned int backing = 0;
  char buffer[32];

  fprintf (stream, "%10s %10s %8s  %-8s %s\n", "text KiB", "huge KiB", "share",
           "backing", "object");
  for (size_t i = 0; i < objects->count; i++)
    {
      const struct object_text *object = &objects->list[i];
      print_row (stream, object->text, object->huge,
                 backing_name (object->backing, buffer), object->name);
      text += object->text;
      huge += object->huge;
      backing |= object->backing;
    }
  print_row (stream, text, huge, backing_name (backing, buffer), "total");
}
