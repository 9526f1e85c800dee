/* Samples of processes: where they spend their time, by object and by program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Profiles are made from the samples of objects, surveys from those of
   programs.  */

#ifndef SAMPLE_H
#define SAMPLE_H

#include "heat/profile.h"
#include "host/procmaps.h"
#include "object/elfhead.h"
#include "text/report.h"
#include "util/message.h"
#include "util/problem.h"

enum
{
  /* The number of small pages for which a thread has entries in the
     first-level instruction TLB of most processors (lab/tlbsim/cpus; some have
     48, some more).  */
  SAMPLE_ENTRIES = 64,
  /* The approximate number of samples a second of a busy processor.  */
  SAMPLE_RATE = 2000,
};

/* An object's file and its samples.  */
struct sampled_object
{
  dev_t device;
  ino_t inode;
  size_t number;          /* The object's number in the order in which objects
                             appear.  */
  struct problem problem; /* The reason why the object can have no profile.  */
  struct elf_head head;   /* The headers; no program headers if the file cannot
                             be read.  */
  struct profile profile; /* The profile.  Until it is written, its weights are
                             numbers of samples.  */
  pid_t last_pid;         /* The process whose mapping of the file was checked
                             last.  */
  unsigned int looks;     /* The number of checks of the file.  */
  size_t finished;        /* The number of the last process whose samples were
                             added to the object's process samples.  */
};

/* A block of text of an object, 2 MiB by link-time addresses, and the samples
   in it.  */
struct sampled_block
{
  uint64_t number;
  size_t samples;
};

/* A program: all processes of a service that run one file.  */
struct sampled_program
{
  char *name;    /* The base name of the file, or the name in comm.  */
  char *path;    /* The file's path; NULL if the process ended too soon.  */
  char *service; /* The service's name, as group_of sets it.  */
  size_t starts; /* Starts of processes during the sampling.  */
  size_t samples, in_text, outside; /* The samples in all, in text, and outside
                                       of text in user mode.  */
  size_t misses;                    /* The TLB misses among IN_TEXT and
                                       OUTSIDE.  */
  uint64_t entries[SAMPLE_ENTRIES]; /* The simulated TLB, the most recent page
                                       first.  */
  size_t nentries;
  struct sampled_block *blocks; /* The blocks with samples, of all the
                                   program's objects.  */
  size_t nblocks;
  size_t processes;      /* The number of running processes.  */
  struct text_sums sums; /* The text of these processes.  */
  double worth;          /* The number by which programs are ranked.  */
};

struct sampling
{
  /* The command, or NULL.  */
  struct launch *command;
  pid_t *pids; /* The processes, if there is no command; an ID becomes 0 if the
                  process cannot be sampled.  */
  size_t npids;
  bool all;       /* Sample all processes, or, if that is forbidden, all of
                     this user's, and also count by program.  */
  double seconds; /* The seconds to sample; 0 means until all processes have
                     ended.  */
  /* A function that reports that NAME cannot be sampled, or its profile not be
     saved.  */
  void (*say) (const char *name, const struct problem *problem);

  const char *event; /* The event that was counted.  */
  double time;       /* Seconds that the sampling took.  */
  bool own;          /* Only this user's processes were sampled.  */
  pid_t child;       /* The command's process, 0 if there is none.  */
  bool ended;        /* The command has ended, with this status:  */
  int status;

  struct sampled_object **objects;
  size_t nobjects;
  struct sampled_program **programs;
  size_t nprograms;
  struct sampled_process **processes; /* The processes that run.  */
  size_t nprocesses;
  uint64_t samples; /* The samples in user mode, of all kinds except lost
                       ones.  */
  uint64_t text;    /* Samples in text of objects.  */
  uint64_t outside; /* Samples outside of objects, mostly in code made at run
                       time.  */
  uint64_t kernel;  /* Samples in the kernel.  */
  uint64_t lost;
};

/* Sample.  Return false if no process could be sampled; PROBLEM is then the
   reason, or empty if SAY has already reported the reason.  Whatever the
   result, SAMPLING's command may not have ended yet: call sample_wait.  */
extern bool sample (struct sampling *sampling, struct problem *problem);

/* Wait until SAMPLING's command has ended.  */
extern void sample_wait (struct sampling *sampling);

/* Count the kernel's record that process PARENT forked process PID.  The
   functions count_fork to count_sample must get the records in the order of
   time.  */
extern void count_fork (struct sampling *sampling, pid_t pid, pid_t parent);

/* Count the record that process PID executes a program, which the kernel calls
   NAME.  */
extern void count_exec (struct sampling *sampling, pid_t pid,
                        const char *name);

/* Count the record that process PID has ended.  */
extern void count_exit (struct sampling *sampling, pid_t pid);

/* Count the record that process PID has the executable mapping MAP, whose
   addresses, offset, device, inode and name are known.  */
extern void count_map (struct sampling *sampling, pid_t pid,
                       const struct mapping *map);

/* Count a sample of process PID at ADDRESS, in user mode if USER.  */
extern void count_sample (struct sampling *sampling, pid_t pid,
                          uint64_t address, bool user);

/* Read the mappings of PID, which runs.  */
extern bool count_look (struct sampling *sampling, pid_t pid,
                        struct problem *problem);

/* Answer a question about a mapped file, in the inspector.  */
extern void sample_answer (struct message *asked, struct message *answer);

/* Complete the counts after the last record.  */
extern void count_end (struct sampling *sampling);

/* Return the program of process PID.  Add the program only if ADD.  If the
   process has ended, its program had the name NAME, if that is not NULL, in
   the service of BEFORE.  Return NULL if the program is unknown.  */
extern struct sampled_program *
sampled_program (struct sampling *sampling, pid_t pid, bool add,
                 const struct sampled_program *before, const char *name);

/* Look up a small PAGE in PROGRAM's simulated TLB, and count a miss.  */
extern void program_execute (struct sampled_program *program, uint64_t page);

/* Count a sample in the small PAGE of text of PROGRAM for the block that
   contains the page.  A block has PAGES small pages.  */
extern void program_heat (struct sampled_program *program, uint64_t page,
                          uint64_t pages);

/* Return the number of PROGRAM's hot blocks: the fewest that have nine tenths
   of the samples in its text, or 0 if there are too few samples.  This
   changes the order of its blocks.  */
extern size_t program_hot_blocks (struct sampled_program *program);

/* Return the share of PROGRAM's samples that miss the simulated TLB.  */
extern double program_misses (const struct sampled_program *program);

/* Whether PROGRAM's processes end too early to gain from huge pages.  */
extern bool program_is_brief (const struct sampled_program *program);

/* Set PROGRAM's worth: its time, times the share of samples that miss the
   simulated TLB, times the share of text that is on small pages.  */
extern void program_judge (struct sampled_program *program);

/* Write profiles of SAMPLING's objects to the directory DIR, a descriptor,
   merged with the profiles there, and print a table to STREAM.  If STREAM is
   NULL, only let SAMPLING report objects that have a hundredth of the samples
   and no profile.  CALLER begins messages.  Return false if there are such
   objects.  */
extern bool sample_keep (struct sampling *sampling, const char *caller,
                         int dir, FILE *stream);

/* If FOLDER is the system's directory of profiles, compile the index, so that
   the loader gets the profiles.  CALLER begins messages.  */
extern bool sample_tell_loader (const char *caller, const char *folder);

/* Print which of SAMPLING's programs would gain from huge text.  Return false
   if none would, or if there are too few samples.  */
extern bool survey (struct sampling *sampling, bool json);

#endif
