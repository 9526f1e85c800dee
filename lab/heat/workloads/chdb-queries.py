# A workload of small queries of chdb, one after the other.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import chdb
from endless import run

QUERIES = [
    "SELECT number % 7 AS k, count (), avg (number) FROM numbers (20000)"
    " GROUP BY k ORDER BY k",
    "SELECT uniq (toString (number)), max (cityHash64 (number))"
    " FROM numbers (20000)",
    "SELECT a.number FROM numbers (3000) AS a JOIN numbers (1000) AS b"
    " ON a.number = b.number * 2 ORDER BY a.number DESC LIMIT 10",
    "SELECT extract (concat ('x', toString (number), 'y'), '[0-9]+') AS n,"
    " length (n) FROM numbers (5000) WHERE n LIKE '%9%' LIMIT 5",
]

def work ():
    for query in QUERIES:
        chdb.query (query + " SETTINGS max_threads = 1")

run (work)
