// Panels whose size is set by the pointer or by keys. The sizes are part of the address.

// key: the letter in the address. most is the greatest size. The width of the right column is in percent of the page, the heights are
// in pixels of CSS.
const kinds = {
  c: { name: 'width of the right column', least: 15, most: 75, step: 2 },
  t: { name: 'height of the timeline', least: 90, most: 2400, step: 18 },
  r: { name: 'height of the registers', least: 60, most: 1600, step: 18 },
  e: { name: 'height of the program', least: 90, most: 1600, step: 18 },
  y: { name: 'height of the derivation', least: 90, most: 1600, step: 18 },
};

export class Panels {
  // elements are those whose sizes are set, by the letters of kinds. changed is called after a size has changed.
  constructor(elements, changed) {
    this.sizes = {};
    this.changed = changed;
    this.parts = {};
    for (const [key, element] of Object.entries(elements)) {
      const bar = document.createElement('div');
      bar.className = `grip ${key === 'c' ? 'across' : ''}`;
      bar.tabIndex = 0;
      bar.title = `${kinds[key].name}: drag, or press arrow keys; Home or a double click: as it was`;
      const is = { role: 'separator', 'aria-label': kinds[key].name, 'aria-orientation': key === 'c' ? 'vertical' : 'horizontal', 'aria-valuemin': kinds[key].least, 'aria-valuemax': kinds[key].most };
      for (const [k, v] of Object.entries(is)) bar.setAttribute(k, v);
      if (key === 'c') element.prepend(bar);
      else element.after(bar);
      this.parts[key] = { element, bar };
      bar.addEventListener('keydown', (e) => this.key(key, e));
      bar.addEventListener('pointerdown', (e) => this.drag(key, e));
      bar.addEventListener('dblclick', () => this.set(key, undefined));
      this.tell(key);
    }
  }

  // size is what is set, or otherwise.
  size(key, otherwise) { return this.sizes[key] ?? otherwise; }

  // now measures a panel.
  now(key) {
    const { element } = this.parts[key];
    return Math.round(key === 'c' ? (100 * element.offsetWidth) / (element.parentElement.clientWidth || 1) : element.offsetHeight);
  }

  // set sets a size; undefined: as it was at first.
  set(key, size) {
    const { least, most } = kinds[key];
    if (size === undefined) delete this.sizes[key];
    else this.sizes[key] = Math.max(least, Math.min(most, Math.round(size)));
    this.apply(key);
    this.changed();
    this.tell(key);
  }

  apply(key) {
    const { element } = this.parts[key], size = this.sizes[key];
    if (key === 'c') element.parentElement.style.setProperty('--right', size === undefined ? '' : `${size}%`);
    else if (key === 'e') element.style.height = size === undefined ? '' : `${size}px`;
    else if (key === 'y') for (const x of element.parentElement.querySelectorAll('#why-tree, #why-pre')) x.style.maxHeight = size === undefined ? '' : `${size}px`;
  }

  tell(key) {
    const { bar } = this.parts[key], { least, most } = kinds[key];
    bar.setAttribute('aria-valuenow', this.sizes[key] ?? Math.max(least, Math.min(most, this.now(key))));
  }

  key(key, e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const back = key === 'c' ? 'ArrowRight' : 'ArrowUp', on = key === 'c' ? 'ArrowLeft' : 'ArrowDown';
    if (e.key === 'Home') this.set(key, undefined);
    else if (e.key === back || e.key === on) this.set(key, (this.sizes[key] ?? this.now(key)) + (e.key === on ? 1 : -1) * kinds[key].step);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  drag(key, e) {
    const { bar, element } = this.parts[key], began = key === 'c' ? e.clientX : e.clientY, size = this.now(key), wide = element.parentElement.clientWidth;
    bar.setPointerCapture(e.pointerId);
    const move = (m) => this.set(key, key === 'c' ? size + (100 * (began - m.clientX)) / wide : size + m.clientY - began);
    bar.addEventListener('pointermove', move);
    bar.addEventListener('lostpointercapture', () => bar.removeEventListener('pointermove', move), { once: true });
    e.preventDefault();
    bar.focus({ preventScroll: true });
  }

  // The sizes as text of the address, "c40t300", and back. What is no size is left out.
  text() { return Object.entries(this.sizes).map(([k, v]) => k + v).join(''); }

  restore(text) {
    this.sizes = {};
    for (const [, key, size] of (text ?? '').matchAll(/([a-z])(\d{1,4})(?!\d)/g)) {
      if (this.parts[key]) this.sizes[key] = Math.max(kinds[key].least, Math.min(kinds[key].most, Number(size)));
    }
    for (const key of Object.keys(this.parts)) {
      this.apply(key);
      this.tell(key);
    }
  }
}
