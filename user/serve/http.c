/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "serve/http.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/library.h"
#include "util/num.h"
#include "util/thread.h"

#define SONAME "libmicrohttpd.so.12" /* of 0.9.47 and later, and of 1.0 */
#define PAGES_MAX 8
#define ADDRESS_BYTES 64
#define CLIENTS_MAX 64u
#define CLIENT_SECONDS 10u /* of one that does not read, or does not ask */
#define CLIENT_BYTES (16u << 10) /* of a request */
#define STALE_NS UINT64_C(60000000000) /* since the last http_publish(): who publishes is stuck */
#define PORT_MAX 65535
#define SECONDS_MAX 3600

static struct {
	__typeof__(MHD_start_daemon) *start;
	__typeof__(MHD_stop_daemon) *stop;
	__typeof__(MHD_create_response_from_buffer) *response;
	__typeof__(MHD_destroy_response) *destroy;
	__typeof__(MHD_add_response_header) *header;
	__typeof__(MHD_queue_response) *queue;
	__typeof__(MHD_suspend_connection) *suspend;
	__typeof__(MHD_resume_connection) *resume;
	__typeof__(MHD_lookup_connection_value) *value;
	__typeof__(MHD_get_connection_info) *info;
} mhd;

struct page {
	const char *path;
	struct MHD_Response *response; /* counted: an answer that is being sent has it still */
};

enum waiter_state { WAITER_FREE, WAITER_NEW, WAITER_TAKEN, WAITER_ANSWERED, WAITER_GONE };

/* A connection that sleeps until somebody has its answer. */
struct waiter {
	enum waiter_state state;
	struct MHD_Connection *connection;
	struct http_waiter asked;
	struct MHD_Response *response;
	unsigned int status;
};

enum refusal { REFUSAL_NO_PAGE, REFUSAL_METHOD, REFUSAL_STALE, REFUSAL_TOO_MANY, REFUSAL_SECONDS, NR_REFUSALS };

static const struct {
	unsigned int status;
	const char *text;
} refusals[NR_REFUSALS] = {
	[REFUSAL_NO_PAGE] = { MHD_HTTP_NOT_FOUND, "not found\n" },
	[REFUSAL_METHOD] = { MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n" },
	[REFUSAL_STALE] = { MHD_HTTP_SERVICE_UNAVAILABLE, "no figures for a minute\n" },
	[REFUSAL_TOO_MANY] = { MHD_HTTP_SERVICE_UNAVAILABLE, "too many wait already\n" },
	[REFUSAL_SECONDS] = { MHD_HTTP_BAD_REQUEST, "seconds=N: 1 to 3600\n" },
};

struct http {
	struct MHD_Daemon *daemon;
	pthread_mutex_t lock; /* of pages and waiters */
	struct page pages[PAGES_MAX];
	const char *wait_path; /* NULL: none */
	struct waiter waiters[HTTP_WAITERS_MAX];
	uint64_t nr_waiters; /* that there were */
	bool closing;
	uint64_t published_ns;
	struct MHD_Response *refusals[NR_REFUSALS];
	int socket;
	char address[ADDRESS_BYTES];
};

static bool open_library(void)
{
	const struct library_symbol symbols[] = {
		{ &mhd.start, "MHD_start_daemon" },	      { &mhd.stop, "MHD_stop_daemon" },	      { &mhd.response, "MHD_create_response_from_buffer" },
		{ &mhd.destroy, "MHD_destroy_response" },     { &mhd.header, "MHD_add_response_header" }, { &mhd.queue, "MHD_queue_response" },
		{ &mhd.suspend, "MHD_suspend_connection" },   { &mhd.resume, "MHD_resume_connection" },   { &mhd.value, "MHD_lookup_connection_value" },
		{ &mhd.info, "MHD_get_connection_info" },
	};
	static bool is_open;

	if (!is_open)
		is_open = library_open(SONAME, symbols, sizeof(symbols) / sizeof(symbols[0]));
	return is_open;
}

static bool parse_port(const char *text, uint16_t *ret_port)
{
	uint64_t port;

	if (num_u64(text, PORT_MAX, &port))
		return false;
	*ret_port = htons((uint16_t)port);
	return true;
}

/* Returns the address's bytes; 0: it is none. */
static socklen_t address_parse(const char *listen, struct sockaddr_storage *ret_at)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret_at;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret_at;
	const char *colon = strrchr(listen, ':');
	size_t n = colon ? (size_t)(colon - listen) : 0;
	bool is_6 = n > 2 && listen[0] == '[' && listen[n - 1] == ']';
	char host[INET6_ADDRSTRLEN] = "";
	uint16_t port;

	n -= is_6 ? 2 : 0;
	if (n >= sizeof(host) || !parse_port(colon ? colon + 1 : listen, &port))
		return 0;
	memcpy(host, listen + is_6, n);
	memset(ret_at, 0, sizeof(*ret_at));
	if (is_6) {
		*in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = port };
		return inet_pton(AF_INET6, host, &in6->sin6_addr) == 1 ? sizeof(*in6) : 0;
	}
	*in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	return !n || inet_pton(AF_INET, host, &in->sin_addr) == 1 ? sizeof(*in) : 0;
}

