/* Find out in an unprivileged process which files to explain, and what they
   are.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Because the files to explain may be hostile, a child process finds and reads
   them (host/reader).  If root has called the command, the child runs as the
   user nobody.  The command does not trust the child's answers.  */

#include "explain/files.h"
#include "explain/core.h"
#include "host/machine.h"
#include "host/reader.h"
#include "host/selection.h"
#include "host/unprivileged.h"
#include "object/dependencies.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "object/plan.h"
#include "object/program.h"
#include "util/allocate.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  FILES_MOST = 8192, /* The maximum number of files that are explained because
                        of one file.  */
  ERRNO_MAX = 4095,  /* The largest errno.  */
};

/* The kind of file that a word names.  */
enum found
{
  FOUND_NOTHING,
  FOUND_CORE,
  FOUND_FILES,
};

struct question
{
  const char *word;
  enum explained_word kind;
  bool dependencies;
  bool root;    /* True if root has called the command.  */
  bool aligned; /* True if the kernel maps static programs at a multiple of the
                   size of a huge page (plan_static).  */
  const struct settings *settings;
};

/* Return true if "hugetext run" could put a block of ELF, a static program, on
   a huge page, with the settings of QUESTION.  */
static bool
gains_alone (const struct elf_object *elf, const struct question *question)
{
  struct plan plan;
  bool gains = false;
  plan_static (&plan, elf, question->settings, question->aligned, NULL);
  for (size_t i = 0; i < plan.nblocks; ++i)
    gains |= plan.blocks[i].verdict == HUGETEXT_TAKE;
  plan_free (&plan);
  return gains;
}

/* Set REAL to the whole path of the file NAME, or to "", and open the file.
   Root's command reads files as the user nobody; if this user has no
   permission to open the file, set PROBLEM and return -1.  The dry run needs
   the whole path, so the user nobody must be allowed to search all directories
   of the path, even if the caller's working directory is one of them.  If the
   file cannot be opened for another reason, set errno and return -1.  */
static int
open_named (const char *name, bool as_nobody, char real[static PATH_MAX],
            struct problem *problem)
{
  bool refused = false;
  if (realpath (name, real) == NULL)
    {
      refused = errno == EACCES;
      real[0] = '\0';
    }
  const int fd = regular_open (name);
  if (!as_nobody || (!refused && (fd >= 0 || errno != EACCES)))
    return fd;
  if (fd >= 0)
    close (fd);
  problem_unknown (problem,
                   "a command that root runs reads files as the user nobody, "
                   "who has no permission to read this file: %s",
                   UNPRIVILEGED_REMEDY);
  return -1;
}

/* Read the file NAME, and set TO to the facts about it, for QUESTION.  If root
   has called the command, this process runs as nobody.  */
static void
explain_files_read_file (const char *name, const struct question *question,
                         struct file_facts *to)
{
  struct elf_object elf;
  struct problem *problem = &to->problem;
  snprintf (to->name, sizeof to->name, "%s", name);
  const int fd = open_named (name, question->root, to->real, problem);
  to->unreadable = problem_is (problem);
  if (to->unreadable)
    return;
  to->unreadable = fd >= 0 ? !elfobject_read (fd, &elf, problem)
                           : !regular_problem (problem, errno);
  if (fd >= 0 && to->unreadable && program_is_closed_script (fd))
    program_cannot_run (name, EACCES, problem);
  if (!to->unreadable)
    {
      to->program = elf.program;
      to->text = hugetext_object_text (&elf.object);
      to->statically_linked = elf.statically_linked;
      if (elfobject_check (&elf, problem) && loader_is_loader (name, fd))
        reason_set (problem, REASON_IS_LOADER);
      else if (!problem_is (problem) && elf.program
               && program_gives_privileges (name))
        reason_set (problem, REASON_SECURE_FILE);
      else if (!problem_is (problem) && elf.statically_linked)
        to->gains_alone = gains_alone (&elf, question);
    }
  if (!problem_is (problem))
    snprintf (to->kind, sizeof to->kind, "%s with %zu KiB of text",
              elf.statically_linked ? "static program"
              : elf.program         ? "program"
                                    : "library",
              hugetext_object_text (&elf.object) / 1024);
  if (fd >= 0)
    close (fd);
}

/* Find the program that QUESTION names, and set PROGRAM.  Return the name of
   the file to explain.  If the file cannot be opened, set errno and return
   NULL.  */
static const char *
explain_files_find_file (const struct question *question,
                         struct program *program)
{
  const bool any = question->kind == EXPLAINED_ANY;
  const char *file = any && access (question->word, F_OK) == 0
                         ? question->word
                         : program_find (question->word);
  if (file == NULL)
    return NULL;
  if (!program_read (file, program))
    {
      program->script[0] = '\0';
      return any || (question->root && errno == EACCES) ? file : NULL;
    }
  return any && program->script[0] == '\0' ? file : program->file;
}

static void
explain_files_put_facts (const struct file_facts *facts,
                         struct message *answer)
{
  message_put_text (answer, facts->name);
  message_put_text (answer, facts->real);
  message_put_number (answer, facts->late);
  message_put_number (answer, facts->needed);
  message_put_number (answer, facts->text);
  message_put_number (answer, facts->unreadable);
  message_put_number (answer, facts->program);
  message_put_number (answer, facts->statically_linked);
  message_put_number (answer, facts->gains_alone);
  message_put_text (answer, facts->kind);
  message_put_result (answer, !problem_is (&facts->problem), &facts->problem);
}

/* Read FACTS from ANSWER.  Keep unprintable characters in the real path,
   because the dry run needs the path unchanged.  */
