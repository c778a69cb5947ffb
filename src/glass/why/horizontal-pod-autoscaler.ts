/** Why a HorizontalPodAutoscaler does not scale. */
import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import type { Cause, Explanation, Subject } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import type { Reader } from './reader.ts';

const METRICS_API = 'v1beta1.metrics.k8s.io';

export async function explainHorizontalPodAutoscaler(
  reader: Reader,
  scaler: HorizontalPodAutoscaler,
): Promise<Explanation> {
  const { metadata, spec, status } = scaler;
  const subject: Subject = {
    kind: 'HorizontalPodAutoscaler',
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
  };
  const { currentReplicas = 0, desiredReplicas = 0, conditions } = status ?? {};
  const isActive = !conditions?.some(({ type, status: is }) => type === 'ScalingActive' && is !== 'True');
  const state = `${currentReplicas} replicas, ${isActive && conditions?.length ? `${desiredReplicas} wanted` : 'how many are wanted is not known'}`;
  if (!conditions?.length)
    return unhealthy(subject, state, [
      {
        reason: 'NotObserved',
        message: 'the autoscaler has not looked at it yet',
        remedy: 'see that kube-controller-manager runs and holds its lease',
      },
    ]);
  const causes: Cause[] = [];
  for (const { type, status: is, reason = '', message = '' } of conditions) {
    if ((type === 'AbleToScale' || type === 'ScalingActive') && is === 'False')
      causes.push({ reason, message, ...(await remedyOf(reader, scaler, reason)) });
  }
  if (causes.length > 0) return unhealthy(subject, state, causes);
  const limited = conditions.find(({ type, status: is }) => type === 'ScalingLimited' && is === 'True');
  const limit = `minReplicas is ${spec?.minReplicas ?? 1}, maxReplicas is ${spec?.maxReplicas}`;
  return healthy(
    subject,
    state,
    limited ? [{ reason: limited.reason ?? '', message: limited.message ?? '', evidence: [limit] }] : [],
  );
}

async function remedyOf(
  reader: Reader,
  { metadata, spec }: HorizontalPodAutoscaler,
  reason: string,
): Promise<{ remedy?: string }> {
  if (reason === 'FailedGetScale')
    return {
      remedy: `see that the ${spec?.scaleTargetRef.kind} ${spec?.scaleTargetRef.name} exists in namespace ${metadata.namespace}`,
    };
  if (!reason.startsWith('FailedGetResourceMetric')) return {};
  const { object: api, known } = await reader.get('apiregistration.k8s.io/v1/apiservices', { name: METRICS_API });
  if (known && !api) return { remedy: 'install the metrics server: metrics.k8s.io is not served' };
  const available = api?.status?.conditions?.find(({ type }) => type === 'Available');
  if (available?.status !== 'True')
    return { remedy: `the metrics server does not answer: ${available?.message ?? ''}` };
  return { remedy: 'give the containers requests: the autoscaler counts in parts of them' };
}
