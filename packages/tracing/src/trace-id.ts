// Trace ids that an application can recompute from a seed.
import { randomHex, sha256Hex } from '@svc/core'

/** Returns a trace id of 32 hexadecimal characters: always the same for the same seed, random without a seed. */
export async function createTraceId(seed?: string): Promise<string> {
  return seed ? (await sha256Hex(seed)).slice(0, 32) : randomHex(16)
}
