// Slows down password guessing with every guess: per account, and per address whatever accounts it tries.
import { hash, randomBytes } from 'node:crypto'
import { createBackoff } from '@svc-server/relational/backoff'

export interface SignInGuesses {
  /**
   * Throws `sign_in_backoff` when the account or the address has to wait. The caller reports the attempt's outcome to the returned
   * function.
   */
  attempt(guess: { readonly address: string | undefined; readonly email: string; readonly password: string }): (isRight: boolean) => void
}

/** Several people may share one address. */
const ofAddress = { freeGuesses: 30, refusal: { code: 'sign_in_backoff', message: 'Too many wrong sign-ins from this address.' } } as const
const ofAccount = { refusal: { code: 'sign_in_backoff', message: 'Too many wrong passwords for this account.' } } as const

export function createSignInGuesses(clock: () => number): SignInGuesses {
  const accounts = createBackoff({ clock, ...ofAccount })
  const addresses = createBackoff({ clock, ...ofAddress })
  // Keeps only digests of guesses in memory, under a key of this process.
  const prefix = randomBytes(16).toString('hex')
  return {
    attempt({ address, email, password }) {
      const guess = hash('sha256', `${prefix} ${email} ${password}`)
      const account = accounts.attempt('', email, guess)
      let ofAddress: ReturnType<typeof addresses.attempt> | undefined
      try {
        ofAddress = address === undefined ? undefined : addresses.attempt(address, '', guess)
      } catch (error) {
        account('unknown')
        throw error
      }
      return isRight => {
        account(isRight ? 'let in' : 'wrong')
        // A successful sign-in to one account does not reset the address's guesses at others.
        ofAddress?.(isRight ? 'unknown' : 'wrong')
      }
    },
  }
}
