/* A folder of profiles.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_FOLDER_H
#define PROFILE_FOLDER_H

#include "profile-file.h"

/* Read the file NAME of the directory DIR, a descriptor or AT_FDCWD.  Only
   what root or we have written, and nobody else can write to, if TRUSTED.
   What is not there is ENOENT, in errno.
   Returns NULL, or what is wrong.  */
extern const char *profile_read (struct profile *profile, int dir,
                                 const char *name, bool trusted);

/* Make FOLDER if it is not there.  False with errno set if that, or writing to
   it, cannot be done.  */
extern bool profile_folder (const char *folder);

/* Put PROFILE into FOLDER, which is there, in the place of the one it has of
   that build.  False with errno set.  */
extern bool profile_write (const struct profile *profile, const char *folder);

#endif
