/** Parses YAML 1.1 as upstream's library does. */
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
import { parseJson } from './parse-json.ts';
import { scanJson } from './scan-json.ts';
import { cachedYaml, type YamlAsJson } from './yaml-cache.ts';
import { isTooDeep, MAX_YAML_DEPTH } from './yaml-depth.ts';
import { yamlError } from './yaml-error.ts';
import { resolvePlainScalar, resolveTaggedScalar, type YamlScalar } from './yaml-scalar.ts';

export interface ParsedYaml {
  readonly value: unknown;
  /** Upstream's error for duplicate keys: `yaml: unmarshal errors:\n line 3: key "x" already set in map`. */
  readonly duplicateKeys: string | undefined;
}

/** Aliases can expand a small document to a huge value. Upstream refuses at about this size. */
const MAX_NODES_WITH_ALIASES = 400_000;

/** The first document of a YAML text as a JSON value. Throws a StatusError. */
export function parseYaml(text: string): ParsedYaml {
  const cached = cachedYaml(text);
  if (cached && 'refusal' in cached) throw badRequest(cached.refusal);
  if (cached) return { value: parseJson(cached.json).value, duplicateKeys: cached.duplicateKeys };
  // Most bodies sent as YAML are JSON, which parses a hundred times faster.
  const json = text.startsWith('{') ? tryParseJson(text) : undefined;
  if (json !== undefined) return { value: json, duplicateKeys: undefined };
  if (isTooDeep(text)) throw badRequest(`yaml: exceeded max depth of ${MAX_YAML_DEPTH}`);
  return convertFirstDocument(text);
}

/** Whether `parseYaml` takes the fast path of JSON. */
export const readsAsJson = (text: string): boolean => text.startsWith('{') && tryParseJson(text) !== undefined;

/** Only JSON that means the same in YAML 1.1: plain numbers and no duplicate keys. */
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

/** The first document as JSON text. */
export function yamlToJson(text: string): YamlAsJson {
  const cached = cachedYaml(text);
  if (cached && 'json' in cached) return cached;
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

  /** A key as JSON text, and as Go prints a value of the key's type. */
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

/**
 * The target of each alias: the last node before it with its anchor. The library would walk the document once per
 * alias.
 */
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

/** Numbers that JSON can hold: infinities are refused, integers beyond int64 become doubles. */
function finite(value: YamlScalar): YamlScalar {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : Number(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw badRequest(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value < 0 ? '-Inf' : '+Inf'}`);
}
