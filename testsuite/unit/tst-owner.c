/* Tests of the owner's check: by mode, owner and the users of a user
   namespace.
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

/* /proc/self/uid_map, NULL if it cannot be read, and how often it was.  */
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
    bool trusted; /* The overflow user is.  */
  } cases[] = {
    /* No namespace but the first one; no /proc; no users yet.  */
    { "         0          0 4294967295\n", false },
    { NULL, false },
    { "", false },
    /* An ordinary user's: hugetext run, unshare -r, bubblewrap.  */
    { "      1000       1000          1\n", true },
    { "         0       1000          1\n", true },
    /* Rootless podman: there is a user 65534 among its own.  */
    { "         0       1000          1\n"
      "         1     100000      65536\n",
      false },
    /* One that ends before, or begins behind.  */
    { "         0     100000      65534\n", true },
    { "         0     100000      65535\n", false },
    { "     65534     100000          1\n", false },
    { "     65535     100000          9\n", true },
    { "         0       1000          1\n"
      "     65534     100000          1\n",
      false },
    /* The real root has a number, so the others are the overflow user.  */
    { "         0          0          1\n", false },
    { "      1000          0          1\n", false },
    { "         1     100000         10\n"
      "         0          0          1\n",
      false },
    /* All that there are, and more than there can be.  */
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
      /* That changes nothing of the rest.  */
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0775, 65534) != NULL);
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0755, 0) == NULL);
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0757, 0) != NULL);
      EXPECT (_dl_hugetext_distrust (S_IFDIR | 0755, 0) != NULL);
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0755, 1000) != NULL);
      EXPECT (_dl_hugetext_distrust (S_IFREG | 0755, 65533) != NULL);
    }
  group_done ("users of a namespace", count);
}

/* A start asks for no map of what is root's, or of what is any user's.  */
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
