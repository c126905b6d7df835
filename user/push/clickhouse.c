/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "push/batch.h"
#include "push/clickhouseparts.h"
#include "push/weburl.h"
#include "util/clock.h"
#include "util/text.h"

#define PLAIN "clickhouse://"
#define SECURE "clickhouse+https://"
#define PLAIN_PORT ":8123"
#define SECURE_PORT ":8443"
#define DATABASE "skep"
#define ANSWER_BYTES (64u << 10) /* of what has nothing to say but errors */
#define QUERY_SECONDS 120L
#define STATUS_TOO_LARGE 413
#define FORGET_NS UINT64_C(3600000000000) /* a server may lose stacks, as when a backup takes its place: they are sent again each hour */
#define WHY_BYTES 300
#define SEEN_MAX (1u << 20) /* 48 MB of map; then all are sent once more */
/* One block, which is written whole or not at all; and on the shard that it belongs to before the answer comes. */
#define INSERT_SETTINGS "&max_insert_block_size=100000000&insert_distributed_sync=1"

bool clickhouse_is(const char *url)
{
	return !strncmp(url, PLAIN, strlen(PLAIN)) || !strncmp(url, SECURE, strlen(SECURE));
}

static bool is_database(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return strlen(name) < CLICKHOUSE_DATABASE_BYTES;
}

/* The port that the scheme stands for, if the URL says none: "http://h" has no colon but that of the scheme. */
static int complete(struct clickhouse *ch, bool is_secure)
{
	const char *colon = strrchr(ch->web->base, ':');
	char *base;

	if (colon[1] != '/' && !strchr(colon, ']'))
		return 0;
	if (asprintf(&base, "%s%s", ch->web->base, is_secure ? SECURE_PORT : PLAIN_PORT) < 0)
		return -ENOMEM;
	free(ch->web->base);
	ch->web->base = base;
	return 0;
}

static int take_url(struct clickhouse *ch, const char *url, const char *password, const atomic_bool *stop, struct err *err)
{
	bool is_secure = !strncmp(url, SECURE, strlen(SECURE));
	const char *rest = url + strlen(is_secure ? SECURE : PLAIN), *slash = rest + strcspn(rest, "/");
	const char *database = *slash && slash[1] ? slash + 1 : DATABASE;
	char *web;
	int ret;

	if (!is_database(database))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad name of a database in the URL: letters, digits and _ only");
	strcpy(ch->database, database);
	if (asprintf(&web, "%s://%.*s", is_secure ? "https" : "http", (int)(slash - rest), rest) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	ret = weburl_new(web, "", password, CLICKHOUSE_SCHEMES, stop, &ch->web, err);
	free(web);
	if (ret)
		return ret;
	if (!ch->web->user && password) /* that of the server's default user */
		ch->web->password = strdup(password);
	return complete(ch, is_secure) || (password && !ch->web->password) ? err_set(err, -ENOMEM, "out of memory") : 0;
}

int clickhouse_new(const char *url, const char *password, const atomic_bool *stop, struct clickhouse **ret_ch, struct err *err)
{
	struct clickhouse *ch = calloc(1, sizeof(*ch));
	int ret = ch ? take_url(ch, url, password, stop, err) : err_set(err, -ENOMEM, "out of memory");

	if (ret)
		clickhouse_free(ch);
	else
		*ret_ch = ch;
	return ret;
}

void clickhouse_free(struct clickhouse *ch)
{
	if (!ch)
		return;
	weburl_free(ch->web);
	map_free(&ch->seen);
	free(ch);
}

static void sql_put(struct sql *s, const char *text, size_t n)
{
	char *to = s->no_memory ? NULL : vec_take(&s->text, n);

	if (to)
		memcpy(to, text, n);
	s->no_memory |= !to && n;
}

void sql_add(struct sql *s, const char *form, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, form);
	n = vasprintf(&text, form, args);
	va_end(args);
	if (n < 0) {
		s->no_memory = true;
		return;
	}
	sql_put(s, text, (size_t)n);
	free(text);
}

