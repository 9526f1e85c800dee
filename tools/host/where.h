/* Where a process runs (by a command, in a service or in a container), and
   remedies, which differ by where the process runs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WHERE_H
#define WHERE_H

#include <stdbool.h>

/* Where a process runs.  The reader of a remedy is a user who starts a
   program with a command, the administrator of a service, or a user who runs a
   container.  */
enum where
{
  WHERE_COMMAND,
  WHERE_SERVICE,
  WHERE_CONTAINER,
  WHERES
};

/* Return where a process runs.  GROUP is its service (group_of), and ELSEWHERE
   says whether its root directory is not this process's.  */
extern enum where where_runs (const char *group, bool elsewhere);

/* Return where programs run that this process starts, WHERE_COMMAND or
   WHERE_CONTAINER.  */
extern enum where where_own (void);

/* A remedy for each place where a process may run; NULL if there is no
   remedy.  */
struct remedies
{
  const char *by[WHERES];
};

/* Initializers of struct remedies.  The macros' names are the forms of
   dl-hugetext-reasons.def; a text in no form does not compile.  */
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

/* The struct remedies that FORM, one of these forms, describes.  */
#define REMEDIES(form) ((const struct remedies) REMEDIES_##form)

/* A struct remedies with the single remedy TEXT, which may be NULL, if the
   caller has already chosen TEXT by where the process runs.  */
static inline struct remedies
remedies_chosen (const char *text)
{
  return (struct remedies){ .by = { text, text, text } };
}

#endif
