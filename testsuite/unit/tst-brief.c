/* Tests of brief questions about processes: a process that is silent is still
   named, a missing answer says nothing about the process, and answers that
   cannot be right are refused.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/unprivileged.h"

/* The sanitizers need more memory than the inspector may have.  */
static void
set_no_limit (int resource, size_t most)
{
  (void) resource, (void) most;
}

#define unprivileged_limit set_no_limit
#include "host/inspector.c"

/* List two processes instead of all processes of the machine.  */
static ssize_t
list_two (pid_t **list)
{
  *list = allocate (2 * sizeof **list);
  (*list)[0] = 1;
  (*list)[1] = getpid ();
  return 2;
}

#define process_list list_two
#include "host/brief.c"
#include "host/census.c"
#include "host/members.h"

/* The process that the kernel lists for each control group, or 0 if there is
   no list.  */
static pid_t listed;

static bool
members_made_up (const char *group, pid_t **list, size_t *count,
                 struct problem *problem)
{
  (void) group;
  *count = listed != 0;
  *list = allocate (sizeof **list);
  **list = listed;
  return listed != 0
         || problem_set (problem,
                         "the kernel lists no processes of the control group");
}

#define members_ask members_made_up
#include "host/unit.c"
#undef members_ask
#include "plan-test.h"
#include "trust.h"

/* What the made-up inspector answers.  */
static struct
{
  pid_t other; /* The number that is added to the ID of the process.  */
  pid_t only;  /* The only process that is read.  */
  enum brief_state state;
  const char *group, *service;
} made_up;

static void
answer_made_up (struct message *asked, struct message *answer)
{
  struct process process
      = { .pid = message_get_number (asked, INT_MAX) + made_up.other,
          .name = "name" };
  message_put_number (answer, made_up.state);
  process_put (answer, &process);
  message_put_text (answer, made_up.group);
  message_put_text (answer, made_up.service);
  message_put_text (answer, "/exe");
}

/* Give no answer.  */
static void
answer_nothing (struct message *asked, struct message *answer)
{
  (void) asked, (void) answer;
  _exit (0);
}

/* From now on, let a new inspector answer brief questions with the function
   WORK.  */
static void
begin_with (inspector_work *work)
{
  static inspector_work *works[INSPECTOR_KINDS];
  inspector_end ();
  works[INSPECTOR_BRIEF] = work;
  inspector_begin (works);
}

/* The question about a process's name, owner and group gives those of this
   process, even if a longer question about the process has no answer yet.  */
static void
test_right (void)
{
  static struct brief found;
  struct problem problem = { 0 };
  char comm[32], path[PATH_MAX];
  const size_t length = process_text (getpid (), "comm", comm, sizeof comm);
  EXPECT (length > 0
          && group_read (procfile_stream (getpid (), "cgroup"), path));
  comm[length - 1] = '\0';
  add_silent (INSPECTOR_BRIEF, getpid ());
  EXPECT (!is_silent (getpid ()));
  add_silent (INSPECTOR_TEXT, getpid ());
  EXPECT (is_silent (getpid ()));
  begin_with (brief_answer);
  EXPECT (brief_ask (getpid (), &found, &problem));
  EXPECT (strcmp (found.process.name, comm) == 0);
  EXPECT (found.process.pid == getpid () && found.process.uid == geteuid ());
  EXPECT (strcmp (found.group, path) == 0);
  EXPECT (readlink ("/proc/self/exe", path, sizeof path) > 0
          && strncmp (found.exe, path, strlen (found.exe)) == 0
          && found.exe[0] == '/');
  const pid_t pids[] = { getpid (), INT_MAX };
  static struct brief both[BRIEF_MANY];
  EXPECT_EQUAL (brief_ask_many (pids, 2, both, &problem), 2);
  EXPECT (both[0].state == BRIEF_READ && both[1].state == BRIEF_GONE);
  group_done ("brief answers", 3);
}

