/* Samples of processes: in which objects and programs they spend their time.
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
  /* For how many small pages the first-level instruction TLB of most
     processors has entries for one thread (lab/tlbsim/cpus; some have 48,
     some more).  */
  SAMPLE_ENTRIES = 64,
  /* About how many samples a second a busy processor gives.  */
  SAMPLE_RATE = 2000,
};

/* An object's file and its samples.  */
struct sampled_object
{
  dev_t device;
  ino_t inode;
  size_t number;          /* A number in the order in which objects have
                             appeared.  */
  struct problem problem; /* Why there can be no profile of the object.  */
  struct elf_head head;   /* The headers of the file.  If the file cannot be
                             read, there are no program headers.  */
  struct profile profile; /* The profile.  Until it is written, its weights
                             are the numbers of samples.  */
  pid_t last_pid;         /* The process whose mapping of the file was
                             examined last.  */
  unsigned int looks;     /* How often the file has been examined.  */
  size_t finished;        /* The number of the last process whose samples were
                             added to those of the object's processes.  */
};

/* A block of an object's text (2 MiB of link-time addresses), and how many
   samples are in it.  */
struct sampled_block
{
  uint64_t number;
  size_t samples;
};

/* A program: all processes of one service that execute the same file.  */
struct sampled_program
{
  char *name;    /* The base name of the file, or the name in
                    /proc/PID/comm.  */
  char *path;    /* The path of the file, or NULL if the process ended too
                    early to read it.  */
  char *service; /* The name of the service (group_of).  */
  size_t starts; /* How many of its processes started during the sampling.  */
  size_t samples, in_text, outside; /* The numbers of samples: of all, in
                                       text, and outside of text in user
                                       mode.  */
  size_t misses;                    /* How many of the samples in IN_TEXT and
                                       OUTSIDE were TLB misses.  */
  uint64_t entries[SAMPLE_ENTRIES]; /* The contents of the simulated TLB, the
                                       page used last first.  */
  size_t nentries;
  struct sampled_block *blocks; /* The blocks with samples, in all objects of
                                   the program.  */
  size_t nblocks;
  size_t processes;      /* How many processes are running.  */
  struct text_sums sums; /* Sums over the text of these processes.  */
  double worth;          /* The number by which programs are ranked: how much
                            they would gain.  */
};

struct sampling
{
  /* The command to sample, or NULL.  */
  struct launch *command;
  pid_t *pids; /* The processes, if there is no command.  If a process cannot
                  be sampled, its element becomes 0.  */
  size_t npids;
  bool all;       /* Sample all processes (or, if this is forbidden, all
                     processes of this user), and also count by program.  */
  double seconds; /* How many seconds to sample.  0 means until all processes
                     have ended.  */
  /* A function that reports that the process or object NAME cannot be
     sampled, or that its profile cannot be saved.  */
  void (*say) (const char *name, const struct problem *problem);

  const char *event; /* The event that was counted.  */
  double time;       /* How many seconds the sampling took.  */
  bool own;          /* Only this user's processes were sampled.  */
  pid_t child;       /* The process ID of the command, or 0 if there is
                        none.  */
  bool ended;        /* The command has ended, with this status:  */
  int status;

  struct sampled_object **objects;
  size_t nobjects;
  struct sampled_program **programs;
  size_t nprograms;
  struct sampled_process **processes; /* The processes that are running.  */
  size_t nprocesses;
  uint64_t samples; /* The number of samples in user mode, of all kinds.  Lost
                       samples do not count.  */
  uint64_t text;    /* Samples in text of objects.  */
  uint64_t outside; /* Samples outside of objects, mostly in code made at run
                       time.  */
  uint64_t kernel;  /* Samples in the kernel.  */
  uint64_t lost;
};

/* Take the samples.  Return false if no process could be sampled; PROBLEM is
   then the reason, or empty if SAY has already reported it.  In any case,
   SAMPLING's command may still be running: call sample_wait.  */
extern bool sample (struct sampling *sampling, struct problem *problem);

/* Wait until SAMPLING's command has ended.  */
extern void sample_wait (struct sampling *sampling);

/* Handle the kernel's record that process PARENT has forked process PID.  The
   functions from count_fork to count_sample must be called in the order of
   time.  */
extern void count_fork (struct sampling *sampling, pid_t pid, pid_t parent);

/* Handle the record that process PID executes a program, which the kernel
   calls NAME.  */
extern void count_exec (struct sampling *sampling, pid_t pid,
                        const char *name);

/* Handle the record that process PID has ended.  */
extern void count_exit (struct sampling *sampling, pid_t pid);

/* Handle the record that process PID has mapped a file executable.  MAP has
   the addresses, the offset, the device, the inode and the name.  */
extern void count_map (struct sampling *sampling, pid_t pid,
                       const struct mapping *map);

/* Count a sample of process PID at ADDRESS.  USER says that it is in user
   mode.  */
extern void count_sample (struct sampling *sampling, pid_t pid,
                          uint64_t address, bool user);

/* Read the mappings of process PID, which is running.  */
extern bool count_look (struct sampling *sampling, pid_t pid,
                        struct problem *problem);

/* In the inspector: answer a question about a mapped file.  */
extern void sample_answer (struct message *asked, struct message *answer);

/* Complete the counts after the last record.  */
extern void count_end (struct sampling *sampling);

/* Return the program of process PID, or NULL if it is unknown.  If ADD, add a
   new program.  If the process has ended, take NAME, unless it is NULL, as
   its program's name, and the service of BEFORE.  */
extern struct sampled_program *
sampled_program (struct sampling *sampling, pid_t pid, bool add,
                 const struct sampled_program *before, const char *name);

/* Let PROGRAM execute in the small page PAGE: look it up in the simulated
   TLB, and count a miss if it is not there.  */
extern void program_execute (struct sampled_program *program, uint64_t page);

/* Count a sample of PROGRAM in the small page PAGE of its text, for the block
   that contains this page.  A block has PAGES small pages.  */
extern void program_heat (struct sampled_program *program, uint64_t page,
                          uint64_t pages);

/* Return how many hot blocks PROGRAM has: the smallest number of blocks that
   contain nine tenths of the samples in its text.  Return 0 if there are too
   few samples.  The function sorts the program's blocks.  */
extern size_t program_hot_blocks (struct sampled_program *program);

/* Return which share of PROGRAM's samples miss the simulated TLB.  */
extern double program_misses (const struct sampled_program *program);

/* Whether PROGRAM's processes end too soon to gain from huge pages.  */
extern bool program_is_brief (const struct sampled_program *program);

/* Set PROGRAM's worth to the product of three numbers: its time, the share of
   its samples that miss the simulated TLB, and the share of its text that is
   on small pages.  */
extern void program_judge (struct sampled_program *program);

/* Write profiles of SAMPLING's objects to the directory with descriptor DIR,
   merging them with the profiles there, and print a table to STREAM.  If
   STREAM is NULL, only let SAMPLING's SAY report objects that have a
   hundredth of the samples and no profile.  Messages begin with CALLER.
   Return false if there are such objects.  */
extern bool sample_keep (struct sampling *sampling, const char *caller,
                         int dir, FILE *stream);

/* If FOLDER is the system's directory of profiles, compile the index, so that
   the loader uses the new profiles.  Messages begin with CALLER.  */
extern bool sample_tell_loader (const char *caller, const char *folder);

/* Print which of SAMPLING's programs would gain from huge text.  Return false
   if none would, or if there are too few samples.  */
extern bool survey (struct sampling *sampling, bool json);

#endif
