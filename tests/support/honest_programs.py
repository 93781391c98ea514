"""Honest programs for the tests of the sandbox: each adds two numbers, in a way of its own."""

SUM = "a, b = map(int, input().split())\nprint(a + b)\n"

HONEST = {
    "input": SUM,
    "a file as an argument": """
import sys
if len(sys.argv) > 1:
    sys.stdin = open(sys.argv[1])
print(sum(map(int, input().split())))
""",
    "a parser of arguments": """
import argparse
argparse.ArgumentParser().parse_args()
print(sum(map(int, input().split())))
""",
    "fileinput": """
import fileinput
print(sum(map(int, next(iter(fileinput.input())).split())))
""",
    "a stream of its own": """
import io, os, sys
class Output(io.IOBase):
    def __init__(self):
        self.held = io.BytesIO()
    def write(self, text):
        return self.held.write(text.encode())
    def flush(self):
        os.write(1, self.held.getvalue())
        self.held.seek(0)
        self.held.truncate()
sys.stdout = Output()
print(sum(map(int, input().split())))
""",
    "main guard": """
def main():
    print(sum(map(int, input().split())))
if __name__ == '__main__':
    main()
""",
    "read": """
import sys
print(sum(map(int, sys.stdin.read().split())))
""",
    "buffer": """
import sys
print(sum(map(int, sys.stdin.buffer.readline().split())))
""",
    "descriptor 0": "print(sum(map(int, open(0).read().split())))",
    "/dev/stdin": "print(sum(map(int, open('/dev/stdin').read().split())))",
    "os.read": """
import os
print(sum(map(int, os.read(0, os.fstat(0).st_size).split())))
""",
    "replaced streams": """
import io, os, sys
sys.stdin = io.BytesIO(os.read(0, 99))
out = sys.stdout = io.StringIO()
print(sum(map(int, sys.stdin.readline().split())))
os.write(1, out.getvalue().encode())
""",
    "write": """
import sys
sys.stdout.write(str(sum(map(int, input().split()))))
""",
    "exit": """
a, b = map(int, input().split())
print(a + b)
import sys
sys.exit(1)
""",
    "quit": """
a, b = map(int, input().split())
print(a + b)
quit()
""",
    "flush and os._exit": """
a, b = map(int, input().split())
print(a + b)
sys.stdout.flush()
os = __import__('os')
os._exit(0)
""",
    "at exit": """
import atexit
x = input()
atexit.register(lambda: print(sum(map(int, x.split()))))
""",
    "a file that is not closed": """
out = open(1, 'w')
out.write(str(sum(map(int, input().split()))))
""",
    "a thread with a large stack": """
import sys, threading
sys.setrecursionlimit(10**7)
threading.stack_size(2**28)
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
def main():
    a, b = map(int, input().split())
    print(a + b if depth(10**5) == 10**5 else 0)
threading.Thread(target=main).start()
""",
    "deep recursion in a cache": """
@cache
def f(n):
    return n if n < 2 else f(n - 1) + 1
f(20000)
print(sum(map(int, input().split())))
""",
    "deep recursion in a cache in a thread": """
import threading
threading.stack_size(2**27)
@cache
def f(n):
    return n if n < 2 else f(n - 1) + 1
def main():
    f(20000)
    print(sum(map(int, input().split())))
threading.Thread(target=main).start()
""",
    "deep recursion in a comparison": """
class Node:
    def __init__(self, depth):
        self.depth = depth
    def __lt__(self, other):
        return self.depth < 1 or max(Node(self.depth - 1), Node(0)).depth < 10**9
assert Node(2000) < Node(0)
print(sum(map(int, input().split())))
""",
    "much standard error": """
import sys
sys.stderr.write('x' * (2**21))
print(sum(map(int, input().split())))
""",
    "numpy": """
import numpy as np
print(np.fromstring(input(), dtype=np.int64, sep=' ').sum())
""",
    "scipy": """
from scipy.sparse import csr_matrix
print(csr_matrix([list(map(int, input().split()))]).sum())
""",
    "a long integer": """
x = str(10**40000)
print(sum(map(int, input().split())) + int(x) - int(x))
""",
    "a pool of threads": """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor()
print(sum(pool.map(int, input().split())))
""",
    "a process": """
import os
if os.fork() == 0:
    print(sum(map(int, input().split())), flush=True)
    os._exit(0)
os.wait()
""",
    "asyncio": """
import asyncio
async def main():
    await asyncio.sleep(0)
    print(sum(map(int, input().split())))
asyncio.run(main())
""",
    "names of the prelude": "print(reduce(lambda x, y: x + y, map(int, input().split())), Counter()[0] or '')",
    "future": """
from __future__ import annotations
print(Decimal if 0 else sum(map(int, input().split())))
""",
    "dataclass": """
from dataclasses import dataclass
@dataclass(order=True)
class P:
    x: int
    y: int
p = P(*map(int, input().split()))
print(p.x + p.y)
""",
    "much memory": """
x = bytearray(2**28)
a, b = map(int, input().split())
print(a + b)
""",
    "many lines of errors": """
import sys
for i in range(1000):
    print(i, file=sys.stderr)
a, b = map(int, input().split())
print(a + b)
""",
}
