/* Print what the kernel says about the text of this process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file is compiled into test programs, and into a shared object for
   LD_PRELOAD.  All printed facts come from the kernel (the ioctl PAGEMAP_SCAN,
   /proc/self/smaps) and from program headers; only the list of objects comes
   from the loader.  This file allocates memory with mmap, so that the heap
   does not change.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "facts.h"

#define AREAS_MAX 65536
#define OUTPUT_MAX (16UL << 20)

/* A mapping: one line of /proc/self/smaps, and those of its details that are
   needed.  */
struct area
{
  uintptr_t start, end;
  uint64_t offset;
  char perms[5];
  bool file;
  bool memory;                    /* The mapping is of a memfd.  */
  unsigned int thp, hugetlb, pmd; /* Sizes in KiB.  */
};

/* The facts about one object.  */
struct object
{
  const char *name;
  long int namespace;
  uintptr_t bias;
  const ElfW (Phdr) * phdr;
  size_t phnum;
};

static struct area *areas;
static size_t nareas;
static char *output;
static size_t noutput;

static void __attribute__ ((format (printf, 1, 2)))
print (const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  int n = vsnprintf (output + noutput, OUTPUT_MAX - noutput, format, ap);
  va_end (ap);
  if (n > 0)
    noutput += n;
  if (noutput >= OUTPUT_MAX)
    abort ();
}

static uintptr_t
page_size (void)
{
  return getauxval (AT_PAGESZ);
}

/* Return the size of a huge page: the memory that one full page of page table
   entries maps.  */
static uintptr_t
block_size (void)
{
  return page_size () * (page_size () / sizeof (uint64_t));
}

/* Parse one LINE of smaps.  */
static void
read_line (const char *line)
{
  unsigned long int start, end, offset;
  char perms[5];
  int name = 0;
  unsigned int kib;

  if (sscanf (line, "%lx-%lx %4s %lx %*s %*s %n", &start, &end, perms, &offset,
              &name)
      >= 4)
    {
      if (nareas == AREAS_MAX)
        abort ();
      areas[nareas] = (struct area){
        .start = start,
        .end = end,
        .offset = offset,
        .file = name > 0 && line[name] == '/',
        .memory = name > 0 && strncmp (line + name, "/memfd:", 7) == 0
      };
      memcpy (areas[nareas].perms, perms, sizeof perms);
      ++nareas;
    }
  else if (nareas == 0)
    return;
  else if (strncmp (line, "VmFlags:", 8) == 0 && strstr (line, " bt ") != NULL)
    areas[nareas - 1].perms[3] = 'b';
  else if (sscanf (line, "AnonHugePages: %u", &kib) == 1)
    areas[nareas - 1].thp = kib;
  else if (sscanf (line, "Private_Hugetlb: %u", &kib) == 1
           || sscanf (line, "Shared_Hugetlb: %u", &kib) == 1)
    areas[nareas - 1].hugetlb += kib;
  else if (sscanf (line, "FilePmdMapped: %u", &kib) == 1
           || sscanf (line, "ShmemPmdMapped: %u", &kib) == 1)
    {
      /* A memfd contains a copy of text.  */
      if (areas[nareas - 1].memory)
        areas[nareas - 1].thp += kib;
      else
        areas[nareas - 1].pmd += kib;
    }
}

