#ifndef CLINUX_H
#define CLINUX_H

#include <linux/filter.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/socket.h>

/* One datagram that clinux_receive_many put into its slot. */
struct clinux_datagram {
	uint32_t length;    /* bytes in the slot */
	uint32_t port;      /* the sender's netlink port; zero is the kernel */
	int32_t truncated;  /* it did not fit: the rest is lost */
};

/* recvmmsg(2): declared for _GNU_SOURCE only, and its array of structures with pointers to
 * each other cannot be built in Swift without a page of unsafe code. Returns the number of
 * datagrams, or -errno. Slot i begins at buffer + i * slot. At most CLINUX_SLOTS slots. */
#define CLINUX_SLOTS 32
int clinux_receive_many(int descriptor, void *buffer, uint32_t slot, uint32_t slots,
                        struct clinux_datagram *datagrams, int flags);

/* setns(2) with CLONE_NEWNET: declared for _GNU_SOURCE only. Puts the calling thread into the
 * network namespace that the descriptor names. Returns 0, or -errno. */
int clinux_enter_network(int descriptor);

/* A process that clinux_spawn started; its descriptors are the caller's to close. */
struct clinux_child {
	int pid;      /* leads a process group of its own */
	int pidfd;    /* can be read once the process has ended */
	int output;   /* the reading end of its output, non-blocking; -1 without CLINUX_CAPTURE */
};

#define CLINUX_CAPTURE 1  /* standard output and error go to a pipe, not to /dev/null */
#define CLINUX_SESSION 2  /* a session of its own, not only a process group */

/* posix_spawn(3): the attributes and file actions are objects of C's, and the ones needed here
 * are declared for _GNU_SOURCE only. The process has an empty signal mask, every signal at its
 * default, "/" as directory, /dev/null as input and no descriptor but 0, 1 and 2. Returns 0, or
 * -errno; that of a program that cannot be executed is seen here too. */
int clinux_spawn(const char *program, char *const arguments[], char *const environment[], int flags,
                 struct clinux_child *child);

/* waitpid(2) without waiting: its macros do not import. Returns 0 when the process goes on, 1 when
 * it has ended and was reaped, or -errno. Of code and signal the one that applies is set, the other
 * is -1. */
int clinux_reap(int pid, int *code, int *signal);

/* waitid(2) with WNOWAIT: the number of a child that has ended and was not reaped, 0 if there is
 * none, or -errno. siginfo_t's members are macros, which do not import. */
int clinux_ended_child(void);

/* eventfd(2), close-on-exec and non-blocking: the overlay has neither it nor its flags. Returns the
 * descriptor, or -errno. */
int clinux_call_descriptor(void);

/* epoll(7): the overlay has neither its calls nor its flags, and epoll_data is a union. A set of
 * descriptors, each with a tag below 32; its own descriptor can be read when one of them can. All
 * return -errno when they fail. */
int clinux_set_open(void);
/* EPOLLIN, or with `urgent` EPOLLPRI. */
int clinux_set_add(int set, int descriptor, uint32_t tag, int urgent);
int clinux_set_remove(int set, int descriptor);
/* Never waits. The tags of those that have something, a bit each; the highest when the descriptor is
 * no set. */
uint32_t clinux_set_ready(int set);

/* timerfd_create(2), timerfd_settime(2), by the boot clock: the overlay has neither. Opening
 * returns the descriptor, or -errno. Zero disarms. */
int clinux_alarm_open(void);
void clinux_alarm_set(int alarm, int64_t at_ns);

/* ppoll(2) for up to `most_ns` nanoseconds, without another signal mask: it is declared for
 * _GNU_SOURCE only, and poll(2) counts in milliseconds. What is there is in the entries. */
void clinux_wait(struct pollfd *entries, unsigned long count, int64_t most_ns);

/* pthread_setname_np(3) for the calling thread: it is declared for _GNU_SOURCE only. */
void clinux_name_thread(const char *name);

/* openat(2) with O_PATH and O_NOFOLLOW, close-on-exec: O_PATH is declared for _GNU_SOURCE only. Names
 * what is there without opening it, a link included; with `directory` only a directory, which is
 * mounted where the kernel does that on demand. Returns the descriptor, or -errno. */
int clinux_step(int at, const char *name, int directory);

/* getxattr(2): whether what the descriptor names, one of O_PATH included, has a list of access, in
 * which the mode's bits of the group stand for others (acl(5)). 1 or 0; -errno when nobody knows. */
int clinux_has_access_list(int descriptor);

#endif
