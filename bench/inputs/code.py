# Functions that PyPy compiles, for bench/code: code.py FUNCTIONS ROUNDS
# This file is part of ld-hugetext.
# SPDX-License-Identifier: LGPL-2.1-or-later

import sys

TEXT = '''
def f(n):
    s = {0}
    for k in range(n):
        s = (s * 31 + k) & 0xffffff
        if s % 3 == 0:
            s += len(str(s))
        else:
            s ^= {0}
    return s
'''
functions = []
for i in range(int(sys.argv[1])):
    names = {}
    exec(TEXT.format(i), names)
    functions.append(names['f'])
total = 0
for _ in range(int(sys.argv[2])):
    for f in functions:
        total = (total * 31 + f(20)) & 0xffffff
print(total)
