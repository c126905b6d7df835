/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is shown: the fragment of the address says it, so that back, forward, and a copied address work. */
const CHIP_MAX = 12;
const first = {
	tab: 0, view: data.icicle ? "icicle" : "flame", pane: "both", root: "process", side: "after", colour: views[0].before ? "change" : "kind",
	zoom: 0, from: 0, to: 1, query: "", chips: [], kernel: true, recursion: true, span: null, who: "", cpu: "", func: -1, idle: false,
};
const state = { ...first };
const WORDS = {
	view: ["v", "flame", "icicle"], pane: ["p", "graph", "both", "table"], root: ["r", "process", "merged", "inverted"],
	side: ["s", "after", "before", "difference"], colour: ["b", "kind", "object", "share", "change"],
};
const FLAGS = { kernel: "k", recursion: "c", idle: "i" };
let tree, selected = 0, hovered = -1;

const encode = (s) => {
	const u = new URLSearchParams();
	if (s.tab) u.set("t", s.tab);
	for (const key in WORDS) if (s[key] !== first[key]) u.set(WORDS[key][0], s[key]);
	for (const key in FLAGS) if (s[key] !== first[key]) u.set(FLAGS[key], s[key] ? "1" : "0");
	if (s.zoom) u.set("z", s.zoom);
	if (s.from > 0 || s.to < 1) u.set("x", s.from.toFixed(5) + "-" + s.to.toFixed(5));
	if (s.query) u.set("q", s.query);
	for (const c of s.chips) u.append("f", c.does + c.to + c.name);
	if (s.span) u.set("w", s.span.join("-"));
	if (s.who) u.set("o", s.who);
	if (s.cpu !== "") u.set("u", s.cpu);
	if (s.func >= 0) u.set("n", s.func);
	return "#" + u;
};
const whole = (text, below) => { const n = Number(text); return text && Number.isInteger(n) && n >= 0 && n < below ? n : -1; };
const pair = (text) => {
	const m = /^([\d.]{1,12})-([\d.]{1,12})$/.exec(text || "");
	return m && Number(m[1]) < Number(m[2]) ? [Number(m[1]), Number(m[2])] : null;
};
/* Whatever the fragment says: what makes no sense here is as if it were not there. */
const decode = (hash) => {
	const u = new URLSearchParams(hash.slice(1)), s = { ...first, chips: [] };
	for (const key in WORDS) if (WORDS[key].slice(1).includes(u.get(WORDS[key][0]))) s[key] = u.get(WORDS[key][0]);
	for (const key in FLAGS) if (["0", "1"].includes(u.get(FLAGS[key]))) s[key] = u.get(FLAGS[key]) === "1";
	s.tab = Math.max(0, whole(u.get("t"), views.length));
	const v = views[s.tab], x = pair(u.get("x")), w = pair(u.get("w"));
	if (!v.before) { s.side = "after"; if (s.colour === "change") s.colour = "kind"; }
	s.query = u.get("q") || "";
	s.zoom = Math.max(0, whole(u.get("z"), Infinity));
	if (x && x[1] <= 1) [s.from, s.to] = x;
	for (const text of u.getAll("f").slice(0, CHIP_MAX)) if (DOES[text[0]] && TO[text[1]]) s.chips.push({ does: text[0], to: text[1], name: text.slice(2) });
	if (v.slices) {
		if (w && w.every(Number.isInteger) && w[1] <= v.slices.in_bin.length) s.span = w;
		if (/^[pt]\d{1,10}$/.test(u.get("o"))) s.who = u.get("o");
		if (whole(u.get("u"), 1e6) >= 0) s.cpu = u.get("u");
	}
	s.func = whole(u.get("n"), data.names.length);
	return s;
};

const steps = () => (history.state && history.state.steps) || 0;
/* keep: a change of where one looks, such as a scroll, not a step to go back to */
const go = (changes, keep) => {
	const next = { ...state, ...changes };
	if (treeKey(next) !== treeKey(state) && changes.zoom === undefined) next.zoom = 0;
	if (next.zoom !== state.zoom && changes.from === undefined) { next.from = 0; next.to = 1; }
	if (changes.tab !== undefined && changes.tab !== state.tab) Object.assign(next, { span: null, who: "", cpu: "", side: "after" });
	if (encode(next) !== encode(state)) {
		try {
			if (keep) history.replaceState({ steps: steps() }, "", encode(next));
			else history.pushState({ steps: steps() + 1 }, "", encode(next));
		} catch (e) { /* some browsers refuse this for local files: the page works, only the address stays */ }
	}
	apply(next);
};
const back = () => {
	if (steps()) history.back();
	else if (state.zoom) go({ zoom: tree.parent[state.zoom] }, true);
};
const addChip = (does, to, name) => {
	if (state.chips.some((c) => c.does === does && c.to === to && c.name === name)) return;
	go({ chips: [...state.chips, { does, to, name }].slice(-CHIP_MAX) });
};

