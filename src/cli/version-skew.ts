/** Which versions may work together: one minor release at a time, and never a node that is newer than its server. */

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

function parseVersion(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3] ?? 0) } : undefined;
}

/** Why `to` cannot continue data of `from`; undefined when it can. */
export function upgradeProblem(from: string, to: string): string | undefined {
  const [before, after] = [parseVersion(from), parseVersion(to)];
  if (!before || !after) return undefined;
  const distance = after.minor - before.minor;
  if (after.major < before.major || (after.major === before.major && distance < 0))
    return `k8ts ${to} is older than ${from}, which wrote the data last; restore a snapshot of that time to go back`;
  if (after.major === before.major && distance > 1)
    return `from k8ts ${from} to ${to} is more than one minor release; upgrade to ${before.major}.${before.minor + 1} first`;
  return undefined;
}

/** As Kubernetes has it: a kubelet may be three minor releases older than the API server, and never newer. */
const MAX_KUBELET_DISTANCE = 3;

/** Why a node with this Kubernetes version cannot work with the server's; undefined when it can. */
export function nodeProblem(server: string, node: string): string | undefined {
  const [of, own] = [parseVersion(server), parseVersion(node)];
  if (!of || !own) return undefined;
  const distance = of.minor - own.minor;
  if (distance < 0)
    return `the server has Kubernetes ${server}, and this node would have ${node}; upgrade the server first`;
  if (distance > MAX_KUBELET_DISTANCE)
    return `the server has Kubernetes ${server}, and this node would have ${node}, which is too old for it`;
  return undefined;
}
