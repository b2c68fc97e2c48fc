// Guessing secrets for a public key gets slower with every guess, before the store is asked. Per address, so
// that nobody locks out somebody else.
import { AppError } from '@svc-server/errors'
import { LRUCache } from 'lru-cache'

export interface BackoffOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Guesses that cost no wait. Default 5. */
  readonly freeGuesses?: number
  /** Wait after the first guess beyond them; doubled with each. Default 1 s. */
  readonly firstMs?: number
  /** Longest wait; a pair that is quiet for ten times as long is forgotten. Default 60 s. */
  readonly maxMs?: number
  /** What it throws. Default: `key_backoff` of a public key. */
  readonly refusal?: { readonly code: 'key_backoff' | 'sign_in_backoff'; readonly message: string }
}

export interface Backoff {
  /** Throws its refusal when this pair has to wait. What it returns is told how the attempt ended. */
  attempt(address: string, publicKey: string, credential: string): (outcome: 'let in' | 'wrong' | 'unknown') => void
  /** A key was made: what was wrong may be right now. */
  forget(): void
}

interface Guesses {
  wrong: number
  underWay: number
  notBeforeMs: number
  lastMs: number
  /** The last credential that was wrong: whoever sends the same one again guesses nothing. */
  last: string
}

/** Least recently used pairs are forgotten above this. */
const maxPairs = 10_000

const ofKeys = { code: 'key_backoff', message: 'Too many wrong secret keys for this public key.' } as const

export function createBackoff({ clock, freeGuesses = 5, firstMs = 1_000, maxMs = 60_000, refusal = ofKeys }: BackoffOptions): Backoff {
  const pairs = new LRUCache<string, Guesses>({ max: maxPairs })

  function guessesOf(pair: string, nowMs: number): Guesses {
    const known = pairs.get(pair)
    if (known !== undefined && (known.underWay > 0 || nowMs - known.lastMs < 10 * maxMs)) return known
    const made: Guesses = { wrong: 0, underWay: 0, notBeforeMs: 0, lastMs: nowMs, last: '' }
    pairs.set(pair, made)
    return made
  }

  return {
    attempt(address, publicKey, credential) {
      const nowMs = clock()
      const pair = `${address} ${publicKey}`
      const guesses = guessesOf(pair, nowMs)
      const repeated = guesses.last === credential
      // Those that are under way count as if they were wrong: fifty at once are fifty guesses.
      const waitMs = Math.max(guesses.notBeforeMs - nowMs, guesses.underWay >= freeGuesses ? firstMs : 0)
      if (!repeated && waitMs > 0) {
        throw new AppError(refusal.code, refusal.message, { retryAfterMs: waitMs })
      }
      guesses.underWay++
      return outcome => {
        guesses.underWay--
        if (outcome === 'let in') pairs.delete(pair)
        if (outcome !== 'wrong' || repeated) return
        const endedMs = clock()
        guesses.wrong++
        guesses.last = credential
        guesses.lastMs = endedMs
        const beyond = guesses.wrong - freeGuesses
        if (beyond >= 0) guesses.notBeforeMs = endedMs + Math.min(maxMs, firstMs * 2 ** Math.min(beyond, 20))
      }
    },
    forget() {
      for (const [pair, { underWay }] of [...pairs.entries()]) if (underWay === 0) pairs.delete(pair)
    },
  }
}
