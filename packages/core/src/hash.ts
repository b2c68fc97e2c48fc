// Digests and random bytes by Web Crypto, as hexadecimal text.

function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}

/** SHA-256 of the UTF-8 bytes of a text, 64 lower-case hexadecimal characters. */
export async function sha256Hex(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/** `count` random bytes as text: two lower-case hexadecimal characters for each byte. */
export function randomHex(count: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(count)))
}
