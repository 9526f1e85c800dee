/* The page of "hugetext report": HTML about the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The command inspects each process once.  The command makes the page only
   from the JSON that "hugetext status" and "hugetext explain" print for this
   process.  Because all figures and all text of the page come from this JSON,
   the figures agree with those of "hugetext status" and "hugetext explain",
   and the text has only printable characters.  The page contains no script,
   and no links to other pages or servers.  */

#include "page/page.h"
#include "page/markup.h"
#include "explain/explain.h"
#include "host/selection.h"
#include "status/status.h"
#include "text/json.h"
#include "util/allocate.h"
#include "util/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The maximum number of processes whose objects the page shows.  The page
   shows further processes only in its table.  */
#define DETAILS_MAX 24

/* One process, with the JSON that "hugetext status" and "hugetext explain"
   print for it.  */
struct subject
{
  struct json_object *status, *explain;
};

/* The kinds of blocks, by the letter in the JSON from "hugetext status".  Cold
   blocks and other blocks on small pages have the same letter ".", so the
   verdict of "hugetext explain" distinguishes them.  */
static const struct
{
  char letter;
  const char *verdict; /* The verdict that "hugetext explain" gives on blocks
                          of this kind, or NULL if blocks of this kind may have
                          any verdict.  */
  const char *style;   /* The class of the kind of blocks in the style
                          sheet.  */
  const char *words;
} kinds[] = {
#define HUGETEXT_CHOSEN_BACKING(id, word, letter, ...) \
  { letter, NULL, word, "huge: " word },
#define HUGETEXT_OTHER_BACKING(id, word, letter) \
  { letter, NULL, word, "huge: " word },
#include "dl-hugetext-backings.def"
  { '.', "cold", "cold",
    "small pages: too few samples of the block in the profile" },
  { '.', NULL, "small", "small pages" },
  { '_', NULL, "idle", "not touched yet" },
  { '?', NULL, "guess", "not known" },
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The style sheet keeps every part of a bar visible, even if the bar has 300
   parts and the window is narrow.  */
#define STYLE                                                                 \
  "<style>\n"                                                                 \
  ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--ground:#fff;" \
  "--card:#f6f8fa;--line:#d0d7de;--file:#1a7f37;--store:#0969da;"             \
  "--thp:#6639ba;--memfd:#bf3989;--hugetlb:#1b7c83;--small:#e16f24;"          \
  "--cold:#b7a086;--idle:#dfe3e8;--guess:#c69026}\n"                          \
  "@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;"    \
  "--ground:#0d1117;--card:#161b22;--line:#30363d;--file:#3fb950;"            \
  "--store:#58a6ff;--thp:#a371f7;--memfd:#f778ba;--hugetlb:#39c5cf;"          \
  "--small:#f0883e;--cold:#8a7a63;--idle:#30363d;--guess:#d29922}}\n"         \
  "*{box-sizing:border-box}\n"                                                \
  "body{margin:0 auto;max-width:70rem;padding:1rem;background:var(--ground);" \
  "color:var(--ink);font:16px/1.45 system-ui,sans-serif;"                     \
  "overflow-wrap:break-word}\n"                                               \
  "h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.15rem;margin:1.6rem 0 "  \
  ".4rem}h3{font-size:1rem;margin:1rem 0 .3rem}\n"                            \
  "p{margin:.3rem 0}.soft{color:var(--soft)}"                                 \
  ".path{overflow-wrap:anywhere}\n"                                           \
  ".cards{display:grid;gap:.6rem;margin:.8rem 0;grid-template-columns:"       \
  "repeat(auto-fit,minmax(8.5rem,1fr))}\n"                                    \
  ".card{background:var(--card);border:1px solid var(--line);"                \
  "border-radius:.5rem;padding:.5rem .6rem}"                                  \
  ".card b{display:block;font-size:1.2rem;white-space:nowrap}\n"              \
  ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}"        \
  "th,td{text-align:right;padding:.2rem .5rem;border-bottom:1px solid "       \
  "var(--line);white-space:nowrap}"                                           \
  "th:first-child,td:first-child{text-align:left;padding-left:0}\n"           \
  ".object{margin:.7rem 0}.object p{margin:.1rem 0}\n"                        \
  ".bar{display:flex;height:1.1rem;border-radius:.2rem;overflow:hidden;"      \
  "min-width:.6rem}\n"                                                        \
  ".bar i,.key i{display:block;font-style:normal}"                            \
  ".bar i{min-width:min(3px,.3%)}data{white-space:nowrap}"                    \
  ".key{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;"                \
  "list-style:none}.key li{display:flex;align-items:center;gap:.4rem}"        \
  ".key i{width:1rem;height:1rem;border-radius:.2rem}\n"                      \
  ".file{background:var(--file)}.store{background:var(--store)}"              \
  ".thp{background:var(--thp)}.memfd{background:var(--memfd)}"                \
  ".hugetlb{background:var(--hugetlb)}.small{background:repeating-linear-"    \
  "gradient(45deg,var(--small) 0 5px,color-mix(in srgb,var(--small) 70%,"     \
  "var(--ground)) 5px 8px)}.cold{background:var(--cold)}"                     \
  ".idle{background:var(--idle)}.guess{background:var(--guess)}\n"            \
  "details{border:1px solid var(--line);border-radius:.5rem;margin:.8rem 0;"  \
  "padding:.3rem .8rem}summary{cursor:pointer;padding:.3rem 0;"               \
  "font-weight:600}\n"                                                        \
  ".todo li{margin:.4rem 0}code{font:0.92em ui-monospace,monospace;"          \
  "overflow-wrap:anywhere}\n"                                                 \
  "footer{margin-top:2rem;color:var(--soft);font-size:.85rem}\n"              \
  "@media print{details{break-inside:avoid}}\n"                               \
  "</style>\n"

