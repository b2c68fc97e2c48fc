// Bytes that are also read and written a word at a time, wherever it begins.

export interface Viewed {
  readonly bytes: Buffer
  /** Of the same bytes. */
  readonly view: DataView
}

export const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView => new DataView(buffer, byteOffset, length)
