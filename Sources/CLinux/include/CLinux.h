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

#endif
