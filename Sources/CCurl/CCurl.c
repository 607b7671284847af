#include "CCurl.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(CCURL_NO_HOST == CURLE_COULDNT_RESOLVE_HOST, "a code");
_Static_assert(CCURL_NO_CONNECTION == CURLE_COULDNT_CONNECT, "a code");
_Static_assert(CCURL_TAKE_REFUSED == CURLE_WRITE_ERROR, "a code");
_Static_assert(CCURL_TIMEOUT == CURLE_OPERATION_TIMEDOUT, "a code");
_Static_assert(CCURL_NO_INTERFACE == CURLE_INTERFACE_FAILED, "a code");
_Static_assert(CCURL_EMPTY_ANSWER == CURLE_GOT_NOTHING, "a code");
_Static_assert(CCURL_CERTIFICATE == CURLE_PEER_FAILED_VERIFICATION, "a code");

/* The functions that are used, each once: for the table, and for looking it up. The parentheses keep
 * the macros of curl.h out. */
#define FUNCTIONS(X)                                                                                \
	X(global_init) X(version_info) X(easy_init) X(easy_cleanup) X(easy_setopt) X(easy_getinfo)      \
	X(easy_perform) X(easy_strerror) X(slist_append) X(slist_free_all) X(multi_init) X(multi_cleanup)               \
	X(multi_setopt) X(multi_add_handle) X(multi_remove_handle) X(multi_socket_action)               \
	X(multi_info_read)

struct ccurl_library {
#define FIELD(name) __typeof__(&(curl_##name)) name;
	FUNCTIONS(FIELD)
	CURLM *multi;
	struct ccurl_host host;
};

struct ccurl_transfer {
	ccurl_library *library;
	CURL *easy;
	struct curl_slist *headers;
	char problem[CURL_ERROR_SIZE];
};

