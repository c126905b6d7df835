#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The system calls' numbers and names of the compiler's machine, by its headers, as C initializers. usage: tools/syscalls.sh CC native|compat
# Names are the kernel's (of SYSCALL_DEFINE, as tracefs has them), where they differ from the headers'.
is_x86() {
	echo | $cc -E -dM - 2>/dev/null | grep -q '__x86_64__'
}
cc=$1
case $2 in
native) header='<asm/unistd_64.h>'; is_x86 || header='<asm/unistd.h>' ;;
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
470 listns
471 rseq_slice_yield'
{
	# asm-generic has some as names of others: __NR_fcntl is __NR3264_fcntl
	echo "#include $header" | $cc -E -dM - 2>/dev/null | awk '
		$1 == "#define" && $2 ~ /^__NR(3264)?_[a-z_0-9]+$/ { value[$2] = $3 }
		END {
			for (name in value) {
				nr = value[name] in value ? value[value[name]] : value[name]
				if (name ~ /^__NR_/ && nr ~ /^[0-9]+$/ && name !~ /^__NR_(syscalls|arch_specific_syscall)$/)
					print nr, substr(name, 6)
			}
		}'
	echo "$newer"
	[ "$2" != native ] || ! is_x86 || printf '335 uretprobe\n336 uprobe\n'
} | sort -n -k1,1 -u | while read -r nr name; do
	if [ "$2" = native ]; then
		case $name in
		stat | lstat | fstat | uname) kernel=new$name ;;
		sendfile) kernel=sendfile64 ;;
		umount2) kernel=umount ;;
		fadvise64) is_x86 && kernel=fadvise64 || kernel=fadvise64_64 ;;
		*) kernel=$name ;;
		esac
	else
		kernel=$name
	fi
	echo "	[$nr] = { \"$kernel\", \"$name\" },"
done
