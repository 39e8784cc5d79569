/* Entry points that compilers and programs expect of any sanitizer, and that have nothing to say to
 * ours: hooks around system calls (<sanitizer/linux_syscall_hooks.h>) and coverage
 * (-fsanitize-coverage). A program may define each of them itself. */
#include "runtime/core/runtime.h"

static void nothing(void) {
}

#define NAME_FOR_NOTHING(name) RT_EXPORT void name(void) __attribute__((weak, alias("nothing")));

#define COVERAGE(name) NAME_FOR_NOTHING(__sanitizer_##name)
#define CALL(call)                                                                                 \
    NAME_FOR_NOTHING(__sanitizer_syscall_pre_impl_##call)                                          \
    NAME_FOR_NOTHING(__sanitizer_syscall_post_impl_##call)

/* clang-format off */
/* ---- system calls ---- */

CALL(accept) CALL(accept4) CALL(access) CALL(acct) CALL(add_key) CALL(adjtimex) CALL(alarm)
CALL(bdflush) CALL(bind) CALL(brk) CALL(capget) CALL(capset) CALL(chdir) CALL(chmod) CALL(chown)
CALL(chroot) CALL(clock_adjtime) CALL(clock_getres) CALL(clock_gettime) CALL(clock_nanosleep)
CALL(clock_settime) CALL(close) CALL(connect) CALL(creat) CALL(delete_module) CALL(dup)
CALL(dup2) CALL(dup3) CALL(epoll_create) CALL(epoll_create1) CALL(epoll_ctl) CALL(epoll_pwait)
CALL(epoll_pwait2) CALL(epoll_wait) CALL(eventfd) CALL(eventfd2) CALL(exit) CALL(exit_group)
CALL(faccessat) CALL(fchdir) CALL(fchmod) CALL(fchmodat) CALL(fchown) CALL(fchownat) CALL(fcntl)
CALL(fcntl64) CALL(fdatasync) CALL(fgetxattr) CALL(flistxattr) CALL(flock) CALL(fork)
CALL(fremovexattr) CALL(fsetxattr) CALL(fstat) CALL(fstat64) CALL(fstatat64) CALL(fstatfs)
CALL(fstatfs64) CALL(fsync) CALL(ftruncate) CALL(futimesat) CALL(get_mempolicy)
CALL(get_robust_list) CALL(getcpu) CALL(getcwd) CALL(getdents) CALL(getdents64) CALL(getegid)
CALL(geteuid) CALL(getgid) CALL(getgroups) CALL(gethostname) CALL(getitimer) CALL(getpeername)
CALL(getpgid) CALL(getpgrp) CALL(getpid) CALL(getppid) CALL(getpriority) CALL(getrandom)
CALL(getresgid) CALL(getresuid) CALL(getrlimit) CALL(getrusage) CALL(getsid) CALL(getsockname)
CALL(getsockopt) CALL(gettid) CALL(gettimeofday) CALL(getuid) CALL(getxattr) CALL(init_module)
CALL(inotify_add_watch) CALL(inotify_init) CALL(inotify_init1) CALL(inotify_rm_watch)
CALL(io_cancel) CALL(io_destroy) CALL(io_getevents) CALL(io_setup) CALL(io_submit) CALL(ioctl)
CALL(ioperm) CALL(ioprio_get) CALL(ioprio_set) CALL(ipc) CALL(kexec_load) CALL(keyctl) CALL(kill)
CALL(lchown) CALL(lgetxattr) CALL(link) CALL(linkat) CALL(listen) CALL(listxattr)
CALL(llistxattr) CALL(llseek) CALL(lookup_dcookie) CALL(lremovexattr) CALL(lseek) CALL(lsetxattr)
CALL(lstat) CALL(lstat64) CALL(madvise) CALL(mbind) CALL(migrate_pages) CALL(mincore) CALL(mkdir)
CALL(mkdirat) CALL(mknod) CALL(mknodat) CALL(mlock) CALL(mlockall) CALL(mmap_pgoff) CALL(mount)
CALL(move_pages) CALL(mprotect) CALL(mq_getsetattr) CALL(mq_notify) CALL(mq_open)
CALL(mq_timedreceive) CALL(mq_timedsend) CALL(mq_unlink) CALL(mremap) CALL(msgctl) CALL(msgget)
CALL(msgrcv) CALL(msgsnd) CALL(msync) CALL(munlock) CALL(munlockall) CALL(munmap)
CALL(name_to_handle_at) CALL(nanosleep) CALL(newfstat) CALL(newfstatat) CALL(newlstat)
CALL(newstat) CALL(newuname) CALL(ni_syscall) CALL(nice) CALL(old_getrlimit) CALL(old_mmap)
CALL(old_readdir) CALL(old_select) CALL(oldumount) CALL(olduname) CALL(open)
CALL(open_by_handle_at) CALL(openat) CALL(pause) CALL(pciconfig_iobase) CALL(pciconfig_read)
CALL(pciconfig_write) CALL(perf_event_open) CALL(personality) CALL(pipe) CALL(pipe2)
CALL(pivot_root) CALL(poll) CALL(ppoll) CALL(pread64) CALL(preadv) CALL(prlimit64)
CALL(process_vm_readv) CALL(process_vm_writev) CALL(pselect6) CALL(ptrace) CALL(pwrite64)
CALL(pwritev) CALL(quotactl) CALL(read) CALL(readlink) CALL(readlinkat) CALL(readv) CALL(reboot)
CALL(recv) CALL(recvfrom) CALL(recvmmsg) CALL(recvmsg) CALL(remap_file_pages) CALL(removexattr)
CALL(rename) CALL(renameat) CALL(request_key) CALL(restart_syscall) CALL(rmdir)
CALL(rt_sigaction) CALL(rt_sigpending) CALL(rt_sigprocmask) CALL(rt_sigqueueinfo)
CALL(rt_sigtimedwait) CALL(rt_tgsigqueueinfo) CALL(sched_get_priority_max)
CALL(sched_get_priority_min) CALL(sched_getaffinity) CALL(sched_getparam)
CALL(sched_getscheduler) CALL(sched_rr_get_interval) CALL(sched_setaffinity) CALL(sched_setparam)
CALL(sched_setscheduler) CALL(sched_yield) CALL(select) CALL(semctl) CALL(semget) CALL(semop)
CALL(semtimedop) CALL(send) CALL(sendfile) CALL(sendfile64) CALL(sendmmsg) CALL(sendmsg)
CALL(sendto) CALL(set_mempolicy) CALL(set_robust_list) CALL(set_tid_address) CALL(setdomainname)
CALL(setfsgid) CALL(setfsuid) CALL(setgid) CALL(setgroups) CALL(sethostname) CALL(setitimer)
CALL(setns) CALL(setpgid) CALL(setpriority) CALL(setregid) CALL(setresgid) CALL(setresuid)
CALL(setreuid) CALL(setrlimit) CALL(setsid) CALL(setsockopt) CALL(settimeofday) CALL(setuid)
CALL(setxattr) CALL(sgetmask) CALL(shmat) CALL(shmctl) CALL(shmdt) CALL(shmget) CALL(shutdown)
CALL(sigaction) CALL(sigaltstack) CALL(signal) CALL(signalfd) CALL(signalfd4) CALL(sigpending)
CALL(sigprocmask) CALL(socket) CALL(socketcall) CALL(socketpair) CALL(splice) CALL(spu_create)
CALL(spu_run) CALL(ssetmask) CALL(stat) CALL(stat64) CALL(statfs) CALL(statfs64) CALL(stime)
CALL(swapoff) CALL(swapon) CALL(symlink) CALL(symlinkat) CALL(sync) CALL(syncfs) CALL(sysctl)
CALL(sysfs) CALL(sysinfo) CALL(syslog) CALL(tee) CALL(tgkill) CALL(time) CALL(timer_create)
CALL(timer_delete) CALL(timer_getoverrun) CALL(timer_gettime) CALL(timer_settime)
CALL(timerfd_create) CALL(timerfd_gettime) CALL(timerfd_settime) CALL(times) CALL(tkill)
CALL(truncate) CALL(umask) CALL(umount) CALL(uname) CALL(unlink) CALL(unlinkat) CALL(unshare)
CALL(uselib) CALL(ustat) CALL(utime) CALL(utimensat) CALL(utimes) CALL(vfork) CALL(vhangup)
CALL(vmsplice) CALL(wait4) CALL(waitid) CALL(waitpid) CALL(write) CALL(writev)

/* ---- coverage ---- */

COVERAGE(cov_8bit_counters_init)
COVERAGE(cov_bool_flag_init)
COVERAGE(cov_dump)
COVERAGE(cov_pcs_init)
COVERAGE(cov_reset)
COVERAGE(cov_trace_cmp)
COVERAGE(cov_trace_cmp1)
COVERAGE(cov_trace_cmp2)
COVERAGE(cov_trace_cmp4)
COVERAGE(cov_trace_cmp8)
COVERAGE(cov_trace_const_cmp1)
COVERAGE(cov_trace_const_cmp2)
COVERAGE(cov_trace_const_cmp4)
COVERAGE(cov_trace_const_cmp8)
COVERAGE(cov_trace_div4)
COVERAGE(cov_trace_div8)
COVERAGE(cov_trace_gep)
COVERAGE(cov_trace_pc)
COVERAGE(cov_trace_pc_guard)
COVERAGE(cov_trace_pc_guard_init)
COVERAGE(cov_trace_pc_indir)
COVERAGE(cov_trace_switch)
COVERAGE(dump_coverage)
COVERAGE(dump_trace_pc_guard_coverage)

/* The lowest stack pointer of a thread, which instrumented functions write. */
RT_EXPORT extern _Thread_local uintptr_t __sancov_lowest_stack;
_Thread_local uintptr_t __sancov_lowest_stack;
/* clang-format on */
