/* A process whose user wants to harm whoever inspects the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: hostile ATTACK DIRECTORY Prepares ATTACK with DIRECTORY/lib.so, an
   ELF file, and creates DIRECTORY/ready.  Then sleeps for ten minutes, or
   until it is killed or its parent ends.  */

#include "silent.h"

#include <elf.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void __attribute__ ((noreturn)) fail (const char *what)
{
  perror (what);
  exit (1);
}

static void
create (const char *file)
{
  int fd = open (file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    fail (file);
  close (fd);
}

/* Map the first SIZE bytes of FILE as text, or all of FILE if SIZE is 0.  */
static char *
map_text (const char *file, size_t size)
{
  struct stat status;
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &status) != 0)
    fail (file);
  char *map = mmap (NULL, size != 0 ? size : (size_t) status.st_size,
                    PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED)
    fail ("mmap");
  close (fd);
  return map;
}

/* Create FIFO.  Have a child create the file "opened" when another process
   opens FIFO to read it.  */
static void
watch_fifo (const char *fifo)
{
  if (mkfifo (fifo, 0666) != 0)
    fail (fifo);
  if (fork () != 0)
    return;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (open (fifo, O_WRONLY | O_CLOEXEC) >= 0)
    create ("opened");
  _exit (0);
}

/* The mapped file has been replaced by a FIFO, which must not be opened.  */
static void
fifo (void)
{
  map_text ("lib.so", 0);
  unlink ("lib.so");
  watch_fifo ("lib.so");
}

/* The mapped file has been replaced by a symbolic link to a FIFO.  */
static void
link_to_fifo (void)
{
  map_text ("lib.so", 0);
  unlink ("lib.so");
  watch_fifo ("fifo");
  if (symlink ("fifo", "lib.so") != 0)
    fail ("symlink");
}

/* Write FILE, an ELF file of SIZE bytes with the COUNT program headers at
   PHDR.  */
static void
write_elf (const char *file, const Elf64_Phdr *phdr, size_t count, off_t size)
{
  Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                                     ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                        .e_type = ET_DYN,
#ifdef __x86_64__
                        .e_machine = EM_X86_64,
#else
                        .e_machine = EM_AARCH64,
#endif
                        .e_version = EV_CURRENT,
                        .e_phoff = sizeof header,
                        .e_ehsize = sizeof header,
                        .e_phentsize = sizeof *phdr,
                        .e_phnum = count };
  int fd = open (file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (fd < 0 || write (fd, &header, sizeof header) != sizeof header
      || write (fd, phdr, count * sizeof *phdr)
             != (ssize_t) (count * sizeof *phdr)
      || ftruncate (fd, size) != 0)
    fail (file);
  close (fd);
}

#define TIB ((off_t) 1 << 40)

/* A file of 1 TiB that has the name of a loader.  */
static void
large_loader (void)
{
  const Elf64_Phdr load = { .p_type = PT_LOAD,
                            .p_flags = PF_R | PF_X,
                            .p_filesz = 4096,
                            .p_memsz = 4096,
                            .p_align = 4096 };
  const Elf64_Phdr rest = { .p_type = PT_LOAD,
                            .p_flags = PF_R,
                            .p_offset = 4096,
                            .p_vaddr = 4096,
                            .p_filesz = TIB - 4096,
                            .p_memsz = 4096,
                            .p_align = 4096 };
  write_elf ("ld-x.so", (Elf64_Phdr[]){ load, rest }, 2, TIB);
  map_text ("ld-x.so", 4096);
}

/* A file that has the name of a loader, and that gets shorter and longer all
   the time.  */
static void
shrinking_loader (void)
{
  large_loader ();
  if (fork () != 0)
    return;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  while (truncate ("ld-x.so", 4096) == 0 && usleep (1000) == 0)
    if (truncate ("ld-x.so", TIB) != 0 || usleep (1000) != 0)
      break;
  _exit (0);
}

