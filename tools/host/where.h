/* How a process runs (started by a command, in a service or in a container),
   and remedies, which differ accordingly.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WHERE_H
#define WHERE_H

#include <stdbool.h>

/* The places where a process can run.  The reader of a remedy is a user who
   starts a program with a command, the administrator of a service, or a user
   who runs a container.  */
enum where
{
  WHERE_COMMAND,
  WHERE_SERVICE,
  WHERE_CONTAINER,
  WHERES
};

/* Return where a process runs.  GROUP is the process's service (group_name).
   CONTAINED is true if the process's root directory is in a mount namespace
   other than that of the calling process.  For a process in a chroot, return
   the same as outside of the chroot, because the same remedies help.  A
   process in a chroot either opened its libraries before it entered the
   chroot, or the chroot has the same loader, mounts and hugetext.  */
extern enum where where_runs (const char *group, bool contained);

/* Return WHERE_CONTAINER if programs that the calling process starts run in a
   container, otherwise WHERE_COMMAND.  */
extern enum where where_own (void);

/* A remedy for each result of where_runs, or NULL if there is no remedy.  */
struct remedies
{
  const char *by[WHERES];
};

/* Initializers of struct remedies.  Each row of dl-hugetext-reasons.def
   contains its remedy in a form such as ANYWHERE ("TEXT").  The macro REMEDIES
   puts "REMEDIES_" in front of the form, which gives one of the following
   macros, such as REMEDIES_ANYWHERE.  A row with an unknown form does not
   compile.  */
#define REMEDIES_NOWHERE                   \
  {                                        \
    .by = { [WHERE_COMMAND] = (void *) 0 } \
  }
#define REMEDIES_EACH(command, service, container) \
  {                                                \
    .by                                            \
        = { [WHERE_COMMAND] = "" command,          \
            [WHERE_SERVICE] = "" service,          \
            [WHERE_CONTAINER] = "" container }     \
  }
#define REMEDIES_ANYWHERE(all) REMEDIES_EACH (all, all, all)
#define REMEDIES_HOST_CONTAINER(host, container) \
  REMEDIES_EACH (host, host, container)
#define REMEDIES_SERVICE_OTHER(service, other) \
  REMEDIES_EACH (other, service, other)

/* Convert FORM, the remedy in a row of dl-hugetext-reasons.def, such as
   ANYWHERE ("TEXT"), to a struct remedies.  */
#define REMEDIES(form) ((const struct remedies) REMEDIES_##form)

/* Return a struct remedies with the same remedy, TEXT, for all values of enum
   where.  TEXT may be NULL.  Call remedies_chosen if TEXT is already the
   remedy for the place where the process runs.  */
static inline struct remedies
remedies_chosen (const char *text)
{
  return (struct remedies){ .by = { text, text, text } };
}

#endif
