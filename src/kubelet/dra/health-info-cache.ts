/**
 * The health of DRA devices, from the NodeWatchResources stream of each driver. A report expires to Unknown after a
 * timeout.
 */
import { errorMessage } from '../../base/index.ts';
import { childContext, type Context, type Timer } from '../../kernel/index.ts';
import type { DRAResourceHealth, NodeWatchResourcesResponse } from './dra-health-v1alpha1.generated.ts';

interface DeviceHealth {
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
  readonly expiresAt: number;
}

const UNKNOWN: DeviceHealth = { health: 'Unknown', message: '' };
const DEFAULT_TIMEOUT_MS = 30_000;
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
    return report === undefined || this.#ctx.clock.monotonic() >= report.expiresAt ? UNKNOWN : report;
  }

  /** Watches until the signal aborts. Returns at once for drivers without the health service. */
  async follow(driver: string, service: DRAResourceHealth, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ctx;
    while (!signal.aborted) {
      try {
        for await (const response of service.nodeWatchResources({}, { signal })) this.#update(driver, response);
      } catch (error) {
        if ((error as { code?: string }).code === 'UNIMPLEMENTED') return;
        if (!signal.aborted)
          logger.v(1).info('Error receiving from the device health stream', { driver, err: errorMessage(error) });
      }
      this.#removeDriver(driver);
      await clock.sleep(RECONNECT_MS, signal).catch(() => {});
    }
  }

  /** A device that is missing in the response keeps its health until that expires. */
  #update(driver: string, { devices = [] }: NodeWatchResourcesResponse): void {
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
        expiresAt: now + (healthCheckTimeoutSeconds > 0 ? healthCheckTimeoutSeconds * 1000 : DEFAULT_TIMEOUT_MS),
      };
      const before = this.of(name);
      if (before.health !== report.health || before.message !== report.message) changed.push(name);
      known.set(keyOf(name), report);
    }
    this.#scheduleExpiry(driver, known);
    if (changed.length > 0) this.#onChange(changed);
  }

  /** Schedules the notification for the report that expires next. */
  #scheduleExpiry(driver: string, known: Map<string, Report>): void {
    const { clock } = this.#ctx;
    this.#expiries.get(driver)?.cancel();
    this.#expiries.delete(driver);
    const first = Math.min(...[...known.values()].map(({ expiresAt }) => expiresAt));
    if (!Number.isFinite(first)) return;
    const timer = clock.after(Math.max(0, first - clock.monotonic()), () => {
      const gone = [...known.values()].filter(({ expiresAt }) => clock.monotonic() >= expiresAt);
      for (const { name } of gone) known.delete(keyOf(name));
      this.#scheduleExpiry(driver, known);
      this.#onChange(gone.map(({ name }) => name));
    });
    this.#expiries.set(driver, timer);
  }

  #removeDriver(driver: string): void {
    const gone = [...(this.#reports.get(driver)?.values() ?? [])].map(({ name }) => name);
    this.#expiries.get(driver)?.cancel();
    this.#expiries.delete(driver);
    this.#reports.delete(driver);
    if (gone.length > 0 && !this.#ctx.signal.aborted) this.#onChange(gone);
  }
}

const HEALTH = { UNKNOWN: 'Unknown', HEALTHY: 'Healthy', UNHEALTHY: 'Unhealthy' } as const;

const keyOf = ({ pool, device }: DeviceName): string => `${pool}/${device}`;
