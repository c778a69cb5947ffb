import { append } from '../base/index.ts';
import { FORMAT_PATTERN_LENGTH, REGEX_LENGTH, TRAVERSAL } from './call-cost.ts';
/**
 * The greatest cost that one evaluation can have, from the sizes that a schema allows. It decides whether a rule may be
 * stored, so it follows cel-go's estimation and upstream's prices, unit for unit where that can be seen.
 */
import type { Checked } from './check.ts';
import type { Call, Comprehension, Expression, Select } from './syntax-tree.ts';
import type { CelType } from './types.ts';

/** Both of costs and of sizes. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const MAX = 2 ** 64;
const cap = (value: number): number => Math.min(value, MAX);
const exactly = (value: number): Range => ({ min: value, max: value });
const NOTHING = exactly(0);
const ONE = exactly(1);
const UNKNOWN: Range = { min: 0, max: MAX };
const add = (...ranges: readonly Range[]): Range => ({
  min: cap(ranges.reduce((sum, { min }) => sum + min, 0)),
  max: cap(ranges.reduce((sum, { max }) => sum + max, 0)),
});
const multiply = (a: Range, b: Range): Range => ({ min: cap(a.min * b.min), max: cap(a.max * b.max) });
const scale = ({ min, max }: Range, factor: number): Range => ({
  min: cap(Math.ceil(min * factor)),
  max: cap(Math.ceil(max * factor)),
});
const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/** The type of a variable with the sizes of its schema, for a path such as `self.spec.list.@items`. */
export type RootType = (name: string) => CelType | undefined;

export function estimateCost(checked: Checked, rootType: RootType): Range {
  return new Estimator(checked, rootType).cost(checked.expression);
}

interface LoopVariable {
  readonly name: string;
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
}

class Estimator {
  readonly #sizes = new Map<Expression, Range>();
  readonly #paths = new Map<Expression, readonly string[]>();
  readonly #loops: LoopVariable[] = [];

  readonly #checked: Checked;
  readonly #rootType: RootType;

  constructor(checked: Checked, rootType: RootType) {
    this.#checked = checked;
    this.#rootType = rootType;
  }

