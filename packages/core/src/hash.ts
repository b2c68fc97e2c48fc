function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}

/** Returns the SHA-256 of a text's UTF-8 bytes, as 64 lower-case hexadecimal characters. */
export async function sha256Hex(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/** Returns `count` random bytes as lower-case hexadecimal text. */
export function randomHex(count: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(count)))
}
