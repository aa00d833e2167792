// The worker of the page in node: accept.cjs FOLDER reads requests, one a line, and writes their replies, one a line, in any order.
// Lines {"measure": …} come between: the time to be ready, the memory.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const readline = require('node:readline');

const folder = process.argv[2];
const began = performance.now();
const out = (v) => process.stdout.write(`${typeof v === 'string' ? v : JSON.stringify(v)}\n`);

// What a worker of a browser has, and node calls otherwise.
globalThis.self = globalThis;
globalThis.importScripts = (...names) => {
  for (const name of names) vm.runInThisContext(fs.readFileSync(path.join(folder, name), 'utf8'), { filename: name });
};
globalThis.fetch = async (name) => ({ ok: true, arrayBuffer: async () => fs.readFileSync(path.join(folder, name)) });
let memory;
for (const name of ['instantiate', 'instantiateStreaming']) {
  const real = WebAssembly[name];
  WebAssembly[name] = async (...args) => {
    const result = await real(...args);
    memory = result.instance?.exports.mem ?? memory;
    return result;
  };
}
globalThis.postMessage = (text) => {
  const reply = JSON.parse(text);
  if (reply.ready) out({ measure: 'ready', ms: performance.now() - began });
  else out(text);
};
vm.runInThisContext(fs.readFileSync(path.join(folder, 'worker.js'), 'utf8'), { filename: 'worker.js' });

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'memory') out({ measure: 'memory', bytes: memory?.buffer.byteLength ?? 0 });
  else globalThis.onmessage({ data: line });
}).on('close', () => process.exit(0));
