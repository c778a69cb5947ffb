/**
 * JSON patch (RFC 6902), as Kubernetes applies it: `replace` and `test` take a map key that is not there for null, an
 * index may count from the end, and whatever fails is one and the same answer.
 */
import { deepEqual, getOwn, isRecord, setOwn, stringifyJson } from '../../base/index.ts';
import { failure, type StatusError } from '../errors/index.ts';
import type { JsonPatchOperation } from './decode-patch.ts';
import { withinDepth } from './within-depth.ts';

/** Keeps a chain of `copy` operations from growing without bounds. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

export function applyJsonPatch(target: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const steps = jsonPatchSteps(target, operations);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** How many times as long as others an operation may take that copies or compares a part of the document. */
const HEAVY: ReadonlyMap<unknown, number> = new Map([
  ['copy', 80],
  ['test', 20],
]);

/** One operation after the other; each yields how heavy it was. Ten thousand of them on a large document take long. */
export function* jsonPatchSteps(
  target: unknown,
  operations: readonly JsonPatchOperation[],
): Generator<number, unknown> {
  const document = new PatchedDocument(target);
  for (const operation of operations) {
    withinDepth(() => applyOperation(document, operation));
    yield HEAVY.get(operation?.['op']) ?? 1;
  }
  return document.root;
}

/** Upstream tells nothing about what went wrong. */
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

/** The document under change. Containers are copied before their first change, so that the target stays as it is. */
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
    return isContainer(value) ? cloneJson(value) : value;
  }

  /** The container that a pointer's last step is in. What stands before the first slash does not count. */
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

function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]));
  return copy;
}
