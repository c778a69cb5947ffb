// Every regular expression of a source file, from its syntax tree: literals, and those that `new RegExp` builds from constants.
import fs from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';

/**
 * @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node
 * @typedef {{ file: string, line: number, pattern: string, flags: string }} FoundRegexp
 * @typedef {{ file: string, line: number, text: string }} UnknownRegexp an expression that is made of more than constants
 * @typedef {Map<string, Node>} Parameters the arguments that the parameters of the function around stand for
 */

/** A module's top level: its constants and functions by name, and where its imports come from. */
class Module {
  /** @type {Map<string, Node>} */
  constants = new Map();
  /** @type {Map<string, { from: string, name: string }>} */
  imports = new Map();

  /** @param {string} file @param {string} text */
  constructor(file, text) {
    this.file = file;
    this.text = text;
    this.program = /** @type {Node} */ (/** @type {unknown} */ (parseSync(file, text).program));
    for (const statement of this.program.body)
      this.#declare(
        statement.type === 'ExportNamedDeclaration' && statement.declaration ? statement.declaration : statement,
      );
  }

  /** @param {Node} statement */
  #declare(statement) {
    if (statement.type === 'VariableDeclaration' && statement.kind === 'const') {
      for (const { id, init } of statement.declarations)
        if (id.type === 'Identifier' && init) this.constants.set(id.name, init);
    } else if (statement.type === 'FunctionDeclaration' && statement.id) {
      this.constants.set(statement.id.name, statement);
    } else if (statement.type === 'ImportDeclaration' && statement.source.value.startsWith('.')) {
      const from = path.join(path.dirname(this.file), statement.source.value);
      for (const { type, imported, local } of statement.specifiers)
        if (type === 'ImportSpecifier') this.imports.set(local.name, { from, name: imported.name });
    }
  }

  /** @param {Node} node */
  lineOf(node) {
    return this.text.slice(0, node.start).split('\n').length;
  }
}

/** @type {Map<string, Module | undefined>} */
const modules = new Map();

/** @param {string} file */
function loadModule(file) {
  if (!modules.has(file))
    modules.set(file, fs.existsSync(file) ? new Module(file, fs.readFileSync(file, 'utf8')) : undefined);
  return modules.get(file);
}

/**
 * @param {string} file
 * @param {string} [text] instead of what the file holds
 * @returns {{ found: FoundRegexp[], unknown: UnknownRegexp[] }}
 */
export function collectRegexps(file, text) {
  const source = text ?? fs.readFileSync(file, 'utf8');
  /** @type {{ found: FoundRegexp[], unknown: UnknownRegexp[] }} */
  const result = { found: [], unknown: [] };
  const module = new Module(file, source);
  /** @type {Node[]} */
  const functions = [];
  const enter = (/** @type {any} */ node) => void functions.push(node);
  const leave = () => void functions.pop();
  const call = (/** @type {any} */ node) => {
    if (!isRegexpCall(node)) return;
    const built = buildings(module, node, functions.at(-1));
    for (const one of built ?? []) result.found.push({ file, line: module.lineOf(node), ...one });
    if (!built) result.unknown.push({ file, line: module.lineOf(node), text: source.slice(node.start, node.end) });
  };
  const visitor = new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    NewExpression: call,
    CallExpression: call,
    Literal: (node) => {
      if ('regex' in node)
        result.found.push({ file, line: module.lineOf(node), pattern: node.regex.pattern, flags: node.regex.flags });
    },
  });
  visitor.visit(/** @type {any} */ (module.program));
  return result;
}

/** @param {Node} node */
const isRegexpCall = (node) =>
  (node.type === 'NewExpression' || node.type === 'CallExpression') && node.callee.name === 'RegExp';

/**
 * What a call of RegExp builds: one expression, or one for each call of the function of this module that it stands in.
 * @param {Module} module @param {Node} call @param {Node | undefined} around
 * @returns {{ pattern: string, flags: string }[] | undefined} undefined if it is made of more than constants
 */
