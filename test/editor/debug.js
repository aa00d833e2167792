// The client that tests debug adapters of VS Code, against crosslane dap.
//
//   node debug.js CROSSLANE
'use strict';
const assert = require('node:assert');
const path = require('node:path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const file = path.resolve(__dirname, '../../examples/ptx/mistakes.ptx');
const input = Array.from({ length: 32 }, (_, i) => i % 7 + 1).join(',');
const args = ['--kernel', 'partial_reduce', '--grid', '1', '--block', '32',
  '--arg', `in:s32[32]=${input}`, '--arg', 'out:s32[1]', '--arg', '20'];

async function main() {
  const dc = new DebugClient(process.argv[2], 'dap', 'crosslane', { stdio: 'pipe' });
  await dc.start();
  // moves sends a request that moves the session, and returns the stop and the top frame.
  const moves = async (send) => {
    const stopped = dc.waitForEvent('stopped', 10000);
    await send();
    const { body } = await stopped;
    const { body: { stackFrames } } = await dc.stackTraceRequest({ threadId: body.threadId });
    return { ...body, frame: stackFrames[0] };
  };
  const registers = async (frameId) => {
    const { body: { scopes } } = await dc.scopesRequest({ frameId });
    const { body: { variables } } = await dc.variablesRequest({ variablesReference: scopes[0].variablesReference });
    return Object.fromEntries(variables.map((v) => [v.name, v.value]));
  };

  const { body: can } = await dc.initializeRequest();
  assert(can.supportsStepBack && can.supportsDataBreakpoints && can.supportsConditionalBreakpoints);
  const initialized = dc.waitForEvent('initialized', 10000);
  await dc.launchRequest({ program: file, args });
  await initialized;
  const { body: { breakpoints } } = await dc.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line: 32 }, { line: 36 }] });
  assert.deepStrictEqual(breakpoints.map((b) => [b.line, b.verified]), [[33, true], [36, true]]); // line 32 has no instruction
  await dc.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line: 36 }] });

  let at = await moves(() => dc.configurationDoneRequest());
  assert.strictEqual(at.reason, 'entry');
  at = await moves(() => dc.continueRequest({ threadId: 1 }));
  assert.strictEqual(at.reason, 'breakpoint');
  assert.strictEqual(at.frame.line, 36);
  assert.match(at.frame.name, /^lanes 0-19:/); // 20 of 32 lanes
  at = await moves(() => dc.nextRequest({ threadId: 1 }));
  // Lane i reads lane i+16: 4 lanes find one, 12 are undefined, the last 4 keep their own value.
  assert.match((await registers(at.frame.id))['%r6'], /^3\.\.6 5\? 6\? 7\? 1\? 2\? 3\? 4\? 5\? 6\? 7\? 1\? 2\? 3\.\.6 /);
  at = await moves(() => dc.stepBackRequest({ threadId: 1 }));
  assert.strictEqual(at.frame.line, 36);
  assert.strictEqual((await registers(at.frame.id))['%r6'], undefined);

  await dc.setBreakpointsRequest({ source: { path: file }, breakpoints: [] });
  await dc.setDataBreakpointsRequest({ breakpoints: [{ dataId: '%r13[0]' }] });
  at = await moves(() => dc.continueRequest({ threadId: 1 }));
  assert.deepStrictEqual([at.reason, at.frame.line], ['data breakpoint', 43]);
  await dc.setDataBreakpointsRequest({ breakpoints: [] });
  await dc.setExceptionBreakpointsRequest({ filters: ['undefined-source'] });
  at = await moves(() => dc.reverseContinueRequest({ threadId: 1 }));
  assert.strictEqual(at.reason, 'exception');
  const { body: finding } = await dc.exceptionInfoRequest({ threadId: 1 });
  assert.strictEqual(finding.exceptionId, 'undefined-source');

  const before = JSON.stringify([at.frame, await registers(at.frame.id)]);
  for (let i = 0; i < 5; i++) at = await moves(() => dc.nextRequest({ threadId: 1 }));
  for (let i = 0; i < 5; i++) at = await moves(() => dc.stepBackRequest({ threadId: 1 }));
  assert.strictEqual(JSON.stringify([at.frame, await registers(at.frame.id)]), before);
  const { body: value } = await dc.evaluateRequest({ expression: 'sum(%r5)', context: 'watch' });
  assert.strictEqual(value.result, '77');
  await dc.stop();
  console.log('crosslane dap: right');
}

main().catch((e) => { console.error(e); process.exit(1); });