static void
test_wrong (void)
{
  static const struct
  {
    pid_t other;
    const char *group, *service;
    bool good;
  } cases[] = {
    { 0, "/a.slice/b.service", "b.service", true },
    { 0, "/../../a", "/../../a", true },
    { 0, "", "", true },
    { 0, "/a..b/..c", "..c", true },
    { 1, "/a.slice/b.service", "b.service", false },
    { 0, "a.slice/b.service", "b.service", false },
    { 0, "/a/../b", "b", false },
    { 0, "/a/..", "/a", false },
    { 0, "/../a/./b", "b", false },
    { 0, "/a", "..", false },
    { 0, "/a", "/a/../b", false },
    { 0, "/a", "a/b", false },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  static struct brief found;
  for (size_t i = 0; i < count; ++i)
    {
      struct problem problem = { 0 };
      made_up.other = cases[i].other;
      made_up.state = BRIEF_READ;
      made_up.group = cases[i].group;
      made_up.service = cases[i].service;
      begin_with (answer_made_up);
      EXPECT (brief_ask (getpid (), &found, &problem) == cases[i].good);
      EXPECT (problem_is (&problem) == !cases[i].good);
      EXPECT (cases[i].good || found.state == BRIEF_UNKNOWN);
      EXPECT (cases[i].good || found.group[0] == '\0');
    }
  group_done ("wrong brief answers", count);
}

/* A process whose files cannot be read counts neither as read nor as
   ended.  */
static void
test_unread (void)
{
  static struct brief found;
  struct problem problem = { 0 };
  char name[PATH_MAX];
  made_up.other = 0;
  made_up.state = BRIEF_UNKNOWN;
  made_up.group = "/a.slice/b.service";
  made_up.service = "b.service";
  begin_with (answer_made_up);
  EXPECT (!brief_ask (getpid (), &found, &problem));
  EXPECT (found.state == BRIEF_UNKNOWN && problem_is (&problem));
  EXPECT (found.group[0] == '\0' && found.process.pid == getpid ());
  EXPECT (!brief_service (getpid (), name, &problem) && name[0] == '\0');
  made_up.state = BRIEF_GONE;
  begin_with (answer_made_up);
  problem = (struct problem){ 0 };
  EXPECT (!brief_ask (getpid (), &found, &problem));
  EXPECT (found.state == BRIEF_GONE && !problem_is (&problem));
  group_done ("processes whose files cannot be read", 2);
}

/* If the inspector gives no answer, the processes of a service are unknown:
   the service does not count as a service without processes.  */
static void
test_unknown (void)
{
  static const struct unit unit = { .group = "/x.slice/y.service" };
  static struct brief found;
  struct problem problem = { 0 };
  pid_t *list;
  size_t count;
  begin_with (brief_answer);
  EXPECT (unit_processes (&unit, NULL, &list, &count, &problem));
  EXPECT (count == 0 && !problem_is (&problem));
  free (list);
  begin_with (answer_nothing);
  EXPECT (!brief_ask (getpid (), &found, &problem));
  EXPECT (found.state == BRIEF_UNKNOWN && problem_is (&problem));
  problem = (struct problem){ 0 };
  EXPECT (!unit_processes (&unit, NULL, &list, &count, &problem));
  EXPECT (count == 0 && problem.code == PROBLEM_UNKNOWN);
  EXPECT (strstr (problem.text, "unknown: which processes") != NULL);
  free (list);
  problem = (struct problem){ 0 };
  EXPECT (!census_find ("no process has this name", &list, &count, &problem));
  EXPECT (count == 0 && problem.code == PROBLEM_UNKNOWN);
  free (list);
  char path[PATH_MAX];
  EXPECT (!brief_exe (getpid (), path) && path[0] == '\0');
  group_done ("no brief answers", 5);
}

/* If the control group of a process is unknown, the kernel's list of the
   service's group decides.  If other facts are unknown, too, a listed process
   stays unknown.  */
static void
test_listed (void)
{
  static const struct unit unit = { .group = "/x.slice/y.service" };
  static const struct
  {
    enum brief_state state;
    pid_t listed;
    bool known;
    size_t count;
  } cases[] = {
    { BRIEF_NO_GROUP, 0, false, 0 }, { BRIEF_NO_GROUP, INT_MAX, true, 0 },
    { BRIEF_NO_GROUP, 1, true, 1 },  { BRIEF_UNKNOWN, 0, false, 0 },
    { BRIEF_UNKNOWN, 1, false, 0 },  { BRIEF_UNKNOWN, INT_MAX, true, 0 },
  };
  const size_t n = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < n; ++i)
    {
      struct problem problem = { 0 };
      char name[PATH_MAX];
      pid_t *list;
      size_t count;
      made_up.other = 0;
      made_up.state = cases[i].state;
      made_up.group = made_up.service = "";
      listed = cases[i].listed;
      begin_with (answer_made_up);
      EXPECT (unit_processes (&unit, NULL, &list, &count, &problem)
              == cases[i].known);
      EXPECT_EQUAL (count, cases[i].count);
      EXPECT (count == 0 || list[0] == 1);
      EXPECT (problem_is (&problem) == !cases[i].known);
      free (list);
      EXPECT (!brief_service (1, name, &problem) && name[0] == '\0');
      EXPECT (brief_exe (1, name) == (cases[i].state == BRIEF_NO_GROUP));
    }
  group_done ("processes without a known control group", n);
}

/* Answer only about the process made_up.only.  */
static void
answer_one (struct message *asked, struct message *answer)
{
  const pid_t pid = message_get_number (asked, INT_MAX);
  struct process process = { .pid = pid, .name = "name" };
  message_put_number (answer,
                      pid == made_up.only ? BRIEF_READ : BRIEF_UNKNOWN);
  process_put (answer, &process);
  message_put_text (answer, "/x.slice/y.service");
  message_put_text (answer, "y.service");
  message_put_text (answer, "");
}

/* If one process of a service is known, there may be others among those that
   are unknown.  */
static void
test_some_unknown (void)
{
  static const struct unit unit = { .group = "/x.slice/y.service" };
  struct problem problem = { 0 };
  pid_t *list;
  size_t count;
  made_up.only = getpid ();
  begin_with (answer_one);
  EXPECT (!unit_processes (&unit, NULL, &list, &count, &problem));
  EXPECT (count == 1 && list[0] == getpid ());
  EXPECT (problem.code == PROBLEM_UNKNOWN);
  EXPECT (strstr (problem.text, "unknown: which other processes") != NULL);
  free (list);
  EXPECT (!census_find ("name", &list, &count, &problem));
  EXPECT (count == 1 && list[0] == getpid ());
  EXPECT (strstr (problem.text, "unknown: which other processes") != NULL);
  free (list);
  group_done ("some brief answers", 2);
}

int
main (void)
{
  test_right ();
  test_wrong ();
  test_unread ();
  test_unknown ();
  test_some_unknown ();
  test_listed ();
  return 0;
}
