/**
 * The RuntimeDefault seccomp profile: system calls that are not listed fail with EPERM. Some are allowed only if the
 * container has the capability that the kernel requires anyway.
 */
import type { OciSeccomp, OciSyscallRule } from './oci-types.ts';

const ALLOW = 'SCMP_ACT_ALLOW';
const EPERM = 1;
const ENOSYS = 38;
const AF_VSOCK = 40;

/** CLONE_NEW* of mount, cgroup, uts, ipc, user, pid and net namespaces. */
const CLONE_NAMESPACE_FLAGS = 0x7e02_0000;

/**
 * Arguments of personality(2): PER_LINUX and PER_LINUX32, each with and without UNAME26, and the query of the current
 * value.
 */
const PERSONALITIES = [0x0, 0x0008, 0x2_0000, 0x2_0008, 0xffff_ffff];

const ALLOWED = `
accept accept4 access adjtimex alarm bind brk cachestat capget capset chdir chmod chown chown32 clock_adjtime
clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep clock_nanosleep_time64 close
close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait
epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64
fadvise64_64 fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync
fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate
ftruncate64 futex futex_requeue futex_time64 futex_wait futex_waitv futex_wake futimesat getcpu getcwd getdents getdents64
getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getitimer getpeername getpgid getpgrp getpid
getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit get_robust_list getrusage getsid
getsockname getsockopt get_thread_area gettid gettimeofday getuid getuid32 getxattr getxattrat inotify_add_watch
inotify_init inotify_init1 inotify_rm_watch io_cancel ioctl io_destroy io_getevents io_pgetevents io_pgetevents_time64
ioprio_get ioprio_set io_setup io_submit ipc kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown
lchown32 lgetxattr link linkat listen listmount listxattr listxattrat llistxattr _llseek lremovexattr lseek lsetxattr lstat
lstat64 madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mkdir mkdirat mknod mknodat mlock mlock2
mlockall mmap mmap2 mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend
mq_timedsend_time64 mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap
name_to_handle_at nanosleep newfstatat _newselect open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2
pkey_alloc pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64 preadv preadv2 prlimit64 process_mrelease pselect6
pselect6_time64 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recv recvfrom recvmmsg recvmmsg_time64
recvmsg remap_file_pages removexattr removexattrat rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction
rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64
rt_tgsigqueueinfo sched_getaffinity sched_getattr sched_getparam sched_get_priority_max sched_get_priority_min
sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam
sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop semtimedop_time64 send sendfile sendfile64
sendmmsg sendmsg sendto setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setitimer setpgid
setpriority setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setrlimit set_robust_list
setsid setsockopt set_thread_area set_tid_address setuid setuid32 setxattr setxattrat shmat shmctl shmdt shmget shutdown
sigaltstack signalfd signalfd4 sigprocmask sigreturn socketcall socketpair splice stat stat64 statfs statfs64 statmount
statx symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun
timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64
timerfd_settime timerfd_settime64 times tkill truncate truncate64 ugetrlimit umask uname unlink unlinkat uretprobe utime
utimensat utimensat_time64 utimes vfork vmsplice wait4 waitid waitpid write writev process_vm_readv process_vm_writev
ptrace`;

const ALLOWED_WITH_CAPABILITY: Readonly<Record<string, string>> = {
  CAP_DAC_READ_SEARCH: 'open_by_handle_at',
  CAP_SYS_ADMIN:
    'bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie lsm_get_self_attr lsm_list_modules lsm_set_self_attr mount ' +
    'mount_setattr move_mount open_tree perf_event_open quotactl quotactl_fd setdomainname sethostname setns syslog umount umount2 unshare',
  CAP_SYS_BOOT: 'reboot',
  CAP_SYS_CHROOT: 'chroot',
  CAP_SYS_MODULE: 'delete_module init_module finit_module',
  CAP_SYS_PACCT: 'acct',
  CAP_SYS_PTRACE: 'kcmp pidfd_getfd process_madvise process_vm_readv process_vm_writev ptrace',
  CAP_SYS_RAWIO: 'iopl ioperm',
  CAP_SYS_TIME: 'settimeofday stime clock_settime clock_settime64',
  CAP_SYS_TTY_CONFIG: 'vhangup',
  CAP_SYS_NICE: 'get_mempolicy mbind set_mempolicy set_mempolicy_home_node',
  CAP_SYSLOG: 'syslog',
  CAP_BPF: 'bpf',
  CAP_PERFMON: 'perf_event_open',
};

/** System calls of single architectures. */
const ALLOWED_ON: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    x64: 'arch_prctl modify_ldt',
    ia32: 'arch_prctl modify_ldt',
    arm64: 'arm_fadvise64_64 arm_sync_file_range sync_file_range2 breakpoint cacheflush set_tls',
    ppc64: 'sync_file_range2 swapcontext',
    s390x: 's390_pci_mmio_read s390_pci_mmio_write s390_runtime_instr',
    riscv64: 'riscv_flush_icache',
  }),
);

/**
 * The native architecture and the 32-bit one that it also runs. x32 is left out, because few kernels have it and each
 * architecture adds several milliseconds to the start of a container.
 */
const ARCHITECTURES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    x64: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86'],
    arm64: ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'],
    s390x: ['SCMP_ARCH_S390X', 'SCMP_ARCH_S390'],
    ppc64: ['SCMP_ARCH_PPC64LE'],
    riscv64: ['SCMP_ARCH_RISCV64'],
  }),
);

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** `machine` is Node's name of the architecture; `capabilities` those of the container's bounding set. */
export function defaultSeccompProfile(machine: string, capabilities: readonly string[]): OciSeccomp {
  const syscalls: OciSyscallRule[] = [
    { names: [...words(ALLOWED), ...words(ALLOWED_ON.get(machine) ?? '')], action: ALLOW },
    // AF_VSOCK sockets reach the hypervisor and bypass network namespaces.
    { names: ['socket'], action: ALLOW, args: [{ index: 0, value: AF_VSOCK, op: 'SCMP_CMP_NE' }] },
    ...PERSONALITIES.map((value): OciSyscallRule => ({
      names: ['personality'],
      action: ALLOW,
      args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }],
    })),
  ];
  for (const [capability, names] of Object.entries(ALLOWED_WITH_CAPABILITY)) {
    if (capabilities.includes(capability)) syscalls.push({ names: words(names), action: ALLOW });
  }
  if (!capabilities.includes('CAP_SYS_ADMIN')) {
    syscalls.push({
      names: ['clone'],
      action: ALLOW,
      // On s390 the flags are the second argument.
      args: [
        { index: machine === 's390x' ? 1 : 0, value: CLONE_NAMESPACE_FLAGS, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' },
      ],
    });
    // seccomp cannot inspect clone3's flags behind a pointer; with ENOSYS, C libraries fall back to clone.
    syscalls.push({ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS });
  }
  const architectures = ARCHITECTURES.get(machine);
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    ...(architectures ? { architectures: [...architectures] } : {}),
    syscalls,
  };
}
