/** Runs postStart and preStop lifecycle hooks. */
import type { Container, EphemeralContainer, LifecycleHandler } from '../../api/generated/core-v1.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Dial } from '../probes/dial.ts';
import { actionHeaders, actionUrl, httpGet } from '../probes/http-get.ts';
import { resolvePort } from '../probes/resolve-port.ts';

interface HandlerInput {
  readonly handler: LifecycleHandler;
  readonly container: Pick<Container | EphemeralContainer, 'name' | 'ports'>;
  readonly containerId: string;
  readonly podIp: string;
  readonly runtime: ContainerRuntime;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Throws when the hook fails. */
export async function runHandler(input: HandlerInput): Promise<void> {
  const { handler, container, containerId, podIp, runtime, dial, clock, signal } = input;
  if (handler.exec !== undefined) {
    const { command = [] } = handler.exec;
    const {
      exitCode = 0,
      stdout = new Uint8Array(),
      stderr = new Uint8Array(),
    } = await runtime.runtime.execSync({ containerId, cmd: command, timeout: 0 }, { signal });
    const output = Buffer.concat([stdout, stderr]).toString();
    if (exitCode !== 0)
      throw new Error(
        `command '${command.join(' ')}' exited with ${exitCode}: ${output}, message: ${JSON.stringify(output)}`,
      );
  } else if (handler.httpGet !== undefined) {
    const url = actionUrl(handler.httpGet, podIp, resolvePort(handler.httpGet.port, container));
    await httpGet({ url, headers: actionHeaders(handler.httpGet, 'kube-lifecycle/1.36'), dial, signal });
  } else if (handler.tcpSocket !== undefined) {
    (await dial(handler.tcpSocket.host || podIp, resolvePort(handler.tcpSocket.port, container), signal)).destroy();
  } else if (handler.sleep !== undefined) await clock.sleep(handler.sleep.seconds * 1000, signal);
  else throw new Error(`invalid handler: {nil nil nil nil}`);
}