static void
get_facts (struct message *answer, struct file_facts *facts)
{
  message_get_printable (answer, facts->name, sizeof facts->name);
  message_get_text (answer, facts->real, sizeof facts->real);
  facts->late = message_get_bool (answer);
  facts->needed = message_get_bool (answer);
  facts->text = message_get_number (answer, INT64_MAX);
  facts->unreadable = message_get_bool (answer);
  facts->program = message_get_bool (answer);
  facts->statically_linked = message_get_bool (answer);
  facts->gains_alone = message_get_bool (answer);
  message_get_printable (answer, facts->kind, sizeof facts->kind);
  message_get_result (answer, &facts->problem);
}

/* PROGRAM has the facts about the first of FILES, a program.  If the program
   itself has too little text to gain from huge pages, because its code is in
   libraries (as in Debian's node), add to FILES all libraries of the program
   that have enough text to gain.  Return the number of added files.  */
static size_t
add_large (const struct file_facts *program, struct file_list *files)
{
  const size_t before = files->count;
  struct file_list all = { 0 };
  struct problem none;
  if (!program->program || program->statically_linked
      || !plan_is_small (program->text))
    return 0;
  file_list_add (&all, files->names[0]);
  file_list_dependencies (&all, readable_open, &none);
  for (size_t i = 1; i < all.count; ++i)
    if (!plan_is_small (elfobject_file_text (all.names[i])))
      file_list_add (files, all.names[i]);
  file_list_free (&all);
  return files->count - before;
}

/* In the child: answer the question ASKED.  OPENED is the file that the
   question names, if the child could open this file.  */
static void
explain_files_read_files (const struct reader_file *opened, const void *asked,
                          struct message *answer)
{
  int fd = opened->fd;
  static struct file_facts facts;
  static struct program program;
  static struct message core;
  const struct question *question = asked;
  struct file_list files = { 0 };
  if (fd < 0 && question->kind == EXPLAINED_ANY)
    fd = regular_open (question->word);
  if (fd >= 0 && core_put (fd, &core))
    {
      message_put_number (answer, FOUND_CORE);
      message_put_bytes (answer, core.data, core.size);
      return;
    }
  struct problem none;
  const char *file = explain_files_find_file (question, &program);
  message_put_number (answer, file != NULL ? FOUND_FILES : FOUND_NOTHING);
  if (file == NULL)
    {
      message_put_number (answer, errno);
      return;
    }
  message_put_number (answer, program.script[0] != '\0');
  message_put_number (answer, access (file, R_OK) < 0);
  file_list_add (&files, file);
  facts = (struct file_facts){ .late = false };
  explain_files_read_file (file, question, &facts);
  if (question->dependencies)
    file_list_dependencies (&files, readable_open, &none);
  const size_t needed
      = question->dependencies ? 0 : add_large (&facts, &files);
  file_list_opened (&files);
  message_put_number (answer, files.count);
  for (size_t i = 0; i < files.count; ++i)
    {
      facts = (struct file_facts){ .late = i >= files.count - files.late,
                                   .needed = i > 0 && i <= needed };
      explain_files_read_file (files.names[i], question, &facts);
      explain_files_put_facts (&facts, answer);
    }
}

/* Read LIST, an array of COUNT files, from ANSWER.  */
static bool
explain_files_get_files (struct message *answer, struct file_facts **list,
                         size_t *count, struct explanation *to,
                         struct problem *problem)
{
  to->script = message_get_bool (answer);
  to->closed = message_get_bool (answer);
  *count = message_get_count (answer, 8 * sizeof (uint64_t));
  if (*count > FILES_MOST)
    *count = 0;
  *list = allocate (*count * sizeof **list);
  for (size_t i = 0; i < *count; ++i)
    get_facts (answer, &(*list)[i]);
  return ((*count > 0 && message_is_done (answer))
          || problem_unknown (problem, READER_MAKES_NO_SENSE));
}

/* Set PROBLEM to a message that there is no file WORD.  */
static void
explain_files_set_missing (const char *word, struct problem *problem)
{
  const char *hint = selected_hint (word, SELECTED_BY_PID);
  problem_set (problem, "the file was not found (%s)",
               hint[0] != '\0'
                   ? hint
                   : "name a process by its ID, and a program by its path "
                     "if the shell does not find it");
}

bool
files_read (const char *word, enum explained_word kind, bool dependencies,
            struct file_facts **list, size_t *count, struct explanation *to,
            struct problem *problem)
{
  const struct question question = { word,
                                     kind,
                                     dependencies,
                                     geteuid () == 0,
                                     machine_kernel_is (6, 7),
                                     &to->settings };
  struct message answer;
  bool good = false;
  *list = NULL;
  *count = 0;
  dependencies_prepare ();
  if (kind == EXPLAINED_ANY
          ? !reader_ask (word, explain_files_read_files, &question, &answer,
                         problem)
          : !reader_ask_about (NULL, explain_files_read_files, &question,
                               &answer, problem))
    return false;
  switch (message_get_number (&answer, FOUND_FILES))
    {
    case FOUND_CORE:
      good = core_get (&answer, to, problem);
      break;
    case FOUND_FILES:
      good = explain_files_get_files (&answer, list, count, to, problem);
      break;
    default:;
      const int error = message_get_number (&answer, ERRNO_MAX);
      if (error == ENOENT && kind == EXPLAINED_ANY)
        explain_files_set_missing (word, problem);
      else
        problem_set (problem, "%s",
                     error != ENOENT ? strerror (error) : "not found");
    }
  message_free (&answer);
  return good;
}
