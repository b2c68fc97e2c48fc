// In shared memory, `set` and `fill` of a typed array are slow: one nanosecond per byte. Buffer's `copy` is faster.
const { copy } = Buffer.prototype as unknown as {
  copy(this: Uint8Array, target: Uint8Array, targetStart: number, start: number, end: number): number
}
const zeros = new Uint8Array(1 << 16)

/** Copies the bytes from `start` to `end` to the position `at` of the target, which must have enough space. */
export const copyBytes = (source: Uint8Array, start: number, end: number, target: Uint8Array, at: number): void => {
  copy.call(source, target, at, start, end)
}

export function zeroBytes(target: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; at += zeros.length) copy.call(zeros, target, at, 0, Math.min(zeros.length, end - at))
}
