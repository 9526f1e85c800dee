/* The records that the kernel writes to the buffers of performance events.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The records of several buffers are sorted by time.  */

#include "profile/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A record in the queue.  */
struct event_record
{
  uint64_t time;
  size_t at; /* Index of the record in the bytes.  */
};

struct event_queue
{
  struct event_record *records;
  size_t count, room;
  char *bytes;
  size_t size, space;
};

struct sample_record
{
  struct perf_event_header header;
  uint64_t ip;
  uint32_t pid, tid;
  uint64_t time;
};

struct map_record
{
  struct perf_event_header header;
  uint32_t pid, tid;
  uint64_t address, length, offset;
  union
  {
    struct
    {
      uint32_t major, minor;
      uint64_t inode, generation;
    } file;
    struct
    {
      uint8_t size, unused[3], bytes[20];
    } build_id;
  } id;
  uint32_t protection, flags;
  char name[];
};

struct task_record /* PERF_RECORD_FORK, _EXIT, and the start of _COMM.  */
{
  struct perf_event_header header;
  uint32_t pid, parent, tid, ptid;
  uint64_t time;
};

struct name_record /* PERF_RECORD_COMM.  */
{
  struct perf_event_header header;
  uint32_t pid, tid;
  char name[];
};

struct lost_record
{
  struct perf_event_header header;
  uint64_t id, lost;
};

struct event_queue *
records_new (void)
{
  return calloc (1, sizeof (struct event_queue));
}

void
records_free (struct event_queue *queue)
{
  if (queue == NULL)
    return;
  free (queue->records);
  free (queue->bytes);
  free (queue);
}

/* Make room for a record of SIZE bytes in QUEUE.  */
static bool
make_room (struct event_queue *queue, size_t size)
{
  if (queue->space - queue->size < size)
    {
      size_t space = 2 * (queue->size + size);
      char *bytes = realloc (queue->bytes, space);
      if (bytes == NULL)
        return false;
      queue->bytes = bytes;
      queue->space = space;
    }
  if (queue->count == queue->room)
    {
      size_t room = 2 * queue->room + 1024;
      struct event_record *records
          = reallocarray (queue->records, room, sizeof *records);
      if (records == NULL)
        return false;
      queue->records = records;
      queue->room = room;
    }
  return true;
}

/* Copy SIZE bytes at AT of RING's buffer to TO.  */
static void
copy_from (const struct event_ring *ring, uint64_t at, void *to, size_t size)
{
  const char *data = (char *) ring->page + getpagesize ();
  size_t first = at & (ring->size - 1);
  size_t part = ring->size - first < size ? ring->size - first : size;
  memcpy (to, data + first, part);
  memcpy ((char *) to + part, data, size - part);
}

/* Return RECORD's time.  */
static uint64_t
time_of (const char *record)
{
  struct perf_event_header header;
  uint64_t time;
  memcpy (&header, record, sizeof header);
  if (header.type == PERF_RECORD_SAMPLE)
    memcpy (&time, record + offsetof (struct sample_record, time),
            sizeof time);
  else
    /* The time is at the end of the record (sample_id_all).  */
    memcpy (&time, record + header.size - sizeof time, sizeof time);
  return time;
}

bool
records_drain (const struct event_ring *ring, struct event_queue *queue)
{
  /* The kernel writes the head, this process the tail
     (perf_event_open(2)).  */
  uint64_t head = __atomic_load_n (&ring->page->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = ring->page->data_tail;
  bool good = true;
  while (good && tail < head)
    {
      struct perf_event_header header;
      copy_from (ring, tail, &header, sizeof header);
      if (header.size < sizeof header + sizeof (uint64_t)
          || header.size > head - tail)
        {
          /* The record's size is impossible: drop all.  */
          tail = head;
          break;
        }
      good = make_room (queue, header.size);
      if (good)
        {
          char *record = queue->bytes + queue->size;
          copy_from (ring, tail, record, header.size);
          queue->records[queue->count++]
              = (struct event_record){ time_of (record), queue->size };
          queue->size += header.size;
        }
      tail += header.size;
    }
  __atomic_store_n (&ring->page->data_tail, tail, __ATOMIC_RELEASE);
  return good;
}

/* Records of one time stay in the order in which they came.  */
static int
by_time (const void *a, const void *b)
{
  const struct event_record *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static void
tell_map (struct profile_counts *counts, const struct map_record *map)
{
  char build_id[2 * sizeof map->id.build_id.bytes + 1];
  struct profile_file file = { .name = map->name };
  if ((map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0
      && map->id.build_id.size <= sizeof map->id.build_id.bytes)
    {
      for (size_t i = 0; i < map->id.build_id.size; ++i)
        sprintf (build_id + 2 * i, "%02x", map->id.build_id.bytes[i]);
      file.build_id = build_id;
    }
  else
    {
      file.device = makedev (map->id.file.major, map->id.file.minor);
      file.inode = map->id.file.inode;
    }
  profile_count_map (counts, map->pid, map->address, map->length, map->offset,
                     &file);
}

/* Pass RECORD on to COUNTS.  */
static void
tell (struct profile_counts *counts, const char *record)
{
  /* All sizes are multiples of 8.  */
  const struct perf_event_header *header = (const void *) record;
  const struct sample_record *sample = (const void *) record;
  const struct task_record *task = (const void *) record;
  switch (header->type)
    {
    case PERF_RECORD_SAMPLE:
      if ((header->misc & PERF_RECORD_MISC_CPUMODE_MASK)
          == PERF_RECORD_MISC_USER)
        profile_count_sample (counts, sample->pid, sample->ip);
      else
        /* A sample in the kernel gets an address of the kernel's.  */
        profile_count_sample (counts, sample->pid, UINT64_MAX);
      break;
    case PERF_RECORD_MMAP2:
      tell_map (counts, (const void *) record);
      break;
    case PERF_RECORD_COMM:
      if ((header->misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
        profile_count_exec (counts, task->pid,
                            ((const struct name_record *) record)->name);
      break;
    case PERF_RECORD_FORK:
      profile_count_fork (counts, task->pid, task->parent);
      break;
    case PERF_RECORD_EXIT:
      profile_count_exit (counts, task->pid);
      break;
    case PERF_RECORD_LOST:
      counts->lost += ((const struct lost_record *) record)->lost;
      break;
    }
}

/* Remove the first N records from QUEUE.  */
static void
take (struct event_queue *queue, size_t n)
{
  if (n == 0)
    return;
  /* Copy the other records in their order.  */
  struct event_queue rest = { .count = 0 };
  for (size_t i = n; i < queue->count; ++i)
    {
      struct perf_event_header header;
      const char *record = queue->bytes + queue->records[i].at;
      memcpy (&header, record, sizeof header);
      if (!make_room (&rest, header.size))
        break;
      memcpy (rest.bytes + rest.size, record, header.size);
      rest.records[rest.count++]
          = (struct event_record){ queue->records[i].time, rest.size };
      rest.size += header.size;
    }
  free (queue->records);
  free (queue->bytes);
  *queue = rest;
}

void
records_tell (struct event_queue *queue, uint64_t before,
              struct profile_counts *counts)
{
  if (queue->count > 0)
    qsort (queue->records, queue->count, sizeof *queue->records, by_time);
  size_t n = 0;
  while (n < queue->count && queue->records[n].time < before)
    tell (counts, queue->bytes + queue->records[n++].at);
  take (queue, n);
}
