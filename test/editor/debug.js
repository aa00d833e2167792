// The client that tests debug adapters of VS Code, against crosslane dap.
//
//   node debug.js CROSSLANE
'use strict';
const assert = require('node:assert');
const path = require('node:path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const { checker } = require('./protocol.js');

const file = path.resolve(__dirname, '../../examples/ptx/mistakes.ptx');
const input = Array.from({ length: 32 }, (_, i) => i % 7 + 1).join(',');
const args = ['--kernel', 'partial_reduce', '--grid', '1', '--block', '32',
  '--arg', `in:s32[32]=${input}`, '--arg', 'out:s32[1]', '--arg', '20'];

const check = checker();

// begin starts an adapter and launches a program. Every message has to be one that the protocol allows.
async function begin(program, args) {
  const dc = new DebugClient(process.argv[2], 'dap', 'crosslane', { stdio: 'pipe' });
  const dispatch = dc.dispatch;
  dc.wrong = [];
  dc.dispatch = (body) => {
    try { check(JSON.parse(body)); } catch (e) { dc.wrong.push(e.message); }
    dispatch.call(dc, body);
  };
  await dc.start();
  // moves sends a request that moves the session, and returns the stop and the frames.
  dc.moves = async (send) => {
    const stopped = dc.waitForEvent('stopped', 10000);
    await send();
    const { body } = await stopped;
    const { body: { stackFrames } } = await dc.stackTraceRequest({ threadId: body.threadId });
    return { ...body, frame: stackFrames[0], frames: stackFrames };
  };
  dc.registers = async (frameId) => {
    const { body: { scopes } } = await dc.scopesRequest({ frameId });
    const { body: { variables } } = await dc.variablesRequest({ variablesReference: scopes[0].variablesReference });
    return Object.fromEntries(variables.map((v) => [v.name, v.value]));
  };
  dc.can = (await dc.initializeRequest()).body;
  const initialized = dc.waitForEvent('initialized', 10000);
  await dc.launchRequest({ program, args });
  await initialized;
  return dc;
}

async function end(dc) {
  await dc.stop();
  assert.deepStrictEqual(dc.wrong, []);
}

const example = (name) => path.resolve(__dirname, '../../examples', name);

// Breakpoints, steps in both directions, watches and findings of a kernel whose lanes read absent lanes.
async function mistakes() {
  const dc = await begin(file, args);
  const { moves, registers, can } = dc;
  assert(can.supportsStepBack && can.supportsDataBreakpoints && can.supportsConditionalBreakpoints);
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

  // A condition that holds for one lane, and a message instead of a stop.
  await dc.setExceptionBreakpointsRequest({ filters: [] });
  await dc.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line: 37, condition: 'lane == 17' }, { line: 39, condition: 'lane == 25' }, { line: 41, logMessage: 'sum {sum(%r5)}' }] });
  await moves(() => dc.customRequest('crosslane/goto', { step: 0 }));
  const said = dc.waitForEvent('output', 10000);
  at = await moves(() => dc.continueRequest({ threadId: 1 }));
  assert.deepStrictEqual([at.reason, at.frame.line], ['breakpoint', 37]);
  at = await moves(() => dc.continueRequest({ threadId: 1 })); // lane 25 never comes to line 39
  assert.match((await said).body.output, /sum 77/);
  assert.strictEqual(at.reason, 'step');
  const { body: { data } } = await dc.customRequest('readMemory', { memoryReference: 'out', offset: 0, count: 4 });
  assert.strictEqual(Buffer.from(data, 'base64').readInt32LE(0), 126); // what crosslane run prints
  await end(dc);
}

// Lanes that wait for each other for ever are two frames with their lanes.
async function deadlock() {
  const program = example('bad/ptx/deadlock_ballot_in_both_branches.ptx');
  const dc = await begin(program, ['--grid', '1', '--block', '32', '--arg', 'in:s32[32]=iota', '--arg', 'out:u32[32]']);
  await dc.moves(() => dc.configurationDoneRequest());
  const at = await dc.moves(() => dc.continueRequest({ threadId: 1 }));
  const waiting = at.frames.filter((f) => /waiting for ever/.test(f.name)).map((f) => f.name.split(',')[0]);
  assert.deepStrictEqual(waiting.sort(), ['lanes 0-15', 'lanes 16-31']);
  await end(dc);
}

// 64 lanes, EXEC, and the instructions of a code object.
async function gcn3() {
  const program = example('gcn3/wave_scan.hsaco');
  const dc = await begin(program, ['--kernel', 'wave_scan', '--grid', '2', '--block', '100', '--arg', 'in:s32[200]=fill:1', '--arg', 'out:s32[200]', '--arg', 'totals:s32[4]']);
  let at = await dc.moves(() => dc.configurationDoneRequest());
  assert.match(at.frame.name, /^lanes 0-63:/);
  const { body: { threads } } = await dc.threadsRequest();
  assert.strictEqual(threads.length, 2);
  for (let i = 0; i < 3; i++) at = await dc.moves(() => dc.nextRequest({ threadId: 1 }));
  const { body: exec } = await dc.evaluateRequest({ expression: 'count(exec)', context: 'watch' });
  assert.strictEqual(exec.result, '64');
  const { body: second } = await dc.evaluateRequest({ expression: 'exec', context: 'watch', frameId: (await dc.stackTraceRequest({ threadId: 2 })).body.stackFrames[0].id });
  assert.match(second.result, /×36.*×28/); // 100 work-items: the second wave has 36
  const { body: { instructions } } = await dc.customRequest('disassemble', { memoryReference: at.frame.instructionPointerReference, instructionOffset: -1, instructionCount: 3 });
  assert.strictEqual(instructions[1].address, at.frame.instructionPointerReference);
  assert(at.frame.name.endsWith(instructions[1].instruction));
  await end(dc);
}

// Steps of a longer run, timed.
async function steps() {
  const dc = await begin(example('ptx/matmul.ptx'), ['--kernel', 'matmul', '--grid', '2,2', '--block', '16,16', '--arg', 'a:f32[32,32]=iota', '--arg', 'b:f32[32,32]=fill:1', '--arg', 'c:f32[32,32]', '--arg', '32', '--arg', '32', '--arg', '32']);
  let at = await dc.moves(() => dc.configurationDoneRequest());
  const look = async () => JSON.stringify([at.frames, await dc.registers(at.frame.id)]);
  const first = await look();
  const began = process.hrtime.bigint();
  for (let i = 0; i < 200; i++) at = await dc.moves(() => dc.stepInRequest({ threadId: 1 }));
  for (let i = 0; i < 200; i++) at = await dc.moves(() => dc.stepBackRequest({ threadId: 1 }));
  const ms = Number(process.hrtime.bigint() - began) / 1e6 / 400;
  assert.strictEqual(await look(), first);
  await end(dc);
  return ms;
}

async function main() {
  await mistakes();
  await deadlock();
  await gcn3();
  const ms = await steps();
  const kinds = Object.keys(check.kinds).length;
  console.log(`crosslane dap: right; ${kinds} kinds of messages are valid, ${ms.toFixed(2)} ms a step with its stack`);
}

main().catch((e) => { console.error(e); process.exit(1); });
