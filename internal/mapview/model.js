'use strict';
// The model: shelves, folders and documents as a tree whose closed branches are drawn as one circle; links between what
// is to be seen; and where everything stands.

const library = JSON.parse(document.getElementById('map').textContent);

// mostShown is how many circles are shown at once: more cannot be told apart. largestGroup is how many documents of one
// folder stand together before they are cut into runs of the alphabet.
const mostShown = 700, largestGroup = 150;

// plain leaves out what turns the direction of text, so that one title cannot change how its neighbours read.
const plain = s => s.replace(/[\p{Cc}\p{Cf}]/gu, '');

const tree = makeTree();
const everything = [];
tree.forEach(function list(n) { n.id = everything.length; everything.push(n); n.children.forEach(list); });

function branch(kind, name, parent, shelf) {
  const n = { kind, name, parent, shelf, children: [], size: 0, open: false, x: 0, y: 0, vx: 0, vy: 0 };
  if (parent) parent.children.push(n);
  return n;
}

function makeTree() {
  const shelves = library.shelves.map((s, i) => branch('shelf', plain(s.name), null, i));
  const folders = new Map();
  library.documents.forEach((d, i) => {
    let at = shelves[d.shelf], path = String(d.shelf);
    for (const step of d.path.split('/').slice(0, -1)) {
      path += '/' + step;
      if (!folders.has(path)) folders.set(path, branch('folder', plain(step), at, d.shelf));
      at = folders.get(path);
    }
    const leaf = branch('document', plain(d.title) || plain(d.path), at, d.shelf);
    leaf.document = i;
    d.node = leaf;
  });
  shelves.forEach(finish);
  return shelves;
}

// finish joins folders that hold nothing but one folder, cuts long lists, and counts.
function finish(n) {
  while (n.kind === 'folder' && n.children.length === 1 && n.children[0].kind === 'folder') {
    const only = n.children[0];
    n.name += '/' + only.name;
    n.children = only.children;
    n.children.forEach(c => { c.parent = n; });
  }
  const leaves = n.children.filter(c => c.kind === 'document');
  if (leaves.length > largestGroup) cut(n, leaves);
  n.children.forEach(finish);
  n.size = n.kind === 'document' ? 1 : n.children.reduce((sum, c) => sum + c.size, 0);
}

function cut(n, leaves) {
  n.children = n.children.filter(c => c.kind !== 'document');
  const length = Math.ceil(leaves.length / Math.ceil(leaves.length / largestGroup));
  for (let i = 0; i < leaves.length; i += length) {
    const run = leaves.slice(i, i + length);
    const file = leaf => plain(library.documents[leaf.document].path.split('/').pop().replace(/\.[^.]*$/, ''));
    const range = branch('run', file(run[0]) + ' … ' + file(run[run.length - 1]), n, n.shelf);
    range.children = run;
    run.forEach(leaf => { leaf.parent = range; });
  }
}

// shown are the branches to be seen, seenAs the one that each document is seen as.
let shown = [], seenAs = [];

function look() {
  shown = [];
  const walk = (n, as) => {
    if (!as) { shown.push(n); if (!n.open || n.kind === 'document') as = n; }
    if (n.kind === 'document') seenAs[n.document] = as;
    n.children.forEach(c => walk(c, as));
  };
  tree.forEach(n => walk(n, null));
}

// unfold opens branches from the top, the largest first, as long as everything can be told apart. The shelf that the
// map is of comes first.
function unfold() {
  const own = tree.find(n => library.shelves[n.shelf].name === library.shelf);
  let room = mostShown / 2 - tree.length, layer = own ? [own, ...tree.filter(n => n !== own)] : tree;
  while (layer.length) {
    const next = [];
    for (const n of layer) {
      if (n.kind === 'document' || n.children.length > room) continue;
      open(n);
      room -= n.children.length;
      next.push(...n.children);
    }
    layer = next.sort((a, b) => b.size - a.size);
  }
  look();
}

// open shows the children of a branch, around it.
function open(n) {
  if (n.open || n.kind === 'document') return;
  n.open = true;
  const ring = 24 + 7 * Math.sqrt(n.children.length);
  n.children.forEach((c, i) => {
    const turn = i * 2.399963; // the golden angle: no two in a line, and the same each time
    const far = ring * Math.sqrt((i + 1) / n.children.length);
    c.x = n.x + far * Math.cos(turn);
    c.y = n.y + far * Math.sin(turn);
    c.vx = c.vy = 0;
  });
}

function close(n) {
  n.open = false;
  n.children.forEach(close);
}

// reveal opens what hides a document; other branches are closed when there would be too much to see.
function reveal(document) {
  const way = [];
  for (let n = library.documents[document].node.parent; n; n = n.parent) way.unshift(n);
  way.forEach(open);
  look();
  for (const n of everything) {
    if (shown.length <= mostShown) break;
    if (n.open && !way.includes(n) && n.kind !== 'shelf') { close(n); look(); }
  }
}

// The relations, in the order of the legend: those that shelfd works out or reads, then the words that people chose, the
// commonest first. Each has a colour of the style sheet; beyond the second word of one's own, words share the last one.
const usual = ['links_to', 'extends_standard', 'references_standard', 'references_custom', 'mentions', 'related'];
const relations = listRelations();
const colourOf = new Map(relations.map(r => [r.name, r.colour]));

