/* The lines of "hugetext doctor" about a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "doctor/program.h"
#include "doctor/check.h"
#include "explain/explain.h"
#include "index/advice.h"
#include "object/dependencies.h"
#include "object/loader.h"
#include "object/program.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "util/regular.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Check PROGRAM's loader.  False if it is not the system's loader.  */
static bool
check_loading (const char *what, const struct program *program)
{
  if (program->kind == PROGRAM_OTHER)
    check_line (LEVEL_MISSING, what, "none",
                "%s is no program that a loader loads", program->file);
  else if (program->kind == PROGRAM_FOREIGN)
    check_line (LEVEL_MISSING, what, "a 64-bit build of it for this machine",
                "%s: %s", program->file, program->foreign);
  else if (program->kind == PROGRAM_STATIC)
    check_line (LEVEL_LIMITED, what, "hugetext run",
                "%s is statically linked: no loader comes into play",
                program->file);
  else if (!same_path (program->interpreter, loader_system ())
           && !loader_is_ours (program->interpreter))
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

bool
check_own_loaders (char **programs)
{
  struct program program;
  if (programs == NULL || *programs == NULL)
    return false;
  for (char **name = programs; *name != NULL; ++name)
    {
      char *file = program_find (*name);
      bool own = (file != NULL && program_read (file, &program)
                  && program.kind == PROGRAM_DYNAMIC
                  && !same_path (program.interpreter, loader_system ())
                  && loader_is_ours (program.interpreter));
      free (file);
      if (!own)
        return false;
    }
  check_line (LEVEL_OK, "loader", NULL,
              "%s, which what is named here has for its own, for glibc %s as"
              " is installed",
              program.interpreter, loader_libc_version ());
  return true;
}

/* The account of an object, in bytes of text.  */
struct check_sums
{
  size_t text, planned, blocks; /* All text, text worth huge pages, and the
                                   number of these.  */
  size_t file, huge;            /* Text on the file's own huge pages, and on
                                   any.  */
  const struct explained_block *small; /* A block that cannot be huge.  */
  const struct explained_block *best;  /* The block with most text, unless too
                                          little text is the reason for having
                                          none.  */
};

static struct check_sums
add_up (const struct explained *explained)
{
  struct check_sums sums = { 0 };
  for (size_t i = 0; i < explained->nblocks; ++i)
    {
      const struct explained_block *block = &explained->blocks[i];
      sums.text += block->text;
      if (!block->planned && block->backing == 0)
        {
          if (strcmp (block->verdict,
                      hugetext_verdict_name (HUGETEXT_BELOW_THRESHOLD))
                  != 0
              && (sums.best == NULL || block->text > sums.best->text))
            sums.best = block;
          continue;
        }
      sums.planned += block->text;
      ++sums.blocks;
      if (block->backing == BACKING_FILE)
        sums.file += block->text;
      if (block->backing != 0)
        sums.huge += block->text;
      else if (sums.small == NULL)
        sums.small = block;
    }
  return sums;
}

/* Check the text of an object, TEXT bytes, by the sums of its blocks.  False
   if it has nothing to gain.  */
static bool
check_text (const char *what, const struct explained *explained,
            const struct check_sums *sums)
{
  if (explained->problem[0] != '\0')
    check_line (LEVEL_LIMITED, what, "hugetext explain", "%s",
                explained->problem);
  else if (explained->left != NULL)
    check_line (LEVEL_LIMITED, what, "start it without",
                "%s: it stays where it is mapped, and %zu of %zu KiB of its"
                " text were on huge pages this time",
                explained->left, sums->huge / 1024, sums->text / 1024);
  else if (sums->blocks == 0 && sums->best != NULL)
    check_line (LEVEL_LIMITED, what,
                sums->best->remedy[0] != '\0' ? sums->best->remedy
                                              : "hugetext explain",
                "%zu KiB of text of its own, none of it in a huge page: of"
                " most of it, %s",
                sums->text / 1024, sums->best->reason);
  else if (sums->blocks == 0)
    check_line (LEVEL_LIMITED, what,
                "hugetext explain --deps: its libraries"
                " may have more",
                "%zu KiB of text of its own, too little for"
                " a huge page",
                sums->text / 1024);
  else
    {
      check_line (sums->planned < sums->text - sums->text / 10 ? LEVEL_LIMITED
                                                               : LEVEL_OK,
                  what, "hugetext explain",
                  "%zu of %zu KiB of text fit into %zu huge pages",
                  sums->planned / 1024, sums->text / 1024, sums->blocks);
      if (sums->small != NULL)
        check_line (LEVEL_LIMITED, what, sums->small->remedy,
                    "%zu KiB of that would be on small pages: %s",
                    (sums->planned - sums->huge) / 1024, sums->small->reason);
      return true;
    }
  return false;
}

/* Whether the kernel makes small pages of the file NAME huge.  */
static bool
gathers (const char *name)
{
  int fd = regular_open (name, 0);
  bool yes = fd >= 0 && filecache_gathers (fd);
  if (fd >= 0)
    close (fd);
  return yes;
}

/* Check whether an object can be on huge pages of its own file.  */
static void
check_file (const char *what, const struct explained *explained,
            const struct check_sums *sums, const struct settings *settings)
{
  struct filesystem filesystem;
  if (!hugetext_may_use_file (settings_value (settings, SETTING_BACKING)))
    return;
  if (!machine_filesystem (explained->name, &filesystem))
    return;
  switch (gathers (explained->name) ? MACHINE_HUGE_WHEN_READ
                                    : machine_huge_files (&filesystem))
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
  if (explained->file_remedy != NULL)
    check_line (LEVEL_LIMITED, what, explained->file_remedy,
                "its file, on %s, is cached in small pages: %zu of %zu KiB"
                " are on huge pages that all processes share",
                filesystem.type, sums->file / 1024, sums->planned / 1024);
  else if (sums->file > 0)
    check_line (LEVEL_OK, what, NULL,
                "its file, on %s, can be on huge pages that all processes"
                " share",
                filesystem.type);
  else
    check_line (LEVEL_OK, what, NULL,
                "its file is on %s, but its layout makes copies better",
                filesystem.type);
}

/* Check EXPLAINED, which is the program NAME or a library that it opens.
   LAUNCHER: the program opens its real text itself.  */
static void
check_object (const char *name, const struct explained *explained,
              bool launcher, const struct settings *settings)
{
  char what[256];
  const char *slash = strrchr (explained->name, '/');
  snprintf (what, sizeof what, explained->late ? "%s (%s)" : "%s", name,
            slash != NULL ? slash + 1 : explained->name);
  if (!explained->readable)
    {
      check_line (LEVEL_MISSING, what, "none", "%s: %s", explained->name,
                  explained->problem);
      return;
    }
  struct check_sums sums = add_up (explained);
  if (launcher && sums.blocks == 0)
    check_line (LEVEL_OK, what, NULL,
                "%zu KiB of text of its own; the rest is in what it opens",
                sums.text / 1024);
  else if (check_text (what, explained, &sums))
    check_file (what, explained, &sums, settings);
}

void
check_program (const char *name, const char *loader,
               const struct settings *settings)
{
  struct program program;
  struct file_list files = { 0 };
  char *file = program_find (name);
  if (file == NULL || !program_read (file, &program))
    {
      check_line (LEVEL_MISSING, name, "give the name of a program", "%s",
                  errno == ENOENT ? "not found" : strerror (errno));
      free (file);
      return;
    }
  free (file);
  if (access (program.file, R_OK) < 0)
    {
      check_line (LEVEL_LIMITED, name, "make it readable", "%s: %s",
                  program.file, strerror (errno));
      return;
    }
  if (program.script[0] != '\0')
    check_line (LEVEL_OK, name, NULL,
                "a script: what follows is about %s, which runs it",
                program.file);
  if (!check_loading (name, &program))
    return;
  /* The settings with the index's advice.  */
  struct settings own = *settings;
  advice_add (&own, program.file);
  struct explained *list = NULL;
  if (file_list_add (&files, program.file) && file_list_opened (&files))
    list = calloc (files.count, sizeof *list);
  if (list != NULL)
    explain_files (&files, loader, &own, list);
  for (size_t i = 0; list != NULL && i < files.count; ++i)
    {
      check_object (name, &list[i], i == 0 && files.late > 0, &own);
      explained_free (&list[i]);
    }
  free (list);
  file_list_free (&files);
}
