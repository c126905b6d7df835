/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the runtime of a container says of it, in files of its own: Docker (config.v2.json), podman and CRI-O (containers.json of
 * containers/storage), containerd under Kubernetes or nerdctl (the annotations of the OCI runtime specification's config.json). No server is asked.
 */
#ifndef SKEP_CMD_CONTAINERS_H
#define SKEP_CMD_CONTAINERS_H

#define CONTAINER_TEXT 512

struct container_about {
	char name[CONTAINER_TEXT];  /* under Kubernetes NAMESPACE/POD/CONTAINER; "": not known */
	char image[CONTAINER_TEXT]; /* as it was asked for, with its tag; "": not known */
};

/*
 * id: all digits of it. root: in front of the files' paths, "" for this machine's. Fills *ret in any case. 0; -ENOENT: no runtime says anything;
 * -EACCES: it may be in what cannot be read; -ENOTSUP: without libjson-c.
 */
int container_about(const char *root, const char *id, struct container_about *ret);

#endif
