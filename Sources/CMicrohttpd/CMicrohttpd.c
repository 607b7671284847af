#include "CMicrohttpd.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The functions that are used, each once: for the table, and for looking it up. */
#define FUNCTIONS(X)                                                                                \
	X(start_daemon) X(stop_daemon) X(get_daemon_info) X(run) X(get_timeout)                         \
	X(get_connection_info) X(lookup_connection_value_n) X(create_response_from_buffer)              \
	X(add_response_header) X(queue_response) X(destroy_response) X(suspend_connection)              \
	X(resume_connection)

/* A connection that is open, and since when it is what it is, in milliseconds. */
struct visit {
	int descriptor;  /* negative: the place is free */
	int is_held;  /* it is ours to answer: nothing is asked of the other side */
	int is_answered;
	int is_ended;
	int64_t since;
};

struct cmicrohttpd_server {
#define FIELD(name) __typeof__(&(MHD_##name)) name;
	FUNCTIONS(FIELD)
	struct MHD_Daemon *daemon;
	int descriptor;
	struct visit *visits;
	unsigned closed;  /* connections, so far */
	int is_owing;  /* a run, since a connection ended in the last one */
	struct cmicrohttpd_limits limits;
	struct cmicrohttpd_host host;
};

struct cmicrohttpd_exchange {
	const cmicrohttpd_server *server;
	struct MHD_Connection *connection;
	const char *method;
	const char *path;
	int is_too_long;
	int has_too_many;
	int is_answered;
	int was_held;
	int is_held;
};

/* What on_uri says of a request instead of nothing. */
#define TOO_MANY ((void *)UINTPTR_MAX)

/* CLOCK_MONOTONIC, in milliseconds. */
static int64_t now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

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
	return exchange->is_answered || exchange->is_held ? MHD_YES : MHD_NO;
}

/* Called before the arguments are taken apart. Each takes memory of its connection, and at one that
 * does not fit 0.9.75 loses its way: there is no answer. So of too many none is kept: the text is the
 * library's, in memory that it changes itself next. */
static void *on_uri(void *owner, const char *uri, struct MHD_Connection *connection) {
	(void)connection;
	const cmicrohttpd_server *server = owner;
	char *query = strchr(uri, '?');
	if (!query) return NULL;
	unsigned count = 1;
	for (const char *place = query; (place = strchr(place, '&')); place++) count++;
	if (count <= server->limits.arguments) return NULL;
	query[1] = 0;
	return TOO_MANY;
}

/* What `seen` is of a request that is held: more than any body. */
#define HELD (UINTPTR_MAX - 1)

/* Called once when the header is here, then for each piece of the body, then at its end, and once
 * more when a request was held. `seen` is how much of the body has come, and one more. */
static enum MHD_Result on_request(void *owner, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *piece,
                                  size_t *size, void **seen) {
	(void)version, (void)piece;
	cmicrohttpd_exchange exchange = {owner, connection, method, path, 0, 0, 0, 0, 0};
	const struct cmicrohttpd_limits *limits = &exchange.server->limits;
	uintptr_t known = (uintptr_t)*seen;
	if (known == 0 || *seen == TOO_MANY) {
		exchange.has_too_many = known != 0;
		exchange.is_too_long = announces_too_much(&exchange);
		*seen = (void *)1;
		return exchange.is_too_long || exchange.has_too_many ? ask_host(&exchange) : MHD_YES;
	}
	if (*size == 0) {
		exchange.was_held = known == HELD;
		exchange.is_too_long = !exchange.was_held && known - 1 > limits->body;
		enum MHD_Result result = ask_host(&exchange);
		if (exchange.is_held) *seen = (void *)HELD;
		return result;
	}
	/* Within a body the library takes no answer, so what is too long is read to its end. */
	if (*size > limits->drained - (known - 1)) return MHD_NO;
	*seen = (void *)(known + *size);
	*size = 0;
	return MHD_YES;
}

/* The library has the socket from before the first call until after the second. */
static void on_connection(void *owner, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code) {
	cmicrohttpd_server *server = owner;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		struct visit *visit = *context;
		server->closed++;
		if (visit) visit->descriptor = -1;
		return;
	}
	*context = NULL;
	const union MHD_ConnectionInfo *info =
		server->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	for (unsigned place = 0; info && place < server->limits.connections; place++) {
		if (server->visits[place].descriptor >= 0) continue;
		server->visits[place] = (struct visit){info->connect_fd, 0, 0, 0, now()};
		*context = &server->visits[place];
		return;
	}
}

/* What fails before the library has the socket leaves it open, and later failures close it. */
static void close_if_open(int descriptor) {
	if (fcntl(descriptor, F_GETFD) >= 0) close(descriptor);
}

static int start(cmicrohttpd_server *server, int listening) {
	const struct cmicrohttpd_limits *limits = &server->limits;
	server->daemon = server->start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, server,
		MHD_OPTION_LISTEN_SOCKET, listening,
		MHD_OPTION_CONNECTION_LIMIT, limits->connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		limits->memory, MHD_OPTION_CONNECTION_TIMEOUT, limits->seconds,
		MHD_OPTION_URI_LOG_CALLBACK, on_uri, server, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
		server, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
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
	server->visits = calloc(limits->connections, sizeof *server->visits);
	if (!server->visits) goto failed;
	for (unsigned place = 0; place < limits->connections; place++)
		server->visits[place].descriptor = -1;
	*problem = "it lacks a function that is needed";
	if (!find_functions(server, handle)) goto failed;
	*problem = "it cannot be started";
	if (start(server, listening)) return server;
failed:
	close_if_open(listening);
	if (server) free(server->visits);
	free(server);
	return NULL;
}