function buildings(module, call, around) {
  const alone = building(module, call, new Map());
  if (alone) return [alone];
  const name = around && [...module.constants].find(([, value]) => value === around)?.[0];
  if (!around || !name || isExported(module, name)) return undefined;
  /** @type {({ pattern: string, flags: string } | undefined)[]} */
  const built = [];
  const visitor = new Visitor({
    CallExpression: (/** @type {any} */ node) => {
      if (node.callee.name !== name) return;
      const given = around.params.map((/** @type {Node} */ parameter, /** @type {number} */ i) => [
        parameter.name,
        node.arguments[i],
      ]);
      built.push(building(module, call, new Map(given)));
    },
  });
  visitor.visit(/** @type {any} */ (module.program));
  const known = built.filter((one) => one !== undefined);
  return built.length > 0 && known.length === built.length ? known : undefined;
}

/** @param {Module} module @param {string} name */
function isExported(module, name) {
  return module.program.body.some((/** @type {Node} */ statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return false;
    const declared = statement.declaration?.declarations?.map((/** @type {Node} */ one) => one.id.name) ?? [
      statement.declaration?.id?.name,
    ];
    return [...declared, ...statement.specifiers.map((/** @type {Node} */ one) => one.local.name)].includes(name);
  });
}

/** @param {Module} module @param {Node} call @param {Parameters} parameters */
function building(module, call, parameters) {
  const pattern = evaluate(module, call.arguments[0], parameters);
  const flags = call.arguments[1] ? evaluate(module, call.arguments[1], parameters) : '';
  return pattern === undefined || flags === undefined ? undefined : { pattern, flags };
}

/**
 * The text that an expression of constants stands for.
 * @param {Module} module @param {Node | undefined} node @param {Parameters} parameters
 * @returns {string | undefined}
 */
function evaluate(module, node, parameters) {
  switch (node?.type) {
    case 'Literal':
      if (node.regex) return node.regex.pattern;
      return typeof node.value === 'string' || typeof node.value === 'number' ? String(node.value) : undefined;
    case 'TemplateLiteral':
      return joined(
        node.quasis.map((/** @type {Node} */ quasi) => quasi.value.cooked),
        node.expressions,
      );
    case 'TaggedTemplateExpression':
      if (module.text.slice(node.tag.start, node.tag.end) !== 'String.raw') return undefined;
      return joined(
        node.quasi.quasis.map((/** @type {Node} */ quasi) => quasi.value.raw),
        node.quasi.expressions,
      );
    case 'BinaryExpression':
      return node.operator === '+' ? joined(['', '', ''], [node.left, node.right]) : undefined;
    case 'MemberExpression':
      return node.property.name === 'source' ? evaluate(module, node.object, parameters) : undefined;
    case 'Identifier':
      return named(node.name);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return evaluate(module, node.expression, parameters);
    case 'NewExpression':
      return isRegexpCall(node) ? evaluate(module, node.arguments[0], parameters) : undefined;
    default:
      return undefined;
  }

  /** @param {string} name @returns {string | undefined} */
  function named(name) {
    // An argument is an expression of the place where the function is called: no parameters there.
    if (parameters.has(name)) return evaluate(module, parameters.get(name), new Map());
    if (module.constants.has(name)) return evaluate(module, module.constants.get(name), new Map());
    const imported = module.imports.get(name);
    const other = imported && loadModule(imported.from);
    return other && evaluate(other, other.constants.get(imported.name), new Map());
  }

  /** @param {string[]} texts @param {Node[]} expressions @returns {string | undefined} */
  function joined(texts, expressions) {
    let text = texts[0] ?? '';
    for (const [i, expression] of expressions.entries()) {
      const value = evaluate(module, expression, parameters);
      if (value === undefined) return undefined;
      text += value + (texts[i + 1] ?? '');
    }
    return text;
  }
}
