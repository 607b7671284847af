#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

/* libcurl's multi interface, opened when it is first wanted: its start alone costs megabytes, and
 * most runs never send a request. The program is not linked with it. What is variadic in libcurl
 * (curl_easy_setopt, curl_easy_getinfo) has a plain function here. */

typedef struct ccurl_library ccurl_library;
typedef struct ccurl_transfer ccurl_transfer;

#define CCURL_READ 1
#define CCURL_WRITE 2

/* What libcurl asks of the loop it lives in. None of these may call back into libcurl. */
struct ccurl_host {
	void *owner;
	/* Watch this descriptor for CCURL_READ, CCURL_WRITE or both; no more when `what` is 0. */
	void (*watch)(void *owner, int descriptor, int what);
	/* Call ccurl_continue(library, -1, 0) after so long; never when negative. */
	void (*wake)(void *owner, long milliseconds);
	/* A piece of a body or a line of the header; 0 goes on, anything else ends the transfer. */
	int (*take)(void *owner, ccurl_transfer *transfer, int is_body, const uint8_t *bytes,
	            size_t count);
	/* A transfer has ended: 0 or libcurl's error code. Called by ccurl_continue alone. */
	void (*ended)(void *owner, ccurl_transfer *transfer, int code);
};

/* dlopen(3) and curl_multi_init(3). The names end with NULL. Returns NULL and a text when none of
 * the libraries is there or fits. The text lives as long as the program. */
ccurl_library *ccurl_open(char *const *names, const struct ccurl_host *host,
                          const char **problem);

/* Ends all there is. No transfer may be left. The library stays in memory. */
void ccurl_close(ccurl_library *library);

/* Whether names are looked up by a thread of libcurl's own, for which nothing ever waits. */
int ccurl_resolves_aside(const ccurl_library *library);

/* What a transfer is to do. Text is copied. */
struct ccurl_request {
	const char *url;
	const char *method;
	const char *user_agent;
	const char *interface;         /* NULL: any */
	const char *unix_socket;       /* NULL: what the URL's host says */
	char *const *headers;          /* whole lines, ended by NULL */
	int has_body;
	const uint8_t *body;
	size_t body_count;
	long timeout_ms;
};

/* Begins a transfer; NULL when there is no memory for it, or the library refuses an option that
 * matters for safety. */
ccurl_transfer *ccurl_begin(ccurl_library *library, const struct ccurl_request *request);

/* What became of a transfer that was waited for. */
struct ccurl_end {
	int code;           /* 0 or libcurl's error code */
	long status;        /* HTTP's; 0 before an answer */
	int system_error;   /* errno of a connection that failed, or 0 */
	char problem[256];  /* what libcurl says of a failure, in its own words */
};

/* The whole transfer in one call, for programs that do nothing else meanwhile; of the host only
 * `take` is called. Returns 0 when it cannot be begun (see ccurl_begin). curl_easy_perform(3). */
int ccurl_perform(ccurl_library *library, const struct ccurl_request *request,
                  struct ccurl_end *end);

/* Ends it, finished or not, and frees it. Waits for nothing. */
void ccurl_end(ccurl_library *library, ccurl_transfer *transfer);

/* The HTTP status of the last answer; 0 before one. */
long ccurl_status(ccurl_library *library, ccurl_transfer *transfer);

/* What libcurl says of a failure, in its own words. */
const char *ccurl_problem(ccurl_library *library, ccurl_transfer *transfer, int code);

/* curl_multi_socket_action(3): the descriptor is ready for `what`, or with -1 time has passed. */
void ccurl_continue(ccurl_library *library, int descriptor, int what);

/* libcurl's error codes that are told in other words. */
enum {
	CCURL_NO_HOST = 6,
	CCURL_NO_CONNECTION = 7,
	CCURL_TAKE_REFUSED = 23,
	CCURL_TIMEOUT = 28,
	CCURL_NO_INTERFACE = 45,
	CCURL_EMPTY_ANSWER = 52,
	CCURL_SEND_FAILED = 55,
	CCURL_RECEIVE_FAILED = 56,
	CCURL_CERTIFICATE = 60,
};

#endif
