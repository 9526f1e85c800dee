/* What "hugetext doctor" says about a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "check-program.h"
#include "check.h"
#include "elfobject.h"
#include "loader.h"
#include "machine.h"
#include "plan.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Check how PROGRAM is loaded.  False if it is not by the system's loader.  */
static bool
check_loading (const char *what, const struct program *program)
{
  if (program->kind == PROGRAM_OTHER)
    check_line (LEVEL_MISSING, what, "none",
                "%s is no program that a loader"
                " of this machine's kind loads",
                program->file);
  else if (program->kind == PROGRAM_STATIC)
    check_line (LEVEL_MISSING, what, "link it dynamically",
                "%s is statically linked: no loader comes into play",
                program->file);
  else if (!same_path (program->interpreter, loader_system ())
           && !same_path (program->interpreter, loader_path (NULL)))
    check_line (LEVEL_MISSING, what,
                "patchelf --set-interpreter, if it is"
                " for the same glibc",
                "%s has a loader of its own, %s", program->file,
                program->interpreter);
  else if (program->secure)
    check_line (LEVEL_MISSING, what, "none: so it must be",
                "%s gets rights of its own when it is executed (AT_SECURE):"
                " the loader takes no tunables then",
                program->file);
  else
    return true;
  return false;
}

/* Check what the plan says of ELF.  False if it has nothing to gain.  */
static bool
check_text (const char *what, const struct elf_object *elf,
            const struct settings *settings)
{
  struct plan plan;
  size_t huge = 0, blocks = 0;
  const char *problem = elfobject_problem (elf);
  if (problem != NULL)
    {
      check_line (LEVEL_LIMITED, what, "hugetext explain", "%s", problem);
      return false;
    }
  if (!plan_make (&plan, elf, settings, false))
    return false;
  plan_cut (&plan, 1, plan_cap (settings));
  for (size_t i = 0; i < plan.nblocks; i++)
    if (plan.blocks[i].verdict == HUGETEXT_TAKE)
      {
        huge += plan.blocks[i].text;
        blocks++;
      }
  plan_free (&plan);
  size_t text = elfobject_text (elf);
  if (blocks == 0)
    check_line (LEVEL_LIMITED, what,
                "hugetext explain --deps: its libraries"
                " may have more",
                "%zu KiB of text of its own, too little for"
                " a huge page",
                text / 1024);
  else if (huge < text - text / 10)
    check_line (LEVEL_LIMITED, what, "hugetext explain",
                "%zu of %zu KiB of text fit into %zu huge pages", huge / 1024,
                text / 1024, blocks);
  else
    check_line (LEVEL_OK, what, NULL,
                "%zu of %zu KiB of text fit into %zu huge pages", huge / 1024,
                text / 1024, blocks);
  return blocks > 0;
}

/* Check whether ELF, the file PATH, can be on huge pages of its own.  */
static void
check_file (const char *what, const char *path, const struct elf_object *elf,
            const struct settings *settings)
{
  struct filesystem filesystem;
  uint64_t backing = settings_value (settings, SETTING_BACKING);
  if (backing == CHOICE_THP || backing == CHOICE_HUGETLB)
    return;
  if (!machine_filesystem (path, &filesystem))
    return;
  switch (machine_huge_files (&filesystem))
    {
    case MACHINE_NEVER_HUGE:
      check_line (LEVEL_LIMITED, what,
                  "ext4 (Linux 6.16), XFS (6.1) or erofs (6.18)",
                  "its file is on %s, which this kernel caches in small pages:"
                  " each process gets copies",
                  filesystem.type);
      return;
    case MACHINE_HUGE_UNKNOWN:
      check_line (LEVEL_OK, what, NULL,
                  "its file is on %s: what lies below decides whether it can"
                  " be on huge pages of its own",
                  filesystem.type);
      return;
    default:
      break;
    }
  if (!plan_prefers_file (elf, settings))
    check_line (LEVEL_OK, what, NULL,
                "its file is on %s, but its layout makes copies better",
                filesystem.type);
  else
    check_line (LEVEL_OK, what, NULL,
                "its file, on %s, can be on huge pages that all processes"
                " share",
                filesystem.type);
}

void
check_program (const char *name, const struct settings *settings)
{
  struct program program;
  struct elf_object elf;
  char *file = program_find (name);
  if (file == NULL || !program_read (file, &program))
    {
      check_line (LEVEL_MISSING, name, "give the name of a program", "%s",
                  errno == ENOENT ? "not found" : strerror (errno));
      free (file);
      return;
    }
  free (file);
  if (!check_loading (name, &program))
    return;
  int fd = open (program.file, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    {
      check_line (LEVEL_LIMITED, name, "make it readable", "%s: %s",
                  program.file, strerror (errno));
      return;
    }
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  const char *problem = elfobject_read (fd, &elf);
  close (fd);
  if (problem != NULL)
    check_line (LEVEL_MISSING, name, "none", "%s: %s", program.file, problem);
  else if (check_text (name, &elf, settings))
    check_file (name, program.file, &elf, settings);
}
