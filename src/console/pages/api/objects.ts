/** Objects as the API serves them; everything of them may be missing or hostile. */
interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: FieldSet;
}

export interface FieldSet {
  readonly [key: string]: FieldSet;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Metadata;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] };
}

export interface ObjectList<T extends ApiObject = ApiObject> {
  readonly items: readonly T[];
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly state?: Readonly<
    Record<
      string,
      {
        readonly reason?: string;
        readonly exitCode?: number;
        readonly startedAt?: string;
        readonly finishedAt?: string;
        readonly message?: string;
      }
    >
  >;
  readonly lastState?: ContainerStatus['state'];
}

export interface PodObject extends ApiObject {
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly containers?: readonly {
      readonly name: string;
      readonly image?: string;
      readonly ports?: readonly { readonly containerPort?: number; readonly protocol?: string }[];
    }[];
    readonly initContainers?: readonly { readonly name: string; readonly image?: string }[];
    readonly volumes?: readonly Readonly<
      Record<string, { readonly name?: string; readonly secretName?: string; readonly claimName?: string }>
    >[];
  };
  readonly status?: ApiObject['status'] & {
    readonly phase?: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface EventObject extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly involvedObject?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
}