/* Map the page of FD at OFFSET as text, at START if START is not NULL.  */
static char *
map_page (int fd, char *start, off_t offset)
{
  char *map = mmap (start, 4096, PROT_READ | PROT_EXEC,
                    MAP_PRIVATE | (start != NULL ? MAP_FIXED : 0), fd, offset);
  if (map == MAP_FAILED)
    fail ("mmap");
  return map;
}

/* Text of 64 TiB, of which the first and last pages are mapped.  */
static void
large_text (void)
{
  const uint64_t size = UINT64_C (64) << 40;
  const Elf64_Phdr load = { .p_type = PT_LOAD,
                            .p_flags = PF_R | PF_X,
                            .p_filesz = 8192,
                            .p_memsz = size,
                            .p_align = 4096 };
  write_elf ("large.so", &load, 1, 8192);
  int fd = open ("large.so", O_RDONLY | O_CLOEXEC);
  char *start = (char *) (UINT64_C (1) << 40);
  map_page (fd, start, 0);
  map_page (fd, start + size - 4096, 4096);
}

/* Program headers and mappings, where every header matches every mapping.  */
static void
many_places (void)
{
  enum
  {
    HEADERS = 1000,
    MAPPINGS = 20000,
  };
  static Elf64_Phdr load[HEADERS];
  for (size_t i = 0; i < HEADERS; ++i)
    load[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
                            .p_flags = PF_R | PF_X,
                            .p_vaddr = 8192 * i,
                            .p_filesz = 4096,
                            .p_memsz = 4096,
                            .p_align = 4096 };
  write_elf ("many.so", load, HEADERS, 65536);
  int fd = open ("many.so", O_RDONLY | O_CLOEXEC);
  char *start = (char *) (UINT64_C (1) << 40);
  for (size_t i = 0; i < MAPPINGS; ++i)
    map_page (fd, start + 8192 * i, 0);
}

/* Nearly as many mappings as a process may have, of a file whose name is
   nearly as long as possible.  */
static void
many_mappings (void)
{
  char part[201];
  memset (part, 'x', 200);
  part[200] = '\0';
  for (size_t i = 0; i < 18; ++i)
    if (mkdir (part, 0755) != 0 || chdir (part) != 0)
      fail ("mkdir");
  const Elf64_Phdr load = { .p_type = PT_LOAD,
                            .p_flags = PF_R | PF_X,
                            .p_filesz = 4096,
                            .p_memsz = 4096 };
  write_elf ("x.so", &load, 1, 4096);
  int fd = open ("x.so", O_RDONLY | O_CLOEXEC);
  char *start = (char *) (UINT64_C (1) << 40);
  for (size_t i = 0; i < 60000; ++i)
    map_page (fd, start + 8192 * i, 0);
  for (size_t i = 0; i < 18; ++i)
    if (chdir ("..") != 0)
      fail ("..");
}

