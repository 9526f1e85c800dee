# Use C extensions, foreign functions and other processes.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

import bz2
import ctypes
import decimal
import hashlib
import json
import lzma
import multiprocessing
import re
import sqlite3
import ssl
import subprocess
import sys
import zlib


def square(n):
    return n * n


def databases():
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a integer, b text)")
    connection.executemany("insert into t values (?, ?)",
                           ((n, str(n) * 3) for n in range(5000)))
    return connection.execute("select count(*), sum(a), max(b) from t"
                              " where b like '%7%'").fetchone()


def foreign():
    libc = ctypes.CDLL(None)
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int),
                               ctypes.POINTER(ctypes.c_int))
    array = (ctypes.c_int * 50)(*((n * 7919) % 1000 for n in range(50)))
    libc.qsort(array, len(array), ctypes.sizeof(ctypes.c_int),
               compare(lambda a, b: a[0] - b[0]))
    return list(array)


def main():
    data = json.dumps({str(n): [n, n / 7, None] for n in range(3000)}).encode()
    for compressor in zlib, bz2, lzma:
        packed = compressor.compress(data)
        assert compressor.decompress(packed) == data
        print(compressor.__name__, len(packed))
    for name in "sha256", "sha3_512", "blake2b", "md5":
        print(name, hashlib.new(name, data).hexdigest())
    context = ssl.create_default_context()
    context.set_ciphers("ECDHE+AESGCM")
    print(len(context.get_ciphers()), ssl.OPENSSL_VERSION)
    decimal.getcontext().prec = 200
    print(decimal.Decimal(2).sqrt(), decimal.Decimal(1).exp())
    print(databases())
    print(foreign())
    print(len(re.findall(r'"(\d+)": \[(?:\d+), ([\d.]+)', data.decode())))
    for method in "fork", "spawn":
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, sum(pool.map(square, range(1000))))
    for command in ([sys.executable, "-c", "import ssl; print(6 * 7)"],
                    ["sh", "-c", "echo $((6 * 7)); exit 3"]):
        done = subprocess.run(command, stdout=subprocess.PIPE)
        print(done.returncode, done.stdout)
    try:
        [][0]
    except IndexError as error:
        print("error:", error)


if __name__ == "__main__":
    main()