const apply = (next) => {
	const old = { ...state }, view = views[next.tab], before = tree;
	Object.assign(state, next);
	tree = treeFor(state);
	if (state.zoom >= tree.n) state.zoom = 0;
	const moved = before !== tree || old.zoom !== state.zoom;
	if (moved) { selected = state.zoom; hovered = -1; hideTip(); }
	if (before !== tree || old.query !== state.query) find();
	for (const b of document.querySelectorAll("button[data-set]"))
		b.setAttribute("aria-pressed", String(state[b.dataset.set] === b.dataset.to));
	for (const key of ["kernel", "recursion"]) $(key).setAttribute("aria-pressed", String(state[key]));
	if ($("search").value !== state.query) $("search").value = state.query;
	if (old.tab !== state.tab || !before) head(view);
	controls(view);
	$("panes").className = state.pane;
	$("functions").hidden = state.pane === "graph";
	$("picture").hidden = state.pane === "table" || !view.sum;
	matchedSay();
	crumbs();
	chips();
	drawStrip();
	if (state.colour !== old.colour || before !== tree || !before) recolour();
	if (state.pane !== "graph") drawTable();
	layout(!before || old.view !== state.view || moved);
	say();
};

/* ---- search ---- */
let match = null, matchError = "", matches = [], matchAt = -1;
const smartRegex = (text) => new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
/* The weight of the outermost matching frames in [from, to). */
const matched = (from, to) => {
	let w = 0;
	for (let i = from; i < to;) {
		if (i && i !== tree.split && match[tree.frame[i]]) { w += tree.total[i]; i = tree.end[i]; } else i++;
	}
	return w;
};
const find = () => {
	match = null;
	matches = [];
	matchAt = -1;
	matchError = "";
	if (state.query) {
		try {
			const re = smartRegex(state.query), hit = data.names.map((n) => re.test(n));
			match = frames.name.map((n) => n >= 0 && hit[n]);
			for (let i = 1; i < tree.n; i++) if (i !== tree.split && match[tree.frame[i]] && tree.width[i] > 0) matches.push(i);
		} catch (e) {
			matchError = "not a regular expression";
		}
	}
	$("search").setAttribute("aria-invalid", String(!!matchError));
	for (const id of ["next", "previous"]) $(id).disabled = !matches.length;
};
const matchedSay = () => {
	const out = $("found");
	out.replaceChildren();
	if (matchError) { out.textContent = matchError; return; }
	if (!match) return;
	/* in a sandwich both halves have all of the weight: the half that is larger says it */
	const share = tree.split < tree.n ? Math.max(matched(0, tree.split), matched(tree.split, tree.n)) : matched(0, tree.n);
	out.append(el("b", percent(share, tree.whole)), " matched");
	if (state.zoom) out.append(", " + percent(matched(state.zoom, tree.end[state.zoom]), tree.total[state.zoom]) + " of the view");
	out.append(matches.length ? ", " + (matchAt >= 0 ? count(matchAt + 1) + " of " : "") + plural(matches.length, "frame") : "");
};
/* To the next matching frame, or the one before; zooms where it would be too small to see. */
const toMatch = (step) => {
	if (!matches.length) return;
	if (matchAt < 0) matchAt = step > 0 ? matches.findIndex((i) => i >= selected) : matches.findLastIndex((i) => i <= selected);
	else matchAt += step;
	if (matchAt === -1 && step > 0) matchAt = 0; /* after the last match comes the first */
	matchAt = (matchAt + matches.length) % matches.length;
	const to = matches[matchAt];
	if (state.pane === "table") go({ pane: "both" });
	if (!isDrawn(to)) {
		let z = to;
		while (z && tree.width[z] < tree.width[to] * 20) z = tree.parent[z];
		go({ zoom: z, from: 0, to: 1 }, true);
	}
	select(to);
	matchedSay();
};
