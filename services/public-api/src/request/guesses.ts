// Slows down password guessing: each guess lengthens the wait for the same account, and for the same address.
import { hash, randomBytes } from 'node:crypto'
import { createBackoff } from '@svc-server/relational/backoff'
import { createLookupLanes } from '@svc-server/relational/lookup-lanes'

interface Guess {
  readonly address: string | undefined
  readonly email: string
  readonly password: string
}

export interface SignInGuesses {
  /**
   * Verifies the password of a guess. Client addresses take turns. Throws `sign_in_backoff` while the account or the address has to wait.
   * Throws `overloaded` if too many guesses wait.
   */
  attempt(guess: Guess, verify: () => Promise<boolean>): Promise<boolean>
}

/**
 * A verification uses a core for 30 ms. To prevent one address from occupying both lanes, each address can use only one of the two lanes,
 * for one verification at a time.
 */
const verifications = { lanes: 2, maxWaiting: 512, maxWaitingPerSource: 8 } as const

/** Several people can share an address, so the first wrong sign-ins from an address cause no wait. */
const ofAddress = { freeGuesses: 30, refusal: { code: 'sign_in_backoff', message: 'Too many wrong sign-ins from this address.' } } as const
const ofAccount = { refusal: { code: 'sign_in_backoff', message: 'Too many wrong passwords for this account.' } } as const

export function createSignInGuesses(clock: () => number): SignInGuesses {
  const accounts = createBackoff({ clock, ...ofAccount })
  const addresses = createBackoff({ clock, ...ofAddress })
  // A guess is an email address with a password. The process stores only one digest of the guess. The digest is computed from the guess and
  // a secret of the process.
  const prefix = randomBytes(16).toString('hex')
  const lanes = createLookupLanes(verifications)

  /** Begins a guess. Call the returned function with the outcome of the guess. */
  function begin({ address, email, password }: Guess): (isRight: boolean) => void {
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
      // A right password for one account does not reset the guesses that the address has made for other accounts.
      ofAddress?.(isRight ? 'unknown' : 'wrong')
    }
  }

  return {
    async attempt(guess, verify) {
      const end = begin(guess)
      let isRight = false
      try {
        isRight = await lanes.run(guess.address ?? '', verify)
        return isRight
      } finally {
        end(isRight)
      }
    },
  }
}
