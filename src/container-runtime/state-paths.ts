/** File paths below the state directory, which does not survive a reboot. */
import path from 'node:path';

export class StatePaths {
  readonly #state: string;

  constructor(stateDirectory: string) {
    this.#state = stateDirectory;
  }

  get sandboxes(): string {
    return path.join(this.#state, 's');
  }

  get containers(): string {
    return path.join(this.#state, 'c');
  }

  /** conmon writes a container's exit code to a file named after its id. */
  get exits(): string {
    return path.join(this.#state, 'exits');
  }

  /** The root file system of the pause process. */
  get pause(): string {
    return path.join(this.#state, 'pause');
  }

  /** The state directory of a handler's OCI runtime. */
  ociRoot(handler: string): string {
    return path.join(this.#state, 'oci', handler);
  }

  sandbox(id: string): SandboxPaths {
    const directory = path.join(this.sandboxes, id);
    const file = (name: string): string => path.join(directory, name);
    return {
      directory,
      net: file('net'),
      ipc: file('ipc'),
      uts: file('uts'),
      user: file('user'),
      pid: file('pid'),
      shm: file('shm'),
      resolvConf: file('resolv.conf'),
      hostname: file('hostname'),
      hosts: file('hosts'),
      infraBundle: file('infra'),
      infraPid: file('infra.pid'),
    };
  }

  container(id: string): ContainerPaths {
    const directory = path.join(this.containers, id);
    const file = (name: string): string => path.join(directory, name);
    return {
      directory,
      spec: file('config.json'),
      pid: file('pid'),
      conmonPid: file('conmon.pid'),
      attach: file('attach'),
      control: file('ctl'),
      persist: file('persist'),
      oom: file('persist/oom'),
      images: file('images'),
      mounts: file('mounts'),
      exit: path.join(this.exits, id),
    };
  }
}

export interface SandboxPaths {
  readonly directory: string;
  readonly net: string;
  readonly ipc: string;
  readonly uts: string;
  readonly user: string;
  readonly pid: string;
  readonly shm: string;
  readonly resolvConf: string;
  readonly hostname: string;
  readonly hosts: string;
  readonly infraBundle: string;
  readonly infraPid: string;
}

export interface ContainerPaths {
  /** The OCI bundle, with conmon's sockets and fifos. */
  readonly directory: string;
  readonly spec: string;
  readonly pid: string;
  readonly conmonPid: string;
  readonly attach: string;
  readonly control: string;
  readonly persist: string;
  readonly oom: string;
  /** Mount points of image volumes. */
  readonly images: string;
  /** Mount points of idmapped volumes, for pods with a user namespace. */
  readonly mounts: string;
  readonly exit: string;
}
