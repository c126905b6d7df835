/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a view of the file to the tree that the state asks for: samples are chosen, stacks filtered, then turned. */
const IDLE_SHARE = 0.95, TREES_KEPT = 6;

/* Views of one recording share names and frames. */
const views = [data, ...(data.more || [])].map((v) => ({
	...v,
	frame: Int32Array.from(v.node), depth: Int32Array.from(v.depth), count: v.count, before: v.before || null,
	self: v.self || v.count.map((c) => c * v.scale),
}));
const sum = (list) => { let n = 0; for (const x of list) n += x; return n; };
for (const v of views) {
	v.sum = sum(v.self);
	if (v.before) v.sumBefore = sum(v.before);
	if (v.slices) {
		const s = v.slices, n = s.node.length;
		s.bin = new Int32Array(n);
		for (let b = 0, i = 0; b < s.in_bin.length; b++) for (let k = 0; k < s.in_bin[b] && i < n; k++) s.bin[i++] = b;
		s.weight = s.weight || s.count.map((c) => c * v.scale);
		for (let i = 1; i < n; i++) if (s.bin[i] === s.bin[i - 1]) s.task[i] += s.task[i - 1];
		s.comm = s.comm.map(visible);
	}
}

/* The part of an amount that the state's time, process, thread and CPU have: a test of slice i, or null for all. */
const wanted = (v, s) => {
	const sl = v.slices;
	if (!sl || (!s.span && !s.who && s.cpu === "")) return null;
	const [from, to] = s.span || [0, Infinity], cpu = s.cpu === "" ? -1 : Number(s.cpu), id = Number(s.who.slice(1));
	const ids = s.who[0] === "t" ? sl.tid : sl.pid;
	return (i) => sl.bin[i] >= from && sl.bin[i] < to && (cpu < 0 || sl.cpu[i] === cpu) && (!s.who || ids[sl.task[i]] === id);
};

/*
 * Sleepers that nobody waits for: a thread that was off the CPUs in one and the same stack for IDLE_SHARE of the run or more. Returns
 * { threads: their number, has: is the i-th slice one of theirs? }, or null. Only time that was measured says so.
 */
const idlers = (v) => {
	if (v.idle !== undefined) return v.idle;
	v.idle = null;
	if (!v.is_time || !v.slices || !v.duration_ns) return null;
	const sl = v.slices, sums = new Map(), nodes = v.frame.length;
	for (let i = 0; i < sl.node.length; i++) {
		if (!sl.tid[sl.task[i]]) continue;
		const key = sl.task[i] * nodes + sl.node[i];
		sums.set(key, (sums.get(key) || 0) + sl.weight[i]);
	}
	const out = new Set(), threads = new Set();
	for (const [key, w] of sums) if (w >= IDLE_SHARE * v.duration_ns) { out.add(key); threads.add(Math.floor(key / nodes)); }
	if (threads.size) v.idle = { threads: threads.size, has: (i) => out.has(sl.task[i] * nodes + sl.node[i]) };
	return v.idle;
};

/* Self and count of what is chosen; the rest of the columns is the file's. */
const choose = (v, s) => {
	const want = wanted(v, s), idle = s.idle ? null : idlers(v);
	if (!want && !idle) return { ...v, idleWeight: 0, whole: v.sum, wholeBefore: v.sumBefore };
	const sl = v.slices, n = v.frame.length, self = want ? new Float64Array(n) : Float64Array.from(v.self), counted = want ? new Float64Array(n) : Float64Array.from(v.count);
	let idleWeight = 0;
	for (let i = 0; i < sl.node.length; i++) {
		if (want && !want(i)) continue;
		const asleep = idle && idle.has(i), sign = want ? 1 : -1;
		if (asleep) idleWeight += sl.weight[i];
		if (want ? asleep : !asleep) continue;
		self[sl.node[i]] += sign * sl.weight[i];
		counted[sl.node[i]] += sign * sl.count[i];
	}
	return { ...v, self, count: counted, idleWeight, whole: sum(self), wholeBefore: 0 };
};

