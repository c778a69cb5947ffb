/**
 * Compiles comprehensions (the macros `all`, `exists`, `map`, `filter` and so on). Their cost is that of cel-go's
 * expansion.
 */
import type { Evaluate, ExpressionCompiler, Run } from './run.ts';
import type { Comprehension } from './syntax-tree.ts';
import {
  CelError,
  compareValues,
  CostLimitError,
  noSuchOverload,
  Optional,
  type MapKey,
  type Value,
} from './values.ts';

/** A compiled comprehension; `slots` are the positions of its variables in `Run.slots`. */
interface Loop {
  readonly range: Evaluate;
  readonly slots: readonly number[];
  readonly predicate: Evaluate | undefined;
  readonly transform: Evaluate | undefined;
}

export function compileComprehension(node: Comprehension, compiler: ExpressionCompiler): Evaluate {
  const range = compiler.compile(node.range);
  let predicate: Evaluate | undefined;
  let transform: Evaluate | undefined;
  const slots = compiler.within(node.variables, () => {
    predicate = node.predicate && compiler.compile(node.predicate);
    transform = node.transform && compiler.compile(node.transform);
  });
  const loop: Loop = { range, slots, predicate, transform };
  switch (node.macro) {
    case 'all':
      return quantifier(loop, { decisive: false, costPerElement: 3 });
    case 'exists':
      return quantifier(loop, { decisive: true, costPerElement: 4 });
    case 'existsOne':
      return existsOne(loop);
    case 'map':
    case 'filter':
      return collect(loop, node.macro === 'filter');
    case 'transformMap':
    case 'transformMapEntry':
      return transformMap(loop, node.macro === 'transformMapEntry');
    case 'sortBy':
      return sortBy(loop);
    case 'optMap':
    case 'optFlatMap':
      return optional(loop, node.macro === 'optMap');
    case 'bind':
      return bind(loop);
  }
}

type Visit = (element: Value, key: MapKey | bigint) => boolean | void;

/** Sets the loop variables and calls `visit` for each element until it returns false. */
function forEach(run: Run, { range, slots }: Loop, visit: Visit): void {
  const values = range(run);
  const [first, second] = slots;
  if (Array.isArray(values)) {
    for (let i = 0; i < values.length; i++) {
      const element = (values as readonly Value[])[i]!;
      if (second === undefined) run.slots[first!] = element;
      else {
        run.slots[first!] = BigInt(i);
        run.slots[second] = element;
      }
      if (visit(element, BigInt(i)) === false) return;
    }
  } else if (values instanceof Map) {
    for (const [key, value] of values as ReadonlyMap<MapKey, Value>) {
      run.slots[first!] = key;
      if (second !== undefined) run.slots[second] = value;
      if (visit(second === undefined ? key : value, key) === false) return;
    }
  } else throw noSuchOverload();
}

function truth(value: Value): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

/** `all` and `exists`: an error counts only if no other element decides the result. */
function quantifier(loop: Loop, { decisive, costPerElement }: { decisive: boolean; costPerElement: number }): Evaluate {
  const predicate = loop.predicate!;
  return (run) => {
    let decided = false;
    let failure: CelError | undefined;
    forEach(run, loop, () => {
      run.spend(costPerElement);
      try {
        if (truth(predicate(run)) === decisive) {
          decided = true;
          return false;
        }
      } catch (error) {
        if (!(error instanceof CelError) || error instanceof CostLimitError) throw error;
        failure ??= error;
      }
      return true;
    });
    run.spend(1);
    if (decided) return decisive;
    if (failure) throw failure;
    return !decisive;
  };
}

function existsOne(loop: Loop): Evaluate {
  const predicate = loop.predicate!;
  return (run) => {
    let count = 0;
    forEach(run, loop, () => {
      run.spend(1);
      if (!truth(predicate(run))) return;
      run.spend(1);
      count++;
    });
    run.spend(2);
    return count === 1;
  };
}

function collect(loop: Loop, filter: boolean): Evaluate {
  const { predicate, transform } = loop;
  return (run) => {
    run.spend(10);
    const list: Value[] = [];
    forEach(run, loop, (element) => {
      run.spend(1);
      if (predicate && !truth(predicate(run))) return;
      run.spend(filter ? 12 : 11);
      list.push(transform ? transform(run) : element);
    });
    run.spend(1);
    return list;
  };
}

function transformMap(loop: Loop, entries: boolean): Evaluate {
  const { predicate, transform } = loop;
  return (run) => {
    run.spend(30);
    const map = new Map<MapKey, Value>();
    const insert = (key: MapKey, value: Value): void => {
      if (map.has(key)) throw new CelError(`insert failed: key ${String(key)} already exists`);
      map.set(key, value);
    };
    forEach(run, loop, (_element, key) => {
      run.spend(1);
      if (predicate && !truth(predicate(run))) return;
      run.spend(2);
      const value = transform!(run);
      if (!entries) insert(key, value);
      else if (value instanceof Map) for (const [name, held] of value as ReadonlyMap<MapKey, Value>) insert(name, held);
      else throw noSuchOverload();
    });
    run.spend(1);
    return map;
  };
}

function sortBy(loop: Loop): Evaluate {
  return (run) => {
    run.spend(10);
    const keyed: { element: Value; key: Value }[] = [];
    forEach(run, loop, (element) => {
      run.spend(12);
      keyed.push({ element, key: loop.transform!(run) });
    });
    run.spend(1 + keyed.length);
    return keyed.sort((a, b) => compareValues(a.key, b.key) ?? 0).map(({ element }) => element);
  };
}

/** `cel.bind(name, value, expression)` */
function bind({ range, slots, transform }: Loop): Evaluate {
  return (run) => {
    run.slots[slots[0]!] = range(run);
    run.spend(1);
    return transform!(run);
  };
}

function optional({ range, slots, transform }: Loop, wrap: boolean): Evaluate {
  return (run) => {
    const value = range(run);
    run.spend(1);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (!value.hasValue) return Optional.NONE;
    run.slots[slots[0]!] = value.value;
    const result = transform!(run);
    return wrap ? Optional.of(result) : result;
  };
}
