// The two back ends of the page behind one function: HTTP to `crosslane web`, or a worker with WebAssembly.

export class OperationError extends Error {
  constructor(error) {
    super(error?.message ?? 'the back end gave no reason');
    this.findings = error?.findings ?? [];
  }
}

let chosen, worker, next = 1, open = 0;
const waiting = new Map();

async function http(op, params, signal) {
  const reply = await fetch(`api/${op}`, {
    method: 'POST', signal, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(params ?? {}),
  });
  let body;
  try {
    body = await reply.json();
  } catch {
    throw new OperationError({ message: `${op}: the server answered ${reply.status} without JSON` });
  }
  return body;
}

function startWorker() {
  if (worker) return worker;
  worker = globalThis.crosslaneWorker?.() ?? new Worker('worker.js');
  worker.onmessage = ({ data }) => {
    const reply = typeof data === 'string' ? JSON.parse(data) : data;
    const w = waiting.get(reply.id);
    if (!w) return;
    waiting.delete(reply.id);
    w.resolve(reply);
  };
  worker.onerror = (e) => {
    for (const w of waiting.values()) w.reject(new OperationError({ message: `the worker failed: ${e.message || 'it did not load'}` }));
    waiting.clear();
  };
  return worker;
}

function post(op, params, signal) {
  const w = startWorker(), id = next++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    signal?.addEventListener('abort', () => {
      if (waiting.delete(id)) {
        w.postMessage(JSON.stringify({ id: next++, op: 'cancel', params: { id } }));
        reject(new DOMException('stopped', 'AbortError'));
      }
    });
    w.postMessage(JSON.stringify({ id, op, params: params ?? {} }));
  });
}

async function choose() {
  const wish = document.querySelector('meta[name=crosslane-backend]')?.content;
  if (wish === 'worker' || location.protocol === 'file:') return post;
  if (wish === 'http') return http;
  try {
    if ((await http('hello', {})).ok) return http;
  } catch { /* a server of plain files */ }
  return post;
}

// call does an operation and returns its data. It throws OperationError, or AbortError if the signal ends it.
export async function call(op, params, signal) {
  chosen ??= choose();
  const ask = await chosen;
  open++;
  let reply;
  try {
    reply = await ask(op, params, signal);
  } finally {
    open--;
  }
  if (!reply.ok) throw new OperationError(reply.error);
  return reply.data;
}

// pending is the number of operations that have no answer yet.
export const pending = () => open;

// kind is "http" or "worker".
export const kind = async () => ((await (chosen ??= choose())) === http ? 'http' : 'worker');
