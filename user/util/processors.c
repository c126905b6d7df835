/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/processors.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/num.h"

#define CPU_FILE "%s/cpu%u/topology/%s"
#define LINE_BYTES_MAX (64 << 10) /* every second of 8192 CPUs, the most that x86 has, takes 20 kB */
#define PMUS "/sys/bus/event_source/devices"

/* The first line, without its end, the caller's to free. NULL: there is no such file, or its line is longer than any that is of use. */
static char *read_line(const char *path)
{
	char line[LINE_BYTES_MAX];
	FILE *f = fopen(path, "re");
	bool is_read = f && fgets(line, sizeof(line), f);
	size_t n = is_read ? strcspn(line, "\n") : 0;
	bool is_whole = is_read && (line[n] == '\n' || feof(f));

	if (f)
		fclose(f);
	return is_whole ? strndup(line, n) : NULL;
}

static int read_number(const char *path, int fallback)
{
	char *line = read_line(path);
	uint64_t n;

	if (line && !num_u64(line, INT32_MAX, &n))
		fallback = (int)n;
	free(line);
	return fallback;
}

/* "family\t: 6" of the first processor. */
static bool cpuinfo_value(const char *line, const char *name, char *to, size_t size)
{
	size_t n = strlen(name);
	const char *colon = strchr(line, ':');

	if (strncmp(line, name, n) || !strchr("\t :", line[n]) || !colon || colon[1] != ' ')
		return false;
	snprintf(to, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
	return true;
}

static void read_cpuinfo(struct processors *p)
{
	char line[4096], vendor[64] = "", family[16] = "", model[16] = "", stepping[16] = "";
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && fgets(line, sizeof(line), f) && line[0] != '\n') {
		if (cpuinfo_value(line, "vendor_id", vendor, sizeof(vendor)) || cpuinfo_value(line, "cpu family", family, sizeof(family)) ||
		    cpuinfo_value(line, "model name", p->cpu_desc, sizeof(p->cpu_desc)))
			continue;
		if (!cpuinfo_value(line, "model", model, sizeof(model)))
			cpuinfo_value(line, "stepping", stepping, sizeof(stepping));
	}
	if (f)
		fclose(f);
	if (vendor[0] && family[0])
		snprintf(p->cpuid, sizeof(p->cpuid), "%s,%s,%s,%s", vendor, family, model, stepping);
}

/* Each text once. text is the list's from now on, or freed. */
static int add_text(struct processor_texts *list, char *text)
{
	bool is_new = text && text[0];
	int ret = 0;

	for (size_t i = 0; i < list->n && is_new; i++)
		is_new = strcmp(list->data[i], text) != 0;
	if (is_new)
		ret = vec_reserve(list) ? -ENOMEM : 0;
	if (is_new && !ret)
		list->data[list->n++] = text;
	else
		free(text);
	return ret;
}

static const char *cpus_dir(const struct processors *p)
{
	return p->dir ? p->dir : PROCESSORS_DIR;
}

static int cpu_number(const struct processors *p, uint32_t cpu, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CPU_FILE, cpus_dir(p), cpu, file);
	return read_number(path, -1);
}

static int add_cpu(struct processors *p, uint32_t cpu)
{
	const struct {
		const char *file;
		struct processor_texts *to;
	} lists[] = { { "core_siblings_list", &p->sockets }, { "die_cpus_list", &p->dies }, { "thread_siblings_list", &p->cores } };
	struct processor_cpu *to = vec_take(&p->cpus, 1);
	char path[PATH_MAX];
	int ret = 0;

	if (!to)
		return -ENOMEM;
	to->core = cpu_number(p, cpu, "core_id");
	to->die = cpu_number(p, cpu, "die_id");
	to->socket = cpu_number(p, cpu, "physical_package_id");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && !ret; i++) {
		snprintf(path, sizeof(path), CPU_FILE, cpus_dir(p), cpu, lists[i].file);
		ret = add_text(lists[i].to, read_line(path));
	}
	return ret;
}

static int add_pmus(struct processors *p)
{
	DIR *d = opendir(PMUS);
	struct dirent *e;
	int ret = 0;

	while (d && !ret && (e = readdir(d))) {
		char path[sizeof(PMUS) + sizeof(e->d_name) + sizeof("//type")];
		struct processor_pmu pmu;
		int type;

		if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof(pmu.name))
			continue;
		snprintf(path, sizeof(path), PMUS "/%s/type", e->d_name);
		type = read_number(path, -1);
		if (type < 0)
			continue;
		pmu.type = (uint32_t)type;
		memcpy(pmu.name, e->d_name, strlen(e->d_name) + 1);
		ret = vec_reserve(&p->pmus) ? -ENOMEM : 0;
		if (!ret)
			p->pmus.data[p->pmus.n++] = pmu;
	}
	if (d)
		closedir(d);
	return ret;
}

int processors_read(struct processors *p, uint32_t nr_cpus)
{
	int ret = 0;

	read_cpuinfo(p);
	for (uint32_t cpu = 0; cpu < nr_cpus && !ret; cpu++)
		ret = add_cpu(p, cpu);
	return ret ? ret : add_pmus(p);
}

static void free_texts(struct processor_texts *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->data[i]);
	vec_free(list);
}

void processors_free(struct processors *p)
{
	free_texts(&p->sockets);
	free_texts(&p->dies);
	free_texts(&p->cores);
	vec_free(&p->cpus);
	vec_free(&p->pmus);
}