static int find_functions(ccurl_library *library, void *handle) {
#define FIND(name)                                                                                  \
	if (!(library->name = (__typeof__(library->name))dlsym(handle, "curl_" #name))) return 0;
	FUNCTIONS(FIND)
	return 1;
}

static int on_socket(CURL *easy, curl_socket_t descriptor, int what, void *owner, void *socket) {
	(void)easy, (void)socket;
	ccurl_library *library = owner;
	int wanted = what == CURL_POLL_IN      ? CCURL_READ
	             : what == CURL_POLL_OUT   ? CCURL_WRITE
	             : what == CURL_POLL_INOUT ? CCURL_READ | CCURL_WRITE
	                                       : 0;
	library->host.watch(library->host.owner, descriptor, wanted);
	return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *owner) {
	(void)multi;
	ccurl_library *library = owner;
	library->host.wake(library->host.owner, milliseconds);
	return 0;
}

static size_t take(ccurl_transfer *transfer, int is_body, char *bytes, size_t count) {
	struct ccurl_host *host = &transfer->library->host;
	/* Any other number than what came ends the transfer; zero is what came when nothing did. */
	int refused = host->take(host->owner, transfer, is_body, (const uint8_t *)bytes, count);
	return refused ? count + 1 : count;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *transfer) {
	return take(transfer, 1, bytes, size * count);
}

static size_t on_header(char *bytes, size_t size, size_t count, void *transfer) {
	return take(transfer, 0, bytes, size * count);
}

ccurl_library *ccurl_open(char *const *names, const struct ccurl_host *host,
                          const char **problem) {
	*problem = "it is not installed";
	void *handle = NULL;
	for (; *names && !handle; names++) handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
	if (!handle) return NULL;
	ccurl_library *library = calloc(1, sizeof *library);
	*problem = "there is no memory for it";
	if (!library) return NULL;
	library->host = *host;
	*problem = "it lacks a function that is needed";
	if (!find_functions(library, handle)) goto failed;
	*problem = "it cannot be started";
	if (library->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) goto failed;
	library->multi = library->multi_init();
	if (!library->multi) goto failed;
	library->multi_setopt(library->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	library->multi_setopt(library->multi, CURLMOPT_SOCKETDATA, library);
	library->multi_setopt(library->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	library->multi_setopt(library->multi, CURLMOPT_TIMERDATA, library);
	return library;
failed:
	free(library);
	return NULL;
}

void ccurl_close(ccurl_library *library) {
	library->multi_cleanup(library->multi);
	free(library);
}

int ccurl_resolves_aside(const ccurl_library *library) {
	const curl_version_info_data *info = library->version_info(CURLVERSION_NOW);
	/* Before 7.87 a transfer that ends waits for its thread: CURLOPT_QUICK_EXIT is not there. */
	return (info->features & CURL_VERSION_ASYNCHDNS) != 0 && info->version_num >= 0x075700;
}

/* Options without which a request could leave the two protocols or go unverified. */
static int set_bounds(const ccurl_library *library, CURL *easy) {
	CURLcode code = library->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	if (code != CURLE_OK) {
		/* Before 7.85. */
		code = library->easy_setopt(easy, (CURLoption)181 /* CURLOPT_PROTOCOLS */, 3L);
	}
	if (code == CURLE_OK) code = library->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	if (code == CURLE_OK) code = library->easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	if (code == CURLE_OK) code = library->easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	if (code == CURLE_OK) code = library->easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	if (code == CURLE_OK) code = library->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* An empty name turns off the proxies that the environment names, too. */
	if (code == CURLE_OK) code = library->easy_setopt(easy, CURLOPT_PROXY, "");
	return code == CURLE_OK;
}

/* Each request asks the network as it is now: no name, no connection is remembered. */
static void set_freshness(const ccurl_library *library, CURL *easy) {
	library->easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
	library->easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
	library->easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
	library->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	/* Else ending a transfer would wait for a name server that does not answer (libcurl 7.87). */
	library->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}

static int set_interface(const ccurl_library *library, CURL *easy, const char *name) {
	/* libcurl's mark for "an interface, not an address or a host"; names have 15 bytes at most. */
	char text[32] = "if!";
	if (strlen(name) > sizeof text - 4) return 0;
	strcat(text, name);
	return library->easy_setopt(easy, CURLOPT_INTERFACE, text) == CURLE_OK;
}

static int add_header(ccurl_transfer *transfer, const char *line) {
	struct curl_slist *longer = transfer->library->slist_append(transfer->headers, line);
	if (!longer) return 0;
	transfer->headers = longer;
	return 1;
}

static int set_body(ccurl_transfer *transfer, const struct ccurl_request *request) {
	const ccurl_library *library = transfer->library;
	library->easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE,
	                     (curl_off_t)request->body_count);
	const void *body = request->body_count ? (const void *)request->body : "";
	if (library->easy_setopt(transfer->easy, CURLOPT_COPYPOSTFIELDS, body) != CURLE_OK) return 0;
	/* libcurl would wait for a go-ahead, and call every body a form. */
	if (!add_header(transfer, "Expect:")) return 0;
	for (char *const *line = request->headers; *line; line++)
		if (strncasecmp(*line, "content-type:", 13) == 0) return 1;
	return add_header(transfer, "Content-Type:");
}

static int set_request(ccurl_transfer *transfer, const struct ccurl_request *request) {
	const ccurl_library *library = transfer->library;
	CURL *easy = transfer->easy;
	if (!set_bounds(library, easy)) return 0;
	set_freshness(library, easy);
	for (char *const *line = request->headers; *line; line++)
		if (!add_header(transfer, *line)) return 0;
	if (request->has_body && !set_body(transfer, request)) return 0;
	if (request->interface && !set_interface(library, easy, request->interface)) return 0;
	if (request->unix_socket &&
	    library->easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, request->unix_socket) != CURLE_OK)
		return 0;
	if (strcmp(request->method, "HEAD") == 0)
		library->easy_setopt(easy, CURLOPT_NOBODY, 1L);
	else
		library->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
	library->easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
	library->easy_setopt(easy, CURLOPT_USERAGENT, request->user_agent);
	library->easy_setopt(easy, CURLOPT_TIMEOUT_MS, request->timeout_ms);
	library->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->timeout_ms);
	library->easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->problem);
	library->easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	library->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	library->easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	library->easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	library->easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	return library->easy_setopt(easy, CURLOPT_URL, request->url) == CURLE_OK;
}

static void discard(ccurl_transfer *transfer) {
	if (transfer->easy) transfer->library->easy_cleanup(transfer->easy);
	transfer->library->slist_free_all(transfer->headers);
	free(transfer);
}

static ccurl_transfer *prepare(ccurl_library *library, const struct ccurl_request *request) {
	ccurl_transfer *transfer = calloc(1, sizeof *transfer);
	if (!transfer) return NULL;
	transfer->library = library;
	transfer->easy = library->easy_init();
	if (transfer->easy && set_request(transfer, request)) return transfer;
	discard(transfer);
	return NULL;
}

ccurl_transfer *ccurl_begin(ccurl_library *library, const struct ccurl_request *request) {
	ccurl_transfer *transfer = prepare(library, request);
	if (!transfer || library->multi_add_handle(library->multi, transfer->easy) == CURLM_OK)
		return transfer;
	discard(transfer);
	return NULL;
}

int ccurl_perform(ccurl_library *library, const struct ccurl_request *request,
                  struct ccurl_end *end) {
	ccurl_transfer *transfer = prepare(library, request);
	if (!transfer) return 0;
	memset(end, 0, sizeof *end);
	end->code = library->easy_perform(transfer->easy);
	long system_error = 0;
	library->easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &system_error);
	end->system_error = (int)system_error;
	end->status = ccurl_status(library, transfer);
	if (end->code)
		strncpy(end->problem, ccurl_problem(library, transfer, end->code), sizeof end->problem - 1);
	discard(transfer);
	return 1;
}

void ccurl_end(ccurl_library *library, ccurl_transfer *transfer) {
	library->multi_remove_handle(library->multi, transfer->easy);
	discard(transfer);
}

long ccurl_status(ccurl_library *library, ccurl_transfer *transfer) {
	long status = 0;
	library->easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

const char *ccurl_problem(ccurl_library *library, ccurl_transfer *transfer, int code) {
	return transfer->problem[0] ? transfer->problem : library->easy_strerror((CURLcode)code);
}

void ccurl_continue(ccurl_library *library, int descriptor, int what) {
	int running = 0, left = 0;
	int ready = (what & CCURL_READ ? CURL_CSELECT_IN : 0) | (what & CCURL_WRITE ? CURL_CSELECT_OUT : 0);
	library->multi_socket_action(
		library->multi, descriptor < 0 ? CURL_SOCKET_TIMEOUT : descriptor, ready, &running);
	CURLMsg *message;
	while ((message = library->multi_info_read(library->multi, &left))) {
		if (message->msg != CURLMSG_DONE) continue;
		char *transfer = NULL;
		library->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
		library->host.ended(library->host.owner, (ccurl_transfer *)transfer, message->data.result);
	}
}
