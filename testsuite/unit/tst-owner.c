/* Tests of the check that only root can have written a file.  The check uses
   the file's mode, its owner, and the users of the user namespace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dl-hugetext-procfile.h"
#include "plan-test.h"

#include "dl-hugetext-owner.c"

/* The contents of /proc/self/uid_map, or NULL if it cannot be read, and how
   often it was read.  */
static const char *map;
static int reads;

long int
_dl_hugetext_read_start (const char *path, char *buffer, size_t size)
{
  EXPECT (strcmp (path, "/proc/self/uid_map") == 0);
  ++reads;
  return map != NULL ? snprintf (buffer, size, "%s", map) : -ENOENT;
}

static void
test_owners (void)
{
  static const struct
  {
    const char *map;
    bool trusted; /* True if files of the overflow user are trusted.  */
  } cases[] = {
    /* The initial namespace; no /proc; a namespace without users yet.  */
    { "         0          0 4294967295\n", false },
    { NULL, false },
    { "", false },
    /* A namespace of an ordinary user: hugetext run, unshare -r,
       bubblewrap.  */
    { "      1000       1000          1\n", true },
    { "         0       1000          1\n", true },
    /* Rootless podman: the container itself has a user 65534.  */
    { "         0       1000          1\n"
      "         1     100000      65536\n",
      false },
    /* A container whose users end before this ID, or begin after it.  */
    { "         0     100000      65534\n", true },
    { "         0     100000      65535\n", false },
    { "     65534     100000          1\n", false },
    { "     65535     100000          9\n", true },
    { "         0       1000          1\n"
      "     65534     100000          1\n",
      false },
    /* The host's root has an ID in the namespace, so the overflow user stands
       for other users only.  */
    { "         0          0          1\n", false },
    { "      1000          0          1\n", false },
    { "         1     100000         10\n"
      "         0          0          1\n",
      false },
    /* All users that can exist, and more than can exist.  */
    { "         0     100000 4294867295\n", false },
    { "         0 99999999999999999999999 99999999999999999999999\n", false },
    { "x\n", false },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      map = cases[i].map;
      bool trusted = _dl_hugetext_distrust (S_IFREG | 0755, 65534) == NULL;
      if (trusted != cases[i].trusted)
        printf ("uid_map: %s", map);
      EXPECT (trusted == cases[i].trusted);
      /* The owner 65534 makes no difference to the other checks.  */
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0775, 65534) != NULL);
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0755, 0) == NULL);
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0757, 0) != NULL);
      EXPECT (_dl_hugetext_distrust (S_IFDIR | 0755, 0) != NULL);
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0755, 1000) != NULL);
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0755, 65533) != NULL);
    }
  group_done ("users of a namespace", count);
}

/* A start does not read the map of users for a file that belongs to root, or
   to an ordinary user.  */
static void
test_calls (void)
{
  map = "0 1000 1\n";
  reads = 0;
  _dl_hugetext_distrust (S_IFREG | 0755, 0);
  _dl_hugetext_distrust (S_IFREG | 0755, 1000);
  EXPECT_EQUAL (0, reads);
  _dl_hugetext_distrust (S_IFREG | 0755, 65534);
  EXPECT_EQUAL (1, reads);
  group_done ("calls", 3);
}

int
main (void)
{
  test_owners ();
  test_calls ();
  return 0;
}