static struct json_object *
member (struct json_object *json, const char *key)
{
  struct json_object *value = NULL;
  json_object_object_get_ex (json, key, &value);
  return value;
}

static const char *
text_member (struct json_object *json, const char *key)
{
  struct json_object *value = member (json, key);
  return value != NULL ? json_object_get_string (value) : NULL;
}

/* Return the bytes of text of an object or block, from its JSON.  */
static int64_t
text_bytes (struct json_object *json)
{
  return json_object_get_int64 (member (json, "text_bytes"));
}

/* JSON has a number of bytes as the value of KEY.  Print this number in two
   forms: with a unit for people, and as a plain number for programs.  */
static void
put_bytes (FILE *stream, struct json_object *json, const char *key)
{
  const int64_t bytes = json_object_get_int64 (member (json, key));
  char number[24], words[24];
  snprintf (number, sizeof number, "%lld", (long long) bytes);
  if (bytes < 1 << 20)
    /* Round down, like the table of "hugetext status".  */
    snprintf (words, sizeof words, "%lld KiB", (long long) bytes / 1024);
  else
    snprintf (words, sizeof words, "%.1f MiB", bytes / 1048576.0);
  markup (stream, "<data class=\"%\" value=\"%\">%</data>", key, number,
          words);
}

/* Print the share of text on huge pages (the value of "share_percent" in
   JSON), followed by AFTER.  If no text is in use, print NONE instead.  */
static void
put_share (FILE *stream, struct json_object *json, const char *after,
           const char *none)
{
  struct json_object *share = member (json, "share_percent");
  if (share != NULL)
    markup (stream,
            "<data class=\"share_percent\" value=\"%\">%&nbsp;%</data>%",
            json_object_to_json_string (share),
            json_object_to_json_string (share), "%", after);
  else
    markup (stream, "%", none);
}

static void
put_card (FILE *stream, struct json_object *json, const char *key,
          const char *words)
{
  markup (stream, "<div class=\"card\"><b>");
  put_bytes (stream, json, key);
  markup (stream, "</b>%</div>\n", words);
}

/* Return the kind of a block whose letter is LETTER.  VERDICT is the verdict
   of "hugetext explain" on the block.  */
static size_t
kind_of (char letter, const char *verdict)
{
  for (size_t i = 0; i < KINDS; ++i)
    if (kinds[i].letter == letter
        && (kinds[i].verdict == NULL
            || (verdict != NULL && strcmp (kinds[i].verdict, verdict) == 0)))
      return i;
  return KINDS - 1;
}

/* Successive blocks of the same kind, and the number of their bytes of
   text.  */
