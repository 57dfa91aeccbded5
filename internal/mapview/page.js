// The page around the canvas: search, filters, the panel, keys.

const $ = id => document.getElementById(id);
const panel = $('panel'), search = $('search');

// make builds an element; strings become text and nothing else.
function make(tag, attributes, ...children) {
  const e = document.createElement(tag);
  Object.assign(e, attributes);
  e.append(...children);
  return e;
}

const bdi = text => make('bdi', {}, plain(text));
const number = n => n.toLocaleString('en');
const place = d => library.shelves[d.shelf].name + '/' + d.path;

// refresh follows a change of filters or of what is open.
function refresh(to) {
  look();
  const n = join();
  if (chosen && !shown.includes(chosen)) chosen = chosen.kind === 'document' ? seenAs[chosen.document] : null;
  mark();
  const documents = shown.filter(s => s.kind === 'document').length;
  $('status').textContent = `${number(documents)} of ${number(library.documents.length)} documents one by one, ${number(n)} of ${number(library.links.length)} links`;
  document.body.dataset.documents = documents;
  document.body.dataset.links = n;
  document.body.dataset.edges = edges.length;
  warm(to);
}

// press is a click or Enter on a circle.
function press(n) {
  if (!n) { choose(null); return; }
  if (n.kind === 'document') { choose(n); return; }
  if (n.open) close(n); else open(n);
  while (shown.length + n.children.length > 2 * mostShown && makeRoom(n));
  choose(n);
  refresh(0.5);
}

// makeRoom closes the largest open branch that does not hold n.
function makeRoom(n) {
  const above = new Set();
  for (let a = n; a; a = a.parent) above.add(a);
  const open = shown.filter(s => s.open && !above.has(s)).sort((a, b) => b.children.length - a.children.length)[0];
  if (!open) return false;
  close(open);
  look();
  return true;
}

function choose(n) {
  chosen = n;
  tell();
  redraw();
}

// go chooses a document wherever it is.
function go(document) {
  reveal(document);
  choose(library.documents[document].node);
  refresh(0.35);
  view.follow = false;
  view.zoom = Math.max(view.zoom, 0.9);
  view.x = chosen.x;
  view.y = chosen.y;
}

// listing is whether the panel shows what a search found.
let listing = false;

function tell() {
  listing = false;
  panel.replaceChildren();
  if (!chosen) { overview(); return; }
  if (chosen.kind === 'document') { tellDocument(chosen.document); return; }
  const s = library.shelves[chosen.shelf];
  panel.append(make('h2', {}, bdi(chosen.name)), make('p', { className: 'path' }, chosen.kind === 'shelf' ? 'shelf' : `${chosen.kind === 'run' ? 'part of a folder' : 'folder'} in `, chosen.kind === 'shelf' ? '' : bdi(s.name), `, ${number(chosen.size)} documents`));
  if (chosen.kind === 'shelf') {
    if (s.description) panel.append(make('p', {}, bdi(s.description)));
    for (const p of s.parents || []) panel.append(make('p', {}, 'extends ', bdi(library.shelves[p].name)));
  }
  panel.append(make('button', { type: 'button', onclick: () => press(chosen) }, chosen.open ? 'Close' : 'Open'));
  list('Holds', chosen.children.slice(0, 300).map(c => entry(c.name, c.kind === 'document' ? '' : `${number(c.size)} documents`, () => {
    if (c.kind === 'document') { go(c.document); return; }
    open(c.parent);
    choose(c);
    refresh(0.35);
  })));
}

function overview() {
  panel.append(make('h2', {}, 'Map of ', bdi(library.shelf)),
    make('p', {}, `${number(library.documents.length)} documents in ${number(library.shelves.length)} ${library.shelves.length === 1 ? 'shelf' : 'shelves'}, ${number(library.links.length)} links.`),
    make('p', {}, 'Large circles are folders: a click opens and closes them. A click on a document tells what it is linked with, and why.'),
    make('p', { className: 'path' }, 'Keys: / searches; on the map arrows go to the next circle, Enter opens, + and − zoom, 0 shows everything, Escape lets go.'));
}

function tellDocument(i) {
  const d = library.documents[i];
  panel.append(make('h2', {}, bdi(d.title || d.path)), make('p', { className: 'path' }, bdi(place(d))));
  const out = [], inward = [];
  for (const l of library.links) {
    if (!wanted(l)) continue;
    if (l.source === i) out.push(linkEntry(l, l.target));
    if (l.target === i) inward.push(linkEntry(l, l.source));
  }
  list(`Links to (${out.length})`, out);
  list(`Linked from (${inward.length})`, inward);
  if (d.outline) list('Outline', d.outline.map(h => {
    const li = make('li', {}, bdi(h.title));
    li.style.marginLeft = Math.min(5, Math.max(0, h.level - 1)) + 'em';
    return li;
  }));
}

