#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The system calls' numbers and names of this machine's headers as C initializers. usage: tools/syscalls.sh CC native|compat
# Names are the kernel's (of SYSCALL_DEFINE, as tracefs has them), where they differ from the headers'.
case $2 in
native) header='<asm/unistd_64.h>'; [ "$(uname -m)" = x86_64 ] || header='<asm/unistd.h>' ;;
compat) header='<asm/unistd_32.h>' ;;
esac
# Arrived after the headers of Debian 12: include/uapi/asm-generic/unistd.h, the same number everywhere.
newer='451 cachestat
452 fchmodat2
453 map_shadow_stack
454 futex_wake
455 futex_wait
456 futex_requeue
457 statmount
458 listmount
459 lsm_get_self_attr
460 lsm_set_self_attr
461 lsm_list_modules
462 mseal
463 setxattrat
464 getxattrat
465 listxattrat
466 removexattrat
467 open_tree_attr
468 file_getattr
469 file_setattr
470 listns'
{
	echo "#include $header" | $1 -E -dM - 2>/dev/null | sed -nE 's/^#define __NR_([a-z_0-9]+) ([0-9]+)$/\2 \1/p'
	echo "$newer"
	[ "$2" != native ] || [ "$(uname -m)" != x86_64 ] || printf '335 uretprobe\n336 uprobe\n'
} | sort -n -k1,1 -u | while read -r nr name; do
	if [ "$2" = native ]; then
		case $name in
		stat | lstat | fstat | uname) kernel=new$name ;;
		sendfile) kernel=sendfile64 ;;
		umount2) kernel=umount ;;
		fadvise64) kernel=fadvise64 ;;
		*) kernel=$name ;;
		esac
	else
		kernel=$name
	fi
	echo "	[$nr] = { \"$kernel\", \"$name\" },"
done
