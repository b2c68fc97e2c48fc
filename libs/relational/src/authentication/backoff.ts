// Slows down attempts to guess the secret of a public key. Guesses are counted per address, so that no client can lock out other clients.
import { AppError } from '@svc-server/errors'
import { LRUCache } from 'lru-cache'

export interface BackoffOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Number of wrong guesses before the first wait; 5 by default. */
  readonly freeGuesses?: number
  /** Duration of the first wait in milliseconds; 1,000 by default. Each additional wrong guess doubles the wait. */
  readonly firstMs?: number
  /**
   * Longest wait, 60 s by default. If an address stops guessing a key, its earlier guesses for this key are forgotten after ten times the
   * longest wait.
   */
  readonly maxMs?: number
  /** Error for an attempt that must wait. By default, the error has the code `key_backoff` and a message about a public key. */
  readonly refusal?: { readonly code: 'key_backoff' | 'sign_in_backoff'; readonly message: string }
}

export interface Backoff {
  /**
   * Throws `refusal` if this pair of address and public key must wait. The caller reports the attempt's outcome by calling the returned
   * function.
   */
  attempt(address: string, publicKey: string, credential: string): (outcome: 'let in' | 'wrong' | 'unknown') => void
  /** Forgets all wrong guesses. Called when a key is created, because a secret that was wrong before can now be right. */
  forget(): void
}

interface Guesses {
  wrong: number
  underWay: number
  notBeforeMs: number
  lastMs: number
  /** The last wrong credential. If a client sends it again, this does not count as another guess. */
  last: string
}

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
      // An attempt in progress counts as a wrong guess. Otherwise, a client could make fifty guesses at the same time without waiting.
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
