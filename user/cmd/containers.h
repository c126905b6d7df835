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
 * id: all of its digits. root: the directory that the files are in, "" for this machine's own. *ret is filled in any case. 0; -ENOENT: no
 * runtime has a file of it; -EACCES: a file that may have it cannot be read; -ENOTSUP: libjson-c is not installed.
 */
int container_about(const char *root, const char *id, struct container_about *ret);

#endif
