/* What samples of a program say about its misses in the instruction TLB.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Samples are no trace: between two of them are a million instructions.  But
   they come from the pages that are executed, as often as these are, so a TLB
   that is given them one after the other misses where the program has many
   pages with as much to do, and holds what loops in a few.  So much is
   comparable between programs; how many misses there are is not known.  */

#ifndef SURVEY_TLB_H
#define SURVEY_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One sample: the number of an object, and of the small page in it.  */
typedef uint64_t survey_page;

/* The page of ADDRESS in the object NUMBER.  */
extern survey_page survey_page_of (size_t number, uint64_t address);

/* The same in code that process PID has made at run time.  */
extern survey_page survey_page_made (uint32_t pid, uint64_t address);

struct survey_misses
{
  size_t pages; /* Small pages that were seen.  */
  size_t hot;   /* Those that nine of ten samples were in.  */
  double small; /* Share of samples that miss with small pages,  */
  double huge;  /* with text on huge pages,  */
  double code;  /* and with code made at run time on them, too.  */
};

/* Simulate TLBs that hold SMALL small pages and HUGE huge ones, of BLOCK bytes,
   with the COUNT samples LIST.  No more than HUGE blocks are huge, those with
   most samples.  False if there is no memory.  */
extern bool survey_simulate (const survey_page *list, size_t count,
                             size_t small, size_t huge, size_t block,
                             struct survey_misses *misses);

#endif
