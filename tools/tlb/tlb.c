/* The question whether huge pages help the TLB of this machine at all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tlb/tlb.h"
#include "host/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Find out whether this is a virtual machine.  Only x86 CPUs tell.  */
static enum tlb_machine
look_at_machine (void)
{
  int fd = machine_open ("/proc/cpuinfo");
  FILE *stream = fd < 0 ? NULL : fdopen (fd, "r");
  enum tlb_machine machine = TLB_EITHER;
  char *line = NULL;
  size_t size = 0;
  if (stream == NULL)
    return machine;
  while (machine == TLB_EITHER && getline (&line, &size, stream) > 0)
    if (strncmp (line, "flags", strlen ("flags")) == 0)
      machine = (strstr (line, " hypervisor") != NULL ? TLB_VIRTUAL
                                                      : TLB_PHYSICAL);
  free (line);
  fclose (stream);
  return machine;
}

struct tlb_finding
tlb_look (void)
{
  struct tlb_times times;
  enum tlb_machine machine = look_at_machine ();
  const char *problem = tlb_probe (&times);
  enum tlb_verdict verdict
      = problem == NULL ? tlb_judge (&times) : TLB_UNKNOWN;
  static char words[256];
  if (problem != NULL)
    snprintf (words, sizeof words,
              "whether it takes huge pages whole is not known: %s", problem);
  return (struct tlb_finding){
    .verdict = verdict,
    .words = problem != NULL ? words : tlb_words (verdict, machine, &times),
    .remedy = tlb_remedy (verdict, machine),
  };
}
