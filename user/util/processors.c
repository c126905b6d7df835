/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/processors.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/num.h"

#define CPU_FILE "/sys/devices/system/cpu/cpu%u/topology/%s"
#define PMUS "/sys/bus/event_source/devices"

/* The first line, without its end. Empty: there is no such file. */
static void read_text(const char *path, struct processor_text *ret_text)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(ret_text->text, sizeof(ret_text->text), f))
		ret_text->text[0] = '\0';
	ret_text->text[strcspn(ret_text->text, "\n")] = '\0';
	if (f)
		fclose(f);
}

static int read_number(const char *path, int fallback)
{
	struct processor_text text;
	uint64_t n;

	read_text(path, &text);
	return num_u64(text.text, INT32_MAX, &n) ? fallback : (int)n;
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

/* Each text once. */
static int add_text(struct processor_texts *list, const struct processor_text *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->data[i].text, text->text))
			return 0;
	if (vec_reserve(list))
		return -ENOMEM;
	if (text->text[0])
		list->data[list->n++] = *text;
	return 0;
}

static int cpu_number(uint32_t cpu, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_FILE, cpu, file);
	return read_number(path, -1);
}

static int add_cpu(struct processors *p, uint32_t cpu)
{
	const struct {
		const char *file;
		struct processor_texts *to;
	} lists[] = { { "core_siblings_list", &p->sockets }, { "die_cpus_list", &p->dies }, { "thread_siblings_list", &p->cores } };
	struct processor_cpu *to = vec_take(&p->cpus, 1);
	struct processor_text text;
	char path[128];
	int ret = 0;

	if (!to)
		return -ENOMEM;
	to->core = cpu_number(cpu, "core_id");
	to->die = cpu_number(cpu, "die_id");
	to->socket = cpu_number(cpu, "physical_package_id");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && !ret; i++) {
		snprintf(path, sizeof(path), CPU_FILE, cpu, lists[i].file);
		read_text(path, &text);
		ret = add_text(lists[i].to, &text);
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

void processors_free(struct processors *p)
{
	vec_free(&p->sockets);
	vec_free(&p->dies);
	vec_free(&p->cores);
	vec_free(&p->cpus);
	vec_free(&p->pmus);
}
