/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Folders of /sys/bus/event_source/devices (placeholder: the other branch has the real one). */
#include "event/pmu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

static int read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return -1;
	line[0] = '\0';
	if (!fgets(line, size, file))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return 0;
}

static int each_name(const char *path, int (*each)(void *arg, const char *name), void *arg)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort), ret = 0;

	for (int i = 0; i < n; i++) {
		if (!ret && entries[i]->d_name[0] != '.' && !strchr(entries[i]->d_name, '.'))
			ret = each(arg, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ret;
}

struct walk {
	int (*each_event)(void *arg, const char *pmu, const char *event, const char *terms);
	int (*each_pmu)(void *arg, const char *pmu, uint32_t type);
	void *arg;
	const char *pmu;
};

static int event_of(void *arg, const char *name)
{
	struct walk *w = arg;
	char path[1024], terms[256];

	snprintf(path, sizeof(path), DEVICES "/%s/events/%s", w->pmu, name);
	return read_line(path, terms, sizeof(terms)) ? 0 : w->each_event(w->arg, w->pmu, name, terms);
}

static int pmu_of(void *arg, const char *name)
{
	struct walk *w = arg;
	char path[1024], type[32];

	w->pmu = name;
	if (w->each_event) {
		snprintf(path, sizeof(path), DEVICES "/%s/events", name);
		return each_name(path, event_of, w);
	}
	snprintf(path, sizeof(path), DEVICES "/%s/type", name);
	return read_line(path, type, sizeof(type)) ? 0 : w->each_pmu(w->arg, name, (uint32_t)strtoul(type, NULL, 10));
}

int pmu_each_event(int (*each)(void *arg, const char *pmu, const char *event, const char *terms), void *arg)
{
	struct walk w = { .each_event = each, .arg = arg };

	return each_name(DEVICES, pmu_of, &w);
}

int pmu_each(int (*each)(void *arg, const char *pmu, uint32_t type), void *arg)
{
	struct walk w = { .each_pmu = each, .arg = arg };

	return each_name(DEVICES, pmu_of, &w);
}
