/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Colours of frames: by kind of code, by object, by share, by change; their legend; light and dark. */
/* hue, saturation, lightness of the middle shade; names spread around it */
const LIGHT = [[38, 92, 66], [211, 76, 74], [158, 46, 64], [267, 66, 81], [42, 8, 76], [42, 8, 88]];
const DARK = [[37, 68, 52], [211, 58, 62], [158, 38, 50], [267, 48, 70], [42, 6, 54], [42, 6, 40]];
const OBJECT_HUES = [38, 211, 158, 267, 12, 85, 185, 320, 235, 60, 130, 350];
const SHADES = 7, LEGEND_OBJECTS = 8, SHARE_LEVELS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3];
const COLOURS = { kind: "kind of code", object: "object", share: "share", change: "change" };
const preferred = matchMedia("(prefers-color-scheme: dark)");
let shades = [], inks = {}, objectRank = new Map(), largestChange = 0, isDark = false;

const hashOf = (text) => {
	let h = 0;
	for (let i = 0; i < text.length && i < 48; i++) h = (h * 31 + text.charCodeAt(i)) | 0;
	return (h ^ h >>> 15) >>> 0;
};
const hsl = (h, s, l) => "hsl(" + h.toFixed(1) + " " + s.toFixed(1) + "% " + l.toFixed(1) + "%)";
const palette = () => {
	shades = (isDark ? DARK : LIGHT).map(([h, s, l], kind) => Array.from({ length: SHADES }, (_, i) => {
		const off = kind >= KIND.unknown ? 0 : i - (SHADES - 1) / 2;
		return hsl(h + off * 2.2, s, l + off * 1.7);
	}));
	const css = getComputedStyle(document.documentElement);
	inks = { text: "#17140d", faint: isDark ? "rgb(255 255 255 / .09)" : "rgb(0 0 0 / .07)", hatch: isDark ? "rgb(255 255 255 / .16)" : "rgb(0 0 0 / .16)",
		hit: isDark ? "#d6408f" : "#c2287a", veil: isDark ? "rgb(20 18 14 / .62)" : "rgb(255 255 255 / .62)", span: isDark ? "rgb(125 180 255 / .25)" : "rgb(20 99 200 / .18)",
		focus: css.getPropertyValue("--focus"), ink: css.getPropertyValue("--ink"), soft: css.getPropertyValue("--soft"), paper: css.getPropertyValue("--panel"), honey: css.getPropertyValue("--honey") };
};

const shadeOf = (f) => hashOf(frames.name[f] < 0 ? "" : data.names[frames.name[f]]);
const kindFill = (f) => shades[frames.kind[f]][shadeOf(f) % SHADES];
/* The heaviest objects have hues of their own, all others the grey of what has no symbol. */
const objectFill = (obj) => {
	const rank = objectRank.get(obj);
	return rank === undefined ? shades[KIND.unknown][3] : hsl(OBJECT_HUES[rank], isDark ? 48 : 66, isDark ? 56 : 72);
};
const shareFill = (level) => hsl(44 - 5 * level, isDark ? 20 + 11 * level : 30 + 11 * level, isDark ? 30 + 5 * level : 93 - 6 * level);
const shareLevel = (share) => SHARE_LEVELS.filter((s) => share >= s).length;
/* Red grew, blue shrank: a pair that all kinds of colour vision tell apart. Signs say it, too. */
const changeFill = (change) => {
	const part = largestChange > 0 ? Math.min(1, Math.sqrt(Math.abs(change) / largestChange)) : 0;
	if (Math.abs(change) < 5e-5) return isDark ? "hsl(42 4% 46%)" : "hsl(42 8% 88%)";
	const hue = change > 0 ? 8 : 213;
	return isDark ? hsl(hue, 12 + 58 * part, 48 + 12 * part) : hsl(hue, 20 + 66 * part, 88 - 24 * part);
};
const fillOf = (f, node) => {
	if (state.colour === "object" && frames.kind[f] !== KIND.mark) return objectFill(frames.obj[f]);
	if (state.colour === "share" && frames.kind[f] !== KIND.mark) return shareFill(shareLevel(shareOf(tree, node)));
	if (state.colour === "change" && tree.before && node) return changeFill(changeOf(tree, node));
	return kindFill(f);
};
const textOn = () => state.colour === "share" && isDark ? "#fff8e6" : inks.text;

