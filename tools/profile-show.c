/* Draw profiles.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each block, as the loader would lay them over the object, is a line of 32
   places.  Where no file is there to tell, blocks begin at multiples of their
   size.  */

#include "profile-show.h"
#include "dependencies.h"
#include "heat.h"
#include "plan.h"
#include "procmaps.h"
#include "profile-folder.h"
#include "profile-object.h"
#include "program.h"
#include "regular.h"
#include "terminal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACES 32

/* From none to most.  */
static const char *const plain_marks[]
    = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
static const char *const bar_marks[]
    = { " ", "\u2581", "\u2582", "\u2583", "\u2584",
        "\u2585", "\u2586", "\u2587", "\u2588" };
#define MARKS (sizeof plain_marks / sizeof plain_marks[0])

/* All profiles of a folder.  */
struct folder
{
  struct profile *list;
  size_t count;
};

typedef void say_function (const char *name, const char *problem);

static void
free_folder (struct folder *folder)
{
  for (size_t i = 0; i < folder->count; i++)
    profile_free (&folder->list[i]);
  free (folder->list);
}

static int
by_name (const void *a, const void *b)
{
  const struct profile *x = a, *y = b;
  int order = strcmp (x->names[0], y->names[0]);
  return order != 0 ? order : strcmp (x->build_id, y->build_id);
}

/* Read PATH into FOLDER.  *GOOD is made false if a file is wrong.  */
static bool
read_folder (struct folder *folder, const char *path, say_function *say,
             bool *good)
{
  *folder = (struct folder){ .count = 0 };
  DIR *dir = opendir (path);
  if (dir == NULL && errno != ENOENT)
    {
      say (path, strerror (errno));
      return false;
    }
  for (struct dirent *entry; dir != NULL && (entry = readdir (dir)) != NULL;)
    {
      struct profile profile;
      if (entry->d_name[0] == '.')
        continue;
      const char *problem
          = profile_read (&profile, dirfd (dir), entry->d_name, false);
      if (problem != NULL)
        {
          say (entry->d_name, problem);
          *good = false;
          continue;
        }
      struct profile *list
          = reallocarray (folder->list, folder->count + 1, sizeof *list);
      if (list == NULL)
        {
          profile_free (&profile);
          say (path, strerror (ENOMEM));
          closedir (dir);
          return false;
        }
      folder->list = list;
      list[folder->count++] = profile;
    }
  if (dir != NULL)
    closedir (dir);
  if (folder->count > 0)
    {
      qsort (folder->list, folder->count, sizeof *folder->list, by_name);
      return true;
    }
  say (path, "there are no profiles in it");
  return false;
}

/* When PROFILE is from, for people.  */
static const char *
print_time (const struct profile *profile)
{
  static char text[32];
  struct tm time;
  strftime (text, sizeof text, "%Y-%m-%d %H:%M",
            localtime_r (&profile->when, &time));
  return text;
}

bool
profile_show_all (const char *path, say_function *say)
{
  struct folder folder;
  bool good = true;
  if (read_folder (&folder, path, say, &good))
    puts ("when              samples  of all  build ID          object");
  else
    good = false;
  for (size_t i = 0; i < folder.count; i++)
    {
      const struct profile *profile = &folder.list[i];
      printf ("%s %8" PRIu64 " %5.1f %%  %.16s  %s\n", print_time (profile),
              profile->samples,
              100.0 * profile->samples / profile->process_samples,
              profile->build_id, profile->names[0]);
    }
  free_folder (&folder);
  return good;
}

/* A block, and how hot.  */
struct block
{
  uint64_t start; /* Link-time address.  */
  uint64_t weight;
  size_t rank; /* 1 is the hottest.  */
};

struct drawing
{
  const struct profile *profile;
  struct block *blocks; /* By address.  */
  size_t count;
  uint64_t most; /* Weight of a granule.  */
};

/* The weight that PROFILE has in [START, END): of a granule that is there in
   part, that part.  */
static double
weight_between (const struct profile *profile, uint64_t start, uint64_t end)
{
  double sum = 0;
  for (size_t i = 0; i < profile->ngranules; i++)
    {
      const struct profile_granule *granule = &profile->granules[i];
      /* The first block may begin below 0.  */
      int64_t from = (int64_t)(granule->address - start);
      int64_t to = from + PROFILE_GRANULE, length = end - start;
      if (from < 0)
        from = 0;
      if (to > length)
        to = length;
      if (from < to)
        sum += (double)granule->weight * (to - from) / PROFILE_GRANULE;
    }
  return sum;
}

/* Add the block at START to DRAWING.  */
static bool
add_block (struct drawing *drawing, uint64_t start)
{
  struct block *blocks = reallocarray (drawing->blocks, drawing->count + 1,
                                       sizeof *blocks);
  if (blocks == NULL)
    return false;
  drawing->blocks = blocks;
  blocks[drawing->count++] = (struct block){
    .start = start,
    .weight = weight_between (drawing->profile, start,
                              start + procmaps_block ())
              + 0.5,
  };
  return true;
}

