/* Print which libc and which loader a process uses, and use them a little.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static __thread int local = 17;

static void *
in_thread (void *result)
{
  void *library = dlopen ("libm.so.6", RTLD_NOW);
  double (*round_down) (double);
  *(void **) &round_down = library != NULL ? dlsym (library, "floor") : NULL;
  errno = 0;
  free (malloc (100000));
  *(int *) result = (local == 17 && errno == 0 && round_down != NULL
                     && round_down (2.5) == 2.0);
  return NULL;
}

/* Print NAME, and the file of the mapping that contains ADDRESS.  */
static void
print_file (const char *name, unsigned long address)
{
  char line[4096];
  FILE *maps = fopen ("/proc/self/./maps", "r");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    {
      unsigned long start, end;
      if (sscanf (line, "%lx-%lx", &start, &end) == 2 && start <= address
          && address < end && strchr (line, '/') != NULL)
        printf ("%s %s", name, strchr (line, '/'));
    }
  if (maps != NULL)
    fclose (maps);
}

/* Return the number of mappings whose lines contain NAME.  */
static int
count_mappings (const char *name)
{
  char line[4096];
  int count = 0;
  FILE *maps = fopen ("/proc/self/./maps", "r");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    count += strstr (line, name) != NULL;
  if (maps != NULL)
    fclose (maps);
  return count;
}

int
main (int argc, char **argv)
{
  char exe[4096] = "";
  int works = 0;
  pthread_t thread;

  printf ("libc %s\n", gnu_get_libc_version ());
  print_file ("base", getauxval (AT_BASE));
  /* Print the file of the loader that runs: this symbol is in its data.  */
  print_file ("loader",
              (unsigned long) dlsym (RTLD_DEFAULT, "_rtld_global_ro"));
  printf ("code %d\n", count_mappings ("/hugetext-code.so\n"));
  /* Print whether this thread has registered a restartable sequence.  */
  const unsigned int *rseq = dlsym (RTLD_DEFAULT, "__rseq_size");
  printf ("rseq %d\n", rseq != NULL && *rseq != 0);
  printf ("secure %lu\n", getauxval (AT_SECURE));
  printf ("arguments");
  for (int i = 0; i < argc; ++i)
    printf (" %s", argv[i]);
  if (readlink ("/proc/self/exe", exe, sizeof exe - 1) > 0)
    printf ("\nexe %s", exe);
  if (pthread_create (&thread, NULL, in_thread, &works) == 0)
    pthread_join (thread, NULL);
  printf ("\nworks %d\n", works);
  if (argc > 1 && strcmp (argv[1], "dlmopen") == 0)
    {
      void *other = dlmopen (LM_ID_NEWLM, argv[2], RTLD_NOW);
      printf ("dlmopen %s\n", other != NULL ? "done" : dlerror ());
    }
  return 0;
}
