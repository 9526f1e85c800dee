/* The search of the environment for tunables.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Up to glibc 2.38, __tunables_init compares each environment variable with
   each tunable, so the additional tunables of ld-hugetext would make each
   program start slower.  To save this time, this header passes __tunables_init
   only the variables that may set a tunable.  Each architecture's dl-sysdep.c
   includes this header, and then glibc's own dl-sysdep.c, which calls
   __tunables_init.  */

#include <features.h>
#include <stdbool.h>

/* True if __tunables_init compares each variable with each tunable, as glibc
   does up to 2.38.  From glibc 2.39 on, __tunables_init compares variables
   only with the few tunables that also have an older name.  */
#define HUGETEXT_COMPARES_ALL_TUNABLES (!__GLIBC_PREREQ (2, 39))

#if IS_IN(rtld) && HUGETEXT_COMPARES_ALL_TUNABLES
#  include <unistd.h>

/* This function is not declared in hugetext-glibc.h, because hugetext-glibc.h
   includes dl-tunables.h.  Up to glibc 2.32, glibc's own dl-sysdep.c defines
   TUNABLE_NAMESPACE before it includes dl-tunables.h, so this header must not
   include dl-tunables.h first.  */
extern void __tunables_init (char **env);
rtld_hidden_proto (__tunables_init);

/* Return true if VARIABLE may set a tunable.  Variables that may set a tunable
   are GLIBC_TUNABLES, and the older names of tunables, which begin with
   MALLOC_ or LD_.  append-tunables.awk checks that all older names of tunables
   in glibc begin with one of these prefixes.  */
static bool
may_set_tunable (const char *variable)
{
  return ((variable[0] == 'G' && variable[1] == 'L')
          || (variable[0] == 'M' && variable[1] == 'A')
          || (variable[0] == 'L' && variable[1] == 'D'));
}

/* Set the tunables from ENVIRONMENT.  __tunables_init may replace a variable
   by a copy.  If the program has more rights than its caller (AT_SECURE), pass
   __tunables_init the whole environment, because __tunables_init also removes
   variables.  If this function were inline, its variables would stay on the
   stack until the program is started, and some programs would need one more
   page of stack.  */
static void __attribute_noinline__
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
