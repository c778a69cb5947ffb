/** Linux namespaces of a container in the OCI spec. */
import type { IDMapping, NamespaceOption } from '../../cri/index.ts';
import type { OciIdMapping, OciNamespace } from './oci-types.ts';

/** Paths of the sandbox's namespaces; undefined means the host's namespace. */
export interface SandboxNamespaces {
  readonly network?: string;
  readonly ipc?: string;
  readonly uts?: string;
  /** The shared PID namespace (shareProcessNamespace). */
  readonly pid?: string;
  readonly user?: string;
}

interface NamespaceOptions {
  readonly options: NamespaceOption | undefined;
  readonly sandbox: SandboxNamespaces;
  /** The PID namespace of an ephemeral container's target container. */
  readonly targetPid: string | undefined;
  /** Whether the container has its own cgroup namespace; otherwise it sees the host's cgroup tree. */
  readonly privateCgroup: boolean;
}

export function containerNamespaces({
  options = {},
  sandbox,
  targetPid,
  privateCgroup,
}: NamespaceOptions): OciNamespace[] {
  const namespaces: OciNamespace[] = [{ type: 'mount' }];
  const join = (type: OciNamespace['type'], path: string | undefined): void => {
    if (path !== undefined) namespaces.push({ type, path });
  };
  join('network', sandbox.network);
  join('ipc', sandbox.ipc);
  join('uts', sandbox.uts);
  join('user', sandbox.user);
  switch (options.pid ?? 'POD') {
    case 'POD':
      if (sandbox.pid === undefined) throw new Error('the sandbox has no PID namespace that its containers share');
      join('pid', sandbox.pid);
      break;
    case 'CONTAINER':
      namespaces.push({ type: 'pid' });
      break;
    case 'TARGET':
      if (targetPid === undefined)
        throw new Error('a container with the PID namespace of another one must name that container');
      join('pid', targetPid);
      break;
    case 'NODE':
      break;
  }
  if (privateCgroup) namespaces.push({ type: 'cgroup' });
  return namespaces;
}

export function idMappings(mappings: readonly IDMapping[] | undefined): OciIdMapping[] {
  return (mappings ?? []).map(({ hostId = 0, containerId = 0, length = 0 }) => ({
    containerID: containerId,
    hostID: hostId,
    size: length,
  }));
}
