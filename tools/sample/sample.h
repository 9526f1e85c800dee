/* Samples of processes: find out in which objects and programs processes spend
   their time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Profiles are made from the samples of objects, and surveys from the samples
   of programs.  */

#ifndef SAMPLE_H
#define SAMPLE_H

#include "heat/profile.h"
#include "host/procmaps.h"
#include "host/selection.h"
#include "object/elfhead.h"
#include "text/report.h"
#include "util/message.h"
#include "util/problem.h"

enum
{
  /* The number of entries for small pages that the first-level instruction TLB
     of most processors has for one thread.  In some processors the first-level
     instruction TLB has 48 entries for small pages, in others more than 64
     (lab/tlbsim/cpus).  */
  SAMPLE_ENTRIES = 64,
  /* The approximate number of samples per second of a busy processor.  */
  SAMPLE_RATE = 2000,
};

/* An object's file and its samples.  */
struct sampled_object
{
  dev_t device;
  ino_t inode;
  size_t number;          /* The number of the object.  Objects are numbered in
                             the order in which they were found.  */
  struct problem problem; /* The reason why no profile of the object can be
                             made.  */
  bool is_loader;         /* True if the object is a dynamic loader, whose own
                             text is never huge.  */
  struct elf_head head;   /* The headers of the file.  If the file cannot be
                             read, there are no program headers.  */
  struct profile profile; /* The profile.  Until the profile is written, the
                             weights in it are numbers of samples.  */
  pid_t last_pid;         /* The process whose mapping of the file was
                             examined last.  */
  unsigned int looks;     /* The number of times that the command has tried to
                             read the file.  */
  size_t finished;        /* The number of the last process whose samples were
                             added to PROFILE's process_samples.  */
};

/* A block of an object's text (2 MiB of link-time addresses), and the number
   of samples in the block.  */
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
  char *service; /* The name of the service (group_name).  */
  size_t starts; /* The number of the program's processes that started during
                    the sampling.  */
  size_t samples, in_text, outside; /* The numbers of all samples, of samples
                                       in text, and of samples in user mode
                                       that are not in text.  */
  size_t misses;                    /* The number of samples in user mode whose
                                       page was not in the simulated TLB.  */
  uint64_t entries[SAMPLE_ENTRIES]; /* The pages in the simulated TLB, with the
                                       most recently used page first.  */
  size_t nentries;
  struct sampled_block *blocks; /* The blocks with samples, in all objects of
                                   the program.  */
  size_t nblocks;
  size_t processes;      /* The number of the program's processes that are
                            running at the end.  */
  struct text_sums sums; /* Sums over the text of the running processes.  */
  bool small;            /* True if the loader would leave the program on small
                            pages because it has too little text to gain from
                            huge pages.  */
  double worth;          /* The estimated gain of the program (program_judge),
                            by which the survey ranks programs.  */
};

struct sampling
{
  /* The command to sample, or NULL.  */
  struct launch *command;
  /* The processes to sample, if there is no command to sample.  If a process
     cannot be sampled, its ID becomes 0.  */
  struct selected selected;
  bool all;       /* True to sample all processes (or, if only root may sample
                     all, the processes of this user), and to count samples by
                     program as well.  */
  double seconds; /* The number of seconds to sample, or 0 to sample until all
                     processes have ended.  */
  /* A function that reports that the process or object NAME cannot be
     sampled, or that its profile cannot be saved.  */
  void (*say) (const char *name, const struct problem *problem);

  const char *event; /* The event that was counted.  */
  double time;       /* The duration of the sampling in seconds.  */
  bool own;          /* True if only the processes of this user were
                        sampled.  */
  pid_t child;       /* The process ID of the command, or 0 if there is
                        none.  */
  bool ended;        /* ENDED is true if the command has ended; after its end,
                        STATUS is the command's wait status.  */
  int status;

  struct sampled_object **objects;
  size_t nobjects;
  struct sampled_program **programs;
  size_t nprograms;
  struct sampled_process **processes; /* The processes that are running.  */
  size_t nprocesses;
  uint64_t samples; /* The number of all samples in user mode.  Lost samples
                       are not counted here.  */
  uint64_t text;    /* The number of samples in text of objects.  */
  bool unusable;    /* True if sample_keep has written profiles, and all of
                       them have too few samples.  */
  uint64_t outside; /* The number of samples in user mode outside of objects,
                       mostly in code made at run time.  */
  uint64_t kernel;  /* The number of samples in kernel mode.  */
  uint64_t lost;
};

/* Return false and set PROBLEM if the kernel lets this process take no samples
   at all.  */
extern bool sample_check (struct problem *problem);

/* Sample the processes of SAMPLING.  If no process could be sampled, return
   false and set PROBLEM to the reason.  Set PROBLEM to "" if SAMPLING's
   function SAY has already reported the reason.  SAMPLING's command may still
   be running, even after a failure, so the caller must call sample_wait.  */