function listRelations() {
  const counts = new Map();
  for (const l of library.links) counts.set(l.relation, (counts.get(l.relation) || 0) + 1);
  const own = [...counts.keys()].filter(name => !usual.includes(name)).sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
  return [...usual.filter(name => counts.has(name)), ...own].map(name => {
    const place = own.indexOf(name);
    return { name, n: counts.get(name), colour: place < 0 ? name : ['own', 'own_second', 'own_rest'][Math.min(place, 2)] };
  });
}

// wanted says which links are to be seen: links of the text and stated ones without a confidence are sure.
const filter = { origins: new Set(['text', 'heuristic', 'manual']), relations: new Set(relations.map(r => r.name)), least: 0 };
const wanted = l => filter.origins.has(l.origin) && filter.relations.has(l.relation) && (l.origin === 'text' || l.confidence >= filter.least);

let edges = [];

// join makes one edge of the wanted links of one colour and origin between two circles. Edges between the same two run
// side by side: each has its lane, of so many lanes.
function join() {
  const pairs = new Map();
  let n = 0;
  for (const l of library.links) {
    if (!wanted(l)) continue;
    n++;
    const from = seenAs[l.source], to = seenAs[l.target];
    if (from === to) continue;
    const [a, b] = from.id < to.id ? [from, to] : [to, from], pair = a.id * everything.length + b.id;
    if (!pairs.has(pair)) pairs.set(pair, new Map());
    const colour = colourOf.get(l.relation), lanes = pairs.get(pair), lane = l.origin + ' ' + colour;
    if (!lanes.has(lane)) lanes.set(lane, { a, b, n: 0, origin: l.origin, colour, confidence: 0, forth: false, back: false, lane: lanes.size });
    const edge = lanes.get(lane);
    edge.n++;
    edge.confidence = Math.max(edge.confidence, l.confidence);
    if (from === a) edge.forth = true; else edge.back = true;
  }
  edges = [];
  for (const lanes of pairs.values()) for (const edge of lanes.values()) edges.push(Object.assign(edge, { lanes: lanes.size }));
  return n;
}

function radius(n) {
  if (n.kind === 'document') return 5;
  if (n.open) return n.kind === 'shelf' ? 9 : 5;
  return Math.min(46, 9 + 1.5 * Math.sqrt(n.size));
}

// heat falls while the layout comes to rest.
let heat = 0;

// tick moves everything a little: circles push each other off when near, links and folders pull.
function tick() {
  const near = 170, cells = new Map();
  for (const n of shown) {
    const key = Math.floor(n.x / near) + ',' + Math.floor(n.y / near);
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(n);
    n.vx -= n.x * 0.004 * heat;
    n.vy -= n.y * 0.004 * heat;
  }
  for (const [key, list] of cells) {
    const [x, y] = key.split(',').map(Number);
    for (let i = x; i <= x + 1; i++) {
      for (let j = y - 1; j <= y + 1; j++) {
        if (i === x && j < y) continue;
        const others = cells.get(i + ',' + j);
        if (others) repel(list, others, near);
      }
    }
  }
  for (const n of shown) if (n.parent) pull(n.parent, n, radius(n.parent) + radius(n) + 18 + (n.parent.kind === 'shelf' ? 14 : 0), 0.09);
  for (const e of edges) if (e.lane === 0) pull(e.a, e.b, radius(e.a) + radius(e.b) + 60, 0.012);
  for (const n of shown) {
    const speed = Math.hypot(n.vx, n.vy), most = 30 * heat + 0.5, slow = speed > most ? most / speed : 1;
    n.x += n.vx * slow;
    n.y += n.vy * slow;
    n.vx *= 0.6;
    n.vy *= 0.6;
  }
  heat *= 0.983;
}

function repel(list, others, near) {
  for (const a of list) {
    for (const b of others) {
      if (list === others && a.id >= b.id) continue;
      let dx = a.x - b.x, dy = a.y - b.y, far = Math.hypot(dx, dy);
      if (far > near) continue;
      if (far < 0.5) { dx = a.id < b.id ? -1 : 1; dy = ((a.id * 7 + b.id) % 5 - 2) / 2; far = 1; }
      const room = radius(a) + radius(b) + 12;
      if (far < room) { // what overlaps moves apart, however cold it is
        const off = (room - far) / far * 0.3;
        a.x += dx * off; a.y += dy * off;
        b.x -= dx * off; b.y -= dy * off;
      }
      const force = heat * (far < room ? 3 : 900 / (far * far) + 15 * room / (far * far)) / far;
      a.vx += dx * force; a.vy += dy * force;
      b.vx -= dx * force; b.vy -= dy * force;
    }
  }
}

function pull(a, b, rest, strength) {
  const dx = b.x - a.x, dy = b.y - a.y, far = Math.hypot(dx, dy) || 1;
  const force = heat * strength * (far - rest) / far;
  a.vx += dx * force; a.vy += dy * force;
  b.vx -= dx * force; b.vy -= dy * force;
}
