"""A filter of system calls for the sandbox, as the program of Linux's seccomp that bubblewrap loads.

It refuses, with EPERM, what no program under test needs and what would outlive its process or reach into another:
memory that belongs to no process, keys, tracing, scheduling, limits of other processes, namespaces, mounts, every
network, and the parts of the kernel that most faults were found in.
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
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
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
    "fsconfig": (431, 431),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "fanotify_init": (300, 262),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "personality": (135, 92),
}
AF_UNIX = 1  # the one family of sockets that is allowed: vsock, for one, knows no network namespaces
# Calls that are allowed with one first argument alone. prlimit64: of the process itself, which it calls 0.
ALLOWED_WITH = {"socket": ((41, 198), AF_UNIX), "prlimit64": ((302, 261), 0)}
# A process that ignores the end of its children never gets their CPU time, and neither does any other.
ACTION, CHILD_ENDED = (13, 134), 17
CLONE = (56, 220)
NAMESPACES = 0x7E020000  # the flags of clone that ask for namespaces
CLONE3 = (435, 435)  # its flags lie in memory, where no filter can look: the C library falls back to clone on ENOSYS
# BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGE|K, BPF_JMP|JSET|K, BPF_RET|K
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data, on little-endian machines
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
REFUSE, UNKNOWN = ERROR | errno.EPERM, ERROR | errno.ENOSYS
X32_CALLS = 0x40000000  # numbers from here on are those of the x32 interface

Instruction = tuple[int, int, int, int]  # operation, instructions to skip where it holds, where it does not, operand


def program(machine: str) -> bytes | None:
    """The filter for a machine, as platform.machine() names it; None where its system calls are not known here."""
    if machine not in MACHINES:
        return None
    column = list(MACHINES).index(machine)
    instructions: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, MACHINES[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32_CALLS),
        (RETURN, 0, 0, REFUSE),
        *_answered(CLONE3[column], UNKNOWN),
    ]
    for numbers in REFUSED.values():
        instructions += _answered(numbers[column], REFUSE)
    for numbers, argument in ALLOWED_WITH.values():
        instructions += _by_argument(numbers[column], (EQUAL, 1, 0, argument))
    instructions += _by_argument(ACTION[column], (EQUAL, 0, 1, CHILD_ENDED))
    instructions += _by_argument(CLONE[column], (ANY_BIT, 0, 1, NAMESPACES))
    instructions.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def _answered(number: int, answer: int) -> list[Instruction]:
    """Instructions that give a call its answer and leave any other to those that follow."""
    return [(EQUAL, 0, 1, number), (RETURN, 0, 0, answer)]


def _by_argument(number: int, passes: Instruction) -> list[Instruction]:
    """Instructions that allow a call where its first argument passes, and refuse it otherwise. passes skips one."""
    return [(EQUAL, 0, 4, number), (LOAD, 0, 0, ARGUMENT), passes, (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