extern bool sample (struct sampling *sampling, struct problem *problem);

/* Wait until the command that SAMPLING has started and sampled has ended.  */
extern void sample_wait (struct sampling *sampling);

/* Handle the kernel's record that process PARENT has forked process PID.  The
   caller must pass the kernel's records to the functions from count_fork to
   count_sample in the order of time.  */
extern void count_fork (struct sampling *sampling, pid_t pid, pid_t parent);

/* Handle the record of an execve by process PID.  NAME is the kernel's name
   for the new program.  */
extern void count_exec (struct sampling *sampling, pid_t pid,
                        const char *name);

/* Handle the record of the end of process PID.  */
extern void count_exit (struct sampling *sampling, pid_t pid);

/* Handle the record of an executable mapping that process PID has made.  In
   MAP, only the addresses, the offset, the device, the inode and the name are
   set.  */
extern void count_map (struct sampling *sampling, pid_t pid,
                       const struct mapping *map);

/* Count a sample of process PID at ADDRESS.  USER is true if the sample is in
   user mode.  */
extern void count_sample (struct sampling *sampling, pid_t pid,
                          uint64_t address, bool user);

/* Read the mappings of process PID, which is running.  */
extern bool count_look (struct sampling *sampling, pid_t pid,
                        struct problem *problem);

/* Answer, in the inspector, a question about a mapped file.  */
extern void sample_answer (struct message *asked, struct message *answer);

/* Complete the counts of samples, after the kernel's last record.  */
extern void count_end (struct sampling *sampling);

/* Return the program of process PID, or NULL if it is unknown.  If ADD is true
   and the program is unknown, add it to the list of programs.  If the process
   has ended, its program and service can no longer be read from /proc.  For an
   ended process, use NAME (unless it is NULL) as the program's name, and take
   the service from BEFORE, the program that the process executed before.  */
extern struct sampled_program *
sampled_program (struct sampling *sampling, pid_t pid, bool add,
                 const struct sampled_program *before, const char *name);

/* Simulate that PROGRAM executes code in the small page PAGE: look for PAGE in
   the simulated TLB, and count a miss if the TLB does not contain PAGE.  */
extern void program_execute (struct sampled_program *program, uint64_t page);

/* Count a sample of PROGRAM for the block that contains the small page PAGE of
   its text.  A block consists of PAGES small pages.  */
extern void program_heat (struct sampled_program *program, uint64_t page,
                          uint64_t pages);

/* Return the number of hot blocks of PROGRAM: the smallest number of blocks
   that contain nine tenths of the samples in its text.  Return 0 if there are
   too few samples.  The function sorts the program's blocks.  */
extern size_t program_hot_blocks (struct sampled_program *program);

/* Return the share of PROGRAM's samples whose page is not in the simulated
   TLB.  */
extern double program_misses (const struct sampled_program *program);

/* Return true if the processes of PROGRAM end too soon to gain from huge
   pages.  */
extern bool program_is_brief (const struct sampled_program *program);

/* Estimate how much PROGRAM would gain from huge pages: set its member WORTH
   to the product of its CPU time, the share of its samples whose page is not
   in the simulated TLB, and the share of its text that is on small pages.  If
   the program's processes are brief, or the program has too little text to
   gain from huge pages, set WORTH to 0.  */
extern void program_judge (struct sampled_program *program);

/* Write profiles of SAMPLING's objects to the directory DIR, and print a table
   to STREAM.  If DIR already contains a profile of an object, merge both.  If
   STREAM is NULL, print no table.  If at least a hundredth of the samples are
   in an object of which no profile can be made, report the object by calling
   SAMPLING's SAY.  The report begins with CALLER.  Return false if an object
   has been reported.  */
extern bool sample_keep (struct sampling *sampling, const char *caller,
                         int dir, FILE *stream);

/* If DIRECTORY is the system's directory of profiles, compile the index, so
   that the loader uses the new profiles.  Messages begin with CALLER.  */
extern bool sample_tell_loader (const char *caller, const char *directory);

enum
{
  /* The maximum number of seconds for "hugetext survey".  */
  SURVEY_SECONDS_MOST = 600,
  /* The same for "hugetext profile": a day.  */
  PROFILE_SECONDS_MOST = 86400,
};

/* SAMPLING got SAMPLES samples.  Return for how many seconds to sample so that
   there are NEEDED samples, at most MOST seconds.  */
extern double survey_seconds (const struct sampling *sampling,
                              uint64_t samples, uint64_t needed, double most);

/* Print which of SAMPLING's programs would gain from huge text.  Return false
   if no program would gain, or if there are too few samples.  */
extern bool survey (struct sampling *sampling, bool json);

#endif
