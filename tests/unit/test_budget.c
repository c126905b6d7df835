/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rate that keeps to a budget: of costs that a model makes, in bursts and in steps. */
#include "capture/budget.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define S BUDGET_ROUND_NS
#define CPUS 2

/* seconds of a run whose cost a second is fixed + per_rate * rate, of all CPUs, at every fifth second; returns the mean share of all after `from` */
static double run(struct budget *b, uint64_t *now, uint64_t *cost, int seconds, int from, double fixed, double per_rate)
{
	double sum = 0, waiting = 0;

	for (int i = 0; i < seconds; i++) {
		waiting += fixed + per_rate * b->rate;
		if (i % 5 == 4) {
			*cost += (uint64_t)(waiting * CPUS * (double)S);
			sum += i >= from ? waiting : 0;
			waiting = 0;
		}
		*now += S;
		budget_round(b, *now, *cost);
	}
	return sum / (seconds - from);
}

static void keeps_to_it(void **state)
{
	static const double costs[] = { 0.02, 0.05, 0.3, 2 };

	(void)state;
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		struct budget b;
		uint64_t now = 5 * S, cost = S;
		double share;

		budget_init(&b, 0.01, CPUS, 0, 0);
		share = run(&b, &now, &cost, 200, 30, 0.0005, costs[i]);
		assert_true(share < 0.0101);
		assert_true(share > 0.003); /* and it is used */
		assert_true(b.nr_changes > 0 && b.lowest < 1);
	}
}

static void is_raised_again(void **state)
{
	struct budget b;
	uint64_t now = S, cost = 0;

	(void)state;
	budget_init(&b, 0.01, CPUS, 0, 0);
	run(&b, &now, &cost, 60, 0, 0, 0.1);
	assert_true(b.rate < 0.2);
	assert_true(budget_least(&b) < 0.2);
	run(&b, &now, &cost, 300, 0, 0, 0.001);
	assert_true(b.rate == 1);
	assert_true(budget_least(&b) < 0.2);
	assert_true(budget_least(&b) == 1);
}

static void changes_nothing(void **state)
{
	struct budget b;
	uint64_t now = S, cost = 0;

	(void)state;
	budget_init(&b, 0.01, CPUS, 0, 0);
	run(&b, &now, &cost, 200, 0, 0.001, 0.002);
	assert_true(b.rate == 1 && !b.nr_changes);
	budget_init(&b, 0, CPUS, 0, 0);
	run(&b, &now, &cost, 200, 0, 0.5, 0.5);
	assert_true(b.rate == 1 && !b.nr_changes);
	/* What no rate changes lowers it to the least, and no further */
	budget_init(&b, 0.01, 0, 0, 0);
	run(&b, &now, &cost, 200, 0, 0.5, 0);
	assert_true(b.rate > 0 && b.rate < 0.01);
	budget_init(&b, 0.01, 1, 100, 0.25);
	run(&b, &now, &cost, 200, 0, 0.5, 0);
	assert_true(b.rate == 0.25);
	/* A clock that stands still, a cost that goes back */
	assert_false(budget_round(&b, now, cost));
	assert_false(budget_round(&b, now + 1, cost - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_to_it),
		cmocka_unit_test(is_raised_again),
		cmocka_unit_test(changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
