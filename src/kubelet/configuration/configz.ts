/** The active KubeletConfiguration for /configz. */
import { formatDuration } from '../../base/index.ts';
import type { Field } from './fields.ts';
import { KUBELET_FIELDS, type KubeletConfiguration } from './kubelet-configuration.ts';

export function configz(config: KubeletConfiguration): Record<string, unknown> {
  const values = config as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(KUBELET_FIELDS as Readonly<Record<string, Field>>)
      .map(([name, { kind }]): [string, unknown] => [
        name,
        kind === 'duration' ? formatDuration(Number(values[name] ?? 0)) : values[name],
      ])
      .filter(([, value]) => value !== undefined && value !== ''),
  );
}
