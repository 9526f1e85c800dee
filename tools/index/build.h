/* Compile settings, images and heats into an index, in memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_BUILD_H
#define INDEX_BUILD_H

#include "util/problem.h"
#include "image/directory.h"
#include "index/config.h"

/* The heat of an object, from a profile: its record in the index, and its
   weights.  */
struct index_heat
{
  struct hugetext_index_heat record;
  const uint16_t *weight;
};

struct index_heats
{
  const struct index_heat *list;
  size_t count;
};

/* Compile CONFIG, STORE and HEATS into an index.  Set *IMAGE to the bytes of
   the index, which the caller frees, and *SIZE to the number of bytes.  Return
   false on failure.  */
extern bool index_build (const struct config *config,
                         const struct store *store,
                         const struct index_heats *heats, char **image,
                         size_t *size, struct problem *problem);

#endif
