// What the packer of the modules leaves out, as it follows from the numbers of the functions. A classic script, for the worker.
'use strict';

// fillFunctions writes the number of each function into a module's memory, before the module starts: into the table of functions, into the
// record of the function, and into the sixteen buckets of 20 bytes that the index of addresses has for it, one for the last. The section has
// the addresses.
function fillFunctions(module, memory) {
  const view = new DataView(memory.buffer);
  for (const section of WebAssembly.Module.customSections(module, 'crosslane.functions')) {
    const [table, count, first, index] = new Uint32Array(section);
    for (let i = 0; i < count; i++) {
      view.setUint32(table + 8 * i, first + i, true);
      view.setUint32(table + view.getUint32(table + 8 * i + 4, true), first + i, true);
    }
    for (let b = 0; b <= 16 * (count - 1); b++) view.setUint32(index + 20 * b, b >> 4, true);
  }
}
