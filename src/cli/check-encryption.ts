import { wireguardObstacle } from '../cluster/index.ts';
import { CommandError } from './command.ts';

/** Refuses --encrypt by name where the kernel cannot do it. */
export async function checkEncryption(): Promise<void> {
  const obstacle = await wireguardObstacle();
  if (obstacle !== undefined) throw new CommandError(obstacle);
}
