/* libFuzzer target: the headers, notes and dynamic section of an ELF file
   cannot harm the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <elf.h>

#include "damage.h"
#include "trust.h"
#include "object/elfhead.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "heat/profile.h"

#include "object/dependencies.c"
#include "object/program.c"

/* The beginning of a file that may be ld-hugetext's loader.  */
static struct
{
  Elf64_Ehdr header;
  Elf64_Phdr phdr[8];
  struct
  {
    Elf64_Nhdr header;
    char name[12], release[8];
  } note;
  struct
  {
    Elf64_Nhdr header;
    char name[4];
    unsigned char id[20];
  } build;
  Elf64_Dyn dynamic[8];
  char strings[32];
  char interpreter[32];
} right = {
  .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                           ELFDATA2LSB, EV_CURRENT },
              .e_type = ET_DYN,
#ifdef __x86_64__
              .e_machine = EM_X86_64,
#else
              .e_machine = EM_AARCH64,
#endif
              .e_entry = 64,
              .e_phoff = sizeof (Elf64_Ehdr),
              .e_phentsize = sizeof (Elf64_Phdr),
              .e_phnum = 8 },
  .note = { { 12, 5, 1 }, "ld-hugetext", "2.36" },
  .build = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 1, 2, 3 } },
  .dynamic = { { DT_SONAME, { 1 } },
               { DT_STRTAB, { 0 } },
               { DT_NEEDED, { 4 } },
               { DT_RUNPATH, { 9 } },
               { DT_FLAGS, { DF_TEXTREL } },
               { DT_FLAGS_1, { DF_1_PIE } },
               { DT_NULL, { 0 } } },
  .strings = "\0ld-linux-x86-64.so.2",
  .interpreter = "/lib64/ld-linux-x86-64.so.2",
};

#define AT(member) ((char *) &right.member - (char *) &right)

static void
prepare (void)
{
  const uint64_t end = sizeof right;
  const Elf64_Phdr phdr[] = {
    { PT_LOAD, PF_R | PF_X, 0, 0, 0, end, end, 4096 },
    { PT_LOAD, PF_R | PF_W, 0, 0x400000, 0, end, 0x800000, 0x200000 },
    { PT_DYNAMIC, PF_R, AT (dynamic), AT (dynamic), 0, sizeof right.dynamic,
      sizeof right.dynamic, 8 },
    { PT_NOTE, PF_R, AT (note), AT (note), 0, sizeof right.note,
      sizeof right.note, 4 },
    { PT_NOTE, PF_R, AT (build), AT (build), 0, sizeof right.build,
      sizeof right.build, 4 },
    { PT_INTERP, PF_R, AT (interpreter), AT (interpreter), 0, 28, 28, 1 },
    { PT_GNU_RELRO, PF_R, 0, 0x400000, 0, 4096, 4096, 1 },
    { PT_NOTE, PF_R, AT (build), AT (build), 0, sizeof right.build,
      sizeof right.build, 8 },
  };
  memcpy (right.phdr, phdr, sizeof phdr);
  right.dynamic[1].d_un.d_ptr = AT (strings);
}

/* The file to be read first, and another file that it needs.  */
static int damaged;

static int
open_either (const char *path, struct problem *problem)
{
  static int other = -1;
  EXPECT (path[0] == '/' && strlen (path) < PATH_MAX);
  if (other < 0)
    {
      other = memfd_create ("other", MFD_CLOEXEC);
      EXPECT (write (other, &right, sizeof right) == (ssize_t) sizeof right);
    }
  (void) problem;
  return dup (strstr (path, "ld-linux") != NULL ? other : damaged);
}

/* Replaces the function that runs ldconfig.  */
int
child_run (const char *const argv[], int seconds, char **output)
{
  (void) seconds;
  EXPECT (strcmp (argv[0], "ldconfig") == 0);
  *output = strdup (
      "4 libs found in cache `/etc/ld.so.cache'\n"
      "\tlibc.so.6 (libc6,x86-64) => /lib/libc.so.6\n"
      "\tlibc.so.6 (libc6) => /lib32/libc.so.6\n"
      "\tlibm.so.6 (libc6,x86-64, hwcap: \"x86-64-v2\") => /lib/v2/libm.so.6\n"
      "\tld-linux-x86-64.so.2 (libc6,x86-64) => "
      "/lib64/ld-linux-x86-64.so.2\n");
  EXPECT (*output != NULL);
  return 0;
}

/* Look for the files that the damaged file needs, in the directories that it
   names.  */
static void
look_for_needs (void)
{
  struct file_list files = { .count = 0 };
  struct problem problem;
  file_list_add (&files, "/dev/null");
  file_list_dependencies (&files, open_either, &problem);
  EXPECT (files.count >= 1 && files.count <= 3);
  file_list_free (&files);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  char bytes[4096];
  static struct program program;
  struct elf_head head;
  struct elf_object object;
  struct loader loader;
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1];
  struct loaded needs = { .parent = 0 };
  struct problem problem;
  if (right.phdr[0].p_type == 0)
    prepare ();
  size = damage (bytes, sizeof bytes, &right, sizeof right, data, size);
  int fd = damaged_file (bytes, size);

  if (elfhead_read (fd, &head, &problem))
    elfhead_free (&head);
  EXPECT (head.phdr == NULL && head.count == 0);
  if (elfobject_read (fd, &object, &problem))
    {
      elfobject_check (&object, &problem);
      hugetext_object_text (&object.object);
    }
  if (loader_read_fd (fd, &loader))
    {
      EXPECT (strlen (loader.version) < sizeof loader.version);
      EXPECT (!loader.ours || loader.loads);
    }
  damaged = fd;
  look_for_needs ();
  read_needs (&needs, fd, &problem);
  for (size_t i = 0; i < needs.needed.count; ++i)
    EXPECT (strlen (needs.needed.names[i]) < PATH_MAX);
  file_list_free (&needs.needed);
  file_list_free (&needs.soname);
  file_list_free (&needs.rpath);
  file_list_free (&needs.runpath);
  EXPECT (profile_build_id (fd, build_id, &problem)
          == profile_is_build_id (build_id));
  read_elf (fd, &program);
  EXPECT (strlen (program.interpreter) < sizeof program.interpreter);
  read_script (fd, &program);
  return 0;
}
