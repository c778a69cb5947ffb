/**
 * `k8ts/testing`: what a test needs, without the client's parts. A cluster a file, or one forked for every test:
 *
 *     const cluster = await Cluster.start({ clock: 'virtual' });
 *     const mine = await cluster.fork();
 */
export {
  ADDONS,
  BEHAVIOUR_ANNOTATION,
  Cluster,
  ClusterSnapshot,
  SIMULATED_LABEL,
  type Addon,
  type ApplyOptions,
  type ClusterStartOptions,
  type Duration,
  type ExecResult,
  type Fault,
  type FaultOptions,
  type Faults,
  type Manifests,
  type NodeTemplate,
  type PodBehaviour,
  type PodScript,
  type PodUsage,
  type RequestMatch,
  type SimulatedPod,
  type WaitCondition,
  type WaitOptions,
} from './index.ts';
export {
  failureText,
  operation,
  simulate,
  SimulationFailed,
  type Check,
  type CheckContext,
  type FaultName,
  type Operation,
  type OperationName,
  type Operator,
  type OperatorOverHttp,
  type Plan,
  type PlanOptions,
  type ProcessContext,
  type RunOptions,
  type SimulateOptions,
  type SimulationFailure,
  type SimulationReport,
  type Verdict,
  type Violation,
  type Work,
  type WorldResult,
} from './simulation/index.ts';
