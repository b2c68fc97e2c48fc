import { randomHex, sha256Hex } from '@svc/core'

/** Returns a trace id of 32 hexadecimal characters. With a seed, the id depends only on the seed. Without a seed, the id is random. */
export async function createTraceId(seed?: string): Promise<string> {
  return seed ? (await sha256Hex(seed)).slice(0, 32) : randomHex(16)
}