  cost(node: Expression): Range {
    switch (node.kind) {
      case 'literal':
        if (typeof node.value === 'string') this.#sizes.set(node, exactly(Buffer.byteLength(node.value)));
        else if (node.value instanceof Uint8Array) this.#sizes.set(node, exactly(node.value.length));
        return NOTHING;
      case 'identifier':
        return this.#identifier(node.name, node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        this.#sizes.set(node, exactly(node.elements.length));
        return add(...node.elements.map(({ value }) => this.cost(value)), exactly(10));
      case 'map':
        this.#sizes.set(node, exactly(node.entries.length));
        return add(...node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]), exactly(30));
      case 'struct':
        return add(...node.fields.map(({ value }) => this.cost(value)), exactly(40));
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #identifier(given: string, node: Expression): Range {
    const name = given.replace(/^\./, '');
    const variable = this.#loops.findLast((loop) => loop.name === name);
    if (!variable) this.#paths.set(node, [name]);
    else {
      if (variable.path) this.#paths.set(node, variable.path);
      if (variable.size) this.#sizes.set(node, variable.size);
    }
    return ONE;
  }

  #select(node: Select): Range {
    if (this.#checked.nameOf(node) !== undefined) return ONE;
    const operand = this.cost(node.operand);
    const path = this.#paths.get(node.operand);
    if (path) this.#paths.set(node, [...path, node.field]);
    if (node.test) return operand;
    const { kind } = this.#checked.typeOf(node.operand);
    return kind === 'map' || kind === 'object' || kind === 'opaque' ? add(operand, ONE) : operand;
  }

  /** How large a value can be: what was computed, or else what the schema says at its path. */
  #size(node: Expression): Range {
    const computed = this.#sizes.get(node);
    if (computed) return computed;
    const type = this.#typeAt(this.#paths.get(node));
    // Upstream takes objects and numbers of a schema for values without a size.
    if (type) return { min: 0, max: type.maxElements ?? 0 };
    return isScalar(this.#checked.typeOf(node)) ? ONE : UNKNOWN;
  }

  #elementSize(node: Expression): Range {
    const path = this.#paths.get(node);
    const type = this.#typeAt(path && [...path, '@items']);
    return type ? { min: 0, max: type.maxElements ?? 0 } : UNKNOWN;
  }

  #typeAt(path: readonly string[] | undefined): CelType | undefined {
    if (!path) return undefined;
    let type = this.#rootType(path[0]!);
    for (const step of path.slice(1)) {
      if (!type) return undefined;
      if (step === '@items' || step === '@values')
        type = type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : undefined;
      else if (step === '@keys') type = type.kind === 'map' ? type.key : undefined;
      else type = type.kind === 'object' ? type.fields.get(step)?.type : type.kind === 'map' ? type.value : undefined;
    }
    return type;
  }

  #call(node: Call): Range {
    const name = this.#checked.nameOf(node) ?? node.name;
    const target = node.target && this.#checked.nameOf(node) === undefined ? node.target : undefined;
    const costs = node.args.map((arg) => this.cost(arg));
    const before = target ? this.cost(target) : NOTHING;
    const first = target ?? node.args[0];
    const kinds = first ? this.#checked.typeOf(first).kind : undefined;
    if (name === '_[_]' && first) {
      const path = this.#paths.get(first);
      if (path) this.#paths.set(node, [...path, kinds === 'map' ? '@values' : '@items']);
    }
    return add(before, this.#functionCost(name, { node, target, args: node.args, costs }));
  }

  #functionCost(name: string, { node, target, args, costs }: CallParts): Range {
    const given = add(...costs);
    const all = target ? [target, ...args] : args;
    const size = (i: number): Range => this.#size(all[i]!);
    const sized = (range: Range): void => void this.#sizes.set(node, range);
    const overloads = this.#checked.overloadsOf(node).map(({ id }) => id);
    switch (name) {
      case '_&&_':
      case '_||_':
        return { min: costs[0]!.min, max: add(costs[0]!, costs[1]!).max };
      case '_?_:_':
        sized(union(size(1), size(2)));
        return add(costs[0]!, union(costs[1]!, costs[2]!));
      case '_==_':
      case '_!=_':
        return add(this.#comparison(size(0), size(1)), given);
      case '_<_':
      case '_<=_':
      case '_>_':
      case '_>=_':
        return add(
          overloads.some((id) => id.endsWith('_string') || id.endsWith('_bytes'))
            ? this.#comparison(size(0), size(1))
            : ONE,
          given,
        );
      case '@in':
        return add(overloads.includes('in_list') ? scale(size(1), 1) : ONE, given);
      case '_+_':
        return add(this.#sum(overloads, size(0), size(1), sized), given);
      case 'matches':
      case 'find':
      case 'findAll': {
        if (name !== 'matches') sized({ min: 0, max: size(0).max });
        return add(multiply(scale(add(size(0), ONE), TRAVERSAL), scale(size(1), REGEX_LENGTH)), given);
      }
      case 'contains':
        return add(multiply(scale(size(0), TRAVERSAL), scale(size(1), TRAVERSAL)), given);
      case 'startsWith':
      case 'endsWith':
        return add(scale(size(1), TRAVERSAL), given);
      case 'format':
      case 'strings.quote':
      case 'url':
      case 'isIP':
      case 'cidr':
      case 'isCIDR':
      case 'quantity':
      case 'isQuantity':
      case 'semver':
      case 'isSemver':
        return add(scale(size(0), TRAVERSAL), given);
      case 'ip':
        return add(overloads.includes('cidr_ip') ? ONE : scale(size(0), TRAVERSAL), given);
      case 'ip.isCanonical':
        return add(scale(size(0), 2 * TRAVERSAL), given);
      case 'lowerAscii':
      case 'upperAscii':
      case 'substring':
      case 'trim':
        sized(size(0));
        return add(scale(size(0), TRAVERSAL), given);
      case 'replace':
        sized(replacedSize(size(0), size(1), size(2)));
        return add(scale(size(0), 2 * TRAVERSAL), given);
      case 'split':
        sized({ min: 0, max: splitLimit(args[1]) ?? size(0).max });
        return add(scale(size(0), 2 * TRAVERSAL), given);
      case 'join': {
        const joined = this.#joinedSize(all[0]!, all[1]);
        sized(joined);
        return add(scale(joined, TRAVERSAL), given);
      }
      case 'isSorted':
      case 'sum':
      case 'max':
      case 'min':
      case 'indexOf':
      case 'lastIndexOf':
        return add(this.#traversal(all[0]!), given);
      case 'validate':
        return add(scale(scale(size(1), TRAVERSAL), FORMAT_PATTERN_LENGTH * REGEX_LENGTH), given);
      case 'containsIP':
        return add(
          { min: 1, max: 4 },
          overloads.includes('cidr_contains_ip_string') ? scale(size(1), TRAVERSAL) : NOTHING,
          given,
        );
      case 'containsCIDR':
        return add(
          { min: 3, max: 7 },
          overloads.includes('cidr_contains_cidr_string') ? scale(size(1), TRAVERSAL) : NOTHING,
          given,
        );
      case 'check':
        return add(exactly(350_000), given);
      case 'sets.contains':
      case 'sets.intersects':
      case 'sets.equivalent':
        return add(ONE, multiply(size(0), size(1)), given);
      case 'bytes':
        if (overloads.includes('string_to_bytes')) {
          sized({ min: size(0).min, max: cap(size(0).max * 4) });
          return add(scale(size(0), TRAVERSAL), given);
        }
        return add(ONE, given);
      case 'string':
        if (overloads.includes('bytes_to_string') || overloads.includes('string_to_string')) {
          sized({ min: size(0).min, max: size(0).max });
          return add(overloads.includes('bytes_to_string') ? scale(size(0), TRAVERSAL) : ONE, given);
        }
        return add(ONE, given);
      case 'slice':
      case 'flatten':
      case 'distinct':
      case 'sort':
      case 'reverse':
        sized({ min: 0, max: size(0).max });
        return add(ONE, scale(size(0), 1), given);
      default:
        return add(ONE, given);
    }
  }

  #comparison(a: Range, b: Range): Range {
    const smallest = Math.min(a.max, b.max);
    return scale({ min: smallest > 0 ? 1 : 0, max: smallest }, TRAVERSAL);
  }

  #sum(overloads: readonly string[], a: Range, b: Range, sized: (range: Range) => void): Range {
    const joined = add(a, b);
    if (overloads.includes('add_list')) {
      sized(joined);
      return ONE;
    }
    if (!overloads.includes('add_string') && !overloads.includes('add_bytes')) return ONE;
    sized(joined);
    return scale(joined, TRAVERSAL);
  }

  /** A list from end to end, its strings included; or a string. */
  #traversal(node: Expression): Range {
    const type = this.#checked.typeOf(node);
    if (type.kind !== 'list') return scale(this.#size(node), TRAVERSAL);
    const texts = type.element.kind === 'string' || type.element.kind === 'bytes';
    return multiply(this.#size(node), texts ? add(ONE, scale(this.#elementSize(node), TRAVERSAL)) : ONE);
  }

  #joinedSize(list: Expression, separator: Expression | undefined): Range {
    const count = this.#size(list);
    const joined = multiply(count, this.#elementSize(list));
    if (!separator) return joined;
    return add(
      joined,
      multiply(this.#size(separator), { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }),
    );
  }

  /** By what cel-go makes of the loop: an accumulator, a condition, a step and a result. */
  #comprehension(node: Comprehension): Range {
    const range = this.cost(node.range);
    const turns = this.#size(node.range);
    const variables = this.#loopVariables(node);
    append(this.#loops, variables);
    const predicate = node.predicate ? this.cost(node.predicate) : NOTHING;
    const transform = node.transform ? this.cost(node.transform) : NOTHING;
    this.#loops.length -= variables.length;
    const loop = (step: Range): Range => multiply(turns, step);
    switch (node.macro) {
      case 'all':
        return add(range, loop({ min: 3, max: 3 + predicate.max }), ONE);
      case 'exists':
        return add(range, loop({ min: 4, max: 4 + predicate.max }), ONE);
      case 'existsOne':
        return add(range, loop(add(predicate, { min: 1, max: 2 })), exactly(2));
      case 'filter':
        this.#sizes.set(node, { min: 0, max: turns.max });
        return add(range, exactly(10), loop(add(predicate, { min: 1, max: 13 })), ONE);
      case 'map':
        this.#sizes.set(node, node.predicate ? { min: 0, max: turns.max } : turns);
        return add(
          range,
          exactly(10),
          loop(add(predicate, node.predicate ? union(ONE, add(exactly(12), transform)) : add(exactly(12), transform))),
          ONE,
        );
      case 'transformMap':
      case 'transformMapEntry':
        this.#sizes.set(node, { min: 0, max: turns.max });
        return add(range, exactly(30), loop(add(predicate, exactly(3), transform)), ONE);
      case 'sortBy':
        this.#sizes.set(node, turns);
        return add(range, exactly(10), loop(add(exactly(13), transform)), ONE);
      case 'optMap':
      case 'optFlatMap':
        return add(range, exactly(3), { min: 0, max: transform.max });
      case 'bind': {
        const size = node.transform && this.#sizes.get(node.transform);
        if (size) this.#sizes.set(node, size);
        return add(range, ONE, transform);
      }
    }
  }

  #loopVariables({ macro, range, variables }: Comprehension): LoopVariable[] {
    const path = this.#paths.get(range);
    if (macro === 'bind') return [{ name: variables[0]!, path, size: this.#sizes.get(range) }];
    const isMap = this.#checked.typeOf(range).kind === 'map';
    const step = (name: string): readonly string[] | undefined => path && [...path, name];
    if (variables.length === 1)
      return [{ name: variables[0]!, path: step(isMap ? '@keys' : '@items'), size: undefined }];
    const [first, second] = variables as [string, string];
    return [
      { name: first, path: isMap ? step('@keys') : undefined, size: isMap ? undefined : ONE },
      { name: second, path: step(isMap ? '@values' : '@items'), size: undefined },
    ];
  }
}

interface CallParts {
  readonly node: Call;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
  readonly costs: readonly Range[];
}

const isScalar = ({ kind }: CelType): boolean =>
  ['bool', 'int', 'uint', 'double', 'timestamp', 'duration'].includes(kind);

function splitLimit(argument: Expression | undefined): number | undefined {
  return argument?.kind === 'literal' && typeof argument.value === 'bigint' ? Number(argument.value) : undefined;
}

/** The smallest parts replaced by the largest, as often as they can stand in the text. */
function replacedSize(text: Range, old: Range, by: Range): Range {
  const most =
    old.min === 0
      ? { count: text.max + 1, kept: text.max }
      : by.max <= old.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / old.min), kept: 0 };
  const least =
    old.max === 0
      ? { count: text.min + 1, kept: text.min }
      : old.max <= by.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / old.max), kept: 0 };
  return { min: cap(least.count * by.min + least.kept), max: cap(most.count * by.max + most.kept) };
}
