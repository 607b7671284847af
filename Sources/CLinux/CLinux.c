#include "CLinux.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>

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
