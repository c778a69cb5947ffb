/**
 * The pause program: the first process of a shared PID namespace. It waits for ever and ignores SIGCHLD, so that the
 * kernel reaps orphans. The executable is generated here, so that no pause image is needed.
 *
 *   rt_sigaction(SIGCHLD, &{ SIG_IGN }, NULL, 8); for (;;) pause();
 */
const HEADER_BYTES = 64 + 56;
const LOAD_ADDRESS = 0x40_0000n;
const ELF_MACHINE = { x64: 62, arm64: 183 } as const;

type Machine = keyof typeof ELF_MACHINE;

/** struct sigaction of the kernel: handler SIG_IGN (1), no flags, no restorer, no mask. */
const IGNORE_ACTION = [1, 0, 0, 0, ...Array<number>(28).fill(0)];

const X64_CODE = [
  ...[0xb8, 13, 0, 0, 0], // mov eax, rt_sigaction
  ...[0xbf, 17, 0, 0, 0], // mov edi, SIGCHLD
  ...[0x48, 0x8d, 0x35, 19, 0, 0, 0], // lea rsi, [rip + action]
  ...[0x31, 0xd2], // xor edx, edx
  ...[0x41, 0xba, 8, 0, 0, 0], // mov r10d, 8
  ...[0x0f, 0x05], // syscall
  ...[0xb8, 34, 0, 0, 0], // again: mov eax, pause
  ...[0x0f, 0x05], // syscall
  ...[0xeb, 0xf7], // jmp again
];

const movz = (register: number, value: number): number => (0xd280_0000 | (value << 5) | register) >>> 0;
const SVC = 0xd400_0001;
/** rt_sigaction is 134, ppoll (there is no pause) 73; `adr` is relative to itself, eleven words before the action. */
const ARM64_WORDS = [
  ...[movz(8, 134), movz(0, 17), (0x1000_0000 | (11 << 5) | 1) >>> 0, movz(2, 0), movz(3, 8), SVC],
  ...[movz(0, 0), movz(1, 0), movz(2, 0), movz(3, 0), movz(8, 73), SVC],
  0x17ff_fffa, // b, six words back
];

function machineCode(machine: Machine): Buffer {
  if (machine === 'x64') return Buffer.from([...X64_CODE, ...IGNORE_ACTION]);
  const code = Buffer.alloc(ARM64_WORDS.length * 4);
  ARM64_WORDS.forEach((word, index) => code.writeUInt32LE(word, index * 4));
  return Buffer.concat([code, Buffer.from(IGNORE_ACTION)]);
}

/** A static ELF executable; `machine` is Node's name of the architecture. */
export function pauseProgram(machine: string): Buffer {
  if (machine !== 'x64' && machine !== 'arm64')
    throw new Error(`containers cannot share a PID namespace on ${machine}: there is no process to hold it`);
  const code = machineCode(machine);
  const header = Buffer.alloc(HEADER_BYTES);
  // Identification: 64 bits, little endian, version 1, System V.
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]).copy(header);
  header.writeUInt16LE(2, 16); // executable
  header.writeUInt16LE(ELF_MACHINE[machine], 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(LOAD_ADDRESS + BigInt(HEADER_BYTES), 24); // entry
  header.writeBigUInt64LE(64n, 32); // program headers
  header.writeUInt16LE(64, 52); // size of this header
  header.writeUInt16LE(56, 54); // size of a program header
  header.writeUInt16LE(1, 56); // of which there is one:
  header.writeUInt32LE(1, 64); // load
  header.writeUInt32LE(5, 68); // readable, executable
  header.writeBigUInt64LE(LOAD_ADDRESS, 80);
  header.writeBigUInt64LE(LOAD_ADDRESS, 88);
  header.writeBigUInt64LE(BigInt(HEADER_BYTES + code.length), 96);
  header.writeBigUInt64LE(BigInt(HEADER_BYTES + code.length), 104);
  header.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([header, code]);
}
