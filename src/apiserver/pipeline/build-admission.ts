import type { Context } from '../../kernel/index.ts';
import { featureEnabled } from '../../machinery/index.ts';
import { AdmissionMetrics } from '../admission/admission-metrics.ts';
import { AdmissionChain } from '../admission/admission.ts';
import { podCertificateSigningCheck } from '../admission/certificate-signers.ts';
import { admissionPlugins } from '../admission/plugins.ts';
import { escalationCheck } from '../admission/rbac-escalation.ts';
import { resourceClaimStatusCheck } from '../admission/resource-claim-status.ts';
import type { Authorization } from '../authz/build.ts';
import type { Registry } from '../registry/registry.ts';
import type { StageRunner } from '../stage-thread/stage-runner.ts';
import type { WebhookClients } from '../webhook-client/index.ts';
import type { PipelineOptions } from './pipeline-options.ts';

/** Enabled besides upstream's defaults, as installers do: a kubelet may write only what belongs to its node. */
const INSTALLERS_PLUGINS = ['NodeRestriction'];

interface AdmissionDependencies extends Authorization {
  readonly registry: Registry;
  readonly webhooks: WebhookClients;
  readonly stages: StageRunner;
  readonly featureGates: PipelineOptions['featureGates'];
}

export function buildAdmission(
  ctx: Context,
  { registry, authorizer, rbac, webhooks, stages, featureGates = {} }: AdmissionDependencies,
  options: PipelineOptions['admission'],
): AdmissionChain {
  const enable = INSTALLERS_PLUGINS.filter((name) => !options?.disable?.includes(name));
  const plugins = admissionPlugins(ctx, registry, { enable, ...options, authorizer, webhooks, stages, featureGates });
  const always = [
    escalationCheck(rbac, authorizer),
    podCertificateSigningCheck(authorizer),
    ...(featureEnabled('DRAResourceClaimGranularStatusAuthorization', featureGates)
      ? [resourceClaimStatusCheck(authorizer)]
      : []),
  ];
  return new AdmissionChain([...plugins, ...always], new AdmissionMetrics(ctx));
}
