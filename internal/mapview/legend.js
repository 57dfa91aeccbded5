// The legend, which is the filter as well: shelves by colour, relations by colour, origins by the style of the line.

// sieve follows a change of the filter.
function sieve() {
  refresh(0.2);
  if (!listing) tell();
}

// listen makes the boxes and the slider work, and lists the relations there are.
function listen() {
  for (const box of document.querySelectorAll('#origins input')) {
    box.parentElement.querySelector('span').textContent = number(library.links.filter(l => l.origin === box.value).length);
    box.addEventListener('change', () => {
      if (box.checked) filter.origins.add(box.value); else filter.origins.delete(box.value);
      sieve();
    });
  }
  $('confidence').addEventListener('input', e => {
    filter.least = Number(e.target.value);
    $('least').textContent = filter.least.toFixed(2);
    sieve();
  });
  $('relations').append(...relations.map(relationRow));
  $('relations').hidden = !relations.length;
}

// badge names a link's relation in its colour, within a border of its origin's style.
function badge(l, sure) {
  const b = make('span', { className: 'badge ' + (l.origin in dashes ? l.origin : '') }, plain(l.relation) + sure);
  b.style.color = `var(--${colourOf.get(l.relation)})`;
  return b;
}

// relationRow is a relation with a box that shows or hides its links, and a button that hides all others.
function relationRow(r) {
  const swatch = make('i', { className: 'stroke' });
  swatch.style.color = `var(--${r.colour})`;
  const box = make('input', { type: 'checkbox', checked: true, value: r.name });
  box.addEventListener('change', () => {
    if (box.checked) filter.relations.add(r.name); else filter.relations.delete(r.name);
    sieve();
  });
  const name = plain(r.name) || 'no relation';
  const only = make('button', { type: 'button', title: `Show ${name} alone; again: everything`, onclick: () => alone(r.name) }, 'only');
  return make('li', {}, make('label', {}, box, swatch, bdi(name), ' ', make('span', {}, number(r.n))), only);
}

// alone shows one relation and hides the others; when it is alone already, it shows all.
function alone(name) {
  const already = filter.relations.size === 1 && filter.relations.has(name);
  filter.relations = new Set(relations.filter(r => already || r.name === name).map(r => r.name));
  for (const box of document.querySelectorAll('#relations input')) box.checked = filter.relations.has(box.value);
  sieve();
}

function shelfRow(s, i) {
  const dot = make('i', { className: 'dot' });
  dot.style.background = shelfColour(i);
  return make('li', {}, dot, bdi(s.name));
}

// legend lists the shelves; their colours follow the page's.
function legend() {
  $('shelves').replaceChildren(...library.shelves.slice(0, 14).map(shelfRow));
  if (library.shelves.length > 14) $('shelves').append(make('li', {}, `and ${number(library.shelves.length - 14)} more`));
}
