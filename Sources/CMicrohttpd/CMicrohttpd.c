#include "CMicrohttpd.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The functions that are used, each once: for the table, and for looking it up. */
#define FUNCTIONS(X)                                                                                \
	X(start_daemon) X(stop_daemon) X(get_daemon_info) X(run) X(get_timeout)                         \
	X(lookup_connection_value_n) X(create_response_from_buffer) X(add_response_header)              \
	X(queue_response) X(destroy_response)

struct cmicrohttpd_server {
#define FIELD(name) __typeof__(&(MHD_##name)) name;
	FUNCTIONS(FIELD)
	struct MHD_Daemon *daemon;
	int descriptor;
	struct cmicrohttpd_limits limits;
	struct cmicrohttpd_host host;
};

struct cmicrohttpd_exchange {
	const cmicrohttpd_server *server;
	struct MHD_Connection *connection;
	const char *method;
	const char *path;
	int is_too_long;
	int is_answered;
};

static int find_functions(cmicrohttpd_server *server, void *handle) {
#define FIND(name)                                                                                  \
	if (!(server->name = (__typeof__(server->name))dlsym(handle, "MHD_" #name))) return 0;
	FUNCTIONS(FIND)
	return 1;
}

static const char *find(const cmicrohttpd_exchange *exchange, enum MHD_ValueKind kind,
                        const char *name, size_t *count) {
	const char *value = NULL;
	*count = 0;
	enum MHD_Result found = exchange->server->lookup_connection_value_n(
		exchange->connection, kind, name, strlen(name), &value, count);
	return found == MHD_YES ? value : NULL;
}

static int announces_too_much(const cmicrohttpd_exchange *exchange) {
	size_t count;
	const char *length = find(exchange, MHD_HEADER_KIND, "Content-Length", &count);
	/* The library has refused what is no number; the greatest stands for all that are greater. */
	return length && strtoull(length, NULL, 10) > exchange->server->limits.body;
}

static enum MHD_Result ask_host(cmicrohttpd_exchange *exchange) {
	exchange->server->host.answer(exchange->server->host.owner, exchange);
	return exchange->is_answered ? MHD_YES : MHD_NO;
}

/* Called once when the header is here, then for each piece of the body, then at its end. `seen` is
 * how much of the body has come, and one more. */
static enum MHD_Result on_request(void *owner, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *piece,
                                  size_t *size, void **seen) {
	(void)version, (void)piece;
	cmicrohttpd_exchange exchange = {owner, connection, method, path, 0, 0};
	uintptr_t known = (uintptr_t)*seen;
	if (known == 0) {
		*seen = (void *)1;
		exchange.is_too_long = announces_too_much(&exchange);
		return exchange.is_too_long ? ask_host(&exchange) : MHD_YES;
	}
	if (*size == 0) return ask_host(&exchange);
	if (*size > exchange.server->limits.body - (known - 1)) return MHD_NO;
	*seen = (void *)(known + *size);
	*size = 0;
	return MHD_YES;
}

/* What fails before the library has the socket leaves it open, and later failures close it. */
static void close_if_open(int descriptor) {
	if (fcntl(descriptor, F_GETFD) >= 0) close(descriptor);
}

static int start(cmicrohttpd_server *server, int listening) {
	const struct cmicrohttpd_limits *limits = &server->limits;
	server->daemon = server->start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, on_request, server, MHD_OPTION_LISTEN_SOCKET, listening,
		MHD_OPTION_CONNECTION_LIMIT, limits->connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		limits->memory, MHD_OPTION_CONNECTION_TIMEOUT, limits->seconds,
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
	if (!server->daemon) return 0;
	const union MHD_DaemonInfo *info =
		server->get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (info) server->descriptor = info->epoll_fd;
	if (info && info->epoll_fd >= 0) return 1;
	server->stop_daemon(server->daemon);
	return 0;
}

cmicrohttpd_server *cmicrohttpd_open(char *const *names, int listening,
                                     const struct cmicrohttpd_limits *limits,
                                     const struct cmicrohttpd_host *host, const char **problem) {
	*problem = "it is not installed";
	void *handle = NULL;
	cmicrohttpd_server *server = NULL;
	for (; *names && !handle; names++) handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
	if (!handle) goto failed;
	*problem = "there is no memory for it";
	server = calloc(1, sizeof *server);
	if (!server) goto failed;
	server->limits = *limits;
	server->host = *host;
	*problem = "it lacks a function that is needed";
	if (!find_functions(server, handle)) goto failed;
	*problem = "it cannot be started";
	if (start(server, listening)) return server;
failed:
	close_if_open(listening);
	free(server);
	return NULL;
}

void cmicrohttpd_close(cmicrohttpd_server *server) {
	server->stop_daemon(server->daemon);
	free(server);
}

int cmicrohttpd_descriptor(const cmicrohttpd_server *server) { return server->descriptor; }

static int is_full(cmicrohttpd_server *server) {
	const union MHD_DaemonInfo *info =
		server->get_daemon_info(server->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
	return info && info->num_connections >= server->limits.connections;
}

void cmicrohttpd_continue(cmicrohttpd_server *server) {
	int was_full = is_full(server);
	server->run(server->daemon);
	/* At its limit the library hears the listening socket no more. It takes that back at the
	 * beginning of a run, not when a connection ends in one (seen with 0.9.75). */
	if (was_full && !is_full(server)) server->run(server->daemon);
}

int64_t cmicrohttpd_wait(cmicrohttpd_server *server) {
	unsigned long long milliseconds = 0;
	if (server->get_timeout(server->daemon, &milliseconds) != MHD_YES) return -1;
	return milliseconds > INT32_MAX ? INT32_MAX : (int64_t)milliseconds;
}

const char *cmicrohttpd_method(const cmicrohttpd_exchange *exchange) { return exchange->method; }

const char *cmicrohttpd_path(const cmicrohttpd_exchange *exchange) { return exchange->path; }

const char *cmicrohttpd_argument(const cmicrohttpd_exchange *exchange, const char *name,
                                 size_t *count) {
	return find(exchange, MHD_GET_ARGUMENT_KIND, name, count);
}

const char *cmicrohttpd_header(const cmicrohttpd_exchange *exchange, const char *name,
                               size_t *count) {
	return find(exchange, MHD_HEADER_KIND, name, count);
}

int cmicrohttpd_is_too_long(const cmicrohttpd_exchange *exchange) { return exchange->is_too_long; }

int cmicrohttpd_answer(cmicrohttpd_exchange *exchange, unsigned status, char *const *header,
                       const uint8_t *body, size_t count) {
	const cmicrohttpd_server *server = exchange->server;
	struct MHD_Response *response =
		server->create_response_from_buffer(count, (void *)body, MHD_RESPMEM_MUST_COPY);
	if (!response) return 0;
	int is_whole = server->add_response_header(response, "Connection", "close") == MHD_YES;
	for (; header[0]; header += 2)
		if (server->add_response_header(response, header[0], header[1]) != MHD_YES) is_whole = 0;
	if (is_whole)
		exchange->is_answered =
			server->queue_response(exchange->connection, status, response) == MHD_YES;
	server->destroy_response(response);
	return exchange->is_answered;
}
