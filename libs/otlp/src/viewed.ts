// Bytes, together with a DataView of these bytes. The DataView can read or write four bytes at once, even at a position that is not a
// multiple of four.

export interface Viewed {
  readonly bytes: Buffer
  /** DataView of the same bytes. */
  readonly view: DataView
}

export const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView => new DataView(buffer, byteOffset, length)
