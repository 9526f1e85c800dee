/* The search of the environment for tunables.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Until glibc 2.38 a start compares each environment variable with each
   tunable, and ld-hugetext adds tunables.  This header passes to
   __tunables_init only variables that may set a tunable.  So a start takes no
   longer than with glibc's tunables alone.  An architecture's dl-sysdep.c
   includes this header before the stock file, which calls __tunables_init.  */

#include <features.h>
#include <stdbool.h>

/* Whether __tunables_init compares each variable with each tunable, as it does
   until 2.38.  From 2.39 on, it compares a variable only with the few tunables
   that also have an older name.  */
#define HUGETEXT_COMPARES_ALL_TUNABLES (!__GLIBC_PREREQ (2, 39))

#if IS_IN(rtld) && HUGETEXT_COMPARES_ALL_TUNABLES
#  include <unistd.h>

/* hugetext-glibc.h cannot declare this function, because it includes
   dl-tunables.h.  Until 2.32 the stock file includes dl-tunables.h with a
   macro of its own (TUNABLE_NAMESPACE).  */
extern void __tunables_init (char **env);
rtld_hidden_proto (__tunables_init);

/* Whether VARIABLE may set a tunable: GLIBC_TUNABLES, or one of the older
   names MALLOC_* and LD_*.  append-tunables.awk compares these prefixes with
   glibc's names.  */
static bool
may_set_tunable (const char *variable)
{
  return ((variable[0] == 'G' && variable[1] == 'L')
          || (variable[0] == 'M' && variable[1] == 'A')
          || (variable[0] == 'L' && variable[1] == 'D'));
}

/* Set the tunables from ENVIRONMENT.  glibc may replace a variable by a copy.
   For a program with more rights than its caller (AT_SECURE), glibc removes
   variables, so it searches the whole environment.  */
static void
init_tunables (char **environment)
{
  if (__libc_enable_secure)
    {
      __tunables_init (environment);
      return;
    }
  for (; *environment != NULL; ++environment)
    if (may_set_tunable (*environment))
      {
        char *variable[] = { *environment, NULL };
        __tunables_init (variable);
        *environment = variable[0];
      }
}

#  define __tunables_init init_tunables
#endif