/* ---- filters of stacks ---- */
/* "oh", "ff" ...: what is done (only, hide, fold into the caller) and to what (function, object, thread) */
const DOES = { o: "only", h: "without", d: "folded" }, TO = { f: "function", o: "object", t: "thread" };
const chipMatch = ({ to, name }) => frames.name.map((_, f) => {
	if (to === "t") return isRoot(f) && nameOf(f) === name;
	if (frames.kind[f] === KIND.mark && to === "o") return false;
	return to === "o" ? objOf(f) === name : !isRoot(f) && nameOf(f) === name;
});

/* Stacks that pass the chips, without the frames that are folded into their callers. */
const filtered = (v, s) => {
	const chips = s.chips.map((c) => ({ ...c, hit: chipMatch(c) })), only = chips.filter((c) => c.does === "o");
	const hide = chips.filter((c) => c.does === "h"), fold = chips.filter((c) => c.does === "d");
	const n = v.frame.length, all = 2 ** only.length - 1, has = new Int32Array(n), gone = new Uint8Array(n), at = new Int32Array(n).fill(-1), up = new Int32Array(n);
	const g = new Growing(v, v.frame[0]), path = [], wide = 2 * FRAMES_OWN + 1;
	const folds = (f) => (!s.kernel && isKernel(f)) || fold.some((c) => c.hit[f]);
	const foldsFrame = frames.name.map((_, f) => folds(f));
	at[0] = 0;
	const place = (i) => {
		const todo = [];
		let p = i;
		while (at[p] < 0) { todo.push(p); p = up[p]; }
		while (todo.length) {
			const k = todo.pop(), f = v.frame[k], above = at[up[k]];
			let to = -1;
			if (foldsFrame[f]) to = above;
			/* a call of what is in the stack already goes back to that place */
			for (let j = above; to < 0 && !s.recursion && j > 0 && frames.kind[f] !== KIND.mark; j = g.parent[j]) if (g.frame[j] === f) to = j;
			at[k] = to >= 0 ? to : g.under(above, f, f, wide, k);
		}
		return at[i];
	};
	for (let i = 0; i < n; i++) {
		const f = v.frame[i];
		path[v.depth[i]] = i;
		up[i] = i ? path[v.depth[i] - 1] : -1;
		has[i] = i ? has[up[i]] : 0;
		gone[i] = i && gone[up[i]];
		if (i) {
			only.forEach((c, k) => { if (c.hit[f]) has[i] |= 1 << k; });
			if (hide.some((c) => c.hit[f])) gone[i] = 1;
		}
		if (gone[i] || has[i] !== all || !(v.self[i] || v.count[i] || (v.before && v.before[i]))) continue;
		g.add(place(i), v.self[i], v.count[i], v.before ? v.before[i] : 0);
	}
	return g;
};

/* ---- the other ways to see a tree: all take finished trees ---- */
const NAMES_WIDE = 8 * (data.names.length + 1);
const nameKey = (f) => (frames.name[f] + 1) * 8 + frames.kind[f];

/* The process level is left out and what has one name and kind under one caller becomes one frame. */
const merge = (t, of) => {
	const g = new Growing(t, t.frame[0]), at = new Int32Array(t.n);
	for (let i = 0; i < t.n; i++) {
		const f = t.frame[i], p = i ? at[t.parent[i]] : 0;
		at[i] = !i || (t.depth[i] === 1 && isRoot(f)) ? p : g.under(p, f, nameKey(f), NAMES_WIDE, i);
		g.add(at[i], t.self[i], t.count[i], t.before ? t.before[i] : 0);
	}
	return finish(g.columns(of), of);
};

