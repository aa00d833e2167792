// The lines of CUDA, HIP or Python that instructions were compiled from, beside the program.

const $ = (id) => document.getElementById(id);

// The texts of the files that the program was compiled from: those that were opened, and those that nvcc --source-in-ptx and
// clang write into comments, "//k.cu:12 int i = threadIdx.x;".
export function sourceFiles(app) {
  app.sources = [...opened.values()];
  $('source').hidden = true;
  const found = new Map();
  for (const [, file, line, text] of (app.program.text ?? '').matchAll(/^[ \t]*\/\/ ?([^\s:]+\.\w+):(\d+)[ \t](.*)$/gm)) {
    if (Number(line) > 100000) continue;
    if (!found.has(file)) found.set(file, []);
    found.get(file)[Number(line) - 1] = text;
  }
  for (const [name, lines] of found) app.sources.push({ name, lines: Array.from(lines, (l) => l ?? '') });
}

export const opened = new Map();
export const base = (name) => name.replace(/^.*\//, '');

export function showSource(app, s) {
  const at = s?.source?.find((x) => app.sources.some((f) => base(f.name) === base(x.file))) ?? null;
  const named = s?.source?.[0];
  if (!named && !app.sources.length) {
    $('source').hidden = true;
    return;
  }
  $('source').hidden = false;
  const file = at ? app.sources.find((f) => base(f.name) === base(at.file)) : app.sources[0];
  const tabs = (s?.source ?? []).map((x) => `${base(x.file)}:${x.line}`);
  $('source-files').textContent = tabs.length ? `from ${tabs.join(', called at ')}` : file?.name ?? '';
  const box = $('source-text');
  box.hidden = !file;
  if (!file) return;
  if (box.dataset.file !== file.name) {
    box.dataset.file = file.name;
    const lines = Array.isArray(file.lines) ? file.lines : file.lines.split('\n');
    box.replaceChildren(...lines.map((l, i) => {
      const d = document.createElement('div');
      d.dataset.n = i + 1;
      d.textContent = l || ' ';
      return d;
    }));
  }
  box.querySelector('.now')?.classList.remove('now');
  const line = at && box.children[at.line - 1];
  if (line) {
    line.classList.add('now');
    box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 3;
  }
}
