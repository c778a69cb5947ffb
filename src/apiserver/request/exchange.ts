/** The seat of flow control that a request has. */
import type { Timer } from '../../kernel/index.ts';

export interface SeatHolder {
  /** Gives the seat back; absent while there is none. */
  leave?: () => void;
  /** Gives it back at the latest. */
  seatLimit?: Timer | undefined;
}

/** May be called again. */
export function leaveSeat(holder: SeatHolder): void {
  holder.seatLimit?.cancel();
  holder.leave?.();
}