/* An environment that consists of 1 TiB of zeros.  */
static void
endless_environment (void)
{
  uintptr_t field[52] = { 0 };
  FILE *stat = fopen ("/proc/self/stat", "re");
  if (stat == NULL || fscanf (stat, "%*d (%*[^)]) %*c") != 0)
    fail ("stat");
  for (size_t i = 4; i < sizeof field / sizeof *field; ++i)
    if (fscanf (stat, "%ld", (long *) &field[i]) != 1)
      fail ("stat");
  fclose (stat);
  char *zeros = mmap (NULL, TIB, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const struct prctl_mm_map map = { .start_code = field[26],
                                    .end_code = field[27],
                                    .start_data = field[45],
                                    .end_data = field[46],
                                    .start_brk = field[47],
                                    .brk = (uintptr_t) sbrk (0),
                                    .start_stack = field[28],
                                    .arg_start = field[48],
                                    .arg_end = field[49],
                                    .env_start = (uintptr_t) zeros,
                                    .env_end = (uintptr_t) zeros + TIB,
                                    .exe_fd = -1 };
  if (zeros == MAP_FAILED
      || prctl (PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0) != 0)
    fail ("PR_SET_MM_MAP");
}

/* A program that executes itself again and again.  */
static void
executing (void)
{
  const char *count = getenv ("HOSTILE_COUNT");
  if (count != NULL && access ("stop", F_OK) != 0)
    {
      create ("ready");
      usleep (200);
      execl ("/proc/self/exe", "hostile", "executing", ".", NULL);
      fail ("exec");
    }
  setenv ("HOSTILE_COUNT", "1", 1);
  execl ("/proc/self/exe", "hostile", "executing", ".", NULL);
  fail ("exec");
}

/* Names that control a terminal, or hide what follows.  They contain a title,
   colours, C1 control characters (also in UTF-8), a bidirectional override, a
   newline, and bytes that are not UTF-8.  */
static void
names (void)
{
  static const char name[]
      = "a\033]0;x\a\033[31m\n\302\2331m\342\200\256b\377.so";
  if (rename ("lib.so", name) != 0)
    fail (name);
  map_text (name, 0);
  prctl (PR_SET_NAME, "c\033[2J\n\233\342\200\256)");
}

/* A file whose name contains forged lines of maps, and ends as if the file had
   been deleted.  */
static void
forged (void)
{
  static const char name[]
      = "x\n70000000-70200000 r-xp 00000000 00:01 1 lib.so\nRss: 4096 kB"
        " (deleted)";
  if (rename ("lib.so", name) != 0)
    fail (name);
  map_text (name, 0);
}

/* A process that opens the file to read it waits until this process gives back
   its lease.  */
static void
lease (void)
{
  int fd = open ("lib.so", O_RDONLY | O_CLOEXEC);
  signal (SIGIO, SIG_IGN);
  if (mmap (NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0)
          == MAP_FAILED
      || fcntl (fd, F_SETLEASE, F_WRLCK) != 0)
    fail ("lease");
}

/* Map all segments of FILE as its program headers say.  */
static void
load (const char *file)
{
  Elf64_Ehdr header;
  Elf64_Phdr phdr[16];
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  char *start = (char *) (UINT64_C (1) << 40);
  if (fd < 0 || pread (fd, &header, sizeof header, 0) != sizeof header
      || header.e_phnum > 16
      || pread (fd, phdr, header.e_phnum * sizeof *phdr, header.e_phoff)
             != header.e_phnum * (ssize_t) sizeof *phdr)
    fail (file);
  for (size_t i = 0; i < header.e_phnum; ++i)
    if (phdr[i].p_type == PT_LOAD)
      {
        uint64_t before = phdr[i].p_vaddr & 4095;
        int prot = PROT_READ | (phdr[i].p_flags & PF_X ? PROT_EXEC : 0)
                   | (phdr[i].p_flags & PF_W ? PROT_WRITE : 0);
        if (mmap (start + phdr[i].p_vaddr - before, phdr[i].p_filesz + before,
                  prot, MAP_PRIVATE | MAP_FIXED, fd, phdr[i].p_offset - before)
            == MAP_FAILED)
          fail ("mmap");
      }
  close (fd);
}

/* A symbolic link to a device has replaced the mapped file.  */
static void
deleted (void)
{
  load ("lib.so");
  if (unlink ("lib.so") != 0 || symlink ("/dev/zero", "lib.so") != 0)
    fail ("lib.so");
}

/* A file whose name ends as if it had been deleted.  */
static void
seems_deleted (void)
{
  if (rename ("lib.so", "lib.so (deleted)") != 0)
    fail ("rename");
  load ("lib.so (deleted)");
  write_elf ("lib.so", NULL, 0, 64);
}

/* A core of 60,000 segments and 300,000 mappings of files, where no mapping
   matches any segment.  */
static void
large_core (void)
{
  enum
  {
    SEGMENTS = 60000,
    FILES = 300000,
    NOTE = 4 << 20, /* Offset of the note.  */
    SIZE = 16 + 25 * FILES,
  };
  static Elf64_Phdr phdr[SEGMENTS];
  const struct
  {
    Elf64_Nhdr head;
    char name[8];
    uint64_t files, page;
  } __attribute__ ((packed)) note
      = { { sizeof "CORE", SIZE, NT_FILE }, "CORE", FILES, 4096 };
  const Elf64_Half type = ET_CORE;
  phdr[0] = (Elf64_Phdr){ .p_type = PT_NOTE,
                          .p_offset = NOTE,
                          .p_filesz = sizeof note + SIZE,
                          .p_align = 4 };
  for (size_t i = 1; i < SEGMENTS; ++i)
    phdr[i] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 4096 * i };
  write_elf ("core", phdr, SEGMENTS, NOTE + sizeof note + SIZE);
  int fd = open ("core", O_WRONLY | O_CLOEXEC);
  if (fd < 0
      || pwrite (fd, &type, sizeof type, offsetof (Elf64_Ehdr, e_type)) < 0
      || pwrite (fd, &note, sizeof note, NOTE) < 0)
    fail ("core");
  close (fd);
}

