/** The cloud provider interface, as Kubernetes' (InstancesV2). A provider leaves out what it does not support. */
import type { LoadBalancerStatus, Node, NodeAddress, Service } from '../api/generated/core-v1.ts';

export type { LoadBalancerStatus };

export interface CloudProvider {
  /** The scheme of its provider ids: `local://node-1`. */
  readonly name: string;
  readonly instances?: Instances;
  readonly loadBalancers?: LoadBalancers;
  readonly routes?: Routes;
  /** Work of the provider itself, such as health checks, until the signal aborts. */
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
  /** Undefined when the Service has no load balancer. */
  get(clusterName: string, service: Service): Promise<LoadBalancerStatus | undefined>;
  /** Creates or updates the load balancer; idempotent. */
  ensure(clusterName: string, service: Service, nodes: readonly Node[]): Promise<LoadBalancerStatus>;
  /** Sets the nodes of a load balancer that exists. */
  update(clusterName: string, service: Service, nodes: readonly Node[]): Promise<void>;
  /** Deletes the load balancer; succeeds when there is none. */
  ensureDeleted(clusterName: string, service: Service): Promise<void>;
}

export interface Route {
  readonly name?: string;
  readonly targetNode: string;
  readonly destinationCidr: string;
  /** The route's target node is gone. */
  readonly blackhole?: boolean;
}

export interface Routes {
  list(clusterName: string): Promise<readonly Route[]>;
  create(clusterName: string, nameHint: string, route: Route): Promise<void>;
  delete(clusterName: string, route: Route): Promise<void>;
}
