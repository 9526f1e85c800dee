# The workloads: programs at work, and servers whose clients count.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import contextlib
import glob
import os
import re
import shutil
import signal
import subprocess
import time

from places import (COMMAND, IMAGES, IMAGES_PLACE, KIT, LIMIT,
                    SYSTEM_LIBRARIES, WORK, attempt, in_namespace, run)
from watch import children_seconds, end_tree, tree_seconds

# Servers run as the user nobody, because PostgreSQL refuses to run as root.
USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class Workload:
    """A program at work.  FILES have most of its text; OTHERS says that it
    executes other programs, which are what counts."""

    def __init__(self, name, files, command=None, others=False):
        self.name = name
        self.others = others
        self.files = [os.path.realpath(file) for file in files]
        self.words = command
        self.user = []  # What changes to the user who runs it.
        self.copies = {}  # Pairs of a copy and a file, by what was done to it.

    def prepare(self):
        """Make images of the text, and copies of the files, unchanged and
        rewritten.  A file without a block of text has no image."""
        attempt(in_namespace(f"mount --bind {IMAGES} {IMAGES_PLACE} && ",
                             [COMMAND, "store", "add", *self.files]))
        for kind, make in (("primed", "cp"), ("rewritten", KIT + "/rewrite")):
            self.copies[kind] = []
            for file in self.files:
                copy = f"{WORK}/{kind}/{os.path.basename(file)}"
                run([make, file, copy])
                self.copies[kind].append((copy, file))

    def prime(self, kind):
        """Have the copies of KIND in huge pages, before each run: the kernel may
        have forgotten them."""
        for copy, _ in self.copies.get(kind, []):
            attempt([COMMAND, "prime", copy])

    def excludes(self, variant):
        """Why VARIANT cannot be measured; None if it can."""
        if self.others and variant.loader:
            return "this loader starts one program only, not those it executes"
        return None

    def measure(self, variant, counted, look):
        """Run once under VARIANT.  COUNTED puts perf in front of a command;
        LOOK gets the process to be looked at.  Return, by name, the units of
        work done (one run, or thousands of transactions); the seconds and the
        seconds of processors for a unit; and of servers transactions in a
        second and the 99th percentile of one in milliseconds."""
        command = counted(variant.command(self, self.words))
        cpu = children_seconds()
        start = time.monotonic()
        with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, cwd=WORK) as process:
            look(process.pid)
            try:
                said = process.communicate(timeout=LIMIT)[1]
            except subprocess.TimeoutExpired:
                end_tree(process.pid)
                raise
        if process.returncode != 0:
            raise RuntimeError(f"{self.name}: status {process.returncode}:"
                               f" {said.decode(errors='replace')[-500:]}")
        return {"units": 1, "seconds": time.monotonic() - start,
                "cpu": children_seconds() - cpu}


