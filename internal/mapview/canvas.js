// The canvas: what is drawn, and what the pointer means.

const canvas = document.getElementById('canvas'), pen = canvas.getContext('2d');
const view = { x: 0, y: 0, zoom: 1, width: 0, height: 0, follow: true };
let chosen = null, under = null, matches = new Set(), colours = {};

const shelfColour = i => `hsl(${(210 + i * 137.5) % 360} ${colours.dark ? '48% 64%' : '46% 46%'})`;

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['paper', 'ink', 'quiet', 'line', 'card', 'accent', ...relations.map(r => r.colour)]) {
    colours[name] = style.getPropertyValue('--' + name).trim();
  }
  colours.dark = matchMedia('(prefers-color-scheme: dark)').matches;
}

// still is whether things should stand where they end up at once.
const still = matchMedia('(prefers-reduced-motion: reduce)').matches;

let waiting = false;

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    const until = performance.now() + 12;
    while (heat > 0.02 && (still || performance.now() < until)) tick();
    if (view.follow) fit();
    draw();
    if (heat > 0.02) redraw(); else document.body.dataset.settled = 'yes';
  });
}

// warm sets the layout moving again.
function warm(to) {
  heat = Math.max(heat, to);
  delete document.body.dataset.settled;
  redraw();
}

function fit() {
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  for (const n of shown) {
    const r = radius(n) + 14;
    left = Math.min(left, n.x - r); right = Math.max(right, n.x + r);
    top = Math.min(top, n.y - r); bottom = Math.max(bottom, n.y + r);
  }
  if (left > right) return;
  const legend = document.getElementById('legend'), covered = legend.open && view.width > 700 ? legend.offsetWidth : 0;
  view.zoom = Math.min(2.4, (view.width - covered) / (right - left + 40), view.height / (bottom - top + 60));
  view.x = (left + right) / 2 - covered / 2 / view.zoom;
  view.y = (top + bottom) / 2;
}

function measure() {
  const box = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
  view.width = box.width;
  view.height = box.height;
  canvas.width = Math.max(1, Math.round(box.width * scale));
  canvas.height = Math.max(1, Math.round(box.height * scale));
  redraw();
}

const screen = n => [(n.x - view.x) * view.zoom + view.width / 2, (n.y - view.y) * view.zoom + view.height / 2];
const drawnRadius = n => radius(n) * Math.max(0.55, Math.min(1.6, view.zoom));

// about is what the chosen or pointed-at circle is linked with; null when nothing is chosen.
function about() {
  const centre = chosen || under;
  if (!centre || centre.open) return null;
  const set = new Set([centre]);
  for (const e of edges) { if (e.a === centre) set.add(e.b); if (e.b === centre) set.add(e.a); }
  return set;
}

function draw() {
  const scale = devicePixelRatio || 1;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  const focus = about();
  const dim = n => (focus && !focus.has(n)) || (matches.size && !focus && !matches.has(n) && !n.open);
  drawFolders();
  for (const e of edges) drawEdge(e, focus);
  for (const n of shown) drawCircle(n, dim(n));
  drawLabels(focus, dim);
}

function drawFolders() {
  pen.lineWidth = 1;
  pen.setLineDash([]);
  pen.strokeStyle = colours.line;
  pen.beginPath();
  for (const n of shown) {
    if (!n.parent) continue;
    pen.moveTo(...screen(n.parent));
    pen.lineTo(...screen(n));
  }
  pen.stroke();
  pen.strokeStyle = pen.fillStyle = colours.quiet; // shelves that extend others: a broad band, no link of documents
  pen.globalAlpha = 0.25;
  library.shelves.forEach((s, i) => (s.parents || []).forEach(p => arrow(tree[i], tree[p], 6)));
  pen.globalAlpha = 1;
}

function arrow(a, b, width) {
  const [x, y] = screen(a), [u, v] = screen(b);
  pen.lineWidth = width;
  const far = Math.hypot(u - x, v - y), end = Math.max(0, 1 - (drawnRadius(b) + 2 + 2 * width) / (far || 1));
  line(x, y, x + (u - x) * end, y + (v - y) * end);
  head(x, y, u, v, drawnRadius(b) + 2, 3 * width);
}

function line(x, y, u, v) {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(u, v);
  pen.stroke();
}