/* Add the blocks that the loader lays over the file FD.  */
static bool
add_planned (struct drawing *drawing, int fd)
{
  const struct settings settings = { .given = { false } };
  struct elf_object elf;
  struct plan plan;
  struct heat heat;
  if (elfobject_read (fd, &elf) != NULL)
    return false;
  /* What the index knows of its heat may be older.  */
  heat_read (&heat, NULL, fd, &elf.object);
  bool good = plan_make (&plan, &elf, &settings, false, NULL, &heat.plan);
  heat_free (&heat);
  if (!good)
    return false;
  for (size_t i = 0; good && i < plan.nblocks; i++)
    good = add_block (drawing,
                      plan.blocks[i].start - plan.elf.object.bias);
  plan_free (&plan);
  return good && drawing->count > 0;
}

/* Add all blocks in which DRAWING's profile has weight.  */
static bool
add_hot (struct drawing *drawing)
{
  const struct profile *profile = drawing->profile;
  for (size_t i = 0; i < profile->ngranules; i++)
    {
      uint64_t start = profile->granules[i].address & -procmaps_block ();
      if ((drawing->count == 0
           || drawing->blocks[drawing->count - 1].start != start)
          && !add_block (drawing, start))
        return false;
    }
  return true;
}

/* Open a file that PROFILE is of; -1 if there is none.  */
static int
open_file (const struct profile *profile)
{
  for (size_t i = 0; i < profile->nnames; i++)
    {
      struct profile_object object;
      int fd = regular_open (profile->names[i], 0);
      if (fd < 0)
        continue;
      profile_object_describe (&object, fd);
      bool same = strcmp (object.build_id, profile->build_id) == 0;
      profile_object_free (&object);
      if (same)
        return fd;
      close (fd);
    }
  return -1;
}

static int
by_weight (const void *a, const void *b)
{
  const struct block *const *x = a, *const *y = b;
  if ((*x)->weight != (*y)->weight)
    return (*x)->weight < (*y)->weight ? 1 : -1;
  return (*x)->start < (*y)->start ? -1 : 1;
}

/* Rank the blocks of DRAWING.  SUMS are the weights of the hottest 1, 2, 4...
   of them.  Returns how many have any; -1 if there is no memory.  */
static ssize_t
rank (struct drawing *drawing, uint64_t sums[static 16])
{
  struct block **order = calloc (drawing->count + 1, sizeof *order);
  uint64_t sum = 0;
  size_t hot = 0, step = 0;
  if (order == NULL)
    return -1;
  for (size_t i = 0; i < drawing->count; i++)
    order[i] = &drawing->blocks[i];
  qsort (order, drawing->count, sizeof *order, by_weight);
  for (size_t i = 0; i < drawing->count; i++)
    {
      order[i]->rank = i + 1;
      sum += order[i]->weight;
      hot += order[i]->weight > 0;
      if (i + 1 == (size_t)1 << step && step < 16)
        sums[step++] = sum;
    }
  while (step < 16)
    sums[step++] = sum;
  free (order);
  return hot;
}

/* Print BLOCK of DRAWING in MARKS.  */
static void
print_block (const struct drawing *drawing, const struct block *block,
             const char *const *marks)
{
  const uint64_t part = procmaps_block () / PLACES;
  bool below = (int64_t)block->start < 0;
  printf ("%s0x%-10" PRIx64 "|", below ? "-" : " ",
          below ? -block->start : block->start);
  for (size_t i = 0; i < PLACES; i++)
    {
      double weight
          = weight_between (drawing->profile, block->start + i * part,
                            block->start + (i + 1) * part)
            * PROFILE_GRANULE / part / drawing->most;
      size_t mark = weight > 0;
      /* Roots: a fourth of the most is still half as high.  */
      while (mark > 0 && mark < MARKS - 1
             && weight * (MARKS - 1) * (MARKS - 1) > mark * mark)
        mark++;
      fputs (marks[mark], stdout);
    }
  printf ("| %5.1f %%  %4zu\n", 100.0 * block->weight / PROFILE_WEIGHTS,
          block->rank);
}

/* Print what the hottest blocks have.  */
static void
print_sums (const struct profile *profile, size_t hot, size_t count,
            const uint64_t sums[static 16])
{
  printf ("%zu of %zu blocks have heat", hot, count);
  if (profile->samples > 0 && hot > 1)
    {
      printf ("; of the object's own, the hottest");
      for (size_t step = 0; step < 16 && (size_t)1 << step < 2 * hot; step++)
        if (step != 1)
          printf ("%s %zu: %.0f %%", step > 0 ? "," : "", (size_t)1 << step,
                  100.0 * sums[step] / PROFILE_WEIGHTS
                      * profile->process_samples / profile->samples);
    }
  putchar ('\n');
}

