// Bytes, together with a DataView of these bytes. The DataView can access four bytes at any position.

export interface Viewed {
  readonly bytes: Buffer
  /** DataView of the same bytes. */
  readonly view: DataView
}

export const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView => new DataView(buffer, byteOffset, length)
