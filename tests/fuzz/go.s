/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of Go's runtime, and one of C, and the table that Go 1.20 writes of them (elf/gopclntab.c). */
	.text
begin:
	nop
mcall:	sub $24, %rsp
	call *%rdi
	add $24, %rsp
	ret
now:	push %rbp
	mov %rsp, %rbp
	sub $8, %rsp
	call *%rax
	add $8, %rsp
	pop %rbp
	ret
c:	push %rbx
	.fill 40, 1, 0x90
	pop %rbx
	ret
tramp:	push %rbx
	call now
	pop %rbx
	ret
back:	mov $15, %rax
	syscall
end:

	.section .note.go.buildid, "a"
	.long 0

	.section .gopclntab, "a"
tab:	.long 0xfffffff1
	.byte 0, 0, 1, 8
	.quad 5, 0, begin, names - tab, cus - tab, 0, pcs - tab, funcs - tab
names:	.asciz "runtime.mcall"
n_now:	.asciz "time.now"
n_c:	.asciz "getaddrinfo"
n_tramp: .asciz "runtime.sigtramp"
n_back:	.asciz "runtime.sigreturn__sigaction"
cus:
pcs:	.byte 0
p_mcall: .byte 2, 4, 48, 6, 47, 1, 0
p_now:	.byte 2, 1, 16, 8, 16, 8, 31, 2, 0
p_tramp: .byte 2, 1, 16, 6, 15, 1, 0
p_back:	.byte 2, 9, 0
funcs:	.long mcall - begin, r_mcall - funcs, now - begin, r_now - funcs, c - begin, r_c - funcs, tramp - begin, r_tramp - funcs, back - begin, r_back - funcs, end - begin
	.macro record at, name, pcsp, flag
	.long \at - begin, \name - names, 0, 0, \pcsp - pcs, 0, 0, 0, 0, 0
	.byte 0, \flag, 0, 0
	.endm
r_mcall: record mcall, names, p_mcall, 0
r_now:	record now, n_now, p_now, 0
r_c:	record c, n_c, pcs, 0
r_tramp: record tramp, n_tramp, p_tramp, 1
r_back:	record back, n_back, p_back, 1
