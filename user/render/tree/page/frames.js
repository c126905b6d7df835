/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames, and trees of them. A frame is a function: name, object, kind. A tree is columns in preorder. */
const frames = { name: [], obj: [], kind: [] };
for (let i = 0; i < data.frames.length; i += 3) {
	frames.name.push(data.frames[i]);
	frames.obj.push(data.frames[i + 1]);
	frames.kind.push(Math.min(data.frames[i + 2], KIND.mark));
}
const FRAMES_OWN = frames.name.length;
const nameOf = (f) => frames.name[f] < 0 ? "[unknown]" : data.names[frames.name[f]];
const objOf = (f) => frames.obj[f] === SEVERAL ? "in several objects" : frames.obj[f] < 0 ? "" : data.objs[frames.obj[f]];
const isKernel = (f) => frames.kind[f] === KIND.kernel || (frames.kind[f] === KIND.unknown && objOf(f).startsWith("[kernel"));
/* a process, thread or label at the foot of a stack; "[truncated: ...]" is a marker, too, but inside */
const isRoot = (f) => frames.kind[f] === KIND.mark && nameOf(f)[0] !== "[";

const several = new Map();
const severalFrame = (f) => {
	const key = frames.name[f] * 8 + frames.kind[f];
	if (!several.has(key)) {
		several.set(key, frames.name.length);
		frames.name.push(frames.name[f]);
		frames.obj.push(SEVERAL);
		frames.kind.push(frames.kind[f]);
	}
	return several.get(key);
};

/*
 * From frame, depth, self, count and, of a comparison, before: the columns parent, end (of the subtree), total, counts, totalBefore, and
 * where it is drawn: start, width. `of` has what shares are of: { whole, wholeBefore, side }.
 */
const finish = (t, of) => {
	const n = t.frame.length;
	t.n = n;
	t.split = n;
	Object.assign(t, of);
	t.parent = new Int32Array(n);
	t.end = new Int32Array(n);
	t.total = Float64Array.from(t.self);
	t.counts = Float64Array.from(t.count);
	t.totalBefore = t.before ? Float64Array.from(t.before) : null;
	t.start = new Float64Array(n);
	t.width = t.total;
	if (t.before && of.side === "before") t.width = t.totalBefore;
	if (t.before && of.side === "difference") t.width = Float64Array.from(t.self, (w, i) => Math.abs(w / (of.whole || 1) - t.before[i] / (of.wholeBefore || 1)));
	const path = [], cursor = new Float64Array(n), sums = [t.total, t.counts];
	if (t.before) sums.push(t.totalBefore);
	if (!sums.includes(t.width)) sums.push(t.width);
	for (let i = 0; i < n; i++) {
		t.parent[i] = i ? path[t.depth[i] - 1] : -1;
		path[t.depth[i]] = i;
		t.end[i] = i + 1;
	}
	for (let i = n - 1; i > 0; i--) {
		const p = t.parent[i];
		for (const s of sums) s[p] += s[i];
		if (t.end[i] > t.end[p]) t.end[p] = t.end[i];
	}
	for (let i = 1; i < n; i++) {
		const p = t.parent[i];
		t.start[i] = cursor[i] = cursor[p];
		cursor[p] += t.width[i];
	}
	return t;
};
/* What ended in this frame: of an inverted tree its roots are where stacks ended. */
const ownOf = (t, i) => t.isTurned ? (t.depth[i] === 1 ? t.total[i] : 0) : t.self[i];
const shareOf = (t, i) => t.whole > 0 ? t.total[i] / t.whole : 0;
const shareBefore = (t, i) => t.wholeBefore > 0 ? t.totalBefore[i] / t.wholeBefore : 0;
const changeOf = (t, i) => shareOf(t, i) - shareBefore(t, i);

/* A tree that grows: a parent comes before its children. `from` is the tree that it is made of. */
class Growing {
	constructor(from, rootFrame) {
		this.from = from;
		this.frame = [rootFrame]; this.parent = [-1]; this.src = [0];
		this.self = [0]; this.count = [0]; this.before = from.before ? [0] : null;
		this.child = new Map();
	}
	/* key: what tells children of one parent apart, an integer below 2^24 or so: twice the frames, or names and kinds */
	under(p, f, key, wide, src) {
		const at = p * wide + key;
		let j = this.child.get(at);
		if (j === undefined) {
			j = this.frame.length;
			this.child.set(at, j);
			this.frame.push(f); this.parent.push(p); this.src.push(src); this.self.push(0); this.count.push(0);
			if (this.before) this.before.push(0);
		} else if (this.frame[j] !== f && frames.obj[this.frame[j]] !== SEVERAL) {
			this.frame[j] = severalFrame(f);
		}
		return j;
	}
	add(j, self, counted, before) {
		this.self[j] += self;
		this.count[j] += counted;
		if (this.before) this.before[j] += before;
	}
	/* Preorder, the heaviest child first; of a comparison by both sides, so that a frame has one place in all pictures. */
	columns(of) {
		const n = this.frame.length, order = Float64Array.from(this.self), first = new Int32Array(n).fill(-1), next = new Int32Array(n).fill(-1);
		if (this.before) for (let i = 0; i < n; i++) order[i] = order[i] / (of.whole || 1) + this.before[i] / (of.wholeBefore || 1);
		for (let i = n - 1; i > 0; i--) {
			const p = this.parent[i];
			order[p] += order[i];
			next[i] = first[p];
			first[p] = i;
		}
		const out = { frame: [], depth: [], self: [], count: [], before: this.before && [], file: this.from.file && [], line: this.from.line && [] };
		const todo = [0], depths = [0];
		while (todo.length) {
			const i = todo.pop(), depth = depths.pop();
			out.frame.push(this.frame[i]); out.depth.push(depth); out.self.push(this.self[i]); out.count.push(this.count[i]);
			if (out.before) out.before.push(this.before[i]);
			if (out.file) { out.file.push(this.from.file[this.src[i]]); out.line.push(this.from.line[this.src[i]]); }
			const kids = [];
			for (let k = first[i]; k >= 0; k = next[k]) kids.push(k);
			/* lightest first onto the stack, so that the heaviest comes off first */
			if (kids.length > 1) kids.sort((a, b) => order[a] - order[b] || b - a);
			for (const k of kids) { todo.push(k); depths.push(depth + 1); }
		}
		return out;
	}
}
