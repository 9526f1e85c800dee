/* Tests of what the inspector remembers from one process for the next: only
   what it has seen itself, and nothing that the first process could have
   decided.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process can map hundreds of files named ld-*.  These can use up the
   inspector's budget for this process before the inspector has read the
   system's loader.  Then the inspector knows nothing about the loader.  */

#include "text/objtext.h"

#include <fcntl.h>

/* The file that all processes of this test have mapped.  */
static const char *mapped;

static int
open_mapped (pid_t pid, const struct object_text *object)
{
  (void) pid;
  (void) object;
  return open (mapped, O_RDONLY | O_CLOEXEC);
}

#define objtext_open open_mapped
#include "text/collect.c"
#undef objtext_open

#include "plan-test.h"
#include "trust.h"

/* Replaces a function that this test does not need.  */

void
advice_add_process (struct settings *settings, pid_t pid)
{
  (void) settings, (void) pid;
}

bool
cost_read (pid_t pid, const struct object_list *objects,
           const struct settings *settings, struct cost *cost)
{
  (void) pid, (void) objects, (void) settings, (void) cost;
  return false;
}

bool
index_file_open (struct index_file *file, int fd, uid_t root,
                 struct problem *problem)
{
  (void) file, (void) fd, (void) root, (void) problem;
  return false;
}

void
index_file_close (struct index_file *file)
{
  (void) file;
}

void
maps_reader_describe (int fd, const char *path, struct elf_object *elf)
{
  (void) fd, (void) path, (void) elf;
}

void
plan_found (struct plan *plan, const struct elf_object *elf,
            const struct settings *settings, uintptr_t bias, bool slack,
            const struct plan_heat *heat)
{
  (void) plan, (void) elf, (void) settings, (void) bias, (void) slack;
  (void) heat;
}

void
plan_free (struct plan *plan)
{
  (void) plan;
}

size_t
plan_cap (const struct settings *settings)
{
  (void) settings;
  return SIZE_MAX;
}

bool
plan_is_small (size_t text)
{
  (void) text;
  return false;
}

bool
program_check_process (pid_t pid, struct problem *problem)
{
  (void) pid, (void) problem;
  return true;
}

bool
reason_set (struct problem *problem, enum hugetext_reason reason)
{
  (void) problem, (void) reason;
  return false;
}

/* Let the inspector look at the loader FILE, whose inode number is INODE, and
   return what it says.  The process has already used SPENT bytes of its
   budget.  If AS_ROOT, root asks.  */
static enum inspected_loader
look_as (const char *file, ino_t inode, size_t spent, bool as_root)
{
  const struct object_text object = { .device = 1, .inode = inode };
  mapped = file;
  struct inspection found = { .process.pid = 1 };
  budget_begin ();
  budget_spend (spent);
  const enum inspected_loader kind
      = collect_read_loader (&found, &object, as_root);
  budget_end ();
  return kind;
}

static enum inspected_loader
look (const char *file, ino_t inode, size_t spent)
{
  return look_as (file, inode, spent, false);
}

/* Set PATH to the path of this program's loader.  */
static void
find_own (char path[static PATH_MAX])
{
  char line[PATH_MAX + 100];
  FILE *maps = fopen ("/proc/self/maps", "r");
  path[0] = '\0';
  while (path[0] == '\0' && fgets (line, sizeof line, maps) != NULL)
    {
      const char *name = strchr (line, '/'), *base = strrchr (line, '/');
      if (base != NULL && strncmp (base, "/ld-", 4) == 0)
        snprintf (path, PATH_MAX, "%.*s", (int) strcspn (name, "\n"), name);
    }
  fclose (maps);
  EXPECT (path[0] != '\0');
}

int
main (void)
{
  char loader[PATH_MAX];
  find_own (loader);
  /* In each round, the inspector uses up its budget at a different byte of the
     loader.  */
  size_t cases = 0;
  for (size_t left = 0; left < 1 << 17; left += 1 << 9)
    {
      const ino_t inode = 1 + cases++;
      const enum inspected_loader first
          = look (loader, inode, (65 << 20) - left);
      EXPECT (first == INSPECTED_UNKNOWN || first == INSPECTED_OTHER);
      EXPECT (left > 0 || first == INSPECTED_UNKNOWN);
      EXPECT_EQUAL (look (loader, inode, 0), INSPECTED_OTHER);
    }
  group_done ("the budget is used up while the loader's file is read", cases);
  /* The inspector does not cache the answer for a file that is no loader, or
     that cannot be opened.  */
  EXPECT_EQUAL (look ("/proc/self/exe", 9999, 0), INSPECTED_NONE);
  EXPECT_EQUAL (look (loader, 9999, 0), INSPECTED_OTHER);
  EXPECT_EQUAL (look ("/nowhere", 9998, 0), INSPECTED_UNKNOWN);
  EXPECT_EQUAL (look (loader, 9998, 0), INSPECTED_OTHER);
  group_done ("files that are not loaders", 4);
  return 0;
}
