/** What a cloud can do, in the words of Kubernetes' cloud provider interface (instances v2). Absent parts are not done. */
import type { LoadBalancerStatus, Node, NodeAddress, Service } from '../api/generated/core-v1.ts';

export type { LoadBalancerStatus };

export interface CloudProvider {
  /** The scheme of its provider ids: `local://node-1`. */
  readonly name: string;
  readonly instances?: Instances;
  readonly loadBalancers?: LoadBalancers;
  readonly routes?: Routes;
  /** What it does on its own, such as health checks, until the signal aborts. */
  run?(signal: AbortSignal): Promise<void>;
}

export interface Instances {
  exists(node: Node): Promise<boolean>;
  isShutDown(node: Node): Promise<boolean>;
  metadata(node: Node): Promise<InstanceMetadata>;
}

export interface InstanceMetadata {
  /** The whole id: `local://node-1`. */
  readonly providerId: string;
  readonly instanceType?: string;
  readonly addresses: readonly NodeAddress[];
  readonly zone?: string;
  readonly region?: string;
  readonly additionalLabels?: Readonly<Record<string, string>>;
}

export interface LoadBalancers {
  /** Undefined when there is none. */
  get(clusterName: string, service: Service): Promise<LoadBalancerStatus | undefined>;
  /** Makes it, or makes it what it should be; may be called again at any time. */
  ensure(clusterName: string, service: Service, nodes: readonly Node[]): Promise<LoadBalancerStatus>;
  /** The nodes have changed. */
  update(clusterName: string, service: Service, nodes: readonly Node[]): Promise<void>;
  /** Removes it; one that is not there is removed already. */
  ensureDeleted(clusterName: string, service: Service): Promise<void>;
}

export interface Route {
  readonly name?: string;
  readonly targetNode: string;
  readonly destinationCidr: string;
  /** The node that it leads to is gone. */
  readonly blackhole?: boolean;
}

export interface Routes {
  list(clusterName: string): Promise<readonly Route[]>;
  create(clusterName: string, nameHint: string, route: Route): Promise<void>;
  delete(clusterName: string, route: Route): Promise<void>;
}