static void
read_areas (void)
{
  static char buffer[16384];
  size_t have = 0;
  int fd = open ("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    abort ();
  nareas = 0;
  for (;;)
    {
      ssize_t n = read (fd, buffer + have, sizeof buffer - 1 - have);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      have += n;
      char *line = buffer, *newline;
      while ((newline = memchr (line, '\n', buffer + have - line)) != NULL)
        {
          *newline = '\0';
          read_line (line);
          line = newline + 1;
        }
      have -= line - buffer;
      memmove (buffer, line, have);
    }
  close (fd);
}

/* The arguments of the ioctl PAGEMAP_SCAN (admin-guide/mm/pagemap.rst), which
   older headers lack.  */
struct scan_region
{
  uint64_t start, end, categories;
};

struct scan
{
  uint64_t size, flags, start, end, walk_end, regions, nregions, max_pages,
      inverted, all_of, any_of, returned;
};

#define SCAN_IOCTL _IOWR ('f', 16, struct scan)
#define SCAN_FILE (UINT64_C (1) << 2)
#define SCAN_HUGE (UINT64_C (1) << 6)

/* The huge pages of an object's text by kind: 0 is anonymous memory (thp and
   hugetlb), 1 is the page cache.  */
struct total
{
  uintptr_t first; /* The first block.  */
  size_t nblocks;
  unsigned char *seen; /* For each block, a bit for each kind.  */
  size_t huge[2];      /* The number of bytes on huge pages of each kind.  */
};

/* All of [START, END) is huge: count the part of this range that is in [LOW,
   HIGH).  */
static void
count_huge (struct total *total, uintptr_t start, uintptr_t end, uintptr_t low,
            uintptr_t high, int kind)
{
  uintptr_t block = block_size ();
  if (start < low)
    start = low;
  if (end > high)
    end = high;
  if (start >= end)
    return;
  total->huge[kind] += end - start;
  for (uintptr_t a = start & -block; a < end; a += block)
    total->seen[(a - total->first) / block] |= 1 << kind;
}

/* Return how many blocks have huge pages of one of KINDS.  */
static size_t
count_blocks (const struct total *total, int kinds)
{
  size_t blocks = 0;
  for (size_t i = 0; i < total->nblocks; ++i)
    blocks += (total->seen[i] & kinds) != 0;
  return blocks;
}

/* Return true if a memfd is mapped at ADDRESS.  */
static bool
is_memory_file (uintptr_t address)
{
  for (size_t i = 0; i < nareas; ++i)
    if (areas[i].start <= address && address < areas[i].end)
      return areas[i].memory;
  return false;
}

/* Ask the kernel which parts of [START, END) are huge.  Return false if the
   kernel gives no answer.  */
static bool
scan_huge (struct total *total, uintptr_t start, uintptr_t end)
{
  uintptr_t page = page_size ();
  int fd = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;

  uintptr_t cursor = start & -page;
  uintptr_t stop = (end + page - 1) & -page;
  bool known = true;
  while (cursor < stop)
    {
      struct scan_region region[16];
      struct scan scan = { .size = sizeof scan,
                           .start = cursor,
                           .end = stop,
                           .regions = (uintptr_t) region,
                           .nregions = 16,
                           .all_of = SCAN_HUGE,
                           .returned = SCAN_HUGE | SCAN_FILE };
      int n = ioctl (fd, SCAN_IOCTL, &scan);
      if (n < 0 || scan.walk_end <= cursor)
        {
          known = false;
          break;
        }
      for (int i = 0; i < n; ++i)
        {
          bool file = (region[i].categories & SCAN_FILE) != 0;
          /* A region may extend over several mappings.  */
          uintptr_t next;
          for (uintptr_t a = region[i].start; a < region[i].end; a = next)
            {
              next = (a & -block_size ()) + block_size ();
              if (next > region[i].end)
                next = region[i].end;
              count_huge (total, a, next, start, end,
                          file && !is_memory_file (a));
            }
        }
      cursor = scan.walk_end;
    }
  close (fd);
  return known;
}

/* Count with smaps, on kernels before 6.7.  The count is exact if each mapping
   is completely huge or completely small.  */
static void
guess_huge (struct total *total, uintptr_t start, uintptr_t end)
{
  uintptr_t block = block_size ();
  for (size_t i = 0; i < nareas; ++i)
    {
      const struct area *area = &areas[i];
      size_t kib = (size_t) area->thp + area->hugetlb + area->pmd;
      for (uintptr_t a = (area->start + block - 1) & -block;
           kib > 0 && a + block <= area->end; a += block)
        {
          kib = kib > block / 1024 ? kib - block / 1024 : 0;
          count_huge (total, a, a + block, start, end, area->pmd > 0);
        }
    }
}

/* Print the line of OBJECT.  */
static void
print_object (const struct object *object)
{
  uintptr_t block = block_size ();
  size_t text = 0;
  uintptr_t start = UINTPTR_MAX, end = 0, align = 0;
  bool thp = false, hugetlb = false, file = false;
  char perms[64] = "";

  for (size_t i = 0; i < object->phnum; ++i)
    {
      const ElfW (Phdr) *ph = &object->phdr[i];
      if (ph->p_type != PT_LOAD)
        continue;
      if (ph->p_align > align)
        align = ph->p_align;
      if ((ph->p_flags & (PF_X | PF_W)) != PF_X || ph->p_filesz == 0)
        continue;
      text += ph->p_filesz;
      if (ph->p_vaddr < start)
        start = ph->p_vaddr;
      if (ph->p_vaddr + ph->p_filesz > end)
        end = ph->p_vaddr + ph->p_filesz;
    }
  if (text == 0)
    start = end = 0;

  struct total total = { .first = (start + object->bias) & -block };
  total.nblocks = (end + object->bias - total.first + block - 1) / block;
  total.seen = mmap (NULL, total.nblocks + 1, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (total.seen == MAP_FAILED)
    abort ();

  for (size_t i = 0; i < object->phnum; ++i)
    {
      const ElfW (Phdr) *ph = &object->phdr[i];
      if (ph->p_type != PT_LOAD || ph->p_filesz == 0
          || (ph->p_flags & (PF_X | PF_W)) != PF_X)
        continue;
      uintptr_t a = ph->p_vaddr + object->bias, b = a + ph->p_filesz;
      if (!scan_huge (&total, a, b))
        guess_huge (&total, a, b);
      for (size_t j = 0; j < nareas; ++j)
        if (areas[j].start < b && areas[j].end > a)
          {
            thp |= areas[j].thp > 0;
            hugetlb |= areas[j].hugetlb > 0;
            file |= areas[j].pmd > 0;
            if (strstr (perms, areas[j].perms) == NULL
                && strlen (perms) + 6 < sizeof perms)
              {
                if (perms[0] != '\0')
                  strcat (perms, ",");
                strcat (perms, areas[j].perms);
              }
          }
    }
  const char *backing = (thp + hugetlb + file > 1 ? "mixed"
                         : thp                    ? "thp"
                         : hugetlb                ? "hugetlb"
                         : file                   ? "file"
                                                  : "none");
  size_t huge = total.huge[0] + total.huge[1];
  print ("object %s ns=%ld type=%s text=%zu start=%#lx end=%#lx huge=%zu"
         " blocks=%zu copied=%zu copies=%zu backing=%s bias=%#lx align=%#lx"
         " perms=%s\n",
         object->name, object->namespace, object->bias == 0 ? "exec" : "dyn",
         text, start, end, huge, count_blocks (&total, 3), total.huge[0],
         count_blocks (&total, 1), huge > 0 ? backing : "none", object->bias,
         align, perms[0] != '\0' ? perms : "-");
  munmap (total.seen, total.nblocks + 1);
}

/* A range of addresses that is within one mapping, or not mapped.  */
struct piece
{
  uintptr_t start, end;
  const char *perms;
  enum
  {
    HOLE,
    ANON,
    FILE_BACKED
  } source;
  uint64_t offset; /* The file offset of START, or 0 if no file is mapped.  */
};

/* Return the piece that begins at START, but ends at END at the latest.  */
static struct piece
piece_at (uintptr_t start, uintptr_t end)
{
  struct piece piece = { start, end, "----", HOLE, 0 };
  for (size_t i = 0; i < nareas; ++i)
    {
      const struct area *area = &areas[i];
      if (area->end <= start)
        continue;
      if (area->start > start)
        {
          if (area->start < end)
            piece.end = area->start;
          break;
        }
      if (area->end < end)
        piece.end = area->end;
      piece.perms = area->perms;
      piece.source = area->file ? FILE_BACKED : ANON;
      if (area->file)
        piece.offset = area->offset + (start - area->start);
      break;
    }
  return piece;
}

/* Return true if B, which follows A, belongs to the same mapping as A.  */
static bool
continues (const struct piece *a, const struct piece *b)
{
  return (a->source == b->source && strcmp (a->perms, b->perms) == 0
          && (a->source != FILE_BACKED
              || b->offset == a->offset + (a->end - a->start)));
}

/* Print what is mapped in the writable segments of OBJECT.  Adjacent pieces
   with the same properties are printed as one.  */
static void
print_data (const struct object *object)
{
  uintptr_t page = page_size ();
  for (size_t i = 0; i < object->phnum; ++i)
    {
      const ElfW (Phdr) *ph = &object->phdr[i];
      if (ph->p_type != PT_LOAD || (ph->p_flags & PF_W) == 0
          || ph->p_memsz == 0)
        continue;
      uintptr_t start = (ph->p_vaddr & -page) + object->bias;
      uintptr_t end
          = (((ph->p_vaddr + ph->p_memsz + page - 1) & -page) + object->bias);
      while (start < end)
        {
          struct piece piece = piece_at (start, end);
          while (piece.end < end)
            {
              struct piece next = piece_at (piece.end, end);
              if (!continues (&piece, &next))
                break;
              piece.end = next.end;
            }
          print ("data %s %#lx-%#lx %s ", object->name,
                 piece.start - object->bias, piece.end - object->bias,
                 piece.perms);
          if (piece.source == FILE_BACKED)
            print ("file+%#lx\n", (unsigned long int) piece.offset);
          else
            print ("%s\n", piece.source == ANON ? "anon" : "hole");
          start = piece.end;
        }
    }
}

static void
print_process (const char *tag)
{
  char exe[4096];
  ssize_t n = readlink ("/proc/self/exe", exe, sizeof exe - 1);
  exe[n > 0 ? n : 0] = '\0';
  size_t wx = 0, mapped = 0;
  for (size_t i = 0; i < nareas; ++i)
    {
      wx += areas[i].perms[1] == 'w' && areas[i].perms[2] == 'x';
      mapped += areas[i].end - areas[i].start;
    }
  print ("process %s pid=%d program=%s exe=%s wx=%zu maps=%zu mapped=%zu\n",
         tag, (int) getpid (), program_invocation_short_name, exe, wx, nareas,
         mapped);
}

static const char *
base_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* The loader's structure for debuggers.  From glibc 2.35 on, the structure
   contains a list of namespaces.  */
struct debug
{
  struct r_debug base;
  struct debug *next;
};

static const struct debug *loader_debug;

/* Callback of dl_iterate_phdr: print an object of this program's
   namespace.  */
static int
print_listed (struct dl_phdr_info *info, size_t size __attribute__ ((unused)),
              void *closure)
{
  bool *first = closure;
  struct object object = { .name = base_name (info->dlpi_name),
                           .bias = info->dlpi_addr,
                           .phdr = info->dlpi_phdr,
                           .phnum = info->dlpi_phnum };
  if (*first)
    {
      *first = false;
      object.name = "main";
      for (size_t i = 0; i < object.phnum; ++i)
        if (object.phdr[i].p_type == PT_DYNAMIC)
          for (const ElfW (Dyn) *d
               = (const ElfW (Dyn) *) (object.phdr[i].p_vaddr + object.bias);
               d->d_tag != DT_NULL; ++d)
            if (d->d_tag == DT_DEBUG)
              loader_debug = (const struct debug *) d->d_un.d_ptr;
    }
  else if (loader_debug != NULL
           && info->dlpi_addr == loader_debug->base.r_ldbase)
    object.name = "loader";
  if (strcmp (object.name, "linux-vdso.so.1") == 0)
    return 0;
  print_object (&object);
  print_data (&object);
  return 0;
}

/* Print the objects in namespaces made by dlmopen.  Their program headers are
   found through their ELF headers: common linkers put the ELF header at the
   load bias.  */
static void
print_namespaces (void)
{
  if (loader_debug == NULL || loader_debug->base.r_version < 2)
    return;
  long int namespace = 1;
  for (const struct debug *debug = loader_debug->next; debug != NULL;
       debug = debug->next, ++namespace)
    for (const struct link_map *l = debug->base.r_map; l != NULL;
         l = l->l_next)
      {
        const ElfW (Ehdr) *ehdr = (const ElfW (Ehdr) *) l->l_addr;
        if (l->l_addr == debug->base.r_ldbase)
          /* Skip the loader, which all namespaces share.  */
          continue;
        struct object object
            = { .name = base_name (l->l_name),
                .namespace = namespace,
                .bias = l->l_addr,
                .phdr = (const ElfW (Phdr) *) (l->l_addr + ehdr->e_phoff),
                .phnum = ehdr->e_phnum };
        print_object (&object);
        print_data (&object);
      }
}

/* Allocate the memory for read_areas.  */
static void
get_areas (void)
{
  areas = mmap (NULL, AREAS_MAX * sizeof *areas, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (areas == MAP_FAILED)
    abort ();
  read_areas ();
}

static void
free_areas (void)
{
  munmap (areas, AREAS_MAX * sizeof *areas);
}

size_t
hugetext_copied (const void *start, size_t length)
{
  uintptr_t address = (uintptr_t) start, block = block_size ();
  struct total total = { .first = address & -block };
  unsigned char seen[length / block + 2];
  total.seen = seen;
  if (!scan_huge (&total, address, address + length))
    {
      get_areas ();
      guess_huge (&total, address, address + length);
      free_areas ();
    }
  return total.huge[0];
}

size_t
hugetext_copied_text (void *handle, const char *name)
{
  char symbol[256];
  Dl_info info;
  const ElfW (Sym) * sym;
  snprintf (symbol, sizeof symbol, "%s_text", name);
  void *text = dlsym (handle, symbol);
  if (text == NULL
      || dladdr1 (text, &info, (void **) &sym, RTLD_DL_SYMENT) == 0)
    exit (2);
  return hugetext_copied (text, sym->st_size);
}

size_t
hugetext_maps (size_t *bytes)
{
  get_areas ();
  *bytes = 0;
  for (size_t i = 0; i < nareas; ++i)
    *bytes += areas[i].end - areas[i].start;
  free_areas ();
  return nareas;
}

static const char *
facts_file (void)
{
  const char *path = getenv ("HUGETEXT_FACTS");
  return path != NULL && *path != '\0' ? path : NULL;
}

void
hugetext_facts (const char *tag)
{
  output = mmap (NULL, OUTPUT_MAX, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (output == MAP_FAILED)
    abort ();
  noutput = 0;
  get_areas ();

  bool first = true;
  print_process (tag);
  dl_iterate_phdr (print_listed, &first);
  print_namespaces ();

  const char *path = facts_file ();
  int fd
      = (path == NULL
             ? STDOUT_FILENO
             : open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (fd < 0 || write (fd, output, noutput) != (ssize_t) noutput)
    abort ();
  if (path != NULL)
    close (fd);
  free_areas ();
  munmap (output, OUTPUT_MAX);
}

static void __attribute__ ((destructor)) facts_at_exit (void)
{
  if (facts_file () != NULL)
    hugetext_facts ("exit");
}
