// The back end of the page in a worker: WebAssembly modules that answer the requests. A message is a request, and the reply is a
// message, both JSON text. On a slow line the small module, which explains instructions, is there before the whole one; on a fast one it is
// left out, as the processor then takes longer than the line.
'use strict';

// A page that is one file gives the modules as base64 in crosslaneModules, and the other scripts come before this one.
if (typeof Go === 'undefined') importScripts('wasm_exec.js', 'functions.js');

async function packed(name) {
  const text = self.crosslaneModules?.[name];
  if (text) return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  if (self.crosslaneModules) throw new Error(`${name} is not in this file`);
  const reply = await fetch(`${name}.wasm.gz`);
  if (!reply.ok) throw new Error(`${name}.wasm.gz: the server answers ${reply.status}`);
  return new Uint8Array(await reply.arrayBuffer());
}

// start loads a module, from the bytes that packed gives, and returns its function crosslane(text, reply). It is compiled while it is inflated.
async function start(name, packing) {
  const bytes = await packing, go = new Go();
  let stream = new Blob([bytes]).stream();
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) stream = stream.pipeThrough(new DecompressionStream('gzip')); // some servers let the browser inflate it
  const { module, instance } = await WebAssembly.instantiateStreaming(new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }), go.importObject);
  fillFunctions(module, instance.exports.mem);
  return new Promise((resolve, reject) => {
    self.crosslaneReady = () => resolve(self.crosslane);
    go.run(instance).then(() => reject(new Error(`${name} has ended`)), reject);
  });
}

const early = []; // requests that wait for the whole module
let small, whole, failed;
let busy = 0;

function ask(module, text) {
  busy++;
  module(text, (reply) => {
    busy--;
    postMessage(reply);
  });
}

function fail(text) {
  let id;
  try {
    id = JSON.parse(text).id;
  } catch { /* it gets a reply without one */ }
  postMessage(JSON.stringify({ id, ok: false, error: { message: failed, findings: [] }, ms: 0 }));
}

const explains = (text) => /"op"\s*:\s*"explain"/.test(text.slice(0, 200));

self.onmessage = ({ data }) => {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  if (whole) ask(whole, text);
  else if (small && explains(text)) ask(small, text);
  else if (failed) fail(text);
  else early.push(text);
};

function flush(module, some) {
  for (const text of early.splice(0)) {
    if (some(text)) ask(module, text);
    else early.push(text);
  }
}

// warm runs each path once while nothing is asked: the first call compiles it.
const first = ['shfl.sync.down.b32 %r1, %r0, 1, 31, -1;', 'v_add_f32 v1, v0, v0 row_shr:1'];
function warm() {
  if (!first.length) return;
  if (!busy) whole(JSON.stringify({ op: 'explain', params: { text: first.shift() } }), () => {});
  setTimeout(warm, 200);
}

(async () => {
  const packing = packed('crosslane'); // it comes while the small one begins
  packing.catch(() => {});
  try {
    const bytes = await packed('explain'), fast = await Promise.race([packing, new Promise((r) => { setTimeout(r, 200); })]);
    if (!fast) {
      small = await start('explain', bytes);
      flush(small, explains);
    }
  } catch { /* the whole module explains, too */ }
  try {
    whole = await start('crosslane', packing);
    small = undefined;
    flush(whole, () => true);
    postMessage(JSON.stringify({ ready: true }));
    setTimeout(warm, 500);
  } catch (e) {
    failed = `the WebAssembly module cannot be loaded: ${e.message}`;
    for (const text of early.splice(0)) fail(text);
  }
})();
