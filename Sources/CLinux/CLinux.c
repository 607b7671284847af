#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

int clinux_receive_many(int descriptor, void *buffer, uint32_t slot, uint32_t slots,
                        struct clinux_datagram *datagrams, int flags) {
	struct mmsghdr messages[CLINUX_SLOTS];
	struct iovec vectors[CLINUX_SLOTS];
	struct sockaddr_nl senders[CLINUX_SLOTS];
	if (slots > CLINUX_SLOTS) slots = CLINUX_SLOTS;
	for (uint32_t i = 0; i < slots; i++) {
		vectors[i].iov_base = (char *)buffer + (size_t)i * slot;
		vectors[i].iov_len = slot;
		messages[i].msg_hdr.msg_name = &senders[i];
		messages[i].msg_hdr.msg_namelen = sizeof senders[i];
		messages[i].msg_hdr.msg_iov = &vectors[i];
		messages[i].msg_hdr.msg_iovlen = 1;
		messages[i].msg_hdr.msg_control = NULL;
		messages[i].msg_hdr.msg_controllen = 0;
		messages[i].msg_hdr.msg_flags = 0;
		messages[i].msg_len = 0;
	}
	int count = recvmmsg(descriptor, messages, slots, flags, NULL);
	if (count < 0) return -errno;
	for (int i = 0; i < count; i++) {
		datagrams[i].length = messages[i].msg_len;
		datagrams[i].port =
			messages[i].msg_hdr.msg_namelen == sizeof senders[i] ? senders[i].nl_pid : UINT32_MAX;
		datagrams[i].truncated = (messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
	}
	return count;
}

int clinux_enter_network(int descriptor) {
	return setns(descriptor, CLONE_NEWNET) == 0 ? 0 : -errno;
}

/* A pipe whose ends are none of the three descriptors that the child's file actions write to. */
static int high_pipe(int ends[2]) {
	if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
	for (int i = 0; i < 2; i++) {
		if (ends[i] > 2) continue;
		int high = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
		int error = errno;
		close(ends[i]);
		ends[i] = high;
		if (high >= 0) continue;
		close(ends[1 - i]);
		return -error;
	}
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return 0;
	int error = errno;
	close(ends[0]);
	close(ends[1]);
	return -error;
}

static int set_files(posix_spawn_file_actions_t *files, int output) {
	int error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDWR, 0);
	for (int i = 1; i <= 2 && error == 0; i++)
		error = posix_spawn_file_actions_adddup2(files, output < 0 ? 0 : output, i);
	if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(files, 3);
	if (error == 0) error = posix_spawn_file_actions_addchdir_np(files, "/");
	return error;
}

static int set_attributes(posix_spawnattr_t *attributes, int flags) {
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	short how = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	how |= flags & CLINUX_SESSION ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
	int error = posix_spawnattr_setflags(attributes, how);
	if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
	if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
	if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
	return error;
}

int clinux_spawn(const char *program, char *const arguments[], char *const environment[], int flags,
                 struct clinux_child *child) {
	int ends[2] = {-1, -1};
	int error = flags & CLINUX_CAPTURE ? -high_pipe(ends) : 0;
	if (error != 0) return -error;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	pid_t pid = -1;
	error = set_files(&files, ends[1]);
	if (error == 0) error = set_attributes(&attributes, flags);
	if (error == 0) error = posix_spawn(&pid, program, &files, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	if (ends[1] >= 0) close(ends[1]);
	int pidfd = -1;
	if (error == 0) {
		/* The number cannot be another's yet: only the caller reaps. */
		pidfd = pidfd_open(pid, 0);
		if (pidfd < 0) {
			error = errno;
			kill(-pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
	}
	if (error != 0) {
		if (ends[0] >= 0) close(ends[0]);
		return -error;
	}
	*child = (struct clinux_child){.pid = pid, .pidfd = pidfd, .output = ends[0]};
	return 0;
}

int clinux_reap(int pid, int *code, int *signal) {
	int status = 0;
	pid_t found = waitpid(pid, &status, WNOHANG);
	if (found < 0) return -errno;
	if (found == 0) return 0;
	*code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	*signal = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
	return 1;
}

int clinux_ended_child(void) {
	siginfo_t info = {0};
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno == ECHILD ? 0 : -errno;
	return info.si_pid;
}

int clinux_call_descriptor(void) {
	int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return descriptor < 0 ? -errno : descriptor;
}

void clinux_wait(struct pollfd *entries, unsigned long count, int64_t most_ns) {
	struct timespec most = {.tv_sec = most_ns / 1000000000, .tv_nsec = most_ns % 1000000000};
	if (ppoll(entries, count, &most, NULL) >= 0) return;
	for (unsigned long i = 0; i < count; i++) entries[i].revents = 0;
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int clinux_set_open(void) {
	int set = epoll_create1(EPOLL_CLOEXEC);
	return set >= 0 ? set : -errno;
}

int clinux_set_add(int set, int descriptor, uint32_t tag, int urgent) {
	struct epoll_event event = {.events = urgent ? EPOLLPRI : EPOLLIN, .data.u32 = tag};
	return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : -errno;
}

int clinux_set_remove(int set, int descriptor) {
	return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, NULL) == 0 ? 0 : -errno;
}

uint32_t clinux_set_ready(int set) {
	struct epoll_event events[32];
	int count = epoll_wait(set, events, 32, 0);
	if (count < 0 && errno != EINTR) return UINT32_C(1) << 31;
	uint32_t ready = 0;
	for (int i = 0; i < count; i++) ready |= UINT32_C(1) << (events[i].data.u32 & 31);
	return ready;
}

int clinux_alarm_open(void) {
	int alarm = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	return alarm >= 0 ? alarm : -errno;
}

void clinux_alarm_set(int alarm, int64_t at_ns) {
	struct itimerspec time = {
		.it_value = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000}};
	timerfd_settime(alarm, TFD_TIMER_ABSTIME, &time, NULL);
}

int clinux_step(int at, const char *name, int directory) {
	int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC | (directory ? O_DIRECTORY : 0);
	int descriptor = openat(at, name, flags);
	return descriptor >= 0 ? descriptor : -errno;
}

int clinux_has_access_list(int descriptor) {
	/* Not by the descriptor itself: O_PATH forbids it. */
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
	if (getxattr(path, "system.posix_acl_access", NULL, 0) >= 0) return 1;
	return errno == ENODATA || errno == EOPNOTSUPP ? 0 : -errno;
}
