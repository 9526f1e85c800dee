/* Sampled programs: the list of programs, and the numbers that are counted for
   each of them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sample/sample.h"
#include "host/brief.h"
#include "host/process.h"
#include "util/allocate.h"

#include <string.h>

/* Return the program NAME of SERVICE in SAMPLING, or NULL if there is no such
   program.  CUT is true if the kernel may have shortened the name NAME.  */
static struct sampled_program *
sample_program_find_program (const struct sampling *sampling,
                             const char *service, const char *name, bool cut)
{
  enum
  {
    COMM = 15, /* The maximum length of a program's name in /proc/PID/comm, in
                  bytes.  */
  };
  for (size_t i = 0; i < sampling->nprograms; ++i)
    {
      struct sampled_program *program = sampling->programs[i];
      if (strcmp (program->service, service) == 0
          && (strcmp (program->name, name) == 0
              || (cut && strncmp (program->name, name, COMM) == 0)))
        return program;
    }
  return NULL;
}

struct sampled_program *
sampled_program (struct sampling *sampling, pid_t pid, bool add,
                 const struct sampled_program *before, const char *name)
{
  struct problem problem;
  struct process process;
  /* If the path of the process's program cannot be read, brief_ask sets it to
     "", and the only known name of the program is the one that the kernel has
     reported.  */
  struct brief found;
  brief_ask (pid, &found, &problem);
  char *const path = found.exe;
  const char *const group = found.service;
  process_cut_deleted (path);
  const char *slash = strrchr (path, '/'), *service = group;
  if (slash != NULL && group[0] != '\0')
    name = slash + 1;
  else if (name != NULL && name[0] != '\0')
    service = before != NULL ? before->service : "/";
  else if (group[0] != '\0' && process_ask (pid, &process, &problem)
           && !process.kernel)
    name = process.name;
  else
    return NULL;
  struct sampled_program *program
      = sample_program_find_program (sampling, service, name, slash == NULL);
  if (program == NULL && add)
    {
      program = allocate (sizeof *program);
      program->name = allocate_text (name);
      program->service = allocate_text (service);
      sampling->programs = allocate_more (
          sampling->programs, sampling->nprograms, sizeof *sampling->programs);
      sampling->programs[sampling->nprograms++] = program;
    }
  if (program != NULL && program->path == NULL && slash != NULL)
    program->path = allocate_text (path);
  return program;
}