struct run
{
  size_t kind, count;
  int64_t text;
};

/* Print RUN, a run of neighbouring blocks, as a part of a bar.  The width of
   this part is proportional to the bytes of text in RUN.  */
static void
put_run (FILE *stream, const struct run *run)
{
  char number[24], width[24];
  snprintf (number, sizeof number, "%zu", run->count);
  snprintf (width, sizeof width, "%lld", (long long) run->text);
  if (run->count > 0)
    markup (stream, "<i class=\"%\" style=\"flex:%\" title=\"% %, %\"></i>",
            kinds[run->kind].style, width, number,
            count_word (run->count, "block", "blocks"),
            kinds[run->kind].words);
}

/* Print the blocks of OBJECT as a bar.  EXPLAINED is the JSON that "hugetext
   explain" prints about OBJECT, with a verdict on each block.  MOST is the
   number of bytes of text for which a bar has full width.  */
static void
put_bar (FILE *stream, struct json_object *object,
         struct json_object *explained, int64_t most)
{
  struct json_object *maps = member (object, "maps");
  struct json_object *blocks = member (explained, "blocks");
  char width[24];
  size_t at = 0;
  struct run run = { .kind = KINDS };
  snprintf (width, sizeof width, "%lld",
            (long long) (100.0 * text_bytes (object) / most));
  markup (stream, "<div class=\"bar\" style=\"width:%%\">", width, "%");
  for (size_t i = 0; i < json_object_array_length (maps); ++i)
    for (const char *letter
         = text_member (json_object_array_get_idx (maps, i), "blocks");
         *letter != '\0'; ++letter, ++at)
      {
        struct json_object *block = json_object_array_get_idx (blocks, at);
        const size_t kind = kind_of (*letter, text_member (block, "verdict"));
        if (kind != run.kind)
          {
            put_run (stream, &run);
            run = (struct run){ .kind = kind };
          }
        ++run.count;
        run.text += text_bytes (block);
      }
  put_run (stream, &run);
  markup (stream, "</div>\n");
}

/* Print OBJECT: its bar, and the share of huge text.  */
static void
page_put_object (FILE *stream, struct json_object *object,
                 struct json_object *explained, int64_t most)
{
  markup (stream, "<div class=\"object\">\n<p class=\"path\">%</p>\n",
          text_member (object, "name"));
  put_bar (stream, object, explained, most);
  markup (stream, "<p class=\"soft\">");
  put_share (stream, object, " huge: ", "nothing in use: ");
  put_bytes (stream, object, "huge_bytes");
  markup (stream, " on huge and ");
  put_bytes (stream, object, "small_bytes");
  markup (stream, " on small pages, of ");
  put_bytes (stream, object, "text_bytes");
  markup (stream, "</p>\n</div>\n");
}

static void
put_objects (FILE *stream, const struct subject *subject)
{
  struct json_object *objects = member (subject->status, "objects");
  const size_t count = json_object_array_length (objects);
  int64_t most = 1;
  for (size_t i = 0; i < count; ++i)
    {
      const int64_t text = text_bytes (json_object_array_get_idx (objects, i));
      most = text > most ? text : most;
    }
  markup (stream, "<h3>Objects, each as a bar of blocks</h3>\n");
  for (size_t i = 0; i < count; ++i)
    page_put_object (stream, json_object_array_get_idx (objects, i),
                     json_object_array_get_idx (subject->explain, i), most);
  struct json_object *made = member (subject->status, "made_at_run_time");
  if (json_object_get_int64 (member (made, "text_bytes")) > 0)
    {
      markup (stream, "<p>Code made at run time: ");
      put_bytes (stream, made, "text_bytes");
      markup (stream, ", of which ");
      put_bytes (stream, made, "huge_bytes");
      markup (stream, " is on huge pages.</p>\n");
    }
}

/* A reason why blocks are small, and how many blocks have this reason.  */
struct cause
{
  const char *reason, *remedy;
  size_t blocks;
};

/* Count BLOCK under its reason in LIST, which has COUNT elements.  Return the
   new number of elements.  */
