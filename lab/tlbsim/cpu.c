/* The instruction TLBs of a processor: the reading of their description.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file has lines of these forms; "#" begins a comment.

     name NAME
     level1 PAGES ENTRIES WAYS
     level2 PAGES ENTRIES WAYS [data]
     hit2 CYCLES
     walk PAGES CYCLES
     coalesce NUMBER

   PAGES is 4K, 2M or 4K,2M; WAYS is a number or "full"; "data" says that the
   TLB holds translations of data, too.  */

#include "cpu.h"
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The file and the line that are being read.  */
struct place
{
  const char *file;
  unsigned int line;
};

static void __attribute__ ((format (printf, 2, 3), noreturn))
fail (const struct place *place, const char *format, ...)
{
  va_list args;
  char text[160];
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  error (EXIT_FAILURE, 0, "%s:%u: %s", place->file, place->line, text);
  abort ();
}

/* Return WORD as a number from 1 to MAX.  WHAT is the name of the number for
   messages.  */
static uint32_t
number (const struct place *place, const char *word, const char *what,
        uint32_t max)
{
  char *end;
  unsigned long value = word != NULL ? strtoul (word, &end, 10) : 0;
  if (value == 0 || value > max || *end != '\0')
    fail (place, "%s is missing or not a number from 1 to %u", what, max);
  return value;
}

static double
cycles (const struct place *place, const char *word)
{
  return number (place, word, "the number of cycles", 10000);
}

static void
pages (const struct place *place, const char *word, bool holds[PAGE_CLASSES])
{
  static const char *const names[] = { "4K", "2M", "4K,2M" };
  size_t i = 0;
  while (i < 3 && (word == NULL || strcmp (word, names[i]) != 0))
    ++i;
  if (i == 3)
    fail (place, "pages are 4K, 2M or 4K,2M");
  holds[PAGE_SMALL] = i != 1;
  holds[PAGE_HUGE] = i != 0;
}

/* Return the next word of the line, or NULL.  */
static char *
next (void)
{
  return strtok (NULL, " \t\n");
}

static void
read_tlb (const struct place *place, struct cpu *cpu, unsigned int level)
{
  struct tlb_shape shape = { .level = level };
  pages (place, next (), shape.holds);
  shape.entries = number (place, next (), "the number of entries", 1 << 20);
  char *ways = next ();
  shape.ways = ways != NULL && strcmp (ways, "full") == 0
                   ? shape.entries
                   : number (place, ways, "the number of ways", shape.entries);
  if (shape.entries % shape.ways != 0)
    fail (place, "%u entries are no multiple of %u ways", shape.entries,
          shape.ways);
  char *data = next ();
  shape.data = data != NULL;
  if (data != NULL && strcmp (data, "data") != 0)
    fail (place, "%s: only data can follow the ways", data);
  for (size_t i = 0; i < cpu->ntlbs; ++i)
    for (int c = 0; c < PAGE_CLASSES; ++c)
      if (cpu->tlb[i].level == level && cpu->tlb[i].holds[c] && shape.holds[c])
        fail (place, "level %u has a TLB for such pages already", level);
  /* This check also limits the number of TLBs to CPU_TLBS_MAX.  */
  cpu->tlb[cpu->ntlbs++] = shape;
}

static void
read_walk (const struct place *place, struct cpu *cpu)
{
  bool holds[PAGE_CLASSES];
  pages (place, next (), holds);
  double value = cycles (place, next ());
  for (int c = 0; c < PAGE_CLASSES; ++c)
    if (holds[c])
      cpu->walk[c] = value;
}

static void
read_line (const struct place *place, struct cpu *cpu, char *line)
{
  line[strcspn (line, "#")] = '\0';
  char *word = strtok (line, " \t\n");
  if (word == NULL)
    return;
  if (strcmp (word, "name") == 0)
    {
      char *name = strtok (NULL, "\n");
      snprintf (cpu->name, sizeof cpu->name, "%s", name != NULL ? name : "");
      /* Remove the spaces before a comment.  */
      for (size_t n = strlen (cpu->name); n > 0 && cpu->name[n - 1] == ' ';)
        cpu->name[--n] = '\0';
      return;
    }
  if (strcmp (word, "level1") == 0)
    read_tlb (place, cpu, 1);
  else if (strcmp (word, "level2") == 0)
    read_tlb (place, cpu, 2);
  else if (strcmp (word, "hit2") == 0)
    cpu->hit2 = cycles (place, next ());
  else if (strcmp (word, "walk") == 0)
    read_walk (place, cpu);
  else if (strcmp (word, "coalesce") == 0)
    {
      cpu->coalesce = number (place, next (), "the number of pages", 512);
      if ((cpu->coalesce & (cpu->coalesce - 1)) != 0)
        fail (place, "%u pages are no power of two", cpu->coalesce);
    }
  else
    fail (place, "%s: there are name, level1, level2, hit2, walk, coalesce",
          word);
  if (next () != NULL)
    fail (place, "there are too many words");
}

void
cpu_read (const char *name, struct cpu *cpu)
{
  struct place place = { name, 0 };
  char *line = NULL;
  size_t size = 0;
  FILE *stream = fopen (name, "re");
  if (stream == NULL)
    error (EXIT_FAILURE, errno, "%s", name);

  *cpu = (struct cpu){ .coalesce = 1 };
  while (getline (&line, &size, stream) > 0)
    {
      ++place.line;
      read_line (&place, cpu, line);
    }
  if (ferror (stream))
    error (EXIT_FAILURE, errno, "%s", name);
  free (line);
  fclose (stream);

  bool first[PAGE_CLASSES] = { false };
  for (size_t i = 0; i < cpu->ntlbs; ++i)
    for (int c = 0; c < PAGE_CLASSES; ++c)
      first[c] |= cpu->tlb[i].level == 1 && cpu->tlb[i].holds[c];
  if (cpu->name[0] == '\0')
    fail (&place, "there is no name");
  if (!first[PAGE_SMALL] || !first[PAGE_HUGE])
    fail (&place, "level1 lacks a TLB for pages of %s",
          first[PAGE_SMALL] ? "2M" : "4K");
  if (cpu->walk[PAGE_SMALL] == 0 || cpu->walk[PAGE_HUGE] == 0)
    fail (&place, "there is no walk for pages of %s",
          cpu->walk[PAGE_SMALL] == 0 ? "4K" : "2M");
}

void
cpu_share (struct cpu *cpu, unsigned int percent)
{
  for (size_t i = 0; i < cpu->ntlbs; ++i)
    {
      struct tlb_shape *shape = &cpu->tlb[i];
      uint32_t sets = shape->entries / shape->ways;
      if (!shape->data)
        continue;
      shape->ways = (shape->ways * percent + 50) / 100;
      if (shape->ways == 0)
        shape->ways = 1;
      shape->entries = sets * shape->ways;
    }
}