@contextlib.contextmanager
def started(words, end, **options):
    """A process that runs WORDS; at the end of the block, or where that fails,
    it gets the signal END."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.send_signal(end)
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            end_tree(process.pid)
            process.wait()


class Server(Workload):
    """A server, with a client that counts transactions."""

    end = signal.SIGTERM  # What ends it.
    seconds = 5

    def measure(self, variant, counted, look):
        with open(f"{WORK}/{self.name.split()[0]}.log", "ab") as log, \
             started(variant.command(self, self.serve()), self.end,
                     stdout=log, stderr=log) as server:
            self.wait(server)
            with started(counted(["sleep", "1000"], server.pid),
                         signal.SIGINT):
                look(server.pid)
                cpu = tree_seconds(server.pid)
                rate, percentile = self.load()
                cpu = tree_seconds(server.pid) - cpu
        units = rate * self.seconds / 1000
        return {"units": units, "seconds": 1000 / rate, "cpu": cpu / units,
                "per_second": rate, "p99_ms": percentile}

    def wait(self, server):
        for _ in range(300):
            if subprocess.run(self.ping(), capture_output=True,
                              check=False).returncode == 0:
                return
            if server.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"{self.name}: the server does not answer")


class Postgres(Server):
    """PostgreSQL with pgbench."""

    end = signal.SIGINT

    def __init__(self, name, options):
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        super().__init__(name, [self.bin + "/postgres"])
        self.options = options
        self.user = USER
        self.data = WORK + "/postgres"
        self.at = ["-h", WORK, "-U", "nobody"]

    def serve(self):
        return [self.bin + "/postgres", "-D", self.data, "-k", WORK,
                "-h", "", "-c", "fsync=off", "-c", "shared_buffers=512MB"]

    def ping(self):
        return [self.bin + "/pg_isready", "-q", "-h", WORK]

    def prepare(self):
        super().prepare()
        if os.path.exists(self.data):
            return
        os.mkdir(self.data)
        os.chown(self.data, 65534, 65534)
        run([*USER, self.bin + "/initdb", "-A", "trust", "-N", "-D",
             self.data])
        with started([*self.user, *self.serve()], self.end,
                     stderr=subprocess.DEVNULL) as server:
            self.wait(server)
            run([self.bin + "/pgbench", *self.at, "-q", "-i", "-s", "20",
                 "postgres"])

    def load(self):
        logs = WORK + "/pgbench_log"
        for old in glob.glob(logs + ".*"):
            os.remove(old)
        said = run([self.bin + "/pgbench", *self.at, "-n", *self.options,
                    "-c", "4", "-j", "2", "-T", str(self.seconds), "--log",
                    f"--log-prefix={logs}", "postgres"])
        times = []
        for path in glob.glob(logs + ".*"):
            with open(path, encoding="ascii") as file:
                times += [int(line.split()[2]) for line in file]
        times.sort()
        return (float(re.search(r"tps = ([\d.]+)", said)[1]),
                times[len(times) * 99 // 100] / 1000)


class MariaDB(Server):
    """MariaDB with sysbench."""

    def __init__(self, name, test):
        super().__init__(name, ["/usr/sbin/mariadbd"])
        self.data = WORK + "/mariadb"
        self.socket = WORK + "/mariadb.socket"
        self.bench = ["sysbench", test, f"--mysql-socket={self.socket}",
                      "--mysql-user=root", "--tables=4",
                      "--table-size=50000", "--threads=4",
                      f"--time={self.seconds}", "--percentile=99"]

    def serve(self):
        return [self.files[0], "--no-defaults", "--user=root",
                f"--datadir={self.data}", f"--socket={self.socket}",
                "--skip-networking", "--innodb-buffer-pool-size=512M",
                "--innodb-flush-log-at-trx-commit=2", "--skip-log-bin"]

    def ping(self):
        return ["mariadb-admin", "--no-defaults", "-S", self.socket, "-u",
                "root", "ping"]

    def prepare(self):
        super().prepare()
        if os.path.exists(self.data):
            return
        run(["mariadb-install-db", "--no-defaults", "--user=root",
             f"--datadir={self.data}",
             "--auth-root-authentication-method=normal"])
        with started([*self.user, *self.serve()], self.end,
                     stderr=subprocess.DEVNULL) as server:
            self.wait(server)
            run(["mariadb", "--no-defaults", "-S", self.socket, "-u", "root",
                 "-e", "create database sbtest"])
            run([*self.bench, "prepare"])

    def load(self):
        said = run([*self.bench, "run"])
        return (float(re.search(r"transactions: .*\(([\d.]+) per", said)[1]),
                float(re.search(r"99th percentile: *([\d.]+)", said)[1]))


INPUTS = KIT + "/inputs"


def clang(name):
    program = os.path.realpath(shutil.which("clang"))
    libraries = [path for pattern in ("libLLVM-*.so.1", "libclang-cpp.so.*")
                 for path in glob.glob(f"{SYSTEM_LIBRARIES}/{pattern}")]
    run(["clang++", "-E", INPUTS + "/containers.cc", "-o",
         WORK + "/clang++.ii"])
    return Workload(name, [program, *libraries],
                    [program, "-O2", "-c", "clang++.ii", "-o", "/dev/null"])


def cc1plus(name):
    program = run(["g++", "-print-prog-name=cc1plus"]).strip()
    run(["g++", "-E", INPUTS + "/containers.cc", "-o", WORK + "/g++.ii"])
    return Workload(name, [program], [program, "-quiet", "-O2",
                                      "-fpreprocessed", "g++.ii", "-o",
                                      "/dev/null"])


def java(name):
    program = os.path.realpath(shutil.which("java"))
    jvm = glob.glob(os.path.dirname(program) + "/../lib/server/libjvm.so")
    run(["javac", "-d", WORK, INPUTS + "/Code.java"])
    return Workload(name, [program, *jvm],
                    [program, "-Xmx256m", "-cp", WORK, "Code", "60", "3000"])


def workloads():
    """What makes a workload, by its name.  A run takes a second or two."""
    return {
        "clang": clang,
        "cc1plus": cc1plus,
        "python3": lambda name: Workload(
            name, ["/usr/bin/python3"],
            ["/usr/bin/python3", INPUTS + "/work.py", "12"]),
        "node": lambda name: Workload(
            name, ["/usr/bin/node"],
            ["/usr/bin/node", INPUTS + "/work.js", "8"]),
        "java": java,
        "short programs": lambda name: Workload(
            name, ["/usr/bin/dash", "/usr/bin/true"],
            ["sh", "-c", "i=0; while test $i -lt 500; do"
             " /bin/true; i=$((i + 1)); done"], others=True),
        "postgres select": lambda name: Postgres(name, ["-S"]),
        "postgres write": lambda name: Postgres(name, []),
        "mariadb select": lambda name: MariaDB(name, "oltp_point_select"),
        "mariadb write": lambda name: MariaDB(name, "oltp_read_write"),
    }
