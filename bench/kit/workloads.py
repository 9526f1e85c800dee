# The workloads: programs at work, and servers whose clients count.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import glob
import os
import re
import shutil
import signal
import subprocess
import time

from places import (COMMAND, IMAGES, IMAGES_PLACE, KIT, SYSTEM_LIBRARIES, WORK,
                    attempt, in_namespace, run)

# Servers run as nobody, since PostgreSQL refuses root.
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
        """Make images of the text, and copies of the files: as they are, and
        rewritten.  Of a file without a block of text there is no image."""
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

    def measure(self, variant, counted, look):
        """Run once under VARIANT.  COUNTED puts perf in front of a command;
        LOOK gets the process to be looked at.  Return seconds (of a run, or of
        1000 transactions), how many units of work the counts are of, and
        the 99th percentile of a transaction in milliseconds or None."""
        command = counted(variant.command(self, self.words))
        start = time.monotonic()
        with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, cwd=WORK) as process:
            look(process.pid)
            said = process.stderr.read().decode(errors="replace")
        if process.returncode != 0:
            raise RuntimeError(f"{self.name}: status {process.returncode}:"
                               f" {said.strip()[-500:]}")
        return time.monotonic() - start, 1, None


class Server(Workload):
    """A server, with a client that counts transactions."""

    kind = ""
    seconds = 8

    def measure(self, variant, counted, look):
        with open(f"{WORK}/{self.name.split()[0]}.log", "ab") as log, \
             subprocess.Popen(variant.command(self, self.serve()), stdout=log,
                              stderr=log, stdin=subprocess.DEVNULL) as server:
            try:
                self.wait(server)
                with subprocess.Popen(
                        counted(["sleep", "1000"], server.pid)) as perf:
                    look(server.pid)
                    rate, percentile = self.load()
                    perf.send_signal(signal.SIGINT)
            finally:
                server.send_signal(signal.SIGINT if self.kind == "postgres"
                                   else signal.SIGTERM)
        return 1000 / rate, rate * self.seconds, percentile

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

    kind = "postgres"

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
        with subprocess.Popen([*self.user, *self.serve()],
                              stderr=subprocess.DEVNULL) as it:
            self.wait(it)
            run([self.bin + "/pgbench", *self.at, "-q", "-i", "-s", "20",
                 "postgres"])
            it.send_signal(signal.SIGINT)

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

    kind = "mariadb"

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
        with subprocess.Popen([*self.user, *self.serve()],
                              stderr=subprocess.DEVNULL) as it:
            self.wait(it)
            run(["mariadb", "--no-defaults", "-S", self.socket, "-u", "root",
                 "-e", "create database sbtest"])
            run([*self.bench, "prepare"])
            it.send_signal(signal.SIGTERM)

    def load(self):
        said = run([*self.bench, "run"])
        return (float(re.search(r"transactions: .*\(([\d.]+) per", said)[1]),
                float(re.search(r"99th percentile: *([\d.]+)", said)[1]))


def workloads():
    inputs = KIT + "/inputs"
    clang = os.path.realpath(shutil.which("clang"))
    cc1plus = run(["g++", "-print-prog-name=cc1plus"]).strip()
    java = os.path.realpath(shutil.which("java"))
    libraries = [path for pattern in ("libLLVM-*.so.1", "libclang-cpp.so.*")
                 for path in glob.glob(f"{SYSTEM_LIBRARIES}/{pattern}")]
    jvm = glob.glob(os.path.dirname(java) + "/../lib/server/libjvm.so")
    # clang takes six times as long for the larger file.
    run(["g++", "-E", inputs + "/example.cc", "-o", WORK + "/g++.ii"])
    run(["clang++", "-E", inputs + "/containers.cc", "-o",
         WORK + "/clang++.ii"])
    run(["javac", "-d", WORK, inputs + "/Code.java"])
    all_of_them = [
        Workload("clang", [clang, *libraries],
                 [clang, "-O2", "-c", "clang++.ii", "-o", "/dev/null"]),
        Workload("cc1plus", [cc1plus], [cc1plus, "-quiet", "-O2",
                                        "-fpreprocessed", "g++.ii", "-o",
                                        "/dev/null"]),
        Workload("python3", ["/usr/bin/python3"],
                 ["/usr/bin/python3", inputs + "/work.py", "30"]),
        Workload("node", ["/usr/bin/node"],
                 ["/usr/bin/node", inputs + "/work.js", "20"]),
        Workload("java", [java, *jvm],
                 [java, "-Xmx256m", "-cp", WORK, "Code", "300", "3000"]),
        Workload("short programs", ["/usr/bin/dash", "/usr/bin/true"],
                 ["sh", "-c", "i=0; while test $i -lt 100; do"
                  " /bin/true; i=$((i + 1)); done"], others=True),
        Postgres("postgres select", ["-S"]),
        Postgres("postgres write", []),
        MariaDB("mariadb select", "oltp_point_select"),
        MariaDB("mariadb write", "oltp_read_write"),
    ]
    return {workload.name: workload for workload in all_of_them}
