/** The health of drivers' devices, as their streams tell it: good for a while, and unknown from then on. */
import { errorMessage } from '../../base/index.ts';
import { childContext, type Context, type Timer } from '../../kernel/index.ts';
import type { DRAResourceHealth, NodeWatchResourcesResponse } from './dra-health-v1alpha1.generated.ts';

export interface DeviceHealth {
  readonly health: 'Healthy' | 'Unhealthy' | 'Unknown';
  readonly message: string;
}

export interface DeviceName {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

interface Report extends DeviceHealth {
  readonly name: DeviceName;
  readonly goodUntil: number;
}

const UNKNOWN: DeviceHealth = { health: 'Unknown', message: '' };
const DEFAULT_GOOD_MS = 30_000;
const RECONNECT_MS = 5000;

export class HealthInfoCache {
  readonly #ctx: Context;
  readonly #onChange: (devices: readonly DeviceName[]) => void;
  /** By driver, then by the device's name there. */
  readonly #reports = new Map<string, Map<string, Report>>();
  readonly #expiries = new Map<string, Timer>();

  constructor(ctx: Context, onChange: (devices: readonly DeviceName[]) => void) {
    this.#ctx = childContext(ctx, 'device-health');
    this.#onChange = onChange;
  }

  of(name: DeviceName): DeviceHealth {
    const report = this.#reports.get(name.driver)?.get(keyOf(name));
    return report === undefined || this.#ctx.clock.monotonic() >= report.goodUntil ? UNKNOWN : report;
  }

  /** Listens until the signal aborts; at once over for drivers that tell nothing. */
  async follow(driver: string, service: DRAResourceHealth, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ctx;
    while (!signal.aborted) {
      try {
        for await (const response of service.nodeWatchResources({}, { signal })) this.#take(driver, response);
      } catch (error) {
        if ((error as { code?: string }).code === 'UNIMPLEMENTED') return;
        if (!signal.aborted)
          logger.v(1).info('A driver tells no more of the health of its devices', { driver, err: errorMessage(error) });
      }
      this.#forget(driver);
      await clock.sleep(RECONNECT_MS, signal).catch(() => {});
    }
  }

  /** A response is the whole list; what is not on it keeps its health for as long as that is good. */
  #take(driver: string, { devices = [] }: NodeWatchResourcesResponse): void {
    const now = this.#ctx.clock.monotonic();
    const known = this.#reports.get(driver) ?? new Map<string, Report>();
    this.#reports.set(driver, known);
    const changed: DeviceName[] = [];
    for (const { device, health = 'UNKNOWN', message = '', healthCheckTimeoutSeconds = 0 } of devices) {
      const name = { driver, pool: device?.poolName ?? '', device: device?.deviceName ?? '' };
      const report: Report = {
        name,
        health: HEALTH[health],
        message,
        goodUntil: now + (healthCheckTimeoutSeconds > 0 ? healthCheckTimeoutSeconds * 1000 : DEFAULT_GOOD_MS),
      };
      const before = this.of(name);
      if (before.health !== report.health || before.message !== report.message) changed.push(name);
      known.set(keyOf(name), report);
    }
    this.#expire(driver, known);
    if (changed.length > 0) this.#onChange(changed);
  }

  /** Tells when the next one is not good any more. */
  #expire(driver: string, known: Map<string, Report>): void {
    const { clock } = this.#ctx;
    this.#expiries.get(driver)?.cancel();
    this.#expiries.delete(driver);
    const first = Math.min(...[...known.values()].map(({ goodUntil }) => goodUntil));
    if (!Number.isFinite(first)) return;
    const timer = clock.after(Math.max(0, first - clock.monotonic()), () => {
      const gone = [...known.values()].filter(({ goodUntil }) => clock.monotonic() >= goodUntil);
      for (const { name } of gone) known.delete(keyOf(name));
      this.#expire(driver, known);
      this.#onChange(gone.map(({ name }) => name));
    });
    this.#expiries.set(driver, timer);
  }

  #forget(driver: string): void {
    const gone = [...(this.#reports.get(driver)?.values() ?? [])].map(({ name }) => name);
    this.#expiries.get(driver)?.cancel();
    this.#expiries.delete(driver);
    this.#reports.delete(driver);
    if (gone.length > 0 && !this.#ctx.signal.aborted) this.#onChange(gone);
  }
}

const HEALTH = { UNKNOWN: 'Unknown', HEALTHY: 'Healthy', UNHEALTHY: 'Unhealthy' } as const;

const keyOf = ({ pool, device }: DeviceName): string => `${pool}/${device}`;
