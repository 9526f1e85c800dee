/* Random numbers for simulations of measurements.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NOISE_H
#define NOISE_H

#include "plan-test.h"

#include <math.h>
#include <stdint.h>

/* Return a random number between 0 and 1, with uniform distribution.  */
static double
uniform (uint64_t *state)
{
  return ((next_random (state) >> 11) + 0.5) / (UINT64_C (1) << 53);
}

/* Return a random number with normal distribution (mean 0, standard deviation
   1).  */
static double
normal (uint64_t *state)
{
  return (sqrt (-2 * log (uniform (state)))
          * cos (2 * 3.14159265358979323846 * uniform (state)));
}

#endif
