/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signals by which users end a program (signals_ending), for commands that measure: the first ends the measuring, not its
 * result. A thread takes them, so that each is answered within a second wherever the main thread is held up: by a reader that
 * takes nothing, by a file, by the kernel. What was answered by nothing else is given up, and that is reported.
 */
#ifndef SKEP_UTIL_INTERRUPT_H
#define SKEP_UTIL_INTERRUPT_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* What a signal ends. */
enum interrupt_stage {
	INTERRUPT_SETUP,  /* all: nothing was measured yet */
	INTERRUPT_RUN,	  /* the measuring, by interrupts_fd(); all, if that does not help and there is a second one */
	INTERRUPT_FINISH, /* nothing at first; the second one ends all, if it is not over within a second */
};

/* From here on a thread takes them, until the program ends. ret_mask (may be NULL): the signals that were blocked before, for a child. */
void interrupts_take(sigset_t *ret_mask);

/* A descriptor to wait for: an eventfd with the number of new signals, which does not block. -1: none were taken. */
int interrupts_fd(void);

/* How many came so far, and the number of the last. */
unsigned int interrupts_count(void);
int interrupts_last(void);

/* What is done from now on, for the message ("detaching"), and what is lost if that is given up ("the result"). Both stay. */
void interrupts_stage(enum interrupt_stage stage, const char *doing, const char *lost);

enum interrupt_stage interrupts_stage_now(void);

/* That signal asks for something else than the end at once: behind another it is nothing. 0: none does. */
void interrupts_patient(int sig);

/*
 * Called by the thread just before it ends the program, one for each thing that must not be left as it is, also while it is being
 * replaced: it may use only what is static. NULL: nothing.
 */
enum interrupt_left { INTERRUPT_COMMAND, INTERRUPT_SCREEN, INTERRUPT_LEFT_MAX };
void interrupts_on_give_up(enum interrupt_left what, void (*run)(void));

/*
 * As write(2), which signals do not interrupt, with one more error: -1 and ETIMEDOUT when there was a signal, and for a second
 * afterwards, or until there is one more, the descriptor takes no byte. Only by the main thread.
 */
ssize_t interrupts_write(int fd, const void *bytes, size_t n);

#endif
