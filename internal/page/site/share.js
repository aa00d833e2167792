// The state of the page in the fragment of its address, which no browser sends to a server.

async function squeeze(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

const toText = (bytes) => {
  let s = '';
  for (let i = 0; i < bytes.length; i += 8192) s += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(s).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
};

const fromText = (s) => Uint8Array.from(atob(s.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));

const limit = 8 << 20;

export async function pack(value) {
  return toText(await squeeze(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(value))));
}

// unpack refuses what inflates to more than 8 MiB.
export async function unpack(s) {
  const reader = new Blob([fromText(s)]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if ((size += value.length) > limit) {
      await reader.cancel();
      throw new Error('the program in the address is larger than 8 MiB');
    }
    parts.push(value);
  }
  return JSON.parse(await new Blob(parts).text());
}

// The members of a fragment "#v=1&c=…&s=14".
export function parse(fragment) {
  const out = {};
  for (const [k, v] of new URLSearchParams(fragment.replace(/^#/, ''))) out[k] = v;
  return out;
}

export function format(members) {
  const p = new URLSearchParams();
  for (const [k, v] of Object.entries(members)) if (v !== undefined && v !== null && v !== '') p.set(k, v);
  return `#${p}`;
}

// The words of a command line, as a POSIX shell splits them.
export function split(line) {
  const out = [];
  let word = null, quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quote) {
      if (c === quote) quote = '';
      else if (quote === '"' && c === '\\' && i + 1 < line.length && '"\\$`'.includes(line[i + 1])) word += line[++i];
      else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= '';
    } else if (c === '\\' && i + 1 < line.length) {
      word = (word ?? '') + line[++i];
    } else if (/\s/.test(c)) {
      if (word !== null) out.push(word);
      word = null;
    } else {
      word = (word ?? '') + c;
    }
  }
  if (word !== null) out.push(word);
  return out;
}

// quote makes a word safe for a shell; brackets too if all is set, which bash leaves alone and zsh does not.
export const quote = (word, all) => (/^[\w@%+=:,./[\]-]+$/.test(word) && !(all && /[[\]]/.test(word)) ? word : `'${word.replace(/'/g, "'\\''")}'`);