static struct MHD_Response *make_response(const char *type, const char *text, size_t n)
{
	struct MHD_Response *r = mhd.response(n, (void *)text, MHD_RESPMEM_MUST_COPY);

	if (r && mhd.header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES)
		return r;
	if (r)
		mhd.destroy(r);
	return NULL;
}

static int make_refusals(struct http *h, struct err *err)
{
	for (int i = 0; i < NR_REFUSALS; i++) {
		h->refusals[i] = make_response("text/plain", refusals[i].text, strlen(refusals[i].text));
		if (!h->refusals[i])
			return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

static enum MHD_Result refuse(const struct http *h, struct MHD_Connection *c, enum refusal why)
{
	return mhd.queue(c, refusals[why].status, h->refusals[why]);
}

static const struct page *find_page(const struct http *h, const char *path)
{
	for (int i = 0; i < PAGES_MAX; i++)
		if (h->pages[i].path && !strcmp(h->pages[i].path, path))
			return &h->pages[i];
	return NULL;
}

static struct waiter *free_waiter(struct http *h)
{
	for (int i = 0; i < HTTP_WAITERS_MAX && !h->closing; i++)
		if (h->waiters[i].state == WAITER_FREE)
			return &h->waiters[i];
	return NULL;
}

/* The library calls again when it was resumed, with *state as it was left. Under the lock. */
static enum MHD_Result wait_for_answer(struct http *h, struct MHD_Connection *c, void **state)
{
	struct waiter *w = *state;
	const char *seconds, *view;
	uint64_t n = 0;

	if (w)
		return w->state == WAITER_ANSWERED ? mhd.queue(c, w->status, w->response) : MHD_NO;
	seconds = mhd.value(c, MHD_GET_ARGUMENT_KIND, "seconds");
	view = mhd.value(c, MHD_GET_ARGUMENT_KIND, "view");
	if (seconds && (num_u64(seconds, SECONDS_MAX, &n) || !n))
		return refuse(h, c, REFUSAL_SECONDS);
	w = free_waiter(h);
	if (!w)
		return refuse(h, c, REFUSAL_TOO_MANY);
	*w = (struct waiter){ .state = WAITER_NEW, .connection = c, .asked = { .id = ++h->nr_waiters, .seconds = n } };
	snprintf(w->asked.view, sizeof(w->asked.view), "%s", view ? view : "");
	*state = w;
	mhd.suspend(c);
	return MHD_YES;
}

/* However a request ended, also one whose client went. */
static void at_end(void *arg, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode code)
{
	struct http *h = arg;
	struct waiter *w = *state;

	(void)c;
	(void)code;
	if (!w)
		return;
	pthread_mutex_lock(&h->lock);
	if (w->response)
		mhd.destroy(w->response);
	*w = (struct waiter){ 0 };
	pthread_mutex_unlock(&h->lock);
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c, const char *url, const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct http *h = arg;
	const struct page *page;
	enum MHD_Result ret;
	bool is_get = !strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD);

	(void)version;
	(void)upload;
	if (*upload_size)
		return MHD_NO;
	if (!is_get)
		return refuse(h, c, REFUSAL_METHOD);
	pthread_mutex_lock(&h->lock);
	page = find_page(h, url);
	if (h->wait_path && !strcmp(url, h->wait_path))
		ret = wait_for_answer(h, c, state);
	else if (!page)
		ret = refuse(h, c, REFUSAL_NO_PAGE);
	else if (now_ns() > h->published_ns + STALE_NS) /* what another CPU has noted may be a moment ahead */
		ret = refuse(h, c, REFUSAL_STALE);
	else
		ret = mhd.queue(c, MHD_HTTP_OK, page->response);
	pthread_mutex_unlock(&h->lock);
	return ret;
}

static int listen_at(struct http *h, const char *listen_text, struct err *err)
{
	struct sockaddr_storage at;
	socklen_t size = address_parse(listen_text, &at);
	char host[INET6_ADDRSTRLEN] = "", port[sizeof("65535")] = "";
	int on = 1;

	if (!size)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad address '%s': expected PORT, ADDRESS:PORT or [ADDRESS]:PORT", listen_text);
	h->socket = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (h->socket < 0 || setsockopt(h->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) || bind(h->socket, (struct sockaddr *)&at, size) ||
	    listen(h->socket, CLIENTS_MAX) || getsockname(h->socket, (struct sockaddr *)&at, &size))
		return err_exit(err, -errno, EXIT_CANNOT, "cannot listen at '%s': %s", listen_text, strerror(errno));
	getnameinfo((struct sockaddr *)&at, size, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(h->address, sizeof(h->address), at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
	return 0;
}

int http_open(const char *listen_text, struct http **ret_http, struct err *err)
{
	struct http *h;
	int ret;

	if (!open_library()) {
		const char *why = dlerror();

		err_exit(err, -ENOTSUP, EXIT_CANNOT, "cannot load the library that --listen needs: %s", why ? why : SONAME " lacks functions");
		err_hint(err, "on Debian: apt install libmicrohttpd12");
		return -ENOTSUP;
	}
	h = calloc(1, sizeof(*h));
	if (!h)
		return err_set(err, -ENOMEM, "out of memory");
	h->socket = -1;
	pthread_mutex_init(&h->lock, NULL);
	ret = listen_at(h, listen_text, err);
	ret = ret ? ret : make_refusals(h, err);
	if (!ret) {
		sigset_t before;

		thread_signals_block(&before); /* the library's thread takes none */
		h->daemon = mhd.start(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, h,
				      MHD_OPTION_NOTIFY_COMPLETED, at_end, h, MHD_OPTION_LISTEN_SOCKET, h->socket,
				      MHD_OPTION_CONNECTION_LIMIT, CLIENTS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, CLIENT_SECONDS,
				      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CLIENT_BYTES, MHD_OPTION_END);
		thread_signals_restore(&before);
		ret = h->daemon ? 0 : err_exit(err, -EIO, EXIT_CANNOT, "cannot serve at '%s'", listen_text);
	}
	if (ret)
		http_close(h);
	else
		*ret_http = h;
	return ret;
}

/* The library does not stop while one sleeps. */
static void end_waiters(struct http *h)
{
	pthread_mutex_lock(&h->lock);
	h->closing = true;
	for (int i = 0; i < HTTP_WAITERS_MAX; i++)
		if (h->waiters[i].state == WAITER_NEW || h->waiters[i].state == WAITER_TAKEN)
			mhd.resume(h->waiters[i].connection);
	pthread_mutex_unlock(&h->lock);
}

void http_close(struct http *h)
{
	if (!h)
		return;
	end_waiters(h);
	if (h->daemon)
		mhd.stop(h->daemon); /* and closes the socket */
	else if (h->socket >= 0)
		close(h->socket);
	for (int i = 0; i < PAGES_MAX; i++)
		if (h->pages[i].response)
			mhd.destroy(h->pages[i].response);
	for (int i = 0; i < NR_REFUSALS; i++)
		if (h->refusals[i])
			mhd.destroy(h->refusals[i]);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

const char *http_address(const struct http *h)
{
	return h->address;
}

void http_wait_at(struct http *h, const char *path)
{
	pthread_mutex_lock(&h->lock);
	h->wait_path = path;
	pthread_mutex_unlock(&h->lock);
}

/* The library does not look at a connection that sleeps. */
static bool has_gone(struct waiter *w)
{
	const union MHD_ConnectionInfo *info = mhd.info(w->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd p = { .fd = info ? info->connect_fd : -1, .events = POLLRDHUP };

	return poll(&p, 1, 0) == 1 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

bool http_take(struct http *h, struct http_waiter *ret_waiter)
{
	struct waiter *w = NULL;

	pthread_mutex_lock(&h->lock);
	for (int i = 0; i < HTTP_WAITERS_MAX; i++) {
		struct waiter *at = &h->waiters[i];

		if (at->state != WAITER_NEW && at->state != WAITER_TAKEN)
			continue;
		if (has_gone(at)) {
			at->state = WAITER_GONE;
			mhd.resume(at->connection);
		} else if (at->state == WAITER_NEW && !w) {
			w = at;
		}
	}
	if (w) {
		w->state = WAITER_TAKEN;
		*ret_waiter = w->asked;
	}
	pthread_mutex_unlock(&h->lock);
	return w;
}

bool http_is_waiting(struct http *h, uint64_t id)
{
	bool found = false;

	pthread_mutex_lock(&h->lock);
	for (int i = 0; i < HTTP_WAITERS_MAX; i++)
		found |= h->waiters[i].state == WAITER_TAKEN && h->waiters[i].asked.id == id;
	pthread_mutex_unlock(&h->lock);
	return found;
}

int http_answer(struct http *h, uint64_t id, unsigned int status, const char *type, const char *bytes, size_t n)
{
	struct MHD_Response *r = make_response(type, bytes, n);
	struct waiter *w = NULL;

	if (!r)
		return -ENOMEM;
	pthread_mutex_lock(&h->lock);
	for (int i = 0; i < HTTP_WAITERS_MAX && !w; i++)
		if (h->waiters[i].state == WAITER_TAKEN && h->waiters[i].asked.id == id)
			w = &h->waiters[i];
	if (w) {
		w->state = WAITER_ANSWERED;
		w->response = r;
		w->status = status;
		mhd.resume(w->connection);
	}
	pthread_mutex_unlock(&h->lock);
	if (!w)
		mhd.destroy(r);
	return 0;
}

int http_publish(struct http *h, const char *path, const char *type, const char *text, size_t n)
{
	struct MHD_Response *fresh = make_response(type, text, n), *old = NULL;
	int ret = -ENOMEM;

	if (!fresh)
		return ret;
	pthread_mutex_lock(&h->lock);
	h->published_ns = now_ns();
	for (int i = 0; i < PAGES_MAX && ret; i++) {
		struct page *p = &h->pages[i];

		if (p->path && strcmp(p->path, path))
			continue;
		old = p->response;
		*p = (struct page){ path, fresh };
		ret = 0;
	}
	pthread_mutex_unlock(&h->lock);
	if (ret || old)
		mhd.destroy(ret ? fresh : old);
	return ret;
}
#else

int http_open(const char *listen, struct http **ret_http, struct err *err)
{
	(void)listen;
	(void)ret_http;
	return err_exit(err, -ENOTSUP, EXIT_CANNOT, "this skep was built without libmicrohttpd, which --listen needs");
}

void http_close(struct http *h)
{
	(void)h;
}

const char *http_address(const struct http *h)
{
	(void)h;
	return "";
}

void http_wait_at(struct http *h, const char *path)
{
	(void)h;
	(void)path;
}

bool http_take(struct http *h, struct http_waiter *ret_waiter)
{
	(void)h;
	(void)ret_waiter;
	return false;
}

bool http_is_waiting(struct http *h, uint64_t id)
{
	(void)h;
	(void)id;
	return false;
}

int http_answer(struct http *h, uint64_t id, unsigned int status, const char *type, const char *bytes, size_t n)
{
	(void)h;
	(void)id;
	(void)status;
	(void)type;
	(void)bytes;
	(void)n;
	return -ENOTSUP;
}

int http_publish(struct http *h, const char *path, const char *type, const char *text, size_t n)
{
	(void)h;
	(void)path;
	(void)type;
	(void)text;
	(void)n;
	return -ENOTSUP;
}
#endif
