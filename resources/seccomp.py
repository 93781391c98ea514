"""A filter of system calls for the jail, as the program of Linux's seccomp that bubblewrap loads.

It refuses, with EPERM, what no program under test needs and what would outlive its process or reach into another:
memory that belongs to no process, keys, tracing, namespaces, mounts, every network, and the parts of the kernel that
most faults were found in.
"""

import errno
import struct

# linux/audit.h and the kernel's tables of system calls: of these two machines, in this order.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
REFUSED = {
    # name: x86_64, aarch64
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "personality": (135, 92),
}
SOCKET = (41, 198)
AF_UNIX = 1  # the one family of sockets that is allowed: vsock, for one, knows no network namespaces
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGE|K, BPF_RET|K
NUMBER, ARCHITECTURE, ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data, on little-endian machines
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
FOREIGN = 0x40000000  # numbers from here on are those of the x32 interface


def program(machine: str) -> bytes | None:
    """The filter for a machine, as platform.machine() names it; None where its system calls are not known here."""
    if machine not in MACHINES:
        return None
    column = list(MACHINES).index(machine)
    numbers = sorted(known[column] for known in REFUSED.values())
    count = len(numbers)
    # (operation, steps to skip where it holds, where it does not, operand)
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, MACHINES[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, count + 5, 0, FOREIGN),
        *((EQUAL, count - place + 4, 0, number) for place, number in enumerate(numbers)),
        (EQUAL, 1, 0, SOCKET[column]),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, ARGUMENT),
        (EQUAL, 0, 1, AF_UNIX),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
