/** Settings for CRI configurations of pods, from the kubelet's configuration. */
import path from 'node:path';
import type { UserNamespace } from '../../cri/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import type { SecuritySettings } from '../runtime/security-context.ts';
import type { ResourceSettings } from './container-resources.ts';
import type { PodDependencies } from './pod-dependencies.ts';

export const resourceSettings = ({
  cpuCFSQuota,
  cpuCFSQuotaPeriod,
  podPidsLimit,
}: KubeletConfiguration): ResourceSettings => ({
  cpuCfsQuota: cpuCFSQuota,
  cpuPeriodMicroseconds: cpuCFSQuotaPeriod * 1000,
  podPidsLimit,
});

export const securitySettings = (
  { config, rootDirectory }: Pick<PodDependencies, 'config' | 'rootDirectory'>,
  userNamespace: UserNamespace | undefined,
): SecuritySettings => ({
  seccompDefault: config.seccompDefault,
  seccompDirectory: path.join(rootDirectory, 'seccomp'),
  userNamespace,
});
