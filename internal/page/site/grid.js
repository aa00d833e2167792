// A grid of lines by lanes: a canvas for the eye, and for the keyboard and for screen readers the focused line as elements.
import { head, size } from './lanes.js';

export class LaneGrid {
  // element gets the grid. source gives: count(), paint(ctx, row, y), rowLabel(row), cellLabel(row, lane),
  // press(row, lane, event), twice(row, lane), hover(row, lane, event) and leave(). A lane of -1 is the text of the line.
  constructor(element, name, source) {
    this.source = source;
    this.name = name;
    this.row = 0;
    this.lane = 0;
    element.classList.add('lanes');
    element.innerHTML = '<canvas class="head" aria-hidden="true"></canvas><div class="scroller"><div class="space" role="presentation">' +
      '<canvas class="body" aria-hidden="true"></canvas></div><div class="cells" role="grid"></div></div>';
    [this.headCanvas, this.scroller] = element.children;
    [this.space, this.grid] = this.scroller.children;
    this.canvas = this.space.firstChild;
    this.grid.setAttribute('aria-label', name);
    this.scroller.addEventListener('scroll', () => this.later());
    const on = (type, f) => this.scroller.addEventListener(type, f);
    on('click', (e) => this.hit(e, (r, l) => source.press(r, l, e)));
    on('dblclick', (e) => this.hit(e, (r, l) => source.twice?.(r, l)));
    on('pointermove', (e) => this.hit(e, (r, l) => source.hover?.(r, l, e)) || source.leave?.());
    on('pointerleave', () => source.leave?.());
    this.grid.addEventListener('focusin', () => source.focused?.());
    // Across, the lanes are moved: by a wheel, and by a finger.
    on('wheel', (e) => {
      const d = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX;
      if (d && source.across?.(d)) e.preventDefault();
    });
    let finger = null;
    on('pointerdown', (e) => { finger = e.pointerType === 'touch' ? e.clientX : null; });
    on('pointermove', (e) => {
      if (finger === null || e.pointerType !== 'touch') return;
      source.across?.(finger - e.clientX);
      finger = e.clientX;
    });
    for (const end of ['pointerup', 'pointercancel']) on(end, () => { finger = null; });
  }

  hit(e, then) {
    const box = this.canvas.getBoundingClientRect(), y = e.clientY - box.top + this.scroller.scrollTop;
    const row = Math.floor(y / this.axis.rowHeight);
    if (row < 0 || row >= this.source.count()) return false;
    then(row, this.axis.at(e.clientX - box.left));
    return true;
  }

  layout(axis, height) {
    this.axis = axis;
    const rows = this.source.count();
    const full = (rows + (this.source.extra?.() ? 1 : 0)) * axis.rowHeight;
    this.height = Math.max(axis.rowHeight, Math.min(full, height));
    this.scroller.style.height = `${this.height}px`;
    this.space.style.height = `${full}px`;
    this.grid.setAttribute('aria-rowcount', rows);
    this.grid.setAttribute('aria-colcount', axis.lanes + 1);
    this.elements = null;
    this.paint();
  }

  later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.paint();
    });
  }

  paint() {
    if (!this.axis || !this.scroller.isConnected) return;
    const { axis } = this, h = axis.rowHeight, rows = this.source.count();
    const hc = size(this.headCanvas, axis.width, 16);
    head(hc, axis, 9);
    const ctx = size(this.canvas, axis.width, this.height);
    const top = this.scroller.scrollTop, first = Math.floor(top / h), last = Math.min(rows, Math.ceil((top + this.height) / h));
    this.source.before?.(first, last);
    for (let r = first; r < last; r++) this.source.paint(ctx, r, r * h - top);
    this.source.after?.(ctx, first, last, top);
    this.describe();
  }

  // describe makes the elements of the focused line.
  describe() {
    const { axis, row, lane, source } = this;
    if (row >= source.count()) return;
    if (!this.elements) {
      this.grid.innerHTML = '';
      const line = document.createElement('div');
      line.setAttribute('role', 'row');
      const cell = (role, x, w) => {
        const d = document.createElement('div');
        d.setAttribute('role', role);
        d.tabIndex = -1;
        d.style.left = `${x}px`;
        d.style.width = `${w}px`;
        d.style.top = `${axis.head}px`;
        d.style.height = `${axis.cellHeight}px`;
        line.append(d);
        return d;
      };
      const title = cell('rowheader', 0, Math.max(1, axis.left - 2));
      title.style.top = '0';
      title.innerHTML = '<span class="hide"></span>';
      this.elements = [title];
      for (let l = 0; l < axis.lanes; l++) this.elements.push(cell('gridcell', axis.x(l), axis.cell));
      this.grid.append(line);
    }
    const line = this.grid.firstChild;
    line.style.top = `${row * axis.rowHeight}px`;
    line.style.height = `${axis.rowHeight}px`;
    line.setAttribute('aria-rowindex', row + 1);
    this.elements.forEach((d, i) => {
      d.setAttribute('aria-colindex', i + 1);
      if (i) d.style.left = `${axis.x(i - 1)}px`;
      if (i) d.setAttribute('aria-label', source.cellLabel(row, i - 1));
      else d.firstChild.textContent = source.rowLabel(row);
      d.tabIndex = i === lane + 1 ? 0 : -1;
      if (i) d.setAttribute('aria-selected', i === lane + 1);
    });
  }

  // show moves the focused cell, scrolls to it, and takes the focus along if the grid has it.
  show(row, lane, focus = this.grid.contains(document.activeElement)) {
    this.row = row;
    this.lane = lane;
    const h = this.axis.rowHeight, y = row * h, s = this.scroller;
    if (y < s.scrollTop) s.scrollTop = Math.max(0, y - 2 * h);
    else if (y + h > s.scrollTop + this.height) s.scrollTop = y + 3 * h - this.height;
    this.paint();
    if (focus) this.elements?.[lane + 1]?.focus({ preventScroll: true });
  }
}
