/**
 * Gets images onto the node. Pulls run beside the pods' workers: who asks for an image that is on its way is told so and
 * woken when it has come, so that no slow registry holds a pod up when it shall be stopped.
 */
import type { Container, EphemeralContainer, Pod, Secret } from '../../api/generated/core-v1.ts';
import { errorMessage, formatDurationNanos } from '../../base/index.ts';
import type { AuthConfig, ContainerRuntime, PodSandboxConfig } from '../../cri/index.ts';
import type { Context } from '../../kernel/index.ts';
import { BackOffTable } from '../pod/back-off.ts';
import type { StartProblem } from '../pod/container-statuses.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { rpcErrorText } from '../runtime/rpc-error.ts';
import { withDefaultTag } from './image-reference.ts';
import { credentialsFor } from './pull-secrets.ts';

export type ImageOutcome =
  | { readonly type: 'present'; readonly imageRef: string }
  | { readonly type: 'pulling' }
  | { readonly type: 'problem'; readonly problem: StartProblem; readonly retryInMs: number | undefined };

export interface ImageRequest {
  readonly pod: Pod;
  readonly container: Pick<Container | EphemeralContainer, 'name' | 'image' | 'imagePullPolicy'>;
  /** The pod's pull secrets; asked for only when something is pulled. */
  readonly secrets: () => Promise<readonly Secret[]>;
  readonly sandboxConfig?: PodSandboxConfig;
  /** Called when a pull that was under way has ended, well or not. */
  readonly wake: () => void;
}

export interface ImageManagerOptions {
  readonly runtime: ContainerRuntime;
  readonly events: PodEvents;
  /** How many images are pulled at once; one after the other unless told otherwise, as upstream. */
  readonly parallelPulls: number;
  readonly onUse?: (imageRef: string) => void;
  /** Credentials that the node has of its own; those of the pod are tried first. */
  readonly nodeCredentials?: (image: string, pod: Pod) => Promise<readonly AuthConfig[]>;
}

interface Pull {
  readonly wakers: Set<() => void>;
}

interface Finished {
  readonly error?: string;
  readonly code?: string;
  readonly imageRef?: string;
}

const BACK_OFF = { initialMs: 10_000, maxMs: 300_000 };