// head is the point of an arrow that ends so far before (u, v).
function head(x, y, u, v, before, size = 8) {
  const far = Math.hypot(u - x, v - y);
  if (far < before) return;
  const tx = u - (u - x) / far * before, ty = v - (v - y) / far * before, turn = Math.atan2(v - y, u - x);
  pen.beginPath();
  pen.moveTo(tx, ty);
  pen.lineTo(tx - size * Math.cos(turn - 0.4), ty - size * Math.sin(turn - 0.4));
  pen.lineTo(tx - size * Math.cos(turn + 0.4), ty - size * Math.sin(turn + 0.4));
  pen.fill();
}

// dashes tell who made a link; its colour is what it says. Those of the legend are in the style sheet.
const dashes = { text: [], heuristic: [6, 4], manual: [0, 5] };

function drawEdge(e, focus) {
  const centre = chosen || under, near = focus && (e.a === centre || e.b === centre);
  pen.strokeStyle = pen.fillStyle = colours[e.colour];
  const crowd = Math.max(0.3, Math.min(1, Math.sqrt(250 / edges.length))); // where many cross, each is fainter
  pen.globalAlpha = focus ? (near ? 0.95 : 0.07) : crowd * (e.origin === 'heuristic' ? 0.35 + 0.4 * e.confidence : 0.7);
  pen.setLineDash(dashes[e.origin] || []);
  pen.lineCap = e.origin === 'manual' ? 'round' : 'butt';
  pen.lineWidth = Math.min(6, (e.origin === 'manual' ? 2.5 : near ? 2 : 1.2) + Math.log2(e.n) * 0.7);
  let [x, y] = screen(e.a), [u, v] = screen(e.b);
  const far = Math.hypot(u - x, v - y) || 1, aside = (e.lane - (e.lanes - 1) / 2) * 5, dx = (y - v) / far * aside, dy = (u - x) / far * aside;
  x += dx; u += dx; y += dy; v += dy;
  line(x, y, u, v);
  if (near) {
    if (e.forth) head(x, y, u, v, drawnRadius(e.b) + 2);
    if (e.back) head(u, v, x, y, drawnRadius(e.a) + 2);
  }
  pen.globalAlpha = 1;
  pen.lineCap = 'butt';
  pen.setLineDash([]);
}

