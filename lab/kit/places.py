# Where the kit has its files, and how it runs programs.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import platform
import subprocess
import time

KIT = "/kit"
RESULTS = KIT + "/results"
WORK = "/var/tmp/kit"
COMMAND = KIT + "/loader/hugetext"
SYSTEM_LIBRARIES = f"/usr/lib/{platform.machine()}-linux-gnu"
LIMIT = 120  # Seconds, after which what hangs is ended.
IMAGES = WORK + "/images"
IMAGES_PLACE = "/var/cache/hugetext"


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def run(command, **options):
    """Run COMMAND, which must succeed, and return what it prints."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=LIMIT, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}:"
                           f" {done.stderr.strip()[-500:]}")
    return done.stdout


def attempt(command):
    """Run COMMAND, which may fail, and keep what it says."""
    with open(RESULTS + "/prepare.log", "ab") as log:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log,
                       stderr=log, check=False)


def in_namespace(script, words):
    """WORDS, to be started in a mount namespace after SCRIPT's mounts."""
    return ["unshare", "-m", "sh", "-c", script + 'exec "$@"', "sh", *words]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().strip()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{text}\n")
