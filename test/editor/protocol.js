// Compares messages of a debug adapter with the protocol's own definition, the types of @vscode/debugprotocol.
'use strict';
const path = require('node:path');
const Ajv = require('ajv');
const { createGenerator } = require('ts-json-schema-generator');

// checker returns a function that throws an error for a message that the protocol does not allow. Its member kinds counts the
// kinds of messages that it has seen.
function checker() {
  const file = path.join(path.dirname(require.resolve('@vscode/debugprotocol/package.json')), 'lib/debugProtocol.d.ts');
  const schema = createGenerator({ path: file, type: '*', skipTypeCheck: true, additionalProperties: true }).createSchema('*');
  const ajv = new Ajv({ strict: false, allowUnionTypes: true });
  ajv.addSchema(schema, 'protocol');
  const known = Object.keys(schema.definitions);
  const check = (m) => {
    const name = m.type === 'event' ? m.event + 'Event' : m.success ? m.command + 'Response' : 'ErrorResponse';
    const type = known.find((k) => k.toLowerCase() === ('DebugProtocol.' + name).toLowerCase());
    if (!type) {
      if (name.startsWith('crosslane/')) return;
      throw new Error(`the protocol has no ${name}`);
    }
    check.kinds[type] = (check.kinds[type] || 0) + 1;
    const valid = ajv.getSchema('protocol#/definitions/' + encodeURIComponent(type));
    if (!valid(m)) throw new Error(`${type}: ${ajv.errorsText(valid.errors)}\n${JSON.stringify(m)}`);
  };
  check.kinds = {};
  return check;
}

module.exports = { checker };