/* What the colours of this tree depend on: objects by their weight, the largest change. */
const recolour = () => {
	const sums = new Map();
	objectRank = new Map();
	largestChange = 0;
	if (state.colour === "object") {
		for (let i = 1; i < tree.split; i++) { /* of a sandwich, the callers' half has the same weight again */
			const f = tree.frame[i];
			if (frames.kind[f] !== KIND.mark) sums.set(frames.obj[f], (sums.get(frames.obj[f]) || 0) + ownOf(tree, i));
		}
		[...sums].sort((a, b) => b[1] - a[1]).slice(0, OBJECT_HUES.length).forEach(([obj], rank) => objectRank.set(obj, rank));
	}
	if (tree.before) for (let i = 1; i < tree.n; i++) largestChange = Math.max(largestChange, Math.abs(changeOf(tree, i)));
	legend(sums);
};
const legendItem = (fill, text, title) => {
	const li = el("li"), key = el("i", undefined, "key");
	key.style.background = fill;
	li.append(key, text);
	li.title = title;
	return li;
};
const legendByKind = () => {
	const sums = KIND_TEXT.map(() => 0), present = KIND_TEXT.map(() => false);
	for (let i = 1; i < (isSandwich() ? tree.split : tree.n); i++) { const k = frames.kind[tree.frame[i]]; sums[k] += ownOf(tree, i); present[k] = true; }
	return KIND_TEXT.flatMap((text, k) => !present[k] ? [] : [k === KIND.mark ?
		legendItem("repeating-linear-gradient(135deg, " + shades[k][3] + " 0 2px, " + inks.hatch + " 2px 4px)", text, "not code: processes, and why a stack is cut") :
		legendItem(shades[k][3], text + " " + percent(sums[k], tree.whole), "share of samples that ended in this kind of code")]);
};
const legend = (sums) => {
	const list = [];
	if (state.colour === "object") {
		for (const [obj, rank] of [...objectRank].slice(0, LEGEND_OBJECTS)) {
			const text = obj === SEVERAL ? "several objects" : obj < 0 ? "no object" : data.objs[obj];
			list.push(legendItem(objectFill(obj), clip(text.slice(text.lastIndexOf("/") + 1) || text, 40) + " " + percent(sums.get(obj), tree.whole), "share of samples that ended in " + clip(text, NAME_MAX)));
		}
		if (sums.size > LEGEND_OBJECTS) list.push(legendItem(shades[KIND.unknown][3], plural(sums.size - LEGEND_OBJECTS, "more object"), "further colours, or grey"));
	} else if (state.colour === "share") {
		for (let i = 0; i <= SHARE_LEVELS.length; i++)
			list.push(legendItem(shareFill(i), i ? "≥ " + 100 * SHARE_LEVELS[i - 1] + " %" : "< " + 100 * SHARE_LEVELS[0] + " %", "of all, with callees"));
	} else if (state.colour === "change") {
		for (const x of [-1, -.25, 0, .25, 1])
			list.push(legendItem(changeFill(x * largestChange), x ? points(x * largestChange) + (x === 1 ? " points: grew" : x === -1 ? " points: shrank" : "") : "as before", "change of the share, with callees, in points"));
	} else {
		list.push(...legendByKind());
	}
	$("legend").replaceChildren(...list);
};

/* ---- theme ---- */
const THEMES = { auto: "Theme: auto", light: "Theme: light", dark: "Theme: dark" };
const THEME_KEY = "skep-theme";
/* A page of a file may have no storage: then the choice lasts as long as the page. */
let theme = "auto";
try { if (THEMES[localStorage.getItem(THEME_KEY)]) theme = localStorage.getItem(THEME_KEY); } catch (e) { /* as above */ }
const setTheme = () => {
	isDark = theme === "dark" || (theme === "auto" && preferred.matches);
	document.documentElement.dataset.theme = isDark ? "dark" : "light";
	$("theme").textContent = THEMES[theme];
	palette();
};
const redraw = () => { recolour(); if (state.pane !== "graph") drawTable(); drawStrip(); drawMap(); draw(); };
$("theme").addEventListener("click", () => {
	const words = Object.keys(THEMES);
	theme = words[(words.indexOf(theme) + 1) % words.length];
	try { localStorage.setItem(THEME_KEY, theme); } catch (e) { /* as above */ }
	setTheme();
	redraw();
});
preferred.addEventListener("change", () => { setTheme(); redraw(); });
