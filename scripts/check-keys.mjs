// Checks that no text from outside is looked up in a plain object. Every object has `constructor`, `toString` and
// `__proto__` without being given them: a request for `pods/NAME/constructor` would find a subresource.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';

const root = path.join(import.meta.dirname, '..');

/** Maps of API objects and of tables, whose keys clients choose. */
const MAPS_OF_CLIENTS = new Set([
  ...[
    'labels',
    'annotations',
    'nodeSelector',
    'matchLabels',
    'data',
    'binaryData',
    'stringData',
    'limits',
    'requests',
    'hard',
    'used',
  ],
  ...['disruptedPods', 'extra', 'properties', 'subresources', 'selectableFields', 'handlers'],
]);

/** Of these, those that variables are named after. */
const VARIABLES_OF_CLIENTS = new Set(['labels', 'annotations', 'nodeSelector', 'limits', 'requests']);

/** Places that may, and why. @type {Record<string, string>} */
export const EXCEPTIONS = {
  'src/kernel/metrics-registry.ts: labels?.[label]': 'the labels of our metrics are ours',
  "src/apiserver/transport/connections.ts: UNREADABLE[code ?? '']": "the codes are those of Node's parser",
};

const INSTEAD = 'use a Map, or ownValue of base/index.ts';

/** @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node */

/**
 * The findings in one file, as `CODE: why`.
 * @param {string} file
 * @param {string} text
 * @returns {{ line: number, code: string, why: string }[]}
 */
export function checkText(file, text) {
  const program = /** @type {Node} */ (/** @type {unknown} */ (parseSync(file, text).program));
  const tables = tablesOf(program, text);
  /** @type {Set<Node>} */
  const written = new Set();
  /** What is given a value if it has none: our own keys, unless it is a table. @type {Set<Node>} */
  const filled = new Set();
  /** @type {Node[]} */
  const reads = [];
  /** @type {{ line: number, code: string, why: string }[]} */
  const findings = [];
  /** @type {(node: Node, why: string) => void} */
  const report = (node, why) =>
    void findings.push({
      line: text.slice(0, node.start).split('\n').length,
      code: text.slice(node.start, node.end),
      why,
    });
  new Visitor({
    AssignmentExpression: (/** @type {any} */ node) => {
      if (node.operator === '=') written.add(node.left);
      else if (node.operator === '??=') filled.add(node.left);
    },
    UnaryExpression: (/** @type {any} */ node) => {
      if (node.operator === 'delete') written.add(node.argument);
    },
    MemberExpression: (/** @type {any} */ node) => void reads.push(node),
    BinaryExpression: (/** @type {any} */ node) => {
      if (node.operator === 'in' && node.left.type !== 'Literal' && node.left.type !== 'PrivateIdentifier') {
        report(node, `\`in\` finds what every object inherits: use Object.hasOwn, or a Map`);
      }
    },
  }).visit(/** @type {any} */ (program));
  for (const node of reads) {
    if (!node['computed'] || written.has(node) || isConstant(node['property'])) continue;
    const from = inner(node['object']);
    if (from.type === 'Identifier' && tables.has(from['name'])) report(node, `a table with texts as keys: ${INSTEAD}`);
    else if (filled.has(node)) continue;
    else if (from.type === 'Identifier' && VARIABLES_OF_CLIENTS.has(from['name']))
      report(node, `clients choose the keys of ${from['name']}: ${INSTEAD}`);
    else if (from.type === 'ObjectExpression') report(node, `a table in a literal: ${INSTEAD}`);
    else if (from.type === 'MemberExpression' && !from['computed'] && MAPS_OF_CLIENTS.has(from['property'].name))
      report(node, `clients choose the keys of ${from['property'].name}: ${INSTEAD}`);
  }
  return findings;
}

/** Constants of a module whose declared type has any text as a key. @param {Node} program @param {string} text @returns {Set<string>} */
function tablesOf(program, text) {
  const names = new Set();
  for (const statement of program['body']) {
    const declaration =
      statement.type === 'ExportNamedDeclaration' && statement.declaration ? statement.declaration : statement;
    if (declaration.type !== 'VariableDeclaration') continue;
    for (const { id } of declaration.declarations) {
      const type = id.typeAnnotation && text.slice(id.typeAnnotation.start, id.typeAnnotation.end);
      if (type && /^:\s*(?:Readonly<|Partial<)*(?:Record<string,|\{\s*(?:readonly )?\[\w+: string\])/.test(type))
        names.add(id.name);
    }
  }
  return names;
}

/** @param {Node} node @returns {Node} */
function inner(node) {
  return ['TSNonNullExpression', 'ChainExpression', 'ParenthesizedExpression', 'TSAsExpression'].includes(node.type)
    ? inner(node['expression'])
    : node;
}

/** A key that is written in the source. @param {Node} key */
const isConstant = (key) =>
  key.type === 'Literal' || (key.type === 'Identifier' && /^[A-Z][A-Z0-9_]+$/.test(key['name']));

/** The findings in every TypeScript file below a folder. @param {string} folder */
export function checkKeys(folder) {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|testing/.test(file))
    .sort();
  const exceptions = new Set(Object.keys(EXCEPTIONS));
  const findings = files.flatMap((file) => {
    const name = path.relative(root, path.join(folder, file)).replaceAll(path.sep, '/');
    return checkText(file, fs.readFileSync(path.join(folder, file), 'utf8'))
      .filter(({ code }) => !exceptions.delete(`${name}: ${code}`))
      .map(({ line, code, why }) => `${name}:${line}: ${code}: ${why}`);
  });
  for (const exception of exceptions)
    findings.push(`scripts/check-keys.mjs: EXCEPTIONS lists what is not there: ${exception}`);
  return findings;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const findings = checkKeys(path.join(root, 'src'));
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) {
    console.error(`${findings.length} lookups of texts from outside in plain objects`);
    process.exitCode = 1;
  }
}