static size_t
count_cause (struct cause **list, size_t count, struct json_object *block)
{
  const char *reason = text_member (block, "reason");
  const char *remedy = text_member (block, "remedy");
  if (json_object_get_boolean (member (block, "huge")) || reason == NULL)
    return count;
  for (size_t i = 0; i < count; ++i)
    if (strcmp ((*list)[i].reason, reason) == 0)
      {
        ++(*list)[i].blocks;
        return count;
      }
  *list = allocate_more (*list, count, sizeof **list);
  (*list)[count] = (struct cause){ reason, remedy, 1 };
  return count + 1;
}

static int
by_blocks (const void *a, const void *b)
{
  const struct cause *x = a, *y = b;
  return (x->blocks < y->blocks) - (x->blocks > y->blocks);
}

/* Print why blocks of SUBJECT are small, and what the user can do.  If huge
   text was off in the process, print nothing, because the page already shows
   the reason for the whole process.  */
static void
put_causes (FILE *stream, const struct subject *subject)
{
  struct cause *list = NULL;
  size_t count = 0;
  if (text_member (subject->status, "text_left_alone") != NULL)
    return;
  for (size_t i = 0; i < json_object_array_length (subject->explain); ++i)
    {
      struct json_object *blocks
          = member (json_object_array_get_idx (subject->explain, i), "blocks");
      for (size_t k = 0; k < json_object_array_length (blocks); ++k)
        count = count_cause (&list, count,
                             json_object_array_get_idx (blocks, k));
    }
  if (count == 0)
    return;
  qsort (list, count, sizeof *list, by_blocks);
  markup (stream, "<h3>Why blocks are on small pages, and what to do</h3>\n"
                  "<ul class=\"todo\">\n");
  for (size_t i = 0; i < count; ++i)
    {
      char number[24];
      snprintf (number, sizeof number, "%zu", list[i].blocks);
      markup (stream, "<li>% %: %", number,
              count_word (list[i].blocks, "block", "blocks"), list[i].reason);
      if (list[i].remedy != NULL)
        markup (stream, "<br><b>To make them huge:</b> %", list[i].remedy);
      markup (stream, "</li>\n");
    }
  markup (stream, "</ul>\n");
  free (list);
}

/* Print the facts about SUBJECT as a whole.  */
static void
page_put_facts (FILE *stream, const struct subject *subject)
{
  struct json_object *status = subject->status;
  const char *loader = text_member (status, "loader");
  const char *problem = text_member (status, "explained_problem");
  const char *left = text_member (status, "code_left_alone");
  markup (stream, "<p class=\"path soft\">%; its loader is %.</p>\n",
          text_member (status, "exe"),
          loader == NULL                        ? "not known"
          : strcmp (loader, "ld-hugetext") == 0 ? "ld-hugetext.so"
          : strcmp (loader, "none") == 0        ? "none (static)"
                                                : "another");
  /* PROBLEM is the reason why the loader made no text huge.  Do not print that
     the process has no huge text if "hugetext attach" has made text huge after
     the start.  */
  const bool some = json_object_get_int64 (member (status, "huge_bytes")) > 0;
  if (problem != NULL)
    markup (stream, "<p><b>%:</b> %.</p>\n",
            some ? "The loader put no text on huge pages" : "No huge text",
            problem);
  if (left != NULL)
    markup (stream, "<p>Code made at run time stays on small pages: %.</p>\n",
            left);
  if (json_object_get_boolean (member (status, "thp_disabled")))
    markup (stream, "<p>The process %.</p>\n", inspect_thp_disabled ());
  if (json_object_get_boolean (member (status, "outdated")))
    markup (
        stream,
        "<p><b>The settings of the program have changed since the process was "
        "started:</b> restart the process to apply the new settings.</p>\n");
  json_object_object_foreach (member (status, "settings"), key, setting)
  {
    markup (stream,
            "<p><code>% = %</code> <span class=\"soft\">(%)</span></p>\n", key,
            text_member (setting, "value"), text_member (setting, "source"));
  }
}