function drawCircle(n, dimmed) {
  const [x, y] = screen(n), r = drawnRadius(n), colour = shelfColour(n.shelf);
  pen.globalAlpha = dimmed ? 0.25 : 1;
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fillStyle = n.kind === 'document' ? colour : colours.paper;
  pen.fill();
  if (n.kind !== 'document') {
    pen.globalAlpha = dimmed ? 0.1 : n.open ? 0.25 : 0.3;
    pen.fillStyle = colour;
    pen.fill();
    pen.globalAlpha = dimmed ? 0.25 : 1;
    pen.lineWidth = n.kind === 'shelf' ? 3 : 1.5;
    pen.strokeStyle = colour;
    pen.stroke();
    if (!n.open && r > 11) {
      write(String(n.size), x, namedInside(n) ? y - 7 : y, 11, colours.ink, 'center');
      if (namedInside(n)) write(clip(n.name, 1.8 * r, 10), x, y + 7, 10, colours.quiet, 'center');
    }
  }
  if (matches.has(n) || n === chosen || n === under) {
    pen.lineWidth = n === chosen ? 3 : 2;
    pen.strokeStyle = n === chosen || n === under ? colours.accent : colours.ink;
    pen.beginPath();
    pen.arc(x, y, r + 4, 0, 2 * Math.PI);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

// namedInside says whether a closed branch has room for its name.
const namedInside = n => n.kind !== 'shelf' && n.kind !== 'document' && !n.open && drawnRadius(n) > 20;

// clip shortens a text to a width.
function clip(text, width, size) {
  pen.font = `${size}px system-ui, sans-serif`;
  let short = text;
  while (short.length > 1 && pen.measureText(short).width > width) short = short.slice(0, -2) + '…';
  return short;
}

function write(text, x, y, size, colour, align) {
  pen.font = `${size}px system-ui, sans-serif`;
  pen.textAlign = align;
  pen.textBaseline = 'middle';
  pen.lineWidth = 3;
  pen.lineJoin = 'round';
  pen.strokeStyle = colours.paper;
  pen.strokeText(text, x, y);
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}

// drawLabels writes the names that find room, what matters most first.
function drawLabels(focus, dim) {
  const worth = n => (n === chosen || n === under ? 1e9 : 0) + (focus && focus.has(n) ? 1e8 : 0) + (matches.has(n) ? 1e7 : 0) +
    (n.kind === 'shelf' ? 1e6 : n.kind === 'document' ? 0 : 1e3) + n.size;
  const taken = shown.filter(n => n.kind !== 'document' && !n.open).map(n => {
    const [x, y] = screen(n), r = drawnRadius(n) * 0.8;
    return [x - r, y - r, x + r, y + r];
  });
  for (const n of [...shown].sort((a, b) => worth(b) - worth(a) || a.id - b.id)) {
    const [x, y] = screen(n), r = drawnRadius(n);
    if (x < -80 || x > view.width + 80 || y < -20 || y > view.height + 20 || (dim(n) && n.kind !== 'shelf') || (namedInside(n) && n !== chosen && n !== under)) continue;
    const size = n.kind === 'shelf' ? 14 : 12, long = n === chosen || n === under ? 80 : 30;
    const text = n.name.length > long ? n.name.slice(0, long - 1) + '…' : n.name;
    pen.font = `${size}px system-ui, sans-serif`;
    const width = pen.measureText(text).width, box = [x - width / 2 - 3, y + r + 2, x + width / 2 + 3, y + r + 6 + size];
    if (n.kind !== 'shelf' && n !== chosen && n !== under && taken.some(t => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) continue;
    taken.push(box);
    write(text, x, y + r + 4 + size / 2, size, n.kind === 'folder' || n.kind === 'run' ? colours.quiet : colours.ink, 'center');
  }
}

function at(x, y) {
  let best = null, least = Infinity;
  for (const n of shown) {
    const [u, v] = screen(n), far = Math.hypot(u - x, v - y) - drawnRadius(n);
    if (far < least) { least = far; best = n; }
  }
  return least < 6 ? best : null;
}

function zoom(by, x = view.width / 2, y = view.height / 2) {
  const next = Math.max(0.05, Math.min(6, view.zoom * by)), dx = x - view.width / 2, dy = y - view.height / 2;
  view.x += dx / view.zoom - dx / next;
  view.y += dy / view.zoom - dy / next;
  view.zoom = next;
  view.follow = false;
  redraw();
}

const held = new Map(); // pointers that are down

canvas.addEventListener('pointerdown', e => {
  held.set(e.pointerId, { x: e.offsetX, y: e.offsetY, moved: false });
  try { canvas.setPointerCapture(e.pointerId); } catch { /* it went up already */ }
});

canvas.addEventListener('pointermove', e => {
  const from = held.get(e.pointerId);
  if (!from) { point(at(e.offsetX, e.offsetY)); return; }
  const dx = e.offsetX - from.x, dy = e.offsetY - from.y;
  if (!from.moved && Math.hypot(dx, dy) < 4) return;
  if (held.size === 2) { // two fingers: their distance is the zoom
    const other = [...held.entries()].find(([id]) => id !== e.pointerId)[1];
    const before = Math.hypot(from.x - other.x, from.y - other.y), now = Math.hypot(e.offsetX - other.x, e.offsetY - other.y);
    if (before > 0) zoom(now / before, other.x, other.y);
  } else {
    view.x -= dx / view.zoom;
    view.y -= dy / view.zoom;
    view.follow = false;
  }
  held.set(e.pointerId, { x: e.offsetX, y: e.offsetY, moved: true });
  redraw();
});

for (const end of ['pointerup', 'pointercancel']) {
  canvas.addEventListener(end, e => {
    const from = held.get(e.pointerId);
    held.delete(e.pointerId);
    if (from && !from.moved && end === 'pointerup') press(at(e.offsetX, e.offsetY));
  });
}

canvas.addEventListener('wheel', e => {
  e.preventDefault();
  zoom(Math.exp(-e.deltaY * (e.deltaMode === 1 ? 0.05 : 0.0015)), e.offsetX, e.offsetY);
}, { passive: false });

function point(n) {
  if (n === under) return;
  under = n;
  canvas.style.cursor = n ? 'pointer' : 'grab';
  redraw();
}