void cmicrohttpd_close(cmicrohttpd_server *server) {
	server->stop_daemon(server->daemon);
	free(server->visits);
	free(server);
}

int cmicrohttpd_descriptor(const cmicrohttpd_server *server) { return server->descriptor; }

/* How long a connection may stay as it is; while no place is free, shorter. */
static int64_t due(const cmicrohttpd_server *server, const struct visit *visit, int is_crowded) {
	if (visit->is_held) return INT64_MAX;
	if (visit->is_answered) return is_crowded ? visit->since + server->limits.request : INT64_MAX;
	return visit->since + (is_crowded ? server->limits.grace : server->limits.request);
}

/* Whether every place is taken, and none of them by one who was sent away already. */
static int is_crowded(const cmicrohttpd_server *server) {
	for (unsigned place = 0; place < server->limits.connections; place++) {
		const struct visit *visit = &server->visits[place];
		if (visit->descriptor < 0 || visit->is_ended) return 0;
	}
	return 1;
}

/* The library hears of the end as if the other side had closed. */
static void end(struct visit *visit) {
	shutdown(visit->descriptor, SHUT_RDWR);
	visit->is_ended = 1;
}

/* Those who still have not said what they want go first, and of them who came first. */
static struct visit *first_to_go(const cmicrohttpd_server *server, int64_t time) {
	struct visit *first = NULL;
	for (unsigned place = 0; place < server->limits.connections; place++) {
		struct visit *visit = &server->visits[place];
		if (due(server, visit, 1) > time) continue;
		if (!first || visit->is_answered < first->is_answered ||
		    (visit->is_answered == first->is_answered && visit->since < first->since))
			first = visit;
	}
	return first;
}

/* Ends what took too long, and makes room for one more where there is none. */
static int end_late(cmicrohttpd_server *server) {
	int count = 0;
	int64_t time = now();
	for (unsigned place = 0; place < server->limits.connections; place++) {
		struct visit *visit = &server->visits[place];
		if (visit->descriptor < 0 || visit->is_ended || due(server, visit, 0) > time) continue;
		end(visit);
		count++;
	}
	if (!is_crowded(server)) return count;
	struct visit *first = first_to_go(server, time);
	if (first) end(first);
	return count + (first != NULL);
}

enum { RUNS_MOST = 4 };

/* At its limit the library hears the listening socket no more, and so after a connection that it
 * could not take for want of a descriptor. It takes that back at the beginning of a run, not when a
 * connection ends in one (seen with 0.9.75): who connects next would wait for ever. */
static void run(cmicrohttpd_server *server) {
	server->is_owing = 1;
	/* Not for ever, or whoever comes and goes without end would keep the caller. */
	for (int round = 0; server->is_owing && round < RUNS_MOST; round++) {
		unsigned before = server->closed;
		server->run(server->daemon);
		server->is_owing = server->closed != before;
	}
}

void cmicrohttpd_continue(cmicrohttpd_server *server) {
	run(server);
	if (end_late(server)) run(server);
}

int64_t cmicrohttpd_wait(cmicrohttpd_server *server) {
	unsigned long long milliseconds = 0;
	if (server->is_owing) return 0;
	if (server->get_timeout(server->daemon, &milliseconds) != MHD_YES) return -1;
	int64_t wait = milliseconds > INT32_MAX ? INT32_MAX : (int64_t)milliseconds;
	int crowded = is_crowded(server);
	int64_t time = now();
	for (unsigned place = 0; place < server->limits.connections; place++) {
		const struct visit *visit = &server->visits[place];
		if (visit->descriptor < 0 || visit->is_ended) continue;
		int64_t left = due(server, visit, crowded) - time;
		if (left < wait) wait = left < 0 ? 0 : left;
	}
	return wait;
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

int cmicrohttpd_has_too_many(const cmicrohttpd_exchange *exchange) {
	return exchange->has_too_many;
}

static struct visit *visit_of(const cmicrohttpd_exchange *exchange) {
	const union MHD_ConnectionInfo *info = exchange->server->get_connection_info(
		exchange->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info ? info->socket_context : NULL;
}

/* From now on it is the other side's turn. */
static void note_answer(const cmicrohttpd_exchange *exchange) {
	struct visit *visit = visit_of(exchange);
	if (!visit) return;
	visit->is_held = 0;
	visit->is_answered = 1;
	visit->since = now();
}

cmicrohttpd_connected *cmicrohttpd_connection(const cmicrohttpd_exchange *exchange) {
	return (cmicrohttpd_connected *)exchange->connection;
}

int cmicrohttpd_was_held(const cmicrohttpd_exchange *exchange) { return exchange->was_held; }

void cmicrohttpd_hold(cmicrohttpd_exchange *exchange) {
	struct visit *visit = visit_of(exchange);
	if (visit) visit->is_held = 1;
	exchange->server->suspend_connection(exchange->connection);
	exchange->is_held = 1;
}

void cmicrohttpd_release(cmicrohttpd_server *server, cmicrohttpd_connected *connection) {
	server->resume_connection((struct MHD_Connection *)connection);
}

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
	if (exchange->is_answered) note_answer(exchange);
	return exchange->is_answered;
}