/* Print DRAWING.  */
static bool
print_drawing (struct drawing *drawing)
{
  const char *const *marks
      = terminal_is_utf8 () ? bar_marks : plain_marks;
  const struct profile *profile = drawing->profile;
  uint64_t sums[16];
  ssize_t hot = rank (drawing, sums);
  if (hot < 0)
    return false;
  for (size_t i = 0; i < profile->ngranules; i++)
    if (profile->granules[i].weight > drawing->most)
      drawing->most = profile->granules[i].weight;
  if (hot > 0)
    printf ("  block      %*s of all  rank\n", PLACES + 2, "");
  size_t cold = 0;
  for (size_t i = 0; i <= drawing->count && hot > 0; i++)
    {
      if (i < drawing->count && drawing->blocks[i].weight == 0)
        {
          cold++;
          continue;
        }
      if (cold > 0)
        printf ("  (%zu without)\n", cold);
      cold = 0;
      if (i < drawing->count)
        print_block (drawing, &drawing->blocks[i], marks);
    }
  print_sums (profile, hot, drawing->count, sums);
  return true;
}

/* Draw PROFILE.  False if there is no memory.  */
static bool
draw (const struct profile *profile)
{
  struct drawing drawing = { .profile = profile };
  int fd = open_file (profile);
  printf ("%s\nbuild %s, %s: %" PRIu64 " of %" PRIu64
          " samples of its processes\n",
          profile->names[0], profile->build_id, print_time (profile),
          profile->samples, profile->process_samples);
  if (fd < 0)
    puts ("no file of this build is there any more");
  if (fd < 0 || !add_planned (&drawing, fd))
    {
      drawing.count = 0;
      add_hot (&drawing);
    }
  if (fd >= 0)
    close (fd);
  bool good = print_drawing (&drawing);
  free (drawing.blocks);
  return good;
}

/* Draw those of FOLDER whose objects are called NAME.  Returns how many.  */
static size_t
draw_named (const struct folder *folder, const char *name)
{
  size_t count = 0;
  for (size_t i = 0; i < folder->count; i++)
    {
      const struct profile *profile = &folder->list[i];
      for (size_t j = 0; j < profile->nnames; j++)
        if (strcmp (strrchr (profile->names[j], '/') + 1, name) == 0
            || strcmp (profile->names[j], name) == 0)
          {
            if (count++ > 0)
              putchar ('\n');
            draw (profile);
            break;
          }
    }
  return count;
}

/* Draw what FOLDER has of the build that the file NAME is.  */
static bool
draw_file (const struct folder *folder, const char *name, bool first)
{
  struct profile_object object;
  bool found = false;
  int fd = regular_open (name, 0);
  if (fd < 0)
    return false;
  profile_object_describe (&object, fd);
  close (fd);
  for (size_t i = 0; i < folder->count; i++)
    if (strcmp (folder->list[i].build_id, object.build_id) == 0)
      {
        if (!first)
          putchar ('\n');
        draw (&folder->list[i]);
        found = true;
      }
  profile_object_free (&object);
  return found;
}

/* Draw what FOLDER has of FILE, and of what it loads.  Returns how many.  */
static size_t
draw_with_dependencies (const struct folder *folder, const char *file)
{
  struct file_list files = { .count = 0 };
  size_t count = 0;
  if (file_list_add (&files, file))
    /* What cannot be asked for libraries is drawn alone.  */
    file_list_dependencies (&files, readable_open);
  for (size_t i = 0; i < files.count; i++)
    count += draw_file (folder, files.names[i], count == 0);
  file_list_free (&files);
  return count;
}

bool
profile_show (const char *path, const char *word, say_function *say)
{
  struct folder folder;
  bool good = true;
  size_t count = 0;
  if (read_folder (&folder, path, say, &good))
    {
      if (strchr (word, '/') == NULL)
        count = draw_named (&folder, word);
      char *file = count == 0 ? program_find (word) : NULL;
      if (file == NULL && count == 0 && access (word, R_OK) == 0)
        file = strdup (word);
      if (file != NULL)
        count = draw_with_dependencies (&folder, file);
      if (count == 0 && file == NULL)
        say (word, "there is no such file, and no profile of that name");
      else if (count == 0)
        {
          bool other = false;
          for (size_t i = 0; i < folder.count; i++)
            for (size_t j = 0; j < folder.list[i].nnames; j++)
              other |= strcmp (folder.list[i].names[j], file) == 0;
          say (word, other ? "there is no profile of this build of it, only of"
                             " another one"
                           : "there is no profile of it, nor of what it"
                             " loads");
        }
      free (file);
    }
  free_folder (&folder);
  return good && count > 0;
}