static void
put_cards (FILE *stream, struct json_object *status)
{
  struct json_object *memory = member (status, "memory");
  markup (stream, "<div class=\"cards\">\n<div class=\"card\"><b>");
  put_share (stream, status, "", "-");
  markup (stream, "</b>of the text in use is huge</div>\n");
  put_card (stream, status, "huge_bytes", "text on huge pages");
  put_card (stream, status, "small_bytes", "text on small pages");
  put_card (stream, status, "text_bytes", "text, in use or not");
  put_card (stream, memory, "copies_bytes", "memory in copies of text");
  if (json_object_get_int64 (member (memory, "copies_bytes")) > 0)
    put_card (stream, memory, "copies_primed_bytes",
              "memory that copies would still take if the files were primed "
              "(hugetext prime)");
  put_card (stream, memory, "images_bytes",
            "this process's share of the memory of images");
  markup (stream, "</div>\n");
}

/* Print everything about SUBJECT.  If OPEN is true, the browser shows the
   details of the process without a click.  */
static void
put_process (FILE *stream, const struct subject *subject, bool open)
{
  markup (stream, "<details%", open ? " open" : "");
  markup (stream, ">\n<summary>% %</summary>\n",
          text_member (subject->status, "pid"),
          text_member (subject->status, "name"));
  page_put_facts (stream, subject);
  put_cards (stream, subject->status);
  put_causes (stream, subject);
  put_objects (stream, subject);
  markup (stream, "</details>\n");
}

static void
put_legend (FILE *stream)
{
  markup (stream, "<h2>Blocks</h2>\n<p class=\"soft\">A block is a range of "
                  "addresses that one huge page can back. The length of each "
                  "part of a bar shows how much text its blocks hold.</p>\n"
                  "<ul class=\"key\">\n");
  for (size_t i = 0; i < KINDS; ++i)
    markup (stream, "<li><i class=\"%\"></i>%</li>\n", kinds[i].style,
            kinds[i].words);
  markup (stream, "</ul>\n");
}

/* Print the table of the COUNT SUBJECTS.  */
static void
put_table (FILE *stream, const struct subject *subjects, size_t count)
{
  markup (stream, "<h2>Processes</h2>\n<div class=\"scroll\"><table>\n<tr>"
                  "<th>process</th><th>share</th><th>huge</th><th>small</th>"
                  "<th>text</th><th>copies</th></tr>\n");
  for (size_t i = 0; i < count; ++i)
    {
      struct json_object *status = subjects[i].status;
      markup (stream, "<tr><td>% %</td><td>", text_member (status, "pid"),
              text_member (status, "name"));
      put_share (stream, status, "", "-");
      markup (stream, "</td><td>");
      put_bytes (stream, status, "huge_bytes");
      markup (stream, "</td><td>");
      put_bytes (stream, status, "small_bytes");
      markup (stream, "</td><td>");
      put_bytes (stream, status, "text_bytes");
      markup (stream, "</td><td>");
      put_bytes (stream, member (status, "memory"), "copies_bytes");
      markup (stream, "</td></tr>\n");
    }
  markup (stream, "</table></div>\n");
}

/* Set TITLE, a buffer of SIZE bytes, to a title for the COUNT SUBJECTS.  NAME
   is the word by which the user has selected the SUBJECTS.  If NAME is a
   process ID, the title contains the ID and the name of the process.  */
static void
find_title (const struct subject *subjects, size_t count, const char *name,
            char *title, size_t size)
{
  const char *pid = text_member (subjects[0].status, "pid");
  if (count == 1 && strcmp (pid, name) == 0)
    snprintf (title, size, "%s %s", pid,
              text_member (subjects[0].status, "name"));
  else
    snprintf (title, size, "%s", name);
}