/* Leaves become roots, and callers stand on what they call. */
const invert = (m, of) => {
	const g = new Growing(m, m.frame[0]);
	for (let i = 0; i < m.n; i++) {
		if (!m.self[i] && !m.count[i] && !(m.before && m.before[i])) continue;
		let at = 0;
		for (let k = i; k > 0; k = m.parent[k]) at = g.under(at, m.frame[k], nameKey(m.frame[k]), NAMES_WIDE, k);
		g.add(at, m.self[i], m.count[i], m.before ? m.before[i] : 0);
	}
	return finish(g.columns(of), { ...of, isTurned: true });
};

/* One function in the middle: what it calls hangs below, who calls it stands on top, at depths below zero. */
const sandwich = (m, of, name) => {
	const start = m.frame.findIndex((f) => frames.name[f] === name && !isRoot(f)), f0 = start < 0 ? m.frame[0] : m.frame[start];
	const down = new Growing(m, f0), up = new Growing(m, f0), at = new Int32Array(m.n).fill(-1);
	for (let i = 1; i < m.n; i++) {
		const f = m.frame[i], p = at[m.parent[i]];
		if (p >= 0) {
			at[i] = down.under(p, f, nameKey(f), NAMES_WIDE, i);
		} else if (frames.name[f] === name && !isRoot(f)) {
			let u = 0;
			at[i] = 0;
			if (down.frame[0] !== f) down.frame[0] = up.frame[0] = severalFrame(f);
			for (let k = m.parent[i]; k > 0; k = m.parent[k]) u = up.under(u, m.frame[k], nameKey(m.frame[k]), NAMES_WIDE, k);
			up.add(u, m.total[i], m.counts[i], m.before ? m.totalBefore[i] : 0);
		}
		if (at[i] >= 0) down.add(at[i], m.self[i], m.count[i], m.before ? m.before[i] : 0);
	}
	const t = finish(down.columns(of), of), u = finish(up.columns(of), of), n = t.n;
	t.depth = [...t.depth, ...Array.from(u.depth, (d) => -d)];
	t.parent = [...t.parent, ...Array.from(u.parent, (p) => p <= 0 ? 0 : p + n)];
	t.end = [...t.end, ...Array.from(u.end, (e) => e + n)];
	for (const key of ["frame", "self", "count", "total", "counts", "start", "width", "before", "totalBefore", "file", "line"])
		if (t[key]) t[key] = [...t[key], ...u[key]];
	t.n = n + u.n;
	t.split = n;
	return t;
};

const kept = new Map();
const keep = (key, make) => {
	const have = kept.get(key) || make();
	kept.delete(key);
	kept.set(key, have);
	if (kept.size > TREES_KEPT) kept.delete(kept.keys().next().value);
	return have;
};
const stackKey = (s) => [s.tab, s.span, s.who, s.cpu, s.idle, s.kernel, s.recursion, s.side, ...s.chips.map((c) => c.does + c.to + c.name)].join("\u0000");
const treeKey = (s) => stackKey(s) + "\u0000" + s.root + "\u0000" + s.func;
const processTree = (s) => keep(stackKey(s), () => {
	const v = choose(views[s.tab], s), of = { whole: v.whole, wholeBefore: v.wholeBefore || 0, side: s.side, idleWeight: v.idleWeight };
	if (s.kernel && s.recursion && !s.chips.length)
		return finish({ frame: v.frame, depth: v.depth, self: v.self, count: v.count, before: v.before, file: v.file, line: v.line }, of);
	return finish(filtered(v, s).columns(of), of);
});
const treeFor = (s) => {
	if (s.root === "process" && s.func < 0) return processTree(s);
	return keep(treeKey(s), () => {
		const p = processTree(s), of = { whole: p.whole, wholeBefore: p.wholeBefore, side: s.side, idleWeight: p.idleWeight };
		const m = s.root === "process" ? p : keep(stackKey(s) + "\u0000merged", () => merge(p, of));
		if (s.func >= 0) return sandwich(m, of, s.func);
		return s.root === "inverted" ? invert(m, of) : m;
	});
};