/* Write TEXT to FILE.  */
static bool
tell (const char *file, const char *text)
{
  int fd = open (file, O_WRONLY | O_CLOEXEC);
  bool good = fd >= 0 && write (fd, text, strlen (text)) > 0;
  if (fd >= 0)
    close (fd);
  return good;
}

/* Enter a namespace in which this process may mount file systems.  */
static bool
enter_namespace (void)
{
  return (unshare (CLONE_NEWUSER | CLONE_NEWNS) == 0
          && tell ("/proc/self/uid_map", "65534 65534 1")
          && tell ("/proc/self/setgroups", "deny")
          && tell ("/proc/self/gid_map", "65534 65534 1"));
}

/* A mount in this process's own namespace: other processes see the directory
   under it.  */
static void
elsewhere (void)
{
  if (!enter_namespace () || mkdir ("under", 0755) != 0
      || mount ("none", "under", "tmpfs", 0, "") != 0
      || system ("cp lib.so under") != 0)
    {
      create ("unsupported");
      return;
    }
  load ("under/lib.so");
}

/* Mount a user's file system on the directory "silent", as fusermount would do
   it, and become this user.  The server of the file system no longer answers
   when the file "silence" exists, and ends when the file "end" exists.  */
static void
mount_silent (void)
{
  if (unshare (CLONE_NEWNS) != 0
      || mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mkdir ("silent", 0755) != 0
      || silent_mount ("silent", 65534, "silence", "end", "lib.so") < 0)
    {
      create ("unsupported");
      create ("ready");
      exit (0);
    }
  if (setgroups (0, NULL) != 0 || setresgid (65534, 65534, 65534) != 0
      || setresuid (65534, 65534, 65534) != 0
      || prctl (PR_SET_DUMPABLE, 1) != 0)
    fail ("set*id");
}

/* Have a child create "ready" after one second.  */
static void
ready_soon (void)
{
  if (fork () != 0)
    return;
  sleep (1);
  create ("ready");
  _exit (0);
}

/* Map a page of a file on the silent file system that has not been read yet.
   If START is not NULL, map the page at START.  */
