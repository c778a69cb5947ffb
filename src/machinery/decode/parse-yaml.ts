import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml';
import { append, quote, setOwn, stringifyJson } from '../../base/index.ts';
import { badRequest } from '../errors/index.ts';
import { countKeys } from './count-keys.ts';
import { knownYaml, type YamlAsJson } from './known-yaml.ts';
import { parseJson } from './parse-json.ts';
import { scanJson } from './scan-json.ts';
import { isTooDeep, MAX_YAML_DEPTH } from './yaml-depth.ts';
import { yamlError } from './yaml-error.ts';
import { resolvePlainScalar, resolveTaggedScalar, type YamlScalar } from './yaml-scalar.ts';

export interface ParsedYaml {
  readonly value: unknown;
  /** Upstream's one error for all keys that are given more than once: `yaml: unmarshal errors:\n  line 3: key "x" already set in map`. */
  readonly duplicateKeys: string | undefined;
}

/** Aliases can make a small document a huge value; upstream refuses at about this size. */
const MAX_NODES_WITH_ALIASES = 400_000;

/** The first document of a YAML text as a JSON value. Throws a StatusError in upstream's words. */
export function parseYaml(text: string): ParsedYaml {
  const known = knownYaml(text);
  if (known && 'refusal' in known) throw badRequest(known.refusal);
  if (known) return { value: parseJson(known.json).value, duplicateKeys: known.duplicateKeys };
  // Most YAML that is sent is JSON, which is a hundred times faster to read.
  const json = text.startsWith('{') ? tryParseJson(text) : undefined;
  if (json !== undefined) return { value: json, duplicateKeys: undefined };
  if (isTooDeep(text)) throw badRequest(`yaml: exceeded max depth of ${MAX_YAML_DEPTH}`);
  return convertFirstDocument(text);
}

/** Whether the text is read as JSON, which is a hundred times faster. */
export const readsAsJson = (text: string): boolean => text.startsWith('{') && tryParseJson(text) !== undefined;

/** Only JSON that reads the same in YAML 1.1: plain numbers, and no key twice. */
function tryParseJson(text: string): unknown {
  const scan = scanJson(Buffer.from(text));
  if (scan.unusual) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return countKeys(value) === scan.keys ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The same as JSON text, on which the decoding goes on. */
export function yamlToJson(text: string): YamlAsJson {
  const known = knownYaml(text);
  if (known && 'json' in known) return known;
  const { value, duplicateKeys } = parseYaml(text);
  return { json: stringifyJson(value), duplicateKeys };
}

function convertFirstDocument(text: string): ParsedYaml {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    schema: 'failsafe',
    version: '1.1',
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'silent',
  });
  const [document] = documents as Document.Parsed[];
  if (!document) return { value: null, duplicateKeys: undefined };
  if (document.errors.length > 0) throw yamlError(document.errors, lines, text);
  const converter = new YamlConverter(document, lines);
  const value = converter.convert(document.contents);
  const { duplicates } = converter;
  return {
    value,
    duplicateKeys: duplicates.length === 0 ? undefined : `yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`,
  };
}

class YamlConverter {
  readonly duplicates: string[] = [];
  #nodes = 0;
  #aliased = false;
  readonly #expanding = new Set<unknown>();
  readonly #targets: ReadonlyMap<Node, Node>;

  readonly #lines: LineCounter;

  constructor(document: Document.Parsed, lines: LineCounter) {
    this.#lines = lines;
    this.#targets = aliasTargets(document.contents);
  }

  convert(node: Node | null | undefined): unknown {
    this.#nodes++;
    if (this.#aliased && this.#nodes > MAX_NODES_WITH_ALIASES)
      throw badRequest('yaml: document contains excessive aliasing');
    if (!node) return null;
    if (isAlias(node)) return this.#alias(node);
    if (isScalar(node)) return finite(scalarValue(node));
    if (isSeq(node)) return node.items.map((item) => this.convert(item as Node));
    return isMap(node) ? this.#map(node) : null;
  }

  #alias(node: Node & { source: string }): unknown {
    const target = this.#targets.get(node);
    if (!target) throw badRequest(`yaml: unknown anchor '${node.source}' referenced`);
    if (this.#expanding.has(target)) throw badRequest(`yaml: anchor '${node.source}' value contains itself`);
    this.#aliased = true;
    this.#expanding.add(target);
    const value = this.convert(target);
    this.#expanding.delete(target);
    return value;
  }

  #map(node: YAMLMap): Record<string, unknown> {
    const own: Record<string, unknown> = {};
    const merged: Record<string, unknown>[] = [];
    for (const pair of node.items) {
      if (!isPair(pair)) continue;
      const valueNode = pair.value as Node | null;
      if (isMergeKey(pair.key)) {
        append(merged, this.#mergeSources(valueNode));
        continue;
      }
      const key = this.#key(pair.key as Node | null);
      const value = this.convert(valueNode);
      if (Object.hasOwn(own, key.text))
        this.duplicates.push(
          `line ${this.#lineOf(valueNode ?? (pair.key as Node))}: key ${key.shown} already set in map`,
        );
      setOwn(own, key.text, value);
    }
    for (const source of merged) {
      for (const [key, value] of Object.entries(source)) if (!Object.hasOwn(own, key)) setOwn(own, key, value);
    }
    return own;
  }

  #mergeSources(node: Node | null): Record<string, unknown>[] {
    const value = this.convert(node);
    const sources: unknown[] = Array.isArray(value) ? value : [value];
    return sources.map((source) => {
      if (typeof source !== 'object' || source === null || Array.isArray(source))
        throw badRequest('yaml: map merge requires map or sequence of maps as the value');
      return source as Record<string, unknown>;
    });
  }

  /** JSON keys are texts; shown as Go shows a value of the key's own type. */
  #key(node: Node | null): { text: string; shown: string } {
    const value = this.convert(node);
    if (typeof value === 'string') return { text: value, shown: quote(value) };
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
      return { text: String(value), shown: String(value) };
    throw badRequest(`yaml: invalid map key: ${stringifyJson(value)}`);
  }

  #lineOf(node: Node): number {
    return this.#lines.linePos(node.range?.[0] ?? 0).line;
  }
}

/** What each alias stands for: the last node before it that has its anchor. The library would walk the document for each of them. */
function aliasTargets(root: Node | null): Map<Node, Node> {
  const targets = new Map<Node, Node>();
  const anchors = new Map<string, Node>();
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target) targets.set(node, target);
      continue;
    }
    if (isPair(node)) {
      pending.push(node.value, node.key);
      continue;
    }
    if (!isCollection(node) && !isScalar(node)) continue;
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isCollection(node)) for (let i = node.items.length - 1; i >= 0; i--) pending.push(node.items[i]);
  }
  return targets;
}

const isMergeKey = (key: unknown): boolean => isScalar(key) && key.type === 'PLAIN' && key.source === '<<';

function scalarValue(node: { type?: string; tag?: string; source?: string; value: unknown }): YamlScalar {
  const text = node.source ?? String(node.value ?? '');
  if (node.tag !== undefined && node.tag !== 'tag:yaml.org,2002:str' && node.tag !== '!')
    return resolveTaggedScalar(node.tag, text);
  return node.type === 'PLAIN' && node.tag === undefined ? resolvePlainScalar(text) : text;
}

/** What JSON can hold of a number: none that is infinite, and integers of 64 bits with a sign; larger ones are doubles. */
function finite(value: YamlScalar): YamlScalar {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : Number(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw badRequest(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value < 0 ? '-Inf' : '+Inf'}`);
}
