#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <stddef.h>
#include <stdint.h>

/* libmicrohttpd over a listening socket of the caller's, driven by the caller's loop: no thread.
 * Opened when somebody first connects: it brings GnuTLS along, and most runs are never asked. The
 * program is not linked with it. What is variadic in it (MHD_start_daemon, MHD_get_daemon_info) has
 * a plain function here. */

typedef struct cmicrohttpd_server cmicrohttpd_server;
typedef struct cmicrohttpd_exchange cmicrohttpd_exchange;
typedef struct cmicrohttpd_connected cmicrohttpd_connected;

struct cmicrohttpd_host {
	void *owner;
	/* A request is here as a whole. It is answered in this call, by cmicrohttpd_answer, or held, or
	 * its connection is closed. Must not call cmicrohttpd_continue or cmicrohttpd_close. */
	void (*answer)(void *owner, cmicrohttpd_exchange *exchange);
};

struct cmicrohttpd_limits {
	unsigned connections;
	size_t memory;     /* of a connection, in bytes: its header must fit */
	unsigned seconds;  /* without a byte, until a connection is closed */
	size_t body;       /* of a request, in bytes */
	size_t drained;    /* of a body that is longer: read to its end for the sake of an answer */
	unsigned arguments;
	/* In milliseconds: how long a connection has until its request is whole. Where all are taken,
	 * one at a time is ended after `grace`, and one whose answer is not read after `request`. */
	int64_t request;
	int64_t grace;
};

/* dlopen(3) and MHD_start_daemon(3). The names end with NULL. Returns NULL and a text when none of
 * the libraries is there or fits; the text lives as long as the program. From here on the socket is
 * the library's to close, whatever comes of it. */
cmicrohttpd_server *cmicrohttpd_open(char *const *names, int listening,
                                     const struct cmicrohttpd_limits *limits,
                                     const struct cmicrohttpd_host *host, const char **problem);

/* Closes every connection and the socket. The library stays in memory. */
void cmicrohttpd_close(cmicrohttpd_server *server);

/* An epoll(7) descriptor: while it can be read, cmicrohttpd_continue is to be called. */
int cmicrohttpd_descriptor(const cmicrohttpd_server *server);

/* MHD_run(3). Waits for nothing. */
void cmicrohttpd_continue(cmicrohttpd_server *server);

/* MHD_get_timeout(3): milliseconds until cmicrohttpd_continue is to be called in any case; negative
 * when nothing is to be waited for. */
int64_t cmicrohttpd_wait(cmicrohttpd_server *server);

/* A text of a request; NULL when it is not there. It lives as long as the exchange and ends with a
 * zero; `count` also counts zeros within it. */
const char *cmicrohttpd_method(const cmicrohttpd_exchange *exchange);
const char *cmicrohttpd_path(const cmicrohttpd_exchange *exchange);
const char *cmicrohttpd_argument(const cmicrohttpd_exchange *exchange, const char *name,
                                 size_t *count);
const char *cmicrohttpd_header(const cmicrohttpd_exchange *exchange, const char *name,
                               size_t *count);

/* Whether its body is longer than the limit, or announced as such. */
int cmicrohttpd_is_too_long(const cmicrohttpd_exchange *exchange);

/* Whether it had more arguments than the limit: then none of them can be asked for. */
int cmicrohttpd_has_too_many(const cmicrohttpd_exchange *exchange);

/* MHD_suspend_connection(3) and MHD_resume_connection(3): a request that is held is asked again, and
 * `was_held`, once its connection is released. Its client may be gone by then, and nobody asks. Each
 * must be released before cmicrohttpd_close. */
cmicrohttpd_connected *cmicrohttpd_connection(const cmicrohttpd_exchange *exchange);
int cmicrohttpd_was_held(const cmicrohttpd_exchange *exchange);
void cmicrohttpd_hold(cmicrohttpd_exchange *exchange);
void cmicrohttpd_release(cmicrohttpd_server *server, cmicrohttpd_connected *connection);

/* The answer: names and values of its header in turn, ended by NULL, and its body. All is copied.
 * Returns 0 when there is no memory for it. The connection is closed once it is sent. */
int cmicrohttpd_answer(cmicrohttpd_exchange *exchange, unsigned status, char *const *header,
                       const uint8_t *body, size_t count);

#endif