/* Only these two have a meaning in a literal. */
void sql_quote(struct sql *s, const char *text)
{
	sql_put(s, "'", 1);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			sql_put(s, "\\", 1);
		sql_put(s, text, 1);
	}
	sql_put(s, "'", 1);
}

const char *sql_end(struct sql *s)
{
	sql_put(s, "", 1);
	return s->no_memory ? NULL : s->text.data;
}

/* "Code: 60, e.displayText() = DB::Exception: ..." or "Code: 60. DB::Exception: ...". */
static int fail(const struct client_answer *a, int *ret_code, struct err *err)
{
	size_t n = strcspn(a->body, "\n");

	*ret_code = !strncmp(a->body, "Code: ", 6) ? atoi(a->body + 6) : 0;
	if (n > WHY_BYTES)
		n = WHY_BYTES;
	if (*ret_code)
		return err_set(err, -EPROTO, "it says: %.*s", (int)n, a->body);
	if (a->status == STATUS_TOO_LARGE)
		return err_set(err, -EBADMSG, "it says: status %ld", a->status);
	return err_set(err, -EPROTO, "it is no ClickHouse: status %ld, '%.*s'", a->status, (int)(n > WHY_BYTES / 4 ? WHY_BYTES / 4 : n), a->body);
}

static char *url_of(const struct clickhouse *ch, const char *query, const char *settings)
{
	size_t size = strlen(ch->web->base) + 3 * strlen(query) + strlen(settings) + sizeof("/?wait_end_of_query=1&query=");
	char *url = malloc(size);

	if (url) { /* the answer comes when all went well, and not before */
		size_t n = text_append(url, size, 0, "%s/?wait_end_of_query=1%s", ch->web->base, settings);

		if (*query) {
			n = text_append(url, size, n, "&query=");
			client_escape(url, size, n, query);
		}
	}
	return url;
}

/* A query without rows is the body itself: so it may be as long as it likes. */
int clickhouse_query(struct clickhouse *ch, struct sql *query, const char *settings, const void *body, size_t n, size_t answer_max,
		     struct client_answer *ret_answer, int *ret_code, struct err *err)
{
	const char *text = sql_end(query);
	char *url = text ? url_of(ch, body ? text : "", settings) : NULL;
	const struct client_request r = { .url = url,
					  .user = ch->web->user,
					  .password = ch->web->password,
					  .headers = { "Content-Type: application/octet-stream", body ? "Content-Encoding: gzip" : NULL },
					  .body = body ? body : text,
					  .n = body ? n : text ? strlen(text) : 0,
					  .answer_max = answer_max,
					  .seconds = QUERY_SECONDS };
	int ret = url ? client_post(ch->web->client, &r, ret_answer, err) : err_set(err, -ENOMEM, "out of memory");

	*ret_code = 0;
	if (!ret && (ret_answer->status != 200 || (body && ret_answer->n))) { /* an INSERT that succeeded says nothing */
		ret = fail(ret_answer, ret_code, err);
		free(ret_answer->body);
	}
	if (ret)
		*ret_answer = (struct client_answer){ 0 };
	free(url);
	vec_free(&query->text);
	*query = (struct sql){ 0 };
	return ret;
}

/* Both ways of a table: what holds rows, and what is over all of a cluster. */
struct table {
	const char *name, *columns, *order, *shard;
};

static const struct table tables[] = {
	{ "skep_stacks", "hash FixedString(16), functions Array(String), objects Array(String), builds Array(String), kinds Array(UInt8)",
	  "ORDER BY hash", "cityHash64(hash)" },
	{ "skep_samples",
	  "time DateTime, seconds UInt32, host String, store String, service String, event String, unit String, comm String, cgroup String, container String, "
	  "container_name String, image String, exe String, build String, stack FixedString(16), count UInt64, value UInt64",
	  "PARTITION BY toDate(time) ORDER BY (service, event, time, host, store, seconds, comm, cgroup, container_name, image, exe, build, stack)",
	  "cityHash64(host)" },
	{ "skep_batches",
	  "time DateTime, seconds UInt32, host String, store String, event String, unit String, samples UInt64, value UInt64, stacks UInt64, notes Array(String)",
	  "PARTITION BY toDate(time) ORDER BY (event, time, host, store, seconds)", "cityHash64(host)" },
};

