/** Mounts a block device, after it got a file system if it has none, or after its file system was checked. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface DeviceMountRequest {
  readonly device: string;
  readonly target: string;
  readonly fsType: string;
  /** As of mount(8). */
  readonly options: readonly string[];
}

interface ProgramError extends Error {
  readonly code?: number | string;
  readonly stdout?: string;
  readonly stderr?: string;
}

type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

const runProgram: RunProgram = async (program, args) => (await promisify(execFile)(program, [...args])).stdout;

const FORMAT_ARGUMENTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['ext3', ['-F', '-m0']],
  ['ext4', ['-F', '-m0']],
  ['xfs', ['-f']],
]);

/** Exit codes of fsck(8): errors that it corrected, and those that it could not. */
const FSCK_CORRECTED = 1;
const FSCK_UNCORRECTED = 4;

export async function formatAndMount(
  { device, target, fsType, options }: DeviceMountRequest,
  run: RunProgram = runProgram,
): Promise<void> {
  const readOnly = options.includes('ro');
  const format = await formatOf(device, run);
  if (format === '') {
    if (readOnly)
      throw new Error(`cannot mount unformatted disk ${device} as we are manipulating it in read-only mode`);
    await run(`mkfs.${fsType}`, [...(FORMAT_ARGUMENTS.get(fsType) ?? []), device]).catch((error: ProgramError) => {
      const output = `${error.stdout ?? ''}${error.stderr ?? ''}`;
      const what = `type:(${JSON.stringify(fsType)}) target:(${JSON.stringify(target)})`;
      throw new Error(`format of disk ${JSON.stringify(device)} failed: ${what} output:(${output})`, { cause: error });
    });
  } else if (!readOnly) {
    await repair(device, run);
  }
  await run('mount', ['-t', fsType, '-o', [...options, 'defaults'].join(), device, target]);
}

/** The type of the file system or partition table on the device; empty if there is none. */
async function formatOf(device: string, run: RunProgram): Promise<string> {
  try {
    const text = await run('blkid', ['-p', '-s', 'TYPE', '-s', 'PTTYPE', '-o', 'export', device]);
    return /^(?:TYPE|PTTYPE)=(.+)$/m.exec(text)?.[1] ?? '';
  } catch (error) {
    // blkid found nothing.
    if ((error as ProgramError).code === 2) return '';
    throw error;
  }
}

async function repair(device: string, run: RunProgram): Promise<void> {
  try {
    await run('fsck', ['-a', device]);
  } catch (error) {
    const { code, stdout = '' } = error as ProgramError;
    if (code === FSCK_UNCORRECTED)
      throw new Error(`'fsck' found errors on device ${device} but could not correct them: ${stdout}`, {
        cause: error,
      });
    // Other codes, and a missing program, do not keep the volume from being mounted.
    if (code === FSCK_CORRECTED) return;
  }
}

/** Makes the file system on a device, which is mounted, as large as the device. */
export async function growFileSystem(device: string, mountPoint: string, run: RunProgram = runProgram): Promise<void> {
  const format = await formatOf(device, run);
  if (format === 'xfs') await run('xfs_growfs', ['-d', mountPoint]);
  else if (format === 'btrfs') await run('btrfs', ['filesystem', 'resize', 'max', mountPoint]);
  else if (format === 'ext3' || format === 'ext4') await run('resize2fs', [device]);
  else throw new Error(`resize of format ${format} is not supported for device ${device} mounted at ${mountPoint}`);
}
