// Examines four bytes at once, as a 32-bit word.

/** Repeats the byte four times in a word. */
export const everywhere = (byte: number): number => Math.imul(byte, 0x01010101)

const ones = everywhere(0x01)
const highs = everywhere(0x80)

/** Sets the highest bit of each zero byte. Only the lowest set bit of the result is reliable. Higher bits can be set wrongly. */
export const zeroBytes = (word: number): number => (word - ones) & ~word & highs

/** Returns the number of bytes before the first zero byte, or 4 if no byte is zero. `marks` is a result of `zeroBytes`. */
export const bytesBefore = (marks: number): number => (marks === 0 ? 4 : (31 - Math.clz32(marks & -marks)) >> 3)
