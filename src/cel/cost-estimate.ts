/**
 * CEL cost estimation: the maximum cost of one evaluation, from the sizes that a schema allows. Upstream refuses
 * rules whose estimate exceeds a limit, so the estimate has to equal cel-go's.
 */
import { append } from '../base/index.ts';
import { FORMAT_PATTERN_LENGTH, MAX_LIST_ATTRIBUTE, REGEX_LENGTH, TRAVERSAL } from './call-cost.ts';
import type { Checked } from './check.ts';
import { add, cap, exactly, multiply, ONE, type Range, scale, union, UNKNOWN, ZERO } from './cost-range.ts';
import type { Call, Comprehension, Expression, Select } from './syntax-tree.ts';
import type { CelType } from './types.ts';

/** The type of a variable with the sizes of its schema, for a path such as `self.spec.list.@items`. */
type RootType = (name: string) => CelType | undefined;

export function estimateCost(checked: Checked, rootType: RootType): Range {
  return new Estimator(checked, rootType).cost(checked.expression);
}

type Path = readonly string[];

interface LoopVariable {
  readonly name: string;
  readonly path: Path;
  /** Counts only if neither the path nor the type tells a size. */
  readonly size: Range | undefined;
  readonly entrySize?: Range | undefined;
}

class Estimator {
  readonly #sizes = new Map<Expression, Range>();
  /** The sizes of the elements of lists and of the values of maps that the expression builds. */
  readonly #entrySizes = new Map<Expression, Range>();
  readonly #paths = new Map<Expression, Path>();
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
        if (typeof node.value === 'string') this.#sizes.set(node, exactly([...node.value].length));
        else this.#sizes.set(node, node.value instanceof Uint8Array ? exactly(node.value.length) : ONE);
        return ZERO;
      case 'identifier':
        return this.#identifier(node.name, node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list': {
        const elements = node.elements.map(({ value }) => value);
        const cost = add(...elements.map((element) => this.cost(element)), exactly(10));
        this.#sizes.set(node, exactly(elements.length));
        this.#entrySizes.set(node, this.#largest(elements));
        return cost;
      }
      case 'map': {
        const costs = node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
        this.#sizes.set(node, exactly(node.entries.length));
        this.#entrySizes.set(node, this.#largest(node.entries.map(({ value }) => value)));
        return add(...costs, exactly(30));
      }
      case 'struct':
        return add(...node.fields.map(({ value }) => this.cost(value)), exactly(40));
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #identifier(given: string, node: Expression): Range {
    const name = given.replace(/^\./, '');
    const variable = this.#loops.findLast((loop) => loop.name === name);
    this.#paths.set(node, variable ? variable.path : [name]);
    if (variable?.entrySize) this.#entrySizes.set(node, variable.entrySize);
    if (variable?.size && !this.#sizeAt(node) && !isScalar(this.#checked.typeOf(node)))
      this.#sizes.set(node, variable.size);
    return ONE;
  }

  /** The size of whichever is largest; of nothing it is 0. */
  #largest(nodes: readonly Expression[]): Range {
    return nodes.length === 0 ? ZERO : nodes.map((node) => this.#size(node)).reduce(union);
  }

  #pathOf(node: Expression): Path {
    return this.#paths.get(node) ?? [];
  }

  #select(node: Select): Range {
    const name = this.#checked.nameOf(node);
    if (name !== undefined) {
      this.#paths.set(node, [name]);
      return ONE;
    }
    const operand = this.cost(node.operand);
    if (node.test) return operand;
    this.#paths.set(node, [...this.#pathOf(node.operand), node.field]);
    const { kind } = this.#checked.typeOf(node.operand);
    return kind === 'map' || kind === 'object' ? add(operand, ONE) : operand;
  }

  /** The size of a value: computed, or else from the schema at its path. */
  #size(node: Expression): Range {
    return this.#sizes.get(node) ?? this.#sizeAt(node) ?? (isScalar(this.#checked.typeOf(node)) ? ONE : UNKNOWN);
  }

  #sizeAt(node: Expression): Range | undefined {
    const path = this.#pathOf(node);
    return path.length === 0 ? undefined : sizeFrom(this.#typeAt(path));
  }

  #elementSize(node: Expression): Range {
    const path = this.#pathOf(node);
    return (path.length === 0 ? undefined : sizeFrom(this.#typeAt([...path, '@items']))) ?? UNKNOWN;
  }

  /**
   * The first step is taken for the name of the root, whatever it is. So an element of a list that the expression
   * built, whose path is `@items` alone, has the size of the root, as upstream has it.
   */
  #typeAt(path: Path): CelType | undefined {
    let type = this.#rootType(path[0]!);
    for (const step of path.slice(1)) {
      if (!type) return undefined;
      if (step === '@items' || step === '@values')
        type = type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : undefined;
      else if (step === '@keys') type = type.kind === 'map' ? type.key : undefined;
      else type = type.kind === 'object' ? type.fields.get(step)?.type : undefined;
    }
    return type;
  }

  #call(node: Call): Range {
    const name = this.#checked.nameOf(node) ?? node.name;
    const target = node.target && this.#checked.nameOf(node) === undefined ? node.target : undefined;
    const costs = node.args.map((arg) => this.cost(arg));
    const before = target ? this.cost(target) : ZERO;
    const first = target ?? node.args[0];
    const operandKind = first ? this.#checked.typeOf(first).kind : undefined;
    if (name === 'dyn' && first) {
      this.#sizes.set(node, this.#size(first));
      this.#copyEntrySize(node, first);
    }
    if (name === '_[_]' && first) {
      this.#paths.set(node, [...this.#pathOf(first), operandKind === 'map' ? '@values' : '@items']);
      const entry = this.#entrySizes.get(first);
      if (entry) this.#sizes.set(node, entry);
    }
    if ((name === '_?_:_' || name === '_+_') && node.args.length >= 2) this.#joinEntrySizes(node, node.args.slice(-2));
    const operands = target ? [target, ...node.args] : node.args;
    return add(
      before,
      this.#functionCost({
        name,
        args: node.args,
        operands,
        costs,
        overloads: this.#checked.overloadsOf(node).map(({ id }) => id),
        member: target !== undefined,
        types: operands.map((operand) => this.#checked.typeOf(operand)),
        size: (i) => this.#size(operands[i]!),
        setSize: (range) => void this.#sizes.set(node, range),
      }),
    );
  }

  #copyEntrySize(to: Expression, from: Expression): void {
    const size = this.#entrySizes.get(from);
    if (size) this.#entrySizes.set(to, size);
  }

  #joinEntrySizes(to: Expression, parts: readonly Expression[]): void {
    const sizes = parts.map((part) => this.#entrySizes.get(part));
    if (sizes.every((size) => size !== undefined)) this.#entrySizes.set(to, sizes.reduce(union));
  }

  #functionCost(call: EstimatedCall): Range {
    const { name, costs } = call;
    if (name === '_&&_' || name === '_||_') return { min: costs[0]!.min, max: add(costs[0]!, costs[1]!).max };
    if (name === '_?_:_') {
      call.setSize(union(call.size(1), call.size(2)));
      return add(costs[0]!, union(costs[1]!, costs[2]!));
    }
    const own =
      this.#operatorCost(call) ??
      this.#stringCost(call) ??
      this.#listCost(call) ??
      this.#conversionCost(call) ??
      networkCost(call) ??
      ONE;
    return add(own, ...costs);
  }

  #operatorCost({ name, overloads, size, setSize, types }: EstimatedCall): Range | undefined {
    switch (name) {
      case '_==_':
        return libraryEquality(types, size(1)) ?? this.#comparison(size(0), size(1));
      case '_!=_':
        return this.#comparison(size(0), size(1));
      case '_<_':
      case '_<=_':
      case '_>_':
      case '_>=_':
        return overloads.some((id) => id.endsWith('_string') || id.endsWith('_bytes'))
          ? this.#comparison(size(0), size(1))
          : ONE;
      case '@in':
        return overloads.includes('in_list') ? scale(size(1), 1) : ONE;
      case '_+_':
        return this.#sum(overloads, size(0), size(1), setSize);
      case 'includes':
        return { min: 0, max: MAX_LIST_ATTRIBUTE };
      case 'check':
        return exactly(350_000);
      default:
        return undefined;
    }
  }

  #stringCost({ name, args, operands, member, size, setSize }: EstimatedCall): Range | undefined {
    switch (name) {
      case 'find':
      case 'findAll':
        setSize({ min: 0, max: size(0).max });
        return regexCost(size(0), size(1));
      case 'matches':
        return member ? regexCost(size(0), size(1)) : ONE;
      case 'contains':
        return multiply(scale(size(0), TRAVERSAL), scale(size(1), TRAVERSAL));
      case 'startsWith':
      case 'endsWith':
        return scale(size(1), TRAVERSAL);
      case 'strings.quote':
        setSize({ min: size(0).min + 2, max: cap(size(0).max * 2 + 2) });
        return scale(size(0), TRAVERSAL);
      case 'url':
      case 'jsonpatch.escapeKey':
        setSize(size(0));
        return scale(size(0), TRAVERSAL);
      case 'format':
      case 'quantity':
      case 'isQuantity':
      case 'semver':
      case 'isSemver':
        return scale(size(0), TRAVERSAL);
      case 'lowerAscii':
      case 'upperAscii':
      case 'substring':
      case 'trim':
        setSize(size(0));
        return scale(size(0), TRAVERSAL);
      case 'replace':
        setSize(replacedSize(size(0), size(1), size(2)));
        return scale(size(0), 2 * TRAVERSAL);
      case 'split':
        setSize({ min: 0, max: intOf(args[1]) ?? size(0).max });
        return scale(size(0), 2 * TRAVERSAL);
      case 'join': {
        const joined = this.#joinedSize(operands[0]!, operands[1]);
        setSize(joined);
        return scale(joined, TRAVERSAL);
      }
      case 'validate':
        return scale(scale(size(1), TRAVERSAL), FORMAT_PATTERN_LENGTH * REGEX_LENGTH);
      default:
        return undefined;
    }
  }

  #listCost(call: EstimatedCall): Range | undefined {
    const { name, operands, size, types } = call;
    switch (name) {
      case 'isSorted':
      case 'sum':
      case 'max':
      case 'min':
      case 'indexOf':
      case 'lastIndexOf':
        return this.#traversal(operands[0]!);
      case 'sets.contains':
      case 'sets.intersects':
        return add(ONE, multiply(size(0), size(1)));
      case 'sets.equivalent':
        return add(ONE, scale(multiply(size(0), size(1)), 2));
      case 'slice':
        return allocation(call, exactly((intOf(operands[2]) ?? size(0).max) - (intOf(operands[1]) ?? 0)), 1);
      case 'lists.range':
        return allocation(call, exactly(intOf(operands[0]) ?? UNKNOWN.max), 1);
      case 'reverse':
        return types[0]?.kind === 'list' ? allocation(call, size(0), 1) : undefined;
      case 'flatten':
        return allocation(call, size(0), operands.length > 1 ? (intOf(operands[1]) ?? UNKNOWN.max) : 1);
      case 'distinct':
        return allocation(call, multiply(size(0), size(0)), 2);
      case 'sort':
        return allocation(call, multiply(size(0), size(0)), sortFactor(elementOf(types[0])));
      default:
        return undefined;
    }
  }

  #conversionCost({ name, overloads, size, setSize }: EstimatedCall): Range | undefined {
    if (name === 'bytes' && overloads.includes('string_to_bytes')) {
      setSize({ min: size(0).min, max: cap(size(0).max * 4) });
      return scale(size(0), TRAVERSAL);
    }
    if (name !== 'string' || !overloads.includes('bytes_to_string')) return undefined;
    setSize({ min: Math.floor(size(0).min / 4), max: size(0).max });
    return scale(size(0), TRAVERSAL);
  }

  #comparison(a: Range, b: Range): Range {
    const smallest = Math.min(a.max, b.max);
    return scale({ min: smallest > 0 ? 1 : 0, max: smallest }, TRAVERSAL);
  }

  #sum(overloads: readonly string[], a: Range, b: Range, setSize: (range: Range) => void): Range {
    const joined = add(a, b);
    if (overloads.includes('add_list')) {
      setSize(joined);
      return ONE;
    }
    if (!overloads.includes('add_string') && !overloads.includes('add_bytes')) return ONE;
    setSize(joined);
    return scale(joined, TRAVERSAL);
  }

  /** The cost of traversing a list with its strings, or a string. */
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

  /** The cost of cel-go's expansion: accumulator, condition, step and result. */
  #comprehension(node: Comprehension): Range {
    const range = this.cost(node.range);
    const iterations = this.#size(node.range);
    const variables = this.#loopVariables(node);
    const element = sizeFrom(this.#typeAt(variables[0]!.path)) ?? variables[0]!.size ?? UNKNOWN;
    append(this.#loops, variables);
    const predicate = node.predicate ? this.cost(node.predicate) : ZERO;
    const transform = node.transform ? this.cost(node.transform) : ZERO;
    this.#loops.length -= variables.length;
    const loop = (step: Range): Range => multiply(iterations, step);
    switch (node.macro) {
      case 'all':
        return add(range, loop({ min: 3, max: 3 + predicate.max }), ONE);
      case 'exists':
        return add(range, loop({ min: 4, max: 4 + predicate.max }), ONE);
      case 'existsOne':
        return add(range, loop(add(predicate, { min: 1, max: 2 })), exactly(2));
      case 'filter':
        this.#sizes.set(node, iterations);
        // Each step may append the element, which is the first variable here; the accumulator began empty.
        this.#entrySizes.set(node, union(ZERO, element));
        return add(range, exactly(10), loop(add(predicate, { min: 1, max: 13 })), ONE);
      case 'map':
        this.#sizes.set(node, iterations);
        if (node.transform) this.#entrySizes.set(node, union(ZERO, this.#size(node.transform)));
        return add(
          range,
          exactly(10),
          loop(add(predicate, node.predicate ? union(ONE, add(exactly(12), transform)) : add(exactly(12), transform))),
          ONE,
        );
      case 'transformMap':
      case 'transformMapEntry':
        this.#sizes.set(node, iterations);
        return add(range, exactly(30), loop(add(predicate, exactly(3), transform)), ONE);
      case 'sortBy': {
        // The expansion binds the list, maps it to its keys, and sorts by those.
        const keys = add(ONE, exactly(10), loop(add(exactly(12), transform)), ONE);
        const pairs = multiply(iterations, iterations);
        this.#sizes.set(node, pairs);
        const factor = sortFactor(node.transform && this.#checked.typeOf(node.transform));
        return add(exactly(10), range, ONE, keys, allocationCost(pairs, factor));
      }
      // The expansion evaluates the optional twice: once for hasValue(), once for value() in a bind.
      case 'optMap':
        return { min: range.min + 2, max: add(range, range, exactly(13), transform).max };
      case 'optFlatMap':
        return { min: range.min + 2, max: add(range, range, exactly(12), transform).max };
      case 'bind': {
        const size = node.transform && this.#sizes.get(node.transform);
        if (size) this.#sizes.set(node, size);
        return add(range, ONE, transform);
      }
    }
  }

  #loopVariables({ macro, range, variables }: Comprehension): LoopVariable[] {
    const [first, second] = variables as [string, string?];
    const path = this.#pathOf(range);
    const entry = this.#entrySizes.get(range);
    if (macro === 'bind') return [{ name: first, path, size: this.#sizes.get(range), entrySize: entry }];
    if (macro === 'optMap' || macro === 'optFlatMap') return [{ name: first, path: [], size: undefined }];
    const isMap = this.#checked.typeOf(range).kind === 'map';
    if (second === undefined)
      return [{ name: first, path: [...path, isMap ? '@keys' : '@items'], size: isMap ? undefined : entry }];
    return [
      { name: first, path: [...path, isMap ? '@keys' : '@indices'], size: isMap ? undefined : ONE },
      { name: second, path: [...path, isMap ? '@values' : '@items'], size: entry },
    ];
  }
}

/** Upstream gives a schema's objects, numbers and keys size 0. */
const sizeFrom = (type: CelType | undefined): Range | undefined => type && { min: 0, max: type.maxElements ?? 0 };

/** Types of Kubernetes' libraries that are compared in one step. */
const COMPARED_AT_ONCE = new Set([
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'net.IP',
  'net.CIDR',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.Decision',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.ResourceCheck',
]);
const MAX_FORMAT_NAME = 64;

/** What `==` costs between two values of one of Kubernetes' library types; `!=` has no such cost. */
function libraryEquality([left, right]: readonly CelType[], size: Range): Range | undefined {
  if (left?.kind !== 'opaque' || right?.kind !== 'opaque' || left.name !== right.name) return undefined;
  if (COMPARED_AT_ONCE.has(left.name)) return ONE;
  if (left.name === 'kubernetes.NamedFormat') return scale({ min: 1, max: MAX_FORMAT_NAME }, TRAVERSAL);
  if (left.name === 'kubernetes.URL') return scale({ min: 1, max: size.max }, TRAVERSAL);
  return undefined;
}

/** A call whose cost is estimated. */
interface EstimatedCall {
  readonly name: string;
  readonly args: readonly Expression[];
  /** The target, if there is one, and the arguments. */
  readonly operands: readonly Expression[];
  /** The costs of evaluating the arguments. */
  readonly costs: readonly Range[];
  readonly overloads: readonly string[];
  /** Whether the first operand is a target. */
  readonly member: boolean;
  /** The types of the operands. */
  readonly types: readonly CelType[];
  readonly size: (operand: number) => Range;
  readonly setSize: (range: Range) => void;
}

const regexCost = (text: Range, pattern: Range): Range =>
  multiply(scale(add(text, ONE), TRAVERSAL), scale(pattern, REGEX_LENGTH));

function networkCost({ name, overloads, size }: EstimatedCall): Range | undefined {
  switch (name) {
    case 'ip':
      return overloads.includes('cidr_ip') ? ONE : scale(size(0), TRAVERSAL);
    case 'isIP':
    case 'cidr':
    case 'isCIDR':
      return scale(size(0), TRAVERSAL);
    case 'ip.isCanonical':
      return scale(size(0), 2 * TRAVERSAL);
    case 'containsIP':
      return add({ min: 1, max: 4 }, overloads.includes('cidr_contains_ip_string') ? scale(size(1), TRAVERSAL) : ZERO);
    case 'containsCIDR':
      return add(
        { min: 3, max: 7 },
        overloads.includes('cidr_contains_cidr_string') ? scale(size(1), TRAVERSAL) : ZERO,
      );
    default:
      return undefined;
  }
}

const isScalar = (type: CelType): boolean =>
  ['bool', 'int', 'uint', 'double', 'timestamp', 'duration'].includes(type.kind) ||
  (type.kind === 'opaque' && type.name === 'optional_type' && type.parameters.every(isScalar));

/** The value of a literal. */
function intOf(argument: Expression | undefined): number | undefined {
  return argument?.kind === 'literal' && typeof argument.value === 'bigint' ? Number(argument.value) : undefined;
}

const allocationCost = (size: Range, factor: number): Range => add(scale(size, factor), exactly(11));

/** The cost of making a list of that size, with so many steps for an element. */
function allocation({ setSize }: EstimatedCall, size: Range, factor: number): Range {
  setSize(size);
  return allocationCost(size, factor);
}

const elementOf = (type: CelType | undefined): CelType | undefined =>
  type?.kind === 'list' ? type.element : undefined;

const sortFactor = (compared: CelType | undefined): number =>
  compared?.kind === 'string' || compared?.kind === 'bytes' ? 2 + TRAVERSAL : 2;

/** The size of replace(text, old, by): every smallest `old` becomes the largest `by`, as often as it fits. */
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
