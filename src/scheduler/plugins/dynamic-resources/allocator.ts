/**
 * Allocates devices on a node for all requests of all claims of a pod. A backtracking search: it goes from request to
 * request, and undoes the last choice when a later request cannot be satisfied.
 */
import type { NodeSelector } from '../../../api/generated/core-v1.ts';
import type {
  AllocationResult,
  Device,
  DeviceClass,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from '../../../api/generated/resource-v1.ts';
import { errorMessage } from '../../../base/index.ts';
import { findUntoleratedTaint } from '../../../component-helpers/index.ts';
import { wholeValue } from '../../cache/quantity-values.ts';
import { attributeValues, haveCommonValue } from './attribute-values.ts';
import { addConsumed, consumedBy, fitsBeside, type Consumed } from './consumable-capacity.ts';
import type { DeviceUsage } from './device-usage.ts';
import { selectorMatches } from './device-value.ts';
import type { Pool, PoolDevice } from './pools.ts';
import type { DeviceRequestOption, PendingRequest } from './requests.ts';

interface AllocationOptions {
  readonly pools: readonly Pool[];
  readonly usage: DeviceUsage;
  readonly classes: (name: string) => DeviceClass | undefined;
  /** Milliseconds since the epoch, as text. */
  readonly now: string;
  readonly shareId: () => string;
}

interface ChosenDevice {
  readonly request: PendingRequest;
  readonly option: DeviceRequestOption;
  readonly device: PoolDevice;
  readonly consumed: Consumed | undefined;
}

/** The search fails after this many steps, so that it cannot block the scheduler. */
const MAX_STEPS = 100_000;

/** One result for each claim, in order; undefined when there is none. Throws when a CEL selector fails. */
export function allocate(
  claims: readonly { claim: ResourceClaim; requests: readonly PendingRequest[] }[],
  options: AllocationOptions,
): AllocationResult[] | undefined {
  const search = new Search(
    claims.flatMap(({ claim, requests }) => requests.map((request) => ({ claim, request }))),
    options,
  );
  if (!search.run()) return undefined;
  return claims.map(({ claim }) => resultOf(claim, search.chosenFor(claim), options));
}

interface Step {
  readonly claim: ResourceClaim;
  readonly request: PendingRequest;
}

class Search {
  readonly #steps: readonly Step[];
  readonly #options: AllocationOptions;
  readonly #chosen: (ChosenDevice & { claim: ResourceClaim })[] = [];
  readonly #exclusive = new Set<string>();
  readonly #shares = new Map<string, Consumed>();
  #budget = MAX_STEPS;

  constructor(steps: readonly Step[], options: AllocationOptions) {
    this.#steps = steps;
    this.#options = options;
  }

  run(): boolean {
    return this.#allocateRequest(0);
  }

  chosenFor(claim: ResourceClaim): ChosenDevice[] {
    return this.#chosen.filter((c) => c.claim === claim);
  }

  #allocateRequest(index: number): boolean {
    const step = this.#steps[index];
    if (step === undefined) return true;
    return step.request.options.some((option) =>
      option.all ? this.#allocateAll(step, option, index) : this.#allocateCount(step, option, index, option.count, 0),
    );
  }

  /** Devices are tried in order, so that no combination is tried twice. */
  #allocateCount(step: Step, option: DeviceRequestOption, index: number, left: number, from: number): boolean {
    if (left === 0) return this.#allocateRequest(index + 1);
    const devices = this.#options.pools.flatMap((pool) => pool.devices.map((device) => ({ pool, device })));
    for (let i = from; i < devices.length; i++) {
      if (--this.#budget < 0) return false;
      const { pool, device } = devices[i]!;
      const consumed = this.#usable(step, option, pool, device);
      if (consumed === undefined) continue;
      const undo = this.#choose(step, option, device, consumed === 'exclusive' ? undefined : consumed);
      if (this.#allocateCount(step, option, index, left - 1, i + (consumed === 'exclusive' ? 1 : 0))) return true;
      undo();
    }
    return false;
  }

  /** Allocation mode All: every matching device must be free, and there must be one. */
  #allocateAll(step: Step, option: DeviceRequestOption, index: number): boolean {
    const undos: (() => void)[] = [];
    const undoAll = (): boolean => {
      for (const undo of undos.reverse()) undo();
      return false;
    };
    for (const pool of this.#options.pools) {
      for (const device of pool.devices) {
        if (!this.#matches(option, device)) continue;
        if (!pool.complete) return undoAll();
        const consumed = this.#usable(step, option, pool, device);
        if (consumed === undefined) return undoAll();
        undos.push(this.#choose(step, option, device, consumed === 'exclusive' ? undefined : consumed));
      }
    }
    return undos.length > 0 && this.#allocateRequest(index + 1) ? true : undoAll();
  }

  #choose(
    { claim, request }: Step,
    option: DeviceRequestOption,
    device: PoolDevice,
    consumed: Consumed | undefined,
  ): () => void {
    this.#chosen.push({ claim, request, option, device, consumed });
    const before = this.#shares.get(device.id);
    if (consumed !== undefined) this.#shares.set(device.id, addConsumed(before ?? {}, consumed));
    else if (!option.adminAccess) this.#exclusive.add(device.id);
    return () => {
      this.#chosen.pop();
      if (consumed === undefined) this.#exclusive.delete(device.id);
      else if (before === undefined) this.#shares.delete(device.id);
      else this.#shares.set(device.id, before);
    };
  }

  #matches(option: DeviceRequestOption, { driver, device }: PoolDevice): boolean {
    return option.selectors.every(({ expression, name }) => {
      try {
        return selectorMatches(expression, driver, device);
      } catch (error) {
        throw new Error(`${name}: ${errorMessage(error)}`, { cause: error });
      }
    });
  }

  /** How the device can be allocated: exclusively, or which capacity the request would consume. */
  #usable(
    step: Step,
    option: DeviceRequestOption,
    pool: Pool,
    candidate: PoolDevice,
  ): 'exclusive' | Consumed | undefined {
    const { usage } = this.#options;
    const { device, id } = candidate;
    const shareable = device.allowMultipleAllocations === true;
    if (!option.adminAccess && (usage.exclusive.has(id) || this.#exclusive.has(id))) return undefined;
    if (!shareable && !option.adminAccess && (usage.shared.has(id) || this.#shares.has(id))) return undefined;
    if (findUntoleratedTaint(device.taints, option.tolerations) || !this.#matches(option, candidate)) return undefined;
    if (!this.#constraintsHold(step, candidate)) return undefined;
    if (option.adminAccess) return 'exclusive';
    const alreadyCounted = usage.shared.has(id) || this.#shares.has(id);
    if (!alreadyCounted && !this.#countersSuffice(pool, device)) return undefined;
    if (!shareable) return hasCapacity(device, option) ? 'exclusive' : undefined;
    const consumed = consumedBy(device, option.capacity);
    if (consumed === undefined) return undefined;
    const allocated = addConsumed(usage.shared.get(id) ?? {}, this.#shares.get(id) ?? {});
    return fitsBeside(device, allocated, consumed) ? consumed : undefined;
  }

  /** Checks matchAttribute and distinctAttribute. */
  #constraintsHold({ claim, request }: Step, candidate: PoolDevice): boolean {
    for (const constraint of claim.spec.devices?.constraints ?? []) {
      const applies = (name: string): boolean =>
        (constraint.requests?.length ?? 0) === 0 ||
        constraint.requests!.some((r) => r === name || r.split('/')[0] === name);
      if (!applies(request.name)) continue;
      const others = this.#chosen.filter((c) => c.claim === claim && applies(c.request.name));
      const { matchAttribute, distinctAttribute } = constraint;
      if (matchAttribute) {
        const values = [candidate, ...others.map(({ device }) => device)].map((d) =>
          attributeValues(d, matchAttribute),
        );
        if (!values.every((set) => set !== undefined) || !haveCommonValue(values)) return false;
      }
      if (distinctAttribute) {
        const own = attributeValues(candidate, distinctAttribute);
        if (own === undefined || own.size === 0) return false;
        const taken = others.flatMap(({ device }) => attributeValues(device, distinctAttribute) ?? []);
        if (taken.some((other) => haveCommonValue([own, other]))) return false;
      }
    }
    return true;
  }

  /** Partitionable devices: the allocated devices must not consume more than the shared counters have. */
  #countersSuffice(pool: Pool, device: Device): boolean {
    for (const { counterSet, counters } of device.consumesCounters ?? []) {
      const available = pool.counters.get(counterSet);
      if (available === undefined) return false;
      for (const [name, { value }] of Object.entries(counters)) {
        let used = wholeValue(value);
        for (const other of pool.devices) {
          if (other.device === device || !this.#isAllocated(other.id)) continue;
          const consumption = other.device.consumesCounters?.find((c) => c.counterSet === counterSet)?.counters[name];
          if (consumption !== undefined) used += wholeValue(consumption.value);
        }
        const total = available.counters[name];
        if (total === undefined || used > wholeValue(total.value)) return false;
      }
    }
    return true;
  }

  #isAllocated(id: string): boolean {
    const { usage } = this.#options;
    return this.#exclusive.has(id) || this.#shares.has(id) || usage.exclusive.has(id) || usage.shared.has(id);
  }
}

function hasCapacity(device: Device, option: DeviceRequestOption): boolean {
  return Object.entries(option.capacity?.requests ?? {}).every(
    ([name, text]) => wholeValue(text) <= wholeValue(device.capacity?.[name]?.value ?? '0'),
  );
}

function resultOf(
  claim: ResourceClaim,
  chosen: readonly ChosenDevice[],
  { classes, now, shareId }: AllocationOptions,
): AllocationResult {
  const results = chosen.map(({ request, option, device, consumed }): DeviceRequestAllocationResult => {
    const { driver, pool } = device;
    return {
      request: option.subrequest === undefined ? request.name : `${request.name}/${option.subrequest}`,
      driver,
      pool,
      device: device.device.name,
      ...(option.adminAccess ? { adminAccess: true } : {}),
      ...(option.tolerations.length > 0 ? { tolerations: [...option.tolerations] } : {}),
      ...(device.device.bindingConditions ? { bindingConditions: device.device.bindingConditions } : {}),
      ...(device.device.bindingFailureConditions
        ? { bindingFailureConditions: device.device.bindingFailureConditions }
        : {}),
      ...(consumed === undefined
        ? {}
        : {
            shareID: shareId(),
            consumedCapacity: Object.fromEntries(
              Object.entries(consumed).map(([name, amount]) => [name, String(amount)]),
            ),
          }),
    };
  });
  const config = configOf(claim, chosen, classes);
  const nodeSelector = mergedSelector(chosen);
  return {
    devices: { results, ...(config.length > 0 ? { config } : {}) },
    ...(nodeSelector ? { nodeSelector } : {}),
    allocationTimestamp: now,
  };
}

/** The configuration of the classes, then of the claim. */
function configOf(
  claim: ResourceClaim,
  chosen: readonly ChosenDevice[],
  classes: AllocationOptions['classes'],
): NonNullable<NonNullable<AllocationResult['devices']>['config']> {
  const config: NonNullable<NonNullable<AllocationResult['devices']>['config']> = [];
  const seen = new Set<string>();
  for (const { request, option } of chosen) {
    const name = option.subrequest === undefined ? request.name : `${request.name}/${option.subrequest}`;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const entry of classes(option.className)?.spec.config ?? [])
      config.push({ source: 'FromClass', requests: [name], ...entry });
  }
  for (const entry of claim.spec.devices?.config ?? []) config.push({ source: 'FromClaim', ...entry });
  return config;
}

/** The nodes where all devices can be used; one node if any device is local to it. */
function mergedSelector(chosen: readonly ChosenDevice[]): NodeSelector | undefined {
  const selectors = chosen.flatMap(({ device }) => (device.nodeSelector === undefined ? [] : [device.nodeSelector]));
  const local = selectors.find((s) =>
    s.nodeSelectorTerms.some((t) => t.matchFields?.some((f) => f.key === 'metadata.name')),
  );
  if (local !== undefined) return local;
  if (selectors.length <= 1) return selectors[0];
  return {
    nodeSelectorTerms: [{ matchExpressions: selectors.flatMap((s) => s.nodeSelectorTerms[0]?.matchExpressions ?? []) }],
  };
}
