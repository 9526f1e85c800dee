/* The records that the kernel writes to the buffers of performance events.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_RECORDS_H
#define PROFILE_RECORDS_H

#include "profile/profile.h"

#include <linux/perf_event.h>

/* The fields of each record, in the kernel's order.  */
#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* Linux 5.12; older headers have no name for the bit.  */
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#  define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#  define NO_BUILD_ID_BIT 1
#endif

struct event_ring
{
  int cpu, fd; /* The event to whose buffer the others write.  */
  struct perf_event_mmap_page *page;
  size_t size; /* Bytes of the buffer without its first page.  */
};

/* A queue of records of several buffers that have not been passed on yet.  */
struct event_queue;

/* Return an empty queue; NULL if there is no memory.  */
extern struct event_queue *records_new (void);

/* Move the records in RING to QUEUE.  False if there is no memory.  */
extern bool records_drain (const struct event_ring *ring,
                           struct event_queue *queue);

/* Pass the records in QUEUE before the time BEFORE, ns of CLOCK_MONOTONIC, on
   to COUNTS in the order of time, and remove them.  */
extern void records_tell (struct event_queue *queue, uint64_t before,
                          struct profile_counts *counts);

/* QUEUE may be NULL.  */
extern void records_free (struct event_queue *queue);

#endif
