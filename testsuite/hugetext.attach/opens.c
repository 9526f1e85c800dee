/* A program that opens a library, and reads all of its text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   opens LIBRARY READY

   LIBRARY is made from text.S, with the prefix "lib", and has TEXT_SIZE bytes
   of text.  Then the program makes the file READY, which contains its process
   ID, and sleeps until a signal ends it.  */

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  void *handle = argc == 3 ? dlopen (argv[1], RTLD_NOW) : NULL;
  const volatile char *text
      = handle != NULL ? dlsym (handle, "lib_text") : NULL;
  if (text == NULL)
    return 1;
  for (size_t i = 0; i < TEXT_SIZE; i += 4096)
    text[i];
  FILE *ready = fopen (argv[2], "w");
  if (ready == NULL || fprintf (ready, "%d\n", (int) getpid ()) < 0
      || fclose (ready) != 0)
    return 1;
  for (;;)
    pause ();
}
