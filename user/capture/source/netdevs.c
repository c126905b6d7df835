/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A namespace is entered for a look, by this thread alone, and nothing of it is kept open: it must be able to end. */
#include "capture/source/netdevs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/num.h"
#include "util/vec.h"

#define NETNS_NAMED "/run/netns" /* ip-netns(8) */

struct netdevs {
	bool all;
	int own_fd; /* the namespace that skep runs in */
	VEC(uint32_t) seen;	    /* namespaces in this look */
	VEC(struct netdev) bases;   /* when it began; renamed ones keep theirs */
	VEC(struct netdev) devices; /* of the last look */
	char name[IF_NAMESIZE];
};

/* "  eth0: RX_BYTES RX_PACKETS (6 more) TX_BYTES TX_PACKETS ..." */
static bool parse(const char *line, struct netdev *dev)
{
	const char *colon = strchr(line, ':');
	unsigned long long rx_bytes, rx_packets, tx_bytes, tx_packets;

	while (*line == ' ')
		line++;
	if (!colon || colon - line >= IF_NAMESIZE || colon == line ||
	    sscanf(colon + 1, "%llu %llu %*u %*u %*u %*u %*u %*u %llu %llu", &rx_bytes, &rx_packets, &tx_bytes, &tx_packets) != 4)
		return false;
	memset(dev->name, 0, sizeof(dev->name));
	memcpy(dev->name, line, colon - line);
	dev->bytes[NET_RX] = rx_bytes;
	dev->packets[NET_RX] = rx_packets;
	dev->bytes[NET_TX] = tx_bytes;
	dev->packets[NET_TX] = tx_packets;
	return true;
}

/* Those of the namespace that this thread is in. */
static int read_devices(struct netdevs *devs, uint32_t netns)
{
	FILE *f = fopen("/proc/thread-self/net/dev", "re");
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret = 0;
	struct netdev dev = { .netns = netns };
	struct ifreq ifr = { 0 };
	char line[512];

	while (f && !ret && fgets(line, sizeof(line), f)) {
		if (!parse(line, &dev))
			continue;
		memcpy(ifr.ifr_name, dev.name, sizeof(ifr.ifr_name));
		dev.ifindex = fd < 0 || ioctl(fd, SIOCGIFINDEX, &ifr) ? 0 : (uint32_t)ifr.ifr_ifindex;
		if (vec_reserve(&devs->devices))
			ret = -ENOMEM;
		else
			devs->devices.data[devs->devices.n++] = dev;
	}
	if (fd >= 0)
		close(fd);
	if (f)
		fclose(f);
	return ret;
}

static bool is_seen(const struct netdevs *devs, uint32_t inum)
{
	for (size_t i = 0; i < devs->seen.n; i++)
		if (devs->seen.data[i] == inum)
			return true;
	return false;
}

static int see(struct netdevs *devs, uint32_t inum)
{
	if (vec_reserve(&devs->seen))
		return -ENOMEM;
	devs->seen.data[devs->seen.n++] = inum;
	return 0;
}

/* A namespace by its file, if this look was not there yet. What cannot be entered is left out. */
static int look_into(struct netdevs *devs, const char *path)
{
	struct stat st;
	int fd, ret = 0;

	if (stat(path, &st) || is_seen(devs, st.st_ino))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (!setns(fd, CLONE_NEWNET)) {
		ret = see(devs, st.st_ino);
		if (!ret)
			ret = read_devices(devs, st.st_ino);
		if (setns(devs->own_fd, CLONE_NEWNET))
			ret = -errno; /* this thread is in the wrong one now */
	}
	close(fd);
	return ret;
}

static int look_everywhere(struct netdevs *devs)
{
	static const char *const dirs[] = { "/proc", NETNS_NAMED };
	char path[sizeof(NETNS_NAMED) + 300];
	int ret = 0;

	for (size_t i = 0; i < 2 && !ret; i++) {
		DIR *dir = opendir(dirs[i]);
		struct dirent *e;

		while (dir && !ret && (e = readdir(dir))) {
			if (e->d_name[0] == '.' || (i == 0 && !isdigit((unsigned char)e->d_name[0])))
				continue;
			snprintf(path, sizeof(path), i == 0 ? "/proc/%s/ns/net" : NETNS_NAMED "/%s", e->d_name);
			ret = look_into(devs, path);
		}
		if (dir)
			closedir(dir);
	}
	return ret;
}

int netdevs_look(struct netdevs *devs)
{
	struct stat st;
	int ret = fstat(devs->own_fd, &st) ? -errno : 0;

	devs->seen.n = devs->devices.n = 0;
	if (!ret)
		ret = see(devs, st.st_ino);
	if (!ret)
		ret = read_devices(devs, st.st_ino);
	return ret || !devs->all ? ret : look_everywhere(devs);
}

int netdevs_open(bool all, struct netdevs **ret_devs)
{
	struct netdevs *devs = calloc(1, sizeof(*devs));
	int ret;

	if (!devs)
		return -ENOMEM;
	devs->all = all;
	devs->own_fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	ret = devs->own_fd < 0 ? -errno : netdevs_look(devs);
	for (size_t i = 0; i < devs->devices.n && !ret; i++) {
		if (vec_reserve(&devs->bases))
			ret = -ENOMEM;
		else
			devs->bases.data[devs->bases.n++] = devs->devices.data[i];
	}
	if (ret) {
		netdevs_close(devs);
		return ret;
	}
	*ret_devs = devs;
	return 0;
}

static bool is_same(const struct netdev *a, const struct netdev *b)
{
	return a->netns == b->netns && a->ifindex == b->ifindex && (a->ifindex || !strcmp(a->name, b->name));
}

int netdevs_read(struct netdevs *devs, int (*each)(void *arg, const struct netdev *dev), void *arg)
{
	int ret = netdevs_look(devs);

	for (size_t i = 0; i < devs->devices.n && !ret; i++) {
		struct netdev dev = devs->devices.data[i];

		/* One that was not there before began at 0 */
		for (size_t k = 0; k < devs->bases.n; k++) {
			if (!is_same(&dev, &devs->bases.data[k]))
				continue;
			for (int way = 0; way < NET_WAYS; way++) {
				dev.packets[way] = num_grown(dev.packets[way], devs->bases.data[k].packets[way]);
				dev.bytes[way] = num_grown(dev.bytes[way], devs->bases.data[k].bytes[way]);
			}
			break;
		}
		ret = each(arg, &dev);
	}
	return ret;
}

const char *netdevs_name(struct netdevs *devs, uint32_t netns, uint32_t ifindex)
{
	for (size_t i = 0; i < devs->devices.n; i++)
		if (devs->devices.data[i].netns == netns && devs->devices.data[i].ifindex == ifindex)
			return devs->devices.data[i].name;
	snprintf(devs->name, sizeof(devs->name), "if%u", ifindex);
	return devs->name;
}

void netdevs_close(struct netdevs *devs)
{
	if (!devs)
		return;
	vec_free(&devs->seen);
	vec_free(&devs->bases);
	vec_free(&devs->devices);
	if (devs->own_fd >= 0)
		close(devs->own_fd);
	free(devs);
}