static char *
map_silent (char *start)
{
  int fd = open ("silent/file", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fail ("silent/file");
  return map_page (fd, start, SILENT_FROM);
}

/* A reader of the loader's record would read a page that never arrives.  */
static void
silent_memory (void)
{
  mount_silent ();
  load ("ld-x.so");
  map_silent ((char *) (UINT64_C (1) << 40));
}

/* A child reads from this process's memory a page that never arrives, because
   the file's server does not answer.  Meanwhile the kernel holds the lock of
   this process's mappings.  This process waits for the lock because it changes
   a mapping, and every process that needs the lock after that waits, too.  */
static void
silent_lock (void)
{
  char path[64], byte;
  mount_silent ();
  char *page = map_silent (NULL);
  const pid_t victim = getpid ();
  map_text ("lib.so", 0);
  ready_soon ();
  if (fork () == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      snprintf (path, sizeof path, "/proc/%d/mem", (int) victim);
      int fd = open (path, O_RDONLY | O_CLOEXEC);
      (void) !pread (fd, &byte, 1, (uintptr_t) page);
      _exit (1);
    }
  usleep (500000);
  mmap (NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* This process executes a program, so the kernel closes a file, and waits for
   the server of the file.  Meanwhile the kernel holds a lock that every
   process takes when it inspects this one.  */
static void
silent_exec (void)
{
  mount_silent ();
  if (open ("silent/file", O_RDONLY | O_CLOEXEC) < 0)
    fail ("silent/file");
  create ("silence");
  ready_soon ();
  execl ("/proc/self/exe", "hostile", "silent-exec", ".", NULL);
  fail ("exec");
}

/* A file of the silent file system that root may open, because it is on an
   overlay.  */
static void
silent_file (void)
{
  mount_silent ();
  if (!enter_namespace () || mkdir ("empty", 0755) != 0
      || mkdir ("over", 0755) != 0
      || mount ("none", "over", "overlay", 0, "lowerdir=silent:empty") != 0)
    {
      create ("unsupported");
      return;
    }
  load ("over/file");
  create ("silence");
}

/* The same as silent_file, but the server answers processes without children,
   such as the command's child.  */
static void
silent_plan (void)
{
  silent_to_parents = true;
  silent_file ();
}

/* Mount a user's file system over the directory of the file HOSTILE_FILE.  In
   this file system, the file of the same name has the inode number
   HOSTILE_INODE.  Map this file.  */
static void
lie (void)
{
  const char *file = getenv ("HOSTILE_FILE");
  char directory[4096];
  silent_inode = strtoul (getenv ("HOSTILE_INODE"), NULL, 10);
  snprintf (directory, sizeof directory, "%.*s",
            (int) (strrchr (file, '/') - file), file);
  if (!enter_namespace ()
      || silent_mount (directory, 65534, "silence", "end", "host.so") < 0)
    {
      create ("unsupported");
      return;
    }
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fail (file);
  map_page (fd, NULL, 0);
}

/* Map a file of a user's file system that does not answer.  It is mounted for
   all users on the user's own directory /run/quiet, as fusermount would do
   it.  */
static void
quiet (void)
{
  silent_options = ",allow_other";
  if (silent_mount ("/run/quiet", 65534, "silence", "end", "host.so") < 0)
    {
      create ("unsupported");
      return;
    }
  if (setgroups (0, NULL) != 0 || setresgid (65534, 65534, 65534) != 0
      || setresuid (65534, 65534, 65534) != 0)
    fail ("set*id");
  int fd = open ("/run/quiet/file", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fail ("/run/quiet/file");
  map_page (fd, NULL, 0);
  create ("silence");
}

static const struct
{
  const char *name;
  void (*prepare) (void);
} attacks[] = {
  { "quiet", quiet },
  { "lie", lie },
  { "silent-memory", silent_memory },
  { "silent-lock", silent_lock },
  { "silent-exec", silent_exec },
  { "silent-file", silent_file },
  { "silent-plan", silent_plan },
  { "deleted", deleted },
  { "seems-deleted", seems_deleted },
  { "elsewhere", elsewhere },
  { "fifo", fifo },
  { "link", link_to_fifo },
  { "large-loader", large_loader },
  { "shrinking-loader", shrinking_loader },
  { "large-text", large_text },
  { "large-core", large_core },
  { "many-places", many_places },
  { "many-mappings", many_mappings },
  { "endless-environment", endless_environment },
  { "executing", executing },
  { "names", names },
  { "forged", forged },
  { "lease", lease },
};

int
main (int argc, char **argv)
{
  if (argc != 3 || chdir (argv[2]) != 0)
    fail ("usage");
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; ++i)
    if (strcmp (attacks[i].name, argv[1]) == 0)
      {
        attacks[i].prepare ();
        create ("ready");
        sleep (600);
        return 0;
      }
  fail (argv[1]);
}
