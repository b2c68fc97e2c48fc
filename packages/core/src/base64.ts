// Base64 with functions that every runtime has. Where Buffer exists, it is used instead, because it is faster.

interface BufferLike {
  from(data: string | Uint8Array, encoding?: string): Uint8Array & { toString(encoding: string): string }
}

const bufferOf = (): BufferLike | undefined => (globalThis as { Buffer?: BufferLike }).Buffer

/** More characters per call would overflow the stack of some engines. */
const chunkBytes = 8192

/** Decodes standard or URL-safe base64 text to bytes. Throws if the text is not base64. */
export function base64ToBytes(base64: string): Uint8Array {
  const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Encodes bytes as standard base64 text. */
export function bytesToBase64(bytes: Uint8Array): string {
  const buffer = bufferOf()
  if (buffer) return buffer.from(bytes).toString('base64')
  let binary = ''
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    binary += String.fromCharCode.apply(null, bytes.subarray(at, at + chunkBytes) as unknown as number[])
  }
  return btoa(binary)
}

/** Encodes the UTF-8 bytes of a text as base64. */
export function base64Encode(text: string): string {
  return bytesToBase64(new TextEncoder().encode(text))
}

/** Decodes base64 of UTF-8 bytes to a text. */
export function base64Decode(base64: string): string {
  return new TextDecoder().decode(base64ToBytes(base64))
}