static void
put_page (FILE *stream, const char *name, const struct subject *subjects,
          size_t count)
{
  char host[256] = "", when[64];
  const time_t now = time (NULL);
  gethostname (host, sizeof host - 1);
  strftime (when, sizeof when, "%Y-%m-%d %H:%M:%S %Z", localtime (&now));
  struct json_object *said = json_string (host);
  markup_plain (
      stream,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
  char title[320];
  find_title (subjects, count, name, title, sizeof title);
  markup (stream, "<title>Huge text of %</title>\n", title);
  markup_plain (stream, STYLE);
  markup (stream, "</head>\n<body>\n<h1>Huge text of %</h1>\n", title);
  markup (stream, "<p class=\"soft\">%, %</p>\n",
          json_object_get_string (said), when);
  json_object_put (said);
  if (count > 1)
    put_table (stream, subjects, count);
  put_legend (stream);
  for (size_t i = 0; i < count && i < DETAILS_MAX; ++i)
    put_process (stream, &subjects[i], i == 0);
  if (count > DETAILS_MAX)
    markup (stream, "<p class=\"soft\">For the blocks of any other process, "
                    "use hugetext report PID.</p>\n");
  markup (stream,
          "<footer>hugetext % (ld-hugetext). All figures are from the kernel "
          "(smaps, PAGEMAP_SCAN). hugetext status and hugetext explain print "
          "the same figures.</footer>\n</body>\n</html>\n",
          PACKAGE_VERSION);
}

/* Read the JSON about process PID into SUBJECT.  Set NAME to the name of the
   process for messages.  */
static bool
read_subject (pid_t pid, struct subject *subject, char name[static 64],
              struct problem *problem)
{
  static struct inspection found;
  struct explanation to;
  const bool good = inspect (pid, INSPECT_COST | EXPLAIN_INSPECTS, &found);
  snprintf (name, 64, "%s", found.process.name);
  if (!good)
    {
      *problem = found.problem;
      return false;
    }
  explain_inspected (&found, &to);
  subject->status = status_json (&found);
  subject->explain = json_object_new_array ();
  explain_json (&to, subject->explain);
  json_set_string (subject->status, "explained_problem",
                   problem_is (&to.problem) ? to.problem.text : NULL);
  explain_free (&to);
  inspect_free (&found);
  return true;
}

/* Compare two processes for sorting: the process with more text on small pages
   comes first or, if both have the same amount, the process with the lower
   ID.  */
static int
page_compare_small (const void *a, const void *b)
{
  const struct subject *x = a, *y = b;
  const int64_t s = json_object_get_int64 (member (x->status, "small_bytes"));
  const int64_t t = json_object_get_int64 (member (y->status, "small_bytes"));
  const int order = (s < t) - (s > t);
  return order != 0 ? order
                    : json_object_get_int (member (x->status, "pid"))
                          - json_object_get_int (member (y->status, "pid"));
}

/* To limit the memory for JSON from "hugetext explain", keep the JSON of at
   most DETAILS_MAX of the COUNT SUBJECTS.  The last of SUBJECTS is new, and
   has its JSON.  KEPT contains the indices of the NKEPT other subjects that
   still have their JSON; add the new subject to KEPT.  If KEPT has more than
   DETAILS_MAX subjects with the new subject, free the JSON of the subject with
   the least text on small pages, the last in the order of page_compare_small.
 */
static void
keep_details (struct subject *subjects, size_t count,
              size_t kept[static DETAILS_MAX + 1], size_t *nkept)
{
  size_t last = *nkept;
  kept[(*nkept)++] = count - 1;
  if (*nkept <= DETAILS_MAX)
    return;
  for (size_t i = 0; i < *nkept; ++i)
    if (page_compare_small (&subjects[kept[i]], &subjects[kept[last]]) > 0)
      last = i;
  json_object_put (subjects[kept[last]].explain);
  subjects[kept[last]].explain = NULL;
  kept[last] = kept[--*nkept];
}

bool
page_print (FILE *stream, const char *name, const pid_t *list, size_t count)
{
  struct subject *subjects = allocate (count * sizeof *subjects + 1);
  struct json_object *said = json_string (name);
  size_t kept[DETAILS_MAX + 1], nkept = 0, n = 0;
  bool good = true;
  for (size_t i = 0; i < count; ++i)
    {
      char known[64];
      struct problem problem;
      if (read_subject (list[i], &subjects[n], known, &problem))
        keep_details (subjects, ++n, kept, &nkept);
      else if (!selected_has_gone (list, count, i))
        {
          good = false;
          fprintf (stderr, "hugetext report: %d (%s): %s\n", (int) list[i],
                   known[0] != '\0' ? known : name, problem.text);
        }
    }
  if (n > 0)
    {
      qsort (subjects, n, sizeof *subjects, page_compare_small);
      put_page (stream, json_object_get_string (said), subjects, n);
    }
  for (size_t i = 0; i < n; ++i)
    {
      json_object_put (subjects[i].status);
      json_object_put (subjects[i].explain);
    }
  json_object_put (said);
  free (subjects);
  return good;
}