function linkEntry(l, other) {
  const d = library.documents[other];
  const why = [l.label, l.rationale, l.lines ? (l.lines.length > 1 ? 'lines ' : 'line ') + l.lines.slice(0, 8).join(', ') : ''].filter(Boolean).join(' · ');
  const sure = l.origin === 'text' ? '' : ' ' + l.confidence.toFixed(2);
  return make('li', {}, make('button', { type: 'button', onclick: () => go(other) }, bdi(d.title || d.path), ' ',
    badge(l, sure),
    make('br', {}), make('small', {}, bdi(place(d)), why ? make('br', {}) : '', why ? bdi(why) : '')));
}

const entry = (name, note, act) => make('li', {}, make('button', { type: 'button', onclick: act }, bdi(name), ' ', make('small', {}, bdi(note))));

function list(heading, entries) {
  if (entries.length) panel.append(make('h3', {}, heading), make('ul', {}, ...entries));
}

// fold makes searching deaf to case and accents.
const fold = s => s.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
let found = [];

function mark() {
  matches = new Set(found.map(i => seenAs[i]));
}

function find() {
  const words = fold(search.value).split(/\s+/).filter(Boolean);
  found = [];
  if (words.length) {
    library.documents.forEach((d, i) => {
      d.folded ??= fold(plain(d.title) + ' ' + place(d));
      if (words.every(w => d.folded.includes(w))) found.push(i);
    });
    const early = i => Math.min(...words.map(w => fold(library.documents[i].title).indexOf(w) + 1 || 1e6));
    found.sort((a, b) => early(a) - early(b) || a - b);
  }
  mark();
  document.body.dataset.found = found.length;
  redraw();
  if (!words.length) { tell(); return; }
  listing = true;
  panel.replaceChildren(make('h2', {}, `${number(found.length)} found`));
  list(found.length > 100 ? 'The first 100' : 'Documents', found.slice(0, 100).map(i => entry(library.documents[i].title || library.documents[i].path, place(library.documents[i]), () => go(i))));
}

search.addEventListener('input', find);
search.addEventListener('keydown', e => {
  if (e.key === 'Enter' && found.length) { go(found[0]); canvas.focus(); }
  if (e.key === 'ArrowDown') { panel.querySelector('button')?.focus(); e.preventDefault(); }
  if (e.key === 'Escape') { search.value = ''; find(); }
});

panel.addEventListener('keydown', e => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (!step) return;
  const buttons = [...panel.querySelectorAll('button')], next = buttons[buttons.indexOf(document.activeElement) + step];
  if (next) { next.focus(); e.preventDefault(); }
});

// next is the circle nearest to the chosen one in a direction.
function next(dx, dy) {
  const from = chosen && shown.includes(chosen) ? chosen : null;
  if (!from) return shown[0];
  let best = null, least = Infinity;
  for (const n of shown) {
    const x = n.x - from.x, y = n.y - from.y, ahead = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (n === from || ahead <= 0) continue;
    if (ahead + 2.5 * aside < least) { least = ahead + 2.5 * aside; best = n; }
  }
  return best || from;
}

function showAll() { view.follow = true; redraw(); }

function foldAll() {
  tree.forEach(close);
  tree.forEach(open);
  chosen = null;
  refresh(1);
  tell();
  showAll();
}

const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

canvas.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const step = steps[e.key];
  if (step && e.shiftKey) {
    view.x += step[0] * 60 / view.zoom;
    view.y += step[1] * 60 / view.zoom;
    view.follow = false;
    redraw();
  } else if (step) {
    choose(next(...step));
    const [x, y] = screen(chosen);
    if (x < 30 || y < 30 || x > view.width - 30 || y > view.height - 30) { view.x = chosen.x; view.y = chosen.y; view.follow = false; }
  } else if (e.key === 'Enter' || e.key === ' ') { if (chosen) press(chosen); }
  else if (e.key === '+' || e.key === '=') zoom(1.25);
  else if (e.key === '-') zoom(0.8);
  else if (e.key === '0') showAll();
  else if (e.key === 'Escape') choose(null);
  else return;
  e.preventDefault();
});

document.addEventListener('keydown', e => {
  if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || document.activeElement === search) return;
  e.preventDefault();
  search.focus();
  search.select();
});

$('fit').onclick = showAll;
$('closer').onclick = () => zoom(1.25);
$('wider').onclick = () => zoom(0.8);
$('fold').onclick = foldAll;

readColours();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); legend(); redraw(); });
new ResizeObserver(measure).observe(canvas);

listen();
legend();
tree.forEach((n, i) => { n.x = 260 * Math.cos(i * 2.399963) * Math.sqrt(i); n.y = 260 * Math.sin(i * 2.399963) * Math.sqrt(i); });
unfold();
measure();
refresh(1);
tell();
document.body.dataset.ready = 'yes';