export class ImageManager {
  readonly #ctx: Context;
  readonly #options: ImageManagerOptions;
  readonly #backOff = new BackOffTable(BACK_OFF);
  readonly #failedAt = new Map<string, number>();
  readonly #lastError = new Map<string, string>();
  readonly #pulls = new Map<string, Pull>();
  readonly #finished = new Map<string, Finished>();
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(ctx: Context, options: ImageManagerOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  async ensure(request: ImageRequest): Promise<ImageOutcome> {
    const { pod, container } = request;
    const { events } = this.#options;
    const asked = container.image ?? '';
    let image: string;
    try {
      image = withDefaultTag(asked);
    } catch (error) {
      const message = `Failed to apply default image tag ${JSON.stringify(asked)}: ${errorMessage(error)}`;
      events.container(pod, container.name, 'Warning', 'InspectFailed', message);
      return { type: 'problem', problem: { reason: 'InvalidImageName', message }, retryInMs: undefined };
    }
    const key = `${uidOf(pod)}_${asked}`;
    const pulling = this.#pulls.get(key);
    if (pulling !== undefined) {
      pulling.wakers.add(request.wake);
      return { type: 'pulling' };
    }
    const finished = this.#finished.get(key);
    this.#finished.delete(key);
    if (finished?.error !== undefined) return this.#failed(key, finished, request);
    if (finished?.imageRef !== undefined) return this.#present(finished.imageRef);
    let imageRef: string;
    try {
      imageRef = await this.#imageRef(image);
    } catch (error) {
      const message = `Failed to inspect image ${JSON.stringify(asked)}: ${errorMessage(error)}`;
      events.container(pod, container.name, 'Warning', 'InspectFailed', message);
      return { type: 'problem', problem: { reason: 'ImageInspectError', message }, retryInMs: BACK_OFF.initialMs };
    }
    const policy = container.imagePullPolicy ?? 'IfNotPresent';
    if (imageRef !== '' && policy !== 'Always') {
      events.container(
        pod,
        container.name,
        'Normal',
        'Pulled',
        `Container image ${JSON.stringify(asked)} already present on machine and can be accessed by the pod`,
      );
      return this.#present(imageRef);
    }
    if (policy === 'Never') {
      const message = `Container image ${JSON.stringify(asked)} is not present with pull policy of Never`;
      events.container(pod, container.name, 'Warning', 'ErrImageNeverPull', message);
      return { type: 'problem', problem: { reason: 'ErrImageNeverPull', message }, retryInMs: BACK_OFF.initialMs };
    }
    const now = this.#ctx.clock.monotonic();
    const failedAt = this.#failedAt.get(key);
    const left = failedAt === undefined ? 0 : this.#backOff.remaining(key, failedAt, now);
    if (left > 0) {
      events.container(pod, container.name, 'Normal', 'BackOff', `Back-off pulling image ${JSON.stringify(asked)}`);
      const last = this.#lastError.get(key);
      const message = `Back-off pulling image ${JSON.stringify(asked)}${last === undefined ? '' : `: ${last}`}`;
      return { type: 'problem', problem: { reason: 'ImagePullBackOff', message }, retryInMs: left };
    }
    events.container(pod, container.name, 'Normal', 'Pulling', `Pulling image ${JSON.stringify(asked)}`);
    const pull: Pull = { wakers: new Set([request.wake]) };
    this.#pulls.set(key, pull);
    void this.#pull(key, image, request).then((result) => {
      this.#pulls.delete(key);
      this.#finished.set(key, result);
      for (const wake of pull.wakers) wake();
    });
    return { type: 'pulling' };
  }

  /** What was remembered of a pod that is gone. */
  forget(podUid: string): void {
    const prefix = `${podUid}_`;
    this.#backOff.forget(prefix);
    for (const map of [this.#failedAt, this.#lastError, this.#finished])
      for (const key of map.keys()) if (key.startsWith(prefix)) map.delete(key);
  }

  #present(imageRef: string): ImageOutcome {
    this.#options.onUse?.(imageRef);
    return { type: 'present', imageRef };
  }

  #failed(key: string, { error = '', code }: Finished, { pod, container }: ImageRequest): ImageOutcome {
    const now = this.#ctx.clock.monotonic();
    const asked = container.image ?? '';
    this.#options.events.container(
      pod,
      container.name,
      'Warning',
      'Failed',
      `Failed to pull image ${JSON.stringify(asked)}: ${error}`,
    );
    this.#backOff.next(key, this.#failedAt.get(key) ?? now, now);
    this.#failedAt.set(key, now);
    const reason = code === 'RegistryUnavailable' || code === 'SignatureValidationFailed' ? code : 'ErrImagePull';
    this.#lastError.set(key, `${reason}: ${error}`);
    return { type: 'problem', problem: { reason, message: error }, retryInMs: this.#backOff.remaining(key, now, now) };
  }

  async #imageRef(image: string): Promise<string> {
    const { images } = this.#options.runtime;
    return (await images.imageStatus({ image: { image } })).image?.id ?? '';
  }

  async #pull(key: string, image: string, { pod, container, secrets, sandboxConfig }: ImageRequest): Promise<Finished> {
    const { clock, signal } = this.#ctx;
    const { runtime, events, parallelPulls } = this.#options;
    const waitingSince = clock.monotonic();
    if (this.#running >= parallelPulls) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running++;
    const startedAt = clock.monotonic();
    try {
      const credentials = [
        ...credentialsFor(image, await secrets()),
        ...((await this.#options.nodeCredentials?.(image, pod)) ?? []),
      ];
      let failure: unknown;
      for (const auth of credentials.length === 0 ? [undefined] : credentials) {
        try {
          const { imageRef = '' } = await runtime.images.pullImage(
            {
              image: { image },
              ...(auth === undefined ? {} : { auth }),
              ...(sandboxConfig === undefined ? {} : { sandboxConfig }),
            },
            { signal },
          );
          const size = (await runtime.images.imageStatus({ image: { image: imageRef } })).image?.size ?? 0;
          const text = (since: number): string =>
            formatDurationNanos(BigInt(Math.round(clock.monotonic() - since)) * 1_000_000n);
          events.container(
            pod,
            container.name,
            'Normal',
            'Pulled',
            `Successfully pulled image ${JSON.stringify(container.image)} in ${text(startedAt)} (${text(waitingSince)} including waiting). Image size: ${size} bytes.`,
          );
          this.#backOff.reset(key);
          return { imageRef };
        } catch (error) {
          failure = error;
        }
      }
      return { error: rpcErrorText(failure), code: errorMessage(failure).split(':')[0] };
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
