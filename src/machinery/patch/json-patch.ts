/**
 * JSON patch (RFC 6902) as Kubernetes applies it: `replace` and `test` treat a missing map key as null, an index may
 * count from the end, and every failure gets the same answer.
 */
import {
  cloneJson,
  deepEqual,
  getOwn,
  isRecord,
  runSteps,
  setOwn,
  type Steps,
  stringifyJson,
} from '../../base/index.ts';
import { failure, type StatusError } from '../errors/index.ts';
import type { JsonPatchOperation } from './decode-patch.ts';
import { withinDepth } from './within-depth.ts';

/** Limits the growth by a chain of `copy` operations. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

export function applyJsonPatch(target: unknown, operations: readonly JsonPatchOperation[]): unknown {
  return runSteps(jsonPatchSteps(target, operations));
}

/** Weights of operations that copy or compare a part of the document; others have weight 1. */
const WEIGHTS: ReadonlyMap<unknown, number> = new Map([
  ['copy', 80],
  ['test', 20],
]);

/** Applies one operation per step and yields its weight: ten thousand operations on a large document take long. */
export function* jsonPatchSteps(target: unknown, operations: readonly JsonPatchOperation[]): Steps<unknown> {
  const document = new PatchedDocument(target);
  for (const operation of operations) {
    withinDepth(() => applyOperation(document, operation));
    yield WEIGHTS.get(operation?.['op']) ?? 1;
  }
  return document.root;
}

/** Upstream's answer does not say what went wrong. */
export const patchDoesNotApply = (): StatusError =>
  failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

function applyOperation(document: PatchedDocument, operation: JsonPatchOperation): void {
  const path = pathMember(operation, 'path');
  switch (operation?.['op']) {
    case 'add':
      return document.add(path, operation['value'] ?? null);
    case 'remove':
      return document.remove(path);
    case 'replace':
      return document.replace(path, operation['value'] ?? null);
    case 'move': {
      const from = pathMember(operation, 'from');
      const value = document.get(from);
      document.remove(from);
      return document.add(path, value ?? null);
    }
    case 'copy':
      return document.add(path, document.copy(pathMember(operation, 'from')));
    case 'test':
      return document.test(path, operation['value'] ?? null);
    default:
      throw patchDoesNotApply();
  }
}

function pathMember(operation: JsonPatchOperation, name: 'path' | 'from'): string {
  const path = operation?.[name];
  if (typeof path !== 'string') throw patchDoesNotApply();
  return path;
}

type Container = Record<string, unknown> | unknown[];

/** The document while it is patched. Containers are copied before their first change, so the target stays unchanged. */
class PatchedDocument {
  readonly #own = new WeakSet<Container>();
  #copiedBytes = 0;

  constructor(public root: unknown) {}

  get(path: string): unknown {
    const { container, key } = this.#locate(path);
    return member(container, key);
  }

  add(path: string, value: unknown): void {
    const { container, key } = this.#locate(path, 'for writing');
    if (!Array.isArray(container)) setOwn(container, key, value);
    else if (key === '-') container.push(value);
    else container.splice(indexOf(key, container.length + 1), 0, value);
  }

  remove(path: string): void {
    const { container, key } = this.#locate(path, 'for writing');
    if (Array.isArray(container)) container.splice(indexOf(key, container.length), 1);
    else if (Object.hasOwn(container, key)) delete container[key];
    else throw patchDoesNotApply();
  }

  replace(path: string, value: unknown): void {
    if (path === '') {
      if (!isContainer(value)) throw patchDoesNotApply();
      this.root = value;
      return;
    }
    const { container, key } = this.#locate(path, 'for writing');
    if (Array.isArray(container)) container[indexOf(key, container.length)] = value;
    else setOwn(container, key, value);
  }

  test(path: string, value: unknown): void {
    const found = path === '' ? this.root : this.get(path);
    if (!deepEqual(found ?? null, value)) throw patchDoesNotApply();
  }

  copy(path: string): unknown {
    const text = stringifyJson(this.get(path) ?? null);
    this.#copiedBytes += text.length;
    if (this.#copiedBytes > MAX_COPIED_BYTES) throw patchDoesNotApply();
    const value = this.get(path) ?? null;
    return cloneJson(value);
  }

  /** The container of the last step of a JSON pointer. Text before the first slash is ignored. */
  #locate(path: string, purpose?: 'for writing'): { container: Container; key: string } {
    const steps = path.split('/');
    if (steps.length < 2) throw patchDoesNotApply();
    const keys = steps.slice(1).map((step) => step.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')));
    const last = keys.pop()!;
    if (!isContainer(this.root)) throw patchDoesNotApply();
    let container = this.root;
    if (purpose) this.root = container = this.#owned(container);
    for (const key of keys) {
      const next = member(container, key);
      if (!isContainer(next)) throw patchDoesNotApply();
      let inner = next;
      if (purpose) {
        inner = this.#owned(next);
        if (Array.isArray(container)) container[indexOf(key, container.length)] = inner;
        else setOwn(container, key, inner);
      }
      container = inner;
    }
    return { container, key: last };
  }

  #owned(container: Container): Container {
    if (this.#own.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.#own.add(copy);
    return copy;
  }
}

const isContainer = (value: unknown): value is Container => Array.isArray(value) || isRecord(value);

const member = (container: Container, key: string): unknown =>
  Array.isArray(container) ? container[indexOf(key, container.length)] : getOwn(container, key);

function indexOf(key: string, length: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw patchDoesNotApply();
  const index = Number(key);
  if (index >= length || index < -length) throw patchDoesNotApply();
  return index < 0 ? index + length : index;
}