#define NR_TABLES (sizeof(tables) / sizeof(tables[0]))

static void add_table(struct sql *s, const struct table *t, const char *database, const char *ending)
{
	sql_add(s, "CREATE TABLE IF NOT EXISTS %s.%s%s (%s) ENGINE = ReplacingMergeTree() %s", database, t->name, ending, t->columns, t->order);
}

void clickhouse_schema(FILE *out, const char *cluster)
{
	struct sql s = { 0 };

	sql_add(&s, "CREATE DATABASE IF NOT EXISTS " DATABASE ";\n");
	for (size_t i = 0; i < NR_TABLES; i++) {
		add_table(&s, &tables[i], DATABASE, cluster ? "_local" : "");
		sql_add(&s, ";\n");
		if (!cluster)
			continue;
		sql_add(&s, "CREATE TABLE IF NOT EXISTS " DATABASE ".%s (%s) ENGINE = Distributed(", tables[i].name, tables[i].columns);
		sql_quote(&s, cluster);
		sql_add(&s, ", " DATABASE ", %s_local, %s);\n", tables[i].name, tables[i].shard);
	}
	fputs(sql_end(&s) ? s.text.data : "", out);
	vec_free(&s.text);
}

/* One that says nothing. */
static int command(struct clickhouse *ch, struct sql *query, const char *settings, const void *body, size_t n, int *ret_code, struct err *err)
{
	struct client_answer a;
	int ret = clickhouse_query(ch, query, settings, body, n, ANSWER_BYTES, &a, ret_code, err);

	if (!ret)
		free(a.body);
	return ret;
}

static int make_tables(struct clickhouse *ch, struct err *err)
{
	struct sql s = { 0 };
	int code, ret;

	map_clear(&ch->seen); /* tables may be new, and have no stacks then */
	sql_add(&s, "CREATE DATABASE IF NOT EXISTS %s", ch->database);
	ret = command(ch, &s, "", NULL, 0, &code, err);
	for (size_t i = 0; i < NR_TABLES && !ret; i++) {
		add_table(&s, &tables[i], ch->database, "");
		ret = command(ch, &s, "", NULL, 0, &code, err);
	}
	return ret;
}

static int insert(struct clickhouse *ch, const char *table, const char *columns, const struct rows_out *rows, int *ret_code, struct err *err)
{
	struct sql s = { 0 };
	char *packed;
	size_t n;
	int ret;

	*ret_code = 0;
	if (!rows->nr_rows)
		return 0;
	packed = client_pack(rows->bytes.data, rows->bytes.n, &n);
	if (!packed)
		return err_set(err, -ENOMEM, "out of memory");
	sql_add(&s, "INSERT INTO %s.%s (%s) FORMAT RowBinary", ch->database, table, columns);
	ret = command(ch, &s, INSERT_SETTINGS, packed, n, ret_code, err);
	free(packed);
	return ret;
}

/* Has it the samples of this segment? They are one block: all, or none. By the order of the table's rows it looks at few of them. 1, 0 or -errno. */
static int has_samples(struct clickhouse *ch, const struct segment *seg, const struct batch_from *from, const char *service, int *ret_code, struct err *err)
{
	struct sql s = { 0 };
	struct client_answer a;
	int ret;

	sql_add(&s, "SELECT count() > 0 FROM %s.skep_samples WHERE time = toDateTime(%" PRIu64 ") AND seconds = %u AND service = ", ch->database,
		seg->start_s, segment_seconds(seg));
	sql_quote(&s, service);
	sql_add(&s, " AND event = ");
	sql_quote(&s, seg->view);
	sql_add(&s, " AND host = ");
	sql_quote(&s, from->host);
	sql_add(&s, " AND store = ");
	sql_quote(&s, from->store);
	ret = clickhouse_query(ch, &s, "", NULL, 0, ANSWER_BYTES, &a, ret_code, err);
	if (ret)
		return ret;
	if (strcmp(a.body, "0\n") != 0 && strcmp(a.body, "1\n") != 0)
		ret = fail(&a, ret_code, err);
	else
		ret = *a.body == '1';
	free(a.body);
	return ret;
}

static void forget(struct clickhouse *ch)
{
	uint64_t now = now_ns();

	if (now - ch->forgot_ns < FORGET_NS)
		return;
	map_clear(&ch->seen);
	ch->forgot_ns = now;
}

/* One that answers all with 200 is none. */
static int check_server(struct clickhouse *ch, struct err *err)
{
	struct sql s = { 0 };
	struct client_answer a;
	int code, ret;

	if (ch->is_checked)
		return 0;
	sql_add(&s, "SELECT 6 * 7");
	ret = clickhouse_query(ch, &s, "", NULL, 0, ANSWER_BYTES, &a, &code, err);
	if (ret)
		return ret;
	ch->is_checked = !strcmp(a.body, "42\n");
	if (!ch->is_checked)
		ret = fail(&a, &code, err);
	free(a.body);
	return ret;
}

static bool knows(void *arg, const unsigned char *hash)
{
	const struct clickhouse *ch = arg;
	uint64_t low;

	memcpy(&low, hash, sizeof(low));
	return map_find(&ch->seen, low) >= 0;
}

/* What cannot be remembered is sent again. */
static void remember(struct clickhouse *ch, const struct batch *b)
{
	for (size_t i = 0; i < b->hashes.n; i += BATCH_HASH_BYTES) {
		uint64_t low;

		memcpy(&low, b->hashes.data + i, sizeof(low));
		if (ch->seen.n >= SEEN_MAX)
			map_clear(&ch->seen);
		if (map_find(&ch->seen, low) < 0 && map_add(&ch->seen, low, ch->seen.n))
			return;
	}
}

/* Stacks first: samples without them would have no names. What a segment says of itself comes last: who reads it knows that the rest is there. */
static int send_batch(struct clickhouse *ch, const struct segment *seg, const struct batch *b, const struct batch_from *from, bool may_be_there, int *ret_code,
		      struct err *err)
{
	int has = may_be_there && b->service ? has_samples(ch, seg, from, b->service, ret_code, err) : 0;
	int ret = has < 0 ? has : insert(ch, "skep_stacks", BATCH_STACK_COLUMNS, &b->stacks, ret_code, err);

	if (!ret)
		remember(ch, b);
	if (!ret && !has)
		ret = insert(ch, "skep_samples", BATCH_SAMPLE_COLUMNS, &b->samples, ret_code, err);
	return ret ? ret : insert(ch, "skep_batches", BATCH_COLUMNS, &b->head, ret_code, err);
}

int clickhouse_send(struct clickhouse *ch, const struct segment *seg, char *bytes, size_t n, const struct batch_from *from, bool may_be_there,
		    struct err *err)
{
	struct batch b;
	int ret, code = 0;

	forget(ch);
	ret = batch_make(&b, seg, bytes, n, from, knows, ch, err);
	if (ret == -ENOMEM)
		err_set(err, ret, "out of memory");
	else if (ret)
		ret = -EBADMSG;
	if (!ret)
		ret = check_server(ch, err);
	if (!ret)
		ret = send_batch(ch, seg, &b, from, may_be_there, &code, err);
	/* No tables: they are made, and what was left out because it was there is sent in another try */
	if (ret && (code == CLICKHOUSE_UNKNOWN_TABLE || code == CLICKHOUSE_UNKNOWN_DATABASE) && !make_tables(ch, err))
		ret = -EAGAIN;
	batch_free(&b);
	return ret;
}
